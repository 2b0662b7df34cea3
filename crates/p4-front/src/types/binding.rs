//! Arguments: which belongs to which parameter, and their evaluation in order.

use super::infer::Inference;
use super::lvalue::LValue;
use super::scope::Entity;
use super::ty::Ty;
use super::value::{Kind, Object, Value};
use super::{Checker, Context, annotation};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::{Argument, Direction, ExprKind, Name, Parameter};

/// What a parameter is given.
#[derive(Debug, Clone)]
pub(super) enum Bound {
    /// A value, of the parameter's type.
    In(Value),
    /// Something to write to; with the value that it has now, for `inout`.
    Out { to: LValue, now: Option<Value> },
    /// `_` for an `out` parameter.
    Discard,
    /// Nothing, for an optional parameter.
    Absent,
    /// A packet or another object.
    Object(Object, Ty),
}

/// Why arguments do not fit parameters.
#[derive(Debug, Clone)]
pub(super) struct Misfit {
    span: Option<Span>,
    message: String,
}

/// The argument of each parameter.
pub(super) fn bind(parameters: &[Parameter], arguments: &[Argument]) -> Result<Vec<Option<usize>>, Misfit> {
    let mut binding = vec![None; parameters.len()];
    for (index, argument) in arguments.iter().enumerate() {
        let slot = match &argument.name {
            None => index,
            Some(name) => match parameters.iter().position(|parameter| parameter.name.text == name.text) {
                Some(slot) => slot,
                None => {
                    let message = format!("there is no parameter `{}`", name.text);
                    return Err(Misfit { span: Some(name.span), message });
                }
            },
        };
        match binding.get_mut(slot) {
            None => {
                let (takes, given) = (parameters.len(), arguments.len());
                let s = if takes == 1 { "" } else { "s" };
                let message = format!("this takes {takes} argument{s}, but {given} are given");
                return Err(Misfit { span: Some(argument.value.span), message });
            }
            Some(Some(_)) => {
                let message = format!("`{}` is given twice", parameters[slot].name.text);
                return Err(Misfit { span: Some(argument.value.span), message });
            }
            Some(free) => *free = Some(index),
        }
    }
    for (parameter, given) in parameters.iter().zip(&binding) {
        let may_lack =
            parameter.default.is_some() || annotation(&parameter.annotations, "optional").is_some();
        if given.is_none() && !may_lack {
            let message = format!("no argument is given for `{}`", parameter.name.text);
            return Err(Misfit { span: None, message });
        }
    }
    Ok(binding)
}

impl<'a> Checker<'a> {
    /// The argument of each parameter; what does not fit is reported.
    pub(super) fn bound(
        &mut self,
        parameters: &'a [Parameter],
        arguments: &'a [Argument],
        span: Span,
    ) -> Option<Vec<Option<usize>>> {
        match bind(parameters, arguments) {
            Ok(binding) => Some(binding),
            Err(misfit) => self.misfit(misfit, parameters, span),
        }
    }

    pub(super) fn misfit<T>(&mut self, misfit: Misfit, parameters: &[Parameter], span: Span) -> Option<T> {
        let mut error = Diagnostic::error(misfit.span.unwrap_or(span), misfit.message);
        if let (Some(first), Some(last)) = (parameters.first(), parameters.last()) {
            error = error.other(first.name.span.to(last.name.span), "the parameters");
        }
        self.fail(error)
    }

    /// The types of parameters, at the top level but for the names given.
    pub(super) fn parameter_types(
        &mut self,
        parameters: &'a [Parameter],
        names: &[(&'a Name, Ty)],
    ) -> Option<Vec<Ty>> {
        let (tys, _) = self.elsewhere(Context::top(), |checker| {
            checker.scopes.open();
            for (name, ty) in names {
                checker.scopes.add(name.text.clone(), Some(name.span), Entity::Type(ty.clone()));
            }
            parameters.iter().map(|parameter| checker.ty(&parameter.ty)).collect::<Option<Vec<Ty>>>()
        });
        tys
    }

    /// Evaluates arguments from left to right, as written, and makes them fit their parameters. `tys` may hold type
    /// parameters, which are inferred.
    pub(super) fn evaluate(
        &mut self,
        parameters: &'a [Parameter],
        tys: &[Ty],
        arguments: &'a [Argument],
        inference: &mut Inference,
        span: Span,
    ) -> Option<Vec<Bound>> {
        let binding = self.bound(parameters, arguments, span)?;
        let mut slots: Vec<usize> = vec![0; arguments.len()];
        for (slot, argument) in binding.iter().enumerate() {
            if let Some(argument) = argument {
                slots[*argument] = slot;
            }
        }
        let mut bound: Vec<Option<Bound>> = vec![None; parameters.len()];
        let mut sound = true;
        for (argument, slot) in arguments.iter().zip(slots) {
            let at = self.out.len();
            let given = self.argument(&parameters[slot], &tys[slot], argument, inference);
            if self.out.len() > at {
                let later = self.out.split_off(at);
                for earlier in bound.iter_mut().flatten() {
                    self.settle_bound(earlier, span);
                }
                self.out.extend(later);
            }
            sound &= given.is_some();
            bound[slot] = given;
        }
        if !sound {
            return None;
        }
        let mut done = Vec::with_capacity(bound.len());
        for (slot, given) in bound.into_iter().enumerate() {
            let at = binding[slot].map_or(span, |argument| arguments[argument].value.span);
            done.push(self.fit(&parameters[slot], &tys[slot], given, inference, at)?);
        }
        Some(done)
    }

    /// Evaluates one argument.
    fn argument(
        &mut self,
        parameter: &'a Parameter,
        ty: &Ty,
        argument: &'a Argument,
        inference: &mut Inference,
    ) -> Option<Bound> {
        let e = &argument.value;
        match parameter.direction {
            Direction::None | Direction::In => {
                if matches!(e.kind, ExprKind::DontCare) {
                    return self.error(e.span, "`_` can be given for `out` parameters only");
                }
                let value = self.expr(e)?;
                if let Kind::Object(object) = value.kind {
                    return self.object_argument(object, value.ty, ty, e.span);
                }
                if matches!(value.kind, Kind::Type) || value.ty == Ty::Void {
                    return self.error(e.span, "this is not a value");
                }
                self.unify(ty, &value.ty, inference);
                Some(Bound::In(value))
            }
            Direction::Out if matches!(e.kind, ExprKind::DontCare) => Some(Bound::Discard),
            Direction::Out | Direction::InOut => {
                let mut to = self.lvalue(e)?;
                self.unify(ty, &to.ty, inference);
                self.settle_lvalue(&mut to, e.span);
                let now = match parameter.direction {
                    Direction::InOut => Some(self.read_lvalue(&to, e.span)?),
                    _ => None,
                };
                Some(Bound::Out { to, now })
            }
        }
    }

    fn object_argument(&mut self, object: Object, own: Ty, ty: &Ty, span: Span) -> Option<Bound> {
        let fits = match (&own, ty) {
            (Ty::Extern(a), Ty::Extern(b)) => {
                self.types.named[*a].declaration == self.types.named[*b].declaration
            }
            (Ty::Block(_), Ty::Block(_)) => true,
            _ => own == *ty,
        };
        if !fits {
            let (own, wanted) = (self.types.show(&own), self.types.show(ty));
            return self.error(span, format!("expected {wanted}, found {own}"));
        }
        Some(Bound::Object(object, own))
    }

    /// Converts an argument to its parameter's type, which is known by now.
    fn fit(
        &mut self,
        parameter: &'a Parameter,
        ty: &Ty,
        given: Option<Bound>,
        inference: &Inference,
        span: Span,
    ) -> Option<Bound> {
        let Some(given) = given else {
            let Some(default) = &parameter.default else { return Some(Bound::Absent) };
            let value = self.operand(default)?;
            let ty = self.known(ty, inference, parameter, span)?;
            return Some(Bound::In(self.convert(value, &ty, span)?));
        };
        match given {
            Bound::In(value) => {
                let ty = self.known(ty, inference, parameter, span)?;
                if ty == Ty::Any {
                    return Some(Bound::In(value));
                }
                Some(Bound::In(self.convert(value, &ty, span)?))
            }
            Bound::Out { to, now } => {
                let ty = self.known(ty, inference, parameter, span)?;
                if ty != to.ty && ty != Ty::Any {
                    let (own, wanted) = (self.types.show(&to.ty), self.types.show(&ty));
                    let message =
                        format!("`{}` is {wanted}, and what is given is {own}", parameter.name.text);
                    let hint = "what an `out` or `inout` parameter is given must have exactly its type";
                    return self.fail(Diagnostic::error(span, message).hint(hint));
                }
                Some(Bound::Out { to, now })
            }
            other => Some(other),
        }
    }

    fn known(&mut self, ty: &Ty, inference: &Inference, parameter: &Parameter, span: Span) -> Option<Ty> {
        match self.substitute(ty, inference) {
            Some(ty) => Some(ty),
            None => {
                let message = format!("the type of `{}` cannot be inferred", parameter.name.text);
                self.fail(Diagnostic::error(span, message).hint("write the type arguments: f<…>(…)"))
            }
        }
    }

    fn settle_bound(&mut self, bound: &mut Bound, span: Span) {
        match bound {
            Bound::In(value) => self.settle(value, span),
            Bound::Out { to, now } => {
                self.settle_lvalue(to, span);
                if let Some(now) = now {
                    self.settle(now, span);
                }
            }
            Bound::Discard | Bound::Absent | Bound::Object(..) => {}
        }
    }
}

//! Binding of arguments to parameters, and their evaluation in order.

use super::infer::Inference;
use super::lvalue::LValue;
use super::print::count;
use super::scope::Entity;
use super::ty::Ty;
use super::value::{Kind, Object, Value};
use super::{Checker, Context, annotation};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::{Argument, Direction, ExprKind, Name, Parameter};

/// An argument as bound to its parameter.
#[derive(Debug, Clone)]
pub(super) enum Bound {
    /// A value of the parameter's type.
    In(Value),
    /// A writable place, with its current value for `inout`.
    Out { to: LValue, now: Option<Value> },
    /// `_` for an `out` parameter.
    Discard,
    /// No argument, for an optional parameter.
    Absent,
    /// A packet or another object.
    Object(Object, Ty),
}

/// A mismatch between arguments and parameters.
#[derive(Debug, Clone)]
pub(super) struct ArgumentMismatch {
    span: Option<Span>,
    message: String,
}

/// Index of the argument for each parameter.
pub(super) fn bind(
    parameters: &[Parameter],
    arguments: &[Argument],
) -> Result<Vec<Option<usize>>, ArgumentMismatch> {
    let mut binding = vec![None; parameters.len()];
    for (index, argument) in arguments.iter().enumerate() {
        let slot = match &argument.name {
            None => index,
            Some(name) => match parameters.iter().position(|parameter| parameter.name.text == name.text) {
                Some(slot) => slot,
                None => {
                    let message = format!("unknown parameter `{}`", name.text);
                    return Err(ArgumentMismatch { span: Some(name.span), message });
                }
            },
        };
        match binding.get_mut(slot) {
            None => {
                let (takes, given) = (parameters.len(), arguments.len());
                let message = format!("expected {}, found {given}", count(takes, "argument"));
                return Err(ArgumentMismatch { span: Some(argument.value.span), message });
            }
            Some(Some(_)) => {
                let message =
                    format!("duplicate argument for the parameter `{}`", parameters[slot].name.text);
                return Err(ArgumentMismatch { span: Some(argument.value.span), message });
            }
            Some(free) => *free = Some(index),
        }
    }
    for (parameter, given) in parameters.iter().zip(&binding) {
        let may_lack =
            parameter.default.is_some() || annotation(&parameter.annotations, "optional").is_some();
        if given.is_none() && !may_lack {
            let message = format!("missing argument for the parameter `{}`", parameter.name.text);
            return Err(ArgumentMismatch { span: None, message });
        }
    }
    Ok(binding)
}

impl<'a> Checker<'a> {
    /// Index of the argument for each parameter; mismatches are reported.
    pub(super) fn bound(
        &mut self,
        parameters: &'a [Parameter],
        arguments: &'a [Argument],
        span: Span,
    ) -> Option<Vec<Option<usize>>> {
        match bind(parameters, arguments) {
            Ok(binding) => Some(binding),
            Err(mismatch) => self.report_mismatch(mismatch, parameters, span),
        }
    }

    pub(super) fn report_mismatch<T>(
        &mut self,
        mismatch: ArgumentMismatch,
        parameters: &[Parameter],
        span: Span,
    ) -> Option<T> {
        let mut error = Diagnostic::error(mismatch.span.unwrap_or(span), mismatch.message);
        if let (Some(first), Some(last)) = (parameters.first(), parameters.last()) {
            error = error.related(first.name.span.to(last.name.span), "the parameters are declared here");
        }
        self.fail(error)
    }

    /// The types of parameters, resolved at the top level plus the given names.
    pub(super) fn parameter_types(
        &mut self,
        parameters: &'a [Parameter],
        names: &[(&'a Name, Ty)],
    ) -> Option<Vec<Ty>> {
        let (tys, _) = self.in_new_scope(Context::top(), |checker| {
            checker.scopes.open();
            for (name, ty) in names {
                checker.scopes.add(name.text.clone(), Some(name.span), Entity::Type(ty.clone()));
            }
            parameters.iter().map(|parameter| checker.ty(&parameter.ty)).collect::<Option<Vec<Ty>>>()
        });
        tys
    }

    /// Evaluates arguments from left to right, as written, and converts them to their parameters' types. `tys` may
    /// contain type parameters, which are inferred.
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
                    self.spill_bound(earlier, span);
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
                    return self.error(e.span, "`_` is allowed only as the argument of an `out` parameter");
                }
                let value = self.expr(e)?;
                if let Kind::Object(object) = value.kind {
                    return self.object_argument(object, value.ty, ty, e.span);
                }
                if matches!(value.kind, Kind::Type) || value.ty == Ty::Void {
                    return self.error(e.span, "expected a value");
                }
                self.unify(ty, &value.ty, inference);
                Some(Bound::In(value))
            }
            Direction::Out if matches!(e.kind, ExprKind::DontCare) => Some(Bound::Discard),
            Direction::Out | Direction::InOut => {
                let mut to = self.lvalue(e)?;
                self.unify(ty, &to.ty, inference);
                self.spill_lvalue(&mut to, e.span);
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
            return self.error(span, format!("expected `{wanted}`, found `{own}`"));
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
                        format!("the parameter `{}` requires `{wanted}`, found `{own}`", parameter.name.text);
                    let hint = "the argument of an `out` or `inout` parameter must have exactly its type";
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
                let message = format!("cannot infer the type of the parameter `{}`", parameter.name.text);
                self.fail(Diagnostic::error(span, message).hint("write the type arguments: `f<…>(…)`"))
            }
        }
    }

    fn spill_bound(&mut self, bound: &mut Bound, span: Span) {
        match bound {
            Bound::In(value) => self.spill(value, span),
            Bound::Out { to, now } => {
                self.spill_lvalue(to, span);
                if let Some(now) = now {
                    self.spill(now, span);
                }
            }
            Bound::Discard | Bound::Absent | Bound::Object(..) => {}
        }
    }
}

//! Calls of functions and actions.

use std::rc::Rc;
use std::sync::Arc;

use num_bigint::BigInt;

use super::binding::{Bound, bind};
use super::infer::Inference;
use super::scope::{Entity, Variable};
use super::ty::Ty;
use super::value::{Kind, Object, Value};
use super::{Body, Checker, Context, InProgress, notes, written_name};
use crate::diagnostic::Diagnostic;
use crate::ir::{self, ActionNotes, FunctionId, FunctionKind, Place, StmtKind};
use crate::source::Span;
use crate::syntax::ast::{
    Annotation, Argument, Block, DeclarationKind, Direction, Expr, ExprKind, Name, Parameter, Signature,
    TypeRef, TypeRefKind,
};

/// A function elaborated for given type arguments.
#[derive(Debug)]
pub(super) struct FunctionInfo {
    pub id: FunctionId,
    /// Places of the parameters; `None` for objects.
    pub parameters: Vec<Option<Place>>,
    pub result: Option<(Ty, Place)>,
}

/// An action.
#[derive(Debug)]
pub(super) struct ActionInfo<'a> {
    pub id: FunctionId,
    /// Full name.
    pub name: Arc<str>,
    pub written: &'a [Parameter],
    /// Types and places of the parameters.
    pub parameters: Vec<(Ty, Place)>,
}

impl<'a> Checker<'a> {
    /// Elaborates a call of a function, method, action or constructor.
    pub(super) fn call(
        &mut self,
        callee: &'a Expr,
        type_arguments: &'a [TypeRef],
        arguments: &'a [Argument],
        span: Span,
    ) -> Option<Value> {
        match &callee.kind {
            ExprKind::Member { of, name } => self.method(of, name, type_arguments, arguments, span),
            ExprKind::Name { name, global } => match self.lookup(name, *global)? {
                Entity::Functions(overloads) => {
                    self.call_function(name, &overloads, type_arguments, arguments, span)
                }
                Entity::Action(action) => {
                    if !type_arguments.is_empty() {
                        return self.error(span, "actions take no type arguments");
                    }
                    self.call_action(action, arguments, span)
                }
                Entity::Declared(number) => {
                    let mut tys = Vec::new();
                    for argument in type_arguments {
                        tys.push(self.ty(argument)?);
                    }
                    let ty = self.declared(number, tys, span)?;
                    self.construct_unnamed(ty, arguments, span)
                }
                Entity::Type(ty) => self.construct_unnamed(ty, arguments, span),
                _ => self.error(
                    callee.span,
                    format!(
                        "`{}` is not callable: only functions, actions, methods and constructors are",
                        name.text
                    ),
                ),
            },
            ExprKind::Type(written) => {
                let ty = self.ty(written)?;
                self.construct_unnamed(ty, arguments, span)
            }
            _ => self.error(callee.span, "expected a function, action, method or constructor"),
        }
    }

    fn construct_unnamed(&mut self, ty: Ty, arguments: &'a [Argument], span: Span) -> Option<Value> {
        let name = match &ty {
            Ty::Block(id) | Ty::Extern(id) | Ty::Package(id) => self.types.named[*id].name.clone(),
            other => {
                let shown = self.types.show(other);
                return self.error(span, format!("the type `{shown}` has no constructor"));
            }
        };
        let path = self.below(&name);
        let object = self.construct(&ty, arguments, path, span)?;
        Some(Value::new(ty, Kind::Object(object)))
    }

    /// Elaborates a call of a function or extern function, choosing the overload that matches the arguments.
    fn call_function(
        &mut self,
        name: &'a Name,
        overloads: &[usize],
        type_arguments: &'a [TypeRef],
        arguments: &'a [Argument],
        span: Span,
    ) -> Option<Value> {
        let declarations = self.declarations;
        let mut first_misfit = None;
        for &number in overloads {
            let (DeclarationKind::Function { signature, .. } | DeclarationKind::ExternFunction { signature }) =
                &declarations[number].kind
            else {
                continue;
            };
            let mismatch = match bind(&signature.parameters, arguments) {
                Ok(_) => {
                    if type_arguments.is_empty() || type_arguments.len() == signature.type_parameters.len() {
                        return self.call_overload(number, signature, type_arguments, arguments, span);
                    }
                    continue;
                }
                Err(mismatch) => mismatch,
            };
            first_misfit.get_or_insert((mismatch, signature));
        }
        match first_misfit {
            Some((mismatch, signature)) if overloads.len() == 1 => {
                self.report_mismatch(mismatch, &signature.parameters, span)
            }
            Some(_) => self.error(span, format!("no overload of `{}` matches these arguments", name.text)),
            None => self.error(span, format!("no overload of `{}` matches these type arguments", name.text)),
        }
    }

    /// Names of the type parameters, each with its written argument or a type to infer.
    pub(super) fn type_names(
        &mut self,
        parameters: &'a [Name],
        written: &'a [TypeRef],
        inference: &mut Inference,
    ) -> Option<Vec<(&'a Name, Ty)>> {
        let mut names = Vec::with_capacity(parameters.len());
        for (index, name) in parameters.iter().enumerate() {
            let found = match written.get(index) {
                Some(written) => Some(self.ty(written)?).filter(|ty| *ty != Ty::Any),
                None => None,
            };
            inference.found.push(found.clone());
            names.push((name, found.unwrap_or(Ty::Var(index))));
        }
        Some(names)
    }

    fn call_overload(
        &mut self,
        number: usize,
        signature: &'a Signature,
        type_arguments: &'a [TypeRef],
        arguments: &'a [Argument],
        span: Span,
    ) -> Option<Value> {
        let mut inference = Inference::default();
        let names = self.type_names(&signature.type_parameters, type_arguments, &mut inference)?;
        let tys = self.parameter_types(&signature.parameters, &names)?;
        let bound = self.evaluate(&signature.parameters, &tys, arguments, &mut inference, span)?;
        if let DeclarationKind::ExternFunction { .. } = &self.declarations[number].kind {
            return self.extern_function(&signature.name, bound, arguments, span);
        }
        let mut types = Vec::with_capacity(inference.found.len());
        for (name, found) in signature.type_parameters.iter().zip(inference.found) {
            match found {
                Some(ty) => types.push(ty),
                None => {
                    let message = format!("cannot infer the type argument `{}`", name.text);
                    return self.error(span, message);
                }
            }
        }
        let constants = self.int_arguments(&signature.parameters, &bound, span)?;
        let function = self.function(number, types, constants, span)?;
        self.emit_call(function.id, &function.parameters, bound, span)?;
        let Some((ty, place)) = &function.result else {
            return Some(Value::new(Ty::Void, Kind::Invalid));
        };
        let value = self.read(place.clone(), ty.clone());
        let value = self.lower(&value, span)?;
        let result = self.saved(span, value);
        Some(self.read(result, ty.clone()))
    }

    /// Emits copy-in, the call, and copy-out.
    pub(super) fn emit_call(
        &mut self,
        function: FunctionId,
        parameters: &[Option<Place>],
        bound: Vec<Bound>,
        span: Span,
    ) -> Option<()> {
        self.copy_in(parameters, &bound, span)?;
        let (_, after) = self.block_of(|checker| checker.copy_out(parameters, &bound, span));
        self.emit(span, StmtKind::Call { function, after });
        Some(())
    }

    /// Emits copy-in: arguments to parameters.
    pub(super) fn copy_in(
        &mut self,
        parameters: &[Option<Place>],
        bound: &[Bound],
        span: Span,
    ) -> Option<()> {
        for (place, bound) in parameters.iter().zip(bound) {
            let Some(place) = place else { continue };
            let to = place.clone();
            match bound {
                Bound::In(value) | Bound::Out { now: Some(value), .. } => {
                    let value = self.lower(value, span)?;
                    self.emit(span, StmtKind::Assign { to, value });
                }
                Bound::Absent => self.emit(span, StmtKind::Reset(to)),
                _ => {}
            }
        }
        Some(())
    }

    /// Emits copy-out: parameters to arguments, from left to right.
    pub(super) fn copy_out(&mut self, parameters: &[Option<Place>], bound: &[Bound], span: Span) {
        for (place, bound) in parameters.iter().zip(bound) {
            if let (Some(place), Bound::Out { to, .. }) = (place, bound) {
                let value = ir::Expr { kind: ir::ExprKind::Read(place.clone()), ty: place.ty };
                self.assign(to, value, span);
            }
        }
    }

    /// Arguments of the parameters of type `int`, which have no direction and are known at compile time (§7.1.6.5).
    fn int_arguments(
        &mut self,
        parameters: &'a [Parameter],
        bound: &[Bound],
        span: Span,
    ) -> Option<Vec<BigInt>> {
        let mut constants = Vec::new();
        for (parameter, bound) in parameters.iter().zip(bound) {
            match bound {
                Bound::In(Value { ty: Ty::InfInt, kind }) if parameter.direction == Direction::None => {
                    let Kind::Int(number) = kind else {
                        let name = &parameter.name.text;
                        let message = format!("the argument `{name}` must be known at compile time");
                        return self.error(span, message);
                    };
                    constants.push(number.clone());
                }
                _ => {}
            }
        }
        Some(constants)
    }

    /// A function for given type arguments and arguments of type `int`, elaborated on its first call.
    fn function(
        &mut self,
        number: usize,
        types: Vec<Ty>,
        constants: Vec<BigInt>,
        span: Span,
    ) -> Option<Rc<FunctionInfo>> {
        let key = (number, types, constants);
        if let Some(known) = self.output.function_cache.get(&key) {
            return known.clone();
        }
        let declarations = self.declarations;
        let DeclarationKind::Function { signature, body } = &declarations[number].kind else { return None };
        let in_progress = InProgress::Function(key.0, key.1.clone());
        if !self.in_progress.insert(in_progress.clone()) || self.depth >= super::MAX_DEPTH {
            return self.error(
                span,
                format!("recursion is not allowed: the function `{}` calls itself", signature.name.text),
            );
        }
        self.reached.insert(number);
        self.depth += 1;
        let info = self.elaborate_function(signature, body, &key.1, &key.2).map(Rc::new);
        self.depth -= 1;
        self.in_progress.remove(&in_progress);
        self.output.function_cache.insert(key, info.clone());
        info
    }

    /// Elaborates a function only to find its errors.
    pub(super) fn check_function(&mut self, number: usize) -> Option<()> {
        let span = self.declarations.get(number)?.span;
        let declarations = self.declarations;
        let DeclarationKind::Function { signature, .. } = &declarations[number].kind else { return None };
        let is_int = |parameter: &&Parameter| {
            parameter.direction == Direction::None && matches!(parameter.ty.kind, TypeRefKind::InfInt)
        };
        let some = signature.parameters.iter().filter(is_int).map(|_| BigInt::from(1)).collect();
        self.function(number, Vec::new(), some, span).map(|_| ())
    }

    fn elaborate_function(
        &mut self,
        signature: &'a Signature,
        body: &'a Block,
        types: &[Ty],
        constants: &[BigInt],
    ) -> Option<FunctionInfo> {
        let context = Context { body: Body::Function, ..Context::top() };
        let (made, block) = self.in_new_scope(context, |checker| {
            checker.scopes.open();
            for (name, ty) in signature.type_parameters.iter().zip(types) {
                checker.scopes.add(name.text.clone(), Some(name.span), Entity::Type(ty.clone()));
            }
            let result = checker.ty(&signature.result)?;
            let result = match result {
                Ty::Void => None,
                ty => {
                    let id = checker.lower_ty(&ty, signature.result.span)?;
                    let name = format!("{}.result", signature.name.text);
                    Some((ty, checker.variable(name, id)))
                }
            };
            checker.context.result = result.as_ref().map(|(ty, place)| (ty.clone(), place.root));
            let parameters = checker.parameters(&signature.parameters, &signature.name.text, constants)?;
            checker.block(body);
            let parameters = parameters.into_iter().map(|(_, place)| place).collect();
            Some((parameters, result))
        });
        let (parameters, result) = made?;
        let name = signature.name.text.clone();
        let id = self.add_function(name, FunctionKind::Function, block, signature.name.span);
        Some(FunctionInfo { id, parameters, result })
    }

    pub(super) fn add_function(
        &mut self,
        name: Arc<str>,
        kind: FunctionKind,
        body: ir::Block,
        span: Span,
    ) -> FunctionId {
        self.output.functions.push(ir::Function { name, kind, body, span });
        FunctionId(u32::try_from(self.output.functions.len() - 1).unwrap_or(u32::MAX))
    }

    /// Declares parameters with their own variables; `out` parameters are reset on entry. Those of type `int` are the
    /// given constants.
    pub(super) fn parameters(
        &mut self,
        parameters: &'a [Parameter],
        of: &str,
        constants: &[BigInt],
    ) -> Option<Vec<(Ty, Option<Place>)>> {
        let mut constants = constants.iter();
        let mut done = Vec::with_capacity(parameters.len());
        let mut sound = true;
        for parameter in parameters {
            let Some(ty) = self.ty(&parameter.ty) else {
                self.declare(&parameter.name, Entity::Broken);
                sound = false;
                continue;
            };
            if let Ty::Extern(id) = &ty {
                let object = match &*self.types.named[*id].name {
                    "packet_in" => Object::PacketIn,
                    "packet_out" => Object::PacketOut,
                    _ => Object::Opaque,
                };
                self.declare(&parameter.name, Entity::Object(object, ty.clone()));
                done.push((ty, None));
                continue;
            }
            if ty == Ty::InfInt
                && parameter.direction == Direction::None
                && let Some(number) = constants.next()
            {
                self.declare(&parameter.name, Entity::Value(Value::int(Ty::InfInt, number.clone())));
                done.push((ty, None));
                continue;
            }
            let Some(id) = self.lower_ty(&ty, parameter.ty.span) else {
                self.declare(&parameter.name, Entity::Broken);
                sound = false;
                continue;
            };
            let place = self.variable(format!("{of}.{}", parameter.name.text), id);
            if parameter.direction == Direction::Out {
                self.emit(parameter.name.span, StmtKind::Reset(place.clone()));
            }
            let variable = Variable {
                place: place.clone(),
                ty: ty.clone(),
                read_only: read_only_reason(parameter.direction),
            };
            self.declare(&parameter.name, Entity::Variable(variable));
            done.push((ty, Some(place)));
        }
        sound.then_some(done)
    }

    /// Elaborates an action's declaration.
    pub(super) fn action(
        &mut self,
        name: &'a Name,
        parameters: &'a [Parameter],
        body: &'a Block,
        annotations: &'a [Annotation],
        span: Span,
    ) -> Option<Entity> {
        let full = self.full_name(name, annotations);
        let context = Context { body: Body::Action, result: None, loops: 0, path: self.context.path.clone() };
        let (places, block) = self.in_context(context, |checker| {
            checker.scopes.open();
            let places = checker.parameters(parameters, &name.text, &[]);
            checker.block(body);
            checker.scopes.close();
            places
        });
        let mut own = Vec::new();
        for (ty, place) in places? {
            match place {
                Some(place) => own.push((ty, place)),
                None => {
                    return self
                        .error(span, "parameters of an action must be values, not packets or other objects");
                }
            }
        }
        let id = self.add_function(full.clone(), FunctionKind::Action, block, name.span);
        let values = parameters.iter().zip(&own).map(|(parameter, (ty, _))| {
            let name = written_name(&parameter.annotations).unwrap_or_else(|| parameter.name.text.clone());
            self.value_notes(name, ty, &parameter.annotations)
        });
        let notes = ActionNotes { parameters: values.collect(), annotations: notes::converted(annotations) };
        self.output.control_plane.actions.insert(id, notes);
        self.output.actions.push(Rc::new(ActionInfo {
            id,
            name: full,
            written: parameters,
            parameters: own,
        }));
        Some(Entity::Action(self.output.actions.len() - 1))
    }

    fn call_action(&mut self, action: usize, arguments: &'a [Argument], span: Span) -> Option<Value> {
        if !matches!(self.context.body, Body::Control | Body::Action) {
            return self.error(span, "actions can be called only in controls and actions");
        }
        let action = self.output.actions[action].clone();
        let tys: Vec<Ty> = action.parameters.iter().map(|(ty, _)| ty.clone()).collect();
        let bound = self.evaluate(action.written, &tys, arguments, &mut Inference::default(), span)?;
        let places: Vec<Option<Place>> =
            action.parameters.iter().map(|(_, place)| Some(place.clone())).collect();
        self.emit_call(action.id, &places, bound, span)?;
        Some(Value::new(Ty::Void, Kind::Invalid))
    }

    /// Reports an error unless the current body is one of `bodies`.
    pub(super) fn only_in(&mut self, bodies: &[Body], what: &str, span: Span) -> Option<()> {
        if bodies.contains(&self.context.body) {
            return Some(());
        }
        let place = match bodies {
            [Body::Parser, ..] => "parsers",
            _ => "controls' apply blocks",
        };
        self.fail(Diagnostic::error(span, format!("{what} is allowed only in {place}")))
    }
}

/// Description of a read-only parameter; `None` for a writable one.
pub(super) fn read_only_reason(direction: Direction) -> Option<&'static str> {
    match direction {
        Direction::None => Some("a parameter without a direction"),
        Direction::In => Some("an `in` parameter"),
        Direction::Out | Direction::InOut => None,
    }
}

//! Applying a sub-control or sub-parser.
//!
//! Parameters are copied in and out. A parameter is an alias of the caller's place instead where the result is the
//! same: if the instance is applied at only one place, and no other argument overlaps the place.

use super::binding::Bound;
use super::builtins::void_value;
use super::constructor::{Done, DoneBlock, apply_parameters};
use super::infer::Inference;
use super::place::{is_static, overlap};
use super::scope::{Entity, Variable};
use super::ty::Ty;
use super::value::Value;
use super::{Body, Checker, Context, InProgress};
use crate::ir::{Place, StmtKind};
use crate::source::Span;
use crate::syntax::ast::{Argument, DeclarationKind, Direction, Parameter};

/// A parameter of a block under elaboration.
pub(super) struct BlockParameter<'a> {
    pub written: &'a Parameter,
    pub entity: Entity,
    /// The place to reset on entry, for an `out` parameter.
    pub reset: Option<Place>,
}

impl<'a> Checker<'a> {
    /// Elaborates `instance.apply(arguments)`.
    pub(super) fn apply_block(
        &mut self,
        instance: usize,
        arguments: &'a [Argument],
        span: Span,
    ) -> Option<Value> {
        let made = self.output.instances.get(instance)?.clone();
        let declarations = self.declarations;
        let declaration = &declarations[made.declaration];
        match &declaration.kind {
            DeclarationKind::Parser(_) => self.only_in(&[Body::Parser], "applying a parser", span)?,
            _ => self.only_in(&[Body::Control], "applying a control", span)?,
        }
        let parameters = apply_parameters(&declaration.kind);
        let tys = self.parameter_types(parameters, &made.types)?;
        let at = self.out.len();
        let bound = self.evaluate(parameters, &tys, arguments, &mut Inference::default(), span)?;
        let quiet = self.out.len() == at;
        let done = match made.done {
            Some(done) => done,
            None => {
                let may_stand = quiet && made.applications == 1;
                let aliases: Vec<Option<Place>> = (0..bound.len())
                    .map(|index| may_stand.then(|| aliased_place(&bound, index)).flatten())
                    .collect();
                self.elaborate_instance(instance, parameters, &tys, &bound, aliases, span)?
            }
        };
        self.copy_in(&done.parameters, &bound, span)?;
        let (_, after) = self.block_of(|checker| checker.copy_out(&done.parameters, &bound, span));
        let kind = match done.block {
            DoneBlock::Control(function) => StmtKind::Call { function, after },
            DoneBlock::Parser(parser) => StmtKind::CallParser { parser, after },
        };
        self.emit(span, kind);
        Some(void_value())
    }

    fn elaborate_instance(
        &mut self,
        instance: usize,
        parameters: &'a [Parameter],
        tys: &[Ty],
        bound: &[Bound],
        aliases: Vec<Option<Place>>,
        span: Span,
    ) -> Option<Done> {
        let mut own = Vec::with_capacity(parameters.len());
        let mut places = Vec::with_capacity(parameters.len());
        for ((written, ty), (bound, aliases)) in parameters.iter().zip(tys).zip(bound.iter().zip(aliases)) {
            if let Bound::Object(object, ty) = bound {
                places.push(None);
                let entity = Entity::Object(object.clone(), ty.clone());
                own.push(BlockParameter { written, entity, reset: None });
                continue;
            }
            let id = self.lower_ty(ty, written.ty.span)?;
            let is_own = aliases.is_none();
            let place = match aliases {
                Some(place) => place,
                None => self.variable(written.name.text.clone(), id),
            };
            places.push(is_own.then(|| place.clone()));
            let reset = (written.direction == Direction::Out).then(|| place.clone());
            let read_only = super::calls::read_only_reason(written.direction);
            let entity = Entity::Variable(Variable { place, ty: ty.clone(), read_only });
            own.push(BlockParameter { written, entity, reset });
        }
        let block = self.block_instance(instance, own, span)?;
        let done = Done { block, parameters: places };
        self.output.instances[instance].done = Some(done.clone());
        Some(done)
    }

    /// Elaborates the body of an instance.
    pub(super) fn block_instance(
        &mut self,
        instance: usize,
        parameters: Vec<BlockParameter<'a>>,
        span: Span,
    ) -> Option<DoneBlock> {
        let made = self.output.instances.get(instance)?.clone();
        let in_progress = InProgress::Block(made.declaration);
        if !self.in_progress.insert(in_progress.clone()) {
            return self.error(span, "a block must not apply itself");
        }
        self.reached.insert(made.declaration);
        let declarations = self.declarations;
        let declaration = &declarations[made.declaration];
        let body = match declaration.kind {
            DeclarationKind::Parser(_) => Body::Parser,
            _ => Body::Control,
        };
        let context = Context { body, path: made.path.clone(), result: None, loops: 0 };
        let applications = std::mem::take(&mut self.applications);
        let (done, block) = self.in_new_scope(context, |checker| {
            checker.scopes.open();
            for (name, ty) in &made.types {
                checker.scopes.add(name.text.clone(), Some(name.span), Entity::Type(ty.clone()));
            }
            for (name, entity) in &made.constructed {
                checker.declare(name, entity.clone());
            }
            for parameter in parameters {
                checker.declare(&parameter.written.name, parameter.entity);
                if let Some(place) = parameter.reset {
                    checker.emit(parameter.written.name.span, StmtKind::Reset(place));
                }
            }
            // Declarations inside the block may shadow parameters.
            checker.scopes.open();
            match &declaration.kind {
                DeclarationKind::Parser(parser) => checker.parser_body(parser).map(Some),
                DeclarationKind::Control(control) => {
                    checker.control_body(control);
                    Some(None)
                }
                _ => None,
            }
        });
        self.applications = applications;
        self.in_progress.remove(&in_progress);
        Some(match done? {
            Some((states, start)) => {
                self.output.parsers.push(crate::ir::Parser { name: made.path, before: block, states, start });
                let id = u32::try_from(self.output.parsers.len() - 1).ok()?;
                DoneBlock::Parser(crate::ir::ParserId(id))
            }
            None => {
                let kind = crate::ir::FunctionKind::Control;
                DoneBlock::Control(self.add_function(made.path, kind, block, declaration.span))
            }
        })
    }
}

/// The caller's place that a parameter can be an alias of, if any.
fn aliased_place(bound: &[Bound], index: usize) -> Option<Place> {
    let (place, writes) = place_of(&bound[index])?;
    let is_part = matches!(&bound[index], Bound::Out { to, .. } if !Checker::is_whole(to));
    if is_part || !is_static(place) {
        return None;
    }
    let apart =
        bound.iter().enumerate().filter(|(other, _)| *other != index).all(|(_, other)| {
            match place_of(other) {
                Some((other, other_writes)) => !((writes || other_writes) && overlap(place, other)),
                None => true,
            }
        });
    apart.then(|| place.clone())
}

/// The place of an argument, and whether it is written. For a part of a place, the whole place.
fn place_of(bound: &Bound) -> Option<(&Place, bool)> {
    match bound {
        Bound::Out { to, .. } => Some((&to.place, true)),
        Bound::In(value) => value.place().map(|place| (place, false)),
        _ => None,
    }
}

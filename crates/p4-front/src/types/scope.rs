//! Scopes and name lookup.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::constant::nearest;
use super::ty::Ty;
use super::value::{Kind, Object, Value};
use super::{Checker, Context, InProgress};
use crate::diagnostic::Diagnostic;
use crate::ir;
use crate::source::Span;
use crate::syntax::ast::{DeclarationKind, Name};

/// Entity that a name denotes.
#[derive(Debug, Clone)]
pub(super) enum Entity {
    /// A constant, or a constructor parameter.
    Value(Value),
    /// A variable or parameter.
    Variable(Variable),
    /// A type argument, under the name of its parameter.
    Type(Ty),
    /// A type declared at the top level.
    Declared(usize),
    /// Functions and extern functions of one name.
    Functions(Arc<[usize]>),
    /// An action.
    Action(usize),
    /// An object with methods.
    Object(Object, Ty),
    /// An invalid declaration, whose error has been reported.
    Broken,
}

/// A variable in scope.
#[derive(Debug, Clone)]
pub(super) struct Variable {
    /// Place; that of a parameter may belong to the caller.
    pub place: ir::Place,
    /// Type.
    pub ty: Ty,
    /// Description of a read-only variable; `None` if it can be written.
    pub read_only: Option<&'static str>,
}

/// Names in nested blocks, below the top level.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    frames: Vec<FxHashMap<Arc<str>, Known>>,
}

/// Entity of a name, and the position of its declaration.
#[derive(Debug)]
struct Known {
    entity: Entity,
    span: Option<Span>,
}

impl Scopes {
    /// Opens a block.
    pub fn open(&mut self) {
        self.frames.push(FxHashMap::default());
    }

    /// Closes a block.
    pub fn close(&mut self) {
        self.frames.pop();
    }

    /// Looks up a name, innermost scope first.
    pub fn find(&self, name: &str) -> Option<&Entity> {
        self.frames.iter().rev().find_map(|frame| frame.get(name)).map(|known| &known.entity)
    }

    /// Adds a name to the innermost block; returns the position of a previous declaration in it.
    pub fn add(&mut self, name: Arc<str>, span: Option<Span>, entity: Entity) -> Option<Option<Span>> {
        if self.frames.is_empty() {
            self.open();
        }
        let frame = self.frames.last_mut()?;
        frame.insert(name, Known { entity, span }).map(|known| known.span)
    }

    /// All names, for suggestions.
    fn names(&self) -> impl Iterator<Item = &Arc<str>> {
        self.frames.iter().flat_map(|frame| frame.keys())
    }
}

impl<'a> Checker<'a> {
    /// Collects the top-level names, errors and match kinds.
    pub(super) fn collect(&mut self) {
        for (number, declaration) in self.declarations.iter().enumerate() {
            match &declaration.kind {
                DeclarationKind::Error { members } => {
                    for member in members {
                        if !self.errors.contains(&member.text) {
                            self.errors.push(member.text.clone());
                        }
                    }
                }
                DeclarationKind::MatchKind { members } => {
                    self.match_kinds.extend(members.iter().map(|member| member.text.clone()));
                }
                kind => {
                    if let Some(name) = declared_name(kind) {
                        self.collect_name(number, name);
                    }
                }
            }
        }
    }

    fn collect_name(&mut self, number: usize, name: &'a Name) {
        let same = self.globals.entry(name.text.clone()).or_default();
        let first = same.first().copied();
        // A program's block may have the name of an architecture's block type.
        let is_type =
            |number: usize| matches!(self.declarations[number].kind, DeclarationKind::BlockType { .. });
        if first.is_some_and(is_type) && !is_type(number) {
            *same = vec![number];
            return;
        }
        same.push(number);
        let is_function = |number: usize| {
            matches!(
                self.declarations[number].kind,
                DeclarationKind::Function { .. } | DeclarationKind::ExternFunction { .. }
            )
        };
        if let Some(first) = first
            && !(is_function(first) && is_function(number))
        {
            let error = Diagnostic::error(name.span, format!("duplicate declaration of `{}`", name.text));
            let there = declared_name(&self.declarations[first].kind).map_or(name.span, |name| name.span);
            self.report(error.related(there, "first declared here"));
            if let Some(same) = self.globals.get_mut(&name.text) {
                same.pop();
            }
        }
    }

    /// Adds a name to the innermost block.
    pub(super) fn declare(&mut self, name: &Name, entity: Entity) {
        if let Some(first) = self.scopes.add(name.text.clone(), Some(name.span), entity) {
            let mut error = Diagnostic::error(name.span, format!("duplicate declaration of `{}`", name.text));
            if let Some(first) = first {
                error = error.related(first, "first declared here");
            }
            self.report(error);
        }
    }

    /// Looks up a name; reports an error if it is unknown.
    pub(super) fn lookup(&mut self, name: &'a Name, global: bool) -> Option<Entity> {
        match self.find(&name.text, global) {
            Some(Entity::Broken) => None,
            Some(entity) => {
                if global || self.scopes.find(&name.text).is_none() {
                    self.check_order(name);
                }
                Some(entity)
            }
            // Match kinds are in the top-level namespace (§7.1.3), behind all declarations.
            None if self.match_kinds.contains(&name.text) => {
                let index = self.match_kinds.iter().position(|kind| *kind == name.text)?;
                Some(Entity::Value(Value::new(Ty::MatchKind, Kind::Index(u32::try_from(index).ok()?))))
            }
            None => {
                let mut error = Diagnostic::error(name.span, format!("`{}` is not declared", name.text));
                let known = self.scopes.names().chain(self.globals.keys());
                if let Some(near) = nearest(&name.text, known.map(|name| &**name)) {
                    error = error.hint(format!("did you mean `{near}`?"));
                }
                self.fail(error)
            }
        }
    }

    /// Looks up a name.
    pub(super) fn find(&mut self, name: &Arc<str>, global: bool) -> Option<Entity> {
        if !global && let Some(entity) = self.scopes.find(name) {
            return Some(entity.clone());
        }
        if let Some(entity) = self.output.global_entities.get(name) {
            return Some(entity.clone());
        }
        let numbers = self.globals.get(name)?.clone();
        let entity = self.global(&numbers);
        self.output.global_entities.insert(name.clone(), entity.clone());
        Some(entity)
    }

    /// Entity of the top-level declarations of a name.
    fn global(&mut self, numbers: &[usize]) -> Entity {
        let Some(&number) = numbers.first() else { return Entity::Broken };
        let declarations = self.declarations;
        let declaration = &declarations[number];
        let evaluated = match &declaration.kind {
            DeclarationKind::Function { .. } | DeclarationKind::ExternFunction { .. } => {
                return Entity::Functions(Arc::from(numbers));
            }
            DeclarationKind::Constant { .. }
            | DeclarationKind::Instance { .. }
            | DeclarationKind::Action { .. } => number,
            _ => return Entity::Declared(number),
        };
        if !self.in_progress.insert(InProgress::Global(evaluated)) {
            self.error::<()>(declaration.span, "recursive definition: this declaration depends on itself");
            return Entity::Broken;
        }
        self.reached.insert(evaluated);
        let (entity, _) = self.in_new_scope(Context::top(), |checker| match &declaration.kind {
            DeclarationKind::Constant { ty, name, value } => checker.constant(ty, name, value),
            DeclarationKind::Instance { ty, arguments, name, .. } => {
                checker.instance(ty, arguments, name, &declaration.annotations, declaration.span)
            }
            DeclarationKind::Action { name, parameters, body } => {
                checker.action(name, parameters, body, &declaration.annotations, declaration.span)
            }
            _ => None,
        });
        self.in_progress.remove(&InProgress::Global(evaluated));
        entity.unwrap_or(Entity::Broken)
    }
}

/// Name that a declaration introduces.
pub(super) fn declared_name(kind: &DeclarationKind) -> Option<&Name> {
    match kind {
        DeclarationKind::Constant { name, .. }
        | DeclarationKind::Variable { name, .. }
        | DeclarationKind::Instance { name, .. }
        | DeclarationKind::Action { name, .. }
        | DeclarationKind::ExternObject { name, .. }
        | DeclarationKind::Composite { name, .. }
        | DeclarationKind::Enum { name, .. }
        | DeclarationKind::Alias { name, .. }
        | DeclarationKind::BlockType { name, .. }
        | DeclarationKind::Package { name, .. }
        | DeclarationKind::Table { name, .. }
        | DeclarationKind::ValueSet { name, .. } => Some(name),
        DeclarationKind::Function { signature, .. } | DeclarationKind::ExternFunction { signature } => {
            Some(&signature.name)
        }
        DeclarationKind::Parser(parser) => Some(&parser.name),
        DeclarationKind::Control(control) => Some(&control.name),
        DeclarationKind::Error { .. } | DeclarationKind::MatchKind { .. } => None,
    }
}

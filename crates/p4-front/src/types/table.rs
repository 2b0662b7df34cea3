//! Tables.

use std::rc::Rc;
use std::sync::Arc;

use num_traits::ToPrimitive;

use super::local::match_kind;
use super::print::text;
use super::scope::Entity;
use super::ty::Ty;
use super::value::{Kind, Object, Value};
use super::{Body, Checker, Context, written_name};
use crate::diagnostic::Diagnostic;
use crate::ir::{self, ActionProfileId, ActionValue, ExternId, Key, MatchKind, Table, TableAction};
use crate::source::Span;
use crate::syntax::ast::{Annotation, Entry, Expr, KeyElement, Name, Property, PropertyKind};

/// What `switch` and the entries need of a table.
#[derive(Debug)]
pub(super) struct TableInfo {
    pub actions: Vec<Listed>,
}

/// An action of a table's list.
#[derive(Debug, Clone)]
pub(super) struct Listed {
    /// The name as written in the list.
    pub written: Arc<str>,
    /// The action.
    pub action: usize,
    /// How many parameters the list gives arguments for.
    pub given: usize,
}

/// What a table is made of, as far as its properties have been read.
#[derive(Default)]
pub(super) struct Parts<'a> {
    pub keys: Vec<Key>,
    /// The types of the keys.
    pub key_tys: Vec<Ty>,
    pub listed: Vec<Listed>,
    pub actions: Vec<TableAction>,
    default: Option<(&'a Expr, bool)>,
    entries: Option<(&'a [Entry], bool)>,
    size: Option<u64>,
    profile: Option<ActionProfileId>,
    counter: Option<ExternId>,
    meter: Option<ExternId>,
    /// Whether the larger priority wins; true if nothing is said.
    pub smallest_wins: bool,
    pub priority_delta: Option<i64>,
}

impl<'a> Checker<'a> {
    pub(super) fn table(
        &mut self,
        name: &'a Name,
        properties: &'a [Property],
        annotations: &'a [Annotation],
        span: Span,
    ) -> Option<Entity> {
        if self.context.body != Body::Control {
            return self.error(span, "a table can be declared in a control only");
        }
        let full = self.full_name(name, annotations);
        let context = Context { body: Body::Table, ..self.context.clone() };
        let mut parts = Parts::default();
        let (sound, before) = self.inside(context, |checker| {
            let mut sound = true;
            // The keys are evaluated together, so that what one does is not seen by those in front of it.
            for property in properties {
                sound &= checker.property(property, &full, &mut parts).is_some();
            }
            sound
        });
        if !sound {
            return None;
        }
        let (default, default_is_const) = match parts.default {
            Some((e, is_const)) => (self.action_value(e, &mut parts)?, is_const),
            None => (self.no_action(&mut parts, name.span)?, false),
        };
        let (entries, entries_are_const) = match parts.entries {
            Some((entries, is_const)) => (self.entries(entries, &mut parts)?, is_const),
            None => (Vec::new(), false),
        };
        self.made.tables.push(Table {
            name: full,
            before,
            keys: parts.keys,
            actions: parts.actions,
            default,
            default_is_const,
            entries,
            entries_are_const,
            size: parts.size,
            profile: parts.profile,
            direct_counter: parts.counter,
            direct_meter: parts.meter,
            span: name.span,
        });
        self.made.table_infos.push(Rc::new(TableInfo { actions: parts.listed }));
        Some(Entity::Object(Object::Table(self.made.tables.len() - 1), Ty::Void))
    }

    fn property(&mut self, property: &'a Property, full: &Arc<str>, parts: &mut Parts<'a>) -> Option<()> {
        match &property.kind {
            PropertyKind::Key(elements) => self.keys(elements, property.span, parts),
            PropertyKind::Actions(actions) => {
                let mut sound = true;
                for action in actions {
                    sound &= self.listed_action(action, parts).is_some();
                }
                sound.then_some(())
            }
            PropertyKind::Entries(entries) => {
                parts.entries = Some((entries, property.is_const));
                Some(())
            }
            PropertyKind::Other { name, value } => self.other_property(property, name, value, full, parts),
        }
    }

    fn keys(&mut self, elements: &'a [KeyElement], span: Span, parts: &mut Parts<'a>) -> Option<()> {
        let values = self.in_order(elements, span, |checker, element| checker.operand(&element.expr));
        let mut sound = true;
        let mut kinds = Vec::with_capacity(elements.len());
        for element in elements {
            let kind = self.key_kind(&element.kind);
            sound &= kind.is_some();
            kinds.extend(kind);
        }
        let values = values?;
        if !sound {
            return None;
        }
        for ((element, value), kind) in elements.iter().zip(values).zip(kinds) {
            let span = element.expr.span;
            let base = self.types.base(&value.ty);
            if !matches!(base, Ty::Bit(_) | Ty::Int(_) | Ty::Bool | Ty::Error | Ty::Enum(_)) {
                let shown = self.types.show(&value.ty);
                return self.error(span, format!("a key of type {shown} cannot be looked up"));
            }
            if base.width().is_none() && matches!(kind, MatchKind::Lpm | MatchKind::Range) {
                let shown = self.types.show(&value.ty);
                return self.error(element.kind.span, format!("{shown} has no prefixes and ranges"));
            }
            let name = written_name(&element.annotations).unwrap_or_else(|| Arc::from(text(&element.expr)));
            let expr = self.lower(&value, span)?;
            parts.keys.push(Key { expr, kind, name });
            parts.key_tys.push(value.ty);
        }
        Some(())
    }

    fn key_kind(&mut self, name: &Name) -> Option<MatchKind> {
        if let Some(kind) = match_kind(&name.text) {
            return Some(kind);
        }
        if self.match_kinds.contains(&name.text) {
            return self.error(name.span, format!("the match kind `{}` is not implemented", name.text));
        }
        let mut error = Diagnostic::error(name.span, format!("there is no match kind `{}`", name.text));
        let known = self.match_kinds.iter().map(|kind| &**kind);
        if let Some(near) = super::constant::nearest(&name.text, known) {
            error = error.hint(format!("did you mean `{near}`?"));
        }
        self.fail(error)
    }

    fn other_property(
        &mut self,
        property: &'a Property,
        name: &'a Name,
        value: &'a Expr,
        full: &Arc<str>,
        parts: &mut Parts<'a>,
    ) -> Option<()> {
        match &*name.text {
            "default_action" => parts.default = Some((value, property.is_const)),
            "size" => {
                let size = self.integer(value, "the size of a table")?;
                let Some(size) = size.to_u64() else {
                    return self.error(value.span, "the size of a table must be from 0 to 2^64 - 1");
                };
                parts.size = Some(size);
            }
            "largest_priority_wins" => {
                let given = self.operand(value)?;
                let Kind::Bool(largest) = given.kind else {
                    return self.error(value.span, "this must be a bool that is known at compile time");
                };
                parts.smallest_wins = !largest;
            }
            "priority_delta" => {
                let delta = self.integer(value, "the step of priorities")?;
                match delta.to_i64().filter(|delta| (1..=i64::from(u32::MAX)).contains(delta)) {
                    Some(delta) => parts.priority_delta = Some(delta),
                    None => return self.error(value.span, "the step of priorities must be positive"),
                }
            }
            "implementation" | "psa_implementation" => {
                if let Object::Profile(profile) = self.table_object(value, property, full)? {
                    parts.profile = Some(profile);
                } else {
                    return self.error(value.span, "an action profile or action selector is expected");
                }
            }
            "counters" => match self.table_object(value, property, full)? {
                Object::DirectCounter(counter) => parts.counter = Some(counter),
                Object::Opaque => {}
                _ => return self.error(value.span, "a direct counter is expected"),
            },
            "meters" => match self.table_object(value, property, full)? {
                Object::DirectMeter(meter) => parts.meter = Some(meter),
                Object::Opaque => {}
                _ => return self.error(value.span, "a direct meter is expected"),
            },
            "support_timeout"
            | "psa_direct_counter"
            | "psa_direct_meter"
            | "psa_idle_timeout"
            | "idle_timeout"
            | "requires_versioning" => {}
            _ => self
                .warn(name.span, format!("the table property `{}` is not known: it does nothing", name.text)),
        }
        Some(())
    }

    /// The object that a property names or constructs; one that is constructed has the name of `@name`, or the table's.
    fn table_object(&mut self, e: &'a Expr, property: &'a Property, full: &Arc<str>) -> Option<Object> {
        let (externs, profiles) = (self.made.externs.len(), self.made.profiles.len());
        let value = self.expr(e)?;
        let name = match written_name(&property.annotations) {
            Some(name) => self.below(&name),
            None => full.clone(),
        };
        if let Some(made) = self.made.externs.get_mut(externs) {
            made.name = name.clone();
        }
        if let Some(made) = self.made.profiles.get_mut(profiles) {
            made.name = name;
        }
        match value {
            Value { kind: Kind::Object(object), .. } => Some(object),
            _ => self.error(e.span, "this is not an object"),
        }
    }

    /// The default of a table that gives none (§14.2.1.3).
    fn no_action(&mut self, parts: &mut Parts<'a>, span: Span) -> Option<ActionValue> {
        let name: Arc<str> = Arc::from("NoAction");
        let Some(Entity::Action(action)) = self.find(&name, true) else {
            return self.error(span, "the table has no default action, and `NoAction` is not declared");
        };
        let index = self.add_listed(name, action, parts);
        Some(ActionValue { action: index, data: Vec::new() })
    }

    /// The index of an action without arguments in the table's list; it is added if it is not there.
    pub(super) fn add_listed(&mut self, written: Arc<str>, action: usize, parts: &mut Parts<'a>) -> u32 {
        if let Some(index) = parts.listed.iter().position(|listed| listed.action == action) {
            return u32::try_from(index).unwrap_or(u32::MAX);
        }
        let info = self.made.actions[action].clone();
        parts.listed.push(Listed { written, action, given: 0 });
        parts.actions.push(TableAction {
            function: info.id,
            name: info.name.clone(),
            data: Vec::new(),
            before: ir::Block::new(),
            after: ir::Block::new(),
            default_only: true,
            table_only: false,
        });
        u32::try_from(parts.actions.len() - 1).unwrap_or(u32::MAX)
    }
}

//! Tables.

use std::rc::Rc;
use std::sync::Arc;

use num_traits::ToPrimitive;

use super::local::match_kind;
use super::print::text;
use super::scope::Entity;
use super::ty::Ty;
use super::value::{Kind, Object, Value};
use super::{Body, Checker, Context, notes, written_name};
use crate::diagnostic::Diagnostic;
use crate::ir::{self, ActionProfileId, ActionValue, ExternId, Key, MatchKind, Table, TableAction};
use crate::source::Span;
use crate::syntax::ast::{Annotation, Entry, Expr, KeyElement, Name, Property, PropertyKind};

/// Information about a table for `switch` and the entries.
#[derive(Debug)]
pub(super) struct TableInfo {
    pub actions: Vec<Listed>,
}

/// An action in a table's list.
#[derive(Debug, Clone)]
pub(super) struct Listed {
    /// Name as written in the list.
    pub written: Arc<str>,
    /// Index of the action.
    pub action: usize,
    /// Number of parameters whose arguments the list supplies.
    pub given: usize,
}

/// Parts of a table, collected from its properties.
#[derive(Default)]
pub(super) struct Parts<'a> {
    pub keys: Vec<Key>,
    /// Types of the keys.
    pub key_tys: Vec<Ty>,
    key_notes: Vec<ir::ValueNotes>,
    supports_timeout: bool,
    pub listed: Vec<Listed>,
    pub actions: Vec<TableAction>,
    default: Option<(&'a Expr, bool)>,
    entries: Option<(&'a [Entry], bool)>,
    size: Option<u64>,
    profile: Option<ActionProfileId>,
    counter: Option<ExternId>,
    meter: Option<ExternId>,
    direct_in_actions: bool,
    /// Whether the smallest priority wins (`largest_priority_wins = false`).
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
            return self.error(span, "tables are allowed only in controls");
        }
        let full = self.full_name(name, annotations);
        let context = Context { body: Body::Table, ..self.context.clone() };
        let mut parts = Parts::default();
        let (sound, before) = self.in_context(context, |checker| {
            let mut sound = true;
            // All keys are evaluated together, so that side effects of one do not change the keys before it.
            for property in properties {
                sound &= checker.property(property, &full, &mut parts).is_some();
            }
            sound
        });
        if !sound {
            return None;
        }
        if self.is_psa() {
            let selects = parts.keys.iter().any(|key| key.kind == MatchKind::Selector);
            self.psa_implementation(parts.profile, selects, parts.default.map(|(e, _)| e), name)?;
        }
        let (default, default_is_const) = match parts.default {
            Some((e, is_const)) => (self.action_value(e, &mut parts)?, is_const),
            None => (self.no_action(&mut parts, name.span)?, false),
        };
        let (entries, entries_are_const) = match parts.entries {
            Some((entries, is_const)) => (self.entries(entries, &mut parts)?, is_const),
            None => (Vec::new(), false),
        };
        self.output.tables.push(Table {
            name: full,
            before,
            keys: parts.keys,
            actions: parts.actions,
            default,
            default_is_const,
            entries,
            entries_are_const,
            size: Some(parts.size.filter(|size| *size > 0).unwrap_or(ir::DEFAULT_TABLE_SIZE)),
            profile: parts.profile,
            direct_counter: parts.counter,
            direct_meter: parts.meter,
            direct_in_actions: parts.direct_in_actions,
            span: name.span,
        });
        self.output.control_plane.tables.push(ir::TableNotes {
            annotations: notes::converted(annotations),
            keys: parts.key_notes,
            supports_timeout: parts.supports_timeout,
        });
        self.output.table_infos.push(Rc::new(TableInfo { actions: parts.listed }));
        Some(Entity::Object(Object::Table(self.output.tables.len() - 1), Ty::Void))
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
        // A key may apply another table: `t.apply().hit`.
        let body = std::mem::replace(&mut self.context.body, Body::Control);
        let values = self.in_order(elements, span, |checker, element| checker.operand(&element.expr));
        self.context.body = body;
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
                return self.error(span, format!("a table key must be a scalar, found `{shown}`"));
            }
            if base.width().is_none() && matches!(kind, MatchKind::Lpm | MatchKind::Range) {
                let shown = self.types.show(&value.ty);
                return self.error(
                    element.kind.span,
                    format!("the type `{shown}` does not support lpm and range keys"),
                );
            }
            let name = written_name(&element.annotations).unwrap_or_else(|| Arc::from(text(&element.expr)));
            let expr = self.lower(&value, span)?;
            parts.key_notes.push(self.value_notes(name.clone(), &value.ty, &element.annotations));
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
            return self.error(name.span, format!("unsupported match kind `{}`", name.text));
        }
        let mut error = Diagnostic::error(name.span, format!("unknown match kind `{}`", name.text));
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
                let size = self.integer(value, "size of a table")?;
                let Some(size) = size.to_u64() else {
                    return self.error(value.span, "size of a table must be from 0 to 2^64 - 1");
                };
                parts.size = Some(size);
            }
            "largest_priority_wins" => {
                let given = self.operand(value)?;
                let Kind::Bool(largest) = given.kind else {
                    return self.error(value.span, "expected a compile-time `bool`");
                };
                parts.smallest_wins = !largest;
            }
            "priority_delta" => {
                let delta = self.integer(value, "priority_delta")?;
                match delta.to_i64().filter(|delta| (1..=i64::from(u32::MAX)).contains(delta)) {
                    Some(delta) => parts.priority_delta = Some(delta),
                    None => return self.error(value.span, "priority_delta must be > 0"),
                }
            }
            "implementation" | "psa_implementation" => {
                if let Object::Profile(profile) = self.table_object(value, property, full)? {
                    parts.profile = Some(profile);
                } else {
                    return self.error(value.span, "expected an action profile or action selector");
                }
            }
            "counters" => match self.table_object(value, property, full)? {
                Object::DirectCounter(counter) => parts.counter = Some(counter),
                Object::Opaque => {}
                _ => return self.error(value.span, "expected a direct counter"),
            },
            "meters" => match self.table_object(value, property, full)? {
                Object::DirectMeter(meter) => parts.meter = Some(meter),
                Object::Opaque => {}
                _ => return self.error(value.span, "expected a direct meter"),
            },
            "support_timeout" => {
                let given = self.operand(value)?;
                let Kind::Bool(supported) = given.kind else {
                    return self.error(value.span, "expected a compile-time `bool`");
                };
                parts.supports_timeout = supported;
            }
            "psa_direct_counter" => {
                let object = self.table_object(value, property, full)?;
                parts.counter = self.direct_object(object, "DirectCounter", value.span)?;
                parts.direct_in_actions = true;
            }
            "psa_direct_meter" => {
                let object = self.table_object(value, property, full)?;
                parts.meter = self.direct_object(object, "DirectMeter", value.span)?;
                parts.direct_in_actions = true;
            }
            "psa_idle_timeout" => parts.supports_timeout = self.idle_timeout(value)?,
            "psa_empty_group_action" => self.empty_group_action(value)?,
            "idle_timeout" | "requires_versioning" => {}
            _ => self.warn(name.span, format!("unknown table property `{}` is ignored", name.text)),
        }
        Some(())
    }

    /// The object that a property names or constructs. A constructed object gets the name of `@name`, or of the table.
    fn table_object(&mut self, e: &'a Expr, property: &'a Property, full: &Arc<str>) -> Option<Object> {
        let (externs, profiles) = (self.output.externs.len(), self.output.profiles.len());
        let value = self.expr(e)?;
        let name = match written_name(&property.annotations) {
            Some(name) => self.below(&name),
            None => full.clone(),
        };
        if let Some(made) = self.output.externs.get_mut(externs) {
            made.name = name.clone();
        }
        if let Some(made) = self.output.profiles.get_mut(profiles) {
            made.name = name;
        }
        match value {
            Value { kind: Kind::Object(object), .. } => {
                if self.output.externs.len() > externs || self.output.profiles.len() > profiles {
                    self.note_object(&object, &property.annotations);
                }
                Some(object)
            }
            _ => self.error(e.span, "expected an object"),
        }
    }

    /// Default action of a table without one (§14.2.1.3).
    fn no_action(&mut self, parts: &mut Parts<'a>, span: Span) -> Option<ActionValue> {
        let name: Arc<str> = Arc::from("NoAction");
        let Some(Entity::Action(action)) = self.find(&name, true) else {
            return self.error(span, "missing default action: `NoAction` is not declared");
        };
        let index = self.add_listed(name, action, parts);
        Some(ActionValue { action: index, data: Vec::new() })
    }

    /// Index of an action without arguments in the table's list; it is added if absent.
    pub(super) fn add_listed(&mut self, written: Arc<str>, action: usize, parts: &mut Parts<'a>) -> u32 {
        if let Some(index) = parts.listed.iter().position(|listed| listed.action == action) {
            return u32::try_from(index).unwrap_or(u32::MAX);
        }
        let info = self.output.actions[action].clone();
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

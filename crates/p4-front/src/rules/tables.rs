//! Tables: one list of actions with different names, and each property once (§14.2).

use std::sync::Arc;

use super::{duplicate, keys, priorities};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::{ActionRef, ExprKind, Name, Property, PropertyKind};

pub(super) fn check(name: &Name, properties: &[Property], found: &mut Vec<Diagnostic>) {
    let mut seen: Vec<(Arc<str>, Span)> = Vec::new();
    for property in properties {
        let written: Arc<str> = match &property.kind {
            PropertyKind::Key(_) => Arc::from("key"),
            PropertyKind::Actions(_) => Arc::from("actions"),
            PropertyKind::Entries(_) => Arc::from("entries"),
            PropertyKind::Other { name, .. } => name.text.clone(),
        };
        match seen.iter().find(|(other, _)| *other == written) {
            Some((_, first)) => {
                let error = Diagnostic::error(property.span, format!("duplicate table property `{written}`"));
                found.push(error.label("given again").related(*first, "first given here"));
            }
            None => seen.push((written, property.span)),
        }
        match &property.kind {
            PropertyKind::Actions(actions) => action_names(actions, found),
            PropertyKind::Key(elements) => keys::check(elements, found),
            PropertyKind::Entries(entries) => priorities::check(entries, property, properties, found),
            PropertyKind::Other { .. } => {}
        }
    }
    if !seen.iter().any(|(written, _)| &**written == "actions") {
        let error = Diagnostic::error(name.span, format!("missing `actions` in the table `{}`", name.text));
        found.push(error.hint("list what entries may do: `actions = { a; NoAction; }`"));
    }
}

/// Reports two actions of one name: `a` and `.a`, which only differ in where they are declared. The same action twice is
/// reported where it is resolved.
fn action_names(actions: &[ActionRef], found: &mut Vec<Diagnostic>) {
    let mut seen: Vec<(&Name, bool)> = Vec::new();
    for action in actions {
        let ExprKind::Name { name, global } = &action.name.kind else { continue };
        match seen.iter().find(|(other, _)| other.text == name.text) {
            Some((first, other)) if other != global => {
                let error = duplicate("action name", name, first.span);
                found.push(error.hint("the actions of a table have different names: rename one of them"));
            }
            Some(_) => {}
            None => seen.push((name, *global)),
        }
    }
}

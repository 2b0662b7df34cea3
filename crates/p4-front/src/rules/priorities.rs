//! Priorities of a table's entries (§14.2.1.4): negative ones are errors, and those of `const entries`, which the specification
//! leaves open and p4c refuses; equal ones, and an order of the entries that differs from that of the priorities, give
//! warnings, which `@noWarn` turns off.

use num_bigint::{BigInt, Sign};

use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::{AnnotationBody, Entry, Expr, ExprKind, Property, PropertyKind, UnaryOp};

pub(super) fn check(entries: &[Entry], own: &Property, properties: &[Property], found: &mut Vec<Diagnostic>) {
    if own.is_const
        && let Some(priority) = entries.iter().find_map(|entry| entry.priority.as_ref())
    {
        let error = Diagnostic::error(priority.span, "entries of `const entries` have no priority");
        found.push(error.hint("their order decides; write `entries` without `const` for priorities"));
        return;
    }
    let mut written: Vec<(BigInt, Span)> = Vec::new();
    for entry in entries {
        let Some(priority) = &entry.priority else { continue };
        // A computed priority is evaluated, and its sign checked, with the table.
        let Some(value) = literal(priority) else { return };
        if value.sign() == Sign::Minus {
            let error =
                Diagnostic::error(priority.span, format!("a priority must be at least 0, got {value}"));
            found.push(error);
            return;
        }
        written.push((value, entry.span));
    }
    // Priorities that follow from those before them are compared at run time only.
    if written.len() != entries.len() {
        return;
    }
    if !silenced(own, "duplicate_priorities") {
        for (index, (value, span)) in written.iter().enumerate() {
            if let Some((_, first)) = written[..index].iter().find(|(other, _)| other == value) {
                let warning = Diagnostic::warning(*span, format!("two entries have the priority {value}"));
                let warning = warning.related(*first, "the other entry");
                found.push(warning.hint(
                    "if both match, which one wins is not specified; @noWarn(\"duplicate_priorities\") accepts it",
                ));
            }
        }
    }
    if !silenced(own, "entries_out_of_priority_order") {
        let smallest = smallest_wins(properties);
        for pair in written.windows(2) {
            let [(first, before), (second, after)] = pair else { continue };
            if if smallest { first > second } else { first < second } {
                let text = "this entry has precedence over the one before it";
                let warning = Diagnostic::warning(*after, text).related(*before, "the entry before");
                found.push(warning.hint(
                    "order the entries by priority, or write @noWarn(\"entries_out_of_priority_order\")",
                ));
            }
        }
    }
}

fn literal(e: &Expr) -> Option<BigInt> {
    match &e.kind {
        ExprKind::Integer { value, .. } => Some(value.clone()),
        ExprKind::Unary { operator: UnaryOp::Minus, of } => literal(of).map(|value| -value),
        _ => None,
    }
}

fn smallest_wins(properties: &[Property]) -> bool {
    properties.iter().any(|property| match &property.kind {
        PropertyKind::Other { name, value } => {
            &*name.text == "largest_priority_wins" && matches!(value.kind, ExprKind::Bool(false))
        }
        _ => false,
    })
}

/// Whether `@noWarn("warning")` is on the property.
fn silenced(property: &Property, warning: &str) -> bool {
    property.annotations.iter().any(|annotation| {
        &*annotation.name.text == "noWarn"
            && match &annotation.body {
                AnnotationBody::Expressions(items) => items
                    .iter()
                    .any(|item| matches!(&item.kind, ExprKind::String(text) if &**text == warning)),
                _ => false,
            }
    })
}

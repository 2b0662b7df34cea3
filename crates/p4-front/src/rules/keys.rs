//! Names of table keys for the control plane (§18.3.1): an expression that has none needs `@name`.

use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{AnnotationBody, BinaryOp, Expr, ExprKind, KeyElement};

pub(super) fn check(elements: &[KeyElement], found: &mut Vec<Diagnostic>) {
    for element in elements {
        // The inputs of a selector's hash are not part of an entry.
        if &*element.kind.text == "selector" || has_name(&element.expr) {
            continue;
        }
        let named = element.annotations.iter().any(|annotation| {
            &*annotation.name.text == "name" && !matches!(annotation.body, AnnotationBody::Empty)
        });
        if !named {
            let error = Diagnostic::error(element.expr.span, "this key has no name for the control plane");
            found.push(
                error
                    .label("not a field, an element, a slice, a mask, a constant or `isValid()`")
                    .hint("name it: `… : exact @name(\"key\");`"),
            );
        }
    }
}

/// Whether the specification suggests a name for the expression.
fn has_name(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Name { .. } | ExprKind::Integer { .. } | ExprKind::Bool(_) | ExprKind::Type(_) => true,
        ExprKind::Member { of, .. } => has_name(of),
        ExprKind::Index { of, index } => has_name(of) && has_name(index),
        ExprKind::Slice { of, .. } => has_name(of),
        ExprKind::Binary { operator: BinaryOp::BitAnd, left, right } => has_name(left) && has_name(right),
        ExprKind::Call { callee, arguments, .. } if arguments.is_empty() => match &callee.kind {
            ExprKind::Member { of, name } => {
                (&*name.text == "isValid" && has_name(of)) || (&*name.text == "apply" && has_name(of))
            }
            _ => false,
        },
        _ => false,
    }
}

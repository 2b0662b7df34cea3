//! Source form of expressions, for the names of keys without `@name`, and texts for messages.

use crate::syntax::ast::{Argument, Expr, ExprKind, TypeRefKind, UnaryOp};

/// Source form of an expression.
pub(super) fn text(e: &Expr) -> String {
    let mut out = String::new();
    write(e, &mut out, 0);
    out
}

fn write(e: &Expr, out: &mut String, depth: u32) {
    if depth > super::MAX_DEPTH {
        out.push('…');
        return;
    }
    let next = depth + 1;
    match &e.kind {
        ExprKind::Integer { value, width, signed } => {
            if let Some(width) = width {
                out.push_str(&format!("{width}{}", if *signed { "s" } else { "w" }));
            }
            out.push_str(&value.to_string());
        }
        ExprKind::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        ExprKind::String(text) => out.push_str(&format!("\"{text}\"")),
        ExprKind::Name { name, global } => {
            if *global {
                out.push('.');
            }
            out.push_str(&name.text);
        }
        ExprKind::Member { of, name } => {
            write(of, out, next);
            out.push('.');
            out.push_str(&name.text);
        }
        ExprKind::This => out.push_str("this"),
        ExprKind::Index { of, index } => {
            write(of, out, next);
            out.push('[');
            write(index, out, next);
            out.push(']');
        }
        ExprKind::Slice { of, high, low } => {
            write(of, out, next);
            out.push('[');
            write(high, out, next);
            out.push(':');
            write(low, out, next);
            out.push(']');
        }
        ExprKind::PlusSlice { of, low, width } => {
            write(of, out, next);
            out.push('[');
            write(low, out, next);
            out.push_str("+:");
            write(width, out, next);
            out.push(']');
        }
        ExprKind::Unary { operator, of } => {
            out.push(match operator {
                UnaryOp::Not => '!',
                UnaryOp::Complement => '~',
                UnaryOp::Minus => '-',
                UnaryOp::Plus => '+',
            });
            write(of, out, next);
        }
        ExprKind::Binary { operator, left, right } => {
            write(left, out, next);
            out.push_str(&format!(" {} ", operator.symbol()));
            write(right, out, next);
        }
        ExprKind::Conditional { condition, then, otherwise } => {
            write(condition, out, next);
            out.push_str(" ? ");
            write(then, out, next);
            out.push_str(" : ");
            write(otherwise, out, next);
        }
        ExprKind::Cast { of, .. } => write(of, out, next),
        ExprKind::Call { callee, arguments, .. } => {
            write(callee, out, next);
            out.push('(');
            write_arguments(arguments, out, next);
            out.push(')');
        }
        ExprKind::Type(written) => match &written.kind {
            TypeRefKind::Named { name, .. } | TypeRefKind::Specialized { name, .. } => {
                out.push_str(&name.text);
            }
            TypeRefKind::Error => out.push_str("error"),
            _ => out.push_str("type"),
        },
        _ => out.push('…'),
    }
}

fn write_arguments(arguments: &[Argument], out: &mut String, depth: u32) {
    for (index, argument) in arguments.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        write(&argument.value, out, depth);
    }
}

/// A number of items for a message: `1 argument`, `2 arguments`.
pub(super) fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

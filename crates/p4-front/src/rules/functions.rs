//! Functions return a value on every path (§10) and do not `exit` (§12.5).

use super::walk::statements;
use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{Block, ExprKind, Signature, Stmt, StmtKind, TypeRefKind};

pub(super) fn check(signature: &Signature, body: &Block, found: &mut Vec<Diagnostic>) {
    if !matches!(signature.result.kind, TypeRefKind::Void) && !returns(body) {
        let message = format!("the function `{}` must return a value on every path", signature.name.text);
        let error = Diagnostic::error(signature.name.span, message).label("some paths have no `return`");
        let end = crate::source::Span { start: body.span.end.saturating_sub(1), ..body.span };
        found.push(error.related(end, "this end can be reached").hint("add `return …;` at the end"));
    }
    statements(&body.statements, &mut |statement| {
        if let Stmt { kind: StmtKind::Exit, span, .. } = statement {
            let error = Diagnostic::error(*span, "`exit` is not allowed in a function");
            found.push(error.hint("return a value and let the caller `exit`"));
        }
    });
}

/// Whether every path through a block ends in `return`. `exit`, reported above, ends it too.
fn returns(block: &Block) -> bool {
    block.statements.iter().any(ends)
}

fn ends(statement: &Stmt) -> bool {
    match &statement.kind {
        StmtKind::Return(_) | StmtKind::Exit => true,
        StmtKind::Block(block) => returns(block),
        StmtKind::If { then, otherwise: Some(otherwise), .. } => ends(then) && ends(otherwise),
        StmtKind::Switch { cases, .. } => {
            let all =
                cases.iter().any(|case| matches!(case.label.kind, ExprKind::Default | ExprKind::DontCare));
            // The last label needs a body of its own: it has no next case to share one with.
            let closed = cases.last().is_some_and(|case| case.body.is_some());
            all && closed && cases.iter().all(|case| case.body.as_ref().is_none_or(returns))
        }
        _ => false,
    }
}

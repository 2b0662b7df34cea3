//! Warnings about clone sessions that are used but not configured.

use num_bigint::BigUint;

use super::Command;
use jettison_p4_front::diagnostic::Diagnostic;
use jettison_p4_front::ir::{Block, Expr, ExprKind, Extern, Program, Stmt, StmtKind};
use jettison_p4_front::source::Span;

/// Returns one warning for each clone session that the program uses with a constant number and that no command
/// configures. Such a clone is never made. The position is that of the session's first clone.
pub fn unconfigured_sessions<'a>(
    program: &Program,
    commands: impl IntoIterator<Item = &'a Command>,
) -> Vec<Diagnostic> {
    let mut known: Vec<BigUint> = commands
        .into_iter()
        .filter_map(|command| match command {
            Command::MirroringAdd { session, .. } => Some(BigUint::from(*session)),
            _ => None,
        })
        .collect();
    let mut warnings = Vec::new();
    let mut look = |session: &BigUint, span: Span| {
        if known.contains(session) {
            return;
        }
        known.push(session.clone());
        let message = format!("clone session {session} is not configured, so this clone is never made");
        let hint = format!("configure it with `mirroring_add {session} PORT`");
        warnings.push(Diagnostic::warning(span, message).hint(hint));
    };
    for function in &program.functions {
        visit(&function.body, &mut look);
    }
    for action in program.tables.iter().flat_map(|table| &table.actions) {
        visit(&action.before, &mut look);
    }
    warnings
}

fn visit(block: &Block, look: &mut impl FnMut(&BigUint, Span)) {
    for Stmt { kind, span } in block {
        match kind {
            StmtKind::Extern(call) => {
                if let Extern::Clone { session, .. } = &**call
                    && let Some(session) = constant(session)
                {
                    look(session, *span);
                }
            }
            StmtKind::If { then, otherwise, .. } => {
                visit(then, look);
                visit(otherwise, look);
            }
            StmtKind::Switch { cases, default, .. } => {
                cases.iter().for_each(|case| visit(&case.body, look));
                visit(default, look);
            }
            StmtKind::Loop { before, body, update, .. } => {
                [before, body, update].into_iter().for_each(|block| visit(block, look));
            }
            _ => {}
        }
    }
}

/// Value of a constant expression. Casts to fewer bits need no handling, because sessions have 32 bits.
fn constant(expr: &Expr) -> Option<&BigUint> {
    match &expr.kind {
        ExprKind::Constant(value) => Some(value),
        ExprKind::Cast(inner) => constant(inner),
        _ => None,
    }
}

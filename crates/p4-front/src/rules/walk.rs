//! Walk over statements. The syntax parser bounds their nesting.

use crate::syntax::ast::{Stmt, StmtKind};

/// Visits statements and those inside them, in order.
pub(super) fn statements<'a>(all: &'a [Stmt], visit: &mut dyn FnMut(&'a Stmt)) {
    all.iter().for_each(|statement| one(statement, visit));
}

fn one<'a>(statement: &'a Stmt, visit: &mut dyn FnMut(&'a Stmt)) {
    visit(statement);
    match &statement.kind {
        StmtKind::If { then, otherwise, .. } => {
            one(then, visit);
            if let Some(otherwise) = otherwise {
                one(otherwise, visit);
            }
        }
        StmtKind::Block(block) => statements(&block.statements, visit),
        StmtKind::Switch { cases, .. } => {
            let bodies = cases.iter().filter_map(|case| case.body.as_ref());
            bodies.for_each(|body| statements(&body.statements, visit));
        }
        StmtKind::For { init, update, body, .. } => {
            statements(init, visit);
            statements(update, visit);
            one(body, visit);
        }
        StmtKind::ForIn { body, .. } => one(body, visit),
        _ => {}
    }
}

//! Hash calculations of a program, with the names that p4c gives them.

use jettison_p4_front::ir::{Block, Extern, HashAlgorithm, Program, StmtKind};

/// Name and algorithm of each call of `hash`, in the program's order: `calc`, `calc_0`, `calc_1`, …
pub(crate) fn calculations(program: &Program) -> Vec<(String, HashAlgorithm)> {
    let mut found = Vec::new();
    let mut look = |call: &Extern| {
        if let Extern::Hash { algorithm, .. } = call {
            let name = match found.len() {
                0 => "calc".to_owned(),
                count => format!("calc_{}", count - 1),
            };
            found.push((name, *algorithm));
        }
    };
    program.functions.iter().for_each(|function| visit(&function.body, &mut look));
    found
}

fn visit(block: &Block, look: &mut impl FnMut(&Extern)) {
    for statement in block {
        match &statement.kind {
            StmtKind::Extern(call) => look(call),
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

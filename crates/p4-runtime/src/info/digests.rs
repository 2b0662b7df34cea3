//! The digests of a program: one per type of data.

use jettison_p4_front::ir::{Block, Extern, Program, Stmt, StmtKind, TypeId};

/// Types of data that the program sends with `digest`, with the digest's name: the type's, or `digest_N` for a tuple.
pub fn digest_types(program: &Program) -> Vec<(TypeId, String)> {
    let mut types = Vec::new();
    for function in &program.functions {
        visit(&function.body, &mut types);
    }
    let named = types.iter().enumerate().map(|(at, ty)| {
        let name = program.types.as_composite(*ty).map(|composite| composite.name.to_string());
        (*ty, name.filter(|name| !name.is_empty()).unwrap_or_else(|| format!("digest_{at}")))
    });
    named.collect()
}

fn visit(block: &Block, types: &mut Vec<TypeId>) {
    for Stmt { kind, .. } in block {
        match kind {
            StmtKind::Extern(call) => {
                if let Extern::Digest { ty, .. } = &**call
                    && !types.contains(ty)
                {
                    types.push(*ty);
                }
            }
            StmtKind::If { then, otherwise, .. } => {
                visit(then, types);
                visit(otherwise, types);
            }
            StmtKind::Switch { cases, default, .. } => {
                cases.iter().for_each(|case| visit(&case.body, types));
                visit(default, types);
            }
            StmtKind::Loop { before, body, update, .. } => {
                [before, body, update].into_iter().for_each(|block| visit(block, types));
            }
            _ => {}
        }
    }
}

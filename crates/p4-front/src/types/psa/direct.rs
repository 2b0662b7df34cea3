//! Direct counters and meters: only actions of their table use them (PSA 1.2, "Direct Counter", "Meters").

use std::collections::BTreeSet;

use crate::diagnostic::Diagnostic;
use crate::ir::{Block, Extern, ExternId, FunctionId, FunctionKind, Program, PsaExtern, Stmt, StmtKind};
use crate::source::Span;

/// What a function does with direct objects itself, and the functions and actions that it calls.
#[derive(Default)]
struct Uses {
    objects: Vec<(ExternId, Span)>,
    calls: Vec<FunctionId>,
}

/// Reports uses of direct objects outside of the actions of the one table that they belong to.
pub(in crate::types) fn direct_objects(program: &Program, diagnostics: &mut Vec<Diagnostic>) {
    let uses: Vec<Uses> = program
        .functions
        .iter()
        .map(|function| {
            let mut uses = Uses::default();
            visit(&function.body, &mut uses);
            uses
        })
        .collect();
    if uses.iter().all(|uses| uses.objects.is_empty()) {
        return shared(program, diagnostics);
    }
    let mut known = Vec::new();
    let mut report = |(id, span): (ExternId, Span)| {
        if known.contains(&span) {
            return;
        }
        known.push(span);
        let name = &program.externs[id.index()].name;
        let error = Diagnostic::error(span, format!("`{name}` is used outside of the actions of its table"));
        diagnostics.push(error.hint("a table has it as `psa_direct_counter` or `psa_direct_meter`"));
    };
    for table in &program.tables {
        let own = [table.direct_counter, table.direct_meter];
        let actions = table.actions.iter().map(|action| action.function);
        let used = reached(actions, &uses, |_| true);
        used.into_iter().filter(|(id, _)| !own.contains(&Some(*id))).for_each(&mut report);
    }
    // Called directly, an action is of no table.
    let controls = (0u32..).map(FunctionId).zip(&program.functions);
    let controls = controls.filter(|(_, function)| function.kind == FunctionKind::Control).map(|(id, _)| id);
    let is_control = |id: FunctionId| program.functions[id.index()].kind == FunctionKind::Control;
    reached(controls, &uses, |id| !is_control(id)).into_iter().for_each(&mut report);
    shared(program, diagnostics);
}

/// Uses in functions and in what they call, as far as calls are to be followed.
fn reached(
    from: impl IntoIterator<Item = FunctionId>,
    uses: &[Uses],
    follow: impl Fn(FunctionId) -> bool,
) -> Vec<(ExternId, Span)> {
    let mut left: Vec<FunctionId> = from.into_iter().collect();
    let mut seen: BTreeSet<FunctionId> = left.iter().copied().collect();
    let mut found = Vec::new();
    while let Some(function) = left.pop() {
        let own = &uses[function.index()];
        found.extend(own.objects.iter().copied());
        left.extend(own.calls.iter().copied().filter(|id| follow(*id) && seen.insert(*id)));
    }
    found
}

/// Reports an object that two tables have.
fn shared(program: &Program, diagnostics: &mut Vec<Diagnostic>) {
    let mut seen: Vec<(ExternId, Span)> = Vec::new();
    for table in program.tables.iter().filter(|table| table.direct_in_actions) {
        for id in [table.direct_counter, table.direct_meter].into_iter().flatten() {
            if let Some((_, first)) = seen.iter().find(|(other, _)| *other == id) {
                let name = &program.externs[id.index()].name;
                let message = format!("`{name}` belongs to two tables");
                let error = Diagnostic::error(table.span, message);
                diagnostics.push(error.related(*first, "it belongs to this table"));
            }
            seen.push((id, table.span));
        }
    }
}

/// Collects what a block does itself.
fn visit(block: &Block, uses: &mut Uses) {
    for Stmt { kind, span } in block {
        match kind {
            StmtKind::Extern(call) => match &**call {
                Extern::Psa(PsaExtern::CountDirect { counter }) => uses.objects.push((*counter, *span)),
                Extern::Psa(PsaExtern::Mark { meter, index: None, .. }) => uses.objects.push((*meter, *span)),
                _ => {}
            },
            StmtKind::If { then, otherwise, .. } => {
                visit(then, uses);
                visit(otherwise, uses);
            }
            StmtKind::Switch { cases, default, .. } => {
                cases.iter().for_each(|case| visit(&case.body, uses));
                visit(default, uses);
            }
            StmtKind::Loop { before, body, update, .. } => {
                [before, body, update].into_iter().for_each(|block| visit(block, uses));
            }
            StmtKind::Call { function, .. } => uses.calls.push(*function),
            _ => {}
        }
    }
}

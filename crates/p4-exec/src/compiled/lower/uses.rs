//! Call analysis before the lowering.

use jettison_p4_front::ir::{Block, FunctionId, Program, Stmt, StmtKind, Transition};

/// Facts about functions and parsers of a whole program.
pub(super) struct Uses {
    /// Number of call sites of each function.
    calls: Vec<u32>,
    may_exit: Vec<bool>,
    /// Whether a packet may make more transitions than [`jettison_p4_front::ir::MAX_TRANSITIONS`].
    pub counts_transitions: bool,
    /// Whether the program contains a `for`.
    pub has_loops: bool,
}

impl Uses {
    pub fn new(program: &Program) -> Uses {
        let mut calls = vec![0; program.functions.len()];
        let mut sub_parsers = false;
        let mut has_loops = false;
        let mut count = |block: &Block| {
            walk(block, &mut |stmt| match &stmt.kind {
                StmtKind::Call { function, .. } => calls[function.index()] += 1,
                StmtKind::CallParser { .. } => sub_parsers = true,
                StmtKind::Loop { .. } => has_loops = true,
                _ => {}
            });
        };
        program.functions.iter().for_each(|function| count(&function.body));
        let tables = program.tables.iter();
        tables.clone().for_each(|table| count(&table.before));
        program.parsers.iter().for_each(|parser| count(&parser.before));
        program.parsers.iter().flat_map(|parser| &parser.states).for_each(|state| count(&state.body));
        for action in tables.flat_map(|table| &table.actions) {
            calls[action.function.index()] += 1;
        }
        // Without cycles and sub-parsers a packet visits each state at most once, so the number of states is the bound.
        let states: usize = program.parsers.iter().map(|parser| parser.states.len()).sum();
        let acyclic = program.parsers.iter().all(|parser| !has_cycle(parser));
        let mut uses = Uses {
            calls,
            may_exit: vec![false; program.functions.len()],
            counts_transitions: sub_parsers
                || !acyclic
                || states >= jettison_p4_front::ir::MAX_TRANSITIONS as usize,
            has_loops,
        };
        uses.find_exits(program);
        uses
    }

    /// Whether the function may end with `exit`.
    pub fn may_exit(&self, function: FunctionId) -> bool {
        self.may_exit[function.index()]
    }

    /// Whether calls are inlined: if there is only one call, or the body is short.
    pub fn is_inlined(&self, program: &Program, function: FunctionId) -> bool {
        const SHORT: usize = 4;
        let plain = |stmt: &Stmt| {
            !matches!(
                stmt.kind,
                StmtKind::If { .. }
                    | StmtKind::Switch { .. }
                    | StmtKind::Loop { .. }
                    | StmtKind::Call { .. }
                    | StmtKind::Apply { .. }
            )
        };
        let body = &program.functions[function.index()].body;
        self.calls[function.index()] <= 1 || (body.len() <= SHORT && body.iter().all(plain))
    }

    /// Computes `may_exit` to a fixed point.
    fn find_exits(&mut self, program: &Program) {
        let mut changed = true;
        while changed {
            changed = false;
            for (index, function) in program.functions.iter().enumerate() {
                if self.may_exit[index] {
                    continue;
                }
                let mut exits = false;
                walk(&function.body, &mut |stmt| {
                    exits |= match &stmt.kind {
                        StmtKind::Exit => true,
                        StmtKind::Call { function, .. } => self.may_exit(*function),
                        StmtKind::Apply { table, .. } => self.table_may_exit(program, *table),
                        _ => false,
                    };
                });
                self.may_exit[index] = exits;
                changed |= exits;
            }
        }
    }

    /// Whether an application of the table may end with `exit`.
    pub fn table_may_exit(&self, program: &Program, table: jettison_p4_front::ir::TableId) -> bool {
        let table = &program.tables[table.index()];
        let mut exits = table.actions.iter().any(|action| self.may_exit(action.function));
        walk(&table.before, &mut |stmt| {
            exits |= matches!(&stmt.kind, StmtKind::Call { function, .. } if self.may_exit(*function));
        });
        exits
    }
}

/// Visits every statement of a block, including nested ones.
fn walk<'a>(block: &'a Block, visit: &mut impl FnMut(&'a Stmt)) {
    for stmt in block {
        visit(stmt);
        match &stmt.kind {
            StmtKind::If { then, otherwise, .. } => {
                walk(then, visit);
                walk(otherwise, visit);
            }
            StmtKind::Switch { cases, default, .. } => {
                cases.iter().for_each(|case| walk(&case.body, visit));
                walk(default, visit);
            }
            StmtKind::Loop { before, body, update, .. } => {
                walk(before, visit);
                walk(body, visit);
                walk(update, visit);
            }
            StmtKind::Call { after, .. } | StmtKind::CallParser { after, .. } => walk(after, visit),
            _ => {}
        }
    }
}

/// Whether a state is reachable from itself.
fn has_cycle(parser: &jettison_p4_front::ir::Parser) -> bool {
    use jettison_p4_front::ir::Target;
    let targets = |state: usize| -> Vec<usize> {
        let of = |target: &Target| match target {
            Target::State(state) => Some(state.index()),
            Target::Accept | Target::Reject => None,
        };
        match &parser.states[state].next {
            Transition::To(target) => of(target).into_iter().collect(),
            Transition::Select { cases, .. } => cases.iter().filter_map(|case| of(&case.to)).collect(),
        }
    };
    // Kahn's algorithm: remove states without incoming transitions; the rest is on cycles or behind one.
    let mut sources = vec![0u32; parser.states.len()];
    for target in (0..parser.states.len()).flat_map(targets) {
        sources[target] += 1;
    }
    let mut free: Vec<usize> = (0..parser.states.len()).filter(|state| sources[*state] == 0).collect();
    let mut in_use = 0;
    while let Some(state) = free.pop() {
        in_use += 1;
        for target in targets(state) {
            sources[target] -= 1;
            if sources[target] == 0 {
                free.push(target);
            }
        }
    }
    in_use < parser.states.len()
}

//! Who calls what, before anything is lowered.

use jettison_p4_front::ir::{Block, FunctionId, Program, Stmt, StmtKind, Transition};

/// What is known of functions and parsers as a whole.
pub(super) struct Uses {
    /// How often each function is called from the code.
    calls: Vec<u32>,
    may_exit: Vec<bool>,
    /// Whether a packet can make more transitions than [`jettison_p4_front::ir::MOST_TRANSITIONS`].
    pub counts_transitions: bool,
    /// Whether there is a `for` anywhere.
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
        // Without loops and sub-parsers a packet sees each state once at most, and there are fewer than the bound.
        let states: usize = program.parsers.iter().map(|parser| parser.states.len()).sum();
        let acyclic = program.parsers.iter().all(|parser| !has_cycle(parser));
        let mut uses = Uses {
            calls,
            may_exit: vec![false; program.functions.len()],
            counts_transitions: sub_parsers
                || !acyclic
                || states >= jettison_p4_front::ir::MOST_TRANSITIONS as usize,
            has_loops,
        };
        uses.find_exits(program);
        uses
    }

    /// Whether the function may end by `exit`.
    pub fn may_exit(&self, function: FunctionId) -> bool {
        self.may_exit[function.index()]
    }

    /// Whether a call is replaced by the body: where there is no other, or the body is short.
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

    /// To a fixed point: there is no recursion, so it is reached.
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

    /// Whether applying the table may end by `exit`.
    pub fn table_may_exit(&self, program: &Program, table: jettison_p4_front::ir::TableId) -> bool {
        let table = &program.tables[table.index()];
        let mut exits = table.actions.iter().any(|action| self.may_exit(action.function));
        walk(&table.before, &mut |stmt| {
            exits |= matches!(&stmt.kind, StmtKind::Call { function, .. } if self.may_exit(*function));
        });
        exits
    }
}

/// Every statement in a block, those in others too.
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

/// Whether a state can be reached from itself.
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
    // Takes away states that nothing is left to lead to (Kahn): what remains lies on cycles or behind one.
    let mut sources = vec![0u32; parser.states.len()];
    for target in (0..parser.states.len()).flat_map(targets) {
        sources[target] += 1;
    }
    let mut free: Vec<usize> = (0..parser.states.len()).filter(|state| sources[*state] == 0).collect();
    let mut taken = 0;
    while let Some(state) = free.pop() {
        taken += 1;
        for target in targets(state) {
            sources[target] -= 1;
            if sources[target] == 0 {
                free.push(target);
            }
        }
    }
    taken < parser.states.len()
}

//! Bound on the work per packet. P4 sets no such bound: a chain of functions that each call the next twice doubles the
//! work at every step.

use crate::diagnostic::Diagnostic;
use crate::ir::{Block, FunctionId, Parser, Program, Stmt, StmtKind, TableId};
use crate::source::Span;

/// Maximum number of statements that a pipeline block or a parser's state may run, counting loops once. Loop iterations
/// are bounded at run time ([`crate::ir::MAX_LOOP_ITERATIONS`]).
const MAX_STATEMENTS: u64 = 1 << 18;

/// Reports the first function or parser whose cost exceeds the bound.
pub(super) fn check_cost(program: &Program, diagnostics: &mut Vec<Diagnostic>) {
    let mut costs = Costs {
        program,
        functions: vec![None; program.functions.len()],
        parsers: vec![None; program.parsers.len()],
    };
    let mut report = |cost: u64, what: &str, span: Span| {
        if cost > MAX_STATEMENTS {
            let message =
                format!("{what} must run at most {MAX_STATEMENTS} statements per packet, but may run {cost}");
            let hint = "repeated calls multiply along the call chain: call each function once, or in a loop";
            diagnostics.push(Diagnostic::error(span, message).hint(hint));
        }
        cost > MAX_STATEMENTS
    };
    for (index, function) in program.functions.iter().enumerate() {
        if report(costs.function(FunctionId(index as u32)), &format!("`{}`", function.name), function.span) {
            return;
        }
    }
    for (index, parser) in program.parsers.iter().enumerate() {
        let span = parser.states.first().map(|state| state.span);
        if let Some(span) = span
            && report(costs.parser(index), &format!("parser `{}`", parser.name), span)
        {
            return;
        }
    }
}

/// Costs in statements, each computed once; recursion is impossible.
struct Costs<'p> {
    program: &'p Program,
    functions: Vec<Option<u64>>,
    parsers: Vec<Option<u64>>,
}

impl Costs<'_> {
    fn function(&mut self, id: FunctionId) -> u64 {
        if let Some(cost) = self.functions[id.index()] {
            return cost;
        }
        let program = self.program;
        let cost = self.block(&program.functions[id.index()].body);
        self.functions[id.index()] = Some(cost);
        cost
    }

    fn parser(&mut self, index: usize) -> u64 {
        if let Some(cost) = self.parsers[index] {
            return cost;
        }
        let program = self.program;
        let Parser { before, states, .. } = &program.parsers[index];
        let states = states.iter().map(|state| self.block(&state.body)).fold(0, u64::saturating_add);
        let cost = self.block(before).saturating_add(states);
        self.parsers[index] = Some(cost);
        cost
    }

    fn table(&mut self, id: TableId) -> u64 {
        let program = self.program;
        let table = &program.tables[id.index()];
        let mut dearest = 0;
        for action in &table.actions {
            let around = self.block(&action.before).saturating_add(self.block(&action.after));
            dearest = dearest.max(around.saturating_add(self.function(action.function)));
        }
        self.block(&table.before).saturating_add(dearest)
    }

    fn block(&mut self, block: &Block) -> u64 {
        block.iter().fold(0, |sum: u64, stmt| sum.saturating_add(self.stmt(stmt)))
    }

    fn stmt(&mut self, stmt: &Stmt) -> u64 {
        let inside = match &stmt.kind {
            StmtKind::If { then, otherwise, .. } => self.block(then).max(self.block(otherwise)),
            StmtKind::Switch { cases, default, .. } => {
                let default = self.block(default);
                cases.iter().map(|case| self.block(&case.body)).fold(default, u64::max)
            }
            StmtKind::Loop { before, body, update, .. } => {
                [before, body, update].into_iter().map(|block| self.block(block)).fold(0, u64::saturating_add)
            }
            StmtKind::Call { function, after } => self.function(*function).saturating_add(self.block(after)),
            StmtKind::Apply { table, .. } => self.table(*table),
            StmtKind::CallParser { parser, after } => {
                self.parser(parser.index()).saturating_add(self.block(after))
            }
            _ => 0,
        };
        inside.saturating_add(1)
    }
}

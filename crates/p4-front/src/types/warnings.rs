//! Warnings about the elaborated program: scalars that may be read before they are written.
//!
//! The analysis follows the control flow through calls and table actions. It tracks a variable that is declared without
//! a value (or is an `out` parameter) from its declaration until every path has written it.

use rustc_hash::FxHashSet;

use super::emit::any_place;
use crate::diagnostic::Diagnostic;
use crate::ir::{Block, Expr, Extern, Place, Program, Stmt, StmtKind, TableId, Type, VarId};
use crate::source::Span;

/// Maximum number of statements to visit; calls are followed each time.
const MAX_STATEMENTS: u32 = 1 << 18;

/// Warns of variables that may be read before they are written.
pub(super) fn uninitialised(program: &Program, diagnostics: &mut Vec<Diagnostic>) {
    let mut walk = Walk { program, diagnostics, warned: FxHashSet::default(), left: MAX_STATEMENTS };
    let pipeline = &program.pipeline;
    let controls = [
        pipeline.verify_checksum,
        pipeline.ingress,
        pipeline.egress,
        pipeline.compute_checksum,
        pipeline.deparser,
    ];
    let between = pipeline.psa.as_ref().map(|psa| psa.deparser);
    for control in controls.into_iter().chain(between) {
        walk.function(&program.functions[control.index()].body, Flow::default());
    }
    for parser in &program.parsers {
        // States can be reached on many paths, so only a state's own declarations are tracked.
        let mut flow = Flow::default();
        walk.block(&parser.before, &mut flow);
        for state in &parser.states {
            walk.block(&state.body, &mut Flow::default());
        }
    }
}

/// Flow state: possibly unwritten variables with the positions of their declarations. An unreachable state has none.
#[derive(Debug, Clone, Default)]
struct Flow {
    empty: Vec<(VarId, Span)>,
    dead: bool,
}

impl Flow {
    fn join(&mut self, other: Flow) {
        if other.dead {
            return;
        }
        if self.dead {
            *self = other;
            return;
        }
        for item in other.empty {
            if !self.empty.contains(&item) {
                self.empty.push(item);
            }
        }
    }

    fn end(&mut self) -> Flow {
        std::mem::replace(self, Flow { empty: Vec::new(), dead: true })
    }
}

struct Walk<'a> {
    program: &'a Program,
    diagnostics: &'a mut Vec<Diagnostic>,
    warned: FxHashSet<VarId>,
    left: u32,
}

impl Walk<'_> {
    /// Visits a function's body; its `return`s join at the end.
    fn function(&mut self, body: &Block, mut flow: Flow) -> Flow {
        let mut returned = Flow { empty: Vec::new(), dead: true };
        self.statements(body, &mut flow, &mut returned);
        flow.join(returned);
        flow
    }

    fn block(&mut self, block: &Block, flow: &mut Flow) {
        let mut returned = Flow { empty: Vec::new(), dead: true };
        self.statements(block, flow, &mut returned);
        flow.join(returned);
    }

    fn statements(&mut self, block: &Block, flow: &mut Flow, returned: &mut Flow) {
        for statement in block {
            if self.left == 0 || flow.dead {
                return;
            }
            self.left -= 1;
            self.statement(statement, flow, returned);
        }
    }

    fn statement(&mut self, statement: &Stmt, flow: &mut Flow, returned: &mut Flow) {
        let span = statement.span;
        match &statement.kind {
            StmtKind::Reset(place) => {
                if place.steps.is_empty() && self.is_scalar(place) {
                    flow.empty.push((place.root, span));
                }
            }
            StmtKind::Assign { to, value } | StmtKind::AssignSlice { to, value, .. } => {
                self.read(value, flow, span);
                self.write(to, flow, span);
            }
            StmtKind::If { condition, then, otherwise } => {
                self.read(condition, flow, span);
                let mut other = flow.clone();
                self.statements(then, flow, returned);
                self.statements(otherwise, &mut other, returned);
                flow.join(other);
            }
            StmtKind::Switch { on, cases, default } => {
                self.read(on, flow, span);
                let before = flow.clone();
                self.statements(default, flow, returned);
                for case in cases {
                    let mut other = before.clone();
                    self.statements(&case.body, &mut other, returned);
                    flow.join(other);
                }
            }
            StmtKind::Loop { before, condition, body, update } => {
                self.statements(before, flow, returned);
                self.read(condition, flow, span);
                // The body may run zero times, so its writes do not count afterwards.
                let mut round = flow.clone();
                self.statements(body, &mut round, returned);
                self.statements(update, &mut round, returned);
            }
            StmtKind::Return => {
                let here = flow.end();
                returned.join(here);
            }
            // The rest of the block is unreachable.
            StmtKind::Break | StmtKind::Continue | StmtKind::Exit => {
                flow.end();
            }
            StmtKind::Call { function, after } => {
                let body = &self.program.functions[function.index()].body;
                *flow = self.function(body, flow.clone());
                self.statements(after, flow, returned);
            }
            StmtKind::CallParser { after, .. } => self.statements(after, flow, returned),
            StmtKind::Apply { table, .. } => self.table(*table, flow, span),
            StmtKind::Extract { to, length } => {
                if let Some(length) = length {
                    self.read(length, flow, span);
                }
                self.write(to, flow, span);
            }
            StmtKind::Lookahead(to) => self.write(to, flow, span),
            StmtKind::Advance(bits) => self.read(bits, flow, span),
            StmtKind::Verify { condition, error } => {
                self.read(condition, flow, span);
                self.read(error, flow, span);
            }
            StmtKind::Extern(call) => self.call(call, flow, span),
            StmtKind::SetValid(_)
            | StmtKind::SetInvalid(_)
            | StmtKind::PushFront(..)
            | StmtKind::PopFront(..)
            | StmtKind::Emit(_) => {}
        }
    }

    fn table(&mut self, table: TableId, flow: &mut Flow, span: Span) {
        let table = &self.program.tables[table.index()];
        self.block(&table.before, flow);
        for key in &table.keys {
            self.read(&key.expr, flow, span);
        }
        let before = flow.end();
        for action in &table.actions {
            let mut own = before.clone();
            self.block(&action.before, &mut own);
            own = self.function(&self.program.functions[action.function.index()].body, own);
            self.block(&action.after, &mut own);
            flow.join(own);
        }
    }

    fn is_scalar(&self, place: &Place) -> bool {
        matches!(
            self.program.types.get(place.ty),
            Type::Bits { .. } | Type::Bool | Type::Enum(_) | Type::Error
        )
    }

    fn write(&mut self, to: &Place, flow: &mut Flow, span: Span) {
        for step in &to.steps {
            if let crate::ir::Step::Index(index) = step {
                self.read(index, flow, span);
            }
        }
        flow.empty.retain(|(variable, _)| *variable != to.root);
    }

    fn read(&mut self, expr: &Expr, flow: &Flow, span: Span) {
        if flow.empty.is_empty() {
            return;
        }
        let mut found = None;
        any_place(expr, &mut |place| {
            let empty = flow.empty.iter().find(|(variable, _)| *variable == place.root);
            found = found.or(empty.copied());
            false
        });
        let Some((variable, declared)) = found else { return };
        if self.warned.insert(variable) {
            let name = &self.program.variables[variable.index()].name;
            let name = name.rsplit('.').next().unwrap_or(name);
            let warning = Diagnostic::warning(span, format!("`{name}` may be read before it is initialized"));
            self.diagnostics.push(warning.related(declared, "declared here without a value"));
        }
    }

    fn reads<'b>(&mut self, exprs: impl IntoIterator<Item = &'b Expr>, flow: &Flow, span: Span) {
        exprs.into_iter().for_each(|expr| self.read(expr, flow, span));
    }

    fn call(&mut self, call: &Extern, flow: &mut Flow, span: Span) {
        match call {
            Extern::RegisterRead { to, index, .. } | Extern::ExecuteMeter { to, index, .. } => {
                self.read(index, flow, span);
                self.write(to, flow, span);
            }
            Extern::RegisterWrite { index, value, .. } => self.reads([index, value], flow, span),
            Extern::Count { index, .. } => self.read(index, flow, span),
            Extern::ReadDirectMeter { to, .. } => self.write(to, flow, span),
            Extern::Random { to, low, high } => {
                self.reads([low, high], flow, span);
                self.write(to, flow, span);
            }
            Extern::Hash { to, base, data, max, .. } => {
                self.reads(data.iter().chain([base, max]), flow, span);
                self.write(to, flow, span);
            }
            Extern::VerifyChecksum { condition, data, checksum, .. } => {
                self.reads(data.iter().chain([condition, checksum]), flow, span);
            }
            Extern::UpdateChecksum { condition, data, checksum, .. } => {
                self.reads(data.iter().chain([condition]), flow, span);
                self.write(checksum, flow, span);
            }
            Extern::Digest { receiver, data, .. } => {
                self.reads(data.iter().chain([receiver]), flow, span);
            }
            Extern::Clone { session, .. } => self.read(session, flow, span),
            Extern::Resubmit { .. } | Extern::Recirculate { .. } => {}
            Extern::Truncate { length } => self.read(length, flow, span),
            Extern::Lengthen { .. } => {}
            Extern::LogMessage { arguments, .. } => self.reads(arguments, flow, span),
            Extern::Assert { condition, .. } => self.read(condition, flow, span),
            Extern::Psa(call) => {
                self.reads(call.reads(), flow, span);
                if let Some(to) = call.writes() {
                    self.write(to, flow, span);
                }
            }
        }
    }
}

//! Statements, functions and controls.

use super::expr::reads;
use super::place::Location;
use super::{Label, LoopLabels, Lowering, Scope};
use crate::compiled::code::Op;
use crate::compiled::plan::{SwitchPlan, Wide, WideKind};
use jettison_p4_front::ir::{
    Block, CompositeKind, Expr, FunctionId, MAX_LOOP_ITERATIONS, Place, Stmt, StmtKind, SwitchCase, TypeId,
};

/// Up to this number of values, cases are compared one by one.
const MAX_COMPARED: usize = 3;

impl Lowering<'_> {
    /// Generates a block of the pipeline.
    pub(super) fn top_control(&mut self, function: FunctionId) -> Label {
        let label = self.label();
        self.place(label);
        if self.uses.may_exit(function) {
            let zero = self.constant(0);
            self.copy(self.exited, zero, 1);
        }
        self.begin_counting();
        self.body(function);
        self.emit(Op::End);
        label
    }

    /// Resets the counter of loop iterations.
    pub(super) fn begin_counting(&mut self) {
        if self.uses.has_loops {
            let zero = self.constant(0);
            self.copy(self.iteration_count, zero, 1);
        }
    }

    /// Lowers a function's body, including the target of its `return`s.
    pub(super) fn body(&mut self, function: FunctionId) {
        let end = self.label();
        self.scopes.push(Scope { end });
        let program = self.program;
        self.block(&program.functions[function.index()].body);
        self.scopes.pop();
        self.place(end);
    }

    /// Inlines or calls a function.
    pub(super) fn run(&mut self, function: FunctionId) {
        if self.uses.is_inlined(self.program, function) {
            return self.body(function);
        }
        let label = match self.functions.get(&function) {
            Some(label) => *label,
            None => {
                let label = self.label();
                self.functions.insert(function, label);
                self.functions_pending.push(function);
                label
            }
        };
        self.emit(Op::Call { to: label.0 });
    }

    /// Ends the function if the code before has executed `exit`.
    pub(super) fn leave_if_exited(&mut self) {
        if let Some(scope) = self.scopes.last() {
            self.emit(Op::JumpIf { condition: self.exited, to: scope.end.0 });
        }
    }

    pub(super) fn block(&mut self, block: &Block) {
        for stmt in block {
            let mark = self.in_use.len();
            self.stmt(stmt);
            self.release(mark);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign { to, value } => self.assign(to, value),
            StmtKind::AssignSlice { to, high, low, value } => self.assign_slice(to, *high, *low, value),
            StmtKind::Reset(place) => self.reset(place),
            StmtKind::SetValid(place) => self.set_validity(place, 1),
            StmtKind::SetInvalid(place) => self.set_validity(place, 0),
            StmtKind::PushFront(place, count) => {
                self.shift_stack(place, |plan| Op::Push { plan, count: *count })
            }
            StmtKind::PopFront(place, count) => {
                self.shift_stack(place, |plan| Op::Pop { plan, count: *count })
            }
            StmtKind::If { condition, then, otherwise } => {
                let (no, end) = (self.label(), self.label());
                self.branch(condition, no, false);
                self.block(then);
                if !otherwise.is_empty() {
                    self.jump(end);
                }
                self.place(no);
                self.block(otherwise);
                self.place(end);
            }
            StmtKind::Switch { on, cases, default } => self.switch(on, cases, default),
            StmtKind::Loop { before, condition, body, update } => {
                self.lower_loop(before, condition, body, update)
            }
            StmtKind::Break => {
                if let Some(labels) = self.loops.last() {
                    self.jump(labels.end);
                }
            }
            StmtKind::Continue => {
                if let Some(labels) = self.loops.last() {
                    self.jump(labels.next);
                }
            }
            StmtKind::Return => self.leave(),
            StmtKind::Exit => {
                let one = self.constant(1);
                self.copy(self.exited, one, 1);
                self.leave();
            }
            StmtKind::Call { function, after } => {
                // An inlined body must not see the caller's loops.
                let loops = std::mem::take(&mut self.loops);
                self.run(*function);
                self.loops = loops;
                self.block(after);
                // Copy-out runs even after an exit, so the check comes after it.
                if self.uses.may_exit(*function) {
                    self.leave_if_exited();
                }
            }
            StmtKind::Apply { table, hit, action } => self.apply(*table, *hit, *action),
            StmtKind::Extract { to, length } => self.extract(to, length.as_ref()),
            StmtKind::Lookahead(place) => self.lookahead(place),
            StmtKind::Advance(bits) => {
                let bits = self.amount(bits);
                self.emit(Op::Advance { bits });
            }
            StmtKind::Verify { condition, error } => {
                let good = self.label();
                self.branch(condition, good, true);
                match self.fold(error) {
                    Some(error) => self.emit(Op::Fail { error: error as u32 }),
                    None => {
                        let error = self.operand(error);
                        self.emit(Op::FailWith { error });
                    }
                }
                self.place(good);
            }
            StmtKind::CallParser { parser, after } => {
                let label = self.sub_parser(*parser);
                self.emit(Op::Call { to: label.0 });
                self.block(after);
            }
            StmtKind::Emit(place) => {
                let at = self.locate(place);
                let slot = self.read(at, self.layout.words(place.ty));
                self.emit_headers(slot, place.ty);
            }
            StmtKind::Extern(what) => self.external(what),
        }
    }

    fn leave(&mut self) {
        if let Some(scope) = self.scopes.last() {
            self.jump(scope.end);
        }
    }

    fn assign_slice(&mut self, to: &Place, high: u32, low: u32, value: &Expr) {
        let bits = self.layout.types.bits(to.ty);
        let width = high - low + 1;
        // Evaluate everything that the write would change first.
        let at = self.locate(to);
        let mut from = self.operand(value);
        if self.layout.words(value.ty) > 1 && reads(value, to.root) {
            let copy = self.temporary(self.layout.words(value.ty));
            self.copy(copy, from, self.layout.words(value.ty));
            from = copy;
        }
        match at {
            Location::Fixed(slot) => self.insert(slot, bits, from, low, width),
            Location::Computed { .. } => {
                let words = self.layout.words(to.ty);
                let whole = self.read(at, words);
                self.insert(whole, bits, from, low, width);
                self.store(at, whole, words);
            }
        }
    }

    fn reset(&mut self, place: &Place) {
        let words = self.layout.words(place.ty);
        match self.locate(place) {
            Location::Fixed(_) if words == 0 => {}
            Location::Fixed(slot) => self.emit(Op::Zero { to: slot, count: words }),
            at => {
                let zeros = self.zeros(words);
                self.store(at, zeros, words);
            }
        }
    }

    fn set_validity(&mut self, place: &Place, to: u64) {
        let at = self.locate(place);
        let value = self.constant(to);
        for validity in self.validities(at, place.ty) {
            self.store(validity, value, 1);
        }
    }

    fn shift_stack(&mut self, place: &Place, op: impl FnOnce(u32) -> Op) {
        let at = self.locate(place);
        let words = self.layout.words(place.ty);
        let slot = self.read(at, words);
        let plan = self.stack(Location::Fixed(slot), place.ty);
        self.emit(op(plan));
        if let Location::Computed { .. } = at {
            self.store(at, slot, words);
        }
    }

    fn switch(&mut self, on: &Expr, cases: &[SwitchCase], default: &Block) {
        let mark = self.in_use.len();
        let value = self.operand(on);
        let width = self.layout.types.bits(on.ty);
        let labels: Vec<Label> = cases.iter().map(|_| self.label()).collect();
        let (other, end) = (self.label(), self.label());
        let targets = cases.iter().zip(&labels);
        let targets: Vec<_> =
            targets.flat_map(|(case, label)| case.values.iter().map(move |value| (value, *label))).collect();
        if width <= 64 && targets.len() > MAX_COMPARED {
            let word = |value: &num_bigint::BigUint| value.iter_u64_digits().next().unwrap_or(0);
            let cases = targets.iter().map(|(value, label)| (word(value), *label));
            self.jump_by_value(value, cases.collect(), other);
        } else {
            for (case, label) in targets {
                let case = self.constant_bits(case, width);
                self.jump_if_equal(value, case, width, label);
            }
            self.jump(other);
        }
        self.release(mark);
        for (case, label) in cases.iter().zip(labels) {
            self.place(label);
            self.block(&case.body);
            self.jump(end);
        }
        self.place(other);
        self.block(default);
        self.place(end);
    }

    /// Jumps to the target of a value; of equal values, the first case wins.
    pub(super) fn jump_by_value(&mut self, value: u32, mut cases: Vec<(u64, Label)>, default: Label) {
        cases.sort_by_key(|(value, _)| *value);
        cases.dedup_by_key(|(value, _)| *value);
        let cases = cases.into_iter().map(|(value, label)| (value, label.0)).collect();
        self.code.switches.push(SwitchPlan { cases, default: default.0 });
        self.emit(Op::Switch { value, plan: self.code.switches.len() as u32 - 1 });
    }

    pub(super) fn jump_if_equal(&mut self, a: u32, b: u32, width: u32, to: Label) {
        if width <= 64 {
            return self.emit(Op::JumpEqual { a, b, to: to.0 });
        }
        let condition = self.temporary(1);
        self.wide(Wide { kind: WideKind::Equal, to: condition, a, b, bits: width, other: 0 });
        self.emit(Op::JumpIf { condition, to: to.0 });
    }

    fn lower_loop(&mut self, before: &Block, condition: &Expr, body: &Block, update: &Block) {
        let count = self.iteration_count;
        let (one, most) = (self.constant(1), self.constant(u64::from(MAX_LOOP_ITERATIONS)));
        let (start, next, end) = (self.label(), self.label(), self.label());
        self.place(start);
        self.block(before);
        let mark = self.in_use.len();
        self.branch(condition, end, false);
        self.release(mark);
        self.emit(Op::JumpEqual { a: count, b: most, to: end.0 });
        self.emit(Op::Add { cut: 0, to: count, a: count, b: one });
        self.loops.push(LoopLabels { next, end });
        self.block(body);
        self.loops.pop();
        self.place(next);
        self.block(update);
        self.jump(start);
        self.place(end);
    }

    fn emit_headers(&mut self, slot: u32, ty: TypeId) {
        if self.layout.kind(ty) == Some(CompositeKind::Header) {
            let fields = self.layout.values(ty, slot);
            let plan = self.emit_plan(fields);
            return self.emit(Op::Emit { valid: slot, plan });
        }
        for (offset, part) in self.layout.parts(ty) {
            self.emit_headers(slot + offset, part);
        }
    }
}

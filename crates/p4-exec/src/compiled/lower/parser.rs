//! Parsers.

use super::place::Location;
use super::{Label, Lowering, Scope};
use crate::compiled::code::Op;
use crate::compiled::plan::{SetPlan, Wide, WideKind};
use jettison_p4_front::ir::{Expr, KeySet, ParserId, Place, SelectCase, Target, Transition};

/// Up to this number of values, cases are compared one by one.
const MAX_COMPARED: usize = 4;

/// Jump targets of a parser's transitions.
struct Targets {
    states: Vec<Label>,
    accept: Label,
    reject: Label,
}

impl Targets {
    fn label(&self, target: Target) -> Label {
        match target {
            Target::State(state) => self.states[state.index()],
            Target::Accept => self.accept,
            Target::Reject => self.reject,
        }
    }
}

impl Lowering<'_> {
    pub(super) fn top_parser(&mut self, parser: ParserId) -> Label {
        let label = self.label();
        self.place(label);
        self.begin_counting();
        self.parser(parser, Op::End);
        label
    }

    pub(super) fn sub_parser(&mut self, parser: ParserId) -> Label {
        if let Some(label) = self.parsers.get(&parser) {
            return *label;
        }
        let label = self.label();
        self.parsers.insert(parser, label);
        self.parsers_pending.push(parser);
        label
    }

    /// Generates a parser's code. A reject ends the whole block, so it needs no cleanup.
    pub(super) fn parser(&mut self, id: ParserId, accepted: Op) {
        let program = self.program;
        let parser = &program.parsers[id.index()];
        let targets = Targets {
            states: parser.states.iter().map(|_| self.label()).collect(),
            accept: self.label(),
            reject: self.label(),
        };
        self.scopes.push(Scope { end: targets.accept });
        self.block(&parser.before);
        // The target of an unconditional transition follows directly.
        let mut written = vec![false; parser.states.len()];
        let all = (0..parser.states.len() as u32).map(jettison_p4_front::ir::StateId);
        for first in std::iter::once(parser.start).chain(all) {
            let mut due = (!written[first.index()]).then_some(first);
            while let Some(state) = due.take() {
                written[state.index()] = true;
                self.place(targets.states[state.index()]);
                let state = &parser.states[state.index()];
                self.block(&state.body);
                if self.uses.counts_transitions {
                    self.emit(Op::Transition);
                }
                let mark = self.in_use.len();
                let last = self.transition(&state.next, &targets);
                self.release(mark);
                match last {
                    Target::State(next) if !written[next.index()] => due = Some(next),
                    Target::Accept => self.emit(accepted),
                    target => self.jump(targets.label(target)),
                }
            }
        }
        self.scopes.pop();
        self.place(targets.accept);
        self.emit(accepted);
        self.place(targets.reject);
        self.emit(Op::Fail { error: 0 });
    }

    /// Emits tests for all cases up to one that matches everything, and returns the remaining target.
    fn transition(&mut self, transition: &Transition, targets: &Targets) -> Target {
        let (on, cases) = match transition {
            Transition::To(target) => return *target,
            Transition::Select { on, cases } => (on, cases),
        };
        let values: Vec<u32> = on.iter().map(|expr| self.operand(expr)).collect();
        let is_any = |case: &&SelectCase| case.keys.iter().all(|key| *key == KeySet::Any);
        let any = cases.iter().position(|case| is_any(&case));
        let tested = &cases[..any.unwrap_or(cases.len())];
        if !self.select_by_value(on, &values, tested, cases.get(any.unwrap_or(cases.len())), targets) {
            for case in tested {
                let mark = self.in_use.len();
                self.case(case, on, &values, targets);
                self.release(mark);
            }
        }
        match any {
            Some(any) => cases[any].to,
            None => {
                let error = self.code.errors.no_match;
                self.emit(Op::Fail { error });
                // Unreachable: every select has been lowered above.
                Target::Reject
            }
        }
    }

    /// Looks up many constants of up to 64 bits in a table instead of testing each.
    fn select_by_value(
        &mut self,
        on: &[Expr],
        values: &[u32],
        tested: &[SelectCase],
        any: Option<&SelectCase>,
        targets: &Targets,
    ) -> bool {
        let ([on], [value], Some(any)) = (on, values, any) else { return false };
        if !self.layout.is_narrow(on.ty) || tested.len() <= MAX_COMPARED {
            return false;
        }
        let known = tested.iter().map(|case| match &case.keys[..] {
            [KeySet::Value(wanted)] => Some((self.fold(wanted)?, targets.label(case.to))),
            _ => None,
        });
        let Some(known) = known.collect::<Option<Vec<_>>>() else { return false };
        let default = targets.label(any.to);
        self.jump_by_value(*value, known, default);
        true
    }

    fn case(&mut self, case: &SelectCase, on: &[Expr], values: &[u32], targets: &Targets) {
        let to = targets.label(case.to);
        if let [KeySet::ValueSet(set)] = &case.keys[..] {
            let condition = self.in_set(*set, on, values);
            return self.emit(Op::JumpIf { condition, to: to.0 });
        }
        if let ([KeySet::Value(wanted)], [on], [value]) = (&case.keys[..], on, values) {
            let wanted = self.operand(wanted);
            return self.jump_if_equal(*value, wanted, self.layout.types.bits(on.ty), to);
        }
        let next = self.label();
        for ((key, on), value) in case.keys.iter().zip(on).zip(values) {
            self.jump_unless_in(key, on, *value, next);
        }
        self.jump(to);
        self.place(next);
    }

    fn jump_unless_in(&mut self, key: &KeySet, on: &Expr, value: u32, next: Label) {
        let bits = self.layout.types.bits(on.ty);
        let narrow = bits <= 64;
        match key {
            KeySet::Any => {}
            KeySet::Value(wanted) => {
                let wanted = self.operand(wanted);
                self.jump_unless_equal(value, wanted, bits, next);
            }
            KeySet::Mask(wanted, mask) => {
                let (wanted, mask) = (self.operand(wanted), self.operand(mask));
                let words = self.layout.words(on.ty);
                let (a, b) = (self.temporary(words), self.temporary(words));
                for (to, from) in [(a, value), (b, wanted)] {
                    if narrow {
                        self.emit(Op::And { to, a: from, b: mask });
                    } else {
                        self.wide(Wide { kind: WideKind::And, to, a: from, b: mask, bits, other: 0 });
                    }
                }
                self.jump_unless_equal(a, b, bits, next);
            }
            KeySet::Range(low, high) => {
                let low = self.operand(low);
                self.jump_if_less(value, low, on, next);
                let high = self.operand(high);
                self.jump_if_less(high, value, on, next);
            }
            KeySet::ValueSet(set) => {
                let condition = self.in_set(*set, std::slice::from_ref(on), &[value]);
                self.emit(Op::JumpUnless { condition, to: next.0 });
            }
        }
    }

    fn jump_unless_equal(&mut self, a: u32, b: u32, bits: u32, to: Label) {
        if bits <= 64 {
            return self.emit(Op::JumpNotEqual { a, b, to: to.0 });
        }
        let condition = self.temporary(1);
        self.wide(Wide { kind: WideKind::NotEqual, to: condition, a, b, bits, other: 0 });
        self.emit(Op::JumpIf { condition, to: to.0 });
    }

    fn jump_if_less(&mut self, a: u32, b: u32, on: &Expr, to: Label) {
        let bits = self.layout.types.bits(on.ty);
        let signed = self.layout.is_signed(on.ty);
        if bits == 0 {
            return;
        }
        if bits <= 64 && !signed {
            return self.emit(Op::JumpLess { a, b, to: to.0 });
        }
        let condition = self.temporary(1);
        if bits <= 64 {
            self.emit(Op::LessSigned { cut: (64 - bits) as u8, to: condition, a, b });
        } else {
            let kind = if signed { WideKind::LessSigned } else { WideKind::Less };
            self.wide(Wide { kind, to: condition, a, b, bits, other: 0 });
        }
        self.emit(Op::JumpIf { condition, to: to.0 });
    }

    fn in_set(&mut self, set: jettison_p4_front::ir::ValueSetId, on: &[Expr], values: &[u32]) -> u32 {
        let (key, words) = self.gather(on.iter().map(|expr| expr.ty).zip(values.iter().copied()).collect());
        let to = self.temporary(1);
        self.code.sets.push(SetPlan { set, key, words });
        self.emit(Op::InSet { to, plan: self.code.sets.len() as u32 - 1 });
        to
    }

    pub(super) fn extract(&mut self, place: &Place, length: Option<&Expr>) {
        let mut stacks = Vec::new();
        let at = self.locate_with(place, &mut |_, stack| stacks.push(stack));
        let length = length.map(|length| self.amount(length));
        let plan = self.extraction(place.ty, length);
        self.emit(match at {
            Location::Fixed(base) => Op::Extract { base, plan },
            Location::Computed { address, offset } => Op::ExtractAt { address, offset, plan },
        });
        for stack in stacks {
            let one = self.constant(1);
            let next = self.read(stack, 1);
            self.emit(Op::Add { cut: 32, to: next, a: next, b: one });
            if let Location::Computed { .. } = stack {
                self.store(stack, next, 1);
            }
        }
    }

    pub(super) fn lookahead(&mut self, place: &Place) {
        let plan = self.extraction(place.ty, None);
        match self.locate(place) {
            Location::Fixed(base) => self.emit(Op::Lookahead { base, plan }),
            at => {
                let words = self.layout.words(place.ty);
                let base = self.temporary(words);
                self.emit(Op::Zero { to: base, count: words });
                self.emit(Op::Lookahead { base, plan });
                self.store(at, base, words);
            }
        }
    }
}

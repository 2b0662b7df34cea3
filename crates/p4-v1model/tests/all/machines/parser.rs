//! Random parsers.

use jettison_p4_front::ir::{
    Block, CompositeKind, Expr, KeySet, Parser, ParserId, Place, SelectCase, State, StateId, Step, StmtKind,
    Target, Transition, Type, TypeId, Types, ValueSetId,
};

use super::generator::Generator;
use super::stmt::May;
use super::world::NOWHERE;

impl Generator<'_> {
    /// Declares a sub-parser and the parser that may call it.
    pub fn declare_parsers(&mut self, may: May) {
        self.in_parser = true;
        for index in 0..2 {
            self.sub_parsers = index;
            let before = self.block(May { call: 0, ..may }, 0);
            let count = 1 + self.choices.below(4);
            let states = (0..count).map(|i| self.state(i, count, may)).collect();
            self.parsers.push(Parser {
                name: format!("parser{index}").into(),
                before,
                states,
                start: StateId(0),
            });
        }
        self.in_parser = false;
    }

    fn state(&mut self, index: usize, count: usize, may: May) -> State {
        let mut body = Vec::new();
        let extracts = self.choices.below(if index == 0 { 5 } else { 3 });
        for i in 0..extracts {
            let kind = if i < 2 { self.extract(&mut body) } else { self.packet_stmt(&mut body) };
            if let Some(kind) = kind {
                body.push(super::world::stmt(kind));
            }
        }
        body.extend(self.block(may, 1));
        let next = match self.choices.below(3) {
            0 => Transition::To(self.target(count)),
            _ => self.select(count),
        };
        State { name: format!("state{index}").into(), body, next, span: NOWHERE }
    }

    fn target(&mut self, count: usize) -> Target {
        match self.choices.below(count + 2) {
            0 => Target::Accept,
            1 => Target::Reject,
            state => Target::State(StateId(state as u32 - 2)),
        }
    }

    fn select(&mut self, count: usize) -> Transition {
        let types: Vec<_> = (0..=self.choices.below(2))
            .map(|_| match self.choices.below(5) {
                0 => self.world.bool,
                _ => self.bits_type(),
            })
            .collect();
        let on: Vec<Expr> = types.iter().map(|ty| self.expr(*ty, 2)).collect();
        let mut cases = Vec::new();
        for _ in 0..self.choices.below(4) {
            let single = match self.choices.below(8) {
                6 => Some(KeySet::Any),
                // The set matches two keys.
                7 if types == self.value_set_keys => Some(KeySet::ValueSet(ValueSetId(0))),
                _ => None,
            };
            let keys = match single {
                Some(key) => vec![key],
                None => types.iter().map(|ty| self.key_set(*ty)).collect(),
            };
            cases.push(SelectCase { keys, to: self.target(count) });
        }
        if self.choices.below(2) == 1 {
            cases.push(SelectCase { keys: vec![KeySet::Any], to: self.target(count) });
        }
        Transition::Select { on, cases }
    }

    fn key_set(&mut self, ty: TypeId) -> KeySet {
        let bits = matches!(self.world.types.get(ty), Type::Bits { .. });
        let depth = u32::from(self.choices.once_in(4));
        match self.choices.below(5) {
            0 => KeySet::Any,
            1 if bits => KeySet::Mask(self.expr(ty, depth), self.expr(ty, depth)),
            2 | 3 if bits => KeySet::Range(self.expr(ty, depth), self.expr(ty, depth)),
            _ => KeySet::Value(self.expr(ty, depth)),
        }
    }

    /// A statement that only parsers allow.
    pub fn packet_stmt(&mut self, block: &mut Block) -> Option<StmtKind> {
        Some(match self.choices.below(10) {
            0..=4 => return self.extract(block),
            5 | 6 => {
                let to = self.place_where(|types, ty| {
                    !has(types, ty, &|types, ty| {
                        let kind = types.as_composite(ty).map(|composite| composite.kind);
                        matches!(types.get(ty), Type::Varbit { .. }) || kind == Some(CompositeKind::Union)
                    })
                })?;
                StmtKind::Lookahead(to)
            }
            7 => {
                let ty = self.world.bit32;
                let bits = match self.choices.below(3) {
                    0 => self.constant(8u8, ty),
                    1 => {
                        let bits = self.choices.below(40);
                        self.constant(bits, ty)
                    }
                    _ => self.expr(ty, 1),
                };
                StmtKind::Advance(bits)
            }
            8 => {
                let ty = self.world.error;
                StmtKind::Verify { condition: self.condition(2), error: self.expr(ty, 0) }
            }
            _ if self.sub_parsers > 0 => {
                let after = self.block(May::default(), 0);
                StmtKind::CallParser { parser: ParserId(0), after }
            }
            _ => return None,
        })
    }

    fn extract(&mut self, block: &mut Block) -> Option<StmtKind> {
        let mut to = self.place_where(|types, ty| types.is_header(ty))?;
        for step in &mut to.steps {
            if !matches!(step, Step::Field(_)) && self.choices.below(3) > 0 {
                *step = Step::Next;
            }
        }
        let length = self.varbit_length(&to);
        self.invalidate_others(&to, block);
        Some(StmtKind::Extract { to, length })
    }

    fn varbit_length(&mut self, to: &Place) -> Option<Expr> {
        let varbit = |types: &Types, ty| matches!(types.get(ty), Type::Varbit { .. });
        if !has(&self.world.types, to.ty, &varbit) {
            return None;
        }
        let ty = self.world.bit32;
        match self.choices.below(6) {
            0 => None,
            1 => {
                let bits = self.choices.below(240);
                Some(self.constant(bits, ty))
            }
            2 => Some(self.expr(ty, 1)),
            _ => {
                let bytes = self.choices.below(6);
                Some(self.constant(bytes * 8, ty))
            }
        }
    }
}

/// Whether a type or one of its members satisfies the predicate.
fn has(types: &Types, ty: TypeId, predicate: &impl Fn(&Types, TypeId) -> bool) -> bool {
    predicate(types, ty)
        || match types.get(ty) {
            Type::Composite(id) => {
                types.composite(id).fields.iter().any(|field| has(types, field.ty, predicate))
            }
            Type::Stack { element, .. } => has(types, element, predicate),
            _ => false,
        }
}

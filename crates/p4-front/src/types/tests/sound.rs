//! Checker of the IR's documented invariants.

use num_bigint::BigUint;

use crate::ir::{
    BinaryOp, Block, Expr, ExprKind, KeySet, Place, Program, Step, StmtKind, Target, Transition, Type,
    TypeId, UnaryOp,
};

/// Panics if the program violates an invariant.
pub(super) fn check(program: &Program) {
    let sound = Sound { program };
    for function in &program.functions {
        sound.block(&function.body);
    }
    for parser in &program.parsers {
        sound.block(&parser.before);
        for state in &parser.states {
            sound.block(&state.body);
            sound.transition(&state.next, parser.states.len());
        }
    }
    for table in &program.tables {
        sound.block(&table.before);
        for key in &table.keys {
            sound.expr(&key.expr);
            assert!(sound.is_scalar(key.expr.ty), "key {:?}", key.expr);
        }
        for action in &table.actions {
            sound.block(&action.before);
            sound.block(&action.after);
            assert!(action.data.iter().all(|(_, variable)| variable.index() < program.variables.len()));
        }
        for entry in &table.entries {
            assert_eq!(entry.keys.len(), table.keys.len());
        }
        let runs = table.entries.iter().map(|entry| &entry.action).chain([&table.default]);
        for run in runs {
            assert_eq!(run.data.len(), table.actions[run.action as usize].data.len(), "{}", table.name);
        }
    }
}

struct Sound<'a> {
    program: &'a Program,
}

impl Sound<'_> {
    fn ty(&self, id: TypeId) -> Type {
        self.program.types.get(id)
    }

    fn width(&self, id: TypeId) -> u32 {
        match self.ty(id) {
            Type::Bits { width, .. } => width,
            other => panic!("{other:?} has no width"),
        }
    }

    fn is_scalar(&self, id: TypeId) -> bool {
        matches!(self.ty(id), Type::Bits { .. } | Type::Bool | Type::Error | Type::Enum(_))
    }

    fn is_bool(&self, e: &Expr) {
        self.expr(e);
        assert_eq!(self.ty(e.ty), Type::Bool, "{e:?}");
    }

    fn block(&self, block: &Block) {
        for statement in block {
            self.statement(&statement.kind);
        }
    }

    fn statement(&self, statement: &StmtKind) {
        match statement {
            StmtKind::Assign { to, value } => {
                self.place(to);
                self.expr(value);
                assert_eq!(to.ty, value.ty, "{statement:?}");
            }
            StmtKind::AssignSlice { to, high, low, value } => {
                self.place(to);
                self.expr(value);
                assert!(low <= high && *high < self.width(to.ty), "{statement:?}");
                assert_eq!(self.width(value.ty), high - low + 1, "{statement:?}");
            }
            StmtKind::Reset(place)
            | StmtKind::SetValid(place)
            | StmtKind::SetInvalid(place)
            | StmtKind::PushFront(place, _)
            | StmtKind::PopFront(place, _)
            | StmtKind::Lookahead(place)
            | StmtKind::Emit(place) => self.place(place),
            StmtKind::If { condition, then, otherwise } => {
                self.is_bool(condition);
                self.block(then);
                self.block(otherwise);
            }
            StmtKind::Switch { on, cases, default } => {
                self.expr(on);
                assert!(self.is_scalar(on.ty));
                let mut values: Vec<&BigUint> = cases.iter().flat_map(|case| &case.values).collect();
                let count = values.len();
                values.sort();
                values.dedup();
                assert_eq!(values.len(), count, "a value is in two cases");
                cases.iter().for_each(|case| self.block(&case.body));
                self.block(default);
            }
            StmtKind::Loop { before, condition, body, update } => {
                self.block(before);
                self.is_bool(condition);
                self.block(body);
                self.block(update);
            }
            StmtKind::Call { function, after } => {
                assert!(function.index() < self.program.functions.len());
                self.block(after);
            }
            StmtKind::CallParser { parser, after } => {
                assert!(parser.index() < self.program.parsers.len());
                self.block(after);
            }
            StmtKind::Apply { table, .. } => assert!(table.index() < self.program.tables.len()),
            StmtKind::Extract { to, length } => {
                self.place(to);
                assert!(self.program.types.is_header(to.ty));
                if let Some(length) = length {
                    self.expr(length);
                }
            }
            StmtKind::Advance(bits) => self.expr(bits),
            StmtKind::Verify { condition, error } => {
                self.is_bool(condition);
                self.expr(error);
                assert_eq!(self.ty(error.ty), Type::Error);
            }
            StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return
            | StmtKind::Exit
            | StmtKind::Extern(_) => {}
        }
    }

    fn transition(&self, transition: &Transition, states: usize) {
        let target = |to: &Target| match to {
            Target::State(state) => assert!(state.index() < states),
            Target::Accept | Target::Reject => {}
        };
        match transition {
            Transition::To(to) => target(to),
            Transition::Select { on, cases } => {
                on.iter().for_each(|e| self.expr(e));
                assert!(on.iter().all(|e| self.is_scalar(e.ty)));
                for case in cases {
                    target(&case.to);
                    let single = matches!(case.keys[..], [KeySet::Any] | [KeySet::ValueSet(_)]);
                    assert!(single || case.keys.len() == on.len());
                    for (key, e) in case.keys.iter().zip(on) {
                        match key {
                            KeySet::Value(value) => assert_eq!(value.ty, e.ty),
                            KeySet::Mask(a, b) | KeySet::Range(a, b) => assert!(a.ty == e.ty && b.ty == e.ty),
                            KeySet::Any | KeySet::ValueSet(_) => {}
                        }
                    }
                }
            }
        }
    }

    fn place(&self, place: &Place) {
        let mut ty = self.program.variables[place.root.index()].ty;
        for step in &place.steps {
            ty = match (step, self.ty(ty)) {
                (Step::Field(field), Type::Composite(id)) => {
                    self.program.types.composite(id).fields[*field as usize].ty
                }
                (Step::Element(at), Type::Stack { element, size }) => {
                    assert!(*at < size);
                    element
                }
                (Step::Index(index), Type::Stack { element, .. }) => {
                    self.expr(index);
                    self.width(index.ty);
                    element
                }
                (Step::Next | Step::Last, Type::Stack { element, .. }) => element,
                (step, ty) => panic!("{step:?} into {ty:?}"),
            };
        }
        assert_eq!(ty, place.ty, "{place:?}");
    }

    fn expr(&self, e: &Expr) {
        match &e.kind {
            ExprKind::Constant(value) => match self.ty(e.ty) {
                Type::Bits { width, .. } => assert!(value.bits() <= u64::from(width), "{e:?}"),
                Type::Bool => assert!(value.bits() <= 1),
                Type::Error | Type::Enum(_) => {}
                other => panic!("a constant of type {other:?}"),
            },
            ExprKind::Read(place) => {
                self.place(place);
                assert_eq!(place.ty, e.ty);
            }
            ExprKind::Unary(operator, of) => {
                self.expr(of);
                assert_eq!(of.ty, e.ty);
                assert_eq!(self.ty(e.ty) == Type::Bool, *operator == UnaryOp::Not);
            }
            ExprKind::Binary(operator, left, right) => self.binary(*operator, left, right, e),
            ExprKind::Conditional(condition, then, otherwise) => {
                self.is_bool(condition);
                self.expr(then);
                self.expr(otherwise);
                assert!(then.ty == e.ty && otherwise.ty == e.ty, "{e:?}");
            }
            ExprKind::Slice { of, high, low } => {
                self.expr(of);
                assert!(low <= high && *high < self.width(of.ty));
                assert_eq!(self.width(e.ty), high - low + 1);
            }
            ExprKind::Cast(of) => {
                self.expr(of);
                assert!(self.is_scalar(of.ty) && self.is_scalar(e.ty), "{e:?}");
            }
            ExprKind::Aggregate(items) => {
                items.iter().for_each(|item| self.expr(item));
                let tys: Vec<TypeId> = items.iter().map(|item| item.ty).collect();
                let wanted: Vec<TypeId> = match self.ty(e.ty) {
                    Type::Composite(id) => {
                        self.program.types.composite(id).fields.iter().map(|field| field.ty).collect()
                    }
                    Type::Stack { element, size } => vec![element; size as usize],
                    other => panic!("an aggregate of type {other:?}"),
                };
                assert_eq!(tys, wanted, "{e:?}");
            }
            ExprKind::Invalid => assert!(!self.is_scalar(e.ty), "{e:?}"),
            ExprKind::IsValid(place)
            | ExprKind::LastIndex(place)
            | ExprKind::NextIndex(place)
            | ExprKind::SizeInBits(place) => self.place(place),
            ExprKind::PacketLength => {}
        }
    }

    fn binary(&self, operator: BinaryOp, left: &Expr, right: &Expr, e: &Expr) {
        self.expr(left);
        self.expr(right);
        match operator {
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => {
                assert_eq!(left.ty, e.ty);
                self.width(right.ty);
            }
            BinaryOp::Concat => {
                assert_eq!(self.width(left.ty) + self.width(right.ty), self.width(e.ty));
            }
            BinaryOp::And | BinaryOp::Or => {
                assert!(self.ty(left.ty) == Type::Bool && self.ty(right.ty) == Type::Bool);
            }
            BinaryOp::Equal | BinaryOp::NotEqual => {
                assert_eq!(left.ty, right.ty, "{e:?}");
                assert_eq!(self.ty(e.ty), Type::Bool);
            }
            BinaryOp::Less | BinaryOp::LessOrEqual | BinaryOp::Greater | BinaryOp::GreaterOrEqual => {
                assert_eq!(left.ty, right.ty);
                self.width(left.ty);
                assert_eq!(self.ty(e.ty), Type::Bool);
            }
            _ => {
                assert!(left.ty == e.ty && right.ty == e.ty, "{e:?}");
                self.width(e.ty);
            }
        }
    }
}

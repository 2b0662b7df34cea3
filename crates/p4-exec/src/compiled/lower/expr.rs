//! Expressions.

use super::place::Location;
use super::{Label, Lowering};
use crate::compiled::code::Op;
use crate::compiled::plan::{EqualPlan, Wide, WideKind};
use jettison_p4_front::ir::{
    BinaryOp, CompositeKind, Expr, ExprKind, Place, Step, Type, TypeId, UnaryOp, VarId,
};

/// 64 minus a nonzero width.
fn cut(width: u32) -> u8 {
    (64 - width) as u8
}

impl Lowering<'_> {
    /// Slot of a value: that of a constant or variable, or a temporary that receives the value.
    pub(super) fn operand(&mut self, expr: &Expr) -> u32 {
        if let Some(value) = self.fold(expr) {
            return self.constant(value);
        }
        let words = self.layout.words(expr.ty);
        match &expr.kind {
            ExprKind::Constant(value) => self.constant_bits(value, self.layout.types.bits(expr.ty)),
            ExprKind::Read(place) => {
                let at = self.locate(place);
                self.read(at, words)
            }
            ExprKind::IsValid(place) if self.layout.kind(place.ty) == Some(CompositeKind::Header) => {
                let at = self.locate(place);
                self.read(at, 1)
            }
            ExprKind::NextIndex(place) => {
                let at = self.locate(place);
                self.read(at, 1)
            }
            ExprKind::Cast(inner) if self.is_free(inner.ty, expr.ty) => self.operand(inner),
            ExprKind::Slice { of, low, .. } if *low == 0 && self.same_bits(of.ty, expr.ty) => {
                self.operand(of)
            }
            _ => {
                let to = self.temporary(words);
                self.into(expr, to);
                to
            }
        }
    }

    /// The operand of a shift or index in one word; larger values become 2^64 - 1.
    pub(super) fn amount(&mut self, expr: &Expr) -> u32 {
        let slot = self.operand(expr);
        let bits = self.layout.types.bits(expr.ty);
        if bits <= 64 {
            return slot;
        }
        let to = self.temporary(1);
        self.wide(Wide { kind: WideKind::Clamp, to, a: slot, b: 0, bits, other: 0 });
        to
    }

    /// Computes a value into slots. If it takes several words, it must not read these slots.
    pub(super) fn into(&mut self, expr: &Expr, to: u32) {
        if let Some(value) = self.fold(expr) {
            let from = self.constant(value);
            return self.copy(to, from, 1);
        }
        let words = self.layout.words(expr.ty);
        match &expr.kind {
            ExprKind::Constant(_) => {
                let from = self.operand(expr);
                self.copy(to, from, words);
            }
            ExprKind::Read(place) => {
                let at = self.locate(place);
                self.load(to, at, words);
            }
            ExprKind::Unary(op, inner) => self.unary(*op, inner, to),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, expr.ty, to),
            ExprKind::Conditional(condition, then, otherwise) => {
                self.conditional(condition, then, otherwise, to)
            }
            ExprKind::Slice { of, high, low } => {
                let from = self.operand(of);
                let bits = self.layout.types.bits(of.ty);
                self.slice(to, from, bits, *low, high - low + 1);
            }
            ExprKind::Cast(inner) => {
                if self.layout.is_scalar(expr.ty) {
                    self.cast_scalar(inner, expr.ty, to);
                } else {
                    let from = self.operand(inner);
                    self.cast(from, inner.ty, to, expr.ty);
                }
            }
            ExprKind::Aggregate(items) => self.aggregate(items, expr.ty, to),
            ExprKind::Invalid => self.emit(Op::Zero { to, count: words }),
            ExprKind::IsValid(place) => {
                let at = self.locate(place);
                let validities = self.validities(at, place.ty);
                let slots: Vec<u32> = validities.into_iter().map(|at| self.read(at, 1)).collect();
                self.any(&slots, to);
            }
            ExprKind::LastIndex(place) => {
                let at = self.locate(place);
                let (a, b) = (self.read(at, 1), self.constant(1));
                self.emit(Op::Subtract { cut: cut(32), to, a, b });
            }
            ExprKind::NextIndex(place) => {
                let at = self.locate(place);
                self.load(to, at, 1);
            }
            ExprKind::PacketLength => self.emit(Op::PacketLength { to }),
            ExprKind::SizeInBits(place) => self.size_in_bits(place, to),
        }
    }

    fn unary(&mut self, op: UnaryOp, inner: &Expr, to: u32) {
        let a = self.operand(inner);
        let width = self.layout.types.bits(inner.ty);
        match op {
            _ if width == 0 => self.copy(to, a, 1),
            UnaryOp::Not => {
                let b = self.constant(1);
                self.emit(Op::Xor { to, a, b });
            }
            UnaryOp::Complement => {
                let ones = (num_bigint::BigUint::from(1u8) << width) - 1u8;
                let b = self.constant_bits(&ones, width);
                if width <= 64 {
                    self.emit(Op::Xor { to, a, b });
                } else {
                    self.wide(Wide { kind: WideKind::Xor, to, a, b, bits: width, other: 0 });
                }
            }
            UnaryOp::Negate => {
                let zero = self.zeros(self.layout.words(inner.ty));
                if width <= 64 {
                    self.emit(Op::Subtract { cut: cut(width), to, a: zero, b: a });
                } else {
                    self.wide(Wide { kind: WideKind::Subtract, to, a: zero, b: a, bits: width, other: 0 });
                }
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr, ty: TypeId, to: u32) {
        if !self.layout.is_scalar(left.ty) {
            return self.equal(left, right, op == BinaryOp::NotEqual, to);
        }
        if matches!(op, BinaryOp::And | BinaryOp::Or) && may_fail(right) {
            return self.short_circuit(op, left, right, to);
        }
        let width = self.layout.types.bits(left.ty);
        let signed = self.layout.is_signed(left.ty);
        if width > 64 || self.layout.types.bits(ty) > 64 {
            return self.wide_binary(op, left, right, ty, to);
        }
        let a = self.operand(left);
        let b = match op {
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => self.amount(right),
            _ => self.operand(right),
        };
        if width == 0 {
            // Both operands of a comparison are 0; for a concatenation, only the right one matters.
            let result = match op {
                BinaryOp::Concat => b,
                BinaryOp::Equal | BinaryOp::LessOrEqual | BinaryOp::GreaterOrEqual => self.constant(1),
                _ => self.constant(0),
            };
            return self.copy(to, result, 1);
        }
        let cut = cut(width);
        self.emit(match op {
            BinaryOp::Add => Op::Add { cut, to, a, b },
            BinaryOp::Subtract => Op::Subtract { cut, to, a, b },
            BinaryOp::AddSaturating => Op::AddSaturating { cut, signed, to, a, b },
            BinaryOp::SubtractSaturating => Op::SubtractSaturating { cut, signed, to, a, b },
            BinaryOp::Multiply => Op::Multiply { cut, to, a, b },
            BinaryOp::Divide => Op::Divide { to, a, b },
            BinaryOp::Modulo => Op::Modulo { to, a, b },
            BinaryOp::ShiftLeft => Op::ShiftLeft { cut, to, a, b },
            BinaryOp::ShiftRight if signed => Op::ShiftRightSigned { cut, to, a, b },
            BinaryOp::ShiftRight => Op::ShiftRight { to, a, b },
            BinaryOp::BitAnd | BinaryOp::And => Op::And { to, a, b },
            BinaryOp::BitOr | BinaryOp::Or => Op::Or { to, a, b },
            BinaryOp::BitXor => Op::Xor { to, a, b },
            // The right operand has fewer than 64 bits, because the left one is not empty.
            BinaryOp::Concat => Op::Concat { shift: self.layout.types.bits(right.ty) as u8, to, a, b },
            BinaryOp::Equal => Op::Equal { to, a, b },
            BinaryOp::NotEqual => Op::NotEqual { to, a, b },
            BinaryOp::Less if signed => Op::LessSigned { cut, to, a, b },
            BinaryOp::LessOrEqual if signed => Op::LessOrEqualSigned { cut, to, a, b },
            BinaryOp::Greater if signed => Op::LessSigned { cut, to, a: b, b: a },
            BinaryOp::GreaterOrEqual if signed => Op::LessOrEqualSigned { cut, to, a: b, b: a },
            BinaryOp::Less => Op::Less { to, a, b },
            BinaryOp::LessOrEqual => Op::LessOrEqual { to, a, b },
            BinaryOp::Greater => Op::Less { to, a: b, b: a },
            BinaryOp::GreaterOrEqual => Op::LessOrEqual { to, a: b, b: a },
        });
    }

    /// Lowers `&&` or `||` whose right operand may raise a parser error if it is evaluated.
    fn short_circuit(&mut self, op: BinaryOp, left: &Expr, right: &Expr, to: u32) {
        let (decided, end) = (self.label(), self.label());
        let by = op == BinaryOp::Or;
        self.branch(left, decided, by);
        self.into(right, to);
        self.jump(end);
        self.place(decided);
        let value = self.constant(u64::from(by));
        self.copy(to, value, 1);
        self.place(end);
    }

    /// Lowers `==` or `!=` on composites and varbits.
    fn equal(&mut self, left: &Expr, right: &Expr, negated: bool, to: u32) {
        let (a, b) = (self.operand(left), self.operand(right));
        let mut parts = Vec::new();
        self.layout.equal_parts(left.ty, 0, &mut parts);
        self.code.equals.push(EqualPlan { a, b, parts });
        self.emit(Op::EqualParts { to, plan: self.code.equals.len() as u32 - 1 });
        if negated {
            let b = self.constant(1);
            self.emit(Op::Xor { to, a: to, b });
        }
    }

    fn conditional(&mut self, condition: &Expr, then: &Expr, otherwise: &Expr, to: u32) {
        // If both sides already have slots, select without a jump.
        let ready = |expr: &Expr| match &expr.kind {
            ExprKind::Constant(_) => true,
            ExprKind::Read(place) => {
                place.steps.iter().all(|step| matches!(step, Step::Field(_) | Step::Element(_)))
            }
            _ => false,
        };
        if self.layout.is_narrow(then.ty) && ready(then) && ready(otherwise) {
            let condition = self.operand(condition);
            let (a, b) = (self.operand(then), self.operand(otherwise));
            let chosen = if to == condition || to == a { self.temporary(1) } else { to };
            self.copy(chosen, b, 1);
            self.emit(Op::CopyIf { to: chosen, condition, from: a });
            return self.copy(to, chosen, 1);
        }
        let (no, end) = (self.label(), self.label());
        self.branch(condition, no, false);
        self.into(then, to);
        self.jump(end);
        self.place(no);
        self.into(otherwise, to);
        self.place(end);
    }

    fn aggregate(&mut self, items: &[Expr], ty: TypeId, to: u32) {
        match self.layout.types.get(ty) {
            Type::Stack { size, .. } => {
                let from = self.constant(u64::from(size));
                self.copy(to, from, 1);
            }
            _ if self.layout.kind(ty) == Some(CompositeKind::Header) => {
                let from = self.constant(1);
                self.copy(to, from, 1);
            }
            _ => {}
        }
        for (item, (offset, _)) in items.iter().zip(self.layout.parts(ty)) {
            self.into(item, to + offset);
        }
    }

    /// Computes 1 if any of the slots holds 1.
    fn any(&mut self, slots: &[u32], to: u32) {
        let zero = self.constant(0);
        match slots {
            [] => self.copy(to, zero, 1),
            [one] => self.copy(to, *one, 1),
            [first, second, rest @ ..] => {
                let sum = self.temporary(1);
                self.emit(Op::Or { to: sum, a: *first, b: *second });
                for slot in rest {
                    self.emit(Op::Or { to: sum, a: sum, b: *slot });
                }
                self.copy(to, sum, 1);
            }
        }
    }

    /// Computes the number of bits that an `emit` of the place would write.
    fn size_in_bits(&mut self, place: &Place, to: u32) {
        let at = self.locate(place);
        let slot = self.read(at, self.layout.words(place.ty));
        let sum = self.temporary(1);
        self.emit(Op::Zero { to: sum, count: 1 });
        self.add_size(slot, place.ty, sum);
        self.copy(to, sum, 1);
    }

    fn add_size(&mut self, slot: u32, ty: TypeId, sum: u32) {
        let end = self.label();
        match self.layout.types.get(ty) {
            Type::Varbit { .. } => self.emit(Op::Add { cut: cut(32), to: sum, a: sum, b: slot }),
            Type::Composite(_) | Type::Stack { .. } => {
                if self.layout.kind(ty) == Some(CompositeKind::Header) {
                    self.emit(Op::JumpUnless { condition: slot, to: end.0 });
                }
                let (scalars, others): (Vec<_>, Vec<_>) =
                    self.layout.parts(ty).into_iter().partition(|(_, part)| self.layout.is_scalar(*part));
                let bits: u32 = scalars.iter().map(|(_, part)| self.layout.types.bits(*part)).sum();
                let b = self.constant(u64::from(bits));
                self.emit(Op::Add { cut: cut(32), to: sum, a: sum, b });
                for (offset, part) in others {
                    self.add_size(slot + offset, part, sum);
                }
            }
            _ => {}
        }
        self.place(end);
    }

    /// Jumps to a label if a condition has a given value.
    pub(super) fn branch(&mut self, condition: &Expr, to: Label, when: bool) {
        if let Some(value) = self.fold(condition) {
            if (value == 1) == when {
                self.jump(to);
            }
            return;
        }
        let target = to.0;
        match &condition.kind {
            ExprKind::Unary(UnaryOp::Not, inner) => self.branch(inner, to, !when),
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                // By De Morgan, each operand alone decides the jump here; else the left one may skip it.
                if (*op == BinaryOp::Or) == when {
                    self.branch(left, to, when);
                    self.branch(right, to, when);
                } else {
                    let skip = self.label();
                    self.branch(left, skip, !when);
                    self.branch(right, to, when);
                    self.place(skip);
                }
            }
            // Fused compare-and-jump: the instructions compare unsigned words.
            ExprKind::Binary(op, left, right)
                if self.layout.is_narrow(left.ty)
                    && self.layout.types.bits(left.ty) > 0
                    && (!self.layout.is_signed(left.ty)
                        || matches!(op, BinaryOp::Equal | BinaryOp::NotEqual)) =>
            {
                let (a, b) = (self.operand(left), self.operand(right));
                self.emit(match (op, when) {
                    (BinaryOp::Equal, true) | (BinaryOp::NotEqual, false) => {
                        Op::JumpEqual { a, b, to: target }
                    }
                    (BinaryOp::NotEqual, true) | (BinaryOp::Equal, false) => {
                        Op::JumpNotEqual { a, b, to: target }
                    }
                    (BinaryOp::Less, true) | (BinaryOp::GreaterOrEqual, false) => {
                        Op::JumpLess { a, b, to: target }
                    }
                    (BinaryOp::Greater, true) | (BinaryOp::LessOrEqual, false) => {
                        Op::JumpLess { a: b, b: a, to: target }
                    }
                    (BinaryOp::LessOrEqual, true) | (BinaryOp::Greater, false) => {
                        Op::JumpLessOrEqual { a, b, to: target }
                    }
                    (BinaryOp::GreaterOrEqual, true) | (BinaryOp::Less, false) => {
                        Op::JumpLessOrEqual { a: b, b: a, to: target }
                    }
                    _ => unreachable!("no other operator returns a bool"),
                });
            }
            _ => {
                let condition = self.operand(condition);
                self.emit(if when {
                    Op::JumpIf { condition, to: target }
                } else {
                    Op::JumpUnless { condition, to: target }
                });
            }
        }
    }

    /// Whether a conversion changes no bits.
    fn is_free(&self, from: TypeId, to: TypeId) -> bool {
        if !self.layout.is_scalar(from) || !self.layout.is_scalar(to) {
            return from == to;
        }
        let (from_bits, to_bits) = (self.layout.types.bits(from), self.layout.types.bits(to));
        from_bits == to_bits || (from_bits < to_bits && to_bits <= 64 && !self.layout.is_signed(from))
    }

    fn same_bits(&self, a: TypeId, b: TypeId) -> bool {
        self.layout.types.bits(a) == self.layout.types.bits(b)
    }

    fn cast_scalar(&mut self, inner: &Expr, ty: TypeId, to: u32) {
        if self.is_free(inner.ty, ty) {
            return self.into(inner, to);
        }
        let from = self.operand(inner);
        self.cast_slots(from, inner.ty, to, ty);
    }

    fn cast_slots(&mut self, from: u32, from_ty: TypeId, to: u32, ty: TypeId) {
        let (from_bits, to_bits) = (self.layout.types.bits(from_ty), self.layout.types.bits(ty));
        let signed = self.layout.is_signed(from_ty);
        if to_bits <= from_bits {
            self.slice(to, from, from_bits, 0, to_bits);
        } else if from_bits == 0 {
            let count = self.layout.words(ty);
            self.emit(Op::Zero { to, count });
        } else if to_bits > 64 {
            let kind = if signed { WideKind::ExtendSigned } else { WideKind::Extend };
            self.wide(Wide { kind, to, a: from, b: 0, bits: from_bits, other: to_bits });
        } else if signed {
            self.emit(Op::SignExtend { from_cut: cut(from_bits), cut: cut(to_bits), to, from });
        } else {
            self.copy(to, from, 1);
        }
    }

    /// Converts between composites of the same shape.
    fn cast(&mut self, from: u32, from_ty: TypeId, to: u32, ty: TypeId) {
        if from_ty == ty || matches!(self.layout.types.get(ty), Type::Varbit { .. }) {
            return self.copy(to, from, self.layout.words(ty));
        }
        if self.layout.is_scalar(ty) {
            return self.cast_slots(from, from_ty, to, ty);
        }
        let header = Some(CompositeKind::Header);
        if self.layout.kind(ty) == header {
            let one = self.constant(1);
            let validity = if self.layout.kind(from_ty) == header { from } else { one };
            self.copy(to, validity, 1);
        } else if matches!(self.layout.types.get(ty), Type::Stack { .. }) {
            // The next index.
            self.copy(to, from, 1);
        }
        let parts = self.layout.parts(from_ty).into_iter().zip(self.layout.parts(ty));
        for ((from_at, from_part), (to_at, part)) in parts {
            self.cast(from + from_at, from_part, to + to_at, part);
        }
    }
}

/// Whether an expression reads a variable.
pub(super) fn reads(expr: &Expr, var: VarId) -> bool {
    any_place(expr, &|place| place.root == var)
}

/// Whether evaluation of the expression may raise a parser error.
pub(super) fn may_fail(expr: &Expr) -> bool {
    any_place(expr, &|place| place.steps.iter().any(|step| matches!(step, Step::Next | Step::Last)))
}

/// Whether any place that an expression reads, including its indices, satisfies the predicate.
fn any_place(expr: &Expr, test: &impl Fn(&Place) -> bool) -> bool {
    let of_place = |place: &Place| {
        let index = |step: &Step| matches!(step, Step::Index(index) if any_place(index, test));
        test(place) || place.steps.iter().any(index)
    };
    match &expr.kind {
        ExprKind::Constant(_) | ExprKind::Invalid | ExprKind::PacketLength => false,
        ExprKind::Read(place)
        | ExprKind::IsValid(place)
        | ExprKind::LastIndex(place)
        | ExprKind::NextIndex(place)
        | ExprKind::SizeInBits(place) => of_place(place),
        ExprKind::Unary(_, inner) | ExprKind::Cast(inner) | ExprKind::Slice { of: inner, .. } => {
            any_place(inner, test)
        }
        ExprKind::Binary(_, left, right) => any_place(left, test) || any_place(right, test),
        ExprKind::Conditional(condition, then, otherwise) => {
            [condition, then, otherwise].iter().any(|expr| any_place(expr, test))
        }
        ExprKind::Aggregate(items) => items.iter().any(|item| any_place(item, test)),
    }
}

impl Lowering<'_> {
    /// Computes a value into a place. It uses a temporary if the value reads the written place, or if a parser error
    /// may interrupt the write.
    pub(super) fn assign(&mut self, place: &Place, value: &Expr) {
        let words = self.layout.words(place.ty);
        match self.locate(place) {
            Location::Fixed(slot) if words <= 1 || !(reads(value, place.root) || may_fail(value)) => {
                self.into(value, slot);
            }
            at => {
                let from = self.operand(value);
                self.store(at, from, words);
            }
        }
    }
}

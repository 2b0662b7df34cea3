//! Values of more than 64 bits, and slices of them.

use super::Lowering;
use crate::compiled::code::Op;
use crate::compiled::plan::{Wide, WideKind};
use jettison_p4_front::ir::{BinaryOp, Expr, TypeId};

impl Lowering<'_> {
    pub(super) fn wide(&mut self, wide: Wide) {
        self.code.wides.push(wide);
        self.emit(Op::Wide { plan: self.code.wides.len() as u32 - 1 });
    }

    /// Lowers an operator with an operand or result wider than 64 bits.
    pub(super) fn wide_binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr, ty: TypeId, to: u32) {
        let bits = self.layout.types.bits(left.ty);
        let signed = self.layout.is_signed(left.ty);
        let a = self.operand(left);
        // A concatenation needs no instruction of its own: extend the right operand, insert the left one.
        if op == BinaryOp::Concat {
            let b = self.operand(right);
            let low = self.layout.types.bits(right.ty);
            let all = self.layout.types.bits(ty);
            self.wide(Wide { kind: WideKind::Extend, to, a: b, b: 0, bits: low, other: all });
            return self.insert(to, all, a, low, bits);
        }
        let b = match op {
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => self.amount(right),
            _ => self.operand(right),
        };
        let (kind, a, b) = match (op, signed) {
            (BinaryOp::Add, _) => (WideKind::Add, a, b),
            (BinaryOp::Subtract, _) => (WideKind::Subtract, a, b),
            (BinaryOp::AddSaturating, false) => (WideKind::AddSaturating, a, b),
            (BinaryOp::AddSaturating, true) => (WideKind::AddSaturatingSigned, a, b),
            (BinaryOp::SubtractSaturating, false) => (WideKind::SubtractSaturating, a, b),
            (BinaryOp::SubtractSaturating, true) => (WideKind::SubtractSaturatingSigned, a, b),
            (BinaryOp::Multiply, _) => (WideKind::Multiply, a, b),
            (BinaryOp::Divide, _) => (WideKind::Divide, a, b),
            (BinaryOp::Modulo, _) => (WideKind::Modulo, a, b),
            (BinaryOp::ShiftLeft, _) => (WideKind::ShiftLeft, a, b),
            (BinaryOp::ShiftRight, false) => (WideKind::ShiftRight, a, b),
            (BinaryOp::ShiftRight, true) => (WideKind::ShiftRightSigned, a, b),
            (BinaryOp::BitAnd | BinaryOp::And, _) => (WideKind::And, a, b),
            (BinaryOp::BitOr | BinaryOp::Or, _) => (WideKind::Or, a, b),
            (BinaryOp::BitXor, _) => (WideKind::Xor, a, b),
            (BinaryOp::Equal, _) => (WideKind::Equal, a, b),
            (BinaryOp::NotEqual, _) => (WideKind::NotEqual, a, b),
            (BinaryOp::Less, false) => (WideKind::Less, a, b),
            (BinaryOp::Less, true) => (WideKind::LessSigned, a, b),
            (BinaryOp::LessOrEqual, false) => (WideKind::LessOrEqual, a, b),
            (BinaryOp::LessOrEqual, true) => (WideKind::LessOrEqualSigned, a, b),
            (BinaryOp::Greater, false) => (WideKind::Less, b, a),
            (BinaryOp::Greater, true) => (WideKind::LessSigned, b, a),
            (BinaryOp::GreaterOrEqual, false) => (WideKind::LessOrEqual, b, a),
            (BinaryOp::GreaterOrEqual, true) => (WideKind::LessOrEqualSigned, b, a),
            (BinaryOp::Concat, _) => unreachable!("handled above"),
        };
        self.wide(Wide { kind, to, a, b, bits, other: 0 });
    }

    /// Extracts bits `low..low + width` of a value of `bits` bits.
    pub(super) fn slice(&mut self, to: u32, from: u32, bits: u32, low: u32, width: u32) {
        let (word, within) = (low / 64, low % 64);
        if width == 0 {
            self.emit(Op::Zero { to, count: 1 });
        } else if width == bits {
            self.copy(to, from, width.div_ceil(64));
        } else if within + width <= 64 {
            self.emit(Op::Slice { low: within as u8, cut: (64 - width) as u8, to, from: from + word });
        } else {
            self.wide(Wide { kind: WideKind::Slice, to, a: from, b: bits, bits: width, other: low });
        }
    }

    /// Replaces bits `low..low + width` of a value of `bits` bits.
    pub(super) fn insert(&mut self, to: u32, bits: u32, from: u32, low: u32, width: u32) {
        let (word, within) = (low / 64, low % 64);
        if width == 0 {
            // Empty range: nothing to replace.
        } else if width == bits {
            self.copy(to, from, width.div_ceil(64));
        } else if within + width <= 64 {
            self.emit(Op::Insert { low: within as u8, cut: (64 - width) as u8, to: to + word, from });
        } else {
            self.wide(Wide { kind: WideKind::Insert, to, a: from, b: bits, bits: width, other: low });
        }
    }
}

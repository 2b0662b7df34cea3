//! Constant folding of values of up to 64 bits.

use super::Lowering;
use super::expr::may_fail;
use crate::compiled::scalar;
use jettison_p4_front::ir::{BinaryOp, Expr, ExprKind, UnaryOp};

impl Lowering<'_> {
    /// Value of a scalar of up to 64 bits, if it is constant.
    pub(super) fn fold(&self, expr: &Expr) -> Option<u64> {
        if !self.layout.is_narrow(expr.ty) {
            return None;
        }
        let width = self.layout.types.bits(expr.ty);
        if width == 0 {
            return (!may_fail(expr)).then_some(0);
        }
        let cut = (64 - width) as u8;
        match &expr.kind {
            ExprKind::Constant(value) => {
                Some(scalar::cut_to(value.iter_u64_digits().next().unwrap_or(0), cut))
            }
            ExprKind::Invalid => Some(0),
            ExprKind::Unary(UnaryOp::Not, inner) => Some(self.fold(inner)? ^ 1),
            ExprKind::Unary(UnaryOp::Complement, inner) => Some(scalar::cut_to(!self.fold(inner)?, cut)),
            ExprKind::Unary(UnaryOp::Negate, inner) => {
                Some(scalar::cut_to(self.fold(inner)?.wrapping_neg(), cut))
            }
            ExprKind::Binary(op, left, right) => self.fold_binary(*op, left, right, cut),
            ExprKind::Conditional(condition, then, otherwise) => {
                self.fold(if self.fold(condition)? == 1 { then } else { otherwise })
            }
            ExprKind::Slice { of, low, .. } => Some(scalar::cut_to(self.fold(of)? >> low, cut)),
            ExprKind::Cast(inner) => {
                let value = self.fold(inner)?;
                let from = self.layout.types.bits(inner.ty);
                if self.layout.is_signed(inner.ty) && (1..width).contains(&from) {
                    return Some(scalar::sign_extend(value, (64 - from) as u8, cut));
                }
                Some(scalar::cut_to(value, cut))
            }
            _ => None,
        }
    }

    fn fold_binary(&self, op: BinaryOp, left: &Expr, right: &Expr, cut: u8) -> Option<u64> {
        let (a, b) = (self.fold(left)?, self.fold(right)?);
        let width = self.layout.types.bits(left.ty);
        let signed = self.layout.is_signed(left.ty);
        // Bias that makes two's complement compare as unsigned.
        let biased = |value: u64| if signed && width > 0 { value ^ (1 << (width - 1)) } else { value };
        let (x, y) = (biased(a), biased(b));
        Some(match op {
            BinaryOp::Add => scalar::cut_to(a.wrapping_add(b), cut),
            BinaryOp::Subtract => scalar::cut_to(a.wrapping_sub(b), cut),
            BinaryOp::AddSaturating => scalar::add_saturating(a, b, cut, signed),
            BinaryOp::SubtractSaturating => scalar::subtract_saturating(a, b, cut, signed),
            BinaryOp::Multiply => scalar::cut_to(a.wrapping_mul(b), cut),
            BinaryOp::Divide => a.checked_div(b).unwrap_or(0),
            BinaryOp::Modulo => a.checked_rem(b).unwrap_or(0),
            BinaryOp::ShiftLeft => scalar::shift_left(a, b, cut),
            BinaryOp::ShiftRight if signed => scalar::shift_right_signed(a, b, cut),
            BinaryOp::ShiftRight => scalar::shift_right(a, b),
            BinaryOp::BitAnd | BinaryOp::And => a & b,
            BinaryOp::BitOr | BinaryOp::Or => a | b,
            BinaryOp::BitXor => a ^ b,
            BinaryOp::Concat => scalar::shift_left(a, u64::from(self.layout.types.bits(right.ty)), cut) | b,
            BinaryOp::Equal => u64::from(a == b),
            BinaryOp::NotEqual => u64::from(a != b),
            BinaryOp::Less => u64::from(x < y),
            BinaryOp::LessOrEqual => u64::from(x <= y),
            BinaryOp::Greater => u64::from(x > y),
            BinaryOp::GreaterOrEqual => u64::from(x >= y),
        })
    }
}

//! Compile-time arithmetic, and declarations of constants.

use std::sync::Arc;

use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{One, ToPrimitive, Zero};

use super::Checker;
use super::scope::Entity;
use super::ty::Ty;
use super::value::{Kind, Value};
use crate::source::Span;
use crate::syntax::ast::{BinaryOp, Expr, Name, TypeRef};

/// Maximum size of an `int` in bits.
pub(super) const MAX_BITS: u64 = 1 << 15;

impl<'a> Checker<'a> {
    /// Elaborates `const T x = e;`.
    pub(super) fn constant(&mut self, ty: &'a TypeRef, name: &'a Name, value: &'a Expr) -> Option<Entity> {
        let ty = self.ty(ty)?;
        let given = self.expr(value)?;
        let converted = self.convert(given, &ty, value.span)?;
        if !converted.is_constant() {
            let message = format!("the value of the constant `{}` must be known at compile time", name.text);
            return self.error(value.span, message);
        }
        Some(Entity::Value(converted))
    }

    /// Evaluates an operation on two numbers of the same type. `None` is an error that has been reported.
    pub(super) fn fold(
        &mut self,
        operator: BinaryOp,
        ty: &Ty,
        left: &BigInt,
        right: &BigInt,
        span: Span,
    ) -> Option<Kind> {
        let number = match operator {
            BinaryOp::Add | BinaryOp::AddSaturating => left + right,
            BinaryOp::Subtract | BinaryOp::SubtractSaturating => left - right,
            BinaryOp::Multiply => {
                if left.bits() + right.bits() > MAX_BITS {
                    return self.error(span, format!("integer must have at most {MAX_BITS} bits"));
                }
                left * right
            }
            BinaryOp::Divide | BinaryOp::Modulo => {
                if right.is_zero() {
                    return self.error(span, "division by zero");
                }
                if left.sign() == Sign::Minus || right.sign() == Sign::Minus {
                    return self.error(span, "division and modulo require non-negative operands");
                }
                if operator == BinaryOp::Divide { left / right } else { left % right }
            }
            BinaryOp::BitAnd => left & right,
            BinaryOp::BitOr => left | right,
            BinaryOp::BitXor => left ^ right,
            BinaryOp::Equal => return Some(Kind::Bool(left == right)),
            BinaryOp::NotEqual => return Some(Kind::Bool(left != right)),
            BinaryOp::Less => return Some(Kind::Bool(left < right)),
            BinaryOp::LessOrEqual => return Some(Kind::Bool(left <= right)),
            BinaryOp::Greater => return Some(Kind::Bool(left > right)),
            BinaryOp::GreaterOrEqual => return Some(Kind::Bool(left >= right)),
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::Concat | BinaryOp::And | BinaryOp::Or => {
                return self.error(span, "operator is not defined for compile-time integers");
            }
        };
        let saturating = matches!(operator, BinaryOp::AddSaturating | BinaryOp::SubtractSaturating);
        Some(Kind::Int(if saturating { clamp(&number, ty) } else { wrap(&number, ty) }))
    }

    /// Evaluates a shift of a number.
    pub(super) fn fold_shift(
        &mut self,
        operator: BinaryOp,
        ty: &Ty,
        left: &BigInt,
        by: &BigInt,
        span: Span,
    ) -> Option<Kind> {
        let most = ty.width().map_or(MAX_BITS, u64::from);
        let far = by.to_u64().filter(|by| *by < most);
        let number = match (operator, far) {
            (BinaryOp::ShiftLeft, Some(by)) => {
                if ty.width().is_none() && left.bits() + by > MAX_BITS {
                    return self.error(span, format!("integer must have at most {MAX_BITS} bits"));
                }
                left << by
            }
            (BinaryOp::ShiftLeft, None) => {
                if ty.width().is_none() && !left.is_zero() {
                    return self.error(span, format!("integer must have at most {MAX_BITS} bits"));
                }
                BigInt::zero()
            }
            (_, Some(by)) => left >> by,
            (_, None) => {
                if left.sign() == Sign::Minus {
                    -BigInt::one()
                } else {
                    BigInt::zero()
                }
            }
        };
        Some(Kind::Int(wrap(&number, ty)))
    }

    /// Evaluates the bits `high..=low` of a number.
    pub(super) fn fold_slice(&self, value: &BigInt, high: u32, low: u32) -> Value {
        let ty = Ty::Bit(high - low + 1);
        let number = wrap(&(value >> low), &ty);
        Value::int(ty, number)
    }

    /// Truncates a number to the width of a type, with a warning if this changes it.
    pub(super) fn fit_to_width(&mut self, number: &BigInt, ty: &Ty, span: Span) -> BigInt {
        let base = self.types.base(ty);
        let fitted = wrap(number, &base);
        // `8w255` and `-1` as `bit<8>` have the same bits, but only the former states its value.
        if fitted != *number && base.width() != Some(0) {
            let shown = self.types.show(ty);
            self.warn(span, format!("{number} does not fit into `{shown}` and becomes {fitted}"));
        }
        fitted
    }
}

/// Wraps a number into the range of a type (mod 2^width).
pub(super) fn wrap(number: &BigInt, ty: &Ty) -> BigInt {
    let Some(width) = ty.width() else { return number.clone() };
    let modulus = BigInt::one() << width;
    let mut rest = number % &modulus;
    if rest.sign() == Sign::Minus {
        rest += &modulus;
    }
    if ty.is_signed() && width > 0 && rest.bit(u64::from(width) - 1) {
        rest -= modulus;
    }
    rest
}

/// Clamps a number to the range of a type.
fn clamp(number: &BigInt, ty: &Ty) -> BigInt {
    let Some(width) = ty.width() else { return number.clone() };
    let (low, high) = if ty.is_signed() {
        let half = BigInt::one() << width.saturating_sub(1);
        (-half.clone(), half - 1)
    } else {
        (BigInt::zero(), (BigInt::one() << width) - 1)
    };
    number.clone().clamp(low, high)
}

/// Bit pattern of a number of a given width.
pub(super) fn pattern(number: &BigInt, width: u32) -> BigUint {
    let wrapped = wrap(number, &Ty::Bit(width));
    wrapped.to_biguint().unwrap_or_default()
}

/// The known name nearest to a misspelt one, if one is near.
pub(super) fn nearest<'b>(name: &str, known: impl Iterator<Item = &'b str>) -> Option<Arc<str>> {
    known
        .map(|known| (strsim::damerau_levenshtein(name, known), known))
        .filter(|(distance, known)| *distance > 0 && *distance <= 1 + known.len() / 4)
        .min()
        .map(|(_, known)| Arc::from(known))
}

//! Key sets in `select` and in table entries.

use num_bigint::BigInt;

use super::Checker;
use super::scope::Entity;
use super::ty::Ty;
use super::value::{Kind, Object, Value};
use crate::ir::ValueSetId;
use crate::source::Span;
use crate::syntax::ast::{Expr, ExprKind};

/// A key set before its context is known.
#[derive(Debug, Clone)]
pub(super) enum Set {
    Any,
    Value(Value),
    Mask(Value, Value),
    Range(Value, Value),
    Named(ValueSetId),
}

impl<'a> Checker<'a> {
    /// Elaborates a key set for values of a scalar type.
    pub(super) fn set(&mut self, e: &'a Expr, ty: &Ty) -> Option<Set> {
        match &e.kind {
            ExprKind::DontCare | ExprKind::Default => Some(Set::Any),
            ExprKind::Mask { value, mask } => {
                let (value, mask) = self.set_pair(value, mask, ty, e.span)?;
                Some(Set::Mask(value, mask))
            }
            ExprKind::Range { low, high } => {
                let (low, high) = self.set_pair(low, high, ty, e.span)?;
                if let (Kind::Int(low), Kind::Int(high)) = (&low.kind, &high.kind)
                    && low > high
                {
                    self.warn(e.span, "this range is empty");
                }
                Some(Set::Range(low, high))
            }
            _ => {
                if let Some(set) = self.named_set(e) {
                    return Some(Set::Named(set));
                }
                let value = self.operand(e)?;
                Some(Set::Value(self.set_value(value, ty, e.span)?))
            }
        }
    }

    /// The value set that an expression names.
    pub(super) fn named_set(&mut self, e: &'a Expr) -> Option<ValueSetId> {
        let ExprKind::Name { name, global } = &e.kind else { return None };
        match self.find(&name.text, *global)? {
            Entity::Object(Object::ValueSet(set), _) => Some(set),
            _ => None,
        }
    }

    fn set_pair(&mut self, a: &'a Expr, b: &'a Expr, ty: &Ty, span: Span) -> Option<(Value, Value)> {
        if self.types.base(ty).width().is_none() {
            let shown = self.types.show(ty);
            return self.error(span, format!("masks and ranges require numbers, found `{shown}`"));
        }
        let (first, second) = self.pair(span, |checker| checker.operand(a), |checker| checker.operand(b))?;
        Some((self.set_value(first, ty, a.span)?, self.set_value(second, ty, b.span)?))
    }

    fn set_value(&mut self, value: Value, ty: &Ty, span: Span) -> Option<Value> {
        // A number can denote a value of a serializable enum or a `type`.
        let base = self.types.base(ty);
        let value = match &value.ty {
            Ty::InfInt | Ty::Bit(_) | Ty::Int(_) if value.ty != *ty => self.convert(value, &base, span)?,
            own if own == ty => value,
            _ => self.convert(value, ty, span)?,
        };
        Some(value)
    }

    /// Number of leading ones of a mask, if all other bits are zero.
    pub(super) fn prefix(mask: &BigInt, width: u32) -> Option<u32> {
        let length = u32::try_from((0..u64::from(width)).filter(|bit| mask.bit(*bit)).count()).ok()?;
        let expected = ((BigInt::from(1) << length) - 1) << (width - length);
        (*mask == expected).then_some(length)
    }
}

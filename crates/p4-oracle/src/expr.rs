//! Expressions.

use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};

use super::Run;
use super::place::ParserError;
use super::value::{Value, cut, mask, number, pattern, saturated};
use jettison_p4_front::ir::{BinaryOp, CompositeKind, Expr, ExprKind, Type, TypeId, UnaryOp};

impl Run<'_> {
    /// Evaluates an expression. Only `next` and `last` in it can fail.
    pub fn eval(&self, expr: &Expr) -> Result<Value, ParserError> {
        let types = &self.program.types;
        Ok(match &expr.kind {
            ExprKind::Constant(value) => Value::Bits(value.clone()),
            ExprKind::Read(place) => self.read(place)?,
            ExprKind::Unary(op, of) => {
                let of = self.bits(of)?;
                let width = types.bits(expr.ty);
                Value::Bits(match op {
                    UnaryOp::Not => BigUint::from(u32::from(of.is_zero())),
                    UnaryOp::Complement => mask(width) ^ of,
                    UnaryOp::Negate => pattern(-BigInt::from(of), width),
                })
            }
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, expr.ty)?,
            ExprKind::Conditional(condition, then, otherwise) => {
                self.eval(if self.holds(condition)? { then } else { otherwise })?
            }
            ExprKind::Slice { of, high, low } => {
                let of = self.bits(of)?;
                Value::Bits(cut(of >> *low, high - low + 1))
            }
            ExprKind::Cast(of) => {
                let value = self.eval(of)?;
                self.cast(value, of.ty, expr.ty)
            }
            ExprKind::Aggregate(parts) => {
                let parts = parts.iter().map(|part| self.eval(part)).collect::<Result<Vec<_>, _>>()?;
                self.compose(expr.ty, parts, true)
            }
            ExprKind::Invalid => Value::zero(types, expr.ty),
            ExprKind::IsValid(place) => boolean(self.read(place)?.is_valid()),
            ExprKind::LastIndex(place) => {
                Value::Bits(BigUint::from(next_index(&self.read(place)?).wrapping_sub(1)))
            }
            ExprKind::NextIndex(place) => Value::Bits(BigUint::from(next_index(&self.read(place)?))),
            ExprKind::PacketLength => Value::Bits(cut(BigUint::from(self.packet_length), 32)),
            ExprKind::SizeInBits(place) => {
                Value::Bits(BigUint::from(self.size_in_bits(&self.read(place)?, place.ty)))
            }
        })
    }

    /// Evaluates a scalar expression to its bit pattern.
    pub fn bits(&self, expr: &Expr) -> Result<BigUint, ParserError> {
        Ok(match self.eval(expr)? {
            Value::Bits(bits) => bits,
            other => panic!("{other:?} is not a scalar: the checker rejects such programs"),
        })
    }

    /// Evaluates a condition.
    pub fn holds(&self, condition: &Expr) -> Result<bool, ParserError> {
        Ok(!self.bits(condition)?.is_zero())
    }

    fn binary(&self, op: BinaryOp, left: &Expr, right: &Expr, ty: TypeId) -> Result<Value, ParserError> {
        let types = &self.program.types;
        let a = self.eval(left)?;
        match op {
            // “Operations on Boolean types”: short-circuit.
            BinaryOp::And if a.bits().is_zero() => return Ok(boolean(false)),
            BinaryOp::Or if !a.bits().is_zero() => return Ok(boolean(true)),
            _ => {}
        }
        let b = self.eval(right)?;
        match op {
            BinaryOp::Equal => return Ok(boolean(a.equals(&b))),
            BinaryOp::NotEqual => return Ok(boolean(!a.equals(&b))),
            _ => {}
        }
        let (a, b) = (a.bits().clone(), b.bits().clone());
        let (width, signed) = (types.bits(left.ty), self.is_signed(left.ty));
        let (x, y) = (number(&a, width, signed), number(&b, width, signed));
        Ok(match op {
            BinaryOp::Add => Value::Bits(pattern(x + y, width)),
            BinaryOp::Subtract => Value::Bits(pattern(x - y, width)),
            BinaryOp::AddSaturating => Value::Bits(saturate(x + y, width, signed)),
            BinaryOp::SubtractSaturating => Value::Bits(saturate(x - y, width, signed)),
            BinaryOp::Multiply => Value::Bits(pattern(x * y, width)),
            BinaryOp::Divide => Value::Bits(if b.is_zero() { b } else { a / b }),
            BinaryOp::Modulo => Value::Bits(if b.is_zero() { b } else { a % b }),
            BinaryOp::ShiftLeft => {
                let by = saturated(&b);
                Value::Bits(if by >= u64::from(width) { BigUint::ZERO } else { cut(a << by, width) })
            }
            BinaryOp::ShiftRight => {
                // A larger shift has the same effect: `>>` of a BigInt iterations down, so the sign stays.
                let by = saturated(&b).min(u64::from(width));
                Value::Bits(pattern(x >> by, width))
            }
            BinaryOp::BitAnd => Value::Bits(a & b),
            BinaryOp::BitOr => Value::Bits(a | b),
            BinaryOp::BitXor => Value::Bits(a ^ b),
            BinaryOp::Concat => Value::Bits(cut((a << types.bits(right.ty)) | b, types.bits(ty))),
            BinaryOp::And | BinaryOp::Or => boolean(!b.is_zero()),
            BinaryOp::Less => boolean(x < y),
            BinaryOp::LessOrEqual => boolean(x <= y),
            BinaryOp::Greater => boolean(x > y),
            BinaryOp::GreaterOrEqual => boolean(x >= y),
            BinaryOp::Equal | BinaryOp::NotEqual => unreachable!("handled above"),
        })
    }

    /// Converts a value: scalars by their numbers, composites part by part.
    fn cast(&self, value: Value, from: TypeId, to: TypeId) -> Value {
        let types = &self.program.types;
        match value {
            Value::Bits(bits) => {
                Value::Bits(pattern(number(&bits, types.bits(from), self.is_signed(from)), types.bits(to)))
            }
            Value::Varbit { .. } => value,
            Value::Header { valid, fields } => {
                let fields = self.cast_parts(fields, from, to);
                self.compose(to, fields, valid)
            }
            Value::Struct(parts) | Value::Union(parts) => {
                let parts = self.cast_parts(parts, from, to);
                self.compose(to, parts, true)
            }
            Value::Stack { next, elements } => {
                match self.compose(to, self.cast_parts(elements, from, to), true) {
                    Value::Stack { elements, .. } => Value::Stack { next, elements },
                    other => other,
                }
            }
        }
    }

    fn cast_parts(&self, parts: Vec<Value>, from: TypeId, to: TypeId) -> Vec<Value> {
        let types = &self.program.types;
        let numbered = parts.into_iter().zip(0..);
        numbered.map(|(part, i)| self.cast(part, types.field(from, i), types.field(to, i))).collect()
    }

    /// Creates a composite or stack from its parts.
    fn compose(&self, ty: TypeId, parts: Vec<Value>, valid: bool) -> Value {
        let types = &self.program.types;
        match types.get(ty) {
            Type::Stack { size, .. } => Value::Stack { next: size, elements: parts },
            _ => match types.as_composite(ty).map(|composite| composite.kind) {
                Some(CompositeKind::Header) => Value::Header { valid, fields: parts },
                Some(CompositeKind::Union) => Value::Union(parts),
                Some(CompositeKind::Struct) => Value::Struct(parts),
                None => panic!("{:?} has no parts: the checker rejects such programs", types.get(ty)),
            },
        }
    }

    /// Number of bits that an `emit` of the value would write.
    fn size_in_bits(&self, value: &Value, ty: TypeId) -> u32 {
        let types = &self.program.types;
        match value {
            Value::Bits(_) => types.bits(ty),
            Value::Varbit { bits, .. } => *bits,
            Value::Header { valid: false, .. } => 0,
            _ => {
                let parts = value.parts().iter().zip(0..);
                parts.map(|(part, i)| self.size_in_bits(part, types.field(ty, i))).sum()
            }
        }
    }

    /// Whether a type is `int<W>`.
    pub fn is_signed(&self, ty: TypeId) -> bool {
        matches!(self.program.types.get(ty), Type::Bits { signed: true, .. })
    }
}

fn boolean(value: bool) -> Value {
    Value::Bits(BigUint::from(u32::from(value)))
}

fn next_index(value: &Value) -> u32 {
    match value {
        Value::Stack { next, .. } => *next,
        other => panic!("{other:?} is not a stack: the checker rejects such programs"),
    }
}

/// Clamps a number to the range of a type.
fn saturate(value: BigInt, width: u32, signed: bool) -> BigUint {
    let (low, high) = match (signed, width) {
        (_, 0) => (BigInt::ZERO, BigInt::ZERO),
        (true, _) => (-(BigInt::one() << (width - 1)), (BigInt::one() << (width - 1)) - 1),
        (false, _) => (BigInt::ZERO, (BigInt::one() << width) - 1),
    };
    pattern(value.clamp(low, high), width)
}

//! Run-time values.

use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{One, ToPrimitive, Zero};

use jettison_p4_front::ir::{CompositeKind, Type, TypeId, Types};

/// A value of any run-time type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    /// A scalar: a bit pattern, or an index.
    Bits(BigUint),
    /// A `varbit`: current length in bits, and bit pattern.
    Varbit { bits: u32, value: BigUint },
    /// A header with its validity and fields.
    Header { valid: bool, fields: Vec<Value> },
    /// A struct or tuple.
    Struct(Vec<Value>),
    /// A union of headers.
    Union(Vec<Value>),
    /// A stack with its next index.
    Stack { next: u32, elements: Vec<Value> },
}

impl Value {
    /// The initial value of a type: zero, headers invalid, stacks empty.
    pub fn zero(types: &Types, ty: TypeId) -> Value {
        match types.get(ty) {
            Type::Bool | Type::Bits { .. } | Type::Error | Type::Enum(_) => Value::Bits(BigUint::ZERO),
            Type::Varbit { .. } => Value::Varbit { bits: 0, value: BigUint::ZERO },
            Type::Stack { element, size } => {
                Value::Stack { next: 0, elements: vec![Value::zero(types, element); size as usize] }
            }
            Type::Composite(id) => {
                let composite = types.composite(id);
                let fields = composite.fields.iter().map(|field| Value::zero(types, field.ty)).collect();
                match composite.kind {
                    CompositeKind::Header => Value::Header { valid: false, fields },
                    CompositeKind::Union => Value::Union(fields),
                    CompositeKind::Struct => Value::Struct(fields),
                }
            }
        }
    }

    /// Bit pattern of a scalar or varbit.
    pub fn bits(&self) -> &BigUint {
        match self {
            Value::Bits(value) | Value::Varbit { value, .. } => value,
            other => panic!("{other:?} is not a scalar: the checker rejects such programs"),
        }
    }

    /// Direct parts of a value: fields, headers, elements.
    pub fn parts(&self) -> &[Value] {
        match self {
            Value::Bits(_) | Value::Varbit { .. } => &[],
            Value::Header { fields, .. } | Value::Struct(fields) | Value::Union(fields) => fields,
            Value::Stack { elements, .. } => elements,
        }
    }

    /// Direct parts of a value, mutable.
    pub fn parts_mut(&mut self) -> &mut [Value] {
        match self {
            Value::Bits(_) | Value::Varbit { .. } => &mut [],
            Value::Header { fields, .. } | Value::Struct(fields) | Value::Union(fields) => fields,
            Value::Stack { elements, .. } => elements,
        }
    }

    /// Whether a header, or any member of a union, is valid.
    pub fn is_valid(&self) -> bool {
        match self {
            Value::Header { valid, .. } => *valid,
            Value::Union(headers) => headers.iter().any(Value::is_valid),
            _ => false,
        }
    }

    /// Sets the validity of a header, or of every header in a union or stack element. Fields stay.
    pub fn set_validity(&mut self, to: bool) {
        match self {
            Value::Header { valid, .. } => *valid = to,
            Value::Union(headers) => headers.iter_mut().for_each(|header| header.set_validity(to)),
            _ => {}
        }
    }

    /// Collects the scalars and varbits of a value, in order.
    pub fn scalars<'a>(&'a self, into: &mut Vec<&'a Value>) {
        match self {
            Value::Bits(_) | Value::Varbit { .. } => into.push(self),
            _ => self.parts().iter().for_each(|part| part.scalars(into)),
        }
    }

    /// `==` of P4 (“Operations on headers”, “… on header stacks”): two invalid headers are equal, and a stack's next
    /// index is not compared.
    pub fn equals(&self, other: &Value) -> bool {
        let all = |a: &[Value], b: &[Value]| a.iter().zip(b).all(|(a, b)| a.equals(b));
        match (self, other) {
            (Value::Header { valid: a, fields: left }, Value::Header { valid: b, fields: right }) => {
                a == b && (!a || all(left, right))
            }
            (Value::Bits(_) | Value::Varbit { .. }, _) => self == other,
            _ => all(self.parts(), other.parts()),
        }
    }
}

/// 2^width - 1.
pub(super) fn mask(width: u32) -> BigUint {
    (BigUint::one() << width) - 1u32
}

/// Truncates mod 2^width.
pub(super) fn cut(value: BigUint, width: u32) -> BigUint {
    value & mask(width)
}

/// Number that a bit pattern represents.
pub(super) fn number(pattern: &BigUint, width: u32, signed: bool) -> BigInt {
    let value = BigInt::from_biguint(Sign::Plus, pattern.clone());
    if signed && width > 0 && pattern.bit(u64::from(width) - 1) {
        value - (BigInt::one() << width)
    } else {
        value
    }
}

/// Bit pattern of a number mod 2^width.
pub(super) fn pattern(number: BigInt, width: u32) -> BigUint {
    let modulus = BigInt::one() << width;
    let rest = ((number % &modulus) + &modulus) % &modulus;
    rest.to_biguint().expect("a non-negative number")
}

/// Converts to an index or length; larger values become 2^64 - 1.
pub(super) fn saturated(value: &BigUint) -> u64 {
    value.to_u64().unwrap_or(u64::MAX)
}

/// The low 64 bits.
pub(super) fn low(value: &BigUint) -> u64 {
    value.iter_u64_digits().next().unwrap_or(0)
}

/// Words of a value, lowest first, as in a key or register of this width.
pub(super) fn words(value: &BigUint, width: u32) -> impl Iterator<Item = u64> + '_ {
    let count = width.div_ceil(64).max(1) as usize;
    value.iter_u64_digits().chain(std::iter::repeat(0)).take(count)
}

/// Value from words, lowest first.
pub(super) fn from_words(words: &[u64]) -> BigUint {
    let zero = BigUint::zero();
    words.iter().rev().fold(zero, |value, word| (value << 64) | BigUint::from(*word))
}

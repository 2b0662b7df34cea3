//! Pure expressions and places.

use num_bigint::BigUint;

use super::{TypeId, VarId};

/// An expression without side effects. Evaluation never fails: where the specification leaves the value undefined (an
/// element of a stack out of range, a field of an invalid header), some value results.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    /// Operation.
    pub kind: ExprKind,
    /// Type of the result.
    pub ty: TypeId,
}

/// Operation of an expression.
#[derive(Debug, Clone, PartialEq)]
pub enum ExprKind {
    /// A constant as a bit pattern below 2^width. `bool` is 0 or 1; `error` and enums are the member's index.
    Constant(BigUint),
    /// The value at a place. An out-of-range stack index reads as zero, with all headers invalid.
    Read(Place),
    /// A prefix operator.
    Unary(UnaryOp, Box<Expr>),
    /// An infix operator. Both operands have the same type, except for shifts and concatenation.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `condition ? then : otherwise`, of any type. Only the chosen side is evaluated.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Bits `high..=low` of an expression of type `Bits`.
    Slice {
        /// The sliced expression.
        of: Box<Expr>,
        /// Highest bit.
        high: u32,
        /// Lowest bit.
        low: u32,
    },
    /// A conversion to this expression's type. Between `Bits` types: sign-extended if the source is signed, else
    /// zero-extended, or truncated. Between `bool` and `bit<1>`. Between composites of equal shape (a tuple and a
    /// struct, two headers): field by field.
    Cast(Box<Expr>),
    /// A struct, tuple, valid header or stack, with one expression per field. A stack's next index is its size.
    Aggregate(Vec<Expr>),
    /// An invalid header, an empty union, an empty stack, or a struct of these: all bits zero.
    Invalid,
    /// Whether the header (or any header of the union) at a place is valid.
    IsValid(Place),
    /// `lastIndex` of the stack at a place: its next index minus one, mod 2^32. `bit<32>`.
    LastIndex(Place),
    /// `nextIndex` of the stack at a place. `bit<32>`.
    NextIndex(Place),
    /// `packet_in.length()`: length of the whole packet in bytes. `bit<32>`.
    PacketLength,
    /// Current size in bits of the header at a place, 0 if it is invalid. `bit<32>`. Needed for `h.sizeInBits()` of
    /// headers with varbits; all other sizes are constants.
    SizeInBits(Place),
}

/// A prefix operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `!` on `bool`.
    Not,
    /// `~` on bits.
    Complement,
    /// `-` on bits, mod 2^width.
    Negate,
}

/// An infix operator. Operands of a signed type are two's complement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// Mod 2^width.
    Add,
    /// Mod 2^width.
    Subtract,
    /// Clamped to the range of the type.
    AddSaturating,
    /// Clamped to the range of the type.
    SubtractSaturating,
    /// Mod 2^width.
    Multiply,
    /// Unsigned; division by 0 gives 0.
    Divide,
    /// Unsigned; modulo 0 gives 0.
    Modulo,
    /// The right operand is unsigned, of any width. A shift by the width or more gives 0.
    ShiftLeft,
    /// Arithmetic if the left operand is signed, else logical. A shift by the width or more gives 0, or all sign bits.
    ShiftRight,
    /// Bitwise.
    BitAnd,
    /// Bitwise.
    BitOr,
    /// Bitwise.
    BitXor,
    /// The left operand forms the upper bits; the widths add up.
    Concat,
    /// On `bool`. The right operand is evaluated only if the left one is true. This matters only for `last` of an empty
    /// stack, because all other expressions are pure.
    And,
    /// On `bool`. The right operand is evaluated only if the left one is false.
    Or,
    /// On any type. Headers are equal if both are invalid, or if both are valid and their fields are equal. Unions,
    /// stacks and structs are equal if all their members are (a stack's next index is not compared). Varbits are
    /// compared with their lengths.
    Equal,
    /// Negation of `Equal`.
    NotEqual,
    /// On bits.
    Less,
    /// On bits.
    LessOrEqual,
    /// On bits.
    Greater,
    /// On bits.
    GreaterOrEqual,
}

/// Location of a value: a variable and the access path inside it.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// The variable.
    pub root: VarId,
    /// The access path.
    pub steps: Vec<Step>,
    /// Type of the value at the place.
    pub ty: TypeId,
}

/// One step of an access path, into a composite or stack.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// A field of a header, union or struct.
    Field(u32),
    /// An element of a stack at a constant index within range.
    Element(u32),
    /// An element of a stack at a computed index. Out of range, reads give zero and writes do nothing.
    Index(Box<Expr>),
    /// `stack.next`, in parsers. Past the end it raises the parser error `StackOutOfBounds`.
    Next,
    /// `stack.last`, in parsers. On an empty stack it raises the parser error `StackOutOfBounds`.
    Last,
}

impl Place {
    /// The place of a whole variable.
    pub fn variable(root: VarId, ty: TypeId) -> Place {
        Place { root, steps: Vec::new(), ty }
    }

    /// Extends the path by one step; `ty` is the resulting type.
    pub fn step(&self, step: Step, ty: TypeId) -> Place {
        let mut steps = self.steps.clone();
        steps.push(step);
        Place { root: self.root, steps, ty }
    }
}

//! Pure expressions and places.

use num_bigint::BigUint;

use super::{TypeId, VarId};

/// An expression without side effects. It never fails: what the specification leaves undefined (a slice of a stack out
/// of range, a field of an invalid header) has some value.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    /// What it computes.
    pub kind: ExprKind,
    /// Of which type.
    pub ty: TypeId,
}

/// What an expression computes.
#[derive(Debug, Clone, PartialEq)]
pub enum ExprKind {
    /// A number as a bit pattern below 2^width; `bool` (0, 1), `error`, enum: their index.
    Constant(BigUint),
    /// What is at a place. The value of a place out of range (a stack's index) is zero, invalid headers throughout.
    Read(Place),
    /// A prefix operator.
    Unary(UnaryOp, Box<Expr>),
    /// An infix operator. Both sides have the same type, but for shifts and concatenation.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `condition ? then : otherwise`, of any type. The side that is not chosen is not evaluated.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Bits `high..=low` of an expression of type `Bits`.
    Slice {
        /// Of what.
        of: Box<Expr>,
        /// Highest bit.
        high: u32,
        /// Lowest bit.
        low: u32,
    },
    /// A conversion to this expression's type: between `Bits` of any width (from `signed` to a greater width with sign
    /// extension, else zeros; to a smaller one by truncation) and `bool` with `bit<1>`. Between composites of equal
    /// shape (a tuple and a struct, two headers): field by field.
    Cast(Box<Expr>),
    /// A struct, tuple, header (valid) or stack, one expression a field. A stack's next index is its size.
    Aggregate(Vec<Expr>),
    /// An invalid header, an empty union, an empty stack, a struct of such: zero throughout.
    Invalid,
    /// Whether the header (or any header of the union) at a place is valid.
    IsValid(Place),
    /// `lastIndex` of the stack at a place: its next index less one, mod 2^32. `bit<32>`.
    LastIndex(Place),
    /// `nextIndex` of the stack at a place. `bit<32>`.
    NextIndex(Place),
    /// `packet_in.length()`: bytes of the whole packet. `bit<32>`.
    PacketLength,
    /// `h.minSizeInBits()` is a constant; `h.sizeInBits()` is not where there are varbits: the current bits of the
    /// header at a place, 0 if it is invalid. `bit<32>`.
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

/// An infix operator. Where a type is signed the operands are two's complement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// Mod 2^width.
    Add,
    /// Mod 2^width.
    Subtract,
    /// Within the type's range.
    AddSaturating,
    /// Within the type's range.
    SubtractSaturating,
    /// Mod 2^width.
    Multiply,
    /// Unsigned; by 0 it gives 0.
    Divide,
    /// Unsigned; by 0 it gives 0.
    Modulo,
    /// The right side is unsigned, of any width, and may be larger than the left's width (the result is then 0).
    ShiftLeft,
    /// Arithmetic where the left side is signed, else logical. A shift by the width or more gives 0, or the sign.
    ShiftRight,
    /// Bitwise.
    BitAnd,
    /// Bitwise.
    BitOr,
    /// Bitwise.
    BitXor,
    /// The left side in the upper bits; the widths add up.
    Concat,
    /// On `bool`. The right side is evaluated if the left one is true: that matters to `last` of an empty stack alone,
    /// all else being pure.
    And,
    /// On `bool`. The right side is evaluated if the left one is false.
    Or,
    /// On any type. Headers are equal if both are invalid, or both valid with equal fields; unions, stacks, structs if
    /// all members are (a stack's next index does not count); varbits with their lengths.
    Equal,
    /// The opposite of `Equal`.
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

/// Where a value is: a variable and the way into it.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// The variable.
    pub root: VarId,
    /// The way into it.
    pub steps: Vec<Step>,
    /// The type of what is there.
    pub ty: TypeId,
}

/// A step into a composite or stack.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// A field of a header, union or struct.
    Field(u32),
    /// An element of a stack, known before the program runs and in range.
    Element(u32),
    /// An element of a stack by a computed index. Out of range: reads give zero, writes do nothing.
    Index(Box<Expr>),
    /// `stack.next`, in parsers. Past the end it is the parser error `StackOutOfBounds`.
    Next,
    /// `stack.last`, in parsers. Of an empty stack it is the parser error `StackOutOfBounds`.
    Last,
}

impl Place {
    /// A whole variable.
    pub fn variable(root: VarId, ty: TypeId) -> Place {
        Place { root, steps: Vec::new(), ty }
    }

    /// One step further; `ty` is the type there.
    pub fn step(&self, step: Step, ty: TypeId) -> Place {
        let mut steps = self.steps.clone();
        steps.push(step);
        Place { root: self.root, steps, ty }
    }
}

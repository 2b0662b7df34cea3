//! The plans that the larger instructions follow.

use std::sync::Arc;

use jettison_p4_front::ir::{
    ActionProfileId, ExternId, FieldListId, HashAlgorithm, TableId, TypeId, ValueSetId,
};

/// A stack: the word of its next index, then its elements.
#[derive(Debug, Clone)]
pub(super) struct StackPlan {
    /// Its slot, or that of its address.
    pub base: u32,
    /// If `base` holds an address: how far from it.
    pub offset: Option<u32>,
    pub stride: u32,
    pub size: u32,
    /// Where an element has validities.
    pub validities: Box<[u32]>,
}

/// Where each value leads.
#[derive(Debug, Clone)]
pub(super) struct SwitchPlan {
    /// Sorted by value.
    pub cases: Vec<(u64, u32)>,
    pub default: u32,
}

/// An operation on more than 64 bits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wide {
    pub kind: WideKind,
    pub to: u32,
    pub a: u32,
    pub b: u32,
    /// Width of `a`; of a slice or insertion, of what is moved.
    pub bits: u32,
    /// The lowest bit of a slice or insertion; the width to extend to.
    pub other: u32,
}

/// What it does. The result is in slots that are no operand's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WideKind {
    Add,
    Subtract,
    AddSaturating,
    AddSaturatingSigned,
    SubtractSaturating,
    SubtractSaturatingSigned,
    Multiply,
    Divide,
    Modulo,
    /// By one word.
    ShiftLeft,
    ShiftRight,
    ShiftRightSigned,
    And,
    Or,
    Xor,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    LessSigned,
    LessOrEqualSigned,
    Slice,
    Insert,
    Extend,
    ExtendSigned,
    /// To one word: the value, or 2^64 - 1.
    Clamp,
}

/// `==` on composites.
#[derive(Debug, Clone)]
pub(super) struct EqualPlan {
    pub a: u32,
    pub b: u32,
    pub parts: Vec<EqualPart>,
}

/// A piece of both sides.
#[derive(Debug, Clone, Copy)]
pub(super) struct EqualPart {
    /// Whether its first word is a validity, and the others count only if it is 1.
    pub header: bool,
    pub at: u32,
    pub count: u32,
}

/// How a header is read from a packet.
#[derive(Debug, Clone, Default)]
pub(super) struct Extraction {
    /// Without a varbit.
    pub bits: u32,
    /// Where everything lies in bytes that start at a header's first; empty with a varbit.
    pub pieces: Vec<Piece>,
    /// Those that take nine bytes.
    pub long_pieces: Vec<Piece>,
    /// Bytes that the pieces' loads reach.
    pub reach: u32,
    /// The same field by field: offset of its slot, width.
    pub fields: Vec<(u32, Width)>,
    /// Offsets that are set to these values: validities, next indices.
    pub sets: Vec<(u32, u64)>,
    /// The slot of the varbit's length, and the most bits of it.
    pub varbit: Option<(u32, u32)>,
}

/// The width of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    Fixed(u32),
    /// A varbit: its first word tells.
    Varbit {
        most: u32,
    },
}

/// A word from a packet: eight bytes (sixteen of a long one), shifted left (which cuts what is above) and right.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece {
    /// Offset of its slot.
    pub slot: u32,
    pub byte: u32,
    pub left: u8,
    pub right: u8,
}

/// Fields packed into bytes.
#[derive(Debug, Clone, Default)]
pub(super) struct Pack {
    /// Bits, where it has no varbit.
    pub bits: u32,
    /// Eight bytes at a time, the last ones in the upper part; only those before the first varbit.
    pub fragments: Vec<Fragment>,
    /// The same field by field.
    pub fields: Vec<(u32, Width)>,
    pub has_varbit: bool,
}

/// `store[slot] >> right << left`: part of eight bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fragment {
    pub slot: u32,
    pub right: u8,
    pub left: u8,
    /// Whether the eight bytes are complete.
    pub ends: bool,
}

/// How a table is applied.
#[derive(Debug, Clone)]
pub(super) struct ApplyPlan {
    pub table: TableId,
    pub key: u32,
    pub key_words: u32,
    /// Slots, or [`NONE`].
    pub hit: u32,
    pub action: u32,
    pub actions: Vec<ActionPlan>,
    /// Direct objects, or a profile: what a plain table has not.
    pub extras: Option<Box<ApplyExtras>>,
}

/// What only some tables have.
#[derive(Debug, Clone)]
pub(super) struct ApplyExtras {
    pub profile: Option<ActionProfileId>,
    /// The `selector` keys, the hash, and how many of its bits count.
    pub selector: Option<(Pack, HashAlgorithm, u32)>,
    pub counter: Option<ExternId>,
    pub meter: Option<ExternId>,
}

/// An action of a table.
#[derive(Debug, Clone)]
pub(super) struct ActionPlan {
    /// Where its data goes: slot, and number of words; in the order of the data.
    pub data: Vec<(u32, u32)>,
    /// Its code, or [`NONE`] if it does nothing.
    pub code: u32,
}

/// A look into a value set.
#[derive(Debug, Clone, Copy)]
pub(super) struct SetPlan {
    pub set: ValueSetId,
    pub key: u32,
    pub words: u32,
}

/// A hash or checksum.
#[derive(Debug, Clone)]
pub(super) struct HashPlan {
    pub algorithm: HashAlgorithm,
    pub pack: Pack,
    /// The terms of an Internet checksum, if it is one without a payload or varbits.
    pub terms: Option<Box<[Fragment]>>,
    pub payload: bool,
}

/// A digest.
#[derive(Debug, Clone)]
pub(super) struct DigestPlan {
    pub receiver: u32,
    pub ty: TypeId,
    pub values: Vec<(u32, Width)>,
}

/// A clone.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClonePlan {
    pub egress: bool,
    pub session: u32,
    pub keep: Keep,
}

/// What is kept of the metadata.
#[derive(Debug, Clone, Copy)]
pub(super) enum Keep {
    Fixed(Option<FieldListId>),
    /// The number of the list is in this slot.
    Numbered(u32),
}

/// A message.
#[derive(Debug, Clone)]
pub(super) struct LogPlan {
    pub format: Arc<str>,
    /// Slot, width, whether signed.
    pub arguments: Vec<(u32, Width, bool)>,
}

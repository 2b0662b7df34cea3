//! Plans: operands of the larger instructions.

use std::sync::Arc;

use jettison_p4_front::ir::{
    ActionProfileId, ExternId, FieldListId, HashAlgorithm, TableId, TypeId, ValueSetId,
};

/// A stack: the word of its next index, then its elements.
#[derive(Debug, Clone)]
pub(super) struct StackPlan {
    /// Slot of the stack, or of its address.
    pub base: u32,
    /// Offset from the address, if `base` holds one.
    pub offset: Option<u32>,
    pub stride: u32,
    pub size: u32,
    /// Offsets of the validities in an element.
    pub validities: Box<[u32]>,
}

/// Jump target of each value.
#[derive(Debug, Clone)]
pub(super) struct SwitchPlan {
    /// Values with targets, sorted by value.
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
    /// Width of `a`; for a slice or insertion, of the moved bits.
    pub bits: u32,
    /// Lowest bit of a slice or insertion, or the width to extend to.
    pub other: u32,
}

/// Kind of a wide operation. The result must not share slots with an operand.
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
    /// Shift distance in one word.
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
    /// Converts to one word: the value, or 2^64 - 1 if it is larger.
    Clamp,
}

/// Comparison `==` of composites.
#[derive(Debug, Clone)]
pub(super) struct EqualPlan {
    pub a: u32,
    pub b: u32,
    pub parts: Vec<EqualPart>,
}

/// A pair of parts to compare.
#[derive(Debug, Clone, Copy)]
pub(super) struct EqualPart {
    /// Whether the first word is a validity and the others are compared only if it is 1.
    pub header: bool,
    pub at: u32,
    pub count: u32,
}

/// Plan to read a header from a packet.
#[derive(Debug, Clone, Default)]
pub(super) struct Extraction {
    /// Size in bits, without a varbit.
    pub bits: u32,
    /// Loads of all fields of a header that starts at a byte boundary; empty with a varbit.
    pub pieces: Vec<Piece>,
    /// Loads that span nine bytes.
    pub long_pieces: Vec<Piece>,
    /// Number of bytes that the loads access.
    pub reach: u32,
    /// The same fields one by one: offset of the slot, and width.
    pub fields: Vec<(u32, Width)>,
    /// Constants to store: offset and value (validities, next indices).
    pub sets: Vec<(u32, u64)>,
    /// Slot of the varbit's length, and its maximum width in bits.
    pub varbit: Option<(u32, u32)>,
}

/// The width of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    Fixed(u32),
    /// A varbit: its first word holds the current length.
    Varbit {
        max_width: u32,
    },
}

/// A word loaded from a packet: eight bytes (sixteen for a long load), shifted left to drop the bits above, then right.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece {
    /// Offset of the slot.
    pub slot: u32,
    pub byte: u32,
    pub left: u8,
    pub right: u8,
}

/// Plan to pack fields into bytes.
#[derive(Debug, Clone, Default)]
pub(super) struct Pack {
    /// Size in bits, without a varbit.
    pub bits: u32,
    /// Fragments of eight bytes at a time, the last ones in the upper part; only the fields before the first varbit.
    pub fragments: Vec<Fragment>,
    /// The same fields one by one.
    pub fields: Vec<(u32, Width)>,
    pub has_varbit: bool,
}

/// A part of eight bytes: `store[slot] >> right << left`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fragment {
    pub slot: u32,
    pub right: u8,
    pub left: u8,
    /// Whether this fragment completes the eight bytes.
    pub ends: bool,
}

/// Plan to apply a table.
#[derive(Debug, Clone)]
pub(super) struct ApplyPlan {
    pub table: TableId,
    pub key: u32,
    pub key_words: u32,
    /// Slots for the results, or [`NONE`].
    pub hit: u32,
    pub action: u32,
    pub actions: Vec<ActionPlan>,
    /// Direct objects and the profile, if the table has any.
    pub extras: Option<Box<ApplyExtras>>,
}

/// Optional parts of a table.
#[derive(Debug, Clone)]
pub(super) struct ApplyExtras {
    pub profile: Option<ActionProfileId>,
    /// The `selector` keys, the hash algorithm, and the number of hash bits in use.
    pub selector: Option<(Pack, HashAlgorithm, u32)>,
    pub counter: Option<ExternId>,
    pub meter: Option<ExternId>,
    /// Whether the actions use the counter and meter themselves.
    pub direct_in_actions: bool,
    /// Whether the entries remember their last hit.
    pub remembers_hits: bool,
}

/// An action of a table.
#[derive(Debug, Clone)]
pub(super) struct ActionPlan {
    /// Destinations of the data: slot and number of words, in the order of the data.
    pub data: Vec<(u32, u32)>,
    /// Address of the action's code, or [`NONE`] if it does nothing.
    pub code: u32,
}

/// Lookup in a value set.
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
    /// Terms of an Internet checksum without a payload or varbits.
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

/// Metadata to preserve.
#[derive(Debug, Clone, Copy)]
pub(super) enum Keep {
    Fixed(Option<FieldListId>),
    /// The field list whose number is in a slot.
    Numbered(u32),
}

/// An extern of PSA. `to` and the operands are slots of one word.
#[derive(Debug, Clone)]
pub(super) enum PsaPlan {
    CountDirect(ExternId),
    Mark { meter: ExternId, index: Option<u32>, colour: Option<u32>, to: u32 },
    Clear { algorithm: HashAlgorithm, to: u32 },
    Update { algorithm: HashAlgorithm, from: u32, pack: Pack, to: u32 },
    Get { algorithm: HashAlgorithm, from: u32, to: u32 },
}

/// A message.
#[derive(Debug, Clone)]
pub(super) struct LogPlan {
    pub format: Arc<str>,
    /// Slot, width and signedness of each argument.
    pub arguments: Vec<(u32, Width, bool)>,
}

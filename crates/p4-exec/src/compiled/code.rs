//! Instruction set of the compiled machine.
//!
//! The store, one array of 64-bit words, holds all values of a program. An operand is a slot of the store; constants
//! have slots too, written once. Values of up to 64 bits are kept below 2^width; wider values take several slots,
//! lowest word first.

use super::plan::{
    ApplyPlan, ClonePlan, DigestPlan, EqualPlan, Extraction, HashPlan, Keep, LogPlan, Pack, PsaPlan, SetPlan,
    StackPlan, SwitchPlan, Wide,
};
use jettison_p4_front::ir::FieldListId;

/// Null slot or address.
pub(super) const NONE: u32 = u32::MAX;

/// Address of an out-of-range stack element: reads give zero, writes do nothing.
pub(super) const NOWHERE: u64 = u64::MAX;

/// A compiled program.
#[derive(Debug, Default)]
pub(super) struct Code {
    pub ops: Vec<Op>,
    pub entries: Entries,
    /// Number of words that are zeroed for each packet; constants and temporaries follow them.
    pub cleared: usize,
    /// Number of words in the store.
    pub words: usize,
    /// Slots of constants and their values.
    pub constants: Vec<(u32, u64)>,

    pub stacks: Vec<StackPlan>,
    pub switches: Vec<SwitchPlan>,
    pub wides: Vec<Wide>,
    pub equals: Vec<EqualPlan>,
    pub extractions: Vec<Extraction>,
    pub packs: Vec<Pack>,
    pub applies: Vec<ApplyPlan>,
    pub sets: Vec<SetPlan>,
    pub hashes: Vec<HashPlan>,
    pub digests: Vec<DigestPlan>,
    pub clones: Vec<ClonePlan>,
    pub keeps: Vec<Keep>,
    pub logs: Vec<LogPlan>,
    pub psa: Vec<PsaPlan>,
    pub errors: Errors,
    /// Field lists by the numbers of `@field_list`.
    pub numbered_lists: Vec<Option<FieldListId>>,
}

impl Code {
    /// Whether a block contains no instructions.
    #[inline]
    pub fn is_empty(&self, entry: u32) -> bool {
        matches!(self.ops.get(entry as usize), Some(Op::End))
    }
}

/// Entry addresses.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Entries {
    pub parser: u32,
    /// Addresses of the controls, in the order of [`crate::Block`].
    pub blocks: [u32; 4],
    pub deparser: u32,
    /// PSA's parser and deparser at the queues; those of v1model are the only ones.
    pub parser_at_egress: u32,
    pub deparser_at_ingress: u32,
}

/// Parser errors raised by the machine.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Errors {
    pub packet_too_short: u32,
    pub no_match: u32,
    pub stack_out_of_bounds: u32,
    pub header_too_short: u32,
    pub parser_timeout: u32,
    pub parser_invalid_argument: u32,
}

/// An instruction. `cut` is 64 minus the width of the result; `plan` is an index into one of [`Code`]'s lists.
#[derive(Debug, Clone, Copy)]
pub(super) enum Op {
    // Moves.
    Copy {
        to: u32,
        from: u32,
    },
    CopyMany {
        to: u32,
        from: u32,
        count: u32,
    },
    CopyIf {
        to: u32,
        condition: u32,
        from: u32,
    },
    Zero {
        to: u32,
        count: u32,
    },
    /// Computes the address of a stack's element by its index; [`NOWHERE`] out of range.
    Index {
        to: u32,
        index: u32,
        plan: u32,
    },
    /// Computes the address of `next`.
    Next {
        to: u32,
        plan: u32,
    },
    /// Computes the address of `last`.
    Last {
        to: u32,
        plan: u32,
    },
    Load {
        count: u16,
        to: u32,
        address: u32,
        offset: u32,
    },
    Store {
        count: u16,
        address: u32,
        offset: u32,
        from: u32,
    },
    Push {
        plan: u32,
        count: u32,
    },
    Pop {
        plan: u32,
        count: u32,
    },

    // Numbers of up to 64 bits.
    Add {
        cut: u8,
        to: u32,
        a: u32,
        b: u32,
    },
    Subtract {
        cut: u8,
        to: u32,
        a: u32,
        b: u32,
    },
    AddSaturating {
        cut: u8,
        signed: bool,
        to: u32,
        a: u32,
        b: u32,
    },
    SubtractSaturating {
        cut: u8,
        signed: bool,
        to: u32,
        a: u32,
        b: u32,
    },
    Multiply {
        cut: u8,
        to: u32,
        a: u32,
        b: u32,
    },
    Divide {
        to: u32,
        a: u32,
        b: u32,
    },
    Modulo {
        to: u32,
        a: u32,
        b: u32,
    },
    ShiftLeft {
        cut: u8,
        to: u32,
        a: u32,
        b: u32,
    },
    ShiftRight {
        to: u32,
        a: u32,
        b: u32,
    },
    ShiftRightSigned {
        cut: u8,
        to: u32,
        a: u32,
        b: u32,
    },
    And {
        to: u32,
        a: u32,
        b: u32,
    },
    Or {
        to: u32,
        a: u32,
        b: u32,
    },
    Xor {
        to: u32,
        a: u32,
        b: u32,
    },
    Equal {
        to: u32,
        a: u32,
        b: u32,
    },
    NotEqual {
        to: u32,
        a: u32,
        b: u32,
    },
    Less {
        to: u32,
        a: u32,
        b: u32,
    },
    LessOrEqual {
        to: u32,
        a: u32,
        b: u32,
    },
    LessSigned {
        cut: u8,
        to: u32,
        a: u32,
        b: u32,
    },
    LessOrEqualSigned {
        cut: u8,
        to: u32,
        a: u32,
        b: u32,
    },
    /// Extracts bits from `low` upwards.
    Slice {
        low: u8,
        cut: u8,
        to: u32,
        from: u32,
    },
    /// Replaces bits from `low` upwards.
    Insert {
        low: u8,
        cut: u8,
        to: u32,
        from: u32,
    },
    /// Concatenates `a` above the `shift` bits of `b`.
    Concat {
        shift: u8,
        to: u32,
        a: u32,
        b: u32,
    },
    /// Sign-extends from the width given by `from_cut`.
    SignExtend {
        from_cut: u8,
        cut: u8,
        to: u32,
        from: u32,
    },
    EqualParts {
        to: u32,
        plan: u32,
    },
    Wide {
        plan: u32,
    },

    // Control flow.
    Jump {
        to: u32,
    },
    JumpIf {
        condition: u32,
        to: u32,
    },
    JumpUnless {
        condition: u32,
        to: u32,
    },
    JumpEqual {
        a: u32,
        b: u32,
        to: u32,
    },
    JumpNotEqual {
        a: u32,
        b: u32,
        to: u32,
    },
    JumpLess {
        a: u32,
        b: u32,
        to: u32,
    },
    JumpLessOrEqual {
        a: u32,
        b: u32,
        to: u32,
    },
    Switch {
        value: u32,
        plan: u32,
    },
    Call {
        to: u32,
    },
    Return,
    /// Ends the block; a parser accepts.
    End,
    /// Rejects with a constant error.
    Fail {
        error: u32,
    },
    /// Rejects with the error in a slot.
    FailWith {
        error: u32,
    },
    /// Counts a parser transition.
    Transition,
    Apply {
        plan: u32,
    },

    // Packets.
    Extract {
        base: u32,
        plan: u32,
    },
    ExtractAt {
        address: u32,
        offset: u32,
        plan: u32,
    },
    /// As [`Op::Extract`], without advancing the position.
    Lookahead {
        base: u32,
        plan: u32,
    },
    Advance {
        bits: u32,
    },
    PacketLength {
        to: u32,
    },
    /// Emits a header if the slot of its validity is 1.
    Emit {
        valid: u32,
        plan: u32,
    },
    InSet {
        to: u32,
        plan: u32,
    },

    // Externs.
    RegisterRead {
        count: u16,
        register: u32,
        to: u32,
        index: u32,
    },
    RegisterWrite {
        count: u16,
        register: u32,
        index: u32,
        from: u32,
    },
    Count {
        counter: u32,
        index: u32,
    },
    // `more`: number of words after `to` that are zeroed with it.
    Meter {
        cut: u8,
        more: u8,
        meter: u32,
        index: u32,
        to: u32,
    },
    LastColour {
        cut: u8,
        more: u8,
        meter: u32,
        to: u32,
    },
    Random {
        cut: u8,
        more: u8,
        to: u32,
        low: u32,
        high: u32,
    },
    Hash {
        to: u32,
        plan: u32,
    },
    Digest {
        plan: u32,
    },
    Clone {
        plan: u32,
    },
    Resubmit {
        plan: u32,
    },
    Recirculate {
        plan: u32,
    },
    Truncate {
        length: u32,
    },
    Lengthen {
        bytes: i32,
    },
    Log {
        plan: u32,
    },
    AssertFailed {
        assume: bool,
    },
    Psa {
        plan: u32,
    },
}

const _: () = assert!(size_of::<Op>() == 16, "four instructions per cache line");

impl Op {
    /// Jump target, for instructions that may jump.
    pub fn target_mut(&mut self) -> Option<&mut u32> {
        match self {
            Op::Jump { to }
            | Op::JumpIf { to, .. }
            | Op::JumpUnless { to, .. }
            | Op::JumpEqual { to, .. }
            | Op::JumpNotEqual { to, .. }
            | Op::JumpLess { to, .. }
            | Op::JumpLessOrEqual { to, .. }
            | Op::Call { to } => Some(to),
            _ => None,
        }
    }
}

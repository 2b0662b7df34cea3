//! Statements.

use std::sync::Arc;

use super::{
    Expr, ExternId, FieldListId, FunctionId, HashAlgorithm, ParserId, Place, TableId, TypeId, VarId,
};
use crate::source::Span;

/// Statements in order.
pub type Block = Vec<Stmt>;

/// A statement.
#[derive(Debug, Clone, PartialEq)]
pub struct Stmt {
    /// Operation.
    pub kind: StmtKind,
    /// Position in the source.
    pub span: Span,
}

/// Operation of a statement.
#[derive(Debug, Clone, PartialEq)]
pub enum StmtKind {
    /// Copies a value to a place: a scalar, a header with its validity, a stack with its next index, or a struct. The
    /// expression has exactly the place's type. A write to a field of an invalid header has no other effect.
    Assign {
        /// Destination.
        to: Place,
        /// Value.
        value: Expr,
    },
    /// Replaces bits `high..=low` at a place.
    AssignSlice {
        /// Destination.
        to: Place,
        /// Highest bit.
        high: u32,
        /// Lowest bit.
        low: u32,
        /// Value, `high - low + 1` bits wide.
        value: Expr,
    },
    /// Resets everything at a place: scalars to zero, headers to invalid, stacks to empty.
    Reset(Place),
    /// Makes the header at a place valid, without changing its fields. (Separate statements invalidate the other
    /// members of a union.)
    SetValid(Place),
    /// Makes the header at a place invalid, without changing its fields.
    SetInvalid(Place),
    /// `stack.push_front(n)`: the first `n` elements become invalid, the last `n` are lost.
    PushFront(Place, u32),
    /// `stack.pop_front(n)`.
    PopFront(Place, u32),
    /// Conditional statement.
    If {
        /// Condition, of type `bool`.
        condition: Expr,
        /// Block that runs if the condition is true.
        then: Block,
        /// Block that runs if the condition is false.
        otherwise: Block,
    },
    /// Runs the case that contains the value, else the default.
    Switch {
        /// Value of type `Bits`, `Error`, `Enum` or `Bool`.
        on: Expr,
        /// Cases, with disjoint values.
        cases: Vec<SwitchCase>,
        /// Block that runs if no case matches.
        default: Block,
    },
    /// `before; while (condition) { body; update; before }`, with at most [`super::MAX_LOOP_ITERATIONS`] iterations in
    /// one run of a pipeline block. `Continue` resumes at `update`.
    Loop {
        /// Block that runs before the condition is evaluated.
        before: Block,
        /// Condition to continue.
        condition: Expr,
        /// Loop body.
        body: Block,
        /// Block that runs after each iteration.
        update: Block,
    },
    /// Ends the innermost loop.
    Break,
    /// Continues with the next iteration of the innermost loop.
    Continue,
    /// Returns from the function.
    Return,
    /// Ends the pipeline block; every `after` block on the call stack still runs.
    Exit,
    /// Calls a function, action or control.
    Call {
        /// Callee.
        function: FunctionId,
        /// Copy-out. Also runs if the callee exits; the caller then exits too.
        after: Block,
    },
    /// Applies a table: evaluates its keys, looks them up, and runs the action with its data.
    Apply {
        /// The table.
        table: TableId,
        /// `bool` variable, set to whether an entry matched.
        hit: Option<VarId>,
        /// `bit<32>` variable, set to the index of the executed action in [`super::Table::actions`].
        action: Option<VarId>,
    },
    /// `packet.extract(h)`, in parsers only. Makes the header valid and advances the stack if the place is its `next`.
    /// If the packet is too short, the parser error is `PacketTooShort` and nothing is extracted.
    Extract {
        /// Destination header.
        to: Place,
        /// Length in bits of the header's varbit field, in the two-argument form. A length above the field's maximum is
        /// the error `HeaderTooShort`; one that is not a multiple of 8 is `ParserInvalidArgument`.
        length: Option<Expr>,
    },
    /// `packet.lookahead<T>()` into a place of type `T`; its headers become valid.
    Lookahead(Place),
    /// `packet.advance(bits)`.
    Advance(Expr),
    /// `verify(condition, error)`: sets the error and rejects if the condition is false.
    Verify {
        /// Condition that must hold.
        condition: Expr,
        /// Error to raise, of type `error`.
        error: Expr,
    },
    /// Calls a sub-parser; if it rejects, so does the caller.
    CallParser {
        /// Callee.
        parser: ParserId,
        /// Copy-out, if the sub-parser accepts.
        after: Block,
    },
    /// `packet.emit(h)`: a header if it is valid, the valid member of a union, or the members of a stack or struct.
    Emit(Place),
    /// An extern call of the architecture.
    Extern(Box<Extern>),
}

/// A case of a [`StmtKind::Switch`].
#[derive(Debug, Clone, PartialEq)]
pub struct SwitchCase {
    /// Constant values.
    pub values: Vec<num_bigint::BigUint>,
    /// Block to run.
    pub body: Block,
}

/// Extern calls of the architectures. Lists of data are flattened to scalars and varbits (a header becomes its fields).
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)] // the fields are v1model's parameters
pub enum Extern {
    /// An out-of-range index changes nothing, neither the register nor the place.
    RegisterRead {
        register: ExternId,
        to: Place,
        index: Expr,
    },
    RegisterWrite {
        register: ExternId,
        index: Expr,
        value: Expr,
    },
    Count {
        counter: ExternId,
        index: Expr,
    },
    /// An out-of-range index leaves the place as it is.
    ExecuteMeter {
        meter: ExternId,
        index: Expr,
        to: Place,
    },
    /// Reads the colour from the latest application of the meter's table.
    ReadDirectMeter {
        meter: ExternId,
        to: Place,
    },
    /// Both bounds are inclusive. If the lower one is larger, the place keeps its value.
    Random {
        to: Place,
        low: Expr,
        high: Expr,
    },
    /// `base + hash(data) % max`, or `base` if `max` is 0. The sum is truncated to the type of `to`.
    Hash {
        to: Place,
        algorithm: HashAlgorithm,
        base: Expr,
        data: Vec<Expr>,
        max: Expr,
    },
    /// Sets `standard_metadata.checksum_error` to 1 if the condition holds and the checksum does not match.
    VerifyChecksum {
        condition: Expr,
        data: Vec<Expr>,
        checksum: Expr,
        algorithm: HashAlgorithm,
        payload: bool,
    },
    /// Writes the checksum if the condition holds.
    UpdateChecksum {
        condition: Expr,
        data: Vec<Expr>,
        checksum: Place,
        algorithm: HashAlgorithm,
        payload: bool,
    },
    Digest {
        receiver: Expr,
        data: Vec<Expr>,
        ty: TypeId,
    },
    /// `clone`, `clone3`, `clone_preserving_field_list`; `egress` for `CloneType.E2E`.
    Clone {
        egress: bool,
        session: Expr,
        keep: FieldListChoice,
    },
    Resubmit {
        keep: FieldListChoice,
    },
    Recirculate {
        keep: FieldListChoice,
    },
    /// Truncates the packet to a number of bytes.
    Truncate {
        length: Expr,
    },
    /// If the condition holds, a header becomes valid or invalid: the packet's length as egress sees it changes by a
    /// number of bytes. Without a program that mentions `packet_length`, it has no effect.
    Lengthen {
        condition: Expr,
        bytes: i32,
    },
    /// Each `{}` of the format is replaced by the next argument.
    LogMessage {
        format: Arc<str>,
        arguments: Vec<Expr>,
    },
    /// `assert`, or `assume` if the flag `assume` is set.
    Assert {
        condition: Expr,
        assume: bool,
    },
    /// What only PSA has.
    Psa(super::PsaExtern),
}

/// Fields that a cloned, resubmitted or recirculated packet preserves.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldListChoice {
    /// No fields.
    Nothing,
    /// The fields listed in the call (the forms before 2020).
    Of(FieldListId),
    /// The fields whose `@field_list` contains this number (`bit<8>`).
    Numbered(Expr),
}

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
    /// What it does.
    pub kind: StmtKind,
    /// Where it comes from.
    pub span: Span,
}

/// What a statement does.
#[derive(Debug, Clone, PartialEq)]
pub enum StmtKind {
    /// Copies a value to a place: scalars, headers with their validity, stacks with their next index, structs. The
    /// expression has exactly the place's type. Fields of an invalid header may be written; that changes nothing else.
    Assign {
        /// To where.
        to: Place,
        /// What.
        value: Expr,
    },
    /// Replaces bits `high..=low` of the bits at a place.
    AssignSlice {
        /// In what.
        to: Place,
        /// Highest bit.
        high: u32,
        /// Lowest bit.
        low: u32,
        /// What, `high - low + 1` bits wide.
        value: Expr,
    },
    /// Makes everything at a place zero and every header in it invalid, and stacks empty.
    Reset(Place),
    /// Makes the header at a place valid. Its fields stay what they are. (That a union's other members become invalid
    /// is written out by statements of their own.)
    SetValid(Place),
    /// Makes the header at a place invalid; its fields stay.
    SetInvalid(Place),
    /// `stack.push_front(n)`: the first `n` become invalid, the last `n` are lost.
    PushFront(Place, u32),
    /// `stack.pop_front(n)`.
    PopFront(Place, u32),
    /// A choice.
    If {
        /// Of type `bool`.
        condition: Expr,
        /// If true.
        then: Block,
        /// If not.
        otherwise: Block,
    },
    /// The first case that holds the value, else the default.
    Switch {
        /// Of type `Bits`, `Error`, `Enum` or `Bool`.
        on: Expr,
        /// The cases; no value is in two.
        cases: Vec<SwitchCase>,
        /// Otherwise.
        default: Block,
    },
    /// `before; while (condition) { body; update; before }`, at most [`super::MOST_ROUNDS`] times in a block's run. `Continue` goes on
    /// at `update`.
    Loop {
        /// What the condition needs.
        before: Block,
        /// Goes on while true.
        condition: Expr,
        /// A round.
        body: Block,
        /// What follows it.
        update: Block,
    },
    /// Ends the innermost loop.
    Break,
    /// Goes on with the innermost loop's next round.
    Continue,
    /// Ends the function.
    Return,
    /// Ends the pipeline's block: every `after` on the way out is run.
    Exit,
    /// Runs a function, action or control.
    Call {
        /// Which.
        function: FunctionId,
        /// Copy-out. Runs also if the callee exits; then the caller exits too.
        after: Block,
    },
    /// Applies a table: evaluates its keys, looks up, runs the action with its data.
    Apply {
        /// Which.
        table: TableId,
        /// A `bool` that is set if an entry matched.
        hit: Option<VarId>,
        /// A `bit<32>` that is set to the index of the action that ran, in [`super::Table::actions`].
        action: Option<VarId>,
    },
    /// `packet.extract(h)`: parsers only. Sets the header valid, advances a stack whose `next` it is. A packet too
    /// short is the error `PacketTooShort`, and nothing is extracted.
    Extract {
        /// The header.
        to: Place,
        /// Bits of its varbit field, if it has one and the two-argument form is used. More than the field holds is
        /// `HeaderTooShort`; not a multiple of 8 is `ParserInvalidArgument`.
        length: Option<Expr>,
    },
    /// `packet.lookahead<T>()` into a place of type `T` (its headers become valid).
    Lookahead(Place),
    /// `packet.advance(bits)`.
    Advance(Expr),
    /// `verify(condition, error)`: the error, and `reject`, if the condition is false.
    Verify {
        /// What must hold.
        condition: Expr,
        /// Of type `error`.
        error: Expr,
    },
    /// Runs a sub-parser; if it rejects, so does this one.
    CallParser {
        /// Which.
        parser: ParserId,
        /// Copy-out, if it accepts.
        after: Block,
    },
    /// `packet.emit(h)`: a header if it is valid, the valid member of a union, the members of a stack or struct.
    Emit(Place),
    /// Something of the architecture.
    Extern(Box<Extern>),
}

/// A case of a [`StmtKind::Switch`].
#[derive(Debug, Clone, PartialEq)]
pub struct SwitchCase {
    /// Constant values.
    pub values: Vec<num_bigint::BigUint>,
    /// What to do.
    pub body: Block,
}

/// What v1model offers. Lists of data have been flattened to scalars and varbits (a header gives its fields).
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)] // the fields are v1model's parameters
pub enum Extern {
    /// An index out of range reads 0 and writes nothing.
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
    ExecuteMeter {
        meter: ExternId,
        index: Expr,
        to: Place,
    },
    /// The colour that the last apply of the meter's table found.
    ReadDirectMeter {
        meter: ExternId,
        to: Place,
    },
    /// Both ends are included.
    Random {
        to: Place,
        low: Expr,
        high: Expr,
    },
    /// `base + hash(data) % max`; `base` if `max` is 0. The sum is cut to the type of `to`.
    Hash {
        to: Place,
        algorithm: HashAlgorithm,
        base: Expr,
        data: Vec<Expr>,
        max: Expr,
    },
    /// Sets `standard_metadata.checksum_error` to 1 if the condition holds and the checksum is another.
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
    /// To so many bytes.
    Truncate {
        length: Expr,
    },
    /// Each `{}` of the format is the next argument.
    LogMessage {
        format: Arc<str>,
        arguments: Vec<Expr>,
    },
    /// `assert` and, with `assume`, `assume`.
    Assert {
        condition: Expr,
        assume: bool,
    },
}

/// Which fields a clone, a resubmitted or recirculated packet keeps.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldListChoice {
    /// None.
    Nothing,
    /// These, named by the call (the forms of before 2020).
    Of(FieldListId),
    /// Those whose `@field_list` holds this number (`bit<8>`).
    Numbered(Expr),
}

//! The elaborated program and its parts.

use std::sync::Arc;

use num_bigint::BigUint;
use rustc_hash::FxHashMap;

use super::{Block, ControlPlane, Expr, Place, TypeId, Types};
use crate::source::Span;

/// Maximum number of entries of a table without `size`, or with the size 0: that of p4c for `simple_switch`.
pub const DEFAULT_TABLE_SIZE: u64 = 1024;

/// What a program does where the specification leaves it open, or where `simple_switch` departs from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum TargetModel {
    /// What BMv2's `simple_switch` does.
    #[default]
    Bmv2,
    /// What the P4_16 specification and the comments of `v1model.p4` say.
    Spec,
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);
        impl $name {
            /// Converts to an index.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// A variable of [`Program::variables`].
    VarId,
    /// A function of [`Program::functions`].
    FunctionId,
    /// A parser of [`Program::parsers`].
    ParserId,
    /// A state of [`Parser::states`].
    StateId,
    /// A table of [`Program::tables`].
    TableId,
    /// An extern object of [`Program::externs`].
    ExternId,
    /// An action profile or selector of [`Program::profiles`].
    ActionProfileId,
    /// A value set of [`Program::value_sets`].
    ValueSetId,
    /// A field list of [`Program::field_lists`].
    FieldListId,
}

/// An elaborated program.
#[derive(Debug, Clone)]
pub struct Program {
    /// The types.
    pub types: Types,
    /// Every variable: packet state, parameters, locals and temporaries.
    pub variables: Vec<Variable>,
    /// Functions, actions and the apply blocks of controls, one per instance.
    pub functions: Vec<Function>,
    /// Parsers, one per instance.
    pub parsers: Vec<Parser>,
    /// Tables.
    pub tables: Vec<Table>,
    /// Registers, counters, meters.
    pub externs: Vec<ExternInstance>,
    /// Action profiles and selectors.
    pub profiles: Vec<ActionProfile>,
    /// Value sets of parsers.
    pub value_sets: Vec<ValueSet>,
    /// Field lists preserved by a clone, resubmission or recirculation.
    pub field_lists: Vec<FieldList>,
    /// Field lists by their `@field_list` number.
    pub numbered_lists: FxHashMap<u8, FieldListId>,
    /// Names of the errors, `NoError` first. The value of `error.X` is the index of `X`.
    pub errors: Vec<Arc<str>>,
    /// The pipeline's blocks and their shared state.
    pub pipeline: Pipeline,
    /// Whether the program mentions the field `jettison_dequeue_rate`. If not, the switch need not measure it.
    pub reads_dequeue_rate: bool,
    /// Whether the program mentions the field `packet_length`. If not, nothing follows the packet's length.
    pub reads_packet_length: bool,
    /// Whether the program mentions the field `qid`. If not, the switch need not set it.
    pub reads_qid: bool,
    /// What a controller is told about the program.
    pub control_plane: ControlPlane,
    /// What the program does where `simple_switch` and the specification differ.
    pub target: TargetModel,
}

/// The blocks of the package, `V1Switch` or `PSA_Switch`, and their shared state.
///
/// PSA has two more blocks, a deparser before the queues and a parser behind them, and two kinds of headers and metadata.
/// There each of the three variables is a struct: [`Psa`] says of what.
#[derive(Debug, Clone)]
pub struct Pipeline {
    /// `H`: the headers.
    pub headers: VarId,
    /// `M`: the user metadata.
    pub metadata: VarId,
    /// `standard_metadata_t`.
    pub standard_metadata: VarId,
    /// The parser.
    pub parser: ParserId,
    /// `verifyChecksum`; empty in PSA.
    pub verify_checksum: FunctionId,
    /// `ingress`.
    pub ingress: FunctionId,
    /// `egress`.
    pub egress: FunctionId,
    /// `computeChecksum`; empty in PSA.
    pub compute_checksum: FunctionId,
    /// The deparser, at the end of egress.
    pub deparser: FunctionId,
    /// What PSA has between ingress and egress; `None` for v1model.
    pub psa: Option<Psa>,
}

/// PSA's blocks between ingress and egress, and what its packets carry between passes.
///
/// `headers` has the fields `ingress` and `egress`. `metadata` has the same for the user's metadata, and one field for each
/// kind of metadata that deparsers hand to parsers. `standard_metadata` has a field for each struct of the architecture,
/// and `packet_length`.
#[derive(Debug, Clone)]
pub struct Psa {
    /// `IngressDeparser`.
    pub deparser: FunctionId,
    /// `EgressParser`.
    pub parser: ParserId,
    /// Field list with `normal_meta`.
    pub normal: FieldListId,
    /// Field list with `clone_i2e_meta`.
    pub clone_i2e: FieldListId,
    /// Field list with `clone_e2e_meta`.
    pub clone_e2e: FieldListId,
    /// Field list with `resubmit_meta`.
    pub resubmit: FieldListId,
    /// Field list with `recirculate_meta`.
    pub recirculate: FieldListId,
}

/// A variable. When a packet arrives, its value is zero and all its headers are invalid.
#[derive(Debug, Clone)]
pub struct Variable {
    /// Name in the program, for diagnostics.
    pub name: Arc<str>,
    /// Type.
    pub ty: TypeId,
}

/// A field of a composite type.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Name.
    pub name: Arc<str>,
    /// Type.
    pub ty: TypeId,
}

/// A function, action or control.
#[derive(Debug, Clone)]
pub struct Function {
    /// Full name for the control plane: `ingress.set_port`; `.NoAction` becomes `NoAction`.
    pub name: Arc<str>,
    /// Kind.
    pub kind: FunctionKind,
    /// Body. Parameters and results are variables that callers write and read.
    pub body: Block,
    /// Position of the declaration.
    pub span: Span,
}

/// Kind of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FunctionKind {
    /// A function.
    Function,
    /// An action.
    Action,
    /// The apply block of a control.
    Control,
}

/// A parser.
#[derive(Debug, Clone)]
pub struct Parser {
    /// Full name.
    pub name: Arc<str>,
    /// Block that runs before the start state: initializers of locals.
    pub before: Block,
    /// States. `accept` and `reject` are not among them; see [`Target`].
    pub states: Vec<State>,
    /// Start state.
    pub start: StateId,
}

/// A parser state.
#[derive(Debug, Clone)]
pub struct State {
    /// Name.
    pub name: Arc<str>,
    /// Body.
    pub body: Block,
    /// Transition at the end of the body.
    pub next: Transition,
    /// Position of the declaration.
    pub span: Span,
}

/// Transition of a parser state.
#[derive(Debug, Clone, PartialEq)]
pub enum Transition {
    /// Unconditional transition.
    To(Target),
    /// Transition to the first matching case; the error `NoMatch` and `reject` if no case matches.
    Select {
        /// Selected values: scalars.
        on: Vec<Expr>,
        /// Cases, in order.
        cases: Vec<SelectCase>,
    },
}

/// Target of a transition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Target {
    /// A state.
    State(StateId),
    /// The parser accepts the packet.
    Accept,
    /// The parser rejects the packet with the current error (`NoError` for a plain `transition reject`).
    Reject,
}

/// A case of a `select`.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectCase {
    /// One key set per value of `on`, or a single [`KeySet::ValueSet`] or [`KeySet::Any`] for all of them.
    pub keys: Vec<KeySet>,
    /// Target if the key sets match.
    pub to: Target,
}

/// A set of values to match against.
#[derive(Debug, Clone, PartialEq)]
pub enum KeySet {
    /// `_`, `default`.
    Any,
    /// One value.
    Value(Expr),
    /// `value &&& mask`.
    Mask(Expr, Expr),
    /// `low .. high`, inclusive; signed if the type is signed.
    Range(Expr, Expr),
    /// Members of a value set, set by the control plane.
    ValueSet(ValueSetId),
}

/// A table.
#[derive(Debug, Clone)]
pub struct Table {
    /// Full name (`ingress.ipv4_lpm`, or the name given by `@name`).
    pub name: Arc<str>,
    /// Block that runs before the keys are evaluated.
    pub before: Block,
    /// Keys. `selector` keys are included here but are not part of entries.
    pub keys: Vec<Key>,
    /// Actions that the table may run.
    pub actions: Vec<TableAction>,
    /// Action that runs on a miss.
    pub default: ActionValue,
    /// Whether the control plane may not change the default action.
    pub default_is_const: bool,
    /// Entries declared in the program, in order.
    pub entries: Vec<ConstEntry>,
    /// Whether the control plane may not add entries.
    pub entries_are_const: bool,
    /// Maximum number of entries.
    pub size: Option<u64>,
    /// Action profile that holds the action data; `None` if the table holds them itself.
    pub profile: Option<ActionProfileId>,
    /// Direct counter, with one counter per entry.
    pub direct_counter: Option<ExternId>,
    /// Direct meter, with one meter per entry.
    pub direct_meter: Option<ExternId>,
    /// Whether the table's actions update these two themselves (PSA), rather than every match (v1model).
    pub direct_in_actions: bool,
    /// Position of the declaration.
    pub span: Span,
}

/// A key of a table.
#[derive(Debug, Clone)]
pub struct Key {
    /// Expression to look up: a scalar.
    pub expr: Expr,
    /// Match kind.
    pub kind: MatchKind,
    /// Name for the control plane: the expression as written (`hdr.ipv4.dst`), or the name given by `@name`.
    pub name: Arc<str>,
}

/// Match kind of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MatchKind {
    /// Equality.
    Exact,
    /// Longest prefix.
    Lpm,
    /// Value and mask.
    Ternary,
    /// Inclusive range.
    Range,
    /// Equality, or any value.
    Optional,
    /// Not matched: an input of the action selector's hash.
    Selector,
}

/// An action in a table's list.
#[derive(Debug, Clone)]
pub struct TableAction {
    /// The action.
    pub function: super::FunctionId,
    /// Full name for the control plane.
    pub name: Arc<str>,
    /// Action data that the control plane supplies: name and variable, in order. Written before `before` runs.
    pub data: Vec<(Arc<str>, VarId)>,
    /// Copy-in of the arguments given in the table's list.
    pub before: Block,
    /// Copy-out of these arguments; also runs on exit.
    pub after: Block,
    /// Whether the action is allowed only as the default action (`@defaultonly`).
    pub default_only: bool,
    /// Whether the action is allowed only in entries (`@tableonly`).
    pub table_only: bool,
}

/// An action with its data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActionValue {
    /// Index into the table's (or profile's) actions.
    pub action: u32,
    /// One value per data parameter, below 2^width.
    pub data: Vec<BigUint>,
}

/// Match criterion of an entry for one key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyMatch {
    /// Equality.
    Exact(BigUint),
    /// The first `length` bits.
    Lpm(BigUint, u32),
    /// `key & mask == value & mask`.
    Ternary(BigUint, BigUint),
    /// Inclusive bounds, as unsigned numbers (two's complement if the key is signed).
    Range(BigUint, BigUint),
    /// Any value.
    Any,
}

/// An entry declared in the program.
#[derive(Debug, Clone)]
pub struct ConstEntry {
    /// One criterion per key.
    pub keys: Vec<KeyMatch>,
    /// Priority among the matching entries: the larger wins. Set for every entry by the rules of §14.2.1.4 (source
    /// order, `priority =`, `largest_priority_wins`, `priority_delta`).
    pub priority: i64,
    /// Action to run.
    pub action: ActionValue,
}

/// A register, counter or meter.
#[derive(Debug, Clone)]
pub struct ExternInstance {
    /// Full name.
    pub name: Arc<str>,
    /// Kind and size.
    pub kind: ExternKind,
    /// Initial value of a register's elements, if it is not zero.
    pub initial: Option<BigUint>,
}

/// Kind of an extern object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExternKind {
    /// `register<T>(size)`. A struct `T` is as wide as the sum of its fields.
    Register {
        /// Number of elements.
        size: u32,
        /// Type of an element.
        ty: TypeId,
    },
    /// `counter(size, type)`.
    Counter {
        /// Number of elements.
        size: u32,
    },
    /// `direct_counter(type)`.
    DirectCounter,
    /// `meter(size, type)`.
    Meter {
        /// Number of elements.
        size: u32,
        /// Unit.
        unit: MeterUnit,
    },
    /// `direct_meter<T>(type)`.
    DirectMeter {
        /// Unit.
        unit: MeterUnit,
    },
}

/// Unit of a meter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MeterUnit {
    /// Packets.
    Packets,
    /// Bytes.
    Bytes,
}

/// An action profile or selector.
#[derive(Debug, Clone)]
pub struct ActionProfile {
    /// Full name.
    pub name: Arc<str>,
    /// Maximum number of members.
    pub size: u32,
    /// Hash algorithm and number of hash bits that select a group member; `None` for a profile without groups.
    pub selector: Option<(HashAlgorithm, u32)>,
}

/// `value_set<T>(size)`.
#[derive(Debug, Clone)]
pub struct ValueSet {
    /// Full name.
    pub name: Arc<str>,
    /// Maximum number of members.
    pub size: u32,
    /// Types and match kinds of the matched scalars (`@match`; exact by default).
    pub keys: Vec<(TypeId, MatchKind)>,
}

/// A list of preserved fields.
#[derive(Debug, Clone, Default)]
pub struct FieldList {
    /// Places in `metadata` and `standard_metadata`. Headers are always preserved.
    pub places: Vec<Place>,
}

/// v1model's hash functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // their names are v1model's
pub enum HashAlgorithm {
    Crc32,
    Crc32Custom,
    Crc16,
    Crc16Custom,
    Random,
    Identity,
    Csum16,
    Xor16,
}

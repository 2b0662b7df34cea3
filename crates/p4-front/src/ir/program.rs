//! What a program consists of.

use std::sync::Arc;

use num_bigint::BigUint;
use rustc_hash::FxHashMap;

use super::{Block, Expr, Place, TypeId, Types};
use crate::source::Span;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);
        impl $name {
            /// As an index.
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
    /// A state of its [`Parser::states`].
    StateId,
    /// A table of [`Program::tables`].
    TableId,
    /// An extern object of [`Program::externs`].
    ExternId,
    /// An action profile or selector of [`Program::profiles`].
    ActionProfileId,
    /// A value set of [`Program::value_sets`].
    ValueSetId,
    /// A list of [`Program::field_lists`].
    FieldListId,
}

/// An elaborated program for v1model.
#[derive(Debug, Clone)]
pub struct Program {
    /// The types.
    pub types: Types,
    /// Every variable: the packet's state, parameters, locals, temporaries.
    pub variables: Vec<Variable>,
    /// Functions, actions and controls' apply blocks, one for each instance.
    pub functions: Vec<Function>,
    /// Parsers, one for each instance.
    pub parsers: Vec<Parser>,
    /// Tables.
    pub tables: Vec<Table>,
    /// Registers, counters, meters.
    pub externs: Vec<ExternInstance>,
    /// Action profiles and selectors.
    pub profiles: Vec<ActionProfile>,
    /// Value sets of parsers.
    pub value_sets: Vec<ValueSet>,
    /// Lists of fields that survive a clone, resubmission or recirculation.
    pub field_lists: Vec<FieldList>,
    /// The list of each number of `@field_list`.
    pub numbered_lists: FxHashMap<u8, FieldListId>,
    /// The names of errors, `NoError` first. `error.X` is its index.
    pub errors: Vec<Arc<str>>,
    /// The blocks and the state that they share.
    pub pipeline: Pipeline,
}

/// The blocks of `V1Switch`.
#[derive(Debug, Clone)]
pub struct Pipeline {
    /// `H`: the headers.
    pub headers: VarId,
    /// `M`: the user's metadata.
    pub metadata: VarId,
    /// `standard_metadata_t`.
    pub standard_metadata: VarId,
    /// The parser.
    pub parser: ParserId,
    /// `verifyChecksum`.
    pub verify_checksum: FunctionId,
    /// `ingress`.
    pub ingress: FunctionId,
    /// `egress`.
    pub egress: FunctionId,
    /// `computeChecksum`.
    pub compute_checksum: FunctionId,
    /// The deparser.
    pub deparser: FunctionId,
}

/// A variable. Its value at the start of a packet is zero, invalid headers throughout.
#[derive(Debug, Clone)]
pub struct Variable {
    /// Its name in the program, for diagnostics.
    pub name: Arc<str>,
    /// Its type.
    pub ty: TypeId,
}

/// A field of a composite.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: Arc<str>,
    /// Its type.
    pub ty: TypeId,
}

/// A function, action or control.
#[derive(Debug, Clone)]
pub struct Function {
    /// Its full name: `ingress.set_port` for control-plane use, `.NoAction` is `NoAction`.
    pub name: Arc<str>,
    /// What it is.
    pub kind: FunctionKind,
    /// What it does. Parameters and results are variables that callers write and read.
    pub body: Block,
    /// Where it is declared.
    pub span: Span,
}

/// What a function is.
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
    /// Its full name.
    pub name: Arc<str>,
    /// What runs before the start state: initializers of locals.
    pub before: Block,
    /// Its states; `accept` and `reject` are [`Target`]s.
    pub states: Vec<State>,
    /// Where it starts.
    pub start: StateId,
}

/// A state.
#[derive(Debug, Clone)]
pub struct State {
    /// Its name.
    pub name: Arc<str>,
    /// What it does.
    pub body: Block,
    /// Where it goes.
    pub next: Transition,
    /// Where it stands.
    pub span: Span,
}

/// Where a state goes.
#[derive(Debug, Clone, PartialEq)]
pub enum Transition {
    /// There.
    To(Target),
    /// To the first case that matches; the error `NoMatch` and `reject` if none does.
    Select {
        /// What is looked at: scalars.
        on: Vec<Expr>,
        /// The cases.
        cases: Vec<SelectCase>,
    },
}

/// Where a transition leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Target {
    /// A state.
    State(StateId),
    /// The end, well.
    Accept,
    /// The end, with the error that is set (`NoError` for a plain `transition reject`).
    Reject,
}

/// A case of a `select`.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectCase {
    /// One a value of `on`; or a single [`KeySet::ValueSet`] or [`KeySet::Any`] for all of them.
    pub keys: Vec<KeySet>,
    /// Where it leads.
    pub to: Target,
}

/// What values match.
#[derive(Debug, Clone, PartialEq)]
pub enum KeySet {
    /// `_`, `default`.
    Any,
    /// This value.
    Value(Expr),
    /// `value &&& mask`.
    Mask(Expr, Expr),
    /// `low .. high`, both included; signed where the type is.
    Range(Expr, Expr),
    /// What the control plane put into the set.
    ValueSet(ValueSetId),
}

/// A table.
#[derive(Debug, Clone)]
pub struct Table {
    /// Its full name (`ingress.ipv4_lpm`, or as `@name` says).
    pub name: Arc<str>,
    /// What the keys' evaluation needs beforehand.
    pub before: Block,
    /// Its keys. `selector` keys are among them; they are no part of an entry.
    pub keys: Vec<Key>,
    /// The actions that it may run.
    pub actions: Vec<TableAction>,
    /// What runs where nothing matches.
    pub default: ActionValue,
    /// Whether the control plane may not change the default.
    pub default_is_const: bool,
    /// The entries written in the program, in order.
    pub entries: Vec<ConstEntry>,
    /// Whether the control plane may add none.
    pub entries_are_const: bool,
    /// The most entries.
    pub size: Option<u64>,
    /// Where its actions' data is, if not in the table.
    pub profile: Option<ActionProfileId>,
    /// The counter that counts each entry's hits.
    pub direct_counter: Option<ExternId>,
    /// The meter that each entry has.
    pub direct_meter: Option<ExternId>,
    /// Where it is declared.
    pub span: Span,
}

/// A key of a table.
#[derive(Debug, Clone)]
pub struct Key {
    /// What is looked up: a scalar.
    pub expr: Expr,
    /// How.
    pub kind: MatchKind,
    /// What the control plane calls it: the expression as written (`hdr.ipv4.dst`), or as `@name` says.
    pub name: Arc<str>,
}

/// How a key is matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MatchKind {
    /// Equal.
    Exact,
    /// Longest prefix.
    Lpm,
    /// Value and mask.
    Ternary,
    /// From, to.
    Range,
    /// Equal, or anything.
    Optional,
    /// Not matched: an input of the action selector's hash.
    Selector,
}

/// An action as a table may run it.
#[derive(Debug, Clone)]
pub struct TableAction {
    /// The action.
    pub function: super::FunctionId,
    /// Its full name for the control plane.
    pub name: Arc<str>,
    /// What the control plane gives it: name and variable, in order. They are written before `before`.
    pub data: Vec<(Arc<str>, VarId)>,
    /// Copy-in of the arguments that the table's list gives.
    pub before: Block,
    /// Copy-out of these; runs also on exit.
    pub after: Block,
    /// Whether entries may not use it (`@defaultonly`).
    pub default_only: bool,
    /// Whether the default may not be it (`@tableonly`).
    pub table_only: bool,
}

/// An action and its data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActionValue {
    /// Index into the table's actions (or the profile's).
    pub action: u32,
    /// One value a data parameter, below 2^width.
    pub data: Vec<BigUint>,
}

/// What an entry wants of one key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyMatch {
    /// Equal.
    Exact(BigUint),
    /// The first `length` bits.
    Lpm(BigUint, u32),
    /// `key & mask == value & mask`.
    Ternary(BigUint, BigUint),
    /// Both ends included, as unsigned numbers (as two's complement where the key is signed).
    Range(BigUint, BigUint),
    /// Anything.
    Any,
}

/// An entry written in the program.
#[derive(Debug, Clone)]
pub struct ConstEntry {
    /// One a key.
    pub keys: Vec<KeyMatch>,
    /// Its rank among those that match: the larger wins. Filled in for every entry by the rules of §14.2.1.4 (order in
    /// the source, `priority =`, `largest_priority_wins`, `priority_delta`).
    pub priority: i64,
    /// What it runs.
    pub action: ActionValue,
}

/// A register, counter or meter.
#[derive(Debug, Clone)]
pub struct ExternInstance {
    /// Its full name.
    pub name: Arc<str>,
    /// What it is.
    pub kind: ExternKind,
}

/// What an extern object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExternKind {
    /// `register<T>(size)`; `width` is that of `T` (its fields' sum where it is a struct).
    Register {
        /// Elements.
        size: u32,
        /// The type of each.
        ty: TypeId,
    },
    /// `counter(size, type)`.
    Counter {
        /// Elements.
        size: u32,
    },
    /// `direct_counter(type)`.
    DirectCounter,
    /// `meter(size, type)`.
    Meter {
        /// Elements.
        size: u32,
        /// What it meters.
        unit: MeterUnit,
    },
    /// `direct_meter<T>(type)`.
    DirectMeter {
        /// What it meters.
        unit: MeterUnit,
    },
}

/// What a meter meters.
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
    /// Its full name.
    pub name: Arc<str>,
    /// The most members.
    pub size: u32,
    /// The hash that chooses a group's member, and the bits of it that count; `None` for a profile without groups.
    pub selector: Option<(HashAlgorithm, u32)>,
}

/// `value_set<T>(size)`.
#[derive(Debug, Clone)]
pub struct ValueSet {
    /// Its full name.
    pub name: Arc<str>,
    /// The most members.
    pub size: u32,
    /// The types of the scalars that are matched, and how (`@match`; exact else).
    pub keys: Vec<(TypeId, MatchKind)>,
}

/// Fields that survive.
#[derive(Debug, Clone, Default)]
pub struct FieldList {
    /// Places in `metadata` and `standard_metadata` (headers survive anyway).
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

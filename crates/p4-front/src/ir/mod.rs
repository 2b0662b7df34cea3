//! Intermediate representation (IR): the elaborated program, with every type resolved and every instance expanded.
//!
//! The IR has no generics, no unresolved names, no instantiations and no hidden side effects. Expressions are pure;
//! every call is a statement, in the order that the specification requires (§6.8), with its result in a variable. Calls
//! carry no arguments: assignments before the call implement copy-in, and the `after` block of [`StmtKind::Call`]
//! implements copy-out. `after` runs even if the callee exits. P4 has no recursion, so each variable has one fixed
//! storage location.
//!
//! The three parts of a packet's state (`headers`, `metadata`, `standard_metadata`) are variables too. All blocks of
//! the pipeline share them: the parameters of the package's parser and controls are aliases of these variables.
//!
mod control_plane;
mod display;
mod expr;
mod program;
mod psa;
mod stmt;
mod types;

pub use control_plane::{
    ActionNotes, Annotation, AnnotationValue, ControlPlane, ControllerHeader, CounterUnit, ExternNotes,
    NewType, SerializableEnum, TableNotes, ValueNotes,
};
pub use expr::{BinaryOp, Expr, ExprKind, Place, Step, UnaryOp};
pub use program::{
    ActionProfile, ActionProfileId, ActionValue, ConstEntry, DEFAULT_TABLE_SIZE, ExternId, ExternInstance,
    ExternKind, Field, FieldList, FieldListId, Function, FunctionId, FunctionKind, HashAlgorithm, Key,
    KeyMatch, KeySet, MatchKind, MeterUnit, Parser, ParserId, Pipeline, Program, Psa, SelectCase, State,
    StateId, Table, TableAction, TableId, Target, TargetModel, Transition, ValueSet, ValueSetId, VarId,
    Variable,
};
pub use psa::{ChecksumStep, PsaExtern};
pub use stmt::{Block, Extern, FieldListChoice, Stmt, StmtKind, SwitchCase};
pub use types::{Composite, CompositeId, CompositeKind, EnumId, Type, TypeId, Types};

/// Maximum number of transitions of a parser per packet, because P4 parsers may loop without consuming input. Beyond it
/// the parser fails with `ParserTimeout` (§12.11 of the specification leaves the bound to the target).
pub const MAX_TRANSITIONS: u32 = 4096;

/// Maximum number of iterations of all `for` statements together in one run of a pipeline block. Beyond it, this loop
/// and every later loop end as if their conditions were false.
pub const MAX_LOOP_ITERATIONS: u32 = 1 << 16;

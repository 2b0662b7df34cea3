//! The elaborated program: what is left of a P4 program once every type is known and every instance made.
//!
//! There are no generics, no names to resolve, no instantiations and no hidden side effects here. Expressions are pure;
//! whatever calls something has become a statement, in the order the specification gives (§6.8), with its result in a
//! variable. Calls carry no arguments: copy-in is assignments before the call, copy-out is [`StmtKind::Call`]'s `after`,
//! which runs even if the callee exits. P4 has no recursion, so every variable has one place for the whole program.
//!
//! The three pieces of a packet's state (`headers`, `metadata`, `standard_metadata`) are variables too, shared by the
//! blocks of the pipeline: the parameters of the parser and the controls that the package names *are* these.

mod display;
mod expr;
mod program;
mod stmt;
mod types;

pub use expr::{BinaryOp, Expr, ExprKind, Place, Step, UnaryOp};
pub use program::{
    ActionProfile, ActionProfileId, ActionValue, ConstEntry, ExternId, ExternInstance, ExternKind, Field,
    FieldList, FieldListId, Function, FunctionId, FunctionKind, HashAlgorithm, Key, KeyMatch, KeySet,
    MatchKind, MeterUnit, Parser, ParserId, Pipeline, Program, SelectCase, State, StateId, Table,
    TableAction, TableId, Target, Transition, ValueSet, ValueSetId, VarId, Variable,
};
pub use stmt::{Block, Extern, FieldListChoice, Stmt, StmtKind, SwitchCase};
pub use types::{Composite, CompositeId, CompositeKind, EnumId, Type, TypeId, Types};

/// Most transitions of a parser for one packet: P4 parsers may loop without consuming anything. One more is the error
/// `ParserTimeout` (§12.11 of the specification leaves the bound to the target).
pub const MOST_TRANSITIONS: u32 = 4096;

/// Most rounds of all `for` statements together in one run of a block of the pipeline. What would go on longer ends as if
/// its condition were false, and so does every loop after it.
pub const MOST_ROUNDS: u32 = 1 << 16;

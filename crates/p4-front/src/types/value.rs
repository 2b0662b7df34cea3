//! Elaborated values.

use std::sync::Arc;

use num_bigint::BigInt;

use super::ty::Ty;
use crate::ir;
use crate::syntax::ast::Name;

/// A value and its type.
#[derive(Debug, Clone)]
pub(super) struct Value {
    pub ty: Ty,
    pub kind: Kind,
}

/// Content of a value: known at compile time, or an expression to compute at run time.
#[derive(Debug, Clone)]
pub(super) enum Kind {
    /// An integer of any integer type, or of a serializable enum or `type` over one. Signed.
    Int(BigInt),
    Bool(bool),
    Text(Arc<str>),
    /// A member of an enum, `error` or `match_kind`.
    Index(u32),
    /// Fields of a struct, valid header, tuple or stack of a known type.
    Fields(Vec<Value>),
    /// `{ a, b, ... }` before its type is known; its type is a tuple.
    List {
        items: Vec<Value>,
        rest: bool,
    },
    /// `{ a = 1, ... }` before its type is known.
    Record {
        fields: Vec<(Name, Value)>,
        rest: bool,
    },
    /// `{#}`, and default values.
    Invalid,
    /// `...`
    Dots,
    /// Computed at run time.
    Expr(ir::Expr),
    /// Not a value: a table, extern or instance.
    Object(Object),
    /// Not a value: the type itself.
    Type,
}

/// An object with methods.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Object {
    PacketIn,
    PacketOut,
    Register(ir::ExternId, Ty),
    Counter(ir::ExternId),
    DirectCounter(ir::ExternId),
    Meter(ir::ExternId),
    DirectMeter(ir::ExternId),
    Checksum16,
    Psa(super::psa::PsaObject),
    Profile(ir::ActionProfileId),
    /// An instance of a parser or control.
    Block(usize),
    /// An instance of a package.
    Package(usize),
    Table(usize),
    /// Result of `t.apply()`, the last emitted statement.
    Applied(usize),
    /// `t.apply().action_run`, stored in a variable.
    ActionRun(usize, ir::VarId),
    ValueSet(ir::ValueSetId),
    /// An object without methods here.
    Opaque,
}

impl Value {
    pub fn new(ty: Ty, kind: Kind) -> Value {
        Value { ty, kind }
    }

    pub fn int(ty: Ty, value: impl Into<BigInt>) -> Value {
        Value { ty, kind: Kind::Int(value.into()) }
    }

    pub fn bool(value: bool) -> Value {
        Value { ty: Ty::Bool, kind: Kind::Bool(value) }
    }

    /// Whether the value is known at compile time.
    pub fn is_constant(&self) -> bool {
        match &self.kind {
            Kind::Int(_) | Kind::Bool(_) | Kind::Text(_) | Kind::Index(_) | Kind::Invalid => true,
            Kind::Fields(items) | Kind::List { items, .. } => items.iter().all(Value::is_constant),
            Kind::Record { fields, .. } => fields.iter().all(|(_, value)| value.is_constant()),
            Kind::Dots => true,
            Kind::Expr(_) | Kind::Object(_) | Kind::Type => false,
        }
    }

    /// The place that the value reads, if it is a plain read.
    pub fn place(&self) -> Option<&ir::Place> {
        match &self.kind {
            Kind::Expr(ir::Expr { kind: ir::ExprKind::Read(place), .. }) => Some(place),
            _ => None,
        }
    }
}

//! What an expression has been elaborated to.

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

/// A value: known now, or an expression to compute when the program runs.
#[derive(Debug, Clone)]
pub(super) enum Kind {
    /// Of any integer type, or a serializable enum or `type` over one. Negative where it is.
    Int(BigInt),
    Bool(bool),
    Text(Arc<str>),
    /// A member of an enum, `error` or `match_kind`.
    Index(u32),
    /// The fields of a struct, header (valid), tuple or stack of a known type.
    Fields(Vec<Value>),
    /// `{ a, b, ... }` before its type is known: its type is a tuple.
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
    /// Computed when the program runs.
    Expr(ir::Expr),
    /// Not a value: a table, an extern, an instance.
    Object(Object),
    /// Not a value: the type itself.
    Type,
}

/// What has methods.
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
    Profile(ir::ActionProfileId),
    /// An instance of a parser or control.
    Block(usize),
    Table(usize),
    /// The result of `t.apply()`, which is the last statement emitted.
    Applied(usize),
    /// `t.apply().action_run`, in a variable.
    ActionRun(usize, ir::VarId),
    ValueSet(ir::ValueSetId),
    /// Anything that is only named: a package.
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

    /// Whether it is known before the program runs.
    pub fn is_constant(&self) -> bool {
        match &self.kind {
            Kind::Int(_) | Kind::Bool(_) | Kind::Text(_) | Kind::Index(_) | Kind::Invalid => true,
            Kind::Fields(items) | Kind::List { items, .. } => items.iter().all(Value::is_constant),
            Kind::Record { fields, .. } => fields.iter().all(|(_, value)| value.is_constant()),
            Kind::Dots => true,
            Kind::Expr(_) | Kind::Object(_) | Kind::Type => false,
        }
    }

    /// The place that it reads, if it only reads one.
    pub fn place(&self) -> Option<&ir::Place> {
        match &self.kind {
            Kind::Expr(ir::Expr { kind: ir::ExprKind::Read(place), .. }) => Some(place),
            _ => None,
        }
    }
}

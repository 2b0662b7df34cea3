//! Types in the checker.

use std::sync::Arc;

use num_bigint::BigInt;
use rustc_hash::FxHashMap;

use crate::syntax::ast;

/// A type. Numbers are indices into [`TypeTable`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Ty {
    Bool,
    Bit(u32),
    Int(u32),
    Varbit(u32),
    /// `int`: arbitrary precision, compile time only.
    InfInt,
    String,
    Error,
    MatchKind,
    Void,
    /// A header, union or struct.
    Composite(ast::Composite, usize),
    Stack(Arc<Ty>, u32),
    Tuple(Arc<[Ty]>),
    List(Arc<Ty>),
    Enum(usize),
    /// An enum with an underlying type.
    Serializable(usize),
    /// `type T N`.
    Newtype(usize),
    /// An extern object's type.
    Extern(usize),
    /// A parser or control, or the type of one.
    Block(usize),
    Package(usize),
    /// Result of `t.apply()` of the table with this number.
    Applied(usize),
    /// Result of `t.apply().action_run`.
    ActionRun(usize),
    /// A value set of elements of a type.
    Set(Arc<Ty>),
    /// A type parameter that is being inferred.
    Var(usize),
    /// `_` as a type argument.
    Any,
}

/// A declared type with its type arguments.
#[derive(Debug, Clone)]
pub(super) struct Named {
    /// Index of the top-level declaration.
    pub declaration: usize,
    /// Type arguments.
    pub arguments: Vec<Ty>,
    /// Name.
    pub name: Arc<str>,
    /// Definition.
    pub body: NamedBody,
    /// Number of scalars and composites in a value, itself included; bounds the elaboration's work.
    pub pieces: u64,
}

/// Definition of a declared type.
#[derive(Debug, Clone)]
pub(super) enum NamedBody {
    Composite(Arc<[FieldTy]>),
    Enum(Arc<[Arc<str>]>),
    Serializable { underlying: Ty, members: Vec<(Arc<str>, BigInt)> },
    Newtype(Ty),
    Other,
}

/// A field.
#[derive(Debug, Clone)]
pub(super) struct FieldTy {
    pub name: Arc<str>,
    pub ty: Ty,
    /// Numbers of `@field_list`.
    pub lists: Vec<u8>,
}

/// The declared types in use, interned.
#[derive(Debug, Default)]
pub(super) struct TypeTable {
    pub named: Vec<Named>,
    /// Types by declaration and type arguments; `None` for invalid types, which have been reported.
    pub by_key: FxHashMap<(usize, Vec<Ty>), Option<Ty>>,
}

impl TypeTable {
    /// Fields of a composite.
    pub fn fields(&self, id: usize) -> Arc<[FieldTy]> {
        match &self.named[id].body {
            NamedBody::Composite(fields) => fields.clone(),
            _ => Arc::from([]),
        }
    }

    /// Underlying type of a serializable enum or `type`, recursively.
    pub fn base(&self, ty: &Ty) -> Ty {
        let mut ty = ty.clone();
        loop {
            ty = match &ty {
                Ty::Serializable(id) | Ty::Newtype(id) => match &self.named[*id].body {
                    NamedBody::Serializable { underlying, .. } => underlying.clone(),
                    NamedBody::Newtype(base) => base.clone(),
                    _ => return ty,
                },
                _ => return ty,
            };
        }
    }

    /// Number of scalars and composites in a value of the type.
    pub fn pieces(&self, ty: &Ty) -> u64 {
        match ty {
            Ty::Composite(_, id) => self.named[*id].pieces,
            Ty::Stack(element, size) => {
                self.pieces(element).saturating_mul(u64::from(*size)).saturating_add(1)
            }
            Ty::Tuple(items) => items.iter().fold(1, |sum, item| self.pieces(item).saturating_add(sum)),
            Ty::List(item) => self.pieces(item),
            Ty::Newtype(_) => self.base(ty).width().map_or(1, |_| 1),
            _ => 1,
        }
    }

    /// Source form of the type.
    pub fn show(&self, ty: &Ty) -> String {
        let list = |items: &[Ty]| items.iter().map(|item| self.show(item)).collect::<Vec<_>>().join(", ");
        match ty {
            Ty::Bool => "bool".into(),
            Ty::Bit(width) => format!("bit<{width}>"),
            Ty::Int(width) => format!("int<{width}>"),
            Ty::Varbit(width) => format!("varbit<{width}>"),
            Ty::InfInt => "int".into(),
            Ty::String => "string".into(),
            Ty::Error => "error".into(),
            Ty::MatchKind => "match_kind".into(),
            Ty::Void => "void".into(),
            Ty::Stack(element, size) => format!("{}[{size}]", self.show(element)),
            Ty::Tuple(items) => format!("tuple<{}>", list(items)),
            Ty::List(item) => format!("list<{}>", self.show(item)),
            Ty::Composite(_, id)
            | Ty::Enum(id)
            | Ty::Serializable(id)
            | Ty::Newtype(id)
            | Ty::Extern(id)
            | Ty::Block(id)
            | Ty::Package(id) => {
                let named = &self.named[*id];
                if named.arguments.is_empty() {
                    named.name.to_string()
                } else {
                    format!("{}<{}>", named.name, list(&named.arguments))
                }
            }
            Ty::Applied(_) => "apply_result".into(),
            Ty::ActionRun(_) => "action_run".into(),
            Ty::Set(of) => format!("value_set<{}>", self.show(of)),
            Ty::Var(_) | Ty::Any => "_".into(),
        }
    }
}

impl Ty {
    /// Width of `bit<W>` and `int<W>`.
    pub fn width(&self) -> Option<u32> {
        match self {
            Ty::Bit(width) | Ty::Int(width) => Some(*width),
            _ => None,
        }
    }

    /// Whether it is `int<W>`.
    pub fn is_signed(&self) -> bool {
        matches!(self, Ty::Int(_))
    }

    /// Whether it is a header.
    pub fn is_header(&self) -> bool {
        matches!(self, Ty::Composite(ast::Composite::Header, _))
    }

    /// Whether it is a header union.
    pub fn is_union(&self) -> bool {
        matches!(self, Ty::Composite(ast::Composite::Union, _))
    }
}

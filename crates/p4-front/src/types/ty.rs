//! Types as the checker knows them.

use std::sync::Arc;

use num_bigint::BigInt;
use rustc_hash::FxHashMap;

use crate::syntax::ast;

/// A type. The numbers are those of [`TypeTable`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Ty {
    Bool,
    Bit(u32),
    Int(u32),
    Varbit(u32),
    /// `int`: any size, known before the program runs.
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
    /// What `t.apply()` gives, of the table with that number.
    Applied(usize),
    /// What `t.apply().action_run` gives.
    ActionRun(usize),
    /// A value set of elements of a type.
    Set(Arc<Ty>),
    /// A type parameter that is being inferred.
    Var(usize),
    /// `_` as a type argument.
    Any,
}

/// A type with a declaration, for certain type arguments.
#[derive(Debug, Clone)]
pub(super) struct Named {
    /// Its declaration at the top level.
    pub declaration: usize,
    /// Its type arguments.
    pub arguments: Vec<Ty>,
    /// Its name.
    pub name: Arc<str>,
    /// What it is made of.
    pub body: NamedBody,
    /// How many pieces a value has, itself included: a bound on what elaboration does.
    pub pieces: u64,
}

/// What a declared type is made of.
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
    /// The numbers of `@field_list`.
    pub lists: Vec<u8>,
}

/// The declared types that the program uses, each once.
#[derive(Debug, Default)]
pub(super) struct TypeTable {
    pub named: Vec<Named>,
    /// Their types by declaration and type arguments; `None` for those that are wrong, which has been reported.
    pub by_key: FxHashMap<(usize, Vec<Ty>), Option<Ty>>,
}

impl TypeTable {
    /// The fields of a composite.
    pub fn fields(&self, id: usize) -> Arc<[FieldTy]> {
        match &self.named[id].body {
            NamedBody::Composite(fields) => fields.clone(),
            _ => Arc::from([]),
        }
    }

    /// The type under a serializable enum or `type`, all the way down.
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

    /// How many pieces a value of the type has.
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

    /// The type as it is written.
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
            Ty::Applied(_) => "the result of a table's apply".into(),
            Ty::ActionRun(_) => "action_run".into(),
            Ty::Set(of) => format!("value_set<{}>", self.show(of)),
            Ty::Var(_) | Ty::Any => "_".into(),
        }
    }
}

impl Ty {
    /// The width of `bit<W>` and `int<W>`.
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

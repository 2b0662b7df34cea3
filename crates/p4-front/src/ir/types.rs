//! Run-time types.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Field;

/// A type in [`Types`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(pub u32);

/// A header, union or struct in [`Types`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CompositeId(pub u32);

/// An enum without an underlying type in [`Types`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EnumId(pub u32);

/// A run-time type. Serializable enums and `type`s are replaced by their underlying types; a table's `action_run` is a
/// `bit<32>` index into [`super::Table::actions`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Type {
    /// `bool`; one bit in a header.
    Bool,
    /// `bit<W>` or `int<W>`; `width` may be 0. Values are bit patterns, two's complement if `signed`.
    Bits {
        /// Width in bits.
        width: u32,
        /// Whether it is `int<W>`.
        signed: bool,
    },
    /// `varbit<W>`: at most `max_width` bits, with a current length that starts at 0.
    Varbit {
        /// Maximum width in bits.
        max_width: u32,
    },
    /// `error`: an index into [`super::Program::errors`]; 0 is `NoError`.
    Error,
    /// An enum without an underlying type: the index of the member in declaration order.
    Enum(EnumId),
    /// A header, union or struct; tuples and list expressions are structs with fields `f0`, `f1`, ….
    Composite(CompositeId),
    /// A header stack or array.
    Stack {
        /// Type of an element: header or union.
        element: TypeId,
        /// Number of elements.
        size: u32,
    },
}

/// A header, union or struct.
#[derive(Debug, Clone, PartialEq)]
pub struct Composite {
    /// Name in the program; empty for a tuple.
    pub name: Arc<str>,
    /// Kind.
    pub kind: CompositeKind,
    /// Fields, in order.
    pub fields: Vec<Field>,
}

/// Kind of a composite type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CompositeKind {
    /// A header: fields and a validity bit.
    Header,
    /// A header union: at most one member is valid.
    Union,
    /// A struct or tuple.
    Struct,
}

/// All types of a program, interned.
#[derive(Debug, Clone, Default)]
pub struct Types {
    types: Vec<Type>,
    numbers: FxHashMap<Type, TypeId>,
    composites: Vec<Composite>,
    enums: Vec<(Arc<str>, Vec<Arc<str>>)>,
}

impl Types {
    /// Interns a type.
    pub fn add(&mut self, ty: Type) -> TypeId {
        if let Some(id) = self.numbers.get(&ty) {
            return *id;
        }
        let id = TypeId(u32::try_from(self.types.len()).expect("fewer than 2^32 types"));
        self.types.push(ty);
        self.numbers.insert(ty, id);
        id
    }

    /// Looks up a type by its id.
    pub fn get(&self, id: TypeId) -> Type {
        self.types[id.0 as usize]
    }

    /// Adds a header, union or struct. Each call creates a new type.
    pub fn add_composite(&mut self, composite: Composite) -> CompositeId {
        self.composites.push(composite);
        CompositeId(u32::try_from(self.composites.len() - 1).expect("fewer than 2^32 types"))
    }

    /// Looks up a header, union or struct.
    pub fn composite(&self, id: CompositeId) -> &Composite {
        &self.composites[id.0 as usize]
    }

    /// Adds an enum.
    pub fn add_enum(&mut self, name: Arc<str>, members: Vec<Arc<str>>) -> EnumId {
        self.enums.push((name, members));
        EnumId(u32::try_from(self.enums.len() - 1).expect("fewer than 2^32 enums"))
    }

    /// Names of the members of an enum.
    pub fn enum_members(&self, id: EnumId) -> &[Arc<str>] {
        &self.enums[id.0 as usize].1
    }

    /// Type of a field of a header, union or struct, or of a stack's element.
    pub fn field(&self, of: TypeId, field: u32) -> TypeId {
        match self.get(of) {
            Type::Composite(id) => self.composite(id).fields[field as usize].ty,
            Type::Stack { element, .. } => element,
            other => panic!("{other:?} has no fields: the checker rejects such accesses"),
        }
    }

    /// The composite behind a type, if the type is one.
    pub fn as_composite(&self, id: TypeId) -> Option<&Composite> {
        match self.get(id) {
            Type::Composite(composite) => Some(self.composite(composite)),
            _ => None,
        }
    }

    /// Whether the type is a header.
    pub fn is_header(&self, id: TypeId) -> bool {
        self.as_composite(id).is_some_and(|composite| composite.kind == CompositeKind::Header)
    }

    /// Size of a value in bits on the wire, with `varbit`s at their maximum and unions at their longest member.
    pub fn bits(&self, id: TypeId) -> u32 {
        match self.get(id) {
            Type::Bool => 1,
            Type::Bits { width, .. } => width,
            Type::Varbit { max_width: most } => most,
            Type::Error | Type::Enum(_) => 32,
            Type::Stack { element, size } => size.saturating_mul(self.bits(element)),
            Type::Composite(composite) => {
                let composite = self.composite(composite);
                let fields = composite.fields.iter().map(|field| self.bits(field.ty));
                match composite.kind {
                    CompositeKind::Union => fields.max().unwrap_or(0),
                    _ => fields.fold(0, u32::saturating_add),
                }
            }
        }
    }
}

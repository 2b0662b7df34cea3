//! What a controller is told about the program beside its behaviour: annotations, declared types, controller headers.
//!
//! Execution needs none of this. P4Info does (P4Runtime specification, "The P4Info Message").

use std::collections::BTreeMap;
use std::sync::Arc;

use num_bigint::BigInt;

use super::FunctionId;

/// An annotation of a declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Annotation {
    /// Name, without the `@`.
    pub name: Arc<str>,
    /// Arguments in parentheses.
    pub arguments: Vec<AnnotationValue>,
    /// The whole annotation as P4 text; arguments that are not expressions are left out.
    pub text: String,
}

/// An argument of an annotation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnnotationValue {
    /// A literal number.
    Number(BigInt),
    /// A string.
    Text(Arc<str>),
    /// Any other expression.
    Other,
}

/// Facts about the program's objects, in the order of [`super::Program`]'s lists.
#[derive(Debug, Clone, Default)]
pub struct ControlPlane {
    /// By table.
    pub tables: Vec<TableNotes>,
    /// By action.
    pub actions: BTreeMap<FunctionId, ActionNotes>,
    /// By extern object.
    pub externs: Vec<ExternNotes>,
    /// Annotations by action profile.
    pub profiles: Vec<Vec<Annotation>>,
    /// Annotations by value set.
    pub value_sets: Vec<Vec<Annotation>>,
    /// Headers with `@controller_header`, in the order of declaration.
    pub controller_headers: Vec<ControllerHeader>,
    /// Types declared with `type` that keys, action data or controller headers have.
    pub new_types: BTreeMap<Arc<str>, NewType>,
    /// Enums with an underlying type that keys, action data or controller headers have.
    pub enums: BTreeMap<Arc<str>, SerializableEnum>,
}

/// Facts about a table.
#[derive(Debug, Clone, Default)]
pub struct TableNotes {
    /// Annotations of the table.
    pub annotations: Vec<Annotation>,
    /// By key, including `selector` keys.
    pub keys: Vec<ValueNotes>,
    /// Whether the table has `support_timeout = true`: its entries remember when they were last hit.
    pub supports_timeout: bool,
}

/// Facts about a key, parameter or field.
#[derive(Debug, Clone, Default)]
pub struct ValueNotes {
    /// Name.
    pub name: Arc<str>,
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Name of its type, if it was declared with `type`.
    pub type_name: Option<Arc<str>>,
    /// Width in bits.
    pub bits: u32,
}

/// Facts about an action.
#[derive(Debug, Clone, Default)]
pub struct ActionNotes {
    /// Annotations of the action.
    pub annotations: Vec<Annotation>,
    /// By declared parameter.
    pub parameters: Vec<ValueNotes>,
}

/// Facts about an extern object.
#[derive(Debug, Clone, Default)]
pub struct ExternNotes {
    /// Annotations of the instance.
    pub annotations: Vec<Annotation>,
    /// What a counter counts by its declaration.
    pub counts: CounterUnit,
}

/// Declared unit of a counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CounterUnit {
    /// Packets.
    Packets,
    /// Bytes.
    Bytes,
    /// Both.
    #[default]
    Both,
}

/// A header between the switch and its controller.
#[derive(Debug, Clone)]
pub struct ControllerHeader {
    /// Name in the annotation: `packet_in` or `packet_out`.
    pub name: Arc<str>,
    /// Annotations of the header.
    pub annotations: Vec<Annotation>,
    /// Fields, in order.
    pub fields: Vec<ValueNotes>,
}

/// A type declared with `type`.
#[derive(Debug, Clone)]
pub struct NewType {
    /// Width in bits of the underlying type.
    pub bits: u32,
    /// Whether the underlying type is signed.
    pub signed: bool,
    /// Annotations of the declaration.
    pub annotations: Vec<Annotation>,
}

/// An enum with an underlying type.
#[derive(Debug, Clone)]
pub struct SerializableEnum {
    /// Width in bits of the underlying type.
    pub bits: u32,
    /// Names and values of its members, in order.
    pub members: Vec<(Arc<str>, BigInt)>,
    /// Annotations of the declaration.
    pub annotations: Vec<Annotation>,
}

//! Values of any type.

/// Type of a value, with its code in the binary protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // the names are the protocol's
pub enum Kind {
    Bool = 2,
    Byte = 3,
    Double = 4,
    I16 = 6,
    I32 = 8,
    I64 = 10,
    Binary = 11,
    Struct = 12,
    Map = 13,
    Set = 14,
    List = 15,
}

impl Kind {
    const ALL: [Kind; 11] = [
        Kind::Bool,
        Kind::Byte,
        Kind::Double,
        Kind::I16,
        Kind::I32,
        Kind::I64,
        Kind::Binary,
        Kind::Struct,
        Kind::Map,
        Kind::Set,
        Kind::List,
    ];

    pub(super) fn of(code: u8) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| *kind as u8 == code)
    }
}

/// A value. Elements of a container are all of its kind.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)] // the names are the protocol's
pub enum Value {
    Bool(bool),
    Byte(i8),
    Double(f64),
    I16(i16),
    I32(i32),
    I64(i64),
    /// Bytes, or text in UTF-8.
    Binary(Vec<u8>),
    Struct(Fields),
    Map(Kind, Kind, Vec<(Value, Value)>),
    Set(Kind, Vec<Value>),
    List(Kind, Vec<Value>),
}

impl Value {
    /// Its type.
    pub fn kind(&self) -> Kind {
        match self {
            Value::Bool(_) => Kind::Bool,
            Value::Byte(_) => Kind::Byte,
            Value::Double(_) => Kind::Double,
            Value::I16(_) => Kind::I16,
            Value::I32(_) => Kind::I32,
            Value::I64(_) => Kind::I64,
            Value::Binary(_) => Kind::Binary,
            Value::Struct(_) => Kind::Struct,
            Value::Map(..) => Kind::Map,
            Value::Set(..) => Kind::Set,
            Value::List(..) => Kind::List,
        }
    }

    /// A list of structs.
    pub fn structs(elements: impl IntoIterator<Item = Fields>) -> Value {
        Value::List(Kind::Struct, elements.into_iter().map(Value::Struct).collect())
    }
}

macro_rules! from {
    ($($ty:ty, $kind:ident;)*) => {$(
        impl From<$ty> for Value {
            fn from(value: $ty) -> Value {
                Value::$kind(value.into())
            }
        }
    )*};
}

from! {
    bool, Bool;
    f64, Double;
    i16, I16;
    i32, I32;
    i64, I64;
    &str, Binary;
    String, Binary;
    Vec<u8>, Binary;
    Fields, Struct;
}

/// Fields of a struct by their numbers, in the order in which they are written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fields(pub Vec<(i16, Value)>);

impl Fields {
    /// No fields.
    pub fn new() -> Fields {
        Fields::default()
    }

    /// Adds a field.
    #[must_use]
    pub fn with(mut self, number: i16, value: impl Into<Value>) -> Fields {
        self.0.push((number, value.into()));
        self
    }

    /// The field of a number; of several, the last.
    pub fn get(&self, number: i16) -> Option<&Value> {
        self.0.iter().rev().find(|(own, _)| *own == number).map(|(_, value)| value)
    }
}

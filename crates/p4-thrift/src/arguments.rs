//! Typed access to the fields of a call and of structs.

use crate::codec::{Fields, Value};
use crate::fault::{ApplicationError, Fault};

/// Fields of a struct that must be there.
pub(crate) trait Arguments {
    fn i16(&self, number: i16) -> Result<i16, Fault>;
    fn i32(&self, number: i16) -> Result<i32, Fault>;
    fn i64(&self, number: i16) -> Result<i64, Fault>;
    fn double(&self, number: i16) -> Result<f64, Fault>;
    fn bool(&self, number: i16) -> Result<bool, Fault>;
    fn text(&self, number: i16) -> Result<&str, Fault>;
    fn binary(&self, number: i16) -> Result<&[u8], Fault>;
    fn fields(&self, number: i16) -> Result<&Fields, Fault>;
    fn list(&self, number: i16) -> Result<&[Value], Fault>;

    /// A number that is an index or a handle: negative ones are of nothing.
    fn index(&self, number: i16) -> Result<Option<u32>, Fault> {
        Ok(u32::try_from(self.i32(number)?).ok())
    }
}

macro_rules! scalars {
    ($($name:ident, $kind:ident, $ty:ty;)*) => {$(
        fn $name(&self, number: i16) -> Result<$ty, Fault> {
            match self.get(number) {
                Some(Value::$kind(value)) => Ok(*value),
                other => Err(wrong(number, other, stringify!($name))),
            }
        }
    )*};
}

impl Arguments for Fields {
    scalars! {
        i16, I16, i16;
        i32, I32, i32;
        i64, I64, i64;
        double, Double, f64;
        bool, Bool, bool;
    }

    fn text(&self, number: i16) -> Result<&str, Fault> {
        std::str::from_utf8(self.binary(number)?)
            .map_err(|_| protocol(format!("field {number} must be UTF-8")))
    }

    fn binary(&self, number: i16) -> Result<&[u8], Fault> {
        match self.get(number) {
            Some(Value::Binary(bytes)) => Ok(bytes),
            other => Err(wrong(number, other, "string")),
        }
    }

    fn fields(&self, number: i16) -> Result<&Fields, Fault> {
        match self.get(number) {
            Some(Value::Struct(fields)) => Ok(fields),
            other => Err(wrong(number, other, "struct")),
        }
    }

    fn list(&self, number: i16) -> Result<&[Value], Fault> {
        match self.get(number) {
            Some(Value::List(_, elements)) => Ok(elements),
            other => Err(wrong(number, other, "list")),
        }
    }
}

/// The structs of a list.
pub(crate) fn structs(elements: &[Value]) -> Result<Vec<&Fields>, Fault> {
    let fields = elements.iter().map(|element| match element {
        Value::Struct(fields) => Ok(fields),
        _ => Err(protocol("a list must have structs".to_owned())),
    });
    fields.collect()
}

/// The byte strings of a list.
pub(crate) fn binaries(elements: &[Value]) -> Result<Vec<&[u8]>, Fault> {
    let bytes = elements.iter().map(|element| match element {
        Value::Binary(bytes) => Ok(bytes.as_slice()),
        _ => Err(protocol("a list must have strings".to_owned())),
    });
    bytes.collect()
}

fn wrong(number: i16, found: Option<&Value>, wanted: &str) -> Fault {
    protocol(match found {
        None => format!("missing field {number}, of type {wanted}"),
        Some(other) => format!("field {number} must be of type {wanted}, got {:?}", other.kind()),
    })
}

fn protocol(message: String) -> Fault {
    Fault::Application(ApplicationError::Protocol, message)
}

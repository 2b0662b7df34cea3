//! Thrift's binary protocol: messages and values as bytes.
//!
//! Reference: "Thrift Binary protocol encoding" of the Apache Thrift project, with the strict and the old form of messages.
//! Values are read without a schema, because the services ask for fields by their numbers.

mod read;
mod value;
mod write;

pub use read::{ReadError, read_message};
pub use value::{Fields, Kind, Value};
pub use write::write_message;

/// A message: a call, or the answer to one.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// What it is.
    pub kind: MessageKind,
    /// Name of the method; with the name of the service before a colon if several services share a connection.
    pub name: String,
    /// Number of the call, which its answer repeats.
    pub sequence: i32,
    /// Arguments, or results.
    pub fields: Fields,
    /// Whether it has the strict form; an answer has that of its call.
    pub is_strict: bool,
}

/// Kind of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // the names are the protocol's
pub enum MessageKind {
    Call = 1,
    Reply = 2,
    Exception = 3,
    Oneway = 4,
}

impl MessageKind {
    fn of(code: u8) -> Option<MessageKind> {
        [MessageKind::Call, MessageKind::Reply, MessageKind::Exception, MessageKind::Oneway]
            .into_iter()
            .find(|kind| *kind as u8 == code)
    }
}

//! The Octopus message transport, sans-IO.

mod message;

pub use message::{Message, MessageEvent, MessageParams, MessagePayload, SendError};

#![forbid(unsafe_code)]
//! The Octopus message transport, sans-IO.
//!
//! A [`Connection`] is one end; data flows either way. The unit that applications send, that is dropped and that is
//! delivered is the message: [`Connection::send`] cuts it into packets that carry its label (how it may be dropped, for
//! routers on the way), the receiver acknowledges each packet, and a message is delivered as soon as it is whole,
//! whatever else is missing. What is lost is not sent again unless the stream is reliable or the repair policy says so.
//!
//! The sending half: `send_buffer.rs` (messages that wait, and the dropping verdict that routers use too), `underway.rs`
//! (messages that have begun to leave), `in_flight.rs` (packets), `transmit.rs` (what leaves next), `acknowledge.rs` (what
//! ACKs and timers tell), `repair.rs` (what is sent again). The receiving half: `receiver.rs` (packets and their ACKs),
//! `reassembly.rs` (messages). Forward error correction: `layout.rs`, `erasure.rs`, `field.rs`. Loss detection is that of
//! RFC 9002; how much may be in flight is a [`crate::path::PathController`]'s matter.
//!
//! What is not there: a handshake, encryption, migration, flow control by the receiver, path MTU discovery. See
//! `docs/src/octopus-transport.md`.

mod ack;
mod acknowledge;
mod assembly;
mod bits;
mod connection;
mod erasure;
mod field;
mod in_flight;
mod layout;
mod message;
mod parameters;
pub mod path;
mod reassembly;
mod receiver;
mod repair;
mod rtt;
mod send_buffer;
mod sender;
mod serial;
mod statistics;
mod streams;
mod timers;
mod transmit;
mod underway;

pub use connection::{Connection, Transmit};
pub use message::{Message, MessageEvent, MessageParams, MessagePayload, SendError};
pub use parameters::{OctopusParameters, Repair};
pub use statistics::{OctopusStatistics, Tally};
pub use streams::StreamOptions;

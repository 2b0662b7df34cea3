#![forbid(unsafe_code)]
//! The Octopus message transport, sans-IO.
//!
//! A [`Connection`] is one end; data flows in both directions. The message is the unit of sending, dropping and
//! delivery: [`Connection::send`] divides it into packets that carry its label (the drop rules for routers on the
//! path), the receiver acknowledges each packet, and a message is delivered as soon as it is complete, whatever else
//! is missing. Lost packets are retransmitted only if the stream is reliable or the repair policy requires it.
//!
//! The sending half: `send_buffer.rs` (waiting messages), `streams.rs` (numbers and drop verdicts), `in_progress.rs`
//! (messages in progress), `in_flight.rs` (packets), `transmit.rs` (selection of the next packet), `acknowledge.rs`
//! (ACKs and timers), `repair.rs` (retransmission). The receiving half: `receiver.rs` (packets and their ACKs),
//! `number_space.rs` (their numbers), `reassembly.rs`, `window.rs` and `incomplete.rs` (messages), `limits.rs` (bounds).
//! Forward error correction: `layout.rs`, `erasure.rs`, `field.rs`. Loss detection follows
//! RFC 9002; a [`crate::path::PathController`] limits the bytes in flight.
//!
//! Unsupported: handshake, encryption, migration, flow control by the receiver, path MTU discovery. See
//! `docs/src/appendix/octopus-transport.md`.

mod ack;
mod acknowledge;
mod assembly;
mod bits;
mod connection;
mod erasure;
mod field;
pub mod gcc;
mod in_flight;
mod in_progress;
mod incomplete;
mod layout;
mod limits;
mod message;
mod number_space;
mod parameters;
pub mod path;
mod reassembly;
mod receiver;
mod recency;
mod repair;
mod rtt;
mod send_buffer;
mod sender;
mod serial;
mod statistics;
mod streams;
mod timers;
mod transmit;
mod window;

pub use connection::{Connection, Fragment, Transmit};
pub use limits::Limits;
pub use message::{Message, MessageEvent, MessageParams, MessagePayload, SendError};
pub use parameters::{EstimateRule, OctopusParameters, Repair, SendVerdict};
pub use statistics::{OctopusStatistics, Tally};
pub use streams::StreamOptions;

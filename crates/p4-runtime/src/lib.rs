#![forbid(unsafe_code)]
//! P4Runtime for the v1model switch (P4Runtime specification 1.4).
//!
//! - [`info`] describes a program to its controller: P4Info, with ids, in binary and text form.
//! - [`config`] is the device configuration: the program's sources, compiled by the switch.
//! - [`bytes`] converts numbers to byte strings.
//! - [`Control`] writes and reads a switch's entities, and collects its digests and idle entries.
//! - [`named`] has entities by names, and [`attached`] the control of a switch inside a run by them.
//! - [`node`] is a device: arbitration among controllers, its pipeline and their streams; [`device`] is its switch.
//! - `server` is the gRPC server of a device (feature `server`).
//!
//! The messages in [`proto`] are structs with the specification's field numbers.

pub mod attached;
pub mod bytes;
mod catalogue;
pub mod config;
mod data;
pub mod device;
mod fault;
pub mod info;
pub mod named;
pub mod node;
mod packets;
pub mod proto;
mod role;
#[cfg(feature = "server")]
pub mod server;
mod switch;
mod translation;

pub use catalogue::Catalogue;
pub use fault::{Code, Fault};
pub use switch::{Change, Control, ListReady};
pub use translation::Translations;

#![forbid(unsafe_code)]
//! The control interface of BMv2's `simple_switch`, over Thrift.
//!
//! - [`codec`] is Thrift's binary protocol.
//! - [`Services`] executes the methods of the services `standard`, `simple_pre_lag` and `simple_switch` on a [`Target`], without I/O.
//! - [`server`] serves them on a socket.
//!
//! Not spoken: notices over nanomsg, such as digests and idle entries.

mod arguments;
mod calculations;
pub mod codec;
mod description;
mod fault;
pub mod server;
mod service;

pub use fault::{ApplicationError, Fault};
pub use service::{Call, Device, Returned, Services, Target};

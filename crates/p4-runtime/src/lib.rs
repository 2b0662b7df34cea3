#![forbid(unsafe_code)]
//! P4Runtime for the v1model switch (P4Runtime specification 1.4).
//!
//! - [`info`] describes a program to its controller: P4Info, with ids, in binary and text form.
//! - [`config`] is the device configuration: the program's sources, compiled by the switch.
//! - [`bytes`] converts numbers to byte strings.
//!
//! The messages in [`proto`] are structs with the specification's field numbers.

pub mod bytes;
pub mod config;
pub mod info;
pub mod proto;

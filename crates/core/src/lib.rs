#![forbid(unsafe_code)]
//! Units, seeded random streams and drop reasons: the vocabulary of all other crates.
//!
//! This crate holds types without behaviour. [`Time`] and [`Duration`] count whole nanoseconds, [`Rate`] whole bits per
//! second, [`Bytes`] whole bytes; each reads and prints itself with its unit (`"10 Mbit/s"`, `"5 ms"`), so a scenario
//! never holds a bare number with an implied unit. [`Seed`] derives an independent random stream for each named
//! component. [`DropReason`] says why a packet was dropped.

pub mod fork;
mod gauge;
mod random;
mod reason;
pub mod units;

pub use gauge::{Gauge, Gauges, PartOf};
pub use random::{RandomStream, Seed};
pub use reason::{DropReason, MarkReason};
pub use units::{Bytes, Duration, Rate, Time, UnitError};

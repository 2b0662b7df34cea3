#![forbid(unsafe_code)]
//! Units, seeded random streams, drop reasons and registries: the vocabulary every other crate speaks.
//!
//! Nothing here acts. [`Time`] and [`Duration`] count whole nanoseconds, [`Rate`] whole bits a second, [`Bytes`]
//! whole bytes; each reads and prints itself with its unit (`"10 Mbit/s"`, `"5 ms"`), because a scenario never
//! holds a bare number whose unit one has to guess. [`Seed`] hands out one independent random stream a named
//! component. [`DropReason`] says why a packet went overboard. [`Registry`] maps an id to what can be built
//! under it.

mod gauge;
mod random;
mod reason;
mod registry;
pub mod units;

pub use gauge::{Gauge, Gauges, PartOf};
pub use random::{RandomStream, Seed};
pub use reason::{DropReason, MarkReason};
pub use registry::{BuildError, Catalogue, ParameterDoc, Registry, nearest, parameter_docs, parameters};
pub use units::{Bytes, Duration, Rate, Time, UnitError};

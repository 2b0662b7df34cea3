#![forbid(unsafe_code)]
//! Octopus's drop decisions, common to a router's queue and a sender's buffer (Chen, Tahir, Mittal, Algorithm 1).
//!
//! [`VerdictOptions`] decides whether a message is obsolete; [`max_min_share`], [`ArrivalRate`] and [`DequeueRate`] give
//! the rate that its stream may use; [`Fates`] and [`Streams`] store the decisions.

mod bandwidth;
mod busy_rate;
mod dequeue_rate;
mod fair_share;
mod fates;
mod streams;
#[cfg(test)]
mod testing;
mod verdict;

pub use bandwidth::{Bandwidth, BandwidthSettings, PARTS};
pub use busy_rate::BusyRate;
pub use dequeue_rate::{DequeueRate, IdleTime};
pub use fair_share::{ArrivalRate, ArrivalWindow, max_min_share};
pub use fates::{Fate, Fates};
pub use streams::Streams;
pub use verdict::{Droppers, VerdictOptions};

#![forbid(unsafe_code)]
#![doc = include_str!("../README.md")]
//!
//! Links: models of transmission, loss and propagation after the queue, in one direction.
//!
//! A [`LinkModel`] says when it can begin the next packet and when that packet's last bit has left; it makes no
//! queueing decision and holds no packet. [`Propagation`] says when that last bit arrives, [`Loss`] whether the
//! packet is lost on the way, and [`Impairments`] what else happens to it there (jitter, reordering, duplication,
//! corruption). These are separate state machines; a simulated or live link has one set per
//! direction and calls them in this order:
//!
//! ```
//! use jettison_core::{Bytes, Duration, Rate, Time};
//! use jettison_link::{FixedRate, LinkModel, Propagation};
//!
//! let mut link = FixedRate::new(Rate::from_mbit(10));
//! let mut propagation = Propagation::new(Duration::from_millis(9));
//! let begins = link.ready_at(Time::ZERO);
//! let left = link.begin(1500 + link.overhead(), begins);
//! assert_eq!(left, Time::from_nanos(1_211_200)); // 1,514 bytes at 10 Mbit/s
//! assert_eq!(propagation.arrival(left), Time::from_nanos(10_211_200));
//! ```
//!
//! Time-varying links may be read from files: [`profile`] reads network profiles, [`trace`] recorded delivery
//! opportunities ([`TraceLink`]) and grants of a base station ([`CellLink`]).
//!
//! To add a link model: write its file, with an `entry()` that describes it, and add it to [`links`].

mod cell_file;
pub mod cellular;
pub mod entry;
mod impairment;
#[cfg(test)]
mod list_tests;
mod loss;
mod model;
pub mod profile;
mod propagation;
mod schedule;
mod share;
pub mod trace;

jettison_registry::components! {
    /// All link models of this crate.
    pub fn links() -> Registry<entry::Link>;
    mod fixed;
    mod mahimahi;
    mod cell;
}

pub use cell::{CellLink, CellParameters, GrantsTooSmall};
pub use cell_file::CellFile;
pub use fixed::{FixedParameters, FixedRate, RateChange};
pub use impairment::{
    Arrival, Distribution, DistributionTable, ImpairmentParameters, Impairments, JitterChoice,
    JitterParameters, OccurrenceChoice, OccurrenceParameters, ReorderChoice, ReorderParameters, TableError,
};
pub use loss::{FourState, GilbertElliott, Loss, LossChange, LossParameters, LossWindow, ScheduledLoss};
pub use mahimahi::{MahimahiParameters, TraceLink};
pub use model::LinkModel;
pub use propagation::Propagation;
pub use schedule::{Schedule, ScheduleError};
pub use share::Share;

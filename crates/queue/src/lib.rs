#![forbid(unsafe_code)]
#![doc = include_str!("../README.md")]
//!
//! Queue disciplines: order, drops and marks at one port.
//!
//! One file per discipline, named after its id. To add a discipline, write the file with an `entry()` that describes it
//! and add a line to [`disciplines`]; `CONTRIBUTING.md` lists the steps. The crate is independent of links,
//! topology and clock: time is an argument.
//!
//! Shared components:
//!
//! - stores: [`Fifo`] for one queue, [`PacketPool`] for many;
//! - parameter types with units: [`Limit`], [`Threshold`], [`Hertz`], [`PacketsPerSecond`], [`Dscp`], [`Framing`], [`CeSelector`];
//! - CoDel's state machine: [`CodelState`], [`ControlLaw`]; RED's average and decision: [`RedState`],
//!   [`Victim`]; PIE's controller: [`PieState`];
//! - for shapers and schedulers: [`TokenBucket`], [`Classifier`];
//! - for controllers: [`DepartureRate`], [`UpdateTimer`];
//! - Linux's names: [`InLinux`], [`Qdisc`];
//! - for flow queueing: [`FlowTable`] (per-flow state), [`ByLength`] (the longest of many queues).

mod by_length;
mod ce_threshold;
mod classifier;
mod codel_state;
mod control_law;
mod departure_rate;
mod discipline;
mod drain;
mod dscp;
pub mod entry;
mod fifo;
mod flow_counts;
mod flow_table;
mod framing;
#[cfg(test)]
mod gauge_tests;
mod hertz;
mod limit;
#[cfg(test)]
mod list_tests;
mod numbered;
mod packet_pool;
mod packets_per_second;
mod peeked;
mod pie_state;
mod qdisc;
mod red_state;
#[cfg(test)]
mod settings_tests;
mod sparse_queue;
#[cfg(test)]
mod testing;
mod threshold;
mod token_bucket;
mod update_timer;
mod victim;
mod written;

jettison_registry::components! {
    /// All queue disciplines of this crate. The list is open: a program may register its own beside them.
    pub fn disciplines() -> Registry<entry::Discipline>;
    pub mod tail_drop;
    pub mod red;
    pub mod codel;
    pub mod pi2;
    pub mod fq_codel;
    pub mod pie;
    pub mod fq_pie;
    pub mod dualpi2;
    pub mod cake;
    pub mod priority;
    pub mod packet_rate;
    pub mod tbf;
    pub mod htb;
    pub mod policer;
    pub mod ets;
    pub mod drr;
    pub mod fq;
    pub mod fred;
    pub mod red_dpm;
    pub mod blue;
    pub mod sfq;
    pub mod octopus;
    pub mod pdrop;
    pub mod abc;
    pub mod bmv2;
}

pub use by_length::ByLength;
pub use ce_threshold::CeSelector;
pub use classifier::{Classifier, Match, Network, Ports, Protocol};
pub use codel_state::{CodelSettings, CodelState, CodelStore};
pub use control_law::ControlLaw;
pub use departure_rate::DepartureRate;
pub use discipline::{Backlog, QueueChange, QueueDiscipline, QueueSetting};
pub use drain::{drain, ecn_before};
pub use dscp::Dscp;
pub use fifo::Fifo;
pub use flow_table::{FlowTable, Found};
pub use framing::{Encoding, Framing};
pub use hertz::Hertz;
pub use limit::Limit;
pub use numbered::{Numbered, PduSetDiscard};
pub use packet_pool::{Chain, PacketPool};
use packet_pool::{Counted, Standing};
pub use packets_per_second::PacketsPerSecond;
pub use pie_state::{PieDecision, PieSettings, PieState};
pub use qdisc::{Class, Filter, InLinux, Qdisc, QdiscContext, tc_rate, tc_time};
pub use red_state::{RedDecision, RedSettings, RedState};
use sparse_queue::{SparseFifo, SparseQueue};
pub use threshold::Threshold;
pub use token_bucket::TokenBucket;
pub use update_timer::UpdateTimer;
pub use victim::Victim;

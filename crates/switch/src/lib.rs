#![forbid(unsafe_code)]
//! The switch: ingress, traffic manager, egress.
//!
//! A [`Switch`] is what the simulator's router and the live loop drive. A [`Pipeline`] is one: it runs a [`Program`]
//! (native [`Forwarding`], or a compiled P4 program) at ingress and egress, keeps the [`TrafficManager`]'s queues
//! between them and the [`Recirculation`] port behind them, and alone implements the order of clones, resubmission,
//! multicast, drops and recirculation. [`PortHooks`] are where data-plane queue management acts; [`Ired`] is one, and
//! [`port_queues`] lists them.

mod actions;
pub mod entry;
mod forwarding;
mod hooks;
#[cfg(test)]
mod list_tests;
mod manager;
mod notes;
mod packets;
mod pipeline;
mod prefix;
mod prefix_table;
mod program;
mod recirculation;
mod routes;
mod switch;
#[cfg(test)]
mod testing;

jettison_registry::components! {
    /// All queues with hooks of this crate.
    pub fn port_queues() -> Registry<entry::HookedQueue>;
    pub mod ired;
    pub mod codel_pp;
}

pub use actions::{Actions, Fate, Loopback, Mirror, MirrorTo};
pub use entry::PortQueue;
pub use forwarding::{Forwarding, PortConfig};
pub use hooks::{Feedback, FeedbackPath, PortHooks, QueueReading, Verdict};
pub use ired::{Average, ClonePath, Ired, IredParameters, Probability};
pub use manager::TrafficManager;
pub use packets::Packets;
pub use pipeline::{Pipeline, Replica};
pub use prefix::{Prefix, PrefixError};
pub use prefix_table::PrefixTable;
pub use program::Program;
pub use recirculation::{Recirculation, RecirculationSettings};
pub use routes::{Routes, Selector};
pub use switch::{Departure, Port, PortOutcomes, Switch, SwitchCounters, SwitchOutcomes};

#![forbid(unsafe_code)]
//! Switch pipeline: ingress, traffic manager, egress.
//!
//! [`Switch`] is the interface to the simulator's router and the live event loop. [`Pipeline`] implements it:
//!
//! - it runs a [`Program`] (native [`Forwarding`] or a compiled P4 program) at ingress and egress;
//! - the [`TrafficManager`] holds the queues between the two;
//! - the [`Recirculation`] port leads from egress back to ingress;
//! - a [`Service`] gives passes CPU times, as in a software switch;
//! - the order of clones, resubmission, multicast, drops and recirculation is implemented here alone.
//!
//! [`PortHooks`] is the interface of queue management in the data plane, such as [`Ired`] and CoDel++ ([`codel_pp`]);
//! [`port_queues`] lists the implementations.

mod actions;
pub mod entry;
mod forwarding;
mod hooks;
#[cfg(test)]
mod list_tests;
mod manager;
mod nat;
mod notes;
mod packets;
mod pipeline;
mod prefix;
mod prefix_table;
mod program;
mod recirculation;
mod routes;
mod service;
mod switch;
#[cfg(test)]
mod testing;

jettison_registry::components! {
    /// All queues with hooks of this crate.
    pub fn port_queues() -> Registry<entry::HookedQueue>;
    pub mod ired;
    pub mod egress_red;
    pub mod codel_pp;
}

pub use actions::{Actions, Fate, Loopback, Mirror, MirrorTo};
pub use entry::PortQueue;
pub use forwarding::{Forwarding, PortConfig};
pub use hooks::{Feedback, FeedbackPath, PortHooks, QueueReading, Verdict};
pub use ired::{Average, ClonePath, Ired, IredParameters, Probability};
pub use manager::TrafficManager;
pub use nat::{Nat, Untranslatable};
pub use packets::Packets;
pub use pipeline::{Pipeline, Replica};
pub use prefix::{Prefix, PrefixError};
pub use prefix_table::PrefixTable;
pub use program::Program;
pub use recirculation::{Recirculation, RecirculationSettings};
pub use routes::{Routes, Selector};
pub use service::{Service, ServiceSettings, SlowdownSettings, ThreadTime};
pub use switch::{Departure, Port, PortOutcomes, Switch, SwitchCounters, SwitchOutcomes};

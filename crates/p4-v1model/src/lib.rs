#![forbid(unsafe_code)]
//! P4 switches: the v1model architecture, as implemented by BMv2 `simple_switch`, and the Portable Switch Architecture.
//!
//! [`SimpleSwitch`] is a program of `jettison-switch`: it parses a packet, runs the blocks of a P4 program on a
//! [`Machine`](jettison_p4_exec::Machine), and returns the actions for the packet. The pipeline around it executes them
//! in the order of `simple_switch`. [`P4Switch`] combines pipeline, queues, and the [`control`] plane with its timed
//! commands. A [`SwitchPlan`] builds one. [`stf`] runs packet tests.
//!
//! The package of a program's `main` decides on the architecture. What is said below of `simple_switch` is v1model's;
//! PSA's passes, ports and decisions are in the module `psa`.
//!
//! # Two traffic managers
//!
//! The queues are disciplines of `jettison-queue`, one per port. They determine the kind of traffic manager:
//!
//! - Faithful to `simple_switch`: `bmv2` at every port. It has N queues in strict priority, each with a depth in
//!   packets and a rate in packets per second that fixes a packet's departure time at enqueue. The port itself has no
//!   rate, and clones have priority 0, the lowest. A packet with a priority without a queue is dropped.
//! - Like hardware: any other discipline, such as `tail-drop`, or `priority` with any bands. The link's byte rate
//!   serves the port as a whole, and a mirror session may set the priority of its clones (`priority=N`, like PSA's
//!   class of service).
//!
//! # Differences from `simple_switch`
//!
//! - Silent drops of `simple_switch` are counted here with a reason: full queues, priorities without a queue, unknown
//!   ports and groups.
//! - Every packet starts with zeros; there, invalid headers show what earlier packets left.
//! - Entries keep their numbers.
//!
//! `tests/bmv2` holds recordings of `simple_switch`; the differences that they show are marked there. With the target
//! `spec` ([`jettison_p4_front::ir::TargetModel`]) a program follows the specification where `simple_switch` departs
//! from it.

mod adopt;
mod build;
mod contexts;
pub mod control;
mod frames;
mod metadata;
mod mirror;
mod p4_switch;
mod psa;
pub mod stf;
mod switch;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use adopt::OtherArchitecture;
pub use build::{PlanError, SwitchPlan};
pub use frames::Frames;
pub use metadata::DROP_PORT;
pub use mirror::{MirrorSession, MirrorTarget};
pub use p4_switch::{ControlState, P4Switch};
pub use switch::{ProgramCounters, SimpleSwitch};

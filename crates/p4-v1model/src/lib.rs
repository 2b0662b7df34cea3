#![forbid(unsafe_code)]
//! The v1model architecture as BMv2 `simple_switch` runs it.
//!
//! [`SimpleSwitch`] is a program of `jettison-switch`: it parses a packet, runs the blocks of a P4 program on a
//! [`Machine`](jettison_p4_exec::Machine), and says what is to become of the packet. The pipeline around it carries that out in
//! `simple_switch`'s order. [`P4Switch`] is the whole: pipeline, queues, and the [`control`] plane with its commands at
//! given times. A [`SwitchPlan`] builds one.
//!
//! # Two traffic managers
//!
//! The queues are disciplines of `jettison-queue`, one a port, and it is they who make the traffic manager.
//!
//! - The faithful one has `bmv2` at every port: N queues in strict priority, each with a depth in packets and a rate in
//!   packets a second that fixes at enqueue when a packet may leave, no rate of the port, and clones at priority 0, the
//!   lowest. A priority that has no queue is a drop.
//! - The one that is like hardware has any other discipline: `tail-drop`, or `priority` with bands of anything. The link's
//!   byte rate serves the port as a whole, and a mirror session may give its clones a priority (`priority=N`, as PSA's
//!   class of service).
//!
//! # What differs from `simple_switch`
//!
//! - What it drops in silence is counted here with a reason: full queues, priorities without a queue, ports and groups
//!   that do not exist.
//! - `ingress_global_timestamp` is set for resubmitted and recirculated packets too, unless it is among the fields kept:
//!   `simple_switch` leaves it zero.
//! - `packet_length` is the length of the frame as it came to ingress, also at egress: headers that ingress added do not
//!   count yet.
//! - `enq_qdepth` is that of the packet's own queue, as `deq_qdepth` is.

mod build;
mod contexts;
pub mod control;
mod frames;
mod metadata;
mod mirror;
mod p4_switch;
pub mod stf;
mod switch;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use build::{PlanError, SwitchPlan};
pub use frames::Frames;
pub use metadata::DROP_PORT;
pub use mirror::{MirrorSession, MirrorTarget};
pub use p4_switch::P4Switch;
pub use switch::{ProgramCounters, SimpleSwitch};

#![forbid(unsafe_code)]
//! Event loop, nodes, topology and routing in virtual time. Models of queues, links and protocols are in other crates.
//!
//! A [`WorldBuilder`] collects hosts, routers, links and flows; [`World::run`] steps from event to event. Every
//! component (a link's transmitter, a link's far end, a node's timers) has one slot in the [`Agenda`], hence at most one
//! next event. Simultaneous events are processed in the order of slots: this total order makes runs reproducible on any
//! machine.
//!
//! A link delivers in order, so only its *next* delivery needs a slot, regardless of the number of packets in flight. A
//! transmitter with an empty queue has no event.
//!
//! A host may also be outside the world: [`World::inject`] takes its packets, [`World::take_delivered`] returns those for
//! it, and [`World::advance`] follows a clock. Thus the same world carries the traffic of real programs.

mod agenda;
mod builder;
mod cellular;
mod control;
mod direction;
mod fork;
mod host;
mod outside;
mod routing;
mod script;
mod sink;
mod steer;
mod summary;
mod switch_control;
mod transmit;
mod way;
mod world;

pub use agenda::Agenda;
pub use builder::{
    DirectionSpec, FlowProgram, LinkSpec, NodeId, RouterPlan, RouterPort, TopologyError, WorldBuilder,
    WorldSettings,
};
pub use control::{ControlError, Controller, ControllerSpec, LinkSeen, Observation, ProbeSeen, RateChange};
pub use direction::Carrier;
pub use fork::ForkError;
pub use host::Ethernet;
pub use jettison_queue::QueueSetting;
pub use jettison_sockets::{Fetched, Question};
pub use jettison_tcp::congestion::Seen;
pub use outside::Delivery;
pub use script::{
    Decided, Effects, Intervention, Replaced, Replacement, Reverted, Script, Waiting, Window, can_revert,
};
pub use steer::{QueueSeen, SteerError};
pub use switch_control::{Absent, Injection, SwitchController, SwitchControllerSpec};
pub use world::{RunOutcome, Tap, World};

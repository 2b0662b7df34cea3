#![forbid(unsafe_code)]
//! The event loop, nodes, topology and routing, in virtual time. Models of anything live elsewhere.
//!
//! A [`WorldBuilder`] is told hosts, routers, links and flows; [`World::run`] then steps from event to event. Every
//! component (a link's transmitter, a link's far end, a node's own timers) has one place in the [`Agenda`], so at
//! most one next event each, and events that fall on one instant are processed in the fixed order of those places:
//! the total order that makes a run the same everywhere.
//!
//! A host may also lie outside: its packets are given to [`World::inject`] and taken from [`World::take_delivered`], and
//! [`World::advance`] follows a clock. So the same world carries the traffic of real programs.
//!
//! A link delivers in order. So only its *next* delivery needs a place, however many packets are under way, and a
//! transmitter whose queue is empty needs none at all.

mod agenda;
mod builder;
mod direction;
mod host;
mod outside;
mod routing;
mod sink;
mod world;

pub use agenda::Agenda;
pub use builder::{
    DirectionSpec, FlowProgram, LinkSpec, NodeId, RouterPlan, RouterPort, TopologyError, WorldBuilder,
    WorldSettings,
};
pub use direction::Carrier;
pub use outside::Delivery;
pub use world::{RunOutcome, Tap, World};

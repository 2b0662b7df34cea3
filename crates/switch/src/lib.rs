//! The switch: ingress, traffic manager, egress.
//!
//! A [`Switch`] is what the simulator's router and the live loop drive, whether it forwards natively or runs a
//! compiled P4 program. [`PortHooks`] are where data-plane queue management such as iRED acts.

mod hooks;
mod switch;

pub use hooks::{Feedback, FeedbackPath, PortHooks, QueueReading};
pub use switch::{Departure, Port, PortOutcomes, Switch, SwitchCounters, SwitchOutcomes};

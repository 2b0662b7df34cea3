//! Queues with port hooks as a kind of registered component. Scenarios select them by `queue`, like queue disciplines.

use jettison_queue::entry::BuildContext;
use jettison_queue::{InLinux, QueueDiscipline};
use jettison_registry::Kind;

use crate::PortHooks;

/// The component kind "queue with port hooks": a queue discipline plus hooks in the pipeline.
pub enum HookedQueue {}

impl Kind for HookedQueue {
    const KEY: &'static str = "queue";
    const NAME: &'static str = "queue with port hooks";
    type Context<'a> = BuildContext<'a>;
    type Built = PortQueue;
    type Facts = InLinux;
}

/// The queue of a port and its hooks.
#[derive(Clone)]
pub struct PortQueue {
    /// The discipline that holds the packets.
    pub discipline: Box<dyn QueueDiscipline>,
    /// Queue management at ingress and egress.
    pub hooks: Box<dyn PortHooks>,
}

//! Queues with hooks in the pipeline as a kind of component. Scenarios name them as they name queue disciplines.

use jettison_queue::QueueDiscipline;
use jettison_queue::entry::BuildContext;
use jettison_registry::Kind;

use crate::PortHooks;

/// The kind of queues that need hooks in the pipeline besides a discipline.
pub enum HookedQueue {}

impl Kind for HookedQueue {
    const KEY: &'static str = "queue";
    const NAME: &'static str = "queue with port hooks";
    type Context<'a> = BuildContext<'a>;
    type Built = PortQueue;
    type Facts = ();
}

/// A port's queue and its hooks.
pub struct PortQueue {
    /// What holds the packets.
    pub discipline: Box<dyn QueueDiscipline>,
    /// What manages them at ingress and egress.
    pub hooks: Box<dyn PortHooks>,
}

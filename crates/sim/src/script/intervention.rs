//! Interventions: what a script changes.

use std::fmt;
use std::sync::{Arc, Mutex};

use jettison_core::{DropReason, MarkReason, Time};
use jettison_queue::QueueDiscipline;
use jettison_switch::PortHooks;
use jettison_wire::FlowId;

/// A change of decisions of queues. A queue is named by its index in the recorder ([`crate::World::queue_named`]), a packet by
/// its number in the run (`meta.id`).
#[derive(Debug, Clone)]
pub enum Intervention {
    /// Revert one drop or mark, by its number in the run: a dropped packet is kept, a marked one loses its mark.
    Flip {
        /// The decision ([`jettison_measure::Recorder::decisions`]).
        decision: u64,
    },
    /// Keep a packet that the queue drops.
    Keep {
        /// The queue.
        queue: u32,
        /// The packet.
        packet: u32,
    },
    /// Drop a packet that the queue keeps.
    Drop {
        /// The queue.
        queue: u32,
        /// The packet.
        packet: u32,
        /// Whether the packet never reaches the queue. Otherwise it occupies the queue, and is removed when its turn comes.
        on_arrival: bool,
    },
    /// Mark a packet when it leaves, if it is ECN-capable.
    Mark {
        /// The queue.
        queue: u32,
        /// The packet.
        packet: u32,
    },
    /// Take back the marks that the queue gives a packet.
    Unmark {
        /// The queue.
        queue: u32,
        /// The packet.
        packet: u32,
    },
    /// Revert all drops and marks of a flow's packets.
    Spare {
        /// The queue.
        queue: u32,
        /// The flow.
        flow: FlowId,
        /// When.
        window: Window,
    },
    /// Revert all drops and marks for some reasons.
    Rule {
        /// The queue; all queues if `None`.
        queue: Option<u32>,
        /// Reasons of drops.
        drops: Vec<DropReason>,
        /// Reasons of marks.
        marks: Vec<MarkReason>,
        /// When.
        window: Window,
    },
    /// Let a flow's packets wait for none in the queue: they go out next.
    Bypass {
        /// The queue.
        queue: u32,
        /// The flow.
        flow: FlowId,
        /// When they arrive.
        window: Window,
    },
    /// Carry a flow's packets past queue and link, as if both had room for them at once: they are on the way as soon as they arrive at
    /// the queue. On a link with losses or impairments they stay behind those that are on the way already.
    Carry {
        /// The queue.
        queue: u32,
        /// The flow.
        flow: FlowId,
        /// When they arrive.
        window: Window,
    },
    /// Exchange the queue's discipline after all events of an instant. The waiting packets move to the new one in their order.
    Replace {
        /// The queue.
        queue: u32,
        /// The instant.
        at: Time,
        /// Makes the new discipline.
        discipline: Replacement,
    },
}

/// A span of time: from an instant up to another, exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// The first instant.
    pub from: Time,
    /// The first instant after it.
    pub to: Time,
}

/// Maker of a discipline. A script can be copied, so it holds no discipline itself.
#[derive(Clone)]
pub struct Replacement(Arc<dyn Fn() -> Replaced + Send + Sync>);

/// What takes the place of a queue's discipline.
#[derive(Clone)]
pub struct Replaced {
    /// The discipline.
    pub discipline: Box<dyn QueueDiscipline>,
    /// Its hooks in a router's pipeline.
    pub hooks: Option<Box<dyn PortHooks>>,
}

impl Window {
    /// All time.
    pub const ALWAYS: Window = Window { from: Time::ZERO, to: Time::MAX };

    /// Whether an instant is in the window.
    #[inline]
    pub fn contains(self, at: Time) -> bool {
        self.from <= at && at < self.to
    }
}

impl Replacement {
    /// A replacement by what `make` makes.
    pub fn new(make: impl Fn() -> Replaced + Send + Sync + 'static) -> Replacement {
        Replacement(Arc::new(make))
    }

    /// A replacement by copies of a discipline.
    pub fn of(model: Replaced) -> Replacement {
        let model = Mutex::new(model);
        Replacement::new(move || model.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone())
    }

    /// Makes the discipline.
    pub(crate) fn make(&self) -> Replaced {
        (self.0)()
    }
}

impl fmt::Debug for Replacement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Replacement")
    }
}

impl Intervention {
    /// The queue that it acts at; all queues if `None`.
    pub(super) fn queue(&self) -> Option<u32> {
        match self {
            Intervention::Flip { .. } => None,
            Intervention::Rule { queue, .. } => *queue,
            Intervention::Keep { queue, .. }
            | Intervention::Drop { queue, .. }
            | Intervention::Mark { queue, .. }
            | Intervention::Unmark { queue, .. }
            | Intervention::Spare { queue, .. }
            | Intervention::Bypass { queue, .. }
            | Intervention::Carry { queue, .. }
            | Intervention::Replace { queue, .. } => Some(*queue),
        }
    }
}

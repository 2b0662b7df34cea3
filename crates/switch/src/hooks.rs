//! Port hooks: the interface of queue management in the data plane.

use dyn_clone::DynClone;
use jettison_core::{DropReason, Duration, Gauges, Time};
use jettison_wire::Packet;

/// State of a packet's queue, as read at egress (P4's queueing metadata).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QueueReading {
    /// Queue depth in packets when the packet was enqueued, itself excluded.
    pub enq_qdepth: u32,
    /// Queue depth in packets after the packet's departure. On a port with several queues: of the packet's queue.
    pub deq_qdepth: u32,
    /// Backlog of that queue in bytes (IP length) after the departure.
    pub deq_bytes: u64,
    /// Sojourn time in the queue.
    pub sojourn: Duration,
    /// Time in the switch since arrival at the parser.
    pub in_switch: Duration,
    /// Traffic class: the packet's queue among those of the port.
    pub class: u8,
}

/// A message from egress to ingress. Each hook defines its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Feedback {
    /// Payload, such as a register value or a flow's hash.
    pub value: u64,
}

/// Decision on a departing packet at egress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Verdict {
    /// Drop the packet. It has occupied the queue and used its turn, but uses no link capacity.
    pub drop: Option<DropReason>,
    /// Feedback to ingress.
    pub feedback: Option<Feedback>,
}

/// Queue management of one port that acts in the pipeline instead of the queue, such as iRED and CoDel++. One file each.
pub trait PortHooks: DynClone + Send {
    /// Called at ingress before `packet` is enqueued: returns its class (0 = highest priority), or a drop reason.
    fn admit(&mut self, packet: &mut Packet, now: Time) -> Result<u8, DropReason>;

    /// Called at egress for each packet that has left the queue, except clones that carry feedback. Feedback in the verdict
    /// travels by [`PortHooks::feedback_path`].
    fn handle_departure(&mut self, packet: &mut Packet, queue: &QueueReading, now: Time) -> Verdict;

    /// Called when feedback reaches ingress.
    fn handle_feedback(&mut self, feedback: Feedback, now: Time);

    /// Called when the clone that carried this feedback was dropped.
    fn feedback_lost(&mut self, _feedback: Feedback) {}

    /// Whether the pipeline reports packets dropped by the queue to [`PortHooks::discarded`].
    fn watches_queue(&self) -> bool {
        false
    }

    /// Called when the queue drops a packet that [`PortHooks::admit`] accepted, if [`PortHooks::watches_queue`].
    fn discarded(&mut self, _packet: &Packet) {}

    /// Reports gauges, as [`jettison_queue::QueueDiscipline::gauges`] does.
    fn gauges(&self, _now: Time, _out: &mut dyn Gauges) {}

    /// The path of feedback from egress to ingress.
    fn feedback_path(&self) -> FeedbackPath;

    /// Delay of recirculated feedback from the recirculation port to ingress; `None` for the port's default.
    fn recirculation_delay(&self) -> Option<Duration> {
        None
    }
}

dyn_clone::clone_trait_object!(PortHooks);

/// Path of feedback from egress to ingress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeedbackPath {
    /// An egress clone of the departing packet carries the feedback. It joins the tail of the same port's queue and is
    /// recirculated when it leaves the queue, at the cost of a buffer slot and a service time.
    CloneThroughQueue,
    /// A clone goes directly to the recirculation port.
    Recirculate,
    /// A register shared by ingress and egress; no packet is involved.
    Register,
}

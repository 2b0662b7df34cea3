//! Where data-plane queue management acts on a port.

use jettison_core::{DropReason, Duration, Gauges, Time};
use jettison_wire::Packet;

/// What a packet's queue looked like, as egress reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QueueReading {
    /// Packets in the queue when this one was queued, itself excluded.
    pub enq_qdepth: u32,
    /// Packets in the queue now that this one has left it. Of a port with several queues: in this packet's own.
    pub deq_qdepth: u32,
    /// Bytes (IP length) in that queue now.
    pub deq_bytes: u64,
    /// How long it waited.
    pub sojourn: Duration,
    /// How long it has been in the switch, from its arrival at the parser.
    pub in_switch: Duration,
    /// Its class: which of the port's queues it came from.
    pub class: u8,
}

/// What egress tells ingress. Its meaning is the hook's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Feedback {
    /// A small payload: a register value, a flow's hash.
    pub value: u64,
}

/// What egress makes of a departing packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Verdict {
    /// Discard it: it has cost its place in the queue and its turn, but not the link.
    pub drop: Option<DropReason>,
    /// What ingress is told.
    pub feedback: Option<Feedback>,
}

/// Queue management of one port that acts in the pipeline and not in the queue: iRED, CoDel++. One file each.
pub trait PortHooks: Send {
    /// Ingress is about to queue `packet` for this port: gives its class (0 = highest priority), or drops it.
    fn admit(&mut self, packet: &mut Packet, now: Time) -> Result<u8, DropReason>;

    /// `packet` has left the queue and is at egress. Feedback, if any, travels as the hook's
    /// [`PortHooks::feedback_path`] says. Not called for the clones that carry feedback.
    fn departing(&mut self, packet: &mut Packet, queue: &QueueReading, now: Time) -> Verdict;

    /// Feedback has reached ingress.
    fn fed_back(&mut self, feedback: Feedback, now: Time);

    /// The clone that carried this feedback found no room.
    fn feedback_lost(&mut self, _feedback: Feedback) {}

    /// Whether the hook wants to be told of what the queue discards.
    fn watches_queue(&self) -> bool {
        false
    }

    /// The queue has discarded a packet that [`PortHooks::admit`] let in. Only called if the hook
    /// [watches](PortHooks::watches_queue).
    fn discarded(&mut self, _packet: &Packet) {}

    /// Reports its gauges, as [`jettison_queue::QueueDiscipline::gauges`] does.
    fn gauges(&self, _now: Time, _out: &mut dyn Gauges) {}

    /// How feedback travels.
    fn feedback_path(&self) -> FeedbackPath;

    /// How long feedback that recirculates takes from the recirculation port to ingress; the recirculation port's own
    /// delay where `None`.
    fn recirculation_delay(&self) -> Option<Duration> {
        None
    }
}

/// How feedback gets from egress to ingress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeedbackPath {
    /// An egress clone of the departing packet re-enters the traffic manager at the tail of the same port's queue,
    /// is recirculated when it comes out, and carries the feedback: it costs a slot and a service time.
    CloneThroughQueue,
    /// A clone goes straight to the recirculation port.
    Recirculate,
    /// A register that both pipelines see.
    Register,
}

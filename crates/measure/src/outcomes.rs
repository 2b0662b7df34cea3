//! Sinks of drops and marks.

use jettison_core::{DropReason, MarkReason, Time};
use jettison_wire::Packet;

/// Receives every drop and mark from the queue, link or switch that made it. No drop is silent.
///
/// The caller binds the sink to an object (queue or link) before it calls a discipline, so disciplines need no names.
pub trait Outcomes {
    /// Takes a discarded packet; its buffer can be reused.
    fn dropped(&mut self, packet: Packet, reason: DropReason, now: Time);
    /// Records that `packet` was marked CE; it is not discarded.
    fn marked(&mut self, packet: &Packet, reason: MarkReason, now: Time);
}

/// Ignores all outcomes, for benchmarks.
#[derive(Debug, Default, Clone, Copy)]
pub struct NoOutcomes;

impl Outcomes for NoOutcomes {
    fn dropped(&mut self, _: Packet, _: DropReason, _: Time) {}
    fn marked(&mut self, _: &Packet, _: MarkReason, _: Time) {}
}

/// Lists drops and marks, for tests.
#[derive(Debug, Default, Clone)]
pub struct Tally {
    /// Each drop: packet id, reason, time.
    pub drops: Vec<(u32, DropReason, Time)>,
    /// Each mark: packet id, reason, time.
    pub marks: Vec<(u32, MarkReason, Time)>,
    /// Bytes (IP length) of the dropped packets.
    pub dropped_bytes: u64,
}

impl Outcomes for Tally {
    fn dropped(&mut self, packet: Packet, reason: DropReason, now: Time) {
        self.dropped_bytes += u64::from(packet.meta.length);
        self.drops.push((packet.meta.id, reason, now));
    }
    fn marked(&mut self, packet: &Packet, reason: MarkReason, now: Time) {
        self.marks.push((packet.meta.id, reason, now));
    }
}

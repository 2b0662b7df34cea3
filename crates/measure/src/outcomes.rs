//! The sink for what happens to packets that do not simply pass.

use jettison_core::{DropReason, MarkReason, Time};
use jettison_wire::Packet;

/// Told of every drop and mark, by the queue, link or switch that made it. No drop is silent.
///
/// The caller binds the sink to the object (this queue, that link) before it calls a discipline, so a discipline
/// needs to know no names.
pub trait Outcomes {
    /// `packet` is discarded. It is given away: a buffer behind it can be used again.
    fn dropped(&mut self, packet: Packet, reason: DropReason, now: Time);
    /// `packet` was marked CE and goes on.
    fn marked(&mut self, packet: &Packet, reason: MarkReason, now: Time);
}

/// Forgets everything: for benches.
#[derive(Debug, Default, Clone, Copy)]
pub struct NoOutcomes;

impl Outcomes for NoOutcomes {
    fn dropped(&mut self, _: Packet, _: DropReason, _: Time) {}
    fn marked(&mut self, _: &Packet, _: MarkReason, _: Time) {}
}

/// Counts drops and marks by reason and keeps the dropped packets' ids: for tests.
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

//! Binds the recorder to the queue or node of a drop.

use jettison_core::{DropReason, MarkReason, Time};
use jettison_measure::{DropRecord, Outcomes, Recorder};
use jettison_switch::{Port, PortOutcomes};
use jettison_wire::{Instance, Packet};

/// The recorder, bound to one queue at a time.
pub(crate) struct Sink<'a> {
    pub(crate) recorder: &'a mut Recorder,
    /// The recorder's queue of each port of the node.
    pub(crate) queues: &'a [u32],
    /// The bound queue, or [`DropRecord::NO_QUEUE`].
    pub(crate) at: u32,
}

impl Outcomes for Sink<'_> {
    fn dropped(&mut self, packet: Packet, reason: DropReason, now: Time) {
        let is_clone = matches!(packet.meta.instance, Instance::IngressClone | Instance::EgressClone);
        // A clone belongs to no flow, so its drop is not a loss, whatever the reason.
        let reason = match reason {
            DropReason::CloneConsumed => reason,
            _ if is_clone => DropReason::CloneLost,
            _ => reason,
        };
        self.recorder.dropped(DropRecord {
            time: now,
            queue: self.at,
            flow: packet.meta.flow,
            reason,
            length: packet.meta.length,
        });
    }

    fn marked(&mut self, _: &Packet, reason: MarkReason, _: Time) {
        if self.at != DropRecord::NO_QUEUE {
            self.recorder.queue(self.at).marked(reason);
        }
    }
}

impl PortOutcomes for Sink<'_> {
    fn at(&mut self, port: Option<Port>) -> &mut dyn Outcomes {
        self.at = port.map_or(DropRecord::NO_QUEUE, |port| self.queues[usize::from(port.0)]);
        self
    }

    fn offered(&mut self, port: Port, packet: &Packet, _: Time) {
        // Clones are not offered traffic.
        if packet.meta.instance != Instance::EgressClone {
            let queue = self.queues[usize::from(port.0)];
            self.recorder.queue(queue).offered();
        }
    }
}

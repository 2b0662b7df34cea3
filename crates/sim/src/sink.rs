//! Binds the recorder to the queue or node of a drop.

use jettison_core::{DropReason, MarkReason, Time};
use jettison_measure::{Outcomes, Place, Recorder};
use jettison_switch::{Port, PortOutcomes};
use jettison_wire::{Instance, Packet};

use crate::builder::UNCONNECTED;
use crate::script::Script;

/// The recorder, bound to one queue at a time.
pub(crate) struct Sink<'a> {
    pub(crate) recorder: &'a mut Recorder,
    /// The recorder's queue of each port of the node.
    pub(crate) queues: &'a [u32],
    /// The place of the next drops and marks.
    pub(crate) at: Place,
    /// The script of the world.
    pub(crate) script: Option<&'a mut Script>,
}

impl Sink<'_> {
    /// The recorder's queue of a port, if a link has it. A switch's CPU port has none.
    #[inline]
    fn queue_of(&self, port: Option<Port>) -> Option<u32> {
        let queue = *self.queues.get(usize::from(port?.0))?;
        (queue != UNCONNECTED).then_some(queue)
    }
}

impl Outcomes for Sink<'_> {
    fn dropped(&mut self, packet: Packet, reason: DropReason, now: Time) {
        if let Some(script) = &mut self.script {
            let (queue, decision) = (self.at.index(), self.recorder.decisions());
            if script.dropped(queue, &packet, reason, now, decision) {
                self.recorder.reverted_drop(self.at, &packet, reason, now);
                return script.keep(queue, packet, now);
            }
        }
        let is_clone = matches!(packet.meta.instance, Instance::IngressClone | Instance::EgressClone);
        // A clone belongs to no flow, so its drop is not a loss, whatever the reason.
        let reason = match reason {
            DropReason::CloneConsumed => reason,
            _ if is_clone => DropReason::CloneLost,
            _ => reason,
        };
        self.recorder.packet_dropped(self.at, &packet, reason, now);
    }

    fn marked(&mut self, packet: &Packet, reason: MarkReason, now: Time) {
        if let Some(script) = &mut self.script
            && self.at != Place::Node
            && script.marked(self.at.index(), packet, reason, now, self.recorder.decisions())
        {
            return self.recorder.reverted_mark(self.at, packet, reason, now);
        }
        self.recorder.packet_marked(self.at, packet, reason, now);
    }
}

impl PortOutcomes for Sink<'_> {
    fn at(&mut self, port: Option<Port>) -> &mut dyn Outcomes {
        self.at = self.queue_of(port).map_or(Place::Node, Place::Queue);
        self
    }

    fn beside(&mut self, port: Option<Port>) -> &mut dyn Outcomes {
        self.at = self.queue_of(port).map_or(Place::Node, Place::Beside);
        self
    }

    fn offered(&mut self, port: Port, packet: &Packet, now: Time) {
        // Clones are not offered traffic.
        if packet.meta.instance != Instance::EgressClone
            && let Some(queue) = self.queue_of(Some(port))
        {
            self.recorder.queue(queue).offered();
            if let Some(script) = &mut self.script {
                script.offered(queue, packet, now);
            }
        }
    }

    fn enqueued(&mut self, port: Port, packet: &Packet, now: Time) {
        let queue = self.queue_of(Some(port));
        if let (Some(queue), Some(provenance)) = (queue, self.recorder.provenance()) {
            provenance.enqueued(queue, packet, now);
        }
    }

    fn dequeued(&mut self, port: Port, packet: &Packet, now: Time) {
        let queue = self.queue_of(Some(port));
        if let (Some(queue), Some(provenance)) = (queue, self.recorder.provenance()) {
            provenance.dequeued(queue, packet, now);
        }
    }
}

//! What decides where packets go: native forwarding, or a compiled P4 program.

use jettison_core::{Gauges, Time};
use jettison_wire::{Instance, Packet};

use crate::{Actions, Port, QueueReading, Replica};

/// The two halves of a switch's program. A [`crate::Pipeline`] calls them and carries out what they decide.
///
/// A program that keeps something beside a packet (a hook's feedback, a P4 program's metadata) keeps it under a number
/// of its own in the packet's `meta.tag`, 0 for nothing. It lets go of it when it drops or sends the packet itself,
/// and when [`Program::discarded`] tells it that the packet is gone.
pub trait Program: Send {
    /// A packet is at ingress, because it arrived from a link, was recirculated or was resubmitted.
    fn ingress(&mut self, packet: &mut Packet, why: Instance, now: Time, actions: &mut Actions);

    /// A packet has left the queue of `port` and is at egress.
    fn egress(
        &mut self,
        packet: &mut Packet,
        port: Port,
        queue: &QueueReading,
        now: Time,
        actions: &mut Actions,
    );

    /// Whether the pipeline is to keep each packet as it came to ingress. Ingress clones and resubmitted packets are
    /// copies of that; without it they are copies of what ingress made of the packet.
    fn keeps_original(&self) -> bool {
        false
    }

    /// `replica` is a copy that the multicast engine made for `member` of a group, with the original's tag: metadata that
    /// is not to be shared is copied now, and `meta.class` may be set for the member's port. The `last` replica is the
    /// packet itself: what its tag stands for is its own.
    fn replicated(&mut self, _replica: &mut Packet, _member: Replica, _last: bool) {}

    /// A digest of this program is due, in its place in the pipeline's order.
    fn digested(&mut self, _receiver: u32, _now: Time) {}

    /// Reports the gauges of what manages the queue of `port` in the program.
    fn gauges(&self, _port: Port, _now: Time, _out: &mut dyn Gauges) {}

    /// The queue of that port, or (`None`) the recirculation port or the pipeline discarded a packet that carries a tag.
    fn discarded(&mut self, _packet: &Packet, _queue: Option<Port>) {}
}

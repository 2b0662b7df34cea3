//! Interface of switch programs: native forwarding or a compiled P4 program.

use jettison_core::{Gauges, Time};
use jettison_wire::{Instance, Packet};

use crate::{Actions, Port, PortHooks, QueueReading, Replica};

/// A switch program: ingress and egress control. A [`crate::Pipeline`] calls both and applies their [`Actions`].
///
/// A program can keep state per packet (a hook's feedback, P4 metadata) under a number in the packet's `meta.tag`; 0 means no
/// state. It releases the state when it drops or sends the packet, or when [`Program::discarded`] reports its drop.
pub trait Program: Clone + Send {
    /// Processes a packet at ingress. `why`: it arrived from a link, was recirculated or was resubmitted.
    fn ingress(&mut self, packet: &mut Packet, why: Instance, now: Time, actions: &mut Actions);

    /// Called before [`Program::ingress`] for a packet from a link if its arrival was earlier, with a service model.
    fn arrived(&mut self, _at: Time) {}

    /// Processes a packet at egress, after it has left the queue of `port`.
    fn egress(
        &mut self,
        packet: &mut Packet,
        port: Port,
        queue: &QueueReading,
        now: Time,
        actions: &mut Actions,
    );

    /// Where a packet from a link goes, with its new hop limit, if ingress and egress would do nothing but send it there with
    /// class 0, whatever waits in the queue. `None`: the pipeline has to run them.
    fn passage(&self, _from: Port, _packet: &Packet) -> Option<(Port, u8)> {
        None
    }

    /// Whether the pipeline keeps a copy of each packet as it entered ingress. If true, ingress clones and resubmitted packets
    /// are copies of this original; otherwise, of the packet as ingress modified it.
    fn keeps_original(&self) -> bool {
        false
    }

    /// Called for each `replica` that the multicast engine makes for `member` of a group. It has the original's tag: the
    /// program copies per-packet state now, and can set `meta.class` for the member's port. The `last` replica is the
    /// original packet and keeps its state.
    fn replicated(&mut self, _replica: &mut Packet, _member: Replica, _last: bool) {}

    /// Called when a packet joins the queue of a port.
    #[inline]
    fn queued(&mut self, _port: Port, _now: Time) {}

    /// Called when an opportunity of the port's link finds its queue empty.
    #[inline]
    fn found_empty(&mut self, _port: Port, _now: Time) {}

    /// Whether the program needs [`Program::found_empty`] from the links of idle ports too.
    #[inline]
    fn wants_idle_polls(&self, _port: Port) -> bool {
        false
    }

    /// Exchanges the hooks of a port. Returns false, without effect, if the program cannot.
    fn replace_hooks(&mut self, _port: Port, hooks: Option<Box<dyn PortHooks>>) -> bool {
        hooks.is_none()
    }

    /// Whether the changes to a packet are written to it at egress only.
    fn writes_at_egress(&self) -> bool {
        false
    }

    /// Called when the pipeline sends a digest of this program.
    fn digested(&mut self, _receiver: u32, _now: Time) {}

    /// Reports the gauges of the program's queue management for `port`.
    fn gauges(&self, _port: Port, _now: Time, _out: &mut dyn Gauges) {}

    /// Called when a packet with a tag is dropped by the queue of port `queue` or, if `None`, by the recirculation port or the
    /// pipeline.
    fn discarded(&mut self, _packet: &Packet, _queue: Option<Port>) {}
}

//! Actions: a program's decisions about a packet, at ingress or at egress.

use jettison_core::{DropReason, Duration};

use crate::Port;

/// A program's decisions about one packet in one pass. The pipeline applies them in its documented order, not in the order
/// in which they were made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Actions {
    /// Clone the packet. A later decision replaces an earlier one: the last clone wins.
    pub clone: Option<Mirror>,
    /// Send a digest to the control plane; the value is the receiver's number.
    pub digest: Option<u32>,
    /// Ingress only: run ingress again on the packet as it arrived, with this tag. Overrides `multicast` and `fate`.
    pub resubmit: Option<u32>,
    /// Ingress only: send a replica to each member of this multicast group. Overrides `fate`.
    pub multicast: Option<u16>,
    /// Fate of the packet itself.
    pub fate: Fate,
    /// Egress only: send the packet back to ingress instead of out of the port, unless `fate` drops it.
    pub recirculate: Option<Loopback>,
}

/// Fate of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Ingress: queue it for `port`. Egress: send it (the port is fixed by then, as v1model's `egress_port` is).
    Send {
        /// The port.
        port: Port,
        /// Traffic class within the port: 0 is the highest priority.
        class: u8,
    },
    /// Discard the packet.
    Drop {
        /// Drop reason.
        reason: DropReason,
        /// At ingress, the destination port if that port's queue management dropped the packet. Ignored at egress, where the
        /// pipeline knows the port.
        bound_for: Option<Port>,
    },
    /// End a clone that has served its purpose.
    Consume {
        /// The port in whose queue the clone was, if any.
        queued_at: Option<Port>,
    },
}

/// Destination and tag of a clone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mirror {
    /// The destination.
    pub to: MirrorTo,
    /// The clone's `meta.tag`, the only metadata that a clone keeps.
    pub tag: u32,
}

/// Destination of a clone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MirrorTo {
    /// The tail of a port's queue.
    Queue {
        /// The port.
        port: Port,
        /// Traffic class within the port: 0 is the highest priority.
        class: u8,
    },
    /// The members of a multicast group, each of which gets a copy of the clone.
    Group {
        /// The group.
        group: u16,
        /// Traffic class within each member's port: 0 is the highest priority.
        class: u8,
    },
    /// The recirculation port, bypassing the queues.
    Recirculation {
        /// Delay from the recirculation port to ingress; `None` for the port's default.
        delay: Option<Duration>,
    },
}

/// Recirculation of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loopback {
    /// The packet's `meta.tag` on its return to ingress.
    pub tag: u32,
    /// Delay from the recirculation port to ingress; `None` for the port's default.
    pub delay: Option<Duration>,
}

impl Actions {
    /// Initial actions at ingress: a packet without an output port is dropped as having no route.
    #[inline]
    pub fn at_ingress() -> Actions {
        Actions::with(Fate::Drop { reason: DropReason::NoRoute, bound_for: None })
    }

    /// Initial actions at egress of `port`: the packet is sent.
    #[inline]
    pub fn at_egress(port: Port, class: u8) -> Actions {
        Actions::with(Fate::Send { port, class })
    }

    /// Queues the packet for `port`; undoes a drop.
    #[inline]
    pub fn send(&mut self, port: Port, class: u8) {
        self.fate = Fate::Send { port, class };
    }

    /// Discards the packet and clears its multicast group, as v1model's `mark_to_drop` does.
    #[inline]
    pub fn drop(&mut self, reason: DropReason, bound_for: Option<Port>) {
        self.multicast = None;
        self.fate = Fate::Drop { reason, bound_for };
    }

    fn with(fate: Fate) -> Actions {
        Actions { clone: None, digest: None, resubmit: None, multicast: None, fate, recirculate: None }
    }
}

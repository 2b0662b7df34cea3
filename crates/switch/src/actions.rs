//! What a program decides about a packet, at ingress or at egress.

use jettison_core::{DropReason, Duration};

use crate::Port;

/// A program's decisions about one packet in one pass. The pipeline carries them out, in the order that it documents
/// and not in the order in which they were made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Actions {
    /// Copy the packet. A later decision replaces an earlier one: the last clone wins.
    pub clone: Option<Mirror>,
    /// Tell the control plane (the receiver's number).
    pub digest: Option<u32>,
    /// Ingress only: run ingress again on the packet as it arrived, with this tag. Wins over everything below.
    pub resubmit: Option<u32>,
    /// Ingress only: send a replica to each member of this multicast group. Wins over `fate`.
    pub multicast: Option<u16>,
    /// What becomes of the packet itself.
    pub fate: Fate,
    /// Egress only: send the packet back to ingress instead of out of the port, unless `fate` drops it.
    pub recirculate: Option<Loopback>,
}

/// What becomes of the packet itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Ingress: queue it for `port`. Egress: send it (the port is fixed by then, as v1model's `egress_port` is).
    Send {
        /// The port.
        port: Port,
        /// Traffic class within the port: 0 is the highest priority.
        class: u8,
    },
    /// Discard it.
    Drop {
        /// Why.
        reason: DropReason,
        /// The port it would have been queued for, if that port's management is what dropped it. At egress the
        /// pipeline knows the port.
        bound_for: Option<Port>,
    },
    /// It was a clone that has done its work.
    Consume {
        /// The port in whose queue it was, if it was in one.
        queued_at: Option<Port>,
    },
}

/// Where a clone goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mirror {
    /// The place.
    pub to: MirrorTo,
    /// The clone's `meta.tag`: clones lose all metadata but what the program puts there.
    pub tag: u32,
}

/// The places that a clone can be sent to.
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
    /// Straight to the recirculation port.
    Recirculation {
        /// Delay from there to ingress; the recirculation port's own where `None`.
        delay: Option<Duration>,
    },
}

/// A trip through the recirculation port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loopback {
    /// The packet's `meta.tag` when it is back at ingress.
    pub tag: u32,
    /// Delay from the recirculation port to ingress; that port's own where `None`.
    pub delay: Option<Duration>,
}

impl Actions {
    /// What ingress starts from: a packet that nobody gives a port has no route.
    #[inline]
    pub fn at_ingress() -> Actions {
        Actions::with(Fate::Drop { reason: DropReason::NoRoute, bound_for: None })
    }

    /// What egress of `port` starts from: the packet is sent.
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

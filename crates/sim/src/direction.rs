//! One direction of a link: its transmitter and what is under way.

use std::collections::VecDeque;

use jettison_core::Time;
use jettison_link::{FixedRate, LinkModel, Loss, Propagation};
use jettison_wire::Packet;

/// What carries packets in this direction. The common case is spared a virtual call.
pub enum Carrier {
    /// A fixed (or scheduled) rate.
    Fixed(FixedRate),
    /// Any other model.
    Other(Box<dyn LinkModel>),
}

impl Carrier {
    #[inline]
    pub(crate) fn model(&mut self) -> &mut dyn LinkModel {
        match self {
            Carrier::Fixed(fixed) => fixed,
            Carrier::Other(other) => other.as_mut(),
        }
    }
    #[inline]
    pub(crate) fn ready_at(&mut self, now: Time) -> Time {
        match self {
            Carrier::Fixed(fixed) => fixed.ready_at(now),
            Carrier::Other(other) => other.ready_at(now),
        }
    }
    #[inline]
    pub(crate) fn begin(&mut self, wire_bytes: u32, now: Time) -> Time {
        match self {
            Carrier::Fixed(fixed) => fixed.begin(wire_bytes, now),
            Carrier::Other(other) => other.begin(wire_bytes, now),
        }
    }
}

/// A port of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct End {
    pub(crate) node: usize,
    pub(crate) port: u16,
}

/// One direction of a link.
pub(crate) struct Direction {
    // Parameters.
    pub(crate) name: String,
    pub(crate) from: End,
    pub(crate) to: End,
    pub(crate) overhead: u32,
    /// The recorder's queue in front of it.
    pub(crate) queue: u32,
    /// Whether the world's tap wants its packets.
    pub(crate) tapped: bool,
    /// Whether the queue in front of it wants to know of opportunities that find it empty.
    pub(crate) wants_idle_polls: bool,
    // State.
    pub(crate) carrier: Carrier,
    pub(crate) propagation: Propagation,
    pub(crate) loss: Option<Loss>,
    /// When the transmitter has sent what it is sending.
    pub(crate) free_at: Time,
    /// A packet has left, and no opportunity has found the queue empty since, and the queue wants to know of that.
    pub(crate) idle_poll_pending: bool,
    pub(crate) in_flight: VecDeque<(Time, Packet)>,
}

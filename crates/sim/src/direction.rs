//! One direction of a link: transmitter and packets in flight.

use std::collections::VecDeque;

use jettison_core::Time;
use jettison_link::cellular::UserPlane;
use jettison_link::{FixedRate, LinkModel, Propagation};
use jettison_wire::Packet;

use crate::cellular::Cellular;
use crate::way::Way;

/// The link model of a direction. The common case avoids a virtual call.
#[derive(Clone)]
pub enum Carrier {
    /// A fixed (or scheduled) rate.
    Fixed(FixedRate),
    /// Any other model.
    Other(Box<dyn LinkModel>),
    /// A cellular user plane, over a model that says what its slots carry.
    Cellular(Box<dyn LinkModel>, Box<UserPlane>),
}

impl Carrier {
    #[inline]
    pub(crate) fn model(&mut self) -> &mut dyn LinkModel {
        match self {
            Carrier::Fixed(fixed) => fixed,
            Carrier::Other(other) | Carrier::Cellular(other, _) => other.as_mut(),
        }
    }
    #[inline]
    pub(crate) fn ready_at(&mut self, now: Time) -> Time {
        match self {
            Carrier::Fixed(fixed) => fixed.ready_at(now),
            Carrier::Other(other) | Carrier::Cellular(other, _) => other.ready_at(now),
        }
    }
    #[inline]
    pub(crate) fn begin(&mut self, wire_bytes: u32, now: Time) -> Time {
        match self {
            Carrier::Fixed(fixed) => fixed.begin(wire_bytes, now),
            Carrier::Other(other) | Carrier::Cellular(other, _) => other.begin(wire_bytes, now),
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
#[derive(Clone)]
pub(crate) struct Direction {
    // Parameters.
    pub(crate) name: String,
    pub(crate) from: End,
    pub(crate) to: End,
    pub(crate) overhead: u32,
    /// The recorder's queue of the sender.
    pub(crate) queue: u32,
    /// Whether the tap observes its packets.
    pub(crate) tapped: bool,
    /// Whether the queue wants to be polled at an opportunity that finds it empty.
    pub(crate) wants_idle_polls: bool,
    // State.
    pub(crate) carrier: Carrier,
    pub(crate) propagation: Propagation,
    /// Loss and impairments; `None` if every packet arrives as it was sent, in order.
    pub(crate) way: Option<Box<Way>>,
    /// A cellular user plane in place of the transmitter.
    pub(crate) cellular: Option<Box<Cellular>>,
    /// Instant when the transmitter is free; never with a cellular user plane.
    pub(crate) free_at: Time,
    /// Whether the queue still awaits an idle poll since the last departure.
    pub(crate) idle_poll_pending: bool,
    /// Packets in flight with their arrival times, in order; where packets overtake, only the next one.
    pub(crate) in_flight: VecDeque<(Time, Packet)>,
}

impl Direction {
    /// Whether the transmitter can send a packet now that needs no queue. Taps see packets as they are, stamps included, so
    /// theirs go through the queue.
    #[inline]
    pub(crate) fn lets_through(&mut self, now: Time) -> bool {
        now >= self.free_at && !self.tapped && self.carrier.ready_at(now) <= now
    }
}

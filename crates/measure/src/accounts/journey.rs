//! Journeys of packets that carry units: when they came to each queue, left it, and reached the far end of its link.

use jettison_core::Time;

use super::chain::{Chain, Spot};
use super::{ChannelId, Component};
use crate::provenance::{InFlight, Unit};

/// A queue on a packet's way, and the link behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hop {
    pub queue: u32,
    pub enqueued: Time,
    /// Start of the transmission.
    pub started: Time,
    /// End of the transmission.
    pub left: Time,
    /// Arrival at the far end; [`Time::MAX`] until then.
    pub arrived: Time,
}

/// What a packet carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Load {
    /// Bytes of a stream.
    Stream { channel: ChannelId, offset: u64, end: u64 },
    /// A part of a unit.
    Unit { unit: Unit, offset: u64 },
}

/// The way of a packet so far.
#[derive(Debug, Clone)]
pub(super) struct Journey {
    pub packet: u32,
    pub load: Load,
    pub sent_at: Time,
    pub hops: Vec<Hop>,
    /// Of links that say more than when a packet left: the queue, and what it waited for until when, in order.
    pub waits: Vec<(u32, Component, Time)>,
    /// Whether it is kept although its host has handled the packet.
    pub is_kept: bool,
    /// Copies that links made.
    pub copies: u32,
}

/// All journeys under way, or of packets that may have completed a unit.
#[derive(Debug, Clone, Default)]
pub(super) struct Journeys {
    places: InFlight<u32>,
    journeys: Vec<Journey>,
    free: Vec<u32>,
}

impl Journeys {
    /// A packet leaves its sender.
    pub fn begin(&mut self, packet: u32, load: Load, now: Time) {
        let place = match self.free.pop() {
            Some(place) => {
                let journey = &mut self.journeys[place as usize];
                journey.hops.clear();
                journey.waits.clear();
                (journey.packet, journey.load, journey.sent_at) = (packet, load, now);
                (journey.is_kept, journey.copies) = (false, 0);
                place
            }
            None => {
                let hops = Vec::with_capacity(4);
                let waits = Vec::new();
                self.journeys.push(Journey {
                    packet,
                    load,
                    sent_at: now,
                    hops,
                    waits,
                    is_kept: false,
                    copies: 0,
                });
                (self.journeys.len() - 1) as u32
            }
        };
        self.places.insert(packet, place);
    }

    #[inline]
    pub fn find(&self, packet: u32) -> Option<&Journey> {
        self.places.find(packet).map(|place| &self.journeys[*place as usize])
    }

    #[inline]
    pub fn find_mut(&mut self, packet: u32) -> Option<&mut Journey> {
        let place = *self.places.find(packet)?;
        self.journeys.get_mut(place as usize)
    }

    /// Forgets a journey.
    #[inline]
    pub fn end(&mut self, packet: u32) {
        if let Some(place) = self.places.remove(packet) {
            self.free.push(place);
        }
    }

    /// Number of journeys.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.places.len()
    }
}

impl Journey {
    /// The link of a queue transmits the packet. Of a copy that takes the same way only the first counts.
    #[inline]
    pub fn leaves(&mut self, queue: u32, enqueued: Time, started: Time, left: Time) {
        if !self.hops.iter().any(|hop| hop.queue == queue) {
            self.hops.push(Hop { queue, enqueued, started, left, arrived: Time::MAX });
        }
    }

    /// What it waited for at a queue and on its link. Of a copy that takes the same way only the first counts.
    pub fn waited(&mut self, queue: u32, parts: impl IntoIterator<Item = (Component, Time)>) {
        if !self.waits.iter().any(|(own, ..)| *own == queue) {
            self.waits.extend(parts.into_iter().map(|(component, until)| (queue, component, until)));
        }
    }

    /// The packet reaches the end of a link. Its first arrival there counts.
    #[inline]
    pub fn arrives(&mut self, queue: u32, now: Time) {
        if let Some(hop) = self.hops.iter_mut().rfind(|hop| hop.queue == queue && hop.arrived == Time::MAX) {
            hop.arrived = now;
        }
    }

    /// The host that sent the packet.
    pub fn sender(&self) -> Spot {
        self.hops.first().map_or(Spot::None, |hop| Spot::Sender(hop.queue))
    }

    /// The node that the packet reached last.
    pub fn receiver(&self) -> Spot {
        self.hops.last().map_or(Spot::None, |hop| Spot::Receiver(hop.queue))
    }

    /// Adds its hops to a chain that has come to its departure.
    pub fn add_to(&self, chain: &mut Chain) {
        for hop in &self.hops {
            // A host has no processing time: its packets come to the queue when they are sent.
            chain.extend(hop.enqueued, Component::Processing, Spot::Sender(hop.queue), None);
            for (_, component, until) in self.waits.iter().filter(|(queue, ..)| *queue == hop.queue) {
                chain.extend(*until, *component, Spot::Queue(hop.queue), None);
            }
            chain.extend(hop.started, Component::Queue, Spot::Queue(hop.queue), None);
            chain.extend(hop.left, Component::Serialisation, Spot::Queue(hop.queue), None);
            if hop.arrived != Time::MAX {
                chain.extend(hop.arrived, Component::Propagation, Spot::Queue(hop.queue), None);
            }
        }
    }
}

//! What happens to packets on the way: loss, and impairments with packets that overtake.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use jettison_core::Time;
use jettison_link::{Impairments, Loss};
use jettison_measure::{Place, Recorder};
use jettison_wire::{Instance, Packet};

use crate::direction::Direction;
use crate::script::Script;

/// Loss and impairments of a direction.
#[derive(Clone)]
pub(crate) struct Way {
    loss: Option<Loss>,
    impairments: Option<Impairments>,
    /// Packets in flight behind the next one, where packets may overtake each other.
    behind: BinaryHeap<InFlight>,
    /// Packets carried so far, to keep the order of those that arrive at the same instant.
    carried: u64,
}

/// A packet in flight.
#[derive(Clone)]
struct InFlight {
    arrives: Time,
    number: u64,
    packet: Packet,
}

impl Way {
    /// The way of a direction with those properties; `None` if it has none.
    pub(crate) fn of(loss: Option<Loss>, impairments: Option<Impairments>) -> Option<Box<Way>> {
        let way = Way { loss, impairments, behind: BinaryHeap::new(), carried: 0 };
        (way.loss.is_some() || way.impairments.is_some()).then(|| Box::new(way))
    }

    /// Takes the packet that arrives next from those that wait behind the one that has arrived.
    pub(crate) fn next(&mut self) -> Option<(Time, Packet)> {
        self.behind.pop().map(|next| (next.arrives, next.packet))
    }
}

impl Direction {
    /// Carries a packet whose transmission began at `now` and ends at `left_at`, if the way does not lose it. Returns the
    /// instant of the next arrival if it has changed.
    pub(crate) fn carry(
        &mut self,
        mut packet: Packet,
        let_through: Option<u8>,
        now: Time,
        left_at: Time,
        recorder: &mut Recorder,
        script: &mut Option<Box<Script>>,
    ) -> Option<Time> {
        let way = self.way.as_deref_mut()?;
        if let Some(reason) = way.loss.as_mut().and_then(|loss| loss.lost(now)) {
            let decision = recorder.decisions();
            let reverts = script
                .as_mut()
                .is_some_and(|script| script.reverts_loss(self.queue, &packet, reason, now, decision));
            if !reverts {
                recorder.packet_dropped(Place::Beside(self.queue), &packet, reason, now);
                return None;
            }
            recorder.reverted_drop(Place::Beside(self.queue), &packet, reason, now);
        }
        arrives_at(&mut packet, self.to.port, let_through, now);
        let before = self.in_flight.front().map(|(time, _)| *time);
        let Some(impairments) = &mut way.impairments else {
            self.in_flight.push_back((self.propagation.arrival(left_at), packet));
            return self.next_arrival(before);
        };
        let (own, copy) = impairments.pass(left_at, &mut self.propagation);
        let overtakes = impairments.overtakes();
        if copy.is_some()
            && let Some(provenance) = recorder.provenance()
        {
            provenance.copied(&packet, now);
        }
        let copy = copy.map(|arrival| (arrival, packet.clone()));
        for (arrival, mut packet) in [(own, packet)].into_iter().chain(copy) {
            if let Some(bit) = arrival.wrong_bit {
                packet.corrupt(bit);
            }
            if overtakes {
                self.insert(arrival.at, packet);
            } else {
                self.in_flight.push_back((arrival.at, packet));
            }
        }
        self.next_arrival(before)
    }

    /// Puts a packet among those in flight, by its arrival: the next one into the ring, others behind it.
    fn insert(&mut self, arrives: Time, packet: Packet) {
        let Some(way) = self.way.as_deref_mut() else { return };
        way.carried += 1;
        let mut behind = InFlight { arrives, number: way.carried, packet };
        match self.in_flight.front_mut() {
            None => return self.in_flight.push_back((arrives, behind.packet)),
            // The one that was to be next has a smaller number than all that were sent after it.
            Some((next, packet)) if arrives < *next => {
                std::mem::swap(next, &mut behind.arrives);
                std::mem::swap(packet, &mut behind.packet);
                behind.number = 0;
            }
            Some(_) => {}
        }
        way.behind.push(behind);
    }

    fn next_arrival(&self, before: Option<Time>) -> Option<Time> {
        let next = self.in_flight.front().map(|(time, _)| *time);
        next.filter(|_| next != before)
    }
}

/// Sets the metadata for the node at the far end. With a hop limit, the packet was let through without queueing and gets it.
#[inline(always)]
pub(crate) fn arrives_at(packet: &mut Packet, port: u16, let_through: Option<u8>, now: Time) {
    packet.meta.ingress_port = port;
    packet.meta.instance = Instance::Normal;
    packet.meta.class = 0;
    packet.meta.tag = 0;
    if let Some(hop_limit) = let_through {
        packet.meta.enqueued_at = now;
        packet.meta.enq_qdepth = 0;
        packet.set_hop_limit(hop_limit);
    }
}

// The heap has its greatest element on top: the earliest arrival, of equal ones the packet that was sent first.
impl Ord for InFlight {
    fn cmp(&self, other: &InFlight) -> Ordering {
        (other.arrives, other.number).cmp(&(self.arrives, self.number))
    }
}

impl PartialOrd for InFlight {
    fn partial_cmp(&self, other: &InFlight) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for InFlight {
    fn eq(&self, other: &InFlight) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for InFlight {}

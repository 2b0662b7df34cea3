//! Outside hosts: packets of real programs enter and leave the world, and a clock drives the event loop.
//!
//! The world runs in the time of the links. A late caller passes the current instant to [`World::advance`], which processes
//! every departure due since the last call at its own instant, in order, before new arrivals. So lateness costs no link
//! capacity, and queue disciplines get exact times.

use jettison_core::Time;
use jettison_measure::Recorder;
use jettison_queue::Backlog;
use jettison_wire::Packet;

use crate::builder::NodeId;
use crate::world::World;

/// A packet delivered to an outside host ([`crate::WorldBuilder::outside_host`]).
#[derive(Debug)]
pub struct Delivery {
    /// The host.
    pub host: NodeId,
    /// Time of arrival in the world.
    pub at: Time,
    /// The recorder's queue of the direction of arrival.
    pub queue: u32,
    /// The packet.
    pub packet: Packet,
}

impl World {
    /// Processes all events up to and including `to`. An instant in the past has no effect.
    pub fn advance(&mut self, to: Time) {
        while to > self.now && !self.run_to_boundary(to) {}
    }

    /// The instant of the next event, by which the caller must call [`World::advance`].
    pub fn next_instant(&self) -> Time {
        let next = self.agenda.next().0.min(self.next_sample);
        if self.measuring { next } else { next.min(self.recorder.warm_up()) }
    }

    /// Sends a packet of an outside host at [`World::now`], through the queue of the interface towards its destination.
    /// `packet.meta.flow` is its flow.
    pub fn inject(&mut self, host: NodeId, mut packet: Packet) {
        let now = self.now;
        packet.meta.sent_at = now;
        packet.meta.id = self.next_id;
        self.next_id = self.next_id.wrapping_add(1);
        if let Some(provenance) = self.recorder.provenance() {
            provenance.came(&packet, now);
        }
        self.outbox.push(packet);
        self.send_from_host(host.0, now);
    }

    /// Takes the packets delivered to outside hosts since the last call, in the order of arrival.
    pub fn take_delivered(&mut self, into: &mut Vec<Delivery>) {
        into.append(&mut self.delivered);
    }

    /// Time of arrival of the oldest delivered packet that has not been taken.
    pub fn delivered_since(&self) -> Option<Time> {
        self.delivered.first().map(|delivery| delivery.at)
    }

    /// The recorder of this run.
    pub fn recorder(&mut self) -> &mut Recorder {
        &mut self.recorder
    }

    /// The backlog of the queue of each direction, in the order of [`World::direction_names`].
    pub fn backlogs(&self) -> impl Iterator<Item = Backlog> {
        self.directions.iter().map(|direction| self.backlog_before(direction))
    }

    /// The names of the recorder's queues, one per direction of a link, in their order.
    pub fn direction_names(&self) -> impl Iterator<Item = &str> {
        self.directions.iter().map(|direction| direction.name.as_str())
    }
}

//! Hosts that lie outside the world: real programs' packets go in and come out, and a clock drives the loop.
//!
//! The world's time is the links' time. A caller that is late calls [`World::advance`] with the instant it has become: every
//! departure due since then happens at its own instant, in order, before anything that arrives now. So lateness costs no link
//! rate, and what a queue discipline is told is exact.

use jettison_core::Time;
use jettison_measure::Recorder;
use jettison_queue::Backlog;
use jettison_wire::Packet;

use crate::builder::NodeId;
use crate::world::World;

/// A packet that came to an outside host ([`crate::WorldBuilder::outside_host`]).
#[derive(Debug)]
pub struct Delivery {
    /// The host.
    pub host: NodeId,
    /// When it came, in the world's time.
    pub at: Time,
    /// The recorder's queue of the direction that it came by.
    pub queue: u32,
    /// The packet.
    pub packet: Packet,
}

impl World {
    /// Processes everything up to and at `to`; an instant that has been reached already is left alone.
    pub fn advance(&mut self, to: Time) {
        while to > self.now && !self.stride(to) {}
    }

    /// When something happens next by itself: the caller wants to be back by then.
    pub fn next_instant(&self) -> Time {
        let next = self.agenda.next().0.min(self.next_sample);
        if self.measuring { next } else { next.min(self.recorder.warm_up()) }
    }

    /// An outside host sends a packet now, at [`World::now`]: it goes to the queue of the interface that leads to its
    /// destination. `packet.meta.flow` says whose it is.
    pub fn inject(&mut self, host: NodeId, mut packet: Packet) {
        let now = self.now;
        packet.meta.sent_at = now;
        self.outbox.push(packet);
        self.send_from_host(host.0, now);
    }

    /// Takes what came to outside hosts since it was last asked for, in the order of arrival.
    pub fn take_delivered(&mut self, into: &mut Vec<Delivery>) {
        into.append(&mut self.delivered);
    }

    /// Since when the oldest of what came to outside hosts waits to be taken; `None` if nothing does.
    pub fn delivered_since(&self) -> Option<Time> {
        self.delivered.first().map(|delivery| delivery.at)
    }

    /// Where this run is recorded.
    pub fn recorder(&mut self) -> &mut Recorder {
        &mut self.recorder
    }

    /// What waits now in front of each direction of a link, in the order of [`World::direction_names`].
    pub fn backlogs(&self) -> impl Iterator<Item = Backlog> {
        self.directions.iter().map(|direction| self.backlog_before(direction))
    }

    /// The names of the recorder's queues, one a direction of a link, in their order.
    pub fn direction_names(&self) -> impl Iterator<Item = &str> {
        self.directions.iter().map(|direction| direction.name.as_str())
    }
}

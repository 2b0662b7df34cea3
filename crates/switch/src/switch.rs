//! What the simulator's router and the live loop drive.

use jettison_core::{Gauges, Rate, Time};
use jettison_measure::Outcomes;
use jettison_queue::Backlog;
use jettison_wire::Packet;

/// A port of a switch: its number on that node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Port(pub u16);

/// A device with ports, between an arriving packet and the links that carry packets on.
///
/// The world calls `handle_packet` for arrivals, then, for every port in `pending` whose link is free,
/// `poll_transmit`. It keeps a link's occupancy itself: a switch never knows how long a packet takes to send.
pub trait Switch: Send {
    /// A packet has arrived. Whatever it causes (queueing, drops, clones) has happened when this returns, unless the switch takes time to think; ports
    /// that may now have something to send are pushed to `pending` (a port may be named more than once).
    fn handle_packet(&mut self, from: Port, packet: Packet, now: Time, out: &mut SwitchOutcomes<'_>);

    /// The link behind `to` is free: the next thing to occupy it. `None` with a backlog means: ask again after
    /// [`Switch::next_wakeup`].
    fn poll_transmit(&mut self, to: Port, now: Time, out: &mut SwitchOutcomes<'_>) -> Option<Departure>;

    /// The time that `next_wakeup` named has come. May add to `pending`.
    fn handle_wakeup(&mut self, now: Time, out: &mut SwitchOutcomes<'_>);

    /// When the switch wants to be called next (recirculations under way, disciplines' own timers).
    fn next_wakeup(&self) -> Option<Time>;

    /// The link behind `to` now has this rate.
    fn capacity_changed(&mut self, _to: Port, _rate: Rate, _now: Time) {}

    /// Whether the queue of `to` wants to know of an opportunity that finds it empty: the world then calls
    /// [`Switch::poll_transmit`] once more after the packet that emptied it.
    fn wants_idle_polls(&self, _to: Port) -> bool {
        false
    }

    /// What waits at a port.
    fn backlog(&self, port: Port) -> Backlog;

    /// Reports the gauges of a port's discipline, and of what else manages its queue.
    fn gauges(&self, _port: Port, _now: Time, _out: &mut dyn Gauges) {}

    /// What the pipeline did so far.
    fn counters(&self) -> SwitchCounters;

    /// The part of [`Switch::counters`] that concerns one port: received from its link, dropped at ingress on the way
    /// to it, cloned or recirculated at its egress, transmitted by it.
    fn port_counters(&self, _port: Port) -> SwitchCounters {
        SwitchCounters::default()
    }
}

/// What a switch reports to while it works: the drops of each port's queue, its own drops, and ports to serve.
pub struct SwitchOutcomes<'a> {
    /// Ports that may now have something to send.
    pub pending: &'a mut Vec<Port>,
    /// Told of each drop and mark, with the port whose queue made it (`None`: the switch itself, before any queue).
    pub sink: &'a mut dyn PortOutcomes,
}

/// The sink of drops and marks by port.
pub trait PortOutcomes {
    /// The sink bound to a port's queue, or to the switch itself.
    fn at(&mut self, port: Option<Port>) -> &mut dyn Outcomes;
    /// A packet was offered to a port's queue.
    fn offered(&mut self, port: Port, packet: &Packet, now: Time);
}

/// What occupies a link next.
#[derive(Debug)]
pub enum Departure {
    /// A packet goes out.
    Transmit(Packet),
    /// Nothing goes out, but the port is busy for as long as a packet of this IP length takes: a clone that came
    /// through the queue and was recirculated instead of sent.
    Service(u16),
}

/// What a switch's pipeline did, since the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SwitchCounters {
    /// Packets received from links.
    pub received: u64,
    /// Clones made.
    pub clones: u64,
    /// Packets that the recirculation port took.
    pub recirculations: u64,
    /// Bytes (IP length) that the recirculation port took.
    pub recirculated_bytes: u64,
    /// Packets dropped at ingress: by a port's hook, for want of a route, for their hop limit.
    pub ingress_drops: u64,
    /// Packets dropped at egress.
    pub egress_drops: u64,
    /// Clones that did their work and ended at ingress.
    pub clones_consumed: u64,
    /// Copies that the multicast engine made, the packet itself not counted.
    pub replicas: u64,
    /// Times that a packet went through ingress again by resubmission.
    pub resubmissions: u64,
    /// Digests sent to the control plane.
    pub digests: u64,
    /// Packets sent out of ports.
    pub transmitted: u64,
    /// Bytes (IP length) sent out of ports.
    pub transmitted_bytes: u64,
}

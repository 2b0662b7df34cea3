//! Interface between a switch and the simulator or the live event loop.

use std::any::Any;

use dyn_clone::DynClone;
use jettison_core::{Gauges, Rate, Time};
use jettison_measure::Outcomes;
use jettison_queue::{Backlog, QueueChange, QueueDiscipline, QueueSetting};
use jettison_wire::Packet;

use crate::hooks::PortHooks;
use crate::service::ThreadTime;

/// A port number, unique within its node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Port(pub u16);

/// A device with ports: takes arriving packets and provides packets to the links of its output ports.
///
/// The caller (simulator or live loop) calls `handle_packet` for each arrival and then `poll_transmit` for every port in
/// `pending` whose link is free. The caller tracks the occupancy of links; a switch does not know transmission times.
pub trait Switch: DynClone + Send {
    /// Processes an arriving packet. All effects (queueing, drops, clones) are complete on return, except with an ingress
    /// delay. Ports that may now have a packet to send are pushed to `pending`, possibly more than once.
    fn handle_packet(&mut self, from: Port, packet: Packet, now: Time, out: &mut SwitchOutcomes<'_>);

    /// Where an arriving packet goes, with its new hop limit, if it would leave at once should the link of that port be free:
    /// nothing waits there, and the switch does nothing else with it. The caller may then send it with
    /// [`Switch::passed`] instead of [`Switch::handle_packet`] and [`Switch::poll_transmit`], with the same result.
    fn passage(&self, _from: Port, _packet: &Packet) -> Option<(Port, u8)> {
        None
    }

    /// Counts a packet of this IP length that the caller has taken past the queue, after [`Switch::passage`].
    fn passed(&mut self, _from: Port, _to: Port, _length: u16) {}

    /// Called when the link of port `to` is free: returns what occupies it next. `None` with a backlog: nothing is due before
    /// [`Switch::next_wakeup`].
    fn poll_transmit(&mut self, to: Port, now: Time, out: &mut SwitchOutcomes<'_>) -> Option<Departure>;

    /// Handles the wakeup requested by `next_wakeup`. May add ports to `pending`.
    fn handle_wakeup(&mut self, now: Time, out: &mut SwitchOutcomes<'_>);

    /// Time of the next call of `handle_wakeup`, for recirculated packets and timers of disciplines.
    fn next_wakeup(&self) -> Option<Time>;

    /// Reports the rate of the link of port `to`.
    fn capacity_changed(&mut self, _to: Port, _rate: Rate, _now: Time) {}

    /// Changes a setting of the discipline of port `to` at run time. Returns false, without effect, if it has no such setting.
    fn reconfigure(&mut self, _to: Port, _change: &QueueChange) -> bool {
        false
    }

    /// The parameters of the discipline of port `to` that can be changed at run time, with their present values.
    fn settings(&self, _to: Port) -> Vec<QueueSetting> {
        Vec::new()
    }

    /// Exchanges the discipline of port `to`, and its hooks. Packets that wait move to the new one in the order in which the old
    /// one sends them. Returns false, without effect, if the switch cannot.
    fn replace(
        &mut self,
        _to: Port,
        _discipline: Box<dyn QueueDiscipline>,
        _hooks: Option<Box<dyn PortHooks>>,
        _now: Time,
        _out: &mut SwitchOutcomes<'_>,
    ) -> bool {
        false
    }

    /// Whether the switch writes its changes to a packet at egress, so that a packet that a queue drops is still as it arrived.
    fn writes_at_egress(&self) -> bool {
        false
    }

    /// Whether the queue of `to` requests polls while it is empty: the caller then calls [`Switch::poll_transmit`] once more
    /// after the packet that emptied it.
    fn wants_idle_polls(&self, _to: Port) -> bool {
        false
    }

    /// Whether [`Switch::poll_transmit`] may return something for `to` without another event of the switch. With a service
    /// model, packets in the port's queue are not ready for the link yet.
    fn has_departure(&self, to: Port) -> bool {
        self.backlog(to).packets > 0
    }

    /// The backlog of a port.
    fn backlog(&self, port: Port) -> Backlog;

    /// Reports the gauges of a port's discipline and of its hooks.
    fn gauges(&self, _port: Port, _now: Time, _out: &mut dyn Gauges) {}

    /// Number of processors of the service model; 0 without one.
    fn processors(&self) -> u32 {
        0
    }

    /// Appends the CPU time of each thread of the service model.
    fn thread_times(&self, _now: Time, _out: &mut Vec<ThreadTime>) {}

    /// The switch as its own type, for a control plane that knows it.
    fn as_any(&self) -> Option<&dyn Any> {
        None
    }

    /// The same, mutable.
    fn as_any_mut(&mut self) -> Option<&mut dyn Any> {
        None
    }

    /// Whether the switch has something for its control plane: a digest, or a packet that left at the CPU port.
    fn has_notices(&self) -> bool {
        false
    }

    /// Counters since the start.
    fn counters(&self) -> SwitchCounters;

    /// Counters of one port: packets received from its link, dropped at ingress by its queue management, cloned or recirculated
    /// at its egress, and transmitted.
    fn port_counters(&self, _port: Port) -> SwitchCounters {
        SwitchCounters::default()
    }
}

dyn_clone::clone_trait_object!(Switch);

/// Outputs of a switch: drops and marks of each port's queue, drops of the switch itself, and ports to serve.
pub struct SwitchOutcomes<'a> {
    /// Ports that may now have a packet to send.
    pub pending: &'a mut Vec<Port>,
    /// Receives each drop and mark, by the port of the queue (`None`: the switch itself).
    pub sink: &'a mut dyn PortOutcomes,
}

/// Sink of drops and marks by port.
pub trait PortOutcomes {
    /// The sink for a port's queue, or for the switch itself if `None`.
    fn at(&mut self, port: Option<Port>) -> &mut dyn Outcomes;
    /// The sink for packets that a port's queue does not hold, but to which their drop is attributed: before the queue or behind it.
    fn beside(&mut self, port: Option<Port>) -> &mut dyn Outcomes {
        self.at(port)
    }
    /// Records that a packet was offered to a port's queue.
    fn offered(&mut self, port: Port, packet: &Packet, now: Time);
    /// Records that a packet comes to a port's queue, before the discipline decides.
    fn enqueued(&mut self, _port: Port, _packet: &Packet, _now: Time) {}
    /// Records that a packet has left a port's queue by its turn.
    fn dequeued(&mut self, _port: Port, _packet: &Packet, _now: Time) {}
}

/// The next occupation of a link.
#[derive(Debug)]
pub enum Departure {
    /// A packet is transmitted.
    Transmit(Packet),
    /// Nothing is transmitted, but the port is busy for the transmission time of a packet of this IP length: a clone that left
    /// the queue was recirculated instead of sent.
    Service(u16),
}

/// Counters of a switch's pipeline since the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SwitchCounters {
    /// Packets received from links.
    pub received: u64,
    /// Clones made.
    pub clones: u64,
    /// Packets accepted by the recirculation port.
    pub recirculations: u64,
    /// Bytes (IP length) accepted by the recirculation port.
    pub recirculated_bytes: u64,
    /// Packets dropped at ingress: by a port's hook, without a route, or by the hop limit.
    pub ingress_drops: u64,
    /// Packets dropped before ingress because the capture buffer was full.
    pub input_drops: u64,
    /// Packets dropped at egress.
    pub egress_drops: u64,
    /// Clones that reached their destination and ended there.
    pub clones_consumed: u64,
    /// Copies made by the multicast engine, the original not counted.
    pub replicas: u64,
    /// Passes through ingress by resubmission.
    pub resubmissions: u64,
    /// Digests sent to the control plane.
    pub digests: u64,
    /// Packets transmitted.
    pub transmitted: u64,
    /// Bytes (IP length) transmitted.
    pub transmitted_bytes: u64,
}

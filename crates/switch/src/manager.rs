//! Traffic manager: one queue discipline per port.

use jettison_core::{Duration, Gauges, Rate, Time, fork};
use jettison_measure::Outcomes;
use jettison_queue::{Backlog, QueueChange, QueueDiscipline, QueueSetting, drain};
use jettison_wire::Packet;

use crate::{Port, QueueReading};

/// The queues between ingress and egress, one discipline per port.
///
/// Priorities and packet rates within a port are up to its discipline, which reads `meta.class`. The manager caches the
/// earliest wakeup of all disciplines, so `next_wakeup` takes constant time.
pub struct TrafficManager {
    ports: Vec<PortState>,
    earliest: Time,
}

#[derive(Clone)]
struct PortState {
    discipline: Box<dyn QueueDiscipline>,
    /// Whether a link has this port.
    open: bool,
    uses_wakeups: bool,
    /// Next wakeup of the discipline; [`Time::MAX`] for none.
    wakeup: Time,
}

impl Clone for TrafficManager {
    fn clone(&self) -> TrafficManager {
        // A discipline that cannot be copied is reported with its port.
        let ports = (0u16..).zip(&self.ports).map(|(port, state)| fork::at_port(port, || state.clone()));
        TrafficManager { ports: ports.collect(), earliest: self.earliest }
    }
}

impl TrafficManager {
    /// Creates a manager of `disciplines`, port 0 first.
    pub fn new(disciplines: impl IntoIterator<Item = Box<dyn QueueDiscipline>>) -> TrafficManager {
        let ports: Vec<PortState> = disciplines
            .into_iter()
            .map(|discipline| PortState {
                open: true,
                uses_wakeups: discipline.uses_wakeups(),
                wakeup: discipline.next_wakeup().unwrap_or(Time::MAX),
                discipline,
            })
            .collect();
        let earliest = ports.iter().map(|p| p.wakeup).min().unwrap_or(Time::MAX);
        TrafficManager { ports, earliest }
    }

    /// Number of ports.
    pub fn port_count(&self) -> usize {
        self.ports.len()
    }

    /// Takes a port out of use, because no link has its number: [`TrafficManager::has`] is false from now on.
    pub fn close(&mut self, port: Port) {
        if let Some(state) = self.ports.get_mut(usize::from(port.0)) {
            state.open = false;
        }
    }

    /// Whether `port` exists.
    #[inline]
    pub fn has(&self, port: Port) -> bool {
        self.ports.get(usize::from(port.0)).is_some_and(|state| state.open)
    }

    /// Enqueues a packet for `port`, which must exist ([`TrafficManager::has`]).
    #[inline]
    pub fn enqueue(&mut self, port: Port, packet: Packet, now: Time, out: &mut dyn Outcomes) {
        self.ports[usize::from(port.0)].discipline.enqueue(packet, now, out);
        self.refresh(port);
    }

    /// Whether the discipline of `port` lets the packet through ([`QueueDiscipline::lets_through`]).
    #[inline]
    pub fn lets_through(&self, port: Port, packet: &Packet) -> bool {
        self.ports.get(usize::from(port.0)).is_some_and(|state| state.discipline.lets_through(packet))
    }

    /// Removes and returns the next packet of a port.
    #[inline]
    pub fn dequeue(&mut self, port: Port, now: Time, out: &mut dyn Outcomes) -> Option<Packet> {
        let packet = self.ports.get_mut(usize::from(port.0))?.discipline.dequeue(now, out);
        self.refresh(port);
        packet
    }

    /// State of the queue that `packet` has just left, for egress. `ingress_delay` is the time from the packet's arrival at the
    /// switch to its arrival at the queue.
    #[inline]
    pub fn reading(&self, port: Port, packet: &Packet, ingress_delay: Duration, now: Time) -> QueueReading {
        let class = packet.meta.class;
        let state = self.ports.get(usize::from(port.0));
        let backlog = state.map(|state| state.discipline.class_backlog(class)).unwrap_or_default();
        let sojourn = now.since(packet.meta.enqueued_at);
        QueueReading {
            enq_qdepth: packet.meta.enq_qdepth,
            deq_qdepth: u32::try_from(backlog.packets).unwrap_or(u32::MAX),
            deq_bytes: backlog.bytes,
            sojourn,
            in_switch: sojourn.saturating_add(ingress_delay),
            class,
        }
    }

    /// The first port at or after `from` whose discipline's wakeup is due.
    pub fn due(&self, from: u16, now: Time) -> Option<Port> {
        if self.earliest > now {
            return None;
        }
        let due = self.ports.iter().skip(usize::from(from)).position(|state| state.wakeup <= now)?;
        u16::try_from(usize::from(from) + due).ok().map(Port)
    }

    /// Handles the wakeup of a port returned by [`TrafficManager::due`].
    pub fn handle_wakeup(&mut self, port: Port, now: Time, out: &mut dyn Outcomes) {
        self.ports[usize::from(port.0)].discipline.handle_wakeup(now, out);
        self.refresh(port);
    }

    /// The earliest wakeup of any discipline.
    #[inline]
    pub fn next_wakeup(&self) -> Option<Time> {
        (self.earliest < Time::MAX).then_some(self.earliest)
    }

    /// Reports the rate of a port's link to its discipline.
    pub fn capacity_changed(&mut self, port: Port, rate: Rate, now: Time) {
        if let Some(state) = self.ports.get_mut(usize::from(port.0)) {
            state.discipline.capacity_changed(rate, now);
            self.refresh(port);
        }
    }

    /// Number of queues by class of a port's discipline; `None` if it ignores the class.
    pub fn classes(&self, port: Port) -> Option<u16> {
        self.ports.get(usize::from(port.0))?.discipline.classes()
    }

    /// Changes a setting of the discipline of `port`, or of all ports if `None`. Returns false if none has this setting.
    pub fn reconfigure(&mut self, port: Option<Port>, change: &QueueChange) -> bool {
        let ports = match port {
            None => 0..self.ports.len(),
            Some(port) if self.has(port) => usize::from(port.0)..usize::from(port.0) + 1,
            Some(_) => return false,
        };
        let mut changed = false;
        for place in ports {
            changed |= self.ports[place].discipline.reconfigure(change);
            self.refresh(Port(place as u16));
        }
        changed
    }

    /// The parameters of a port's discipline that can be changed at run time, with their present values.
    pub fn settings(&self, port: Port) -> Vec<QueueSetting> {
        self.ports.get(usize::from(port.0)).map_or_else(Vec::new, |state| state.discipline.settings())
    }

    /// Exchanges the discipline of a port, which must exist. The packets move to the new one.
    pub fn replace(
        &mut self,
        port: Port,
        discipline: Box<dyn QueueDiscipline>,
        now: Time,
        out: &mut dyn Outcomes,
    ) {
        let state = &mut self.ports[usize::from(port.0)];
        let mut old = std::mem::replace(&mut state.discipline, discipline);
        for packet in drain(old.as_mut(), now) {
            state.discipline.enqueue(packet, now, out);
        }
        state.uses_wakeups = state.discipline.uses_wakeups();
        state.wakeup = state.discipline.next_wakeup().unwrap_or(Time::MAX);
        self.earliest = self.ports.iter().map(|port| port.wakeup).min().unwrap_or(Time::MAX);
    }

    /// Whether a port's discipline requests polls while it is empty ([`QueueDiscipline::wants_idle_polls`]).
    pub fn wants_idle_polls(&self, port: Port) -> bool {
        self.ports.get(usize::from(port.0)).is_some_and(|state| state.discipline.wants_idle_polls())
    }

    /// Reports the gauges of a port's discipline.
    pub fn gauges(&self, port: Port, now: Time, out: &mut dyn Gauges) {
        if let Some(state) = self.ports.get(usize::from(port.0)) {
            state.discipline.gauges(now, out);
        }
    }

    /// The backlog of a port; zero if the port does not exist.
    pub fn backlog(&self, port: Port) -> Backlog {
        self.ports.get(usize::from(port.0)).map(|state| state.discipline.backlog()).unwrap_or_default()
    }

    /// Updates the cached wakeups after a call of a port's discipline.
    #[inline]
    fn refresh(&mut self, port: Port) {
        let state = &mut self.ports[usize::from(port.0)];
        if !state.uses_wakeups {
            return;
        }
        let wakeup = state.discipline.next_wakeup().unwrap_or(Time::MAX);
        let before = std::mem::replace(&mut state.wakeup, wakeup);
        if wakeup < self.earliest {
            self.earliest = wakeup;
        // A search is only needed if this port had the earliest wakeup and has moved it.
        } else if before == self.earliest && wakeup != before {
            self.earliest = self.ports.iter().map(|p| p.wakeup).min().unwrap_or(Time::MAX);
        }
    }
}

//! Switch with links, driven as in the simulator, and the trace of its packets.

use jettison_core::{DropReason, Duration, MarkReason, Time};
use jettison_measure::Outcomes;
use jettison_switch::{Departure, Port, PortOutcomes, Switch, SwitchOutcomes};
use jettison_wire::{Ecn, Instance, Packet};

/// Trace of the packets, without clones.
#[derive(Debug, Default, PartialEq)]
pub struct Trace {
    /// Number, time and ECN field of each sent packet.
    pub sent: Vec<(u32, Time, Ecn)>,
    /// Number and time of each dropped packet.
    pub dropped: Vec<(u32, Time)>,
}

impl Trace {
    /// Number of equal drops of two traces before the first difference.
    pub fn common_drops(&self, other: &Trace) -> usize {
        self.dropped.iter().zip(&other.dropped).take_while(|(a, b)| a == b).count()
    }
    /// Numbers of the dropped packets, sorted.
    pub fn losses(&self) -> Vec<u32> {
        let mut losses: Vec<u32> = self.dropped.iter().map(|(id, _)| *id).collect();
        losses.sort_unstable();
        losses
    }
    /// Number of sent packets that are marked.
    pub fn marks(&self) -> usize {
        self.sent.iter().filter(|(_, _, ecn)| *ecn == Ecn::Ce).count()
    }
}

impl Outcomes for Trace {
    fn dropped(&mut self, packet: Packet, _: DropReason, now: Time) {
        if packet.meta.instance == Instance::Normal {
            self.dropped.push((packet.meta.id, now));
        }
    }
    fn marked(&mut self, _: &Packet, _: MarkReason, _: Time) {}
}

impl PortOutcomes for Trace {
    fn at(&mut self, _: Option<Port>) -> &mut dyn Outcomes {
        self
    }
    fn offered(&mut self, _: Port, _: &Packet, _: Time) {}
}

/// A running switch.
struct World<'a> {
    switch: &'a mut dyn Switch,
    /// Rate of each port's link in bits per second.
    rates: &'a [u64],
    /// End of each link's current transmission.
    busy: Vec<Option<Time>>,
    pending: Vec<Port>,
    trace: Trace,
    now: Time,
}

/// Sends packets to port 0 and returns the trace until a second after the last arrival. At the same time, links come
/// first, then arrivals, then the switch's own timers.
pub fn drive(switch: &mut dyn Switch, arrivals: &[(Time, Packet)], rates: &[u64]) -> Trace {
    let busy = vec![None; rates.len()];
    let mut world =
        World { switch, rates, busy, pending: Vec::new(), trace: Trace::default(), now: Time::ZERO };
    let end = arrivals.last().expect("there are arrivals").0.saturating_add(Duration::from_secs(1));
    let mut arrivals = arrivals.iter().peekable();
    loop {
        let instants = world.busy.iter().copied().flatten().chain(world.switch.next_wakeup());
        let Some(now) = instants.chain(arrivals.peek().map(|(at, _)| *at)).min().filter(|now| *now <= end)
        else {
            return world.trace;
        };
        world.now = now;
        for port in 0..rates.len() {
            if world.busy[port] == Some(now) {
                world.busy[port] = None;
                world.pending.push(Port(port as u16));
            }
        }
        world.serve();
        while let Some((_, packet)) = arrivals.next_if(|(at, _)| *at == now) {
            let World { switch, pending, trace, .. } = &mut world;
            switch.handle_packet(Port(0), packet.clone(), now, &mut SwitchOutcomes { pending, sink: trace });
            world.serve();
        }
        if world.switch.next_wakeup().is_some_and(|due| due <= now) {
            let World { switch, pending, trace, .. } = &mut world;
            switch.handle_wakeup(now, &mut SwitchOutcomes { pending, sink: trace });
            world.serve();
        }
    }
}

impl World<'_> {
    /// Polls every idle link that may have a packet to send.
    fn serve(&mut self) {
        while let Some(port) = self.pending.pop() {
            let place = usize::from(port.0);
            if self.busy[place].is_some() {
                continue;
            }
            let mut out = SwitchOutcomes { pending: &mut self.pending, sink: &mut self.trace };
            let length = match self.switch.poll_transmit(port, self.now, &mut out) {
                None => continue,
                Some(Departure::Service(length)) => length,
                Some(Departure::Transmit(packet)) => {
                    self.trace.sent.push((packet.meta.id, self.now, packet.ecn()));
                    packet.meta.length
                }
            };
            let bits = (u64::from(length) + 14) * 8;
            let takes = Duration::from_nanos(bits * 1_000_000_000 / self.rates[place]);
            self.busy[place] = Some(self.now.saturating_add(takes));
        }
    }
}

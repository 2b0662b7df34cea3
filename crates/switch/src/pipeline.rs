//! The pipeline: ingress → traffic manager → egress, and the order in which a program's actions are applied.
//!
//! The order is that of v1model, as documented for BMv2's `simple_switch`:
//!
//! - after ingress: clone, digest, resubmit, multicast, drop, unicast;
//! - after egress: clone, digest, drop, recirculate, transmit.

mod software;

use std::collections::VecDeque;

use jettison_core::{DropReason, Duration, Gauges, MarkReason, Rate, Time};
use jettison_measure::Outcomes;
use jettison_queue::{Backlog, QueueChange, QueueDiscipline, QueueSetting};
use jettison_wire::{Instance, Packet};
use rustc_hash::FxHashMap;

use crate::service::{Service, ThreadTime};
use crate::{
    Actions, Departure, Fate, Forwarding, Mirror, MirrorTo, Nat, Port, PortConfig, PortHooks, Program,
    Recirculation, RecirculationSettings, Routes, Switch, SwitchCounters, SwitchOutcomes, TrafficManager,
};

/// Maximum number of resubmissions of a packet before it is dropped. Resubmission takes no simulated time, so a program
/// that always resubmits would loop forever.
const MAX_RESUBMISSIONS: u32 = 256;

/// A switch that runs a program.
#[derive(Clone)]
pub struct Pipeline<P> {
    program: P,
    manager: TrafficManager,
    recirculation: Recirculation,
    /// Delay from a packet's arrival to ingress.
    ingress_delay: Duration,
    /// Packets in this delay with the time of their ingress, oldest first.
    arriving: VecDeque<(Time, Packet)>,
    groups: FxHashMap<u16, Vec<Replica>>,
    /// CPU times of the passes; `None`: passes take no time.
    service: Option<Box<Service>>,
    total: SwitchCounters,
    ports: Vec<SwitchCounters>,
}

/// A member of a multicast group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replica {
    /// The port whose queue it joins.
    pub port: Port,
    /// Identifies the member within the group (P4's `egress_rid`).
    pub number: u16,
}

impl Pipeline<Forwarding> {
    /// Creates a natively forwarding router; `ports` lists its ports, port 0 first.
    pub fn native(routes: Routes, ports: Vec<PortConfig>, recirculation: RecirculationSettings) -> Self {
        let (disciplines, hooks): (Vec<_>, Vec<_>) =
            ports.into_iter().map(|port| (port.discipline, port.hooks)).unzip();
        Pipeline::new(Forwarding::new(routes, hooks), TrafficManager::new(disciplines), recirculation)
    }

    /// Translates addresses.
    #[must_use]
    pub fn with_nat(mut self, nat: Option<Nat>) -> Self {
        self.program.set_nat(nat);
        self
    }
}

impl<P: Program> Pipeline<P> {
    /// Creates a switch that runs `program` around the queues of `manager`.
    pub fn new(program: P, manager: TrafficManager, recirculation: RecirculationSettings) -> Pipeline<P> {
        let ports = vec![SwitchCounters::default(); manager.port_count()];
        Pipeline {
            program,
            manager,
            recirculation: Recirculation::new(recirculation),
            ingress_delay: Duration::ZERO,
            arriving: VecDeque::new(),
            groups: FxHashMap::default(),
            service: None,
            total: SwitchCounters::default(),
            ports,
        }
    }

    /// Delays every packet from a link by `delay` before ingress. Models the processing time of a software switch, whose
    /// parser and tables are not pipelined.
    pub fn with_ingress_delay(mut self, delay: Duration) -> Self {
        self.ingress_delay = delay;
        self
    }

    /// The program.
    pub fn program(&self) -> &P {
        &self.program
    }

    /// The mutable program, for its control plane.
    pub fn program_mut(&mut self) -> &mut P {
        &mut self.program
    }

    /// Sets the members of a multicast group; removes the group if `members` is empty.
    pub fn set_multicast_group(&mut self, group: u16, members: Vec<Replica>) {
        if members.is_empty() {
            self.groups.remove(&group);
        } else {
            self.groups.insert(group, members);
        }
    }

    /// Changes a setting of the queue of `port`, or of all ports if `None`. Returns false if none has this setting.
    pub fn reconfigure_queues(&mut self, port: Option<Port>, change: &QueueChange) -> bool {
        self.manager.reconfigure(port, change)
    }

    /// Number of queues by class of the discipline of `port`; `None` if it ignores the class.
    pub fn classes(&self, port: Port) -> Option<u16> {
        self.manager.classes(port)
    }

    /// Number of ports.
    pub fn port_count(&self) -> usize {
        self.manager.port_count()
    }

    /// Number of packets in the recirculation port or on the way back to ingress.
    pub fn recirculating(&self) -> usize {
        self.recirculation.under_way()
    }

    /// The program's tags of these packets.
    pub fn recirculating_tags(&self) -> impl Iterator<Item = u32> {
        self.recirculation.packets().map(|packet| packet.meta.tag)
    }

    /// Runs ingress, repeatedly if the program resubmits, and applies its actions.
    fn ingress(&mut self, mut packet: Packet, mut why: Instance, now: Time, out: &mut SwitchOutcomes<'_>) {
        for _ in 0..=MAX_RESUBMISSIONS {
            // v1model clones and resubmits the packet as it arrived, without the changes by ingress.
            let original = self.program.keeps_original().then(|| packet.clone());
            let mut actions = Actions::at_ingress();
            self.program.ingress(&mut packet, why, now, &mut actions);
            if let Some(mirror) = actions.clone {
                let mut copy = original.as_ref().unwrap_or(&packet).clone();
                copy.meta.instance = Instance::IngressClone;
                self.mirror(copy, mirror, None, now, out);
            }
            if let Some(receiver) = actions.digest {
                self.digest(receiver, None, now);
            }
            if let Some(tag) = actions.resubmit {
                self.total.resubmissions += 1;
                if let Some(original) = original {
                    packet = original;
                }
                packet.meta.tag = tag;
                packet.meta.instance = Instance::Resubmitted;
                why = Instance::Resubmitted;
                continue;
            }
            return match (actions.multicast, actions.fate) {
                (Some(group), _) => {
                    packet.meta.instance = Instance::Replica;
                    self.multicast(packet, group, now, out)
                }
                (None, Fate::Send { port, class }) => self.enqueue(packet, port, class, now, out),
                (None, Fate::Drop { reason, bound_for }) => {
                    self.count(bound_for, |c| c.ingress_drops += 1);
                    // A drop by a port's queue management counts as offered to the port, like a drop by its queue.
                    if let Some(port) = bound_for {
                        out.sink.offered(port, &packet, now);
                    }
                    out.sink.beside(bound_for).dropped(packet, reason, now);
                }
                (None, Fate::Consume { queued_at }) => {
                    self.count(queued_at, |c| c.clones_consumed += 1);
                    out.sink.beside(queued_at).dropped(packet, DropReason::CloneConsumed, now);
                }
            };
        }
        self.total.ingress_drops += 1;
        self.discard(packet, DropReason::ResubmitLimit, None, now, out);
    }

    /// Enqueues a replica for each member of `group`.
    fn multicast(&mut self, mut packet: Packet, group: u16, now: Time, out: &mut SwitchOutcomes<'_>) {
        // The members are moved out during the loop and put back afterwards, which avoids an allocation.
        let Some(members) = self.groups.get_mut(&group).map(std::mem::take) else {
            self.total.ingress_drops += 1;
            return self.discard(packet, DropReason::NoRoute, None, now, out);
        };
        let (last, others) = members.split_last().expect("a group without members is not kept");
        for member in others {
            let mut copy = packet.clone();
            self.program.replicated(&mut copy, *member, false);
            self.total.replicas += 1;
            let class = copy.meta.class;
            self.enqueue(copy, member.port, class, now, out);
        }
        // The last member gets the original packet with its per-packet state, so nothing is left to release.
        self.program.replicated(&mut packet, *last, true);
        let class = packet.meta.class;
        self.enqueue(packet, last.port, class, now, out);
        self.groups.insert(group, members);
    }

    /// Enqueues a packet at the traffic manager; drops it if the port does not exist.
    #[inline]
    fn enqueue(
        &mut self,
        mut packet: Packet,
        port: Port,
        class: u8,
        now: Time,
        out: &mut SwitchOutcomes<'_>,
    ) {
        if !self.manager.has(port) {
            self.total.ingress_drops += 1;
            return self.discard(packet, DropReason::NoRoute, None, now, out);
        }
        // Compared first: an unnecessary narrow store just before the packet moves would stall the move.
        if packet.meta.class != class {
            packet.meta.class = class;
        }
        out.sink.offered(port, &packet, now);
        out.sink.enqueued(port, &packet, now);
        self.program.queued(port, now);
        let mut watched = Watched::queue(&mut self.program, port, out);
        self.manager.enqueue(port, packet, now, &mut watched);
        if self.service.is_some() {
            return self.queue_changed(port);
        }
        out.pending.push(port);
    }

    /// Sends a clone to its destination. `from` is the port at whose egress it was made; `None` at ingress.
    fn mirror(
        &mut self,
        mut copy: Packet,
        mirror: Mirror,
        from: Option<Port>,
        now: Time,
        out: &mut SwitchOutcomes<'_>,
    ) {
        copy.meta.tag = mirror.tag;
        self.count(from, |c| c.clones += 1);
        match mirror.to {
            MirrorTo::Queue { port, class } => self.enqueue(copy, port, class, now, out),
            MirrorTo::Group { group, class } => {
                copy.meta.class = class;
                self.multicast(copy, group, now, out);
            }
            MirrorTo::Recirculation { delay } => self.recirculate(copy, delay, from, None, now, out),
        }
    }

    /// Hands a packet to the recirculation port. `from` is the port whose counters it adds to; `charged` is the port to which
    /// a drop is attributed if the recirculation port is full.
    fn recirculate(
        &mut self,
        packet: Packet,
        delay: Option<Duration>,
        from: Option<Port>,
        charged: Option<Port>,
        now: Time,
        out: &mut SwitchOutcomes<'_>,
    ) {
        let length = packet.meta.length;
        if self.service.is_some() && delay.is_none() {
            if self.return_to_ingress(packet, charged, now, out) {
                self.count(from, |c| {
                    c.recirculations += 1;
                    c.recirculated_bytes += u64::from(length);
                });
            }
            return;
        }
        match self.recirculation.push(packet, delay, now) {
            Ok(()) => self.count(from, |c| {
                c.recirculations += 1;
                c.recirculated_bytes += u64::from(length);
            }),
            Err(packet) => self.discard(packet, DropReason::RecirculationFull, charged, now, out),
        }
    }

    fn digest(&mut self, receiver: u32, port: Option<Port>, now: Time) {
        self.count(port, |c| c.digests += 1);
        self.program.digested(receiver, now);
    }

    /// Drops a packet for a reason other than the program's decision; the program releases its per-packet state.
    #[cold]
    fn discard(
        &mut self,
        packet: Packet,
        reason: DropReason,
        at: Option<Port>,
        now: Time,
        out: &mut SwitchOutcomes<'_>,
    ) {
        Watched { program: &mut self.program, queue: None, inner: out.sink.beside(at) }
            .dropped(packet, reason, now);
    }

    /// Changes the total counters and those of `port`, if any.
    #[inline]
    fn count(&mut self, port: Option<Port>, change: impl Fn(&mut SwitchCounters)) {
        change(&mut self.total);
        if let Some(counters) = port.and_then(|port| self.ports.get_mut(usize::from(port.0))) {
            change(counters);
        }
    }
}

impl<P: Program> Switch for Pipeline<P> {
    fn handle_packet(&mut self, from: Port, mut packet: Packet, now: Time, out: &mut SwitchOutcomes<'_>) {
        // Written only on a difference: a narrow store just before the packet moves would stall the move.
        let meta = &mut packet.meta;
        let fresh = (meta.ingress_port, meta.instance, meta.class, meta.tag);
        if fresh != (from.0, Instance::Normal, 0, 0) {
            (meta.ingress_port, meta.instance, meta.class, meta.tag) = (from.0, Instance::Normal, 0, 0);
        }
        self.count(Some(from), |c| c.received += 1);
        if self.service.is_some() {
            return self.capture(from, packet, now, out);
        }
        if self.ingress_delay > Duration::ZERO {
            return self.arriving.push_back((now.saturating_add(self.ingress_delay), packet));
        }
        self.ingress(packet, Instance::Normal, now, out);
    }

    fn passage(&self, from: Port, packet: &Packet) -> Option<(Port, u8)> {
        if self.ingress_delay > Duration::ZERO || self.service.is_some() {
            return None;
        }
        self.program.passage(from, packet).filter(|(to, _)| self.manager.lets_through(*to, packet))
    }

    fn passed(&mut self, from: Port, to: Port, length: u16) {
        self.count(Some(from), |c| c.received += 1);
        self.count(Some(to), |c| {
            c.transmitted += 1;
            c.transmitted_bytes += u64::from(length);
        });
    }

    fn poll_transmit(&mut self, to: Port, now: Time, out: &mut SwitchOutcomes<'_>) -> Option<Departure> {
        if self.service.is_some() {
            return self.departure(to, now, out);
        }
        // Packets dropped at egress use no link time, so the loop continues with the next one. But clones of dropped packets
        // can refill the queue as fast as it drains. After one pass over the backlog, the port therefore counts as busy.
        let mut drops_left = None;
        loop {
            let mut watched = Watched::queue(&mut self.program, to, out);
            let Some(mut packet) = self.manager.dequeue(to, now, &mut watched) else {
                self.program.found_empty(to, now);
                return None;
            };
            out.sink.dequeued(to, &packet, now);
            let queue = self.manager.reading(to, &packet, self.ingress_delay, now);
            let mut actions = Actions::at_egress(to, queue.class);
            self.program.egress(&mut packet, to, &queue, now, &mut actions);
            self.mirror_at_egress(&packet, actions.clone, to, now, out);
            if let Some(receiver) = actions.digest {
                self.digest(receiver, Some(to), now);
            }
            let length = packet.meta.length;
            match actions.fate {
                Fate::Drop { reason, .. } => {
                    self.count(Some(to), |c| c.egress_drops += 1);
                    out.sink.beside(Some(to)).dropped(packet, reason, now);
                }
                Fate::Consume { .. } => {
                    self.count(Some(to), |c| c.clones_consumed += 1);
                    out.sink.beside(Some(to)).dropped(packet, DropReason::CloneConsumed, now);
                }
                Fate::Send { .. } => {
                    if let Some(loopback) = actions.recirculate {
                        packet.meta.tag = loopback.tag;
                        self.recirculate(packet, loopback.delay, Some(to), Some(to), now, out);
                        return Some(Departure::Service(length));
                    }
                    self.count(Some(to), |c| {
                        c.transmitted += 1;
                        c.transmitted_bytes += u64::from(length);
                    });
                    return Some(Departure::Transmit(packet));
                }
            }
            // The clone that this packet has just added to the queue is not part of that backlog.
            let own_clone =
                matches!(actions.clone, Some(Mirror { to: MirrorTo::Queue { port, .. }, .. }) if port == to);
            let left = drops_left
                .get_or_insert_with(|| self.manager.backlog(to).packets.saturating_sub(u64::from(own_clone)));
            if *left == 0 && self.manager.backlog(to).packets > 0 {
                return Some(Departure::Service(length));
            }
            *left = left.saturating_sub(1);
        }
    }

    fn handle_wakeup(&mut self, now: Time, out: &mut SwitchOutcomes<'_>) {
        if self.service.is_some() {
            return self.wake_service(now, out);
        }
        // Order of simultaneous events: arrivals, recirculated packets, timers of the disciplines.
        while self.arriving.front().is_some_and(|(due, _)| *due <= now) {
            let (_, packet) = self.arriving.pop_front().expect("the queue has a front");
            self.ingress(packet, Instance::Normal, now, out);
        }
        while let Some(mut packet) = self.recirculation.pop_due(now) {
            packet.meta.instance = Instance::Recirculated;
            self.ingress(packet, Instance::Recirculated, now, out);
        }
        let mut from = 0;
        while let Some(port) = self.manager.due(from, now) {
            let mut watched = Watched::queue(&mut self.program, port, out);
            self.manager.handle_wakeup(port, now, &mut watched);
            out.pending.push(port);
            let Some(next) = port.0.checked_add(1) else { break };
            from = next;
        }
    }

    #[inline]
    fn next_wakeup(&self) -> Option<Time> {
        let earlier = |a: Option<Time>, b: Option<Time>| match (a, b) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        let inside = earlier(self.recirculation.next_due(), self.manager.next_wakeup());
        if let Some(service) = &self.service {
            return earlier(inside, service.next_wakeup());
        }
        if self.arriving.is_empty() { inside } else { earlier(inside, Some(self.arriving[0].0)) }
    }

    fn capacity_changed(&mut self, to: Port, rate: Rate, now: Time) {
        self.manager.capacity_changed(to, rate, now);
    }

    fn reconfigure(&mut self, to: Port, change: &QueueChange) -> bool {
        self.manager.reconfigure(Some(to), change)
    }

    fn settings(&self, to: Port) -> Vec<QueueSetting> {
        self.manager.settings(to)
    }

    fn replace(
        &mut self,
        to: Port,
        discipline: Box<dyn QueueDiscipline>,
        hooks: Option<Box<dyn PortHooks>>,
        now: Time,
        out: &mut SwitchOutcomes<'_>,
    ) -> bool {
        if !self.manager.has(to) || !self.program.replace_hooks(to, hooks) {
            return false;
        }
        let mut watched = Watched::queue(&mut self.program, to, out);
        self.manager.replace(to, discipline, now, &mut watched);
        self.queue_changed(to);
        out.pending.push(to);
        true
    }

    fn writes_at_egress(&self) -> bool {
        self.program.writes_at_egress()
    }

    fn wants_idle_polls(&self, to: Port) -> bool {
        // With a service model, the egress workers make these polls.
        self.service.is_none() && (self.manager.wants_idle_polls(to) || self.program.wants_idle_polls(to))
    }

    fn has_departure(&self, to: Port) -> bool {
        match &self.service {
            None => self.manager.backlog(to).packets > 0,
            Some(service) => service.ports.get(usize::from(to.0)).is_some_and(|port| !port.device.is_empty()),
        }
    }

    fn backlog(&self, port: Port) -> Backlog {
        self.manager.backlog(port)
    }

    fn gauges(&self, port: Port, now: Time, out: &mut dyn Gauges) {
        self.manager.gauges(port, now, out);
        self.program.gauges(port, now, out);
        if let Some(service) = &self.service {
            service.gauges(port, out);
        }
    }

    fn processors(&self) -> u32 {
        self.service.as_ref().map_or(0, |service| service.cpus())
    }

    fn thread_times(&self, now: Time, out: &mut Vec<ThreadTime>) {
        if let Some(service) = &self.service {
            service.thread_times(now, out);
        }
    }

    fn counters(&self) -> SwitchCounters {
        let input_drops = self.service.as_ref().map_or(0, |service| service.input_drops);
        SwitchCounters { input_drops, ..self.total }
    }

    fn port_counters(&self, port: Port) -> SwitchCounters {
        self.ports.get(usize::from(port.0)).copied().unwrap_or_default()
    }
}

/// Forwards drops and marks, and reports drops of tagged packets to the program, which releases their state.
struct Watched<'a, P> {
    program: &'a mut P,
    /// The port whose queue is called; `None` for the pipeline itself.
    queue: Option<Port>,
    inner: &'a mut dyn Outcomes,
}

impl<'a, P> Watched<'a, P> {
    #[inline]
    fn queue(program: &'a mut P, port: Port, out: &'a mut SwitchOutcomes<'_>) -> Watched<'a, P> {
        Watched { program, queue: Some(port), inner: out.sink.at(Some(port)) }
    }
}

impl<P: Program> Outcomes for Watched<'_, P> {
    fn dropped(&mut self, packet: Packet, reason: DropReason, now: Time) {
        if packet.meta.tag != 0 {
            self.program.discarded(&packet, self.queue);
        }
        self.inner.dropped(packet, reason, now);
    }
    fn marked(&mut self, packet: &Packet, reason: MarkReason, now: Time) {
        self.inner.marked(packet, reason, now);
    }
}

#[cfg(test)]
mod software_tests;
#[cfg(test)]
mod tests;

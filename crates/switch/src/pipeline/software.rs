//! The pipeline with a service model: passes that take CPU time.

use jettison_core::{DropReason, Time};
use jettison_wire::{Instance, Packet};

use super::{Pipeline, Watched};
use crate::service::{Outgoing, Pass, Role, Service};
use crate::{Actions, Departure, Fate, Mirror, Port, Program, SwitchOutcomes};

impl<P: Program> Pipeline<P> {
    /// Gives the passes CPU times. The port's queues become the egress buffers; the recirculation port is not used, except by
    /// packets with a delay of their own.
    pub fn with_service(mut self, mut service: Service) -> Self {
        service.set_ports(self.manager.port_count());
        self.service = Some(Box::new(service));
        self
    }

    /// Takes a packet from a link into the capture buffer.
    pub(super) fn capture(
        &mut self,
        from: Port,
        mut packet: Packet,
        now: Time,
        out: &mut SwitchOutcomes<'_>,
    ) {
        let Some(service) = &mut self.service else { return };
        let room = service.settings.capture_buffer.0;
        match service.captured.get_mut(usize::from(from.0)) {
            Some(buffer) if (buffer.len() as u64) < room => {
                // Until a discipline sets it, this field holds the time of arrival.
                packet.meta.enqueued_at = now;
                buffer.push_back(packet);
                service.waiting_capture += 1;
            }
            _ => {
                service.input_drops += 1;
                self.discard(packet, DropReason::InputFull, None, now, out);
            }
        }
        self.work(now, out);
    }

    /// Takes the next packet for the link of a port.
    pub(super) fn departure(
        &mut self,
        to: Port,
        now: Time,
        out: &mut SwitchOutcomes<'_>,
    ) -> Option<Departure> {
        let service = self.service.as_mut()?;
        let Outgoing { sojourn, mut packet, .. } =
            service.ports.get_mut(usize::from(to.0))?.device.pop_front()?;
        // The wait in the queue ends with the egress pass; callers derive it from this field.
        packet.meta.enqueued_at = Time::ZERO.saturating_add(now.since(Time::ZERO).saturating_sub(sojourn));
        let length = u64::from(packet.meta.length);
        self.count(Some(to), |c| {
            c.transmitted += 1;
            c.transmitted_bytes += length;
        });
        self.work(now, out);
        Some(Departure::Transmit(packet))
    }

    /// Ends the passes that are due, and begins others while there are free processors and ready threads.
    pub(super) fn work(&mut self, now: Time, out: &mut SwitchOutcomes<'_>) {
        loop {
            while let Some(thread) = self.service.as_mut().and_then(|service| service.take_ended(now)) {
                self.end(thread, now, out);
            }
            let Some(service) = &mut self.service else { return };
            let Some(place) = service.choose(&self.manager) else { return };
            self.begin(place, now, out);
        }
    }

    /// Begins a pass of a ready thread.
    fn begin(&mut self, place: (usize, usize), now: Time, out: &mut SwitchOutcomes<'_>) {
        let Some(service) = &mut self.service else { return };
        match service.role(place.1) {
            Role::Receive => {
                if let Some(packet) = service.take_captured() {
                    let cost = service.copy(service.settings.receive, packet.meta.length);
                    service.begin(place, Pass::Receive(packet), cost, now);
                }
            }
            Role::Ingress => {
                let packet = service.recirculated.pop_front().or_else(|| service.input.pop_front());
                if let Some(packet) = packet {
                    let cost = service.settings.ingress;
                    service.begin(place, Pass::Ingress(packet), cost, now);
                }
            }
            Role::Egress(worker) => self.begin_egress(worker, place, now, out),
            Role::Transmit => {
                if let Some(outgoing) = service.output.pop_front() {
                    let cost = service.copy(service.settings.transmit, outgoing.packet.meta.length);
                    service.begin(place, Pass::Transmit(outgoing), cost, now);
                    service.admit_held();
                }
            }
        }
    }

    /// Takes a packet from the queue of one of a worker's ports and runs egress. The packet's effects follow when the time of
    /// the pass, which depends on them, is over.
    fn begin_egress(
        &mut self,
        worker: usize,
        place: (usize, usize),
        now: Time,
        out: &mut SwitchOutcomes<'_>,
    ) {
        let Some(service) = &mut self.service else { return };
        let Some(number) = service.next_of(worker, &self.manager) else { return };
        let port = Port(number as u16);
        service.ports[number].idle_poll = false;
        if service.holds_back(number, now) {
            return;
        }
        let mut watched = Watched::queue(&mut self.program, port, out);
        let Some(mut packet) = self.manager.dequeue(port, now, &mut watched) else {
            // Nothing is due before the discipline's wakeup or the next arrival.
            service.ports[number].refused = true;
            self.program.found_empty(port, now);
            return;
        };
        out.sink.dequeued(port, &packet, now);
        service.departed(number, packet.meta.enqueued_at);
        service.ports[number].idle_poll =
            self.manager.wants_idle_polls(port) || self.program.wants_idle_polls(port);
        let queue = self.manager.reading(port, &packet, service.before_queue, now);
        let mut actions = Actions::at_egress(port, queue.class);
        self.program.egress(&mut packet, port, &queue, now, &mut actions);
        let length = packet.meta.length;
        let mut cost = service.settings.egress;
        if actions.clone.is_some() {
            cost = cost.saturating_add(service.copy(service.settings.clone, length));
        }
        if actions.recirculate.is_some() && matches!(actions.fate, Fate::Send { .. }) {
            cost = cost.saturating_add(service.copy(service.settings.recirculation, length));
        }
        let outgoing = Outgoing { port, sojourn: queue.sojourn, packet };
        service.begin(place, Pass::Egress { outgoing, actions }, cost, now);
    }

    /// Ends a pass: its effects take place.
    fn end(&mut self, thread: usize, now: Time, out: &mut SwitchOutcomes<'_>) {
        let Some(service) = &mut self.service else { return };
        match service.passes[thread].take() {
            None | Some(Pass::Rest) => {}
            Some(Pass::Receive(packet)) => service.input.push_back(packet),
            Some(Pass::Transmit(outgoing)) => {
                out.pending.push(outgoing.port);
                service.ports[usize::from(outgoing.port.0)].device.push_back(outgoing);
            }
            Some(Pass::Egress { outgoing, actions }) => self.end_egress(thread, outgoing, actions, now, out),
            Some(Pass::Ingress(packet)) => {
                if packet.meta.instance == Instance::Normal {
                    service.before_queue = now.since(packet.meta.enqueued_at);
                    self.program.arrived(packet.meta.enqueued_at);
                }
                let (why, length) = (packet.meta.instance, packet.meta.length);
                let before = (self.total.clones, self.total.resubmissions);
                self.ingress(packet, why, now, out);
                let clones = self.total.clones - before.0;
                let resubmissions = self.total.resubmissions - before.1;
                // What ingress did beyond one pass is paid for afterwards.
                if let Some(service) = self.service.as_mut().filter(|_| clones + resubmissions > 0) {
                    let each = service.copy(service.settings.clone, length);
                    let again = service.settings.ingress.saturating_mul(resubmissions);
                    service.go_on(thread, each.saturating_mul(clones).saturating_add(again), now);
                }
            }
        }
    }

    fn end_egress(
        &mut self,
        thread: usize,
        outgoing: Outgoing,
        actions: Actions,
        now: Time,
        out: &mut SwitchOutcomes<'_>,
    ) {
        let Outgoing { port, sojourn, mut packet } = outgoing;
        self.mirror_at_egress(&packet, actions.clone, port, now, out);
        if let Some(receiver) = actions.digest {
            self.digest(receiver, Some(port), now);
        }
        match actions.fate {
            Fate::Drop { reason, .. } => {
                self.count(Some(port), |c| c.egress_drops += 1);
                out.sink.beside(Some(port)).dropped(packet, reason, now);
            }
            Fate::Consume { .. } => {
                self.count(Some(port), |c| c.clones_consumed += 1);
                out.sink.beside(Some(port)).dropped(packet, DropReason::CloneConsumed, now);
            }
            Fate::Send { .. } => {
                if let Some(loopback) = actions.recirculate {
                    packet.meta.tag = loopback.tag;
                    return self.recirculate(packet, loopback.delay, Some(port), Some(port), now, out);
                }
                let Some(service) = &mut self.service else { return };
                service.send(thread, Outgoing { port, sojourn, packet });
            }
        }
    }

    /// Makes an egress clone, if one is asked for.
    pub(super) fn mirror_at_egress(
        &mut self,
        packet: &Packet,
        mirror: Option<Mirror>,
        from: Port,
        now: Time,
        out: &mut SwitchOutcomes<'_>,
    ) {
        if let Some(mirror) = mirror {
            let mut copy = packet.clone();
            copy.meta.instance = Instance::EgressClone;
            self.mirror(copy, mirror, Some(from), now, out);
        }
    }

    /// Handles what is due at `now`.
    pub(super) fn wake_service(&mut self, now: Time, out: &mut SwitchOutcomes<'_>) {
        while let Some(packet) = self.recirculation.pop_due(now) {
            self.return_to_ingress(packet, None, now, out);
        }
        let mut from = 0;
        while let Some(port) = self.manager.due(from, now) {
            let mut watched = Watched::queue(&mut self.program, port, out);
            self.manager.handle_wakeup(port, now, &mut watched);
            self.queue_changed(port);
            let Some(next) = port.0.checked_add(1) else { break };
            from = next;
        }
        if let Some(service) = &mut self.service {
            service.release_due(now);
        }
        self.work(now, out);
    }

    /// Lets the workers look at a queue again that gave them nothing.
    #[inline]
    pub(super) fn queue_changed(&mut self, port: Port) {
        if let Some(service) = &mut self.service
            && let Some(port) = service.ports.get_mut(usize::from(port.0))
        {
            port.refused = port.refused_until.is_some();
        }
    }

    /// Puts a recirculated packet before ingress. Returns whether there was room; otherwise the packet is dropped, as one of
    /// port `charged`.
    pub(super) fn return_to_ingress(
        &mut self,
        mut packet: Packet,
        charged: Option<Port>,
        now: Time,
        out: &mut SwitchOutcomes<'_>,
    ) -> bool {
        let Some(service) = &mut self.service else { return false };
        let has_room = (service.recirculated.len() as u64) < service.settings.recirculation_buffer.0;
        if has_room {
            packet.meta.instance = Instance::Recirculated;
            service.recirculated.push_back(packet);
        } else {
            self.discard(packet, DropReason::RecirculationFull, charged, now, out);
        }
        has_room
    }
}

impl Service {
    /// The next packet for the receive thread: the ports take turns.
    fn take_captured(&mut self) -> Option<Packet> {
        let ports = self.captured.len();
        let order = (self.next_capture..ports).chain(0..self.next_capture.min(ports));
        let port = order.into_iter().find(|port| !self.captured[*port].is_empty())?;
        self.next_capture = port + 1;
        self.waiting_capture -= 1;
        self.captured[port].pop_front()
    }

    /// Puts a packet of an egress worker into the output buffer; without room, the worker holds it and waits.
    fn send(&mut self, thread: usize, outgoing: Outgoing) {
        match self.role(thread) {
            Role::Egress(worker) if self.output.len() as u64 >= self.settings.output_buffer.0 => {
                self.held[worker] = Some(outgoing);
                self.blocked.push_back(worker);
            }
            _ => self.output.push_back(outgoing),
        }
    }

    /// Lets a waiting worker put its packet into the output buffer.
    fn admit_held(&mut self) {
        if let Some(worker) = self.blocked.pop_front()
            && let Some(outgoing) = self.held[worker].take()
        {
            self.output.push_back(outgoing);
        }
    }
}

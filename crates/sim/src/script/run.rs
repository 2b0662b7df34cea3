//! Scripts at work: what the world tells them, and what they make of it.

use jettison_core::{DropReason, Duration, MarkReason, Time};
use jettison_measure::{Content, NoOutcomes, Place, Recorder};
use jettison_queue::drain;
use jettison_switch::{Departure, Port, SwitchOutcomes};
use jettison_wire::{Instance, Packet};

use super::port::Leave;
use super::{Decided, Intervention, Replaced, Replacement, Rule, Script};
use crate::direction::End;
use crate::sink::Sink;
use crate::transmit::take;
use crate::way::arrives_at;
use crate::world::{Node, World};

/// Whether a script can revert drops for a reason: those of queues and links. A node that has no route for a packet does not
/// decide.
pub fn can_revert(reason: DropReason) -> bool {
    let is_of_node = matches!(reason.owner(), "node" | "switch" | "script");
    reason.is_loss() && !is_of_node && reason != DropReason::Corrupted
}

/// A clone is no packet of a flow, and the script leaves it alone.
fn is_clone(packet: &Packet) -> bool {
    matches!(packet.meta.instance, Instance::IngressClone | Instance::EgressClone)
}

/// Takes what a free transmitter sends next at a port with a script.
pub(crate) fn take_scripted(
    script: &mut Script,
    queue: u32,
    (node, port): (&mut Node, u16),
    recorder: &mut Recorder,
    pending: &mut Vec<Port>,
    now: Time,
) -> Option<Departure> {
    loop {
        let is_empty = node.backlog(port).packets == 0;
        if let Some(next) = script.port_mut(queue)?.pop(is_empty) {
            return Some(next);
        }
        script.asked = Some(queue);
        let taken = take(node, port, recorder, Some(script), pending, now);
        script.asked = None;
        let is_empty = node.backlog(port).packets == 0;
        let own = script.port_mut(queue)?;
        match taken {
            // What was kept during the call would have been sent.
            None => return own.pop(is_empty),
            Some(Departure::Service(length)) => own.occupy(length),
            Some(Departure::Transmit(packet)) if is_clone(&packet) => own.send(0, packet),
            Some(Departure::Transmit(mut packet)) => match own.leave(&mut packet) {
                Leave::Sent(order) => own.send(order, packet),
                Leave::Marked(order) => {
                    recorder.packet_marked(Place::Queue(queue), &packet, MarkReason::Scripted, now);
                    own.send(order, packet);
                    script.effects.marked += 1;
                }
                Leave::Dropped => {
                    script.effects.dropped += 1;
                    recorder.packet_dropped(Place::Beside(queue), &packet, DropReason::Scripted, now);
                }
                Leave::Ghost => {}
            },
        }
    }
}

impl Script {
    /// Takes note of a packet that is offered to a queue.
    #[inline]
    pub(crate) fn offered(&mut self, queue: u32, packet: &Packet, now: Time) {
        if is_clone(packet) {
            return;
        }
        let Some(port) = self.port_mut(queue) else { return };
        if port.join(packet, now) {
            self.effects.bypassed += 1;
            self.touched.push(queue);
        }
    }

    /// Decides about a drop, number `decision` of the run. Returns whether it is reverted; the packet then goes to
    /// [`Script::keep`].
    pub(crate) fn dropped(
        &mut self,
        queue: u32,
        packet: &Packet,
        reason: DropReason,
        now: Time,
        decision: u64,
    ) -> bool {
        let id = packet.meta.id;
        let Some(port) = self.port(queue).filter(|_| !is_clone(packet)) else { return false };
        if port.is_ghost(id) {
            return true;
        }
        if can_revert(reason) && self.reverts_drop(queue, packet, reason, now, decision) {
            self.note(decision, Decided::Drop(reason), queue, packet, now);
            return true;
        }
        if let Some(port) = self.port_mut(queue) {
            port.line.leave(id);
            port.forget(id);
            // Another packet may be the first in line now.
            self.touched.push(queue);
        }
        false
    }

    /// Puts a packet aside whose drop is reverted.
    pub(crate) fn keep(&mut self, queue: u32, packet: Packet, now: Time) {
        let was_asked = self.asked == Some(queue);
        let Some(port) = self.port_mut(queue) else { return };
        let waiting = port.line.leave(packet.meta.id);
        // The packet itself has gone past the queue.
        if port.was_ghost(packet.meta.id) {
            return;
        }
        // A packet that was refused has no stamp of this queue.
        let refused = waiting.is_some_and(|waiting| waiting.since == now && port.line.is_last(waiting.order));
        let was_next = was_asked && !port.takes_early;
        port.keep(packet, waiting, refused.then_some(now), was_next);
        self.effects.kept += 1;
        self.touched.push(queue);
    }

    /// Decides about a mark, number `decision` of the run. Returns whether it is reverted.
    pub(crate) fn marked(
        &mut self,
        queue: u32,
        packet: &Packet,
        reason: MarkReason,
        now: Time,
        decision: u64,
    ) -> bool {
        let id = packet.meta.id;
        if is_clone(packet) || self.port(queue).is_none() {
            return false;
        }
        let reverts = self.unmarks.contains(&(queue, id))
            || self.reverts(queue, packet, now, decision, |rule| rule.marks.contains(&reason));
        let Some(port) = self.port_mut(queue) else { return false };
        if port.is_ghost(id) {
            return true;
        }
        if reverts {
            port.unmark(packet, reason);
            self.effects.unmarked += 1;
            self.note(decision, Decided::Mark(reason), queue, packet, now);
        } else {
            // This mark stands, whatever became of an earlier one.
            port.unmarked.remove(&id);
        }
        reverts
    }

    /// Whether a script drops a packet before it reaches one of these queues; the queue.
    #[inline]
    pub(crate) fn drops_on_arrival(&mut self, packet: &Packet, queues: &[u32]) -> Option<u32> {
        let queue = *self.arrivals.get(&packet.meta.id).filter(|queue| queues.contains(queue))?;
        self.arrivals.remove(&packet.meta.id);
        self.effects.dropped += 1;
        Some(queue)
    }

    /// Whether a link's loss, number `decision` of the run, is reverted.
    pub(crate) fn reverts_loss(
        &mut self,
        queue: u32,
        packet: &Packet,
        reason: DropReason,
        now: Time,
        decision: u64,
    ) -> bool {
        let reverts = self.reverts_drop(queue, packet, reason, now, decision);
        if reverts {
            self.effects.kept += 1;
            self.note(decision, Decided::Drop(reason), queue, packet, now);
        }
        reverts
    }

    /// Whether packets at a queue have to go through it one by one, past no queue.
    #[inline]
    pub(crate) fn acts_at(&self, queue: u32) -> bool {
        self.port(queue).is_some()
    }

    /// Whether a packet of the script can go next at a queue, which may be empty.
    pub(crate) fn has_next(&self, queue: u32, is_empty: bool) -> bool {
        self.port(queue).is_some_and(|port| port.has_next(is_empty))
    }

    /// Packets and bytes that wait at a queue outside its discipline.
    pub(crate) fn backlog(&self, queue: u32) -> (u64, u64) {
        self.port(queue).map_or((0, 0), |port| port.backlog())
    }

    fn reverts_drop(
        &mut self,
        queue: u32,
        packet: &Packet,
        reason: DropReason,
        now: Time,
        decision: u64,
    ) -> bool {
        if let Some(place) = self.keeps.iter().position(|keep| *keep == (queue, packet.meta.id)) {
            self.keeps.swap_remove(place);
            return true;
        }
        self.reverts(queue, packet, now, decision, |rule| rule.drops.contains(&reason))
    }

    /// Whether a decision is reverted by its number, by its flow, or by a rule that names its reason.
    fn reverts(
        &self,
        queue: u32,
        packet: &Packet,
        now: Time,
        decision: u64,
        names: impl Fn(&Rule) -> bool,
    ) -> bool {
        let flow = packet.meta.flow;
        self.flips.contains(&decision)
            || self.spares.iter().any(|(at, of, window)| *at == queue && *of == flow && window.contains(now))
            || self.rules.iter().any(|rule| {
                rule.queue.is_none_or(|at| at == queue) && rule.window.contains(now) && names(rule)
            })
    }
}

impl World {
    /// Sets a script. Set at the start, it knows all packets that wait; set later, not those that wait already.
    pub fn set_script(&mut self, script: Script) {
        self.script = Some(Box::new(script));
        self.attach_script();
    }

    /// Adds an intervention to the script of the world, which gets one if it has none.
    pub fn intervene(&mut self, intervention: Intervention) {
        self.script.get_or_insert_default().add(intervention);
        self.attach_script();
    }

    /// The script of the world.
    pub fn script(&self) -> Option<&Script> {
        self.script.as_deref()
    }

    /// The script of the world, to be changed.
    pub fn script_mut(&mut self) -> Option<&mut Script> {
        self.script.as_deref_mut()
    }

    /// Takes the script away. Packets that it holds are gone, so it is to be one that has only watched.
    pub fn take_script(&mut self) -> Option<Script> {
        self.script.take().map(|script| *script)
    }

    /// The recorder's queue of that name.
    pub fn queue_named(&self, name: &str) -> Option<u32> {
        self.directions.iter().find(|direction| direction.name == name).map(|direction| direction.queue)
    }

    /// The number of the next decision: drops and marks so far.
    pub fn decisions(&self) -> u64 {
        self.recorder.decisions()
    }

    /// What a datagram in flight carries, or a TCP segment that was sent again, if the run records it.
    pub fn content(&self, packet: u32) -> Option<Content> {
        self.recorder.content_of(packet)
    }

    /// Lets the script see the queues that it concerns.
    fn attach_script(&mut self) {
        let Some(mut script) = self.script.take() else { return };
        for direction in &self.directions {
            let queue = direction.queue;
            let is_new = script.port(queue).is_none_or(|port| !port.is_attached);
            if !is_new || !(script.concerns(queue) || script.port(queue).is_some()) {
                continue;
            }
            let waiting = self.backlog_before(direction).packets;
            let port = script.port_of(queue);
            port.is_attached = true;
            port.line.unknown = waiting;
            if let Node::Router(router) = &self.nodes[direction.from.node] {
                port.hops = u8::from(router.switch.writes_at_egress());
                port.takes_early = router.switch.processors() > 0;
            }
        }
        self.script = Some(script);
    }

    /// Serves the ports at which the script has put a packet aside, or where another has become the first.
    #[cold]
    pub(crate) fn serve_touched(&mut self, now: Time) {
        while let Some(queue) = self.script.as_mut().and_then(|script| script.touched.pop()) {
            self.carry_past(queue, now);
            let is_empty = self.backlog_before(&self.directions[queue as usize]).packets == 0;
            if self.script.as_ref().is_some_and(|script| script.has_next(queue, is_empty)) {
                self.serve(queue as usize, now);
                let node = self.directions[queue as usize].from.node;
                self.after_router(node, now);
            }
        }
    }

    /// Sends the packets that need neither queue nor link. They overtake what the link is still sending.
    fn carry_past(&mut self, queue: u32, now: Time) {
        let at = queue as usize;
        while let Some(packet) = self.script.as_mut().and_then(|script| script.port_mut(queue)?.pop_carried())
        {
            let direction = &mut self.directions[at];
            self.recorder
                .queue(queue)
                .departed(Duration::ZERO, u32::from(packet.meta.length) + direction.overhead);
            if let Some(provenance) = self.recorder.provenance() {
                provenance.left(queue, &packet, now, now, now);
            }
            if direction.tapped
                && let Some(tap) = &mut self.tap
            {
                tap.transmitted(&direction.name, &packet, now);
            }
            if direction.way.is_some() {
                if let Some(next) =
                    direction.carry(packet, None, now, now, &mut self.recorder, &mut self.script)
                {
                    self.agenda.set(self.slots.arrivals + at, next);
                }
                continue;
            }
            let arrives = now.saturating_add(direction.propagation.delay(now));
            let place = direction.in_flight.partition_point(|(other, _)| *other <= arrives);
            if place == 0 {
                self.agenda.set(self.slots.arrivals + at, arrives);
            }
            let mut packet = packet;
            arrives_at(&mut packet, direction.to.port, None, now);
            direction.in_flight.insert(place, (arrives, packet));
        }
    }

    /// Exchanges the disciplines that are due, and ends a script that has nothing left to do.
    #[cold]
    pub(crate) fn tend_script(&mut self, now: Time) {
        loop {
            let due = self.script.as_mut().and_then(|script| {
                let is_due = script.replacements.first().is_some_and(|(at, ..)| *at <= now);
                is_due.then(|| script.replacements.remove(0))
            });
            let Some((_, queue, discipline)) = due else { break };
            self.replace(queue as usize, &discipline, now);
        }
        let next = self.recorder.decisions();
        if let Some(script) = &mut self.script
            && script.is_done(next, now)
        {
            script.ports.clear();
        }
    }

    /// Exchanges the discipline of a direction's queue.
    fn replace(&mut self, at: usize, replacement: &Replacement, now: Time) {
        let Replaced { mut discipline, hooks } = replacement.make();
        let direction = &mut self.directions[at];
        let (queue, End { node, port }) = (direction.queue, direction.from);
        discipline.capacity_changed(direction.carrier.model().rate(now), now);
        if let Some(cellular) = &mut direction.cellular {
            cellular.plane.restart_numbers();
        }
        // As if it had been idle since the start.
        while let Some(at) = discipline.next_wakeup().filter(|at| *at <= now) {
            discipline.handle_wakeup(at, &mut NoOutcomes);
        }
        let mut script = self.script.take();
        if let Some(port) = script.as_mut().and_then(|script| script.port_mut(queue)) {
            port.line.move_all();
        }
        let replaced = match &mut self.nodes[node] {
            Node::Host(host) => {
                host.queues_keep_time |= discipline.uses_wakeups();
                let place = usize::from(port);
                let mut old = std::mem::replace(&mut host.ports[place], discipline);
                let (recorder, queues) = (&mut self.recorder, &host.queues);
                let mut sink =
                    Sink { recorder, queues, at: Place::Queue(queue), script: script.as_deref_mut() };
                for packet in drain(old.as_mut(), now) {
                    host.ports[place].enqueue(packet, now, &mut sink);
                }
                direction.wants_idle_polls = host.ports[place].wants_idle_polls();
                hooks.is_none()
            }
            Node::Router(router) => {
                let (recorder, queues) = (&mut self.recorder, &router.queues);
                let at = Place::Node;
                let mut sink = Sink { recorder, queues, at, script: script.as_deref_mut() };
                let mut out = SwitchOutcomes { pending: &mut self.pending, sink: &mut sink };
                let replaced = router.switch.replace(Port(port), discipline, hooks, now, &mut out);
                direction.wants_idle_polls = router.switch.wants_idle_polls(Port(port));
                replaced
            }
        };
        self.script = script;
        if let Some(script) = &mut self.script {
            script.effects.replaced += u64::from(replaced);
        }
        self.serve(at, now);
        self.after_router(node, now);
    }
}

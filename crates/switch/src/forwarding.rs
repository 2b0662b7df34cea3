//! Native forwarding: routes, hop limits, and the hooks of each port.

use jettison_core::{DropReason, Gauges, Time};
use jettison_queue::QueueDiscipline;
use jettison_wire::{Instance, Packet};

use crate::notes::{Note, Notes};
use crate::{
    Actions, Fate, FeedbackPath, Loopback, Mirror, MirrorTo, Nat, Port, PortHooks, PortQueue, Program,
    QueueReading, Routes,
};

/// The program of a natively forwarding router.
#[derive(Clone)]
pub struct Forwarding {
    routes: Routes,
    hooks: Vec<Option<Box<dyn PortHooks>>>,
    nat: Option<Box<Nat>>,
    notes: Notes,
}

/// Configuration of one port of a native router.
pub struct PortConfig {
    /// Queue discipline of the port.
    pub discipline: Box<dyn QueueDiscipline>,
    /// Queue management in the pipeline, if any.
    pub hooks: Option<Box<dyn PortHooks>>,
}

impl PortConfig {
    /// A port without hooks.
    pub fn plain(discipline: Box<dyn QueueDiscipline>) -> PortConfig {
        PortConfig { discipline, hooks: None }
    }
}

impl From<PortQueue> for PortConfig {
    fn from(built: PortQueue) -> PortConfig {
        PortConfig { discipline: built.discipline, hooks: Some(built.hooks) }
    }
}

impl Forwarding {
    /// Creates a program that forwards by `routes`. `hooks` lists the hooks of each port, port 0 first.
    pub fn new(routes: Routes, hooks: Vec<Option<Box<dyn PortHooks>>>) -> Forwarding {
        Forwarding { routes, hooks, nat: None, notes: Notes::default() }
    }

    /// Translates addresses.
    pub fn set_nat(&mut self, nat: Option<Nat>) {
        self.nat = nat.map(Box::new);
    }

    /// The mutable routing table.
    pub fn routes_mut(&mut self) -> &mut Routes {
        &mut self.routes
    }

    #[inline]
    fn hook(&mut self, port: Port) -> Option<&mut (dyn PortHooks + 'static)> {
        self.hooks.get_mut(usize::from(port.0))?.as_deref_mut()
    }

    /// Handles a clone that has returned to ingress: delivers its feedback to the port's hook and ends the clone.
    #[cold]
    fn deliver_feedback(&mut self, tag: u32, now: Time, actions: &mut Actions) {
        let note = self.notes.take(tag);
        if let Some(note) = note
            && let Some(hook) = self.hook(note.port)
        {
            hook.handle_feedback(note.feedback, now);
        }
        actions.fate = Fate::Consume { queued_at: note.filter(|n| n.queued).map(|n| n.port) };
    }

    /// Handles a clone that has left its queue: recirculates it with its feedback.
    #[cold]
    fn recirculate_clone(&mut self, tag: u32, port: Port, actions: &mut Actions) {
        let delay = self.hook(port).and_then(|hook| hook.recirculation_delay());
        actions.recirculate = Some(Loopback { tag, delay });
    }
}

impl Program for Forwarding {
    #[inline]
    fn ingress(&mut self, packet: &mut Packet, why: Instance, now: Time, actions: &mut Actions) {
        if why == Instance::Recirculated {
            return self.deliver_feedback(packet.meta.tag, now, actions);
        }
        let from = Port(packet.meta.ingress_port);
        if let Some(nat) = &mut self.nat
            && nat.arrives(packet, from).is_err()
        {
            return actions.drop(DropReason::NoRoute, None);
        }
        let Some(port) = self.routes.lookup(packet, from) else {
            return actions.drop(DropReason::NoRoute, None);
        };
        // RFC 1812 §5.3.1, RFC 8200 §3: a packet whose hop limit would be zero is not forwarded.
        if packet.meta.hop_limit <= 1 {
            return actions.drop(DropReason::HopLimit, None);
        }
        packet.set_hop_limit(packet.meta.hop_limit - 1);
        if let Some(nat) = &mut self.nat
            && nat.leaves(packet, from, port).is_err()
        {
            return actions.drop(DropReason::NoRoute, Some(port));
        }
        // Queue management at ingress selects the class, or drops the packet before it takes a buffer.
        let class = match self.hook(port).map(|hook| hook.admit(packet, now)) {
            None => 0,
            Some(Ok(class)) => class,
            Some(Err(reason)) => return actions.drop(reason, Some(port)),
        };
        // The tag makes the pipeline report a drop of this packet by the queue.
        if self.hook(port).is_some_and(|hook| hook.watches_queue()) {
            packet.meta.tag = Notes::WATCHED;
        }
        actions.send(port, class);
    }

    #[inline]
    fn passage(&self, from: Port, packet: &Packet) -> Option<(Port, u8)> {
        let port = self.routes.lookup(packet, from)?;
        let is_plain = self.hooks.get(usize::from(port.0)).is_none_or(Option::is_none);
        (is_plain && self.nat.is_none() && packet.meta.hop_limit > 1)
            .then(|| (port, packet.meta.hop_limit - 1))
    }

    #[inline]
    fn egress(
        &mut self,
        packet: &mut Packet,
        port: Port,
        queue: &QueueReading,
        now: Time,
        actions: &mut Actions,
    ) {
        if packet.meta.instance == Instance::EgressClone {
            return self.recirculate_clone(packet.meta.tag, port, actions);
        }
        let Some(hook) = self.hook(port) else { return };
        // A verdict can both drop the packet and send feedback; the clone that carries it is made either way.
        let verdict = hook.handle_departure(packet, queue, now);
        if let Some(reason) = verdict.drop {
            actions.drop(reason, Some(port));
        }
        let Some(feedback) = verdict.feedback else { return };
        let to = match hook.feedback_path() {
            FeedbackPath::Register => return hook.handle_feedback(feedback, now),
            FeedbackPath::CloneThroughQueue => MirrorTo::Queue { port, class: queue.class },
            FeedbackPath::Recirculate => MirrorTo::Recirculation { delay: hook.recirculation_delay() },
        };
        let queued = matches!(to, MirrorTo::Queue { .. });
        let tag = self.notes.keep(Note { port, queued, feedback });
        actions.clone = Some(Mirror { to, tag });
    }

    fn replace_hooks(&mut self, port: Port, hooks: Option<Box<dyn PortHooks>>) -> bool {
        let Some(own) = self.hooks.get_mut(usize::from(port.0)) else { return false };
        // Clones of the old hooks may still be under way.
        *own = hooks;
        self.notes.void(port);
        true
    }

    fn gauges(&self, port: Port, now: Time, out: &mut dyn Gauges) {
        if let Some(Some(hook)) = self.hooks.get(usize::from(port.0)) {
            hook.gauges(now, out);
        }
    }

    fn discarded(&mut self, packet: &Packet, queue: Option<Port>) {
        // Any other tag belongs to a clone: its feedback is lost with it.
        if packet.meta.tag != Notes::WATCHED {
            // With a NAT, the tag of all but clones is the inside host.
            let is_clone = packet.meta.instance != Instance::Normal;
            if (is_clone || self.nat.is_none())
                && let Some(note) = self.notes.take(packet.meta.tag)
                && let Some(hook) = self.hook(note.port)
            {
                hook.feedback_lost(note.feedback);
            }
        } else if let Some(hook) = queue.and_then(|port| self.hook(port)) {
            hook.discarded(packet);
        }
    }
}

#[cfg(test)]
mod tests;

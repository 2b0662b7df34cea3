//! The pass through ingress (PSA 1.2, "Initial values of packets processed by ingress", "Behavior of packets after ingress
//! processing is complete").

use jettison_core::{DropReason, Time};
use jettison_p4_exec::{Block, Machine, Standard};
use jettison_switch::{Actions, Fate, Port};
use jettison_wire::{Instance, Packet};

use super::Path;
use crate::SimpleSwitch;
use crate::frames::put_back;

impl<M: Machine> SimpleSwitch<M> {
    pub(crate) fn psa_ingress(
        &mut self,
        packet: &mut Packet,
        why: Instance,
        now: Time,
        actions: &mut Actions,
    ) {
        let fresh = packet.meta.tag == 0;
        if fresh {
            let tag = self.contexts.take();
            let context = self.contexts.get_mut(tag);
            context.zeros = packet.write_image_head(&mut context.bytes);
            packet.meta.tag = tag;
        }
        let tag = packet.meta.tag;
        self.psa_enter(tag, packet, why, now);
        self.machine.run(Block::Ingress, self.contexts.get_mut(tag).payload(), &mut self.plane);
        self.headers.clear();
        self.machine.deparse_at_ingress(&mut self.headers, &mut self.plane);
        actions.digest = self.plane.effects.digest;

        if self.machine.standard(Standard::PsaIngressClone) != 0 {
            actions.clone = self.psa_clone(tag, self.machine.standard(Standard::PsaIngressCloneSession));
        }
        if self.machine.standard(Standard::PsaIngressDrop) != 0 {
            return self.psa_end(tag, DropReason::MarkedToDrop, actions);
        }
        if self.machine.standard(Standard::PsaIngressResubmit) != 0 {
            self.machine.save(&mut self.contexts.get_mut(tag).saved);
            actions.resubmit = Some(tag);
            return;
        }
        let group = self.machine.standard(Standard::PsaIngressGroup);
        let class = self.machine.standard(Standard::PsaIngressClass);
        if group != 0 {
            // Groups have 16 bits here; one beyond has no members.
            let Ok(group) = u16::try_from(group) else {
                return self.psa_end(tag, DropReason::NoRoute, actions);
            };
            // The ports of a switch have equally many queues.
            let class = self.psa_class(Port(0), class);
            self.contexts.get_mut(tag).priority = class;
            actions.multicast = Some(group);
        } else {
            let number = self.machine.standard(Standard::PsaIngressOutputPort);
            let Some(port) = self.psa.as_ref().and_then(|ports| ports.meant(number)) else {
                self.counters.invalid_ports += 1;
                return self.psa_end(tag, DropReason::NoRoute, actions);
            };
            let class = self.psa_class(port, class);
            self.contexts.get_mut(tag).priority = class;
            actions.send(port, self.class_or_lowest(port, class));
        }
        let context = self.contexts.get_mut(tag);
        self.machine.save(&mut context.saved);
        put_back(packet, context, &self.headers, self.frames, true);
    }

    /// Sets the metadata of a packet, and parses it.
    fn psa_enter(&mut self, tag: u32, packet: &Packet, why: Instance, now: Time) {
        let Some((psa, ports)) = self.program.pipeline.psa.as_ref().zip(self.psa.as_ref()) else { return };
        let (machine, plane) = (&mut self.machine, &mut self.plane);
        let context = self.contexts.get_mut(tag);
        plane.now = now;
        plane.packet_bytes = context.frame().length() as u64;
        plane.effects.clear();
        machine.reset();
        let arrival = self.arrival.take();
        let (path, began) = match why {
            Instance::Resubmitted => {
                machine.keep_only(Some(psa.resubmit), &context.saved);
                (Path::Resubmit, now)
            }
            Instance::Recirculated => {
                machine.keep_only(Some(psa.recirculate), &context.saved);
                context.ingress_port = ports.seen(ports.recirculation());
                (Path::Recirculate, now)
            }
            _ => {
                context.ingress_port = ports.seen(Port(packet.meta.ingress_port));
                (Path::Normal, arrival.unwrap_or(now))
            }
        };
        machine.set_standard(Standard::PacketLength, context.frame().length() as u64);
        machine.set_standard(Standard::PsaIngressParserPort, context.ingress_port);
        machine.set_standard(Standard::PsaIngressParserPath, path as u64);
        let parsed = machine.parse(context.frame(), plane);
        context.consumed = parsed.consumed;
        self.counters.parser_errors += u64::from(parsed.error != 0);
        machine.set_standard(Standard::PsaIngressInputPort, context.ingress_port);
        machine.set_standard(Standard::PsaIngressInputPath, path as u64);
        machine.set_standard(Standard::PsaIngressTimestamp, began.as_micros());
        machine.set_standard(Standard::PsaIngressParserError, u64::from(parsed.error));
        machine.set_standard(Standard::PsaIngressDrop, 1);
    }

    /// Drops a packet at ingress. A clone that came back has served its purpose, so it is consumed instead.
    fn psa_end(&mut self, tag: u32, reason: DropReason, actions: &mut Actions) {
        let context = self.contexts.get_mut(tag);
        actions.drop(reason, None);
        if context.is_clone && reason == DropReason::MarkedToDrop {
            actions.fate = Fate::Consume { queued_at: context.queued_at };
        }
        self.contexts.release(tag);
    }
}

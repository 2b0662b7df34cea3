//! The pass through egress (PSA 1.2, "Initial values of packets processed by egress", "Behavior of packets after egress
//! processing is complete").

use jettison_core::{DropReason, Time};
use jettison_p4_exec::{Block, Machine, Standard};
use jettison_switch::{Actions, Fate, Loopback, Port};
use jettison_wire::{Instance, Packet};

use super::Path;
use crate::SimpleSwitch;
use crate::frames::{put_back, replace};

impl<M: Machine> SimpleSwitch<M> {
    pub(crate) fn psa_egress(&mut self, packet: &mut Packet, port: Port, now: Time, actions: &mut Actions) {
        let tag = packet.meta.tag;
        self.swap_streams(port);
        self.psa_leave(tag, packet, port, now);
        self.machine.run(Block::Egress, self.contexts.get_mut(tag).payload(), &mut self.plane);
        let seen = self.psa.as_ref().map_or(0, |ports| ports.seen(port));
        self.machine.set_standard(Standard::PsaEgressDeparserPort, seen);
        self.headers.clear();
        self.machine.deparse(&mut self.headers, &mut self.plane);
        actions.digest = self.plane.effects.digest;

        let clones = self.machine.standard(Standard::PsaEgressClone) != 0;
        let drops = self.machine.standard(Standard::PsaEgressDrop) != 0;
        let recirculates = self.recirculation_port() == Some(port);
        if clones || !drops {
            self.psa_deparsed(tag, packet, clones || recirculates);
        }
        if clones {
            actions.clone = self.psa_clone(tag, self.machine.standard(Standard::PsaEgressCloneSession));
        }
        let context = self.contexts.get_mut(tag);
        if drops {
            actions.drop(DropReason::MarkedToDrop, Some(port));
            if context.is_clone {
                actions.fate = Fate::Consume { queued_at: self.real_queue(port) };
            }
            self.contexts.release(tag);
        } else if recirculates {
            (context.rid, context.queued_at) = (None, None);
            self.machine.save(&mut context.saved);
            actions.recirculate = Some(Loopback { tag, delay: None });
        } else {
            self.contexts.release(tag);
            packet.meta.tag = 0;
        }
        self.swap_streams(port);
    }

    /// Sets the metadata of a packet that leaves the queue of `port`, and parses it.
    fn psa_leave(&mut self, tag: u32, packet: &Packet, port: Port, now: Time) {
        let Some((psa, ports)) = self.program.pipeline.psa.as_ref().zip(self.psa.as_ref()) else { return };
        let (machine, plane) = (&mut self.machine, &mut self.plane);
        let context = self.contexts.get_mut(tag);
        let (path, carried) = match packet.meta.instance {
            Instance::IngressClone => (Path::CloneI2e, psa.clone_i2e),
            Instance::EgressClone => (Path::CloneE2e, psa.clone_e2e),
            Instance::Replica => (Path::NormalMulticast, psa.normal),
            Instance::Normal | Instance::Recirculated | Instance::Resubmitted => {
                (Path::NormalUnicast, psa.normal)
            }
        };
        plane.now = now;
        plane.packet_bytes = context.frame().length() as u64;
        plane.effects.clear();
        machine.reset();
        machine.keep_only(Some(carried), &context.saved);
        machine.set_standard(Standard::PacketLength, context.frame().length() as u64);
        machine.set_standard(Standard::PsaEgressParserPort, ports.seen(port));
        machine.set_standard(Standard::PsaEgressParserPath, path as u64);
        let parsed = machine.parse_at_egress(context.frame(), plane);
        context.consumed = parsed.consumed;
        self.counters.parser_errors += u64::from(parsed.error != 0);
        machine.set_standard(Standard::PsaEgressClass, context.priority);
        machine.set_standard(Standard::PsaEgressInputPort, ports.seen(port));
        machine.set_standard(Standard::PsaEgressInputPath, path as u64);
        machine.set_standard(Standard::PsaEgressInstance, u64::from(context.rid.unwrap_or(0)));
        machine.set_standard(Standard::PsaEgressTimestamp, now.as_micros());
        machine.set_standard(Standard::PsaEgressParserError, u64::from(parsed.error));
    }

    /// Makes `packet` the departing packet. The context holds the new frame if `keep` is set.
    fn psa_deparsed(&mut self, tag: u32, packet: &mut Packet, keep: bool) {
        let context = self.contexts.get_mut(tag);
        if context.is_cut {
            context.deparse(&self.headers);
            replace(packet, context, self.frames);
            context.is_cut = false;
        } else {
            put_back(packet, context, &self.headers, self.frames, keep);
        }
    }

    /// A port with a link.
    fn real_queue(&self, port: Port) -> Option<Port> {
        Some(port).filter(|port| self.recirculation_port() != Some(*port))
    }
}

//! A switch that takes over another program while packets are inside it.
//!
//! Packets that wait in queues have headers and metadata of the old program. They are deparsed by it, as after its ingress, and
//! parsed by the new one, which runs its egress for them with new metadata; fields that v1model itself sets are kept. Packets on
//! the recirculation path are frames already; they come to the new ingress without preserved fields.

use std::collections::HashSet;
use std::sync::Arc;

use jettison_p4_exec::{Block, Machine, Plane, Standard};
use jettison_p4_front::ir::TargetModel;
use thiserror::Error;

use crate::mirror::Mirrors;
use crate::switch::Reads;
use crate::{P4Switch, SimpleSwitch};

/// A program that a switch cannot take over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the program is for {program}, and the switch was built for {switch}")]
pub struct OtherArchitecture {
    program: &'static str,
    switch: &'static str,
}

impl<M: Machine + Send> P4Switch<M> {
    /// Takes over the program of another switch, with the state of its control plane. Queues, ports and packets stay; commands
    /// that were planned for later are discarded, because they are of the old program.
    ///
    /// # Errors
    /// If the programs are of different architectures, whose switches have different queues; nothing has changed.
    pub fn adopt(&mut self, other: &P4Switch<M>) -> Result<(), OtherArchitecture> {
        let name = |switch: &P4Switch<M>| match switch.pipeline.program().psa {
            Some(_) => "PSA",
            None => "v1model",
        };
        if name(self) != name(other) {
            return Err(OtherArchitecture { program: name(other), switch: name(self) });
        }
        if !Arc::ptr_eq(self.program(), other.program()) {
            self.discard_commands();
            let looping: HashSet<u32> = self.pipeline.recirculating_tags().collect();
            self.pipeline.program_mut().adopt(other.pipeline.program(), &looping);
        }
        self.restore(other.control_state());
        Ok(())
    }
}

impl<M: Machine + Send> P4Switch<M> {
    /// Takes over the multicast groups and clone sessions of another switch.
    pub fn carry_replication(&mut self, from: &P4Switch<M>) {
        let mut state = self.control_state();
        from.replication_into(&mut state);
        self.restore(state);
    }
}

impl<M: Machine> SimpleSwitch<M> {
    /// Takes over the program of another switch. `looping` are the tags of packets on the recirculation path.
    fn adopt(&mut self, other: &SimpleSwitch<M>, looping: &HashSet<u32>) {
        let mut machine = other.machine.clone();
        let mut plane =
            Plane { now: self.plane.now, ..Plane::new(&other.program, (*self.plane.random).clone()) };
        for tag in self.contexts.tags_in_use() {
            let context = self.contexts.get_mut(tag);
            context.keep = None;
            if self.psa.is_some() || looping.contains(&tag) {
                context.saved = M::Saved::default();
                continue;
            }
            self.machine.load(&context.saved);
            let standard = Standard::ALL.map(|field| (field, self.machine.standard(field)));
            self.machine.run(Block::ComputeChecksum, context.payload(), &mut self.plane);
            self.headers.clear();
            self.machine.deparse(&mut self.headers, &mut self.plane);
            context.deparse(&self.headers);
            (context.added, context.rewritten) = (0, true);

            machine.reset();
            for (field, value) in standard.into_iter().filter(|(field, _)| *field != Standard::ParserError) {
                machine.set_standard(field, value);
            }
            let parsed = machine.parse(context.frame(), &mut plane);
            context.consumed = parsed.consumed;
            self.counters.parser_errors += u64::from(parsed.error != 0);
            machine.save(&mut context.saved);
        }
        self.contexts.forget_unused();
        self.mirrors = Mirrors::default();
        self.as_bmv2 = other.program.target == TargetModel::Bmv2;
        for port in &mut self.ports {
            port.reads = Reads::of(&other.program);
        }
        (self.program, self.machine, self.plane) = (other.program.clone(), machine, plane);
    }
}

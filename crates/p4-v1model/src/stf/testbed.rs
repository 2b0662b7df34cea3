//! A switch with many ports, and what comes out of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use jettison_core::{DropReason, MarkReason, Seed, Time};
use jettison_measure::Outcomes;
use jettison_queue::bmv2::{Bmv2, Bmv2Parameters};
use jettison_queue::{Limit, QueueDiscipline};
use jettison_switch::{Departure, Port, PortOutcomes, Switch, SwitchOutcomes};
use jettison_wire::Packet;
use thiserror::Error;

use crate::{Frames, P4Switch, PlanError, SwitchPlan};
use jettison_p4_exec::Machine;
use jettison_p4_front::ir::Program;

/// Ports 0 to 510: 511 is where dropped packets go.
const PORTS: u16 = 511;

/// More packets than anybody waits for.
const QUEUE: u64 = 1 << 20;

/// A P4 switch on its own: ports 0 to 510, links without a rate, BMv2's queues with eight priorities and no limits.
pub struct Testbed<M: Machine> {
    switch: P4Switch<M>,
    now: Time,
    patience: u32,
    departures: u32,
    pending: Vec<Port>,
    drops: Drops,
    sent: Vec<Sent>,
}

/// A frame that came out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// Of which port.
    pub port: u16,
    /// When.
    pub at: Time,
    /// All of it.
    pub bytes: Vec<u8>,
}

/// Recirculations or clones that go on and on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("this packet never comes to rest: its recirculations or clones go on for ever")]
pub struct NeverAtRest;

impl<M: Machine + Send> Testbed<M> {
    /// A switch whose program `machine` runs. After so many departures since the last packet came in, `patience`, it is
    /// [`NeverAtRest`].
    ///
    /// # Errors
    /// If the switch cannot be built.
    pub fn new(program: &Arc<Program>, machine: M, patience: u32) -> Result<Testbed<M>, PlanError> {
        let queues = Bmv2Parameters { priorities: 8, limit: Limit::packets(QUEUE), rate: None };
        let ports = (0..PORTS).map(|_| Box::new(Bmv2::new(&queues)) as Box<dyn QueueDiscipline>).collect();
        let seed = Seed(1);
        let random = (0..PORTS).map(|port| seed.stream(&["egress", &port.to_string()])).collect();
        let mut plan = SwitchPlan::new(program.clone(), ports, seed.stream(&["ingress"]), random);
        plan.frames = Frames::Raw;
        Ok(Testbed {
            switch: plan.build(machine)?,
            now: Time::ZERO,
            patience,
            departures: 0,
            pending: Vec::new(),
            drops: Drops::default(),
            sent: Vec::new(),
        })
    }

    /// The switch.
    pub fn switch(&self) -> &P4Switch<M> {
        &self.switch
    }

    /// The switch, for its control plane.
    pub fn switch_mut(&mut self) -> &mut P4Switch<M> {
        &mut self.switch
    }

    /// Now.
    pub fn now(&self) -> Time {
        self.now
    }

    /// What came out so far, in order.
    pub fn sent(&self) -> &[Sent] {
        &self.sent
    }

    /// Gives away what came out since it was given away last.
    pub fn take_sent(&mut self) -> Vec<Sent> {
        std::mem::take(&mut self.sent)
    }

    /// Why packets were dropped, and how many: clones and replicas count.
    pub fn drops(&self) -> &BTreeMap<&'static str, u64> {
        &self.drops.drops
    }

    /// A frame comes in now. What it causes without time passing has happened when this returns.
    ///
    /// # Errors
    /// If that has no end.
    pub fn receive(&mut self, port: u16, bytes: &[u8]) -> Result<(), NeverAtRest> {
        self.departures = 0;
        let packet = Packet::from_frame(bytes.to_vec());
        let mut out = SwitchOutcomes { pending: &mut self.pending, sink: &mut self.drops };
        self.switch.handle_packet(Port(port), packet, self.now, &mut out);
        self.serve()
    }

    /// Lets time pass until then.
    ///
    /// # Errors
    /// If what happens meanwhile has no end.
    pub fn run_until(&mut self, until: Time) -> Result<(), NeverAtRest> {
        while self.switch.next_wakeup().is_some_and(|next| next <= until) {
            self.wake_up()?;
        }
        self.now = self.now.max(until);
        Ok(())
    }

    /// Lets time pass until nothing moves any more: queues, recirculation, clones.
    ///
    /// # Errors
    /// If that has no end.
    pub fn settle(&mut self) -> Result<(), NeverAtRest> {
        while self.switch.next_wakeup().is_some() {
            self.wake_up()?;
        }
        Ok(())
    }

    fn wake_up(&mut self) -> Result<(), NeverAtRest> {
        let Some(next) = self.switch.next_wakeup() else { return Ok(()) };
        self.now = self.now.max(next);
        let mut out = SwitchOutcomes { pending: &mut self.pending, sink: &mut self.drops };
        self.switch.handle_wakeup(self.now, &mut out);
        self.departures += 1; // what is only recirculated at ingress departs nowhere
        self.serve()
    }

    fn serve(&mut self) -> Result<(), NeverAtRest> {
        while let Some(port) = self.pending.pop() {
            loop {
                let mut out = SwitchOutcomes { pending: &mut self.pending, sink: &mut self.drops };
                let Some(departure) = self.switch.poll_transmit(port, self.now, &mut out) else { break };
                if let Departure::Transmit(packet) = departure {
                    let mut bytes = Vec::with_capacity(packet.image_length());
                    packet.write_image(&mut bytes, usize::MAX);
                    self.sent.push(Sent { port: port.0, at: self.now, bytes });
                }
                self.departures += 1;
                if self.departures >= self.patience {
                    return Err(NeverAtRest);
                }
            }
        }
        if self.departures >= self.patience { Err(NeverAtRest) } else { Ok(()) }
    }
}

/// Counts drops by their reason.
#[derive(Default)]
struct Drops {
    drops: BTreeMap<&'static str, u64>,
}

impl Outcomes for Drops {
    fn dropped(&mut self, _packet: Packet, reason: DropReason, _now: Time) {
        *self.drops.entry(reason.name()).or_default() += 1;
    }
    fn marked(&mut self, _packet: &Packet, _reason: MarkReason, _now: Time) {}
}

impl PortOutcomes for Drops {
    fn at(&mut self, _port: Option<Port>) -> &mut dyn Outcomes {
        self
    }
    fn offered(&mut self, _port: Port, _packet: &Packet, _now: Time) {}
}

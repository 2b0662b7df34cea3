//! Testbed: a switch with many ports, and its output.

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

/// Number of ports: 0 to 510, because 511 is the drop port.
const PORTS: u16 = 511;

/// PSA: the port of the controller, until [`P4Switch::set_controller_port`].
const CPU_PORT: Port = Port(510);

/// Queue limit in packets, too large to be reached.
const QUEUE: u64 = 1 << 20;

/// A standalone P4 switch: ports 0 to 510, links without a rate, and BMv2's queues with eight priorities and no limits.
pub struct Testbed<M: Machine> {
    switch: P4Switch<M>,
    now: Time,
    max_departures: u32,
    departures: u32,
    pending: Vec<Port>,
    drops: Drops,
    sent: Vec<Sent>,
}

/// A frame that left the switch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// Egress port.
    pub port: u16,
    /// Departure time.
    pub at: Time,
    /// Whole frame.
    pub bytes: Vec<u8>,
}

/// Endless recirculations or clones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("endless loop: the recirculations or clones of this packet do not end")]
pub struct EndlessLoop;

impl<M: Machine + Send> Testbed<M> {
    /// Creates a testbed; `machine` runs the program. After more than `max_departures` departures since the last input
    /// packet, the methods fail with [`EndlessLoop`].
    ///
    /// # Errors
    /// If the switch cannot be built.
    pub fn new(program: &Arc<Program>, machine: M, max_departures: u32) -> Result<Testbed<M>, PlanError> {
        let queues = Bmv2Parameters { priorities: 8, limit: Limit::packets(QUEUE), rate: None };
        let ports = (0..PORTS).map(|_| Box::new(Bmv2::new(&queues)) as Box<dyn QueueDiscipline>).collect();
        let seed = Seed(1);
        let random = (0..PORTS).map(|port| seed.stream(&["egress", &port.to_string()])).collect();
        let mut plan = SwitchPlan::new(program.clone(), ports, seed.stream(&["ingress"]), random);
        plan.frames = Frames::Raw;
        plan.controller_port = Some(CPU_PORT);
        Ok(Testbed {
            switch: plan.build(machine)?,
            now: Time::ZERO,
            max_departures,
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

    /// Current virtual time.
    pub fn now(&self) -> Time {
        self.now
    }

    /// All frames sent so far, in order.
    pub fn sent(&self) -> &[Sent] {
        &self.sent
    }

    /// Takes the frames sent since the last call.
    pub fn take_sent(&mut self) -> Vec<Sent> {
        std::mem::take(&mut self.sent)
    }

    /// Number of dropped packets by reason, including clones and replicas.
    pub fn drops(&self) -> &BTreeMap<&'static str, u64> {
        &self.drops.drops
    }

    /// Receives a frame now, and processes all its effects at this time.
    ///
    /// # Errors
    /// If the processing does not end.
    pub fn receive(&mut self, port: u16, bytes: &[u8]) -> Result<(), EndlessLoop> {
        self.departures = 0;
        let packet = Packet::from_frame(bytes.to_vec());
        let mut out = SwitchOutcomes { pending: &mut self.pending, sink: &mut self.drops };
        self.switch.handle_packet(Port(port), packet, self.now, &mut out);
        self.serve()
    }

    /// Advances the time.
    ///
    /// # Errors
    /// If the processing does not end.
    pub fn run_until(&mut self, until: Time) -> Result<(), EndlessLoop> {
        while self.switch.next_wakeup().is_some_and(|next| next <= until) {
            self.wake_up()?;
        }
        self.now = self.now.max(until);
        Ok(())
    }

    /// Advances the time until the switch is idle: no packet is queued, recirculated or cloned.
    ///
    /// # Errors
    /// If the processing does not end.
    pub fn settle(&mut self) -> Result<(), EndlessLoop> {
        while self.switch.next_wakeup().is_some() {
            self.wake_up()?;
        }
        Ok(())
    }

    fn wake_up(&mut self) -> Result<(), EndlessLoop> {
        let Some(next) = self.switch.next_wakeup() else { return Ok(()) };
        self.now = self.now.max(next);
        let mut out = SwitchOutcomes { pending: &mut self.pending, sink: &mut self.drops };
        self.switch.handle_wakeup(self.now, &mut out);
        self.departures += 1; // a packet recirculated only at ingress never departs
        self.serve()
    }

    fn serve(&mut self) -> Result<(), EndlessLoop> {
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
                if self.departures >= self.max_departures {
                    return Err(EndlessLoop);
                }
            }
        }
        if self.departures >= self.max_departures { Err(EndlessLoop) } else { Ok(()) }
    }
}

/// Counter of drops by reason.
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

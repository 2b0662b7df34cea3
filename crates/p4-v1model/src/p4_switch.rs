//! P4 switch with its control plane.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::Arc;

use jettison_core::{Duration, Gauges, Rate, Time};
use jettison_queue::{Backlog, QueueChange};
use jettison_switch::{Departure, Pipeline, Port, Switch, SwitchCounters, SwitchOutcomes, ThreadTime};
use jettison_wire::Packet;

use super::control::{Answer, Command, CommandError, Replication};
use super::mirror::Mirrors;
use super::psa::{Inside, MAX_LOOPS};
use super::{PlanError, SimpleSwitch};
use jettison_p4_exec::objects::Objects;
use jettison_p4_exec::table::Tables;
use jettison_p4_exec::{Machine, Plane};
use jettison_p4_front::ir::Program;

/// Pipeline that runs a P4 program, and a control plane with timed commands.
///
/// A command runs before all other events of the switch at the same time.
#[derive(Clone)]
pub struct P4Switch<M: Machine> {
    pub(super) pipeline: Pipeline<SimpleSwitch<M>>,
    pub(super) replication: Replication,
    /// Pending commands, earliest first.
    commands: VecDeque<(Time, Command)>,
    /// Time of the first pending command, or of `next_loop`.
    next_command: Time,
    answers: Vec<(Time, Result<Answer, CommandError>)>,
    /// Packets that left at the CPU port, oldest first, with the time.
    to_cpu: VecDeque<(Time, Packet)>,
    /// Packets for the controller that were lost because nobody took the earlier ones.
    lost_to_cpu: u64,
    /// PSA's recirculation port, a port of the pipeline that has no link.
    loop_port: Option<Port>,
    /// Whether there is a port without a link: that of the controller, or that of recirculation.
    has_inner_ports: bool,
    /// When the recirculation port is served again, if it was served too often at one time.
    next_loop: Time,
}

/// State of a switch's control plane, to return to.
#[derive(Debug, Clone)]
pub struct ControlState {
    tables: Tables,
    objects: Objects,
    mirrors: Mirrors,
    replication: Replication,
}

/// Maximum number of packets that wait for the controller; further ones are lost, and counted.
const MAX_TO_CPU: usize = 4096;

impl<M: Machine + Send> P4Switch<M> {
    /// Runs the commands of time zero and queues the others.
    pub(super) fn new(
        pipeline: Pipeline<SimpleSwitch<M>>,
        commands: Vec<(Time, Command)>,
    ) -> Result<P4Switch<M>, PlanError> {
        let loop_port = pipeline.program().recirculation_port();
        let has_inner_ports = loop_port.is_some() || pipeline.program().cpu_port().is_some();
        let mut switch = P4Switch {
            pipeline,
            loop_port,
            has_inner_ports,
            next_loop: Time::MAX,
            replication: Replication::default(),
            commands: VecDeque::new(),
            next_command: Time::MAX,
            answers: Vec::new(),
            to_cpu: VecDeque::new(),
            lost_to_cpu: 0,
        };
        let mut later = Vec::new();
        for (place, (time, command)) in commands.into_iter().enumerate() {
            if time > Time::ZERO {
                later.push((time, command));
                continue;
            }
            let answer = switch.apply(&command).map_err(|error| PlanError { command: place, error })?;
            switch.answers.push((time, Ok(answer)));
        }
        later.sort_by_key(|(time, _)| *time); // stable: commands of the same time keep their order
        switch.commands = later.into();
        switch.next_command = switch.commands.front().map_or(Time::MAX, |(time, _)| *time);
        Ok(switch)
    }

    /// The P4 program.
    pub fn program(&self) -> &Arc<Program> {
        self.pipeline.program().program()
    }

    /// Tables, objects, digests and messages.
    pub fn plane(&self) -> &Plane {
        self.pipeline.program().plane()
    }

    /// Tables, objects, digests and messages, mutable.
    pub fn plane_mut(&mut self) -> &mut Plane {
        self.pipeline.program_mut().plane_mut()
    }

    /// The running program: its counters and clone sessions.
    pub fn simple_switch(&self) -> &SimpleSwitch<M> {
        self.pipeline.program()
    }

    /// The pipeline.
    pub fn pipeline(&self) -> &Pipeline<SimpleSwitch<M>> {
        &self.pipeline
    }

    /// PSA: makes a port that of the controller, `PSA_PORT_CPU`.
    pub fn set_controller_port(&mut self, port: Option<Port>) {
        self.pipeline.program_mut().set_controller_port(port);
    }

    /// Multicast groups and nodes.
    pub fn replication(&self) -> &Replication {
        &self.replication
    }

    /// Results of the planned commands so far, in order.
    pub fn answers(&self) -> &[(Time, Result<Answer, CommandError>)] {
        &self.answers
    }

    /// A copy of the control plane's state: tables, objects, clone sessions and groups.
    pub fn control_state(&self) -> ControlState {
        let plane = self.plane();
        ControlState {
            tables: plane.tables.clone(),
            objects: plane.objects.clone(),
            mirrors: self.pipeline.program().mirrors().clone(),
            replication: self.replication.clone(),
        }
    }

    /// Replaces the groups and clone sessions of a state by this switch's.
    pub(super) fn replication_into(&self, state: &mut ControlState) {
        state.mirrors = self.pipeline.program().mirrors().clone();
        state.replication = self.replication.clone();
    }

    /// Returns to an earlier state of the control plane.
    pub fn restore(&mut self, state: ControlState) {
        let ControlState { tables, objects, mirrors, replication } = state;
        let before = std::mem::replace(&mut self.replication, replication);
        for group in before.groups().into_iter().chain(self.replication.groups()) {
            self.publish(group);
        }
        self.pipeline.program_mut().set_mirrors(mirrors);
        let plane = self.plane_mut();
        (plane.tables, plane.objects) = (tables, objects);
    }

    /// Returns the control plane to the program's own entries and initial values. Packets inside stay.
    pub fn reset_control_plane(&mut self) {
        let program = Arc::clone(self.program());
        self.restore(ControlState {
            tables: Tables::new(&program),
            objects: Objects::new(&program),
            mirrors: Mirrors::default(),
            replication: Replication::default(),
        });
    }

    /// Number of the CPU port for the program.
    pub fn cpu_port(&self) -> Option<u16> {
        self.pipeline.program().cpu_port()
    }

    /// The port by which packets of the controller enter the switch; the program knows it as [`P4Switch::cpu_port`].
    pub fn cpu_entry(&self) -> Option<Port> {
        self.pipeline.program().cpu_queue()
    }

    /// Takes the packets that have left at the CPU port, oldest first, with the time.
    pub fn take_to_cpu(&mut self) -> VecDeque<(Time, Packet)> {
        std::mem::take(&mut self.to_cpu)
    }

    /// Number of packets that were lost at the CPU port because nobody took the earlier ones.
    pub fn lost_to_cpu(&self) -> u64 {
        self.lost_to_cpu
    }

    /// Empties the queue of the CPU port, which has no link.
    #[inline]
    fn serve_cpu(&mut self, now: Time, out: &mut SwitchOutcomes<'_>) {
        if let Some(queue) = self.cpu_entry() {
            self.empty_cpu_queue(queue, now, out);
        }
    }

    #[cold]
    fn empty_cpu_queue(&mut self, queue: Port, now: Time, out: &mut SwitchOutcomes<'_>) {
        if !self.pipeline.has_departure(queue) {
            return;
        }
        // One pass: a packet that the program sends back to the CPU port is served after the next event.
        let mut left = self.pipeline.backlog(queue).packets;
        while left > 0
            && let Some(departure) = self.pipeline.poll_transmit(queue, now, out)
        {
            left -= 1;
            if let Departure::Transmit(packet) = departure {
                match self.to_cpu.len() < MAX_TO_CPU {
                    true => self.to_cpu.push_back((now, packet)),
                    false => self.lost_to_cpu += 1,
                }
            }
        }
        // Served here; the caller has no link for it.
        out.pending.retain(|port| *port != queue);
    }

    /// Discards the commands that are due later.
    pub(super) fn discard_commands(&mut self) {
        self.commands.clear();
        self.next_command = self.next_loop;
    }

    #[inline]
    fn catch_up(&mut self, now: Time) {
        if self.next_command <= now {
            self.run_due(now);
        }
    }

    #[cold]
    fn run_due(&mut self, now: Time) {
        while let Some((time, command)) = self.commands.pop_front_if(|(time, _)| *time <= now) {
            let answer = self.apply(&command);
            self.answers.push((time, answer));
        }
        self.next_command = self.commands.front().map_or(Time::MAX, |(time, _)| *time).min(self.next_loop);
    }
}

impl<M: Machine + Send> P4Switch<M> {
    /// [`Switch::handle_packet`] with ports without a link. A function of its own, as a closure would copy all packets.
    #[cold]
    #[inline(never)]
    fn handle_and_serve(&mut self, from: Port, packet: Packet, now: Time, out: &mut SwitchOutcomes<'_>) {
        self.serving(now, out, |p, out| p.handle_packet(from, packet, now, out));
    }

    /// Calls the pipeline, and then serves the ports without a link: that of the controller, or that of recirculation.
    #[cold]
    fn serving<T>(
        &mut self,
        now: Time,
        out: &mut SwitchOutcomes<'_>,
        call: impl FnOnce(&mut Pipeline<SimpleSwitch<M>>, &mut SwitchOutcomes<'_>) -> T,
    ) -> T {
        match self.loop_port {
            None => {
                let result = call(&mut self.pipeline, out);
                self.serve_cpu(now, out);
                result
            }
            Some(port) => self.looping(port, now, out, call),
        }
    }

    /// Calls the pipeline, and then serves the recirculation port, which has no link to do so.
    #[cold]
    fn looping<T>(
        &mut self,
        port: Port,
        now: Time,
        out: &mut SwitchOutcomes<'_>,
        call: impl FnOnce(&mut Pipeline<SimpleSwitch<M>>, &mut SwitchOutcomes<'_>) -> T,
    ) -> T {
        let mut sink = Inside { inner: &mut *out.sink, port };
        let mut inside = SwitchOutcomes { pending: &mut *out.pending, sink: &mut sink };
        let result = call(&mut self.pipeline, &mut inside);
        let mut due = self.next_loop <= now;
        for _ in 0..MAX_LOOPS {
            let before = inside.pending.len();
            inside.pending.retain(|pending| *pending != port);
            due |= inside.pending.len() < before;
            if !due {
                break;
            }
            due = self.pipeline.poll_transmit(port, now, &mut inside).is_some();
        }
        // A program that clones to this port from this port never ends: time has to pass.
        self.next_loop = if due { now.saturating_add(Duration::from_micros(1)) } else { Time::MAX };
        self.run_due(now);
        result
    }
}

impl<M: Machine + Send> Switch for P4Switch<M> {
    fn handle_packet(&mut self, from: Port, packet: Packet, now: Time, out: &mut SwitchOutcomes<'_>) {
        self.catch_up(now);
        match self.has_inner_ports {
            false => self.pipeline.handle_packet(from, packet, now, out),
            true => self.handle_and_serve(from, packet, now, out),
        }
    }

    fn poll_transmit(&mut self, to: Port, now: Time, out: &mut SwitchOutcomes<'_>) -> Option<Departure> {
        self.catch_up(now);
        match self.has_inner_ports {
            false => self.pipeline.poll_transmit(to, now, out),
            true => self.serving(now, out, |p, out| p.poll_transmit(to, now, out)),
        }
    }

    fn handle_wakeup(&mut self, now: Time, out: &mut SwitchOutcomes<'_>) {
        self.catch_up(now);
        match self.has_inner_ports {
            false => self.pipeline.handle_wakeup(now, out),
            true => self.serving(now, out, |p, out| p.handle_wakeup(now, out)),
        }
    }

    #[inline]
    fn next_wakeup(&self) -> Option<Time> {
        let inside = self.pipeline.next_wakeup().unwrap_or(Time::MAX);
        let earliest = inside.min(self.next_command);
        (earliest < Time::MAX).then_some(earliest)
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }

    fn as_any_mut(&mut self) -> Option<&mut dyn Any> {
        Some(self)
    }

    #[inline]
    fn has_notices(&self) -> bool {
        !self.to_cpu.is_empty() || !self.plane().effects.digests.is_empty()
    }

    fn capacity_changed(&mut self, to: Port, rate: Rate, now: Time) {
        self.pipeline.capacity_changed(to, rate, now);
    }

    fn reconfigure(&mut self, to: Port, change: &QueueChange) -> bool {
        self.pipeline.reconfigure_queues(Some(to), change)
    }

    fn wants_idle_polls(&self, to: Port) -> bool {
        self.pipeline.wants_idle_polls(to)
    }

    fn has_departure(&self, to: Port) -> bool {
        self.pipeline.has_departure(to)
    }

    fn backlog(&self, port: Port) -> Backlog {
        self.pipeline.backlog(port)
    }

    fn gauges(&self, port: Port, now: Time, out: &mut dyn Gauges) {
        self.pipeline.gauges(port, now, out);
    }

    fn processors(&self) -> u32 {
        self.pipeline.processors()
    }

    fn thread_times(&self, now: Time, out: &mut Vec<ThreadTime>) {
        self.pipeline.thread_times(now, out);
    }

    fn counters(&self) -> SwitchCounters {
        self.pipeline.counters()
    }

    fn port_counters(&self, port: Port) -> SwitchCounters {
        self.pipeline.port_counters(port)
    }
}

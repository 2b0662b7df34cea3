//! Plan of a P4 switch.

use std::sync::Arc;

use jettison_core::{Duration, RandomStream, Time};
use jettison_queue::tail_drop::{TailDrop, TailDropParameters};
use jettison_queue::{Limit, QueueDiscipline};
use jettison_switch::{Pipeline, Port, RecirculationSettings, Service, TrafficManager};
use thiserror::Error;

use super::control::{Command, CommandError};
use super::{Frames, P4Switch, SimpleSwitch};
use jettison_p4_exec::Machine;
use jettison_p4_front::ir::Program;

/// Limit of the CPU port's queue, which is emptied after each event of the switch.
const CPU_QUEUE: u64 = 1 << 16;

/// Plan of a P4 switch. A scenario or packet test fills it in and [builds](SwitchPlan::build) it.
pub struct SwitchPlan {
    /// P4 program.
    pub program: Arc<Program>,
    /// Queue disciplines of the ports, port 0 first. [`jettison_queue::bmv2`] is that of `simple_switch`.
    pub ports: Vec<Box<dyn QueueDiscipline>>,
    /// Numbers below `ports.len()` that no link has: packets to them are dropped.
    pub unconnected: Vec<Port>,
    /// Random streams of `random` at each port's egress, port 0 first; one per port.
    pub port_random: Vec<RandomStream>,
    /// Random stream of `random` at ingress.
    pub ingress_random: RandomStream,
    /// Recirculation path.
    pub recirculation: RecirculationSettings,
    /// Delay between a packet's arrival and ingress.
    pub ingress_delay: Duration,
    /// CPU times of the passes; `None`: passes take no time.
    pub service: Option<Service>,
    /// Form of departing packets.
    pub frames: Frames,
    /// v1model: number of the CPU port and random stream of its egress, if the switch has one. It is none of `ports`; packets that
    /// the program sends there wait for [`P4Switch::take_to_cpu`].
    pub cpu_port: Option<(u16, RandomStream)>,
    /// PSA: the port that is `PSA_PORT_CPU`. Without it, packets to the controller are dropped.
    pub controller_port: Option<Port>,
    /// Commands of the control plane, in any order; those of the same time run in the given order. Commands at time
    /// zero run during the build, so their errors are errors of the plan.
    pub commands: Vec<(Time, Command)>,
}

/// Failure of a command of the plan.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{error}")]
pub struct PlanError {
    /// Index of the command in [`SwitchPlan::commands`].
    pub command: usize,
    /// Error of the command.
    pub error: CommandError,
}

impl SwitchPlan {
    /// Creates a plan with these ports, no commands, and defaults for the rest.
    pub fn new(
        program: Arc<Program>,
        ports: Vec<Box<dyn QueueDiscipline>>,
        ingress_random: RandomStream,
        port_random: Vec<RandomStream>,
    ) -> SwitchPlan {
        SwitchPlan {
            program,
            ports,
            unconnected: Vec::new(),
            port_random,
            ingress_random,
            recirculation: RecirculationSettings::default(),
            ingress_delay: Duration::ZERO,
            service: None,
            frames: Frames::default(),
            cpu_port: None,
            controller_port: None,
            commands: Vec::new(),
        }
    }

    /// Builds the switch; `machine` runs the program.
    ///
    /// # Errors
    /// If a command at time zero fails.
    pub fn build<M: Machine + Send>(mut self, machine: M) -> Result<P4Switch<M>, PlanError> {
        let cpu_port = self.cpu_port.map(|(number, random)| {
            self.ports.push(Box::new(TailDrop::new(TailDropParameters { limit: Limit::packets(CPU_QUEUE) })));
            self.port_random.push(random);
            number
        });
        let classes = self.ports.iter().map(|discipline| discipline.classes());
        let ports = self.port_random.into_iter().zip(classes).collect();
        let mut queues = self.ports;
        if self.program.pipeline.psa.is_some() {
            queues.push(crate::psa::recirculation_queue());
        }
        let mut switch = SimpleSwitch::new(self.program, machine, self.frames, self.ingress_random, ports);
        if let Some(number) = cpu_port {
            switch.set_cpu_port(number);
        }
        switch.set_controller_port(self.controller_port);
        let mut manager = TrafficManager::new(queues);
        self.unconnected.into_iter().for_each(|port| manager.close(port));
        let pipeline =
            Pipeline::new(switch, manager, self.recirculation).with_ingress_delay(self.ingress_delay);
        let pipeline = match self.service {
            Some(service) => pipeline.with_service(service),
            None => pipeline,
        };
        P4Switch::new(pipeline, self.commands)
    }
}

//! What a P4 switch is made of.

use std::sync::Arc;

use jettison_core::{Duration, RandomStream, Time};
use jettison_queue::QueueDiscipline;
use jettison_switch::{Pipeline, RecirculationSettings, TrafficManager};
use thiserror::Error;

use super::control::{Command, CommandError};
use super::{Frames, P4Switch, SimpleSwitch};
use jettison_p4_exec::Machine;
use jettison_p4_front::ir::Program;

/// What a P4 switch is made of. A scenario and a packet test fill it in and [build](SwitchPlan::build) it.
pub struct SwitchPlan {
    /// The program.
    pub program: Arc<Program>,
    /// The queues of the ports, port 0 first. [`jettison_queue::bmv2`] is what `simple_switch` has.
    pub ports: Vec<Box<dyn QueueDiscipline>>,
    /// What `random` draws from at each port's egress, port 0 first: as many as there are ports.
    pub port_random: Vec<RandomStream>,
    /// What `random` draws from at ingress.
    pub ingress_random: RandomStream,
    /// The way back to ingress.
    pub recirculation: RecirculationSettings,
    /// From a packet's arrival to ingress.
    pub ingress_delay: Duration,
    /// What a packet is when it leaves.
    pub frames: Frames,
    /// The control plane's commands, in any order; those of one time are carried out as they stand here. At time zero
    /// they are carried out at once, and an error is the plan's.
    pub commands: Vec<(Time, Command)>,
}

/// A command of the plan could not be carried out.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{error}")]
pub struct PlanError {
    /// Its place in [`SwitchPlan::commands`].
    pub command: usize,
    /// What is wrong with it.
    pub error: CommandError,
}

impl SwitchPlan {
    /// A plan with these ports and no commands, with defaults for the rest.
    pub fn new(
        program: Arc<Program>,
        ports: Vec<Box<dyn QueueDiscipline>>,
        ingress_random: RandomStream,
        port_random: Vec<RandomStream>,
    ) -> SwitchPlan {
        SwitchPlan {
            program,
            ports,
            port_random,
            ingress_random,
            recirculation: RecirculationSettings::default(),
            ingress_delay: Duration::ZERO,
            frames: Frames::default(),
            commands: Vec::new(),
        }
    }

    /// The switch, with `machine` to run the program.
    ///
    /// # Errors
    /// If a command at time zero fails.
    pub fn build<M: Machine + Send>(self, machine: M) -> Result<P4Switch<M>, PlanError> {
        let classes = self.ports.iter().map(|discipline| discipline.classes());
        let ports = self.port_random.into_iter().zip(classes).collect();
        let switch = SimpleSwitch::new(self.program, machine, self.frames, self.ingress_random, ports);
        let pipeline = Pipeline::new(switch, TrafficManager::new(self.ports), self.recirculation)
            .with_ingress_delay(self.ingress_delay);
        P4Switch::new(pipeline, self.commands)
    }
}

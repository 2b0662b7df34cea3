//! Controllers of a scenario's P4 switches.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use jettison_p4_front::ir::Program;
use jettison_sim::{SwitchController, SwitchControllerSpec, World};

use super::{BuildFailure, Builder, addresses, part};
use crate::p4_control::ports;
use crate::schema::{Node, Settings};

/// A program that controls all P4 switches of every run, and how each run gets its own.
#[derive(Clone)]
pub struct RunSwitchController {
    /// Its name in messages.
    pub name: String,
    /// Makes the program of a run.
    pub make: MakeSwitchController,
}

/// Makes the controller of a run; the arguments are the run's seed and what it controls. The error is the reason why it
/// cannot.
#[derive(Clone)]
#[expect(clippy::type_complexity, reason = "written once")]
pub struct MakeSwitchController(
    pub Arc<dyn Fn(u64, &ControlledNetwork) -> Result<Box<dyn SwitchController>, String> + Send + Sync>,
);

/// What a controller of switches is told of the network.
#[derive(Debug, Clone)]
pub struct ControlledNetwork {
    /// The P4 routers, in the order of the scenario.
    pub switches: Vec<ControlledSwitch>,
    /// Addresses of all nodes.
    pub addresses: BTreeMap<String, IpAddr>,
}

/// A P4 router, for its controller.
#[derive(Debug, Clone)]
pub struct ControlledSwitch {
    /// Name of the node.
    pub name: String,
    /// Its program.
    pub program: Arc<Program>,
    /// Port numbers by link.
    pub ports: BTreeMap<String, u16>,
    /// Number of the CPU port.
    pub cpu_port: Option<u16>,
}

impl ControlledNetwork {
    /// The P4 routers of a scenario whose check has compiled their programs.
    pub fn of(settings: &Settings) -> ControlledNetwork {
        let switches = settings.nodes.iter().filter_map(|(name, node)| {
            let Node::P4(router) = node else { return None };
            let owned = |(link, port): (&str, u16)| (link.to_owned(), port);
            Some(ControlledSwitch {
                name: name.clone(),
                program: Arc::clone(&router.read.as_ref()?.program),
                ports: ports(settings, name).into_iter().map(owned).collect(),
                cpu_port: router.cpu_port,
            })
        });
        let addresses = addresses(settings).into_iter();
        ControlledNetwork {
            switches: switches.collect(),
            addresses: addresses.map(|(node, address)| (node.to_owned(), IpAddr::from(address))).collect(),
        }
    }
}

impl Builder {
    /// Sets the controller of P4 switches, which every world gets that is built from now on. Live runs have none.
    pub fn set_switch_controller(&mut self, controller: RunSwitchController) {
        self.switch_controller = Some(controller);
    }

    /// Gives a world its controller of switches.
    pub(super) fn control_switches(
        &self,
        world: &mut World,
        settings: &Settings,
        seed: u64,
    ) -> Result<(), BuildFailure> {
        let Some(RunSwitchController { name, make }) = self.switch_controller.clone() else { return Ok(()) };
        let network = ControlledNetwork::of(settings);
        if network.switches.is_empty() {
            return Err(part(&["controller", &name], "the scenario has no node of kind \"p4\" to control"));
        }
        let controller = (make.0)(seed, &network).map_err(|message| part(&["controller", &name], message))?;
        let switches = network.switches.into_iter().map(|switch| switch.name).collect();
        world.set_switch_controller(SwitchControllerSpec { name, switches, controller })?;
        Ok(())
    }
}

//! Builds worlds from checked variants.
//!
//! [`Builder`] holds the component registries and the parsed traces, which all runs of a matrix share. It reads no file: the
//! check of the scenario has read them all ([`Contents`]). Random streams are keyed by names in the scenario alone, so that
//! the arms of a comparison draw the same numbers.

mod catalogue;
mod commands;
mod flows;
mod gauges;
pub(crate) mod hosts;
mod links;
mod live;
mod p4;
mod registries;
mod routers;
mod switch_controllers;
mod variations;

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use jettison_apps::applications;
use jettison_core::{Seed, Time};
use jettison_link::trace::{Recording, Trace};
use jettison_measure::{FlowGroup, GaugeChoice, RecorderSettings};
use jettison_queue::disciplines;
use jettison_queue::entry::Discipline;
use jettison_registry::Registry;
use jettison_sim::{
    ControlError, Controller, ControllerSpec, FlowProgram, NodeId, TopologyError, World, WorldBuilder,
    WorldSettings,
};
use jettison_sockets::{FlowApplication, Transport, transports};
use jettison_switch::entry::HookedQueue;
use jettison_switch::port_queues;
use jettison_wire::Address;
use thiserror::Error;

use crate::inputs::Contents;
use crate::schema::{GaugeSettings, Node, Settings};
pub use catalogue::{Appearance, Appearances};
pub use commands::{CommandFlow, HostCommands, host_commands};
use flows::FlowPrograms;
pub use live::{LiveCommand, LiveFlow, LiveHost, LivePlan, LiveProgram};
pub use switch_controllers::{
    ControlledNetwork, ControlledSwitch, MakeSwitchController, RunSwitchController,
};

/// Builds worlds.
pub struct Builder {
    pub(crate) disciplines: Registry<Discipline>,
    pub(crate) port_queues: Registry<HookedQueue>,
    pub(crate) transports: Registry<Transport>,
    pub(crate) applications: Registry<FlowApplication>,
    /// Programs that every world gets.
    controllers: Vec<RunController>,
    /// The program that controls the switches of every world.
    switch_controller: Option<RunSwitchController>,
    /// Keyed by content: files of two scenarios may share a name.
    traces: Mutex<BTreeMap<Arc<[u8]>, Arc<Trace>>>,
}

/// A program that sets rates of shapers in every run: what it observes, and how each run gets its own.
#[derive(Clone)]
pub struct RunController {
    /// Its name in messages.
    pub name: String,
    /// Directions of links that it observes and whose shapers it may set: `access.forward`.
    pub links: Vec<String>,
    /// Flows of `ping` whose replies it observes.
    pub probes: Vec<String>,
    /// Makes the program of a run.
    pub make: MakeController,
}

/// Makes the controller of a run; the argument is the run's seed. The error is the reason why it cannot.
#[derive(Clone)]
#[expect(clippy::type_complexity, reason = "written once")]
pub struct MakeController(pub Arc<dyn Fn(u64) -> Result<Box<dyn Controller>, String> + Send + Sync>);

/// Options of a run that are not part of the scenario.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BuildOptions {
    /// Tap every direction, not only those of links with `pcap = true`.
    pub tap_all: bool,
    /// In a live run: the first host is the gateway to all addresses that no host has.
    pub gateway: bool,
}

/// Inputs for building links and flows.
struct Plan<'s> {
    settings: &'s Settings,
    contents: &'s Contents,
    nodes: BTreeMap<&'s str, NodeId>,
    addresses: BTreeMap<&'s str, Address>,
    seed: Seed,
}

impl Plan<'_> {
    /// The node at end `key` (`from` or `to`) of a flow.
    fn node(&self, flow: &str, key: &str, name: &str) -> Result<NodeId, BuildFailure> {
        let found = self.nodes.get(name).copied();
        found.ok_or_else(|| part(&["flows", flow, key], format!("unknown node `{name}`")))
    }
}

/// A group of the flows of an entry.
fn flow_group(settings: &Settings, entry: &str) -> FlowGroup {
    let flows = settings.flows.get(entry).map(|flow| flow.names(entry)).unwrap_or_default();
    FlowGroup { name: entry.to_owned(), flows }
}

/// The recorder settings of a run.
pub(crate) fn recorder_settings(settings: &Settings) -> RecorderSettings {
    RecorderSettings {
        interval: settings.sample_interval,
        warm_up: Time::ZERO + settings.warm_up,
        gauges: match &settings.gauges {
            None | Some(GaugeSettings::All(false)) => GaugeChoice::None,
            Some(GaugeSettings::All(true)) => GaugeChoice::All,
            Some(GaugeSettings::Named(names)) => GaugeChoice::Named(names.clone().into()),
        },
        rate_ratios: settings
            .rate_ratios
            .iter()
            .map(|pair| pair.each_ref().map(|entry| flow_group(settings, entry)))
            .collect(),
        identities: settings.record.identities(),
        accounts: settings.record.accounts,
        events: settings.record.events(),
    }
}

/// An error in building a variant that has passed all checks.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BuildFailure {
    /// A part of the scenario.
    #[error("{place}: {message}")]
    Part {
        /// Path of keys.
        place: String,
        /// The problem.
        message: String,
    },
    /// The topology as a whole.
    #[error(transparent)]
    Topology(#[from] TopologyError),
    /// A controller.
    #[error(transparent)]
    Control(#[from] ControlError),
    /// A file that was not read when the scenario was checked, or is invalid.
    #[error("{file}: {message}")]
    File {
        /// The file, as the scenario names it.
        file: String,
        /// The problem.
        message: String,
    },
}

impl Default for Builder {
    fn default() -> Builder {
        Builder::standard()
    }
}

impl Builder {
    /// A builder with all components of the project.
    pub fn standard() -> Builder {
        Builder {
            disciplines: disciplines(),
            port_queues: port_queues(),
            transports: transports(),
            applications: applications(),
            controllers: Vec::new(),
            switch_controller: None,
            traces: Mutex::default(),
        }
    }

    /// The queue disciplines, for registering more.
    pub fn disciplines_mut(&mut self) -> &mut Registry<Discipline> {
        &mut self.disciplines
    }

    /// Adds a controller, which every world gets that is built from now on. Live runs have none.
    pub fn add_controller(&mut self, controller: RunController) {
        self.controllers.push(controller);
    }

    /// The applications, for registering more.
    pub fn applications_mut(&mut self) -> &mut Registry<FlowApplication> {
        &mut self.applications
    }

    /// Builds the world of a variant and seed. `contents` holds the files that the scenario names.
    pub fn build(
        &self,
        settings: &Settings,
        contents: &Contents,
        seed: u64,
        options: &BuildOptions,
    ) -> Result<World, BuildFailure> {
        let (mut world, plan) = self.network(settings, contents, seed, options, WorldBuilder::host)?;
        for name in settings.flows.keys() {
            for flow in self.flows(name, &plan)? {
                let (from, to) = (plan.node(name, "from", flow.from)?, plan.node(name, "to", flow.to)?);
                let FlowPrograms::BuiltIn(parts) = flow.programs else {
                    let message = "runs external programs, which only `jettison live` supports";
                    return Err(part(&["flows", name, "app"], message));
                };
                let host = |at_from: bool| if at_from { from } else { to };
                let parts = parts.into_iter().map(|(at_from, application, start, stop)| FlowProgram {
                    host: host(at_from),
                    application,
                    start,
                    stop,
                });
                world.flow(flow.name, from, to, parts.collect());
            }
        }
        let mut world = world.build()?;
        for RunController { name, links, probes, make } in self.controllers.iter().cloned() {
            let controller = (make.0)(seed).map_err(|message| part(&["controller", &name], message))?;
            world.add_controller(ControllerSpec { name, links, probes, controller })?;
        }
        self.control_switches(&mut world, settings, seed)?;
        Ok(world)
    }

    /// Builds nodes and links. `host` adds a host, modelled or outside.
    fn network<'s>(
        &self,
        settings: &'s Settings,
        contents: &'s Contents,
        seed: u64,
        options: &BuildOptions,
        host: fn(&mut WorldBuilder, String, Address) -> NodeId,
    ) -> Result<(WorldBuilder, Plan<'s>), BuildFailure> {
        let seed = Seed(seed);
        let mut world = WorldBuilder::new(WorldSettings { seed, recorder: recorder_settings(settings) });
        let addresses = addresses(settings);
        let mut nodes: BTreeMap<&str, NodeId> = BTreeMap::new();
        for (name, node) in &settings.nodes {
            let id = match node {
                Node::Host(own) => {
                    let address = addresses[name.as_str()];
                    let id = host(&mut world, name.clone(), address);
                    if let Some(interface) = hosts::ethernet(own, address) {
                        world.ethernet(id, interface);
                    }
                    id
                }
                Node::Router(router) => {
                    let make = routers::native(name, router, settings, &addresses, seed)?;
                    let id = world.router(name.as_str(), make);
                    if router.nat.is_some() {
                        world.masquerade(id, addresses[name.as_str()]);
                    }
                    id
                }
                Node::P4(router) => {
                    let make = p4::p4(name, router, settings, &addresses, seed)?;
                    world.try_router(name.as_str(), make)
                }
            };
            nodes.insert(name, id);
        }
        let plan = Plan { settings, contents, nodes, addresses, seed };
        for (name, link) in &settings.links {
            world.link_at(self.link(name, &plan, options)?, link.port_numbers());
        }
        Ok((world, plan))
    }

    /// Parses a trace, once per content.
    pub(crate) fn trace(&self, contents: &Contents, file: &str) -> Result<Arc<Trace>, BuildFailure> {
        let content = content(contents, file)?;
        let mut traces = self.traces.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(trace) = traces.get(&content) {
            return Ok(Arc::clone(trace));
        }
        let wrong = |message: String| BuildFailure::File { file: file.to_owned(), message };
        let recording = Recording::read(&content, None).map_err(|error| wrong(error.to_string()))?;
        let trace = recording.into_shared_trace().map_err(|error| wrong(error.to_string()))?;
        traces.insert(content, Arc::clone(&trace));
        Ok(trace)
    }
}

/// The content of a file that the scenario names.
pub(crate) fn content(contents: &Contents, file: &str) -> Result<Arc<[u8]>, BuildFailure> {
    contents.content(file).cloned().ok_or_else(|| BuildFailure::File {
        file: file.to_owned(),
        message: "was not read when the scenario was checked".to_owned(),
    })
}

/// The address of each node: from the file, or else the next free one of 198.18.0.0/15 (RFC 2544).
pub(crate) fn addresses(settings: &Settings) -> BTreeMap<&str, Address> {
    let given: Vec<IpAddr> = settings.nodes.values().filter_map(Node::address).collect();
    let mut next = 0;
    let mut free = || loop {
        let address = WorldBuilder::default_address(next);
        next += 1;
        if !given.contains(&IpAddr::from(address)) {
            return address;
        }
    };
    settings
        .nodes
        .iter()
        .map(|(name, node)| (name.as_str(), node.address().map_or_else(&mut free, Address::from)))
        .collect()
}

pub(crate) fn part(place: &[&str], message: impl ToString) -> BuildFailure {
    BuildFailure::Part { place: place.join("."), message: message.to_string() }
}

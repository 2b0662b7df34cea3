//! Plans of live runs: a world with outside hosts, and the programs that run in those hosts.

use jettison_core::Time;
use jettison_measure::{Recorder, RecorderSettings};
use jettison_sim::{Ethernet, NodeId, World, WorldBuilder};
use jettison_sockets::Application;
use jettison_sockets::command::CommandParameters;
use jettison_tcp::TcpParameters;
use jettison_wire::{Address, FlowId};

use super::flows::FlowPrograms;
use super::{BuildFailure, BuildOptions, Builder, part, recorder_settings};
use crate::inputs::Contents;
use crate::schema::{Live, Node, Settings};

/// The plan of a live run of one variant and seed.
pub struct LivePlan {
    /// The network. It has the flows, but none of their programs.
    pub world: World,
    /// Recorder settings, as in the world.
    pub recorder: RecorderSettings,
    /// Packet handling.
    pub settings: Live,
    /// The hosts, in the order of the scenario.
    pub hosts: Vec<LiveHost>,
    /// The flows, in the order of their ids.
    pub flows: Vec<LiveFlow>,
    /// Built-in programs.
    pub programs: Vec<LiveProgram>,
    /// External programs.
    pub commands: Vec<LiveCommand>,
}

/// A host of a live run.
#[derive(Debug, Clone, PartialEq)]
pub struct LiveHost {
    /// Its name.
    pub name: String,
    /// Its node in the world.
    pub node: NodeId,
    /// Its address.
    pub address: Address,
    /// The kernel's default congestion control.
    pub congestion: String,
    /// Kernel settings (sysctls).
    pub sysctls: Vec<(String, String)>,
    /// Its Ethernet interface; `None` for a device that carries IP packets.
    pub ethernet: Option<Ethernet>,
    /// Shell commands that set it up.
    pub commands: Vec<String>,
}

/// A flow of a live run.
#[derive(Debug, Clone, PartialEq)]
pub struct LiveFlow {
    /// Its name.
    pub name: String,
    /// Index of the `from` host.
    pub from: usize,
    /// Index of the `to` host.
    pub to: usize,
    /// IP protocol number, if known.
    pub protocol: Option<u8>,
    /// Ports that identify its packets, at either end. If empty, the flow gets all packets between its hosts that match no
    /// other flow.
    pub ports: Vec<u16>,
    /// Whether built-in programs measure it.
    pub built_in: bool,
    /// Whether it delivers data to an application (a ping does not).
    pub carries_data: bool,
    /// TCP parameters, for a built-in program over TCP.
    pub tcp: Option<TcpParameters>,
}

/// A built-in program.
pub struct LiveProgram {
    /// Its flow.
    pub flow: FlowId,
    /// Index of its host.
    pub host: usize,
    /// The program.
    pub application: Box<dyn Application>,
    /// Start time.
    pub start: Time,
    /// Stop time; [`Time::MAX`] for never.
    pub stop: Time,
}

/// External programs at the ends of a flow.
#[derive(Debug, Clone, PartialEq)]
pub struct LiveCommand {
    /// The flow.
    pub flow: FlowId,
    /// Commands and hosts.
    pub parameters: CommandParameters,
    /// The port of the flow.
    pub port: u16,
    /// Start of the initiating end.
    pub start: Time,
    /// Stop time; [`Time::MAX`] for the end of the run.
    pub stop: Time,
}

impl Builder {
    /// Builds the plan of a live run of a variant and seed.
    pub fn build_live(
        &self,
        settings: &Settings,
        contents: &Contents,
        seed: u64,
        options: &BuildOptions,
    ) -> Result<LivePlan, BuildFailure> {
        let (mut world, plan) =
            self.network(settings, contents, seed, options, WorldBuilder::outside_host)?;
        let hosts: Vec<LiveHost> = settings
            .nodes
            .iter()
            .filter_map(|(name, node)| match node {
                Node::Host(host) => Some(LiveHost {
                    name: name.clone(),
                    node: plan.nodes[name.as_str()],
                    address: plan.addresses[name.as_str()],
                    congestion: host.congestion.clone().unwrap_or_else(|| "cubic".to_owned()),
                    sysctls: host
                        .sysctls
                        .iter()
                        .map(|(key, value)| (key.clone(), value.to_string()))
                        .collect(),
                    ethernet: super::hosts::ethernet(host, plan.addresses[name.as_str()]),
                    commands: host.commands.clone(),
                }),
                Node::Router(_) | Node::P4(_) => None,
            })
            .collect();
        if let Some(first) = hosts.first().filter(|_| options.gateway) {
            world.gateway(first.node);
        }
        let place = |flow: &str, key: &str, name: &str| {
            let found = hosts.iter().position(|host| host.name == name);
            found.ok_or_else(|| part(&["flows", flow, key], format!("unknown host `{name}`")))
        };
        let (mut flows, mut programs, mut commands) = (Vec::new(), Vec::new(), Vec::new());
        for (name, flow) in &settings.flows {
            if flow.app.0.kind == "frames" {
                let message = "`frames` runs in simulations only; send frames with a program of your own";
                return Err(part(&["flows", name, "app"], message));
            }
            for flow in self.flows(name, &plan)? {
                let (from, to) = (place(name, "from", flow.from)?, place(name, "to", flow.to)?);
                let ends = (plan.node(name, "from", flow.from)?, plan.node(name, "to", flow.to)?);
                let id = world.flow(flow.name.as_str(), ends.0, ends.1, Vec::new());
                let mut live_flow = LiveFlow {
                    name: flow.name,
                    from,
                    to,
                    protocol: None,
                    ports: Vec::new(),
                    built_in: true,
                    carries_data: true,
                    tcp: None,
                };
                match flow.programs {
                    FlowPrograms::Commands(parameters) => {
                        live_flow.built_in = false;
                        live_flow.ports = parameters.ports.clone();
                        let (start, stop) = flow.span;
                        let parameters = *parameters;
                        commands.push(LiveCommand { flow: id, parameters, port: flow.port, start, stop });
                    }
                    FlowPrograms::BuiltIn(parts) => {
                        // Only a ping has a program at one end alone; the far kernel answers it.
                        live_flow.carries_data = parts.len() > 1;
                        if live_flow.carries_data {
                            // IANA protocol numbers: TCP 6, UDP 17, ICMP 1, ICMPv6 58.
                            live_flow.protocol = Some(if flow.transport == "tcp" { 6 } else { 17 });
                            live_flow.ports = vec![flow.port];
                        } else {
                            live_flow.protocol = Some(if hosts[to].address.is_v4() { 1 } else { 58 });
                        }
                        programs.extend(parts.into_iter().map(|(at_from, application, start, stop)| {
                            let host = if at_from { from } else { to };
                            LiveProgram { flow: id, host, application, start, stop }
                        }));
                        live_flow.tcp = flow.tcp.map(|parameters| TcpParameters::clone(&parameters));
                    }
                }
                flows.push(live_flow);
            }
        }
        let live = settings.live.unwrap_or_default();
        let recorder = recorder_settings(settings);
        Ok(LivePlan { world: world.build()?, recorder, settings: live, hosts, flows, programs, commands })
    }
}

impl LivePlan {
    /// A recorder with this run's flows, in the order of their ids.
    pub fn flow_recorder(&self) -> Recorder {
        let mut recorder = Recorder::new(self.recorder.clone());
        for (index, flow) in self.flows.iter().enumerate() {
            recorder.add_flow(flow.name.as_str());
            if !flow.carries_data {
                recorder.carries_no_data(FlowId(index as u32));
            }
        }
        recorder
    }
}

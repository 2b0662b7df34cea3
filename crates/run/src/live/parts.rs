//! Creates the router and the built-in programs of a plan.

use std::net::IpAddr;
use std::sync::Arc;

use jettison_live::LiveClock;
use jettison_live::host::{HostSockets, LiveHosts, LiveProgram, SocketRule, Watched};
use jettison_live::net::Namespace;
use jettison_live::router::{Classifier, MeasuredFlow, Router, RouterPort, RouterSettings, Rule};
use jettison_live::scheduling::priority;
use jettison_measure::wire::Tells;
use jettison_scenario::build::{LiveFlow, LivePlan};
use jettison_wire::FlowId;

use super::machine::Made;

/// Creates the built-in programs, moved out of the plan, and observers of the sockets of the user's programs.
pub fn built_in(
    plan: &mut LivePlan,
    namespaces: &[Arc<Namespace>],
    clock: LiveClock,
    real_time: bool,
) -> Result<LiveHosts, String> {
    let mut hosts = Vec::new();
    for (host, namespace) in plan.hosts.iter().zip(namespaces) {
        let fd = namespace
            .fd()
            .try_clone_to_owned()
            .map_err(|error| format!("cannot duplicate a namespace's descriptor: {error}"))?;
        let (name, address) = (host.name.clone(), IpAddr::from(host.address));
        hosts.push(HostSockets { name, address, namespace: Arc::new(fd) });
    }
    let programs = std::mem::take(&mut plan.programs).into_iter().map(|program| LiveProgram {
        flow: program.flow,
        host: program.host,
        application: program.application,
        start: program.start,
        stop: program.stop,
    });
    let programs = programs.collect();
    let mut watched = Vec::new();
    for command in &plan.commands {
        let flow = &plan.flows[command.flow.0 as usize];
        let ports: Vec<Option<u16>> = match flow.ports.is_empty() {
            // Sockets of other flows between the same hosts must not be attributed to this one.
            true if plan.flows.iter().filter(|other| joins_same(flow, other)).count() > 1 => Vec::new(),
            true => vec![None],
            false => flow.ports.iter().copied().map(Some).collect(),
        };
        for port in ports {
            // The flow's sender, whichever end opened the connection.
            let rule = SocketRule { peer: IpAddr::from(plan.hosts[flow.to].address), port };
            watched.push(Watched { flow: command.flow, host: flow.from, rule });
        }
    }
    LiveHosts::new(hosts, programs, watched, plan.flow_recorder(), clock)
        .map(|hosts| hosts.in_real_time(real_time.then_some(priority::HOSTS)))
        .map_err(|error| format!("cannot start the built-in programs: {error}"))
}

fn joins_same(flow: &LiveFlow, other: &LiveFlow) -> bool {
    [(flow.from, flow.to), (flow.to, flow.from)].contains(&(other.from, other.to))
}

/// Creates the router of a plan. With `uplink`, the first host is the default route. `tells` are the flows whose programs tell of units.
pub fn router(
    plan: LivePlan,
    hosts: Vec<Made>,
    clock: LiveClock,
    real_time: bool,
    uplink: bool,
    tells: Tells,
) -> Router {
    let addresses = plan.hosts.iter().map(|host| (host.address, host.node)).collect::<Vec<_>>();
    let mut rules = Vec::new();
    // Flows with ports come first: they are more specific.
    for any_port in [false, true] {
        for (index, flow) in
            plan.flows.iter().enumerate().filter(|(_, flow)| flow.ports.is_empty() == any_port)
        {
            let (from, to) = (plan.hosts[flow.from].node, plan.hosts[flow.to].node);
            let rule = |port| Rule { from, to, protocol: flow.protocol, port, flow: FlowId(index as u32) };
            match any_port {
                true => rules.push(rule(None)),
                false => rules.extend(flow.ports.iter().map(|port| rule(Some(*port)))),
            }
        }
    }
    let measured = plan.flows.iter().enumerate().map(|(index, flow)| MeasuredFlow {
        flow: FlowId(index as u32),
        receivers: [Some(plan.hosts[flow.to].node), None],
    });
    let settings = RouterSettings {
        real_time: real_time.then_some(priority::ROUTER),
        mtu: plan.settings.mtu,
        merge: plan.settings.merge,
        ..RouterSettings::default()
    };
    let ports =
        plan.hosts.iter().zip(hosts).map(|(host, made)| RouterPort { host: host.node, tun: made.tun });
    let classifier = Classifier::new(addresses, rules);
    let classifier = if uplink { classifier.with_gateway(plan.hosts[0].node) } else { classifier };
    let mut world = plan.world;
    world.recorder().watch_real_packets(tells);
    Router { ports: ports.collect(), classifier, measured: measured.collect(), settings, clock, world }
}

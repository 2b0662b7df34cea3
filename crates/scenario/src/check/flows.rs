//! Checks of flows: connected ends, consistent times, ports, and transports that suit their application.

use indexmap::{IndexMap, IndexSet};
use jettison_sockets::Initiator;

use super::Checker;
use crate::schema::{Flow, Node, Settings};
use crate::validate::Finding;
use jettison_registry::KeyPath;

impl Checker<'_> {
    pub(super) fn flows(&mut self) {
        let settings = self.settings;
        let table = KeyPath::root().key("flows");
        let neighbours = neighbours(settings);
        // Many flows share a sender, so reachable nodes are computed once per sender.
        let mut reachable: IndexMap<&str, IndexSet<&str>> = IndexMap::new();
        let mut names: IndexMap<String, &str> = IndexMap::new();
        let mut listening: IndexMap<(&str, &str, u16), &str> = IndexMap::new();
        for (name, flow) in &settings.flows {
            let at = table.key(name);
            let from = self.flow_end(&flow.from, &at.key("from"));
            let to = self.flow_end(&flow.to, &at.key("to"));
            if from && to {
                let reached = reachable
                    .entry(&flow.from)
                    .or_insert_with(|| reached_from(&flow.from, &neighbours, settings));
                let joined = reached.contains(flow.to.as_str());
                self.path_between(flow, joined, &at);
            }
            self.flow_times(flow, &at);
            self.frames_flow(flow, &at);
            self.transport(flow, &at);
            self.address_families(flow, &at);
            self.listening_ports(name, flow, &at, &mut listening);
            for each in flow.names(name) {
                if let Some(other) = names.insert(each.clone(), name) {
                    let message =
                        format!("flow names must be unique: `{other}` and `{name}` both make `{each}`");
                    self.find(&at, message, "rename one of them");
                }
            }
        }
    }

    /// Checks that the end is a host.
    fn flow_end(&mut self, name: &str, at: &KeyPath) -> bool {
        if !self.node_name(name, at) {
            return false;
        }
        match self.settings.nodes.get(name) {
            Some(Node::Host(_)) => true,
            Some(node) => {
                let node_kind = if matches!(node, Node::P4(_)) { "P4 router" } else { "router" };
                let hosts = self.settings.nodes.iter().filter(|(_, node)| node.is_host());
                let hosts: Vec<&str> = hosts.map(|(name, _)| name.as_str()).collect();
                let message = format!("`{at}` must be a host, got the {node_kind} `{name}`");
                self.find(at, message, format!("hosts: {}", hosts.join(", ")));
                false
            }
            // The schema check has reported this node.
            None => false,
        }
    }

    fn path_between(&mut self, flow: &Flow, joined: bool, at: &KeyPath) {
        let (from, to) = (&flow.from, &flow.to);
        if from == to {
            let message = format!("`from` and `to` must be different hosts, both are `{from}`");
            self.find(&at.key("to"), message, "name another host");
        } else if !joined && !self.broken_links() {
            let message = format!("no path of links and routers from `{from}` to `{to}`");
            self.find(&at.key("to"), message, "add the missing link to [links]");
        }
    }

    /// Whether a wrong link may be the cause of a missing path.
    pub(super) fn broken_links(&self) -> bool {
        let links = KeyPath::root().key("links");
        let wrong_end =
            |finding: &Finding| finding.path.starts_with(&links) && finding.path.last_key() == "between";
        self.is_refused(&links) || self.findings.iter().any(wrong_end)
    }

    fn flow_times(&mut self, flow: &Flow, at: &KeyPath) {
        if let Some(stop) = flow.stop
            && stop <= flow.start
        {
            let message = format!("`stop` must be after `start` ({}), got {stop}", flow.start);
            self.find(&at.key("stop"), message, "write a later `stop` or an earlier `start`");
        }
        let end = jettison_core::Time::ZERO + self.settings.duration;
        // An entry with `count = 0` makes no flow.
        let Some(further) = flow.count.checked_sub(1) else { return };
        let last_start = flow.start + flow.start_spacing * u64::from(further);
        if last_start >= end {
            let message = format!("flows must start before the run ends at {end}, got {last_start}");
            self.find(&at.key("start"), message, "write an earlier `start` or a longer `duration`");
        }
        let last = flow.port.map(|port| u32::from(port) + further);
        if last.is_some_and(|last| last > u32::from(u16::MAX)) {
            let message = format!("the last flow's port must be <= 65535, got {}", last.unwrap_or_default());
            self.find(&at.key("port"), message, "write a lower `port` or a smaller `count`");
        }
    }

    /// Checks that no two flows listen on the same port of a host. The end that does not initiate listens.
    fn listening_ports<'n>(
        &mut self,
        name: &'n str,
        flow: &'n Flow,
        at: &KeyPath,
        listening: &mut IndexMap<(&'n str, &'n str, u16), &'n str>,
    ) {
        let Some(transport) = (self.registries.usual_transport.0)(&flow.app.0.kind) else { return };
        let transport = flow.transport.as_ref().map_or(transport, |choice| choice.0.kind.clone());
        let host = match (self.registries.initiator.0)(&flow.app.0.kind) {
            Initiator::From => flow.to.as_str(),
            Initiator::To => flow.from.as_str(),
        };
        let protocol = if transport == "tcp" { "tcp" } else { "udp" };
        let first = flow.port.unwrap_or_else(|| self.settings.default_port(name, &transport));
        for number in 0..flow.count {
            let port = first.wrapping_add(number as u16).max(1);
            if let Some(other) = listening.insert((host, protocol, port), name)
                && other != name
            {
                let message =
                    format!("`{other}` and `{name}` both listen on {protocol} port {port} of `{host}`");
                let help = match transport.as_str() {
                    "octopus" => {
                        "give one of them another `port`, and name both in the `ports` of Octopus queues"
                    }
                    _ => "give one of them another `port`",
                };
                self.find(&at.key("port"), message, help);
                return;
            }
        }
    }

    /// Checks that both addresses are of one family, as in every IP packet.
    fn address_families(&mut self, flow: &Flow, at: &KeyPath) {
        let is_v6 = |name: &str| {
            let address = self.settings.nodes.get(name).and_then(Node::address);
            address.is_some_and(|address| address.is_ipv6())
        };
        if is_v6(&flow.from) != is_v6(&flow.to) {
            let message = format!(
                "`{}` and `{}` must have addresses of one family, got IPv4 and IPv6",
                flow.from, flow.to
            );
            self.find(&at.key("to"), message, "give both an IPv4 address or both an IPv6 address");
        }
    }

    fn transport(&mut self, flow: &Flow, at: &KeyPath) {
        let application = &flow.app.0.kind;
        let transport = flow.transport.as_ref().map(|transport| transport.0.kind.as_str());
        if self.is_refused(&at.key("app")) || self.is_refused(&at.key("transport")) {
            return;
        }
        if let Err(message) = (self.registries.fits.0)(application, transport) {
            let place = if transport.is_some() { at.key("transport") } else { at.clone() };
            self.findings.push(Finding::complete(&place, message));
        }
    }
}

/// The neighbours of each node.
fn neighbours(settings: &Settings) -> IndexMap<&str, Vec<&str>> {
    let mut neighbours: IndexMap<&str, Vec<&str>> = IndexMap::new();
    for link in settings.links.values() {
        let [first, second] = &link.between;
        neighbours.entry(first).or_default().push(second);
        neighbours.entry(second).or_default().push(first);
    }
    neighbours
}

/// The nodes that packets of a host can reach; hosts do not forward.
fn reached_from<'n>(
    start: &'n str,
    neighbours: &IndexMap<&'n str, Vec<&'n str>>,
    settings: &Settings,
) -> IndexSet<&'n str> {
    let mut reached = IndexSet::from([start]);
    let mut next = 0;
    while let Some(&node) = reached.get_index(next) {
        next += 1;
        let forwards = node == start || settings.nodes.get(node).is_none_or(|node| !node.is_host());
        if forwards {
            reached.extend(neighbours.get(node).into_iter().flatten().copied());
        }
    }
    reached
}

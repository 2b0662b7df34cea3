//! `p4app.json` of p4-utils.
//!
//! Addresses follow p4-utils' strategies (`l2`, `mixed`, `l3`), and switches number their ports from 1 in the natural order of the
//! links' ends, so that command files written for p4-utils fit.

use std::collections::{BTreeMap, BTreeSet};
use std::net::Ipv4Addr;

use crate::Options;
use crate::error::ProjectErrors;
use crate::find::Found;
use crate::json::{Json, Place};
use crate::network::{Controller, FIRST_THRIFT_PORT, Host, Link, Mac, Network, Switch};
use crate::settings::{Files, address, bandwidth, delay, mac, project_name};

/// Keys that say how p4-utils runs a network, which has no counterpart here.
const OF_P4_UTILS: [&str; 14] = [
    "p4_src",
    "topology",
    "cli",
    "pcap_dump",
    "enable_log",
    "exec_scripts",
    "switch_node",
    "host_node",
    "router_node",
    "compiler_module",
    "client_module",
    "mininet_module",
    "tasks_file",
    "log_dir",
];

/// Reads the network of a `p4app.json`.
pub(crate) fn network(found: &Found, options: &Options) -> Result<Network, ProjectErrors> {
    let json = Json::read(&found.file)?;
    let root = json.root();
    let mut notes = root.unknown_keys(&OF_P4_UTILS);
    notes.extend(scripts(&root));
    let Some(topology) = root.required("topology") else { return json.finish(Network::default()) };
    notes.extend(topology.unknown_keys(&[
        "hosts",
        "switches",
        "links",
        "default",
        "assignment_strategy",
        "auto_gw_arp",
        "auto_arp_tables",
    ]));
    if let Some(routers) = topology.get("routers").filter(|routers| !routers.entries().is_empty()) {
        routers.refuse("routers that run FRRouting are not supported");
    }
    let switches = match Files::new(&found.folder, options.program.as_deref()) {
        Ok(files) => switches(&root, &topology, &files, &mut notes),
        Err(error) => {
            json.add(error);
            Vec::new()
        }
    };
    let mut plan = Plan {
        hosts: names(&topology, "hosts"),
        switches: names(&topology, "switches"),
        ids: BTreeMap::new(),
        links: Vec::new(),
    };
    plan.ids = plan.switches.iter().cloned().zip(1..).collect();
    plan.links = plan.links(&topology);
    if json.root().value.is_object() {
        plan.check(&topology);
    }
    let strategy = topology.get("assignment_strategy");
    let strategy = strategy.as_ref().and_then(|place| Some((place, place.text()?)));
    let addresses_between_switches = matches!(strategy, Some((_, "l3" | "mixed")));
    let hosts = match strategy {
        None => plan.addresses_by_hand(&topology),
        Some((_, "l2")) => plan.addresses(Strategy::L2),
        Some((_, "mixed")) => plan.addresses(Strategy::Mixed),
        Some((_, "l3")) => plan.addresses(Strategy::L3),
        Some((place, other)) => {
            place
                .refuse(format!("unknown strategy `{}`", other.escape_debug()))
                .suggest(other, ["l2", "mixed", "l3"].into_iter());
            Vec::new()
        }
    };
    let hosts = neighbours(hosts, &topology);
    let links = plan.numbered(&cpu_ports(&topology, &mut notes));
    let name = project_name(&found.folder, &found.file);
    let folder = found.folder.clone();
    json.finish(Network { folder, name, hosts, switches, links, addresses_between_switches, notes })
}

/// What p4-utils would start beside the network.
fn scripts(root: &Place<'_>) -> Vec<String> {
    let Some(scripts) = root.get("exec_scripts") else { return Vec::new() };
    let note = |script: Place<'_>| {
        let command = script.get("cmd")?;
        Some(format!("the script `{}` is not run", command.text()?.escape_debug()))
    };
    scripts.elements().into_iter().filter_map(note).collect()
}

/// Names in the order in which p4-utils sorts them: numbers in names count as numbers.
fn names(topology: &Place<'_>, key: &str) -> Vec<String> {
    let found = topology.get(key);
    let mut names: Vec<String> =
        found.iter().flat_map(Place::entries).map(|(name, _)| name.to_owned()).collect();
    names.sort_by_key(|name| natural(name));
    names
}

/// Texts and numbers of a name, in turn.
fn natural(name: &str) -> Vec<(String, u64)> {
    let mut parts = Vec::new();
    let (mut text, mut digits) = (String::new(), String::new());
    for c in name.chars() {
        if c.is_ascii_digit() && digits.len() < 18 {
            digits.push(c);
            continue;
        }
        if !digits.is_empty() {
            parts.push((std::mem::take(&mut text), digits.parse().unwrap_or(0)));
            digits.clear();
        }
        text.push(c);
    }
    parts.push((text, digits.parse().unwrap_or(0)));
    parts
}

fn switches(
    root: &Place<'_>,
    topology: &Place<'_>,
    files: &Files<'_>,
    notes: &mut Vec<String>,
) -> Vec<Switch> {
    const KEYS: [&str; 16] = [
        "p4_src",
        "program",
        "cli_input",
        "cpu_port",
        "priority_queues_num",
        "switch_node",
        "log_enabled",
        "log_dir",
        "pcap_dump",
        "pcap_dir",
        "sw_bin",
        "thrift_port",
        "grpc_port",
        "device_id",
        "dpid",
        "log_file",
    ];
    let Some(switches) = topology.required("switches") else { return Vec::new() };
    let given = files.program.as_ref().map(|program| files.relative(program));
    let mut found = Vec::new();
    let mut without_entries = Vec::new();
    let order = names(topology, "switches");
    for (name, place) in switches.entries() {
        if place.object().is_none() {
            continue;
        }
        notes.extend(place.unknown_keys(&KEYS));
        // `program` has no effect in p4-utils; some projects have it beside `p4_src`.
        let source = place.get("p4_src").or_else(|| root.get("p4_src")).or_else(|| place.get("program"));
        let program = match (&given, source) {
            (Some(Ok(given)), _) => Some(given.clone()),
            (Some(Err(message)), _) => {
                place.refuse(message.clone());
                None
            }
            (None, None) => {
                place
                    .refuse(format!("switch `{name}` has no program"))
                    .help("add `p4_src`, or name the program with `--program FILE.p4`");
                None
            }
            (None, Some(source)) => source.parsed(|text| files.path(text)),
        };
        let commands = place.get("cli_input").and_then(|file| file.parsed(|text| files.path(text)));
        if commands.is_none() && place.get("cli_input").is_none() {
            without_entries.push(name);
        }
        let priorities = place.get("priority_queues_num").and_then(|queues| {
            let number = queues.value.as_u64().filter(|number| (1..=8).contains(number));
            if number.is_none() {
                queues.refuse(format!("must be a number from 1 to 8, got {}", queues.value));
            }
            number
        });
        let node = place.get("switch_node").or_else(|| root.get("switch_node"));
        let class = node.and_then(|node| node.value.get("object_name")?.as_str().map(str::to_owned));
        let at = order.iter().position(|other| other == name).unwrap_or_default();
        let controller = (class.as_deref() == Some("P4RuntimeSwitch")).then(|| controller(at));
        if let Some(Controller { port, device_id, .. }) = &controller {
            notes.push(format!(
                "in `live` controllers reach `{name}` over P4Runtime at 127.0.0.1:{port}, device {device_id}"
            ));
        }
        if let Some(program) = program {
            let (name, entities) = (name.to_owned(), None);
            let thrift = thrift_port(&place).unwrap_or(0);
            found.push(Switch { name, program, commands, entities, priorities, controller, thrift });
        }
    }
    // Numbers of switches follow their names.
    found.sort_by_key(|switch| natural(&switch.name));
    number_thrift(&mut found);
    if !without_entries.is_empty() && root.get("exec_scripts").is_some() {
        notes.push(format!(
            "without a controller the tables of {} have no entries",
            without_entries.join(", ")
        ));
    }
    found
}

/// The port of Thrift that a switch gives itself.
fn thrift_port(place: &Place<'_>) -> Option<u16> {
    let given = place.get("thrift_port")?;
    let number = given.value.as_u64().and_then(|number| u16::try_from(number).ok()).filter(|port| *port > 0);
    if number.is_none() {
        given.refuse(format!("must be a TCP port, got {}", given.value));
    }
    number
}

/// Gives each switch without a port of Thrift the next free one.
fn number_thrift(switches: &mut [Switch]) {
    let mut taken: BTreeSet<u16> = switches.iter().map(|switch| switch.thrift).collect();
    for switch in switches.iter_mut().filter(|switch| switch.thrift == 0) {
        let free = (FIRST_THRIFT_PORT..u16::MAX).find(|port| !taken.contains(port)).unwrap_or(u16::MAX);
        taken.insert(free);
        switch.thrift = free;
    }
}

/// TCP port of the first switch with P4Runtime in p4-utils; those of the others follow. Device ids begin with 1.
const FIRST_PORT: u16 = 9559;

/// Where p4-utils lets controllers reach the switch with this number.
fn controller(at: usize) -> Controller {
    let number = u16::try_from(at).unwrap_or(u16::MAX);
    Controller { port: FIRST_PORT.saturating_add(number), device_id: at as u64 + 1, cpu_port: None }
}

/// Names, and links as they are written.
struct Plan<'a> {
    hosts: Vec<String>,
    switches: Vec<String>,
    /// Numbers of switches.
    ids: BTreeMap<String, u32>,
    links: Vec<Written<'a>>,
}

/// A link as it is written.
struct Written<'a> {
    place: Place<'a>,
    link: Link,
    /// Addresses at the ends: of hosts, or those that a switch stands for.
    ips: [Option<(Ipv4Addr, u8)>; 2],
    macs: [Option<Mac>; 2],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Strategy {
    L2,
    Mixed,
    L3,
}

impl<'a> Plan<'a> {
    fn links(&self, topology: &Place<'a>) -> Vec<Written<'a>> {
        let places: Vec<Place<'_>> = topology.required("links").iter().flat_map(Place::elements).collect();
        let default = topology.get("default");
        places.into_iter().filter_map(|place| self.link(place, default.as_ref())).collect()
    }

    fn link(&self, place: Place<'a>, default: Option<&Place<'a>>) -> Option<Written<'a>> {
        let parts = place.elements();
        if !(2..=3).contains(&parts.len()) {
            if place.value.is_array() {
                place.refuse(format!(
                    "a link has two ends and a table of settings, got {} values",
                    parts.len()
                ));
            }
            return None;
        }
        let [first, second] = [self.end(&parts[0]), self.end(&parts[1])];
        let ends = [first?, second?];
        if ends[0] == ends[1] {
            place.refuse(format!("a link joins two nodes, both ends are `{}`", ends[0]));
            return None;
        }
        let own = parts.get(2);
        if let Some(own) = own {
            own.object()?;
        }
        let setting =
            |key: &str| own.and_then(|own| own.get(key)).or_else(|| default.and_then(|d| d.get(key)));
        let number = |key: &str| {
            let given = setting(key)?;
            let number = given.value.as_u64().and_then(|number| u16::try_from(number).ok());
            if number.is_none_or(|number| number > 510) {
                given.refuse(format!("a port is a number from 0 to 510, got {}", given.value));
            }
            number
        };
        let loss = setting("loss").map_or(0.0, |loss| {
            let percent = loss.value.as_f64().filter(|percent| (0.0..=100.0).contains(percent));
            if percent.is_none() {
                loss.refuse(format!("a loss is a number of percent, got {}", loss.value));
            }
            percent.unwrap_or(0.0) / 100.0
        });
        let queue = setting("max_queue_size").filter(|queue| !queue.value.is_null()).and_then(|queue| {
            let packets = queue.value.as_u64().filter(|packets| *packets > 0);
            if packets.is_none() {
                queue.refuse(format!("a queue has a number of packets above zero, got {}", queue.value));
            }
            packets
        });
        let ip = |params: &str, switch: &str| {
            let of_host = own.and_then(|own| own.get(params)).and_then(|params| params.get("ip"));
            let ip = of_host.or_else(|| own.and_then(|own| own.get(switch)))?;
            ip.parsed(address)
        };
        let link = Link {
            // A host's port needs no number.
            ports: [number("port1"), number("port2")],
            rate: setting("bw").as_ref().and_then(bandwidth),
            delay: setting("delay").as_ref().map_or(0, delay),
            loss,
            queue,
            ends,
        };
        let hardware = |key: &str| own.and_then(|own| own.get(key)).and_then(|own| own.parsed(mac));
        let ips = [ip("params1", "sw_ip1"), ip("params2", "sw_ip2")];
        let macs = [hardware("addr1"), hardware("addr2")];
        Some(Written { link, ips, macs, place })
    }

    fn end(&self, place: &Place<'_>) -> Option<String> {
        let name = place.text()?;
        let known = || self.hosts.iter().chain(&self.switches).map(String::as_str);
        if known().any(|known| known == name) {
            return Some(name.to_owned());
        }
        place.refuse(format!("unknown host or switch `{}`", name.escape_debug())).suggest(name, known());
        None
    }

    fn is_host(&self, name: &str) -> bool {
        self.hosts.iter().any(|host| host == name)
    }

    /// Checks that each host has one link, and that numbers of ports are unique.
    fn check(&self, topology: &Place<'_>) {
        let mut taken: BTreeSet<(&str, u16)> = BTreeSet::new();
        let mut joined: BTreeSet<&str> = BTreeSet::new();
        for Written { link, place, .. } in &self.links {
            for (end, port) in link.ends.iter().zip(link.ports) {
                if self.is_host(end) {
                    if !joined.insert(end) {
                        place.refuse(format!("host `{end}` must have one link, this is another"));
                    }
                } else if let Some(port) = port.filter(|port| !taken.insert((end, *port))) {
                    place.refuse(format!("port {port} of `{end}` is that of another link, too"));
                }
            }
        }
        if let Some(links) = topology.get("links").filter(|links| links.value.is_array()) {
            for host in self.hosts.iter().filter(|host| !joined.contains(host.as_str())) {
                // A link with an error of its own may be the host's.
                if self.links.len() == links.elements().len() {
                    links.refuse(format!("host `{host}` has no link"));
                }
            }
        }
    }

    /// Hosts with the switches that they are joined to, in the order of the links.
    fn joined(&self) -> Vec<(&str, &str)> {
        let ends = self.links.iter().map(|written| &written.link.ends);
        let joined = ends.filter_map(|[first, second]| match (self.is_host(first), self.is_host(second)) {
            (true, false) => Some((first.as_str(), second.as_str())),
            (false, true) => Some((second.as_str(), first.as_str())),
            _ => None,
        });
        joined.collect()
    }

    /// Addresses by a strategy: from the number of the host in its name, or else the next free one.
    fn addresses(&self, strategy: Strategy) -> Vec<Host> {
        let number = |name: &str| -> Option<u32> {
            let digits = name.strip_prefix('h')?;
            digits.parse().ok().filter(|number| (1..0xffff).contains(number))
        };
        let joined = self.joined();
        // Numbers in names are reserved: per network with `l2`, per switch otherwise.
        let scope = |switch: &str| if strategy == Strategy::L2 { String::new() } else { switch.to_owned() };
        let mut taken: BTreeSet<(String, u32)> =
            joined.iter().filter_map(|(host, switch)| Some((scope(switch), number(host)?))).collect();
        let mut hosts = Vec::new();
        for (host, switch) in joined {
            let id = self.ids.get(switch).copied().unwrap_or(0);
            let own = number(host).unwrap_or_else(|| {
                let free = (1..).find(|free| !taken.contains(&(scope(switch), *free))).unwrap_or(1);
                taken.insert((scope(switch), free));
                free
            });
            let ip = |a: u32, b: u32, c: u32| {
                Ipv4Addr::from(10 << 24 | (a & 0xff) << 16 | (b & 0xff) << 8 | (c & 0xff))
            };
            let (address, prefix, gateway) = match strategy {
                Strategy::L2 => (ip(0, own >> 8, own), 16, None),
                Strategy::Mixed => (ip(id >> 8, id, own), 24, Some(ip(id >> 8, id, 254))),
                Strategy::L3 => (ip(id, own, 2), 24, Some(ip(id, own, 1))),
            };
            hosts.push(host_at(host, address, prefix, gateway));
        }
        self.in_order(hosts)
    }

    /// Addresses that links and hosts have, or the next free ones of 10.0.0.0/8.
    fn addresses_by_hand(&self, topology: &Place<'_>) -> Vec<Host> {
        let given: BTreeSet<Ipv4Addr> =
            self.links.iter().flat_map(|written| written.ips).flatten().map(|(ip, _)| ip).collect();
        let mut next = u32::from(Ipv4Addr::new(10, 0, 0, 0));
        let mut free = || loop {
            next += 1;
            let address = Ipv4Addr::from(next);
            if !given.contains(&address) {
                return address;
            }
        };
        let mut hosts = Vec::new();
        for written in &self.links {
            for end in [0, 1] {
                let name = &written.link.ends[end];
                if !self.is_host(name) {
                    continue;
                }
                let (address, prefix) = written.ips[end].unwrap_or_else(|| (free(), 8));
                let settings = topology.get("hosts").and_then(|hosts| hosts.get(name));
                let route = settings.and_then(|settings| settings.get("defaultRoute"));
                let gateway = route.and_then(|route| {
                    let last = route.text()?.split_whitespace().next_back()?.parse().ok();
                    if last.is_none() {
                        route.refuse(format!("a route is such as \"via 10.0.1.1\", got {}", route.value));
                    }
                    last
                });
                let mut host = host_at(name, address, prefix, gateway);
                host.mac = written.macs[end].unwrap_or(host.mac);
                hosts.push(host);
            }
        }
        self.in_order(hosts)
    }

    fn in_order(&self, mut hosts: Vec<Host>) -> Vec<Host> {
        hosts.sort_by_key(|host| natural(&host.name));
        hosts
    }

    /// The links with the numbers of their ports. `cpu` are switches with a port to a controller, which takes a number, too.
    fn numbered(&self, cpu: &[String]) -> Vec<Link> {
        let mut taken: BTreeMap<&str, BTreeSet<u16>> = BTreeMap::new();
        for Written { link, .. } in &self.links {
            for (end, port) in link.ends.iter().zip(link.ports) {
                taken.entry(end).or_default().extend(port);
            }
        }
        // In the order of the ends' names, those of the controller's ports among them.
        let mut order: Vec<([&str; 2], Option<usize>)> = (self.links.iter().enumerate())
            .map(|(at, written)| (written.link.ends.each_ref().map(String::as_str), Some(at)))
            .chain(cpu.iter().map(|switch| ([switch.as_str(), "sw-cpu"], None)))
            .collect();
        order.sort_by_key(|(ends, _)| ends.map(natural));
        let mut links: Vec<Link> = self.links.iter().map(|written| written.link.clone()).collect();
        for (ends, at) in order {
            for (number, end) in ends.into_iter().enumerate() {
                if self.is_host(end) || end == "sw-cpu" {
                    if let Some(at) = at {
                        links[at].ports[number] = None;
                    }
                    continue;
                }
                if at.is_some_and(|at| links[at].ports[number].is_some()) {
                    continue;
                }
                let own = taken.entry(end).or_default();
                let free = (1..).find(|port| !own.contains(port)).unwrap_or(1);
                own.insert(free);
                if let Some(at) = at {
                    links[at].ports[number] = Some(free);
                }
            }
        }
        links
    }
}

/// Switches with a port to a controller.
fn cpu_ports(topology: &Place<'_>, notes: &mut Vec<String>) -> Vec<String> {
    let switches = topology.get("switches");
    let has_port = |(name, place): (&str, Place<'_>)| {
        let port = place.get("cpu_port")?;
        port.truth()?.then(|| name.to_owned())
    };
    let found: Vec<String> = switches.iter().flat_map(Place::entries).filter_map(has_port).collect();
    if !found.is_empty() {
        notes.push(format!("the port to a controller of {} has no link", found.join(", ")));
    }
    found
}

/// A host whose hardware address is derived from its address, as in p4-utils.
fn host_at(name: &str, address: Ipv4Addr, prefix: u8, gateway: Option<Ipv4Addr>) -> Host {
    let mac = derived(0, address);
    let mut host = Host {
        name: name.to_owned(),
        address,
        prefix,
        mac,
        gateway,
        neighbours: Vec::new(),
        commands: Vec::new(),
    };
    // That of the switch's port is derived from the host's address, too.
    host.neighbours.extend(gateway.map(|gateway| (gateway, derived(1, address))));
    host
}

fn derived(second: u8, address: Ipv4Addr) -> Mac {
    let [a, b, c, d] = address.octets();
    [0, second, a, b, c, d]
}

/// Adds permanent entries for the hosts of the same subnet, unless the project turns them off, and removes those of gateways if it
/// turns these off.
fn neighbours(mut hosts: Vec<Host>, topology: &Place<'_>) -> Vec<Host> {
    let is_on = |key: &str| {
        let given = topology.get("default").and_then(|default| default.get(key));
        given.and_then(|given| given.truth()).unwrap_or(true)
    };
    if !is_on("auto_gw_arp") {
        hosts.iter_mut().for_each(|host| host.neighbours.clear());
    }
    if is_on("auto_arp_tables") {
        let all: Vec<(Ipv4Addr, u8, Mac)> =
            hosts.iter().map(|host| (host.address, host.prefix, host.mac)).collect();
        for host in &mut hosts {
            let near = all.iter().filter(|(address, prefix, _)| {
                *address != host.address && *prefix == host.prefix && host.is_near(*address)
            });
            let near: Vec<(Ipv4Addr, Mac)> = near.map(|(address, _, mac)| (*address, *mac)).collect();
            host.neighbours.extend(near);
        }
    }
    hosts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_count_as_numbers() {
        let mut names = ["s10", "s2", "h1", "s1", "sw-cpu", "s"].map(str::to_owned);
        names.sort_by_key(|name| natural(name));
        assert_eq!(names, ["h1", "s", "s1", "s2", "s10", "sw-cpu"]);
    }
}

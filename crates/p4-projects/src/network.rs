//! A network as both formats describe it.

use std::net::Ipv4Addr;
use std::path::PathBuf;

/// A hardware address.
pub(crate) type Mac = [u8; 6];

/// Hosts, switches and links.
#[derive(Debug, Clone, Default)]
pub(crate) struct Network {
    /// The folder that names of files are relative to.
    pub folder: PathBuf,
    /// Name of the scenario.
    pub name: String,
    pub hosts: Vec<Host>,
    pub switches: Vec<Switch>,
    pub links: Vec<Link>,
    /// Whether the ends of links between switches have addresses for p4-utils' controllers.
    pub addresses_between_switches: bool,
    pub notes: Vec<String>,
}

/// A host with one interface.
#[derive(Debug, Clone)]
pub(crate) struct Host {
    pub name: String,
    pub address: Ipv4Addr,
    pub prefix: u8,
    pub mac: Mac,
    pub gateway: Option<Ipv4Addr>,
    /// Permanent entries of the neighbour table.
    pub neighbours: Vec<(Ipv4Addr, Mac)>,
    /// Commands that are none of the above.
    pub commands: Vec<String>,
}

/// A P4 switch. Files are relative to the network's folder.
#[derive(Debug, Clone)]
pub(crate) struct Switch {
    pub name: String,
    pub program: String,
    /// File of commands in the language of `simple_switch_CLI`.
    pub commands: Option<String>,
    /// File of entities in the format of `sX-runtime.json`.
    pub entities: Option<String>,
    /// Number of queues per port, by priority.
    pub priorities: Option<u64>,
    /// Where controllers reach it over P4Runtime.
    pub controller: Option<Controller>,
    /// TCP port of this machine at which programs reach it over Thrift.
    pub thrift: u16,
}

/// TCP port of the first switch's Thrift interface in both collections; those of the others follow.
pub(crate) const FIRST_THRIFT_PORT: u16 = 9090;

/// Where controllers reach a switch over P4Runtime.
#[derive(Debug, Clone)]
pub(crate) struct Controller {
    /// TCP port of this machine.
    pub port: u16,
    pub device_id: u64,
    /// The switch's port of packet-ins and packet-outs.
    pub cpu_port: Option<u16>,
}

/// A link.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    pub ends: [String; 2],
    /// Number of the port at an end that is a switch.
    pub ports: [Option<u16>; 2],
    /// Rate in bit/s; `None` for a link without a limit.
    pub rate: Option<u64>,
    /// One-way delay in nanoseconds.
    pub delay: u64,
    /// Share of packets lost, 0 to 1.
    pub loss: f64,
    /// Packets that wait at either end.
    pub queue: Option<u64>,
}

impl Network {
    /// Adds a host to a network of one host and a switch, because flows have two ends. Nothing pings it.
    pub fn add_second_host(&mut self) {
        let ([only], Some(switch)) = (&self.hosts[..], self.switches.first()) else { return };
        let switch = switch.name.clone();
        let name = ["other", "other-host"].into_iter().find(|name| *name != only.name && *name != switch);
        let Some(name) = name else { return };
        let at_switch = |link: &Link| {
            let ends = link.ends.iter().zip(link.ports);
            ends.filter(|(end, _)| **end == switch).filter_map(|(_, port)| port).collect::<Vec<u16>>()
        };
        let taken: Vec<u16> = self.links.iter().flat_map(at_switch).collect();
        let port = (1..).find(|port| !taken.contains(port)).unwrap_or(1);
        let address = Ipv4Addr::new(10, 255, 255, 254);
        let host = Host {
            name: name.to_owned(),
            address,
            prefix: 24,
            mac: [2, 0xff, 0, 0, 0, 1],
            gateway: None,
            neighbours: Vec::new(),
            commands: Vec::new(),
        };
        self.links.push(Link {
            ends: [name.to_owned(), switch.clone()],
            ports: [None, Some(port)],
            rate: None,
            delay: 0,
            loss: 0.0,
            queue: None,
        });
        self.hosts.push(host);
        self.notes.push(format!(
            "there is one host, so nothing is pinged; a second one, `{name}`, is at port {port} of `{switch}`, as flows have two ends"
        ));
    }
}

impl Host {
    /// Whether an address is of the host's subnet.
    pub fn is_near(&self, address: Ipv4Addr) -> bool {
        let mask = u32::MAX.checked_shl(32 - u32::from(self.prefix)).unwrap_or(0);
        u32::from(self.address) & mask == u32::from(address) & mask
    }
}

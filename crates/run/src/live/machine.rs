//! The hosts of a run in the kernel: namespaces, devices, addresses, routes and settings.

use std::net::IpAddr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration as Wall;

use indexmap::IndexMap;
use jettison_live::device::{Offload, Tun};
use jettison_live::net::counters::{self, Counters};
use jettison_live::net::{self, Interface, Namespace, Route, sysctl};
use jettison_live::process::{Link, Uplink};
use jettison_live::{LiveError, clock};
use jettison_report::HostSettings;
use jettison_scenario::build::{LiveHost, LivePlan};
use jettison_scenario::schema;
use jettison_sim::Ethernet;

/// Name of a host's device in its namespace.
const DEVICE: &str = "jt0";
/// Name of a host's Ethernet interface, as commands of other projects expect it.
const ETHERNET: &str = "eth0";
/// The shell that runs a host's commands.
pub const SHELL: [&str; 2] = ["/bin/sh", "-c"];
/// Commands that set a host up end within this time, or go on in the background.
const SET_UP: Wall = Wall::from_secs(10);
/// Packets that a host's kernel queues for its device: more than a sender may have in flight, so all drops happen in
/// a queue discipline.
const TX_QUEUE: u32 = 100_000;

/// A host that was created.
pub struct Made {
    /// Its namespace; the machine's own for the host of an uplink.
    pub namespace: Arc<Namespace>,
    /// Its device.
    pub tun: Tun,
}

/// Creates the hosts. With `uplink`, the first host is the machine itself.
///
/// Settings of built-in flows that the kernel refused are added to `notes`.
pub fn make(
    plan: &LivePlan,
    link: &Link,
    uplink: bool,
    notes: &mut Vec<String>,
) -> Result<Vec<Made>, LiveError> {
    let mut made = Vec::new();
    for (index, host) in plan.hosts.iter().enumerate() {
        if let Some(interface) = &host.ethernet {
            made.push(ethernet(plan, index, interface, link, notes)?);
            continue;
        }
        let (namespace, device, is_machine) = match link.machine().filter(|_| uplink && index == 0) {
            // Let the kernel choose the first free number: another device may have ours.
            Some(machine) => (machine.try_clone()?, "jettison%d", true),
            None => (Namespace::new()?, DEVICE, false),
        };
        let offload = offload(plan);
        let tun = namespace.enter(|| Tun::create(device, offload))?;
        let tun =
            tun.map_err(LiveError::system(format!("host {}: cannot create a TUN device", host.name)))?;
        let device = tun.name().to_owned();
        let address = IpAddr::from(host.address);
        let interface = Interface {
            name: device.clone(),
            mtu: u32::from(plan.settings.mtu),
            addresses: vec![(address, full_prefix(address))],
            tx_queue_length: TX_QUEUE,
            up: true,
        };
        if is_machine {
            net::configure(&namespace, &interface)?;
            for other in plan.hosts.iter().skip(1) {
                let to = IpAddr::from(other.address);
                let route =
                    Route { to: (to, full_prefix(to)), via_device: device.clone(), congestion_control: None };
                net::add_route(&namespace, &route)?;
            }
            sysctl::set(&namespace, &format!("net.ipv4.conf.{device}.forwarding"), "1")?;
            Uplink::reachable_name_servers()?;
        } else {
            set_up(&namespace, host, &interface, runs_programs(plan, index))?;
            settle(&namespace, plan, index, notes)?;
            link.name_host(&namespace, &host.name)?;
        }
        made.push(Made { namespace: Arc::new(namespace), tun });
    }
    Ok(made)
}

/// Applies the kernel settings of a host: those of all hosts, of its flows, and its own.
fn settle(
    namespace: &Namespace,
    plan: &LivePlan,
    index: usize,
    notes: &mut Vec<String>,
) -> Result<(), LiveError> {
    let host = &plan.hosts[index];
    let refused = net::apply_settings(namespace)?;
    notes.extend(refused.into_iter().map(|why| format!("host {}: {why}", host.name)));
    let mut wanted: Vec<(String, String)> = Vec::new();
    for (name, value) in flow_settings(plan, index) {
        let other = wanted.iter().find(|(known, other)| *known == name && *other != value);
        if let Some((_, other)) = other {
            notes.push(format!(
                "host {}: its flows set {name} to both {other} and {value}, but all share the kernel's value; using {value}",
                host.name
            ));
        }
        if let Err(error) = sysctl::set(namespace, &name, &value) {
            let reason = match (name.as_str(), value.as_str()) {
                ("net.ipv4.tcp_ecn", "3") => "; prague has accurate ECN if both ends of a flow use it",
                _ => "",
            };
            notes.push(format!("host {}: {error}{reason}", host.name));
        }
        wanted.push((name, value));
    }
    for (name, value) in &host.sysctls {
        sysctl::set(namespace, name, value)?;
    }
    Ok(())
}

/// Creates a host with an Ethernet interface.
fn ethernet(
    plan: &LivePlan,
    index: usize,
    settings: &Ethernet,
    link: &Link,
    notes: &mut Vec<String>,
) -> Result<Made, LiveError> {
    let host = &plan.hosts[index];
    let namespace = Namespace::new()?;
    let tap = namespace.enter(|| Tun::create_tap(ETHERNET, settings.mac))?;
    let tap = tap.map_err(LiveError::system(format!("host {}: cannot create a TAP device", host.name)))?;
    let interface = Interface {
        name: ETHERNET.to_owned(),
        mtu: u32::from(plan.settings.mtu),
        addresses: vec![(IpAddr::from(host.address), settings.prefix)],
        tx_queue_length: TX_QUEUE,
        up: true,
    };
    net::set_up_host(
        &namespace,
        &interface,
        &[],
        runs_programs(plan, index).then_some(host.congestion.as_str()),
    )?;
    allow_ping(&namespace)?;
    if let Some(gateway) = settings.gateway {
        net::add_gateway(&namespace, ETHERNET, IpAddr::from(gateway))?;
    }
    for (neighbour, mac) in &settings.neighbours {
        net::add_neighbour(&namespace, ETHERNET, IpAddr::from(*neighbour), *mac)?;
    }
    settle(&namespace, plan, index, notes)?;
    link.name_host(&namespace, &host.name)?;
    Ok(Made { namespace: Arc::new(namespace), tun: tap })
}

/// Runs the commands that set hosts up, in their order, each in its host's namespace. A command that fails is a note: the projects
/// that such commands come from go on as well.
pub fn set_up_by_commands(
    plan: &LivePlan,
    hosts: &[Made],
    folder: &Path,
    notes: &mut Vec<String>,
) -> Result<(), LiveError> {
    for (host, made) in plan.hosts.iter().zip(hosts) {
        for command in &host.commands {
            let outcome = made.namespace.enter(|| run(command, folder))?;
            if let Err(why) = outcome {
                notes.push(format!("host {}: `{command}`: {why}", host.name));
            }
        }
    }
    Ok(())
}

/// Runs a command of a shell in the calling thread's namespace, and waits for the shell.
fn run(command: &str, folder: &Path) -> Result<(), String> {
    let [shell, option] = SHELL;
    let mut child = Command::new(shell)
        .arg(option)
        .arg(command)
        .current_dir(folder)
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("cannot be started: {error}"))?;
    let mut waited = Wall::ZERO;
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(status.to_string()),
            Ok(None) if waited < SET_UP => {
                clock::sleep(BEAT);
                waited += BEAT;
            }
            // It ends with the run's namespaces.
            Ok(None) => return Err(format!("still runs after {} s", SET_UP.as_secs())),
            Err(error) => return Err(error.to_string()),
        }
    }
}

/// Time between two looks at a command.
const BEAT: Wall = Wall::from_millis(2);

/// Whether programs of a user run at the host. Built-in applications choose the congestion control of each socket.
fn runs_programs(plan: &LivePlan, host: usize) -> bool {
    plan.commands.iter().any(|command| {
        let flow = &plan.flows[command.flow.0 as usize];
        let own = &command.parameters;
        (own.at_from.is_some() && flow.from == host) || (own.at_to.is_some() && flow.to == host)
    })
}

fn set_up(
    namespace: &Namespace,
    host: &LiveHost,
    interface: &Interface,
    runs_programs: bool,
) -> Result<(), LiveError> {
    let address = IpAddr::from(host.address);
    let everywhere: IpAddr = if address.is_ipv4() { [0, 0, 0, 0].into() } else { [0_u16; 8].into() };
    let route = Route { to: (everywhere, 0), via_device: interface.name.clone(), congestion_control: None };
    let default = runs_programs.then_some(host.congestion.as_str());
    net::set_up_host(namespace, interface, &[route], default)?;
    allow_ping(namespace)
}

/// Allows ping for all users: the kernel's default allows only root.
fn allow_ping(namespace: &Namespace) -> Result<(), LiveError> {
    sysctl::set(namespace, "net.ipv4.ping_group_range", "0 2147483647").or_else(|_| {
        // A user namespace accepts only the groups mapped into it.
        sysctl::set(namespace, "net.ipv4.ping_group_range", "0 0")
    })
}

/// Kernel settings for the transports of a host's built-in flows. The last one wins.
fn flow_settings(plan: &LivePlan, host: usize) -> Vec<(String, String)> {
    let own = plan.flows.iter().filter(|flow| flow.from == host || flow.to == host);
    let tcp = own.filter_map(|flow| flow.tcp.as_ref());
    tcp.flat_map(jettison_live::host::sysctls).map(|(path, value)| (path.replace('/', "."), value)).collect()
}

/// Reads the settings of the hosts' kernels that TCP depends on, the hosts with the same values together, with the `origins` of
/// congestion controls.
pub fn settings(
    namespaces: &[Arc<Namespace>],
    plan: &LivePlan,
    link: &Link,
    origins: &[(&str, &str)],
) -> Result<Vec<HostSettings>, LiveError> {
    let mut all: Vec<HostSettings> = Vec::new();
    for (index, (namespace, host)) in namespaces.iter().zip(&plan.hosts).enumerate() {
        let of_flows = flow_settings(plan, index);
        let others = host.sysctls.iter().chain(&of_flows).map(|(name, _)| name.as_str());
        let mut values: IndexMap<String, String> =
            net::read_settings(namespace, link.machine(), &others.collect::<Vec<_>>())?.into_iter().collect();
        if runs_programs(plan, index) {
            // Of the routes, where the kernel refuses it as the namespace's default.
            values.insert("congestion".to_owned(), host.congestion.clone());
        }
        values.extend(
            origins.iter().map(|(name, origin)| (format!("congestion.{name}"), (*origin).to_owned())),
        );
        values.insert("txqueuelen".to_owned(), TX_QUEUE.to_string());
        match all.iter_mut().find(|known| known.values == values) {
            Some(known) => known.hosts.push(host.name.clone()),
            None => all.push(HostSettings { hosts: vec![host.name.clone()], values }),
        }
    }
    Ok(all)
}

/// Reads the kernel's drop counters of the machine and of each host.
pub fn count(namespaces: &[Arc<Namespace>], plan: &LivePlan) -> Result<Vec<(String, Counters)>, LiveError> {
    let mut all = vec![(String::new(), counters::read_machine()?)];
    for (namespace, host) in namespaces.iter().zip(&plan.hosts) {
        all.push((host.name.clone(), counters::read(namespace)?));
    }
    Ok(all)
}

/// Reads the same counters at the end.
pub fn count_again(
    namespaces: &[Arc<Namespace>],
    before: &[(String, Counters)],
) -> Result<Vec<(String, Counters)>, LiveError> {
    let mut all = vec![(String::new(), counters::read_machine()?)];
    for (namespace, (name, _)) in namespaces.iter().zip(before.iter().skip(1)) {
        all.push((name.clone(), counters::read(namespace)?));
    }
    Ok(all)
}

/// Packets that the kernel dropped between two readings: host, counter, number.
pub fn dropped(before: &[(String, Counters)], after: &[(String, Counters)]) -> Vec<(String, String, u64)> {
    let pairs = before.iter().zip(after);
    pairs
        .flat_map(|((name, before), (_, after))| {
            after.since(before).into_iter().map(|(what, count)| (name.clone(), what, count))
        })
        .collect()
}

/// Offloads of the hosts' kernels that the router completes.
pub fn offload(plan: &LivePlan) -> Offload {
    match plan.settings.offload {
        schema::Offload::None => Offload::None,
        schema::Offload::Checksum => Offload::Checksum,
        schema::Offload::Segmentation => Offload::Segmentation,
    }
}

fn full_prefix(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

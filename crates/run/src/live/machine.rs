//! The hosts of a run in the kernel: namespaces, devices, addresses, routes, settings.

use std::net::IpAddr;
use std::sync::Arc;

use jettison_live::LiveError;
use jettison_live::device::{Offload, Tun};
use jettison_live::net::counters::{self, Counters};
use jettison_live::net::{self, Interface, Namespace, Route, sysctl};
use jettison_live::process::{Link, Uplink};
use jettison_scenario::build::{LiveHost, LivePlan};
use jettison_scenario::schema;

/// The device of a host, in its namespace.
const DEVICE: &str = "jt0";
/// Packets that a host's kernel holds for its device: far more than a sender may have under way, so that what is dropped is
/// dropped by a queue discipline.
const TX_QUEUE: u32 = 100_000;

/// A host that was made.
pub struct Made {
    /// Its namespace; the machine's own, of a host that is the machine.
    pub namespace: Arc<Namespace>,
    /// Its device.
    pub tun: Tun,
}

/// Makes the hosts. With `uplink` the first host is the machine itself.
///
/// `notes` takes what a kernel would not do for a built-in flow.
pub fn make(
    plan: &LivePlan,
    link: &Link,
    uplink: bool,
    notes: &mut Vec<String>,
) -> Result<Vec<Made>, LiveError> {
    let mut made = Vec::new();
    for (index, host) in plan.hosts.iter().enumerate() {
        let (namespace, device, is_machine) = match link.machine().filter(|_| uplink && index == 0) {
            // The kernel puts the first free number: somebody's device may have it.
            Some(machine) => (machine.try_clone()?, "jettison%d", true),
            None => (Namespace::new()?, DEVICE, false),
        };
        let offload = offload(plan);
        let tun = namespace.enter(|| Tun::create(device, offload))?;
        let tun = tun.map_err(LiveError::system(format!("host {}: a TUN device", host.name)))?;
        let device = tun.name().to_owned();
        let address = IpAddr::from(host.address);
        let interface = Interface {
            name: device.clone(),
            mtu: u32::from(plan.settings.mtu),
            addresses: vec![(address, whole(address))],
            tx_queue_length: TX_QUEUE,
            up: true,
        };
        if is_machine {
            net::configure(&namespace, &interface)?;
            for other in plan.hosts.iter().skip(1) {
                let to = IpAddr::from(other.address);
                let route =
                    Route { to: (to, whole(to)), via_device: device.clone(), congestion_control: None };
                net::add_route(&namespace, &route)?;
            }
            sysctl::set(&namespace, &format!("net.ipv4.conf.{device}.forwarding"), "1")?;
            Uplink::reachable_name_servers()?;
        } else {
            set_up(&namespace, host, &interface)?;
            let mut wanted: Vec<(String, String)> = Vec::new();
            for (name, value) in of_flows(plan, index) {
                let other = wanted.iter().find(|(known, other)| *known == name && *other != value);
                if let Some((_, other)) = other {
                    notes.push(format!(
                        "host {}: its flows want {name} to be {other} and {value}: the kernel has one for all, {value}",
                        host.name
                    ));
                }
                if let Err(error) = sysctl::set(&namespace, &name, &value) {
                    notes.push(format!("host {}: {error}", host.name));
                }
                wanted.push((name, value));
            }
            for (name, value) in &host.sysctls {
                sysctl::set(&namespace, name, value)?;
            }
            link.name_host(&namespace, &host.name)?;
        }
        made.push(Made { namespace: Arc::new(namespace), tun });
    }
    Ok(made)
}

fn set_up(namespace: &Namespace, host: &LiveHost, interface: &Interface) -> Result<(), LiveError> {
    let address = IpAddr::from(host.address);
    let everywhere: IpAddr = if address.is_ipv4() { [0, 0, 0, 0].into() } else { [0_u16; 8].into() };
    let route = Route { to: (everywhere, 0), via_device: interface.name.clone(), congestion_control: None };
    net::set_up_host(namespace, interface, &[route], &host.congestion)?;
    // Whoever wants may ping: without this only root may.
    sysctl::set(namespace, "net.ipv4.ping_group_range", "0 2147483647").or_else(|_| {
        // In a user namespace only the groups that it knows.
        sysctl::set(namespace, "net.ipv4.ping_group_range", "0 0")
    })?;
    Ok(())
}

/// What the transports of a host's built-in flows ask of its kernel: the last one's word counts.
fn of_flows(plan: &LivePlan, host: usize) -> Vec<(String, String)> {
    let own = plan.flows.iter().filter(|flow| flow.from == host || flow.to == host);
    let tcp = own.filter_map(|flow| flow.tcp.as_ref());
    tcp.flat_map(jettison_live::host::sysctls).map(|(path, value)| (path.replace('/', "."), value)).collect()
}

/// The kernel's counters of drops, of the machine and of each host.
pub fn count(namespaces: &[Arc<Namespace>], plan: &LivePlan) -> Result<Vec<(String, Counters)>, LiveError> {
    let mut all = vec![(String::new(), counters::read_machine()?)];
    for (namespace, host) in namespaces.iter().zip(&plan.hosts) {
        all.push((host.name.clone(), counters::read(namespace)?));
    }
    Ok(all)
}

/// The same again.
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

/// What the kernel dropped in between: host, what, how many.
pub fn dropped(before: &[(String, Counters)], after: &[(String, Counters)]) -> Vec<(String, String, u64)> {
    let pairs = before.iter().zip(after);
    pairs
        .flat_map(|((name, before), (_, after))| {
            after.since(before).into_iter().map(|(what, count)| (name.clone(), what, count))
        })
        .collect()
}

/// What hosts' kernels leave to the router.
pub fn offload(plan: &LivePlan) -> Offload {
    match plan.settings.offload {
        schema::Offload::None => Offload::None,
        schema::Offload::Checksum => Offload::Checksum,
        schema::Offload::Segmentation => Offload::Segmentation,
    }
}

fn whole(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

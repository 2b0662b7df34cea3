//! Devices, addresses and routes of a host.

use std::io;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use nix::net::if_::if_nametoindex;

use super::{CongestionControl, Namespace, choose_congestion_control, sysctl};
use crate::LiveError;
use crate::netlink::{Request, attribute, transact};

/// `RTAX_CC_ALGO` of `linux/rtnetlink.h`.
const CONGESTION_CONTROL: u16 = 16;
/// Flags for creating an object that must not exist yet.
const NEW: i32 = libc::NLM_F_ACK | libc::NLM_F_CREATE | libc::NLM_F_EXCL;

/// Configuration of an existing device in a namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interface {
    /// The device's name.
    pub name: String,
    /// MTU in bytes.
    pub mtu: u32,
    /// Addresses with prefix lengths.
    pub addresses: Vec<(IpAddr, u8)>,
    /// Length of the kernel's transmit queue in packets.
    pub tx_queue_length: u32,
    /// Whether the device is up.
    pub up: bool,
}

/// A route through a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// Destination address and prefix length; length 0 for the default route.
    pub to: (IpAddr, u8),
    /// Name of the device.
    pub via_device: String,
    /// Congestion control of TCP connections over this route, instead of the namespace's default. It also overrides the
    /// choice of a socket that was made before connecting.
    pub congestion_control: Option<String>,
}

/// Configures a host's network: device, routes and congestion control. Without an IPv6 address, IPv6 is disabled in the
/// whole namespace.
///
/// Without a congestion control the namespace keeps its default. That is for hosts whose sockets all choose their own: a route
/// that names one would override their choice when they connect, and a SYN that asks for ECN is sent only if the control in force
/// then requires it.
pub fn set_up_host(
    namespace: &Namespace,
    interface: &Interface,
    routes: &[Route],
    congestion_control: Option<&str>,
) -> Result<(), LiveError> {
    if interface.addresses.iter().all(|(address, _)| address.is_ipv4()) {
        disable_ipv6(namespace)?;
    }
    configure(namespace, interface)?;
    let chosen = congestion_control.map(|name| choose_congestion_control(namespace, name)).transpose()?;
    for route in routes {
        let mut route = route.clone();
        if let (None, Some(CongestionControl::Routes(name))) = (&route.congestion_control, &chosen) {
            route.congestion_control = Some(name.clone());
        }
        add_route(namespace, &route)?;
    }
    Ok(())
}

/// Sets a device's MTU, queue length and addresses, and brings it up last, so that it is never up half-configured. IPv6
/// addresses are usable at once (no duplicate address detection), and the device sends nothing by itself.
pub fn configure(namespace: &Namespace, interface: &Interface) -> Result<(), LiveError> {
    namespace.enter(|| {
        let name = &interface.name;
        let index = index(name)?;
        let ipv6 = Path::new("/proc/sys/net/ipv6/conf").join(name);
        if ipv6.exists() {
            sysctl::silence(name)?;
            if interface.addresses.iter().all(|(address, _)| address.is_ipv4()) {
                write(ipv6.join("disable_ipv6"))?;
            }
        }
        let sizes = set_link(index, 0)
            .with(libc::IFLA_MTU, &interface.mtu.to_ne_bytes())
            .with(libc::IFLA_TXQLEN, &interface.tx_queue_length.to_ne_bytes());
        let action = format!("cannot set MTU and queue length of device {name}");
        transact(&sizes).map_err(LiveError::system(action))?;
        for &(address, prefix) in &interface.addresses {
            let action = format!("cannot set address {address}/{prefix} of device {name}");
            transact(&new_address(index, address, prefix)).map_err(LiveError::system(action))?;
        }
        if interface.up {
            bring_up(name).map_err(LiveError::system(format!("cannot bring up device {name}")))?;
        }
        Ok(())
    })?
}

/// Adds a route. Its device must be up.
pub fn add_route(namespace: &Namespace, route: &Route) -> Result<(), LiveError> {
    namespace.enter(|| {
        let Route { to: (address, prefix), via_device, congestion_control } = route;
        let index = index(via_device)?;
        let mut request = new_route(index, *address, *prefix);
        if let Some(name) = congestion_control {
            let name = format!("{name}\0");
            request = request.with(libc::RTA_METRICS, &attribute(CONGESTION_CONTROL, name.as_bytes()));
        }
        let action = format!("cannot add the route to {address}/{prefix} through {via_device}");
        transact(&request).map_err(LiveError::system(action))
    })?
}

/// Adds the default route through a router that a device reaches, whether or not it is of the device's subnet.
pub fn add_gateway(namespace: &Namespace, device: &str, gateway: IpAddr) -> Result<(), LiveError> {
    namespace.enter(|| {
        let mut fixed = [0; 12];
        fixed[0] = family(gateway);
        let universe = libc::RT_SCOPE_UNIVERSE;
        fixed[4..8].copy_from_slice(&[libc::RT_TABLE_MAIN, libc::RTPROT_STATIC, universe, libc::RTN_UNICAST]);
        fixed[8..12].copy_from_slice(&ON_LINK.to_ne_bytes());
        let request = Request::new(libc::RTM_NEWROUTE, NEW, &fixed)
            .with(libc::RTA_GATEWAY, &octets(gateway))
            .with(libc::RTA_OIF, &index(device)?.to_ne_bytes());
        let action = format!("cannot add the default route through {gateway}");
        transact(&request).map_err(LiveError::system(action))
    })?
}

/// Adds a permanent entry to the neighbour table of a device.
pub fn add_neighbour(
    namespace: &Namespace,
    device: &str,
    address: IpAddr,
    mac: [u8; 6],
) -> Result<(), LiveError> {
    namespace.enter(|| {
        // `struct ndmsg` of `linux/neighbour.h`: family, index, state.
        let mut fixed = [0; 12];
        fixed[0] = family(address);
        fixed[4..8].copy_from_slice(&index(device)?.to_ne_bytes());
        fixed[8..10].copy_from_slice(&libc::NUD_PERMANENT.to_ne_bytes());
        let request = Request::new(
            libc::RTM_NEWNEIGH,
            libc::NLM_F_ACK | libc::NLM_F_CREATE | libc::NLM_F_REPLACE,
            &fixed,
        )
        .with(libc::NDA_DST, &octets(address))
        .with(libc::NDA_LLADDR, &mac);
        let action = format!("cannot add the neighbour {address} of device {device}");
        transact(&request).map_err(LiveError::system(action))
    })?
}

/// RTNH_F_ONLINK of `linux/rtnetlink.h`: the gateway is reached through the device, whatever its subnet.
const ON_LINK: u32 = 4;

fn octets(address: IpAddr) -> Vec<u8> {
    match address {
        IpAddr::V4(address) => address.octets().to_vec(),
        IpAddr::V6(address) => address.octets().to_vec(),
    }
}

/// Brings up a device of the calling thread's namespace.
pub(super) fn bring_up(device: &str) -> io::Result<()> {
    let index = if_nametoindex(device)?;
    transact(&set_link(index, libc::IFF_UP as u32))
}

/// Builds `RTM_SETLINK` with its `struct ifinfomsg`, which sets `flags` of a device.
fn set_link(index: u32, flags: u32) -> Request {
    let mut fixed = [0; 16];
    fixed[4..8].copy_from_slice(&index.to_ne_bytes());
    fixed[8..12].copy_from_slice(&flags.to_ne_bytes());
    // The mask of flags to change.
    fixed[12..16].copy_from_slice(&flags.to_ne_bytes());
    Request::new(libc::RTM_SETLINK, libc::NLM_F_ACK, &fixed)
}

/// Builds `RTM_NEWADDR` with its `struct ifaddrmsg`. IPv6 addresses skip duplicate address detection.
fn new_address(index: u32, address: IpAddr, prefix: u8) -> Request {
    let mut fixed = [family(address), prefix, 0, 0, 0, 0, 0, 0];
    fixed[4..8].copy_from_slice(&index.to_ne_bytes());
    let request = Request::new(libc::RTM_NEWADDR, NEW, &fixed);
    match address {
        IpAddr::V4(address) => {
            let octets = address.octets();
            let request = request.with(libc::IFA_LOCAL, &octets).with(libc::IFA_ADDRESS, &octets);
            // Smaller networks have no broadcast address (RFC 3021).
            match u32::MAX.checked_shr(u32::from(prefix)) {
                Some(hosts @ 3..) => {
                    request.with(libc::IFA_BROADCAST, &(address.to_bits() | hosts).to_be_bytes())
                }
                _ => request,
            }
        }
        IpAddr::V6(address) => request
            .with(libc::IFA_ADDRESS, &address.octets())
            .with(libc::IFA_FLAGS, &libc::IFA_F_NODAD.to_ne_bytes()),
    }
}

/// Builds `RTM_NEWROUTE` with its `struct rtmsg`: a prefix that is reached directly through a device.
fn new_route(index: u32, to: IpAddr, prefix: u8) -> Request {
    let scope = if to.is_ipv4() { libc::RT_SCOPE_LINK } else { libc::RT_SCOPE_UNIVERSE };
    let mut fixed = [0; 12];
    fixed[..2].copy_from_slice(&[family(to), prefix]);
    fixed[4..8].copy_from_slice(&[libc::RT_TABLE_MAIN, libc::RTPROT_STATIC, scope, libc::RTN_UNICAST]);
    let request = Request::new(libc::RTM_NEWROUTE, NEW, &fixed);
    let request = match to {
        IpAddr::V4(to) => request.with(libc::RTA_DST, &to.octets()),
        IpAddr::V6(to) => request.with(libc::RTA_DST, &to.octets()),
    };
    request.with(libc::RTA_OIF, &index.to_ne_bytes())
}

fn family(address: IpAddr) -> u8 {
    match address {
        IpAddr::V4(_) => libc::AF_INET as u8,
        IpAddr::V6(_) => libc::AF_INET6 as u8,
    }
}

/// Disables IPv6 in the whole namespace, for present and future devices. Does nothing if the kernel has no IPv6.
pub fn disable_ipv6(namespace: &Namespace) -> Result<(), LiveError> {
    namespace.enter(|| {
        let conf = Path::new("/proc/sys/net/ipv6/conf");
        if conf.exists() {
            write(conf.join("all/disable_ipv6"))?;
            write(conf.join("default/disable_ipv6"))?;
        }
        Ok(())
    })?
}

fn write(path: PathBuf) -> Result<(), LiveError> {
    sysctl::write(&path, "1").map_err(LiveError::system(path.display().to_string()))
}

fn index(device: &str) -> Result<u32, LiveError> {
    if_nametoindex(device).map_err(LiveError::system(format!("unknown device {device} in this namespace")))
}

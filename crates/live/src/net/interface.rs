//! Devices, addresses and routes of a host.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::{Path, PathBuf};

use nix::net::if_::if_nametoindex;
use rtnetlink::packet_route::address::{AddressAttribute, AddressFlags};
use rtnetlink::packet_route::link::LinkAttribute;
use rtnetlink::packet_route::route::{RouteAttribute, RouteMessage, RouteMetric, RouteScope};
use rtnetlink::{LinkUnspec, RouteMessageBuilder};

use super::{CongestionControl, Namespace, choose_congestion_control, netlink, sysctl};
use crate::LiveError;

/// What a device in a namespace is to be like. The device is there already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interface {
    /// The device's name.
    pub name: String,
    /// The largest packet, in bytes.
    pub mtu: u32,
    /// Addresses with the lengths of their prefixes.
    pub addresses: Vec<(IpAddr, u8)>,
    /// Packets that the kernel holds before the device takes them.
    pub tx_queue_length: u32,
    /// Whether the device is on.
    pub up: bool,
}

/// A route to `to` through a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// Address and length of the prefix; 0 for the default route.
    pub to: (IpAddr, u8),
    /// The device's name.
    pub via_device: String,
    /// The congestion control of TCP connections over this route, instead of the namespace's default. It also comes
    /// before what a socket chose before it was connected.
    pub congestion_control: Option<String>,
}

/// All of a host's network at once: its device, its routes, and its congestion control by whichever way the kernel has.
/// Without an IPv6 address IPv6 is off in the whole namespace.
pub fn set_up_host(
    namespace: &Namespace,
    interface: &Interface,
    routes: &[Route],
    congestion_control: &str,
) -> Result<(), LiveError> {
    if interface.addresses.iter().all(|(address, _)| address.is_ipv4()) {
        disable_ipv6(namespace)?;
    }
    configure(namespace, interface)?;
    let chosen = choose_congestion_control(namespace, congestion_control)?;
    for route in routes {
        let mut route = route.clone();
        if let (None, CongestionControl::Routes(name)) = (&route.congestion_control, &chosen) {
            route.congestion_control = Some(name.clone());
        }
        add_route(namespace, &route)?;
    }
    Ok(())
}

/// Gives a device its size, queue and addresses, and turns it on last, so that it is never on with less than that.
/// IPv6 addresses are usable at once (no detection of duplicates), and the device sends nothing of its own accord.
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
        netlink::run(&format!("device {name}: its MTU and queue could not be set"), async |handle| {
            let queue = LinkAttribute::TxQueueLen(interface.tx_queue_length);
            let link = LinkUnspec::new_with_index(index).mtu(interface.mtu).append_extra_attribute(queue);
            handle.link().set(link.build()).execute().await
        })?;
        for &(address, prefix) in &interface.addresses {
            netlink::run(
                &format!("device {name}: address {address}/{prefix} could not be set"),
                async |handle| {
                    let mut request = handle.address().add(index, address, prefix);
                    if address.is_ipv6() {
                        let attributes = &mut request.message_mut().attributes;
                        attributes.push(AddressAttribute::Flags(AddressFlags::Nodad));
                    }
                    request.execute().await
                },
            )?;
        }
        if interface.up {
            netlink::run(&format!("device {name} could not be turned on"), async |handle| {
                handle.link().set(LinkUnspec::new_with_index(index).up().build()).execute().await
            })?;
        }
        Ok(())
    })?
}

/// Adds a route. Its device must be on.
pub fn add_route(namespace: &Namespace, route: &Route) -> Result<(), LiveError> {
    namespace.enter(|| {
        let Route { to: (address, prefix), via_device, congestion_control } = route;
        let index = index(via_device)?;
        let mut message: RouteMessage = match *address {
            IpAddr::V4(to) => RouteMessageBuilder::<Ipv4Addr>::new()
                .destination_prefix(to, *prefix)
                .output_interface(index)
                .scope(RouteScope::Link)
                .build(),
            IpAddr::V6(to) => RouteMessageBuilder::<Ipv6Addr>::new()
                .destination_prefix(to, *prefix)
                .output_interface(index)
                .build(),
        };
        if let Some(name) = congestion_control {
            message.attributes.push(RouteAttribute::Metrics(vec![RouteMetric::CcAlgo(name.clone())]));
        }
        let what = format!("the route to {address}/{prefix} through {via_device} could not be added");
        netlink::run(&what, async |handle| handle.route().add(message).execute().await)
    })?
}

/// Turns IPv6 off in the whole namespace, for its present devices and those to come. Nothing to do where the kernel has
/// no IPv6.
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
    if_nametoindex(device).map_err(LiveError::system(format!("no device {device} in this namespace")))
}

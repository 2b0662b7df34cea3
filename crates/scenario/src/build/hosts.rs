//! Ethernet interfaces of hosts.

use std::collections::BTreeMap;

use jettison_sim::Ethernet;
use jettison_wire::Address;
use jettison_wire::image::hardware_address as derived;

use crate::schema::{Host, Layer, Node, Settings};

/// Length of the prefix of a host's subnet.
pub(crate) fn prefix(host: &Host, address: Address) -> u8 {
    host.prefix.unwrap_or(if address.is_v4() { 24 } else { 64 })
}

/// The interface of a host with `layer = 2`.
pub(super) fn ethernet(host: &Host, address: Address) -> Option<Ethernet> {
    (host.layer == Layer::Ethernet).then(|| Ethernet {
        mac: host.mac.map_or_else(|| derived(address), |mac| mac.0),
        prefix: prefix(host, address),
        gateway: host.gateway.map(Address::from),
        neighbours: host.neighbours.iter().map(|(ip, mac)| (Address::from(*ip), mac.0)).collect(),
    })
}

/// The hardware address of a node, if it is a host that has one of its own.
pub(super) fn hardware_address(
    settings: &Settings,
    addresses: &BTreeMap<&str, Address>,
    node: &str,
) -> Option<[u8; 6]> {
    let host = settings.nodes.get(node).and_then(Node::ethernet_host)?;
    ethernet(host, *addresses.get(node)?).map(|interface| interface.mac)
}

/// Whether hosts exchange frames, so that switches keep all bytes.
pub(crate) fn has_frames(settings: &Settings) -> bool {
    settings.nodes.values().any(|node| node.ethernet_host().is_some())
}

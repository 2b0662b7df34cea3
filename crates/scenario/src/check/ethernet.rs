//! Checks of hosts with an Ethernet interface, and of networks that carry frames.

use indexmap::IndexMap;
use jettison_registry::KeyPath;

use super::Checker;
use crate::build::{addresses, hosts::has_frames};
use crate::schema::{Flow, HardwareAddress, Host, Layer, Node};

impl Checker<'_> {
    /// Checks the keys of layer 2, and that a network with such hosts carries frames everywhere.
    pub(super) fn ethernet(&mut self) {
        let settings = self.settings;
        let table = KeyPath::root().key("nodes");
        let frames = has_frames(settings);
        let mut macs: IndexMap<HardwareAddress, &str> = IndexMap::new();
        for (name, node) in &settings.nodes {
            let at = table.key(name);
            match node {
                Node::Host(host) if host.layer == Layer::Ethernet => {
                    self.interface(name, host, &at);
                    if let Some(mac) = host.mac
                        && let Some(other) = macs.insert(mac, name)
                    {
                        let message = format!(
                            "hardware addresses must be unique: `{other}` and `{name}` both have {mac}"
                        );
                        self.find(
                            &at.key("mac"),
                            message,
                            "change one, or remove both for derived addresses",
                        );
                    }
                }
                Node::Host(host) => {
                    let given = [
                        ("mac", host.mac.is_some()),
                        ("prefix", host.prefix.is_some()),
                        ("gateway", host.gateway.is_some()),
                        ("neighbours", !host.neighbours.is_empty()),
                    ];
                    for (key, _) in given.into_iter().filter(|(_, given)| *given) {
                        let message = format!("`{key}` is of hosts with an Ethernet interface");
                        self.find(&at.key(key), message, "add `layer = 2`");
                    }
                    if frames {
                        let message = format!("`{name}` must have `layer = 2`, as other hosts have");
                        self.find(&at, message, "add `layer = 2`, or remove it from all hosts");
                    }
                }
                Node::Router(_) if frames => {
                    let message = format!(
                        "`{name}` must be a P4 router, because hosts have `layer = 2`: native routers carry no frames"
                    );
                    self.find(&at.key("kind"), message, "use `kind = \"p4\"`");
                }
                Node::Router(_) | Node::P4(_) => {}
            }
        }
    }

    fn interface(&mut self, name: &str, host: &Host, at: &KeyPath) {
        let address = addresses(self.settings)[name];
        let longest = if address.is_v4() { 32 } else { 128 };
        if let Some(prefix) = host.prefix.filter(|prefix| *prefix > longest) {
            let message = format!("`prefix` must be at most {longest} for {address}, got {prefix}");
            self.find(&at.key("prefix"), message, "write a shorter prefix");
        }
        if let Some(gateway) = host.gateway.filter(|gateway| gateway.is_ipv4() != address.is_v4()) {
            let message = format!("`gateway` must be of the family of {address}, got {gateway}");
            self.find(&at.key("gateway"), message, "write an address of that family");
        }
        if let Some(mac) = host.mac.filter(|mac| mac.0[0] & 1 != 0) {
            let message = format!("`mac` must be the address of one host, got the group address {mac}");
            self.find(&at.key("mac"), message, "write an even first byte");
        }
        let own = self.settings.links.iter().filter(|(_, link)| link.between.iter().any(|end| end == name));
        let own: Vec<&str> = own.map(|(link, _)| link.as_str()).collect();
        if let [_, second, ..] = own[..] {
            let message = format!("a host with `layer = 2` has one link, `{name}` has {}", own.len());
            let at = KeyPath::root().key("links").key(second).key("between");
            self.find(&at, message, format!("its links: {}", own.join(", ")));
        }
    }

    /// Checks that both ends of a flow of frames have Ethernet interfaces.
    pub(super) fn frames_flow(&mut self, flow: &Flow, at: &KeyPath) {
        if flow.app.0.kind != "frames" {
            return;
        }
        for (key, name) in [("from", &flow.from), ("to", &flow.to)] {
            let node = self.settings.nodes.get(name);
            if node.is_some_and(|node| node.is_host() && node.ethernet_host().is_none()) {
                let message = format!("`frames` needs hosts with `layer = 2`, `{name}` has none");
                self.find(&at.key(key), message, format!("add `layer = 2` to `nodes.{name}`"));
            }
        }
    }
}

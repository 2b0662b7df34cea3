//! Checks of nodes: addresses, policy routes, recirculation.

use indexmap::IndexMap;

use super::Checker;
use crate::schema::{Node, PolicyRoute};
use crate::validate::Finding;
use jettison_registry::KeyPath;

impl Checker<'_> {
    pub(super) fn nodes(&mut self) {
        let settings = self.settings;
        let table = KeyPath::root().key("nodes");
        let mut addresses = IndexMap::new();
        for (name, node) in &settings.nodes {
            let at = table.key(name);
            self.queue_choice(node.queue(), &at.key("queue"));
            if let Some(address) = node.address()
                && let Some(other) = addresses.insert(address.to_canonical(), name)
            {
                let message = format!("addresses must be unique: `{other}` and `{name}` both have {address}");
                self.find(
                    &at.key("address"),
                    message,
                    "change one, or remove both for the default addresses",
                );
            }
            for (index, route) in node.routes().iter().enumerate() {
                self.route(name, route, &at.key("routes").index(index));
            }
            if let Node::Host(host) = node {
                // Only network settings are per namespace; others would change the whole machine.
                for name in host.sysctls.keys().filter(|name| !name.starts_with("net.")) {
                    let message = format!("`sysctls` must be of the network (`net.`), got `{name}`");
                    let help = "name a setting such as \"net.ipv4.tcp_ecn\"";
                    self.find(&at.key("sysctls").key(name), message, help);
                }
            }
            for (index, link) in node.nat().into_iter().flat_map(|nat| &nat.inside).enumerate() {
                let at = at.key("nat").key("inside").index(index);
                if self.link_name(link, &at) {
                    self.joins(name, link, &at);
                }
            }
            if let Node::P4(router) = node {
                self.p4_router(name, router, &at);
            }
            if let Some(recirculation) = node.recirculation()
                && let Err(error) = recirculation.check()
            {
                self.findings.push(Finding::built(self.tree, &at.key("recirculation"), &error));
            }
            if let Some(service) = node.service() {
                if let Err(error) = service.check() {
                    self.findings.push(Finding::built(self.tree, &at.key("service"), &error));
                }
                let given = [
                    ("ingress_delay", node.ingress_delay().is_some()),
                    ("recirculation", node.recirculation().is_some()),
                ];
                for (key, _) in given.into_iter().filter(|(_, given)| *given) {
                    let message =
                        format!("`{key}` is not used with `service`, which has its own times and buffers");
                    self.find(&at.key(key), message, format!("remove `{key}` or `service`"));
                }
            }
        }
    }

    fn route(&mut self, router: &str, route: &PolicyRoute, at: &KeyPath) {
        for (key, node) in [("from", &route.from), ("to", &route.to)] {
            if let Some(node) = node {
                self.node_name(node, &at.key(key));
            }
        }
        for (key, link) in [("arriving", route.arriving.as_deref()), ("via", Some(route.via.as_str()))] {
            let Some(name) = link else { continue };
            let at = at.key(key);
            if !self.link_name(name, &at) {
                continue;
            }
            self.joins(router, name, &at);
        }
    }

    /// Checks that a link ends at a node.
    fn joins(&mut self, node: &str, name: &str, at: &KeyPath) {
        let link = self.settings.links.get(name);
        if link.is_some_and(|link| !link.between.iter().any(|end| end == node)) {
            let own =
                self.settings.links.iter().filter(|(_, link)| link.between.iter().any(|end| end == node));
            let own: Vec<&str> = own.map(|(name, _)| name.as_str()).collect();
            let help = format!("links of `{node}`: {}", own.join(", "));
            self.find(at, format!("link `{name}` does not join `{node}`"), help);
        }
    }
}

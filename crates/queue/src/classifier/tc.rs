//! Matches as filters of Linux: tc-flower(8).

use jettison_registry::ParameterError;

use super::{Match, Network, Ports, Protocol};
use crate::Filter;

impl Match {
    /// The filters that lead what matches to a class: one for each DSCP and version of IP.
    ///
    /// # Errors
    /// If no filter can match so.
    pub fn filters(&self, class: u16) -> Result<Vec<Filter>, ParameterError> {
        ParameterError::unless(self.class.is_none(), "class", || {
            "must be unset for `tc`: Linux's packets have no traffic class of a switch".to_owned()
        })?;
        let ports = [("src_port", self.source_port), ("dst_port", self.destination_port)];
        let of_ports = ports.iter().any(|(_, ports)| ports.is_some());
        // Ports are fields of a transport protocol: without one, both that have them.
        let protocols = match (self.protocol, of_ports) {
            (Some(protocol), _) => vec![Some(protocol)],
            (None, true) => vec![Some(Protocol::Tcp), Some(Protocol::Udp)],
            (None, false) => vec![None],
        };
        let dscps = match self.dscp.is_empty() {
            true => vec![None],
            false => self.dscp.iter().map(|dscp| Some(dscp.get())).collect(),
        };
        let networks = [("src_ip", self.source), ("dst_ip", self.destination)];
        let mut filters = Vec::new();
        for version in ["ip", "ipv6"] {
            let fits = |network: &Option<Network>| network.is_none_or(|one| one.is_v4() == (version == "ip"));
            if !networks.iter().all(|(_, network)| fits(network)) {
                continue;
            }
            for protocol in &protocols {
                for dscp in &dscps {
                    let mut words = vec!["flower".to_owned()];
                    if let Some(protocol) = protocol {
                        words.push(format!("ip_proto {}", name(*protocol, version)));
                    }
                    for (key, network) in networks {
                        words.extend(network.map(|network| format!("{key} {network}")));
                    }
                    for (key, ports) in ports {
                        words.extend(ports.map(|ports: Ports| format!("{key} {ports}")));
                    }
                    words.extend(dscp.map(|dscp| format!("ip_tos {:#04x}/0xfc", dscp << 2)));
                    let matches = words.join(" ");
                    filters.push(Filter { protocol: version, matches, class, action: Vec::new() });
                }
            }
        }
        Ok(filters)
    }
}

fn name(protocol: Protocol, version: &str) -> &'static str {
    match (protocol, version) {
        (Protocol::Tcp, _) => "tcp",
        (Protocol::Udp, _) => "udp",
        (Protocol::Icmp, "ip") => "icmp",
        (Protocol::Icmp, _) => "icmpv6",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn written(found: Value) -> Vec<(&'static str, String)> {
        let found: Match = serde_json::from_value(found).unwrap();
        found.filters(7).unwrap().into_iter().map(|filter| (filter.protocol, filter.matches)).collect()
    }

    #[test]
    fn a_match_becomes_a_filter_for_each_version_of_ip_and_dscp() {
        assert_eq!(
            written(json!({ "dscp": ["EF", "CS1"], "source": "10.0.0.0/8" })),
            [
                ("ip", "flower src_ip 10.0.0.0/8 ip_tos 0xb8/0xfc".to_owned()),
                ("ip", "flower src_ip 10.0.0.0/8 ip_tos 0x20/0xfc".to_owned())
            ]
        );
        let both: Vec<_> = written(json!({ "destination_port": "5000-5100" }));
        let expected = "flower ip_proto udp dst_port 5000-5100".to_owned();
        assert_eq!((both.len(), &both[3]), (4, &("ipv6", expected)));
    }

    #[test]
    fn a_traffic_class_has_no_filter() {
        let found: Match = serde_json::from_value(json!({ "class": 2 })).unwrap();
        assert_eq!(found.filters(1).unwrap_err().path, ["class"]);
    }
}

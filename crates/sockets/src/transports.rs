//! The transports that a scenario can name.

use jettison_core::Registry;
use schemars::Schema;

use jettison_messages::OctopusParameters;
use jettison_tcp::TcpParameters;

use crate::UdpParameters;

/// A transport of a flow.
#[derive(Debug, Clone, Copy)]
pub struct TransportEntry {
    id: &'static str,
    summary: &'static str,
    source: &'static str,
    schema: fn() -> Schema,
}

jettison_core::catalogue!(TransportEntry);

/// All transports.
pub fn transports() -> Registry<TransportEntry> {
    let mut registry = Registry::new("transport");
    registry.register(TransportEntry {
        id: "octopus",
        summary: "messages with drop rules, over datagrams, paced by a choice of congestion controllers",
        source: "Chen, Tahir, Mittal; RFC 9002",
        schema: || schemars::schema_for!(OctopusParameters),
    });
    registry.register(TransportEntry {
        id: "tcp",
        summary: "reliable byte stream with SACK, PRR, RACK-TLP, ECN and a choice of congestion controllers",
        source: "RFC 9293, 5681, 6298, 6675, 7323, 8985, 9937",
        schema: || schemars::schema_for!(TcpParameters),
    });
    registry.register(TransportEntry {
        id: "udp",
        summary: "datagrams as sent by the application",
        source: "RFC 768",
        schema: || schemars::schema_for!(UdpParameters),
    });
    registry
}

#[cfg(test)]
mod tests {
    use jettison_core::Catalogue;
    use jettison_core::parameter_docs;

    use super::*;

    #[test]
    fn every_parameter_is_documented_with_its_default() {
        for entry in transports().iter() {
            for parameter in parameter_docs(&entry.schema()) {
                assert!(!parameter.description.is_empty(), "{}.{}", entry.id(), parameter.name);
                let needs_none = parameter.description.contains("ask for none");
                assert!(parameter.default.is_some() || needs_none, "{}.{}", entry.id(), parameter.name);
            }
        }
    }
}

//! What a scenario may name as a transport.

use jettison_core::Registry;
use jettison_wire::Ecn;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};

use crate::octopus::OctopusParameters;
use crate::tcp::TcpParameters;

/// One transport that a flow may use.
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
        summary: "messages that say how they may be dropped, over datagrams, paced by a choice of congestion controllers",
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
        summary: "datagrams as the application hands them over",
        source: "RFC 768",
        schema: || schemars::schema_for!(UdpParameters),
    });
    registry
}

/// Parameters of the `udp` transport.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq, Eq)]
#[serde(deny_unknown_fields, default, rename_all = "snake_case")]
pub struct UdpParameters {
    /// Differentiated-services code point of every datagram, 0 to 63 (RFC 2474).
    pub dscp: u8,
    /// ECN field of every datagram (RFC 3168 §5).
    pub ecn: EcnCodepoint,
}

impl UdpParameters {
    /// Whether the values make sense; the message says what would.
    pub fn validate(&self) -> Result<(), String> {
        if self.dscp > 63 {
            return Err(format!("dscp is {}: a code point is 0 to 63", self.dscp));
        }
        Ok(())
    }

    /// The IPv4 TOS or IPv6 traffic class of every datagram.
    pub fn traffic_class(&self) -> u8 {
        self.dscp << 2 | Ecn::from(self.ecn) as u8
    }
}

/// What an endpoint puts into the ECN field.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum EcnCodepoint {
    /// Not ECN-capable.
    #[default]
    NotEct,
    /// ECN-capable, classic.
    Ect0,
    /// ECN-capable, scalable (L4S).
    Ect1,
}

impl From<EcnCodepoint> for Ecn {
    fn from(codepoint: EcnCodepoint) -> Ecn {
        match codepoint {
            EcnCodepoint::NotEct => Ecn::NotEct,
            EcnCodepoint::Ect0 => Ecn::Ect0,
            EcnCodepoint::Ect1 => Ecn::Ect1,
        }
    }
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

    #[test]
    fn udp_sets_the_traffic_class() {
        let parameters = UdpParameters { dscp: 46, ecn: EcnCodepoint::Ect1 };
        assert_eq!(parameters.traffic_class(), 46 << 2 | 1);
        assert!(UdpParameters { dscp: 64, ..parameters }.validate().is_err());
    }
}

//! The `udp` transport: datagrams as sent by the application.

use jettison_registry::style::{Line::Solid, ORANGE};
use jettison_registry::{Entry, ParameterError};
use jettison_wire::Ecn;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::transport::{FlowTransport, Transport, TransportContext};

/// Its entry in the list of transports.
pub(crate) fn entry() -> Entry<Transport> {
    Entry::<Transport>::new("udp", "UDP", build)
        .style(ORANGE, Solid)
        .summary("datagrams as the application hands them over")
        .source("RFC 768")
        .page("scenario.md")
}

fn build(parameters: UdpParameters, _: &TransportContext<'_>) -> Result<FlowTransport, ParameterError> {
    parameters.validate()?;
    Ok(FlowTransport::Udp { traffic_class: parameters.traffic_class() })
}

/// Parameters of the `udp` transport.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq, Eq)]
#[serde(deny_unknown_fields, default, rename_all = "snake_case")]
pub struct UdpParameters {
    /// Differentiated Services Code Point (DSCP) of every datagram, 0 to 63 (RFC 2474).
    pub dscp: u8,
    /// ECN field of every datagram (RFC 3168 §5).
    pub ecn: EcnCodepoint,
}

impl UdpParameters {
    /// Checks the ranges.
    ///
    /// # Errors
    /// With the key that is out of range.
    pub fn validate(&self) -> Result<(), ParameterError> {
        ParameterError::require(self.dscp <= 63, "dscp", "be 0 to 63", self.dscp)
    }

    /// The IPv4 TOS or IPv6 traffic class of every datagram.
    pub fn traffic_class(&self) -> u8 {
        self.dscp << 2 | Ecn::from(self.ecn) as u8
    }
}

/// The ECN field that an endpoint sets.
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
    use super::*;

    #[test]
    fn udp_sets_the_traffic_class() {
        let parameters = UdpParameters { dscp: 46, ecn: EcnCodepoint::Ect1 };
        assert_eq!(parameters.traffic_class(), 46 << 2 | 1);
        assert!(UdpParameters { dscp: 64, ..parameters }.validate().is_err());
    }
}

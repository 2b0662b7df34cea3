//! The list of transports.

use jettison_registry::Registry;

use crate::transport::Transport;
use crate::{octopus, tcp, udp};

/// All transports.
pub fn transports() -> Registry<Transport> {
    Registry::from([octopus::entry(), tcp::entry(), udp::entry()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_is_documented_with_its_default() {
        for entry in transports().iter() {
            for parameter in entry.parameters() {
                assert!(!parameter.description.is_empty(), "{}.{}", entry.id, parameter.name);
                let needs_none =
                    ["ask for none", "Default: "].iter().any(|text| parameter.description.contains(text));
                assert!(parameter.default.is_some() || needs_none, "{}.{}", entry.id, parameter.name);
            }
        }
    }
}

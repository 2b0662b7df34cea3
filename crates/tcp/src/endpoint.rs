//! Endpoints of connections.

use std::fmt;

use jettison_wire::Address;

/// An IP address and a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Endpoint {
    /// The IP address.
    pub address: Address,
    /// The transport port.
    pub port: u16,
}

impl Endpoint {
    /// Creates an endpoint.
    pub const fn new(address: Address, port: u16) -> Endpoint {
        Endpoint { address, port }
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.address.is_v4() {
            write!(f, "{}:{}", self.address, self.port)
        } else {
            write!(f, "[{}]:{}", self.address, self.port)
        }
    }
}

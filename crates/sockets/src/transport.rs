//! Transports as a kind of component: what one is built from, and what comes out.

use std::sync::Arc;

use jettison_core::RandomStream;
use jettison_registry::Kind;

use crate::{OctopusOptions, TcpOptions};

/// The kind of transports.
pub enum Transport {}

impl Kind for Transport {
    const KEY: &'static str = "transport";
    const NAME: &'static str = "transport";
    type Context<'a> = TransportContext<'a>;
    type Built = FlowTransport;
    type Facts = ();
}

/// What a flow's transport may need to know of its place when it is built.
pub struct TransportContext<'a> {
    /// Gives the random stream of this flow's component of that name.
    pub random: &'a dyn Fn(&str) -> RandomStream,
    /// The content of a file that the parameters name.
    #[allow(clippy::type_complexity)] // spelt out, it says what it does
    pub files: &'a dyn Fn(&str) -> Result<Arc<[u8]>, String>,
}

/// The transport a flow's applications use.
#[derive(Debug, Clone)]
pub enum FlowTransport {
    /// TCP.
    Tcp(TcpOptions),
    /// UDP, with the traffic class of its datagrams.
    Udp {
        /// IPv4 TOS or IPv6 traffic class.
        traffic_class: u8,
    },
    /// The Octopus message transport.
    Octopus(OctopusOptions),
}

//! What a registered application is, and what it is built from.

use std::sync::Arc;

use jettison_core::{BuildError, RandomStream};
use jettison_tcp::Endpoint;
use schemars::Schema;
use serde_json::Value;

use crate::command::CommandParameters;
use crate::{Application, OctopusOptions, TcpOptions};

/// What an application may need to know of its place when it is built.
pub struct FlowContext<'a> {
    /// Where the flow's `to` end listens.
    pub remote: Endpoint,
    /// Where its `from` end listens, of an application whose `to` end begins ([`Initiator::To`]).
    pub server: Endpoint,
    /// The flow's transport.
    pub transport: &'a FlowTransport,
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

/// Which end of a flow begins: its `start` and `stop` are that program's. The other one listens, from the beginning of
/// the run and for what is still under way at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Initiator {
    /// The `from` end, which sends.
    #[default]
    From,
    /// The `to` end, which asks for what `from` sends.
    To,
}

/// The programs of one flow.
pub struct FlowApplications {
    /// At the `from` host.
    pub from: Box<dyn Application>,
    /// At the `to` host, if one is needed (an echo is answered by the host itself).
    pub to: Option<Box<dyn Application>>,
}

/// A registered application.
#[derive(Clone)]
pub struct ApplicationEntry {
    /// Its id.
    pub id: &'static str,
    /// One line for `jettison list`.
    pub summary: &'static str,
    /// The document it follows.
    pub source: &'static str,
    /// The transports it runs over, the default first; empty for one that brings its own (ping).
    pub transports: &'static [&'static str],
    /// Which end begins.
    pub initiator: Initiator,
    /// The schema of its parameters.
    pub schema: fn() -> Schema,
    /// Builds the flow's programs from its parameters (an object without `kind`).
    pub build: fn(&Value, &FlowContext<'_>) -> Result<FlowApplications, BuildError>,
    /// Reads the parameters of an application that is no model: programs of the user's, which `build` refuses.
    #[allow(clippy::type_complexity)] // spelt out, it says what it does
    pub programs: Option<fn(&Value) -> Result<CommandParameters, BuildError>>,
}

jettison_core::catalogue!(ApplicationEntry);

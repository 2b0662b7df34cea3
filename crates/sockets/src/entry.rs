//! Applications as a kind of component: what one is built from, and what comes out.

use std::sync::Arc;

use jettison_core::RandomStream;
use jettison_registry::{Kind, ParameterError};
use jettison_tcp::Endpoint;
use serde_json::Value;

use crate::command::CommandParameters;
use crate::{Application, FlowTransport, TcpOptions};

/// The kind of applications that flows run.
pub enum FlowApplication {}

impl Kind for FlowApplication {
    const KEY: &'static str = "application";
    const NAME: &'static str = "application";
    type Context<'a> = FlowContext<'a>;
    type Built = FlowApplications;
    type Facts = FlowFacts;
}

/// What an application says of itself besides.
#[derive(Clone, Copy, Default)]
pub struct FlowFacts {
    /// The transports it runs over, the default first; empty for one that brings its own (ping).
    pub transports: &'static [&'static str],
    /// Which end begins.
    pub initiator: Initiator,
    /// Reads the parameters of an application that is no model: programs of the user's, which cannot be built.
    #[allow(clippy::type_complexity)] // spelt out, it says what it does
    pub programs: Option<fn(&Value) -> Result<CommandParameters, ParameterError>>,
}

impl FlowFacts {
    /// Of an application over these transports, the default first, whose `from` end begins.
    pub const fn over(transports: &'static [&'static str]) -> FlowFacts {
        FlowFacts { transports, initiator: Initiator::From, programs: None }
    }
}

/// What an application may need to know of its place when it is built.
pub struct FlowContext<'a> {
    /// Where the flow's `to` end listens.
    pub remote: Endpoint,
    /// Where its `from` end listens, of an application whose `to` end begins ([`Initiator::To`]).
    pub server: Endpoint,
    /// Hardware address of the flow's `to` host, if it has one of its own.
    pub hardware: Option<[u8; 6]>,
    /// The flow's transport.
    pub transport: &'a FlowTransport,
    /// Gives the random stream of this flow's component of that name.
    pub random: &'a dyn Fn(&str) -> RandomStream,
    /// The content of a file that the parameters name.
    #[allow(clippy::type_complexity)] // spelt out, it says what it does
    pub files: &'a dyn Fn(&str) -> Result<Arc<[u8]>, String>,
}

impl FlowContext<'_> {
    /// The flow's TCP, for an application that runs over nothing else.
    ///
    /// # Errors
    /// If the flow has another transport.
    pub fn tcp(&self) -> Result<TcpOptions, ParameterError> {
        match self.transport {
            FlowTransport::Tcp(options) => Ok(options.clone()),
            FlowTransport::Udp { .. } | FlowTransport::Octopus(_) => {
                Err(ParameterError::at("kind", "runs over transport `tcp`"))
            }
        }
    }

    /// The traffic class of the flow's datagrams, for an application that runs over UDP alone.
    ///
    /// # Errors
    /// If the flow has another transport.
    pub fn udp(&self) -> Result<u8, ParameterError> {
        match self.transport {
            FlowTransport::Udp { traffic_class } => Ok(*traffic_class),
            FlowTransport::Tcp(_) | FlowTransport::Octopus(_) => {
                Err(ParameterError::at("kind", "runs over transport `udp`"))
            }
        }
    }
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

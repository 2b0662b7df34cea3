//! The `tcp` transport, as a flow uses it.

use std::sync::Arc;

use jettison_core::RandomStream;
use jettison_registry::style::{BLUE, Line::Solid};
use jettison_registry::{Entry, ParameterError};
use jettison_tcp::TcpParameters;

use crate::transport::{FlowTransport, Transport, TransportContext};
use crate::{ControllerFactory, TcpOptions};

/// Its entry in the list of transports.
pub(crate) fn entry() -> Entry<Transport> {
    Entry::<Transport>::new("tcp", "TCP", build)
        .style(BLUE, Solid)
        .summary("reliable byte stream with SACK, PRR, RACK-TLP, ECN and a choice of congestion controllers")
        .source("RFC 9293, 5681, 6298, 6675, 7323, 8985, 9937")
        .page("tcp.md")
}

fn build(parameters: TcpParameters, context: &TransportContext<'_>) -> Result<FlowTransport, ParameterError> {
    TcpOptions::new(parameters, (context.random)("congestion")).map(FlowTransport::Tcp)
}

impl TcpOptions {
    /// Of connections with these parameters; `random` is for congestion controllers that draw.
    ///
    /// # Errors
    /// With the path of the key at fault.
    pub fn new(parameters: TcpParameters, random: RandomStream) -> Result<TcpOptions, ParameterError> {
        parameters.validate()?;
        let parameters = Arc::new(parameters);
        let own = Arc::clone(&parameters);
        let controller = ControllerFactory::new(move || {
            let controller = own.controller(Some(random.clone()));
            controller.expect("`validate` has built a controller from the same parameters")
        });
        Ok(TcpOptions { parameters, controller })
    }
}

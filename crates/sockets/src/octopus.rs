//! The `octopus` transport, as a flow uses it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use jettison_messages::OctopusParameters;
use jettison_messages::path::PathController;
use jettison_registry::style::{FOREST, Line::Solid};
use jettison_registry::{Entry, ParameterError};

use crate::transport::{FlowTransport, Transport, TransportContext};

/// Its entry in the list of transports.
pub(crate) fn entry() -> Entry<Transport> {
    Entry::<Transport>::new("octopus", "Octopus", build)
        .style(FOREST, Solid)
        .summary("messages that say how they may be dropped, over paced datagrams; several controllers")
        .source("Chen, Tahir, Mittal; RFC 9002")
        .page("octopus-transport.md")
}

fn build(
    parameters: OctopusParameters,
    context: &TransportContext<'_>,
) -> Result<FlowTransport, ParameterError> {
    OctopusOptions::new(parameters, context).map(FlowTransport::Octopus)
}

/// Options of a flow's Octopus transport.
#[derive(Clone)]
pub struct OctopusOptions {
    /// The parameters, shared by both ends.
    pub parameters: Arc<OctopusParameters>,
    /// Creates a connection's path controller.
    #[allow(clippy::type_complexity)] // an alias would hide what it is
    pub controller: Arc<dyn Fn() -> Box<dyn PathController> + Send + Sync>,
}

impl OctopusOptions {
    /// Of connections with these parameters. What their controller reads from files it reads once, here.
    ///
    /// # Errors
    /// With the path of the key at fault.
    pub fn new(
        parameters: OctopusParameters,
        context: &TransportContext<'_>,
    ) -> Result<OctopusOptions, ParameterError> {
        let random = (context.random)("congestion");
        parameters.validate()?;
        let read = RefCell::new(BTreeMap::<String, Arc<[u8]>>::new());
        let reading = |name: &str| {
            let content = (context.files)(name)?;
            read.borrow_mut().insert(name.to_owned(), Arc::clone(&content));
            Ok(content)
        };
        parameters.controller(&parameters.path_context(Some(random.clone()), &reading))?;
        let read = read.into_inner();
        let parameters = Arc::new(parameters);
        let own = Arc::clone(&parameters);
        let controller = Arc::new(move || {
            let files =
                |name: &str| read.get(name).cloned().ok_or_else(|| format!("`{name}` was not read before"));
            let controller = own.controller(&own.path_context(Some(random.clone()), &files));
            controller.expect("the same parameters built a controller above")
        });
        Ok(OctopusOptions { parameters, controller })
    }
}

impl fmt::Debug for OctopusOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OctopusOptions").field("parameters", &self.parameters).finish_non_exhaustive()
    }
}

//! Options of a flow's message transport.

use std::fmt;
use std::sync::Arc;

use jettison_messages::OctopusParameters;
use jettison_messages::path::PathController;

/// Options of a flow's Octopus transport.
#[derive(Clone)]
pub struct OctopusOptions {
    /// The parameters, shared by both ends.
    pub parameters: Arc<OctopusParameters>,
    /// Creates a connection's path controller.
    #[allow(clippy::type_complexity)] // an alias would hide what it is
    pub controller: Arc<dyn Fn() -> Box<dyn PathController> + Send + Sync>,
}

impl fmt::Debug for OctopusOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OctopusOptions").field("parameters", &self.parameters).finish_non_exhaustive()
    }
}

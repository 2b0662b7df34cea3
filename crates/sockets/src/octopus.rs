//! What a flow's message transport is made of.

use std::fmt;
use std::sync::Arc;

use jettison_messages::OctopusParameters;
use jettison_messages::path::PathController;

/// How a flow's Octopus transport behaves.
#[derive(Clone)]
pub struct OctopusOptions {
    /// The parameters, shared by both ends.
    pub parameters: Arc<OctopusParameters>,
    /// Makes a connection's path controller.
    #[allow(clippy::type_complexity)] // spelt out, it says what it does
    pub controller: Arc<dyn Fn() -> Box<dyn PathController> + Send + Sync>,
}

impl fmt::Debug for OctopusOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OctopusOptions").field("parameters", &self.parameters).finish_non_exhaustive()
    }
}

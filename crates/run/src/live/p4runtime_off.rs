//! Without the feature `p4runtime` no switch listens.

use jettison_live::LiveError;
use jettison_live::router::Control;
use jettison_scenario::Scenario;
use jettison_scenario::schema::{Node, Settings};
use jettison_sim::World;

use super::Controllable;

/// No sockets.
pub struct Listeners;

impl Listeners {
    /// Refuses switches that are to listen.
    ///
    /// # Errors
    /// If there are any.
    pub fn bind(scenario: &Scenario) -> Result<Listeners, LiveError> {
        let listens = |node: &Node| matches!(node, Node::P4(router) if router.p4runtime.is_some());
        match scenario.variants.iter().any(|variant| variant.settings.nodes.values().any(listens)) {
            false => Ok(Listeners),
            true => Err(LiveError::system("`p4runtime` of a node")(std::io::Error::other(
                "this program was built without the feature `p4runtime`",
            ))),
        }
    }

    /// None.
    pub fn addresses(&self) -> Vec<Controllable> {
        Vec::new()
    }

    /// Does nothing.
    ///
    /// # Errors
    /// Never.
    pub fn serve(&self, _: &Settings, _: &mut World, _: &Control) -> Result<(), String> {
        Ok(())
    }
}

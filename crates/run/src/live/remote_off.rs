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
        let nodes = || scenario.variants.iter().flat_map(|variant| variant.settings.nodes.values());
        let key = nodes().find_map(|node| match node {
            Node::P4(router) if router.p4runtime.is_some() => Some("p4runtime"),
            Node::P4(router) if router.thrift.is_some() => Some("thrift"),
            _ => None,
        });
        match key {
            None => Ok(Listeners),
            Some(key) => Err(LiveError::system(format!("`{key}` of a node"))(std::io::Error::other(
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

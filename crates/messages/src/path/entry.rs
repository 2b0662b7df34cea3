//! Controllers of the message transport as a kind of component: what one is built from.

use std::sync::Arc;

use jettison_core::{Duration, RandomStream};
use jettison_registry::Kind;

use super::PathController;

/// The kind of controllers of the message transport.
pub enum MessageController {}

impl Kind for MessageController {
    const KEY: &'static str = "path-controller";
    const NAME: &'static str = "congestion controller";
    type Context<'a> = PathContext<'a>;
    type Built = Box<dyn PathController>;
    type Facts = ();
}

/// The context in which a path controller is built.
#[expect(clippy::type_complexity, reason = "a plain function, written twice")]
pub struct PathContext<'a> {
    /// Bytes of a full packet, including the transport's headers.
    pub packet: u64,
    /// Initial window in bytes.
    pub initial_window: u64,
    /// The assumed RTT before the first sample.
    pub initial_rtt: Duration,
    /// Random stream for controllers that need one; keyed by the flow's name.
    pub random: Option<RandomStream>,
    /// Reads a file that the parameters name (a trace).
    pub files: &'a dyn Fn(&str) -> Result<Arc<[u8]>, String>,
}

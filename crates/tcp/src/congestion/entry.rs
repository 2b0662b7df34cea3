//! TCP's congestion controllers as a kind of component: what one is built from.

use jettison_core::RandomStream;
use jettison_registry::Kind;

use super::{CongestionController, Growth, HyStart, ReduceFrom};

/// The kind of TCP's congestion controllers.
pub enum Controller {}

impl Kind for Controller {
    const KEY: &'static str = "controller";
    const NAME: &'static str = "congestion controller";
    type Context<'a> = ControllerContext;
    type Built = Box<dyn CongestionController>;
    type Facts = InKernel;
}

/// The kernel's congestion control that does the same, for `jettison live`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct InKernel {
    /// Its name there; `None` if there is none.
    pub name: Option<&'static str>,
    /// Its name where the transport is told to pace, if that is another module.
    pub paced: Option<&'static str>,
    /// Whether it paces even if the transport is told not to.
    pub always_paces: bool,
}

impl InKernel {
    /// The module of that name.
    pub const fn named(name: &'static str) -> InKernel {
        InKernel { name: Some(name), paced: None, always_paces: false }
    }
}

/// The context in which a controller is built.
#[derive(Debug, Clone)]
pub struct ControllerContext {
    /// Payload bytes of a full segment (SMSS).
    pub mss: u64,
    /// Initial window in bytes (RFC 6928).
    pub initial_window: u64,
    /// How acknowledged data makes the window grow.
    pub growth: Growth,
    /// What a loss or a timeout reduces.
    pub reduce_from: ReduceFrom,
    /// The rule that ends slow start before loss.
    pub hystart: HyStart,
    /// Whether the transport paces, which lifts HyStart++'s limit of growth per ACK (RFC 9406 §4.3) and spreads the
    /// ACK trains of Linux's HyStart.
    pub paced: bool,
    /// Random stream for controllers that need one (BBR's gain cycle); keyed by the flow's name.
    pub random: Option<RandomStream>,
}

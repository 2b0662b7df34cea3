//! Settings shared by all players of one application.

use std::fmt;
use std::sync::Arc;

use jettison_core::Duration;
use jettison_tcp::Endpoint;

use super::{Connections, Thresholds};
use crate::abr::AbrRule;
use crate::qoe::LinearWeights;
use crate::qoe::p1203::Viewing;
use jettison_sockets::TcpOptions;

/// Settings of players.
#[derive(Debug, Clone)]
pub struct PlayerSetup {
    /// Address and port of the server.
    pub server: Endpoint,
    /// TCP options of connections.
    pub options: TcpOptions,
    /// Lifetime of connections.
    pub connections: Connections,
    /// Buffer levels at which playback starts and resumes.
    pub thresholds: Thresholds,
    /// Maximum buffer level, in media time.
    pub max_buffer: Duration,
    /// Level to which a full buffer must drain before fetching resumes; `None`: as soon as one segment fits.
    pub resume: Option<Duration>,
    /// Factory of adaptation rules.
    pub rule: RuleFactory,
    /// Weights of the linear QoE.
    pub weights: LinearWeights,
    /// Viewing conditions for P.1203.
    pub viewing: Viewing,
}

/// Creates adaptation rules: one per player and kind of media.
#[derive(Clone)]
pub struct RuleFactory(Arc<dyn Fn() -> Box<dyn AbrRule> + Send + Sync>);

impl RuleFactory {
    /// Creates a factory from a closure.
    pub fn new(make: impl Fn() -> Box<dyn AbrRule> + Send + Sync + 'static) -> RuleFactory {
        RuleFactory(Arc::new(make))
    }
    /// Creates a rule.
    pub fn make(&self) -> Box<dyn AbrRule> {
        (self.0)()
    }
}

impl fmt::Debug for RuleFactory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RuleFactory")
    }
}

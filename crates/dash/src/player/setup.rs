//! What all players of one application share.

use std::fmt;
use std::sync::Arc;

use jettison_core::Duration;
use jettison_tcp::Endpoint;

use super::{Connections, Thresholds};
use crate::abr::AbrRule;
use crate::qoe::LinearWeights;
use crate::qoe::p1203::Viewing;
use jettison_sockets::TcpOptions;

/// How players play.
#[derive(Debug, Clone)]
pub struct PlayerSetup {
    /// Where the server listens.
    pub server: Endpoint,
    /// How connections behave.
    pub options: TcpOptions,
    /// How long they are kept.
    pub connections: Connections,
    /// When playing begins and goes on.
    pub thresholds: Thresholds,
    /// Media time that the buffer holds at most.
    pub max_buffer: Duration,
    /// Once full, the buffer falls to this before more is fetched; as soon as one segment fits, without it.
    pub resume: Option<Duration>,
    /// Who chooses representations.
    pub rule: RuleFactory,
    /// Of the linear QoE.
    pub weights: LinearWeights,
    /// Of P.1203.
    pub viewing: Viewing,
}

/// Makes adaptation rules: one a player and kind of media.
#[derive(Clone)]
pub struct RuleFactory(Arc<dyn Fn() -> Box<dyn AbrRule> + Send + Sync>);

impl RuleFactory {
    /// A factory of that closure.
    pub fn new(make: impl Fn() -> Box<dyn AbrRule> + Send + Sync + 'static) -> RuleFactory {
        RuleFactory(Arc::new(make))
    }
    /// A new rule.
    pub fn make(&self) -> Box<dyn AbrRule> {
        (self.0)()
    }
}

impl fmt::Debug for RuleFactory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RuleFactory")
    }
}

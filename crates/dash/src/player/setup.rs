//! Settings shared by all players of one application.

use std::fmt;
use std::sync::Arc;

use jettison_core::Duration;
use jettison_tcp::Endpoint;

use super::{Connections, Kind, Thresholds};
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
    /// Version of HTTP, and lifetime of connections.
    pub connections: Connections,
    /// Time after which a request of HTTP/1.1 is given up and repeated; `None`: never.
    pub request_timeout: Option<Duration>,
    /// Whether video and audio are requested independently of each other.
    pub is_parallel: bool,
    /// Buffer levels at which playback starts and resumes.
    pub thresholds: Thresholds,
    /// When segments are requested.
    pub filling: Filling,
    /// Replacement of buffered segments; `None`: none is replaced.
    pub fast_switch: Option<FastSwitch>,
    /// Whether initialization segments are kept; otherwise each switch requests one.
    pub keeps_initialization: bool,
    /// Factory of adaptation rules.
    pub rule: RuleFactory,
    /// Weights of the linear QoE.
    pub weights: LinearWeights,
    /// Viewing conditions for P.1203.
    pub viewing: Viewing,
}

/// When segments are requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filling {
    /// When the next segment fits into a buffer of `max`. Once full, the buffer drains to `resume` first.
    Fits {
        /// Maximum buffer level.
        max: Duration,
        /// Level to which a full buffer must drain before fetching resumes; `None`: as soon as one segment fits.
        resume: Option<Duration>,
    },
    /// When the level is found below a target, which is looked at after each segment and then at intervals.
    Below(Targets),
}

impl Filling {
    /// Returns the highest level aimed at.
    pub fn maximum(&self) -> Duration {
        match self {
            Filling::Fits { max, .. } => *max,
            Filling::Below(targets) => targets.default.max(targets.top),
        }
    }
}

/// Buffer targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Targets {
    /// Target below the top quality.
    pub default: Duration,
    /// Target at the top quality.
    pub top: Duration,
    /// What counts as the top quality.
    pub top_quality: TopQuality,
    /// Whether the target must hold the next segment of video too, if it holds more than one.
    pub holds_segment: bool,
    /// How the kinds of media are kept together.
    pub together: Together,
    /// Interval at which the level is looked at.
    pub interval: Duration,
}

/// What counts as the top quality.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TopQuality {
    /// The highest representation of each kind of media.
    Both,
    /// The highest representation of the kind in question.
    Own,
}

/// How the kinds of media are kept together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Together {
    /// Not at all.
    Apart,
    /// Audio's target is video's level and a second, or a segment if that is more.
    AudioFollowsVideo,
    /// Neither kind gets a segment (or half a second) ahead of the other; it then waits for the interval given.
    OneSegment(Duration),
}

/// Replacement of buffered segments when the quality rises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FastSwitch {
    /// Media after the position that is kept.
    pub margin: Duration,
    /// Whether any other switch fetches the last buffered segment again.
    pub repeats_last: bool,
}

/// Creates adaptation rules: one per player and kind of media.
#[derive(Clone)]
pub struct RuleFactory(Arc<dyn Fn(Kind) -> Box<dyn AbrRule> + Send + Sync>);

impl RuleFactory {
    /// Creates a factory from a closure.
    pub fn new(make: impl Fn(Kind) -> Box<dyn AbrRule> + Send + Sync + 'static) -> RuleFactory {
        RuleFactory(Arc::new(make))
    }
    /// Creates a rule for a kind of media.
    pub fn make(&self, kind: Kind) -> Box<dyn AbrRule> {
        (self.0)(kind)
    }
}

impl fmt::Debug for RuleFactory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RuleFactory")
    }
}

//! Shaka Player 5.2 in a browser (`lib/media/streaming_engine.js`, `lib/util/player_configuration.js`).

use std::sync::Arc;

use jettison_core::{Duration, Rate};
use jettison_registry::style::{GREEN, Line::Solid};
use jettison_registry::{Entry, ParameterError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entry::{AT_ONCE, positive};
use super::{PlayerContext, PlayerProfile};
use crate::abr::{Shaka, ShakaRules};
use crate::player::{Connections, Filling, PlayerSetup, RuleFactory, Targets, Together, TopQuality};
use crate::qoe::LinearWeights;
use crate::qoe::p1203::Viewing;

/// Interval at which a full buffer is looked at: half of `updateIntervalSeconds`.
const INTERVAL: Duration = Duration::from_millis(500);
/// Time that a kind of media waits for the other (`updateIntervalSeconds`).
const WAIT: Duration = Duration::from_secs(1);

/// Its entry in the list of players.
pub(super) fn entry() -> Entry<PlayerProfile> {
    Entry::<PlayerProfile>::new("shaka", "Shaka Player", build)
        .style(GREEN, Solid)
        .summary("Shaka Player 5.2: one estimate for video and audio, a choice every 8 s, 10 s of buffer")
        .source("Shaka Player's public source, 5.2.12")
        .page("appendix/dash-players.md")
}

/// Parameters of `shaka`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ShakaParameters {
    /// Estimate before enough has been downloaded (`defaultBandwidthEstimate`). A browser that knows its network's rate
    /// replaces it.
    pub default_estimate: Rate,
    /// Buffer target (`bufferingGoal`).
    pub buffer: Duration,
    /// Version of HTTP and lifetime of connections.
    pub connections: Connections,
    /// Weights of the linear QoE.
    pub qoe: LinearWeights,
    /// Display and audio codec, for P.1203.
    pub viewing: Viewing,
}

impl Default for ShakaParameters {
    fn default() -> ShakaParameters {
        ShakaParameters {
            default_estimate: Rate::from_mbit(1),
            buffer: Duration::from_secs(10),
            connections: Connections::default(),
            qoe: LinearWeights::default(),
            viewing: Viewing::default(),
        }
    }
}

fn build(
    parameters: ShakaParameters,
    context: &PlayerContext<'_>,
) -> Result<Arc<PlayerSetup>, ParameterError> {
    let ShakaParameters { default_estimate, buffer, connections, .. } = parameters;
    positive("buffer", buffer)?;
    ParameterError::unless(!default_estimate.is_zero(), "default_estimate", || {
        "must be > 0, got 0 bit/s".to_owned()
    })?;
    context.check_scores(&parameters.qoe, &parameters.viewing)?;
    let rules = ShakaRules { default_estimate };
    Ok(Arc::new(PlayerSetup {
        server: context.server,
        options: context.options.clone(),
        connections,
        request_timeout: None,
        is_parallel: true,
        thresholds: AT_ONCE,
        filling: Filling::Below(Targets {
            default: buffer,
            top: buffer,
            top_quality: TopQuality::Own,
            holds_segment: false,
            together: Together::OneSegment(WAIT),
            interval: INTERVAL,
        }),
        fast_switch: None,
        keeps_initialization: false,
        rule: RuleFactory::new(move |_| Box::new(Shaka::new(rules))),
        weights: parameters.qoe,
        viewing: parameters.viewing,
    }))
}

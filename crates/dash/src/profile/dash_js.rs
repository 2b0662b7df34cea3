//! dash.js 4.3 and 5.2 in a browser.
//!
//! Buffer targets, schedules and fast switching are those of `src/streaming/controllers/ScheduleController.js`,
//! `controllers/BufferController.js` and `StreamProcessor.js`; defaults those of `src/core/Settings.js`.

use std::sync::Arc;

use jettison_core::{Duration, Rate};
use jettison_registry::style::{BLUE, Line::Solid};
use jettison_registry::{Entry, ParameterError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entry::{AT_ONCE, positive};
use super::{PlayerContext, PlayerProfile};
use crate::abr::{DashJs, DashJsRules};
use crate::player::{
    Connections, FastSwitch, Filling, PlayerSetup, RuleFactory, Targets, Together, TopQuality,
};
use crate::qoe::LinearWeights;
use crate::qoe::p1203::Viewing;

/// Length from which a title is long (`longFormContentDurationThreshold`).
const LONG: Duration = Duration::from_secs(600);
/// Interval at which a schedule with nothing to do looks again (`scheduling.defaultTimeout`).
const INTERVAL: Duration = Duration::from_millis(500);

/// Its entry in the list of players.
pub(super) fn entry() -> Entry<PlayerProfile> {
    Entry::<PlayerProfile>::new("dash.js", "dash.js", build)
        .style(BLUE, Solid)
        .summary("dash.js 4.3 or 5.2: its rules, buffer targets, parallel requests, fast switching")
        .source("dash.js's public source, v4.3.0 and v5.1.1 with the settings of 5.2.1")
        .page("appendix/dash-players.md")
}

/// Parameters of `dash.js`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DashJsParameters {
    /// Version.
    pub version: DashJsVersion,
    /// Bitrate assumed before the first video segment (`initialBitrate`). Unset: 1 Mbit/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial_video: Option<Rate>,
    /// Bitrate assumed before the first audio segment. Unset: 100 kbit/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial_audio: Option<Rate>,
    /// Buffer target below the top quality, and level at which BOLA takes over (`stableBufferTime`, `bufferTimeDefault`).
    /// Unset: 12 s in 4.3, 18 s in 5.2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buffer: Option<Duration>,
    /// Buffer target at the top quality (`bufferTimeAtTopQuality`, `bufferTimeAtTopQualityLongForm`). Unset: 30 s, for titles
    /// of 10 min or more 60 s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buffer_at_top: Option<Duration>,
    /// Whether a rise of the quality replaces buffered segments (`fastSwitchEnabled`). Unset: true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fast_switch: Option<bool>,
    /// Whether slow requests are abandoned (`abandonRequestsRule`). Unset: false in 4.3, true in 5.2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub abandon: Option<bool>,
    /// Version of HTTP and lifetime of connections.
    pub connections: Connections,
    /// Weights of the linear QoE.
    pub qoe: LinearWeights,
    /// Display and audio codec, for P.1203.
    pub viewing: Viewing,
}

/// Versions of dash.js.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub enum DashJsVersion {
    /// 4.3.0, of February 2022.
    #[serde(rename = "4.3")]
    V4_3,
    /// 5.2.1, which live runs install.
    #[default]
    #[serde(rename = "5.2")]
    V5_2,
}

fn build(
    parameters: DashJsParameters,
    context: &PlayerContext<'_>,
) -> Result<Arc<PlayerSetup>, ParameterError> {
    let is_4 = parameters.version == DashJsVersion::V4_3;
    let buffer = parameters.buffer.unwrap_or(Duration::from_secs(if is_4 { 12 } else { 18 }));
    let is_long = context.titles.iter().any(|title| {
        title.video.durations.iter().fold(Duration::ZERO, |sum, duration| sum + *duration) >= LONG
    });
    let top = parameters.buffer_at_top.unwrap_or(Duration::from_secs(if is_long { 60 } else { 30 }));
    positive("buffer", buffer)?;
    positive("buffer_at_top", top)?;
    let rules = DashJsRules {
        initial_video: parameters.initial_video.unwrap_or(Rate::from_kbit(1000)),
        initial_audio: parameters.initial_audio.unwrap_or(Rate::from_kbit(100)),
        healthy: buffer,
        abandons: parameters.abandon.unwrap_or(!is_4),
        major: if is_4 { 4 } else { 5 },
    };
    context.check_scores(&parameters.qoe, &parameters.viewing)?;
    // 5.2 means to keep 1.5 segments, but it knows a segment's length of the representation in use alone and takes 1 s for it: in
    // logs of 5.2.1 the first segment that is replaced is the one 1.5 s after the position, also with segments of 4 s.
    // 4.3 goes on at the end of what is buffered, which Chromium has just before the end of the last segment: its logs have that
    // segment twice.
    let margin = Duration::from_millis(1500);
    let fast_switch = FastSwitch { margin, repeats_last: is_4 };
    Ok(Arc::new(PlayerSetup {
        server: context.server,
        options: context.options.clone(),
        connections: parameters.connections,
        request_timeout: Some(Duration::from_secs(if is_4 { 10 } else { 20 })),
        is_parallel: true,
        thresholds: AT_ONCE,
        filling: Filling::Below(Targets {
            default: buffer,
            top,
            top_quality: if is_4 { TopQuality::Both } else { TopQuality::Own },
            holds_segment: !is_4,
            together: Together::AudioFollowsVideo,
            interval: INTERVAL,
        }),
        fast_switch: parameters.fast_switch.unwrap_or(true).then_some(fast_switch),
        keeps_initialization: false,
        rule: RuleFactory::new(move |kind| Box::new(DashJs::new(rules.clone(), kind))),
        weights: parameters.qoe,
        viewing: parameters.viewing,
    }))
}

//! VLC 2 and 3 with their rate logic.
//!
//! VLC 3: `modules/demux/adaptive/PlaylistManager.cpp`, `logic/BufferingLogic.cpp`, `http/Downloader.cpp`. VLC 2:
//! `modules/stream_filter/dash/buffer/BlockBuffer.cpp`, `http/HTTPConnectionManager.cpp`.

use std::sync::Arc;

use jettison_core::Duration;
use jettison_registry::style::{GREY, Line::Solid};
use jettison_registry::{Entry, ParameterError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entry::positive;
use super::{PlayerContext, PlayerProfile};
use crate::abr::{AbrRule, Vlc2, Vlc2Parameters, Vlc3, Vlc3Parameters};
use crate::player::{
    Connections, Filling, PlayerSetup, RuleFactory, Targets, Thresholds, Together, TopQuality,
};
use crate::qoe::LinearWeights;
use crate::qoe::p1203::Viewing;

/// Interval at which a full buffer is looked at.
const INTERVAL: Duration = Duration::from_millis(100);

/// Its entry in the list of players.
pub(super) fn entry() -> Entry<PlayerProfile> {
    Entry::<PlayerProfile>::new("vlc", "VLC", build)
        .style(GREY, Solid)
        .summary("VLC 3 as `--adaptive-logic=rate` starts it, or VLC 2's DASH module")
        .source("VLC's public source, modules/demux/adaptive and modules/stream_filter/dash")
        .page("appendix/dash-players.md")
}

/// Parameters of `vlc`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct VlcParameters {
    /// Version.
    pub version: VlcVersion,
    /// Buffer level below which segments are read (`adaptive-maxbuffer`, `dash-buffersize`).
    pub buffer: Duration,
    /// Buffer level at which playback starts; an MPD may ask for more with @minBufferTime. Unset: 6 s in VLC 3, 1 s in
    /// VLC 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_up: Option<Duration>,
    /// Buffer level at which playback resumes after a stall: VLC's delay of presentation.
    pub rebuffer: Duration,
    /// Version of HTTP and lifetime of connections.
    pub connections: Connections,
    /// Weights of the linear QoE.
    pub qoe: LinearWeights,
    /// Display and audio codec, for P.1203.
    pub viewing: Viewing,
}

impl Default for VlcParameters {
    fn default() -> VlcParameters {
        VlcParameters {
            version: VlcVersion::default(),
            buffer: Duration::from_secs(30),
            start_up: None,
            rebuffer: Duration::from_secs(1),
            connections: Connections::default(),
            qoe: LinearWeights::default(),
            viewing: Viewing::default(),
        }
    }
}

/// Versions of VLC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub enum VlcVersion {
    /// The DASH module of 2.0 and 2.1.
    #[serde(rename = "2")]
    V2,
    /// The adaptive module of 3.0.
    #[default]
    #[serde(rename = "3")]
    V3,
}

fn build(parameters: VlcParameters, context: &PlayerContext<'_>) -> Result<Arc<PlayerSetup>, ParameterError> {
    let VlcParameters { version, buffer, rebuffer, connections, .. } = parameters;
    let start_up =
        parameters.start_up.unwrap_or(Duration::from_secs(if version == VlcVersion::V3 { 6 } else { 1 }));
    positive("buffer", buffer)?;
    for (key, level) in [("start_up", start_up), ("rebuffer", rebuffer)] {
        positive(key, level)?;
        ParameterError::unless(level <= buffer, key, || {
            format!("must be <= `buffer` ({buffer}), got {level}")
        })?;
    }
    context.check_scores(&parameters.qoe, &parameters.viewing)?;
    let rule = move || -> Box<dyn AbrRule> {
        match version {
            VlcVersion::V2 => Box::new(Vlc2::new(Vlc2Parameters::default())),
            VlcVersion::V3 => Box::new(Vlc3::new(Vlc3Parameters::default())),
        }
    };
    // VLC 3 counts what its demultiplexer has read, which is `rebuffer` ahead of the picture, and a segment is requested while the
    // one before is read. A log of 3.0.24 has each request of a full buffer 34.2 s after the demultiplexer's position with
    // segments of 4 s.
    let segment = context.titles.iter().filter_map(|title| title.video.durations.first()).max();
    let target = match version {
        VlcVersion::V2 => buffer,
        VlcVersion::V3 => buffer + rebuffer + segment.copied().unwrap_or_default(),
    };
    Ok(Arc::new(PlayerSetup {
        server: context.server,
        options: context.options.clone(),
        connections,
        request_timeout: None,
        is_parallel: false,
        thresholds: Thresholds { start_up, rebuffer },
        filling: Filling::Below(Targets {
            default: target,
            top: target,
            top_quality: TopQuality::Own,
            holds_segment: false,
            together: Together::Apart,
            interval: INTERVAL,
        }),
        fast_switch: None,
        // VLC 3 requests the initialization segment at each switch.
        keeps_initialization: version == VlcVersion::V2,
        rule: RuleFactory::new(move |_| rule()),
        weights: parameters.qoe,
        viewing: parameters.viewing,
    }))
}

//! `temporal-video`: real-time video in temporal layers.

use std::sync::{Arc, LazyLock};

use jettison_registry::style::{INDIGO, Line::Solid};
use jettison_registry::{Choice, Choices, Entry, ParameterError, Registry};
use jettison_sockets::{FlowApplication, FlowApplications, FlowContext, FlowFacts};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{encoders_of, is_layered};
use crate::Sink;
use crate::content::TemporalContent;
use crate::sink::{ScoreParameters, SingleLayerDecoder, TemporalDecoder, Viewer};
use crate::source::{Encoder, Video, VideoKind};

/// Its entry in the list of applications.
pub fn entry() -> Entry<FlowApplication> {
    Entry::<FlowApplication>::new("temporal-video", "temporal video", build)
        .style(INDIGO, Solid)
        .summary("real-time video in temporal layers, or of a codec without, sent as messages")
        .source("Chen, Tahir, Mittal, case 1")
        .page("applications.md")
        .facts(FlowFacts::over(&["octopus", "tcp"]))
}

/// Encoders of videos in temporal layers.
#[derive(Debug, Clone, Copy)]
pub struct TemporalEncoders;

impl Choices for TemporalEncoders {
    type Kind = Encoder;
    const DEFAULT: &'static str = "svc-temporal";
    fn registry() -> &'static Registry<Encoder> {
        static ENCODERS: LazyLock<Registry<Encoder>> = LazyLock::new(|| encoders_of(VideoKind::Temporal));
        &ENCODERS
    }
}

/// Parameters of `temporal-video`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TemporalVideoParameters {
    /// Video content.
    pub content: TemporalContent,
    /// Encoder and its adaptation.
    pub encoder: Choice<TemporalEncoders>,
    /// Scoring of frames by the viewer.
    pub viewer: ScoreParameters,
    /// Whether the first frame of a group refers to the first frame of the previous group instead of none.
    pub open_gop: bool,
}

fn build(
    parameters: TemporalVideoParameters,
    context: &FlowContext<'_>,
) -> Result<FlowApplications, ParameterError> {
    let TemporalVideoParameters { content, encoder, viewer, open_gop } = parameters;
    let video = content.load(context.files, context.random).map_err(|error| error.under("content"))?;
    let of_sink = |viewer| -> Box<dyn Sink> {
        match is_layered(&encoder) {
            true => Box::new(Viewer::new(TemporalDecoder::new(Arc::clone(&video), open_gop), viewer)),
            false => Box::new(Viewer::new(SingleLayerDecoder::new(Arc::new(video.single_layer())), viewer)),
        }
    };
    super::build(&encoder, &Video::Temporal(Arc::clone(&video)), viewer, of_sink, context)
}

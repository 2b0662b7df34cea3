//! `spatial-video`: real-time video in quality layers.

use std::sync::{Arc, LazyLock};

use jettison_registry::style::{GREEN, Line::Solid};
use jettison_registry::{Choice, Choices, Entry, ParameterError, Registry};
use jettison_sockets::{FlowApplication, FlowApplications, FlowContext, FlowFacts};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{encoders_of, is_layered};
use crate::Sink;
use crate::content::SpatialContent;
use crate::sink::{ScoreParameters, SingleLayerDecoder, SpatialDecoder, Viewer};
use crate::source::{Encoder, Video, VideoKind};

/// Its entry in the list of applications.
pub fn entry() -> Entry<FlowApplication> {
    Entry::<FlowApplication>::new("spatial-video", "spatial video", build)
        .style(GREEN, Solid)
        .summary("real-time video in quality layers, or of a codec without, sent as messages")
        .source("Chen, Tahir, Mittal, case 2")
        .page("applications.md")
        .facts(FlowFacts::over(&["octopus", "tcp"]))
}

/// Encoders of videos in quality layers.
#[derive(Debug, Clone, Copy)]
pub struct SpatialEncoders;

impl Choices for SpatialEncoders {
    type Kind = Encoder;
    const DEFAULT: &'static str = "svc-spatial";
    fn registry() -> &'static Registry<Encoder> {
        static ENCODERS: LazyLock<Registry<Encoder>> = LazyLock::new(|| encoders_of(VideoKind::Spatial));
        &ENCODERS
    }
}

/// Parameters of `spatial-video`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SpatialVideoParameters {
    /// Video content.
    pub content: SpatialContent,
    /// Encoder and its adaptation.
    pub encoder: Choice<SpatialEncoders>,
    /// Scoring of frames by the viewer.
    pub viewer: ScoreParameters,
}

fn build(
    parameters: SpatialVideoParameters,
    context: &FlowContext<'_>,
) -> Result<FlowApplications, ParameterError> {
    let SpatialVideoParameters { content, encoder, viewer } = parameters;
    let video = content.load(context.files, context.random).map_err(|error| error.under("content"))?;
    let of_sink = |viewer| -> Box<dyn Sink> {
        match is_layered(&encoder) {
            true => Box::new(Viewer::new(SpatialDecoder::new(Arc::clone(&video)), viewer)),
            false => Box::new(Viewer::new(SingleLayerDecoder::new(Arc::new(video.single_layer())), viewer)),
        }
    };
    super::build(&encoder, &Video::Spatial(Arc::clone(&video)), viewer, of_sink, context)
}

//! `volumetric-video`: real-time video of point clouds.

use std::sync::{Arc, LazyLock};

use jettison_registry::style::{Line::Dashed, SKY};
use jettison_registry::{Choice, Choices, Entry, ParameterError, Registry};
use jettison_sockets::{FlowApplication, FlowApplications, FlowContext, FlowFacts};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{encoders_of, is_layered};
use crate::Sink;
use crate::content::VolumetricContent;
use crate::sink::{ScoreParameters, Viewer, VolumetricDecoder};
use crate::source::{Encoder, Video, VideoKind};

/// Its entry in the list of applications.
pub fn entry() -> Entry<FlowApplication> {
    Entry::<FlowApplication>::new("volumetric-video", "volumetric video", build)
        .style(SKY, Dashed)
        .summary("real-time video of point clouds in cells and density layers, sent as messages")
        .source("Chen, Tahir, Mittal, case 3")
        .page("applications.md")
        .facts(FlowFacts::over(&["octopus", "tcp"]))
}

/// Encoders of point clouds.
#[derive(Debug, Clone, Copy)]
pub struct VolumetricEncoders;

impl Choices for VolumetricEncoders {
    type Kind = Encoder;
    const DEFAULT: &'static str = "svc-volumetric";
    fn registry() -> &'static Registry<Encoder> {
        static ENCODERS: LazyLock<Registry<Encoder>> = LazyLock::new(|| encoders_of(VideoKind::Volumetric));
        &ENCODERS
    }
}

/// Parameters of `volumetric-video`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct VolumetricVideoParameters {
    /// Video content.
    pub content: VolumetricContent,
    /// Encoder and its adaptation.
    pub encoder: Choice<VolumetricEncoders>,
    /// Scoring of frames by the viewer.
    pub viewer: ScoreParameters,
}

fn build(
    parameters: VolumetricVideoParameters,
    context: &FlowContext<'_>,
) -> Result<FlowApplications, ParameterError> {
    let VolumetricVideoParameters { content, encoder, viewer } = parameters;
    let video = content.load(context.files, context.random).map_err(|error| error.under("content"))?;
    let layered = is_layered(&encoder);
    let of_sink = |viewer| -> Box<dyn Sink> {
        Box::new(Viewer::new(VolumetricDecoder::new(Arc::clone(&video), layered), viewer))
    };
    super::build(&encoder, &Video::Volumetric(Arc::clone(&video)), viewer, of_sink, context)
}

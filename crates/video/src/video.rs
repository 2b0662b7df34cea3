//! Applications that send a video as messages: one per kind of video.

use std::sync::Arc;

use jettison_core::{BuildError, Registry, parameters};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::content::{SpatialContent, TemporalContent, VolumetricContent};
use super::sink::{
    ScoreParameters, SingleLayerDecoder, SpatialDecoder, TemporalDecoder, Viewer, VolumetricDecoder,
};
use super::source::{SourceEntry, Video, VideoKind, build_source, is_layered, sources};
use super::{Sink, applications};
use jettison_sockets::{Choice, Choices};
use jettison_sockets::{FlowApplications, FlowContext};

/// Encoders of videos in quality layers.
#[derive(Debug, Clone, Copy)]
pub struct SpatialEncoders;
/// Encoders of videos in temporal layers.
#[derive(Debug, Clone, Copy)]
pub struct TemporalEncoders;
/// Encoders of point clouds.
#[derive(Debug, Clone, Copy)]
pub struct VolumetricEncoders;

/// Returns the encoders that support a kind of video.
fn encoders_of(kind: VideoKind) -> Registry<SourceEntry> {
    let mut registry = Registry::new("encoder");
    for entry in sources().iter().filter(|entry| entry.kinds().contains(&kind)) {
        registry.register(*entry);
    }
    registry
}

impl Choices for SpatialEncoders {
    type Entry = SourceEntry;
    const WHAT: &'static str = "an encoder of quality layers";
    const DEFAULT: &'static str = "svc-spatial";
    fn registry() -> Registry<SourceEntry> {
        encoders_of(VideoKind::Spatial)
    }
}
impl Choices for TemporalEncoders {
    type Entry = SourceEntry;
    const WHAT: &'static str = "an encoder of temporal layers";
    const DEFAULT: &'static str = "svc-temporal";
    fn registry() -> Registry<SourceEntry> {
        encoders_of(VideoKind::Temporal)
    }
}
impl Choices for VolumetricEncoders {
    type Entry = SourceEntry;
    const WHAT: &'static str = "an encoder of point clouds";
    const DEFAULT: &'static str = "svc-volumetric";
    fn registry() -> Registry<SourceEntry> {
        encoders_of(VideoKind::Volumetric)
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

/// Builds `spatial-video`.
///
/// # Errors
/// With the key at fault.
pub fn build_spatial(value: &Value, context: &FlowContext<'_>) -> Result<FlowApplications, BuildError> {
    let SpatialVideoParameters { content, encoder, viewer } = parameters(value)?;
    let video = content.load(context.files, context.random).map_err(|error| error.under("content"))?;
    let of_sink = |viewer| -> Box<dyn Sink> {
        match is_layered(&encoder.kind) {
            true => Box::new(Viewer::new(SpatialDecoder::new(Arc::clone(&video)), viewer)),
            false => Box::new(Viewer::new(SingleLayerDecoder::new(Arc::new(video.single_layer())), viewer)),
        }
    };
    build(&encoder, &Video::Spatial(Arc::clone(&video)), viewer, of_sink, context)
}

/// Builds `temporal-video`.
///
/// # Errors
/// With the key at fault.
pub fn build_temporal(value: &Value, context: &FlowContext<'_>) -> Result<FlowApplications, BuildError> {
    let TemporalVideoParameters { content, encoder, viewer, open_gop } = parameters(value)?;
    let video = content.load(context.files, context.random).map_err(|error| error.under("content"))?;
    let of_sink = |viewer| -> Box<dyn Sink> {
        match is_layered(&encoder.kind) {
            true => Box::new(Viewer::new(TemporalDecoder::new(Arc::clone(&video), open_gop), viewer)),
            false => Box::new(Viewer::new(SingleLayerDecoder::new(Arc::new(video.single_layer())), viewer)),
        }
    };
    build(&encoder, &Video::Temporal(Arc::clone(&video)), viewer, of_sink, context)
}

/// Builds `volumetric-video`.
///
/// # Errors
/// With the key at fault.
pub fn build_volumetric(value: &Value, context: &FlowContext<'_>) -> Result<FlowApplications, BuildError> {
    let VolumetricVideoParameters { content, encoder, viewer } = parameters(value)?;
    let video = content.load(context.files, context.random).map_err(|error| error.under("content"))?;
    let layered = is_layered(&encoder.kind);
    let of_sink = |viewer| -> Box<dyn Sink> {
        Box::new(Viewer::new(VolumetricDecoder::new(Arc::clone(&video), layered), viewer))
    };
    build(&encoder, &Video::Volumetric(Arc::clone(&video)), viewer, of_sink, context)
}

fn build<C>(
    encoder: &Choice<C>,
    video: &Video,
    viewer: ScoreParameters,
    of_sink: impl FnOnce(ScoreParameters) -> Box<dyn Sink>,
    context: &FlowContext<'_>,
) -> Result<FlowApplications, BuildError> {
    viewer.validate().map_err(|error| error.under("viewer"))?;
    let own = Value::Object(encoder.parameters.clone());
    let source = build_source(&encoder.kind, &own, video).map_err(|error| error.under("encoder"))?;
    applications(source, of_sink(viewer), context.transport, context.remote)
        .ok_or_else(|| BuildError::at("kind", "a video of messages runs over transport `octopus` or `tcp`"))
}

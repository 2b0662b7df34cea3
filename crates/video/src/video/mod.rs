//! Applications that send a video as messages: one per kind of video.

use jettison_registry::{Choice, Choices, ParameterError, Registry};
use jettison_sockets::{FlowApplication, FlowApplications, FlowContext};

use super::sink::ScoreParameters;
use super::source::{Encoder, Video, VideoKind, sources};
use super::{Sink, applications};

jettison_registry::components! {
    /// All applications that send a video as messages.
    pub fn videos() -> Registry<FlowApplication>;
    pub mod spatial;
    pub mod temporal;
    pub mod volumetric;
}

/// Returns the encoders that support a kind of video.
fn encoders_of(kind: VideoKind) -> Registry<Encoder> {
    sources().iter().filter(|entry| entry.facts.kinds.contains(&kind)).cloned().collect()
}

/// Whether the encoder makes layers. One that there is not makes none: building it says so.
fn is_layered<C: Choices<Kind = Encoder>>(encoder: &Choice<C>) -> bool {
    C::registry().entry(&encoder.kind).is_some_and(|entry| entry.facts.is_layered)
}

fn build<C: Choices<Kind = Encoder>>(
    encoder: &Choice<C>,
    video: &Video,
    viewer: ScoreParameters,
    of_sink: impl FnOnce(ScoreParameters) -> Box<dyn Sink>,
    context: &FlowContext<'_>,
) -> Result<FlowApplications, ParameterError> {
    viewer.validate().map_err(|error| error.under("viewer"))?;
    let source = encoder.build(video).map_err(|error| error.under("encoder"))?;
    applications(source, of_sink(viewer), context.transport, context.remote).ok_or_else(|| {
        ParameterError::at("kind", "a video of messages runs over transport `octopus` or `tcp`")
    })
}

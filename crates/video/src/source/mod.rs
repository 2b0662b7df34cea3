//! Encoders and how they adapt: the sources of message streams.
//!
//! Those with layers label their messages and leave the choice to the queue (`svc_*`); the others choose sizes themselves,
//! from what the transport tells them, of a codec without layers, and nobody may drop what they send. To add one: write its
//! file, and add an entry to [`sources`].

mod arrivals;
mod awstream;
mod clock;
mod follow;
mod frame_meter;
mod importance;
mod registry;
mod salsify;
mod single_layer;
mod svc_spatial;
mod svc_temporal;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod vivo;
mod volumetric;

use jettison_core::BuildError;

use super::MessageHead;

pub use awstream::{Awstream, AwstreamParameters, Upgrade};
pub use follow::{Follow, FollowParameters};
pub use importance::Order;
pub use registry::{SourceEntry, Video, VideoKind, build_source, is_layered, sources};
pub use salsify::{Salsify, SalsifyParameters};
pub use svc_spatial::{GopDroppers, SvcSpatial, SvcSpatialParameters};
pub use svc_temporal::{SvcTemporal, SvcTemporalParameters};
pub use vivo::{Vivo, VivoParameters};
pub use volumetric::{SvcVolumetric, SvcVolumetricParameters};

/// The length of a message of that many bytes of video, its head counted among them.
fn length_of(bytes: u32) -> u32 {
    bytes.max(MessageHead::LENGTH as u32)
}

/// Checks a key that must be above zero.
fn check_positive(key: &str, value: f64) -> Result<(), BuildError> {
    BuildError::unless(value > 0.0 && value.is_finite(), key, || format!("{value} is not above 0"))
}

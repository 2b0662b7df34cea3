//! Sources of message streams: encoders and their adaptation.
//!
//! Layered encoders label their messages and leave dropping to the queue (`svc_*`). The others have no layers: they
//! choose sizes from the transport's estimate, and their messages must not be dropped. To add an encoder, write its
//! file and add an entry to [`sources`].

mod arrivals;
mod clock;
mod entry;
mod frame_meter;
mod importance;
#[cfg(test)]
mod list_tests;
mod single_layer;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

jettison_registry::components! {
    /// All encoders.
    pub fn sources() -> Registry<Encoder>;
    mod awstream;
    mod follow;
    mod salsify;
    mod svc_spatial;
    mod svc_temporal;
    mod volumetric;
    mod vivo;
}

use jettison_registry::ParameterError;

use super::MessageHead;

pub use awstream::{Awstream, AwstreamParameters, Upgrade};
pub use entry::{Encoder, Encodes, Video, VideoKind};
pub use follow::{Follow, FollowParameters};
pub use importance::Order;
pub use salsify::{Salsify, SalsifyParameters};
pub use svc_spatial::{GopDroppers, SvcSpatial, SvcSpatialParameters};
pub use svc_temporal::{SvcTemporal, SvcTemporalParameters};
pub use vivo::{Vivo, VivoParameters};
pub use volumetric::{SvcVolumetric, SvcVolumetricParameters};

/// Returns the length of a message with `bytes` bytes of video, which include its head.
fn length_of(bytes: u32) -> u32 {
    bytes.max(MessageHead::LENGTH as u32)
}

/// Checks that the value of a key is > 0.
fn check_positive(key: &str, value: f64) -> Result<(), ParameterError> {
    ParameterError::unless(value > 0.0 && value.is_finite(), key, || {
        format!("must be finite and > 0, got {value}")
    })
}

//! Video content: sizes and quality of each layer of each frame.
//!
//! A video comes from a recorded trace file or from a seeded generator. Encoders take the sizes of their messages from
//! it, viewers the quality of the decoded layers. It repeats from its end: frame n of a flow is frame n modulo
//! [`SpatialVideo::frames`] of the video, which is always a whole number of groups of pictures.

mod frame_rate;
pub mod layered;
mod noise;
mod parameters;
mod quality;
mod scenes;
mod single_layer;
mod spatial;
pub mod ssim;
mod temporal;
#[cfg(test)]
mod tests;
mod trace;
mod volumetric;

pub use frame_rate::FrameRate;
pub use layered::LayeredVideo;
pub(crate) use parameters::check_overhead;
pub use parameters::{SpatialContent, TemporalContent, VolumetricContent};
pub use quality::RateQuality;
pub use scenes::Scenes;
pub use single_layer::{SingleLayerFrame, SingleLayerVideo};
pub use spatial::{SpatialGenerator, SpatialLayer, SpatialVideo};
pub use temporal::{TemporalFrame, TemporalGenerator, TemporalVideo};
pub use volumetric::{DensityQuality, VolumetricGenerator, VolumetricPart, VolumetricVideo};

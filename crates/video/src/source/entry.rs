//! Encoders as a kind of component: what one encodes.

use std::sync::Arc;

use jettison_registry::{Kind, ParameterError};

use crate::Source;
use crate::content::{SingleLayerVideo, SpatialVideo, TemporalVideo, VolumetricVideo};

/// The kind of encoders.
pub enum Encoder {}

impl Kind for Encoder {
    const KEY: &'static str = "encoder";
    const NAME: &'static str = "encoder";
    type Context<'a> = Video;
    type Built = Box<dyn Source>;
    type Facts = Encodes;
}

/// What an encoder can encode.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Encodes {
    /// The kinds of video that it takes.
    pub kinds: &'static [VideoKind],
    /// Whether it makes layers; otherwise the viewer decodes what a codec without them makes.
    pub is_layered: bool,
}

impl Encodes {
    /// Of a codec without layers.
    pub const fn whole(kinds: &'static [VideoKind]) -> Encodes {
        Encodes { kinds, is_layered: false }
    }

    /// Of a codec with layers.
    pub const fn layered(kinds: &'static [VideoKind]) -> Encodes {
        Encodes { kinds, is_layered: true }
    }
}

/// What an encoder encodes.
#[derive(Debug, Clone)]
pub enum Video {
    /// In quality layers.
    Spatial(Arc<SpatialVideo>),
    /// In temporal layers.
    Temporal(Arc<TemporalVideo>),
    /// Of point clouds.
    Volumetric(Arc<VolumetricVideo>),
}

/// The kinds of video.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VideoKind {
    /// In quality layers.
    Spatial,
    /// In temporal layers.
    Temporal,
    /// Of point clouds.
    Volumetric,
}

impl Video {
    /// Which kind it is.
    pub fn kind(&self) -> VideoKind {
        match self {
            Video::Spatial(_) => VideoKind::Spatial,
            Video::Temporal(_) => VideoKind::Temporal,
            Video::Volumetric(_) => VideoKind::Volumetric,
        }
    }

    /// What a codec without layers makes of it.
    pub(super) fn single_layer(&self) -> Result<Arc<SingleLayerVideo>, ParameterError> {
        match self {
            Video::Spatial(video) => Ok(Arc::new(video.single_layer())),
            Video::Temporal(video) => Ok(Arc::new(video.single_layer())),
            Video::Volumetric(_) => Err(needs(&[VideoKind::Spatial, VideoKind::Temporal])),
        }
    }
}

impl VideoKind {
    fn words(self) -> &'static str {
        match self {
            VideoKind::Spatial => "in quality layers",
            VideoKind::Temporal => "in temporal layers",
            VideoKind::Volumetric => "of point clouds",
        }
    }
}

/// The error of an encoder that needs another kind of video.
pub(super) fn needs(kinds: &[VideoKind]) -> ParameterError {
    let words: Vec<_> = kinds.iter().map(|kind| kind.words()).collect();
    ParameterError::at("video", format!("this encoder needs a video {}", words.join(" or ")))
}

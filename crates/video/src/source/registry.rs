//! The encoders that a scenario may name.

use std::sync::{Arc, LazyLock};

use jettison_core::{BuildError, Registry, parameters};
use schemars::{JsonSchema, Schema, schema_for};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{
    Awstream, AwstreamParameters, Follow, FollowParameters, Salsify, SalsifyParameters, SvcSpatial,
    SvcSpatialParameters, SvcTemporal, SvcTemporalParameters, SvcVolumetric, SvcVolumetricParameters, Vivo,
    VivoParameters,
};
use crate::Source;
use crate::content::{SingleLayerVideo, SpatialVideo, TemporalVideo, VolumetricVideo};

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
    fn single_layer(&self) -> Result<Arc<SingleLayerVideo>, BuildError> {
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

/// One encoder.
#[derive(Debug, Clone, Copy)]
pub struct SourceEntry {
    id: &'static str,
    summary: &'static str,
    source: &'static str,
    kinds: &'static [VideoKind],
    is_layered: bool,
    schema: fn() -> Schema,
    #[allow(clippy::type_complexity)] // spelt out, it says what it does
    build: fn(&Value, &Video) -> Result<Box<dyn Source>, BuildError>,
}

impl SourceEntry {
    /// Builds it from the parameters of its schema (`null` for all defaults).
    ///
    /// # Errors
    /// With the path of the offending key, which is `video` if it can't encode that.
    pub fn build(&self, parameters: &Value, video: &Video) -> Result<Box<dyn Source>, BuildError> {
        (self.build)(parameters, video)
    }

    /// Whether it makes layers; otherwise the viewer decodes what a codec without them makes.
    pub fn is_layered(&self) -> bool {
        self.is_layered
    }

    /// What it can encode.
    pub fn kinds(&self) -> &'static [VideoKind] {
        self.kinds
    }
}

jettison_core::catalogue!(SourceEntry);

/// All encoders.
pub fn sources() -> Registry<SourceEntry> {
    let mut registry = Registry::new("encoder");
    registry.register(SourceEntry {
        id: "awstream",
        summary: "AWStream: rate or frame rate by the estimate, down at once, up after 2 s of an empty buffer",
        source: "Zhang, Jin, Ratnasamy, Wawrzynek, Lee 2018 (SIGCOMM)",
        kinds: &[VideoKind::Spatial, VideoKind::Temporal],
        is_layered: false,
        schema: || schema_for!(AwstreamParameters),
        build: |value, video| Ok(Box::new(Awstream::new(read::<AwstreamParameters>(value)?, video.single_layer()?)?)),
    });
    registry.register(SourceEntry {
        id: "follow",
        summary: "an encoder that follows the transport's target rate (over GCC, SCReAM)",
        source: "Carlucci, De Cicco, Holmer, Mascolo 2016 (MMSys); RFC 8298",
        kinds: &[VideoKind::Spatial, VideoKind::Temporal],
        is_layered: false,
        schema: || schema_for!(FollowParameters),
        build: |value, video| {
            Ok(Box::new(Follow::new(read::<FollowParameters>(value)?, video.single_layer()?)?))
        },
    });
    registry.register(SourceEntry {
        id: "salsify",
        summary: "Salsify: each frame as large as the transport lets out now, or not at all",
        source: "Fouladi, Emmons, Orbay, Wu, Wahby, Winstein 2018 (NSDI)",
        kinds: &[VideoKind::Spatial, VideoKind::Temporal],
        is_layered: false,
        schema: || schema_for!(SalsifyParameters),
        build: |value, video| {
            Ok(Box::new(Salsify::new(read::<SalsifyParameters>(value)?, video.single_layer()?)?))
        },
    });
    registry.register(SourceEntry {
        id: "svc-spatial",
        summary: "quality layers that the queue may drop, at a rung chosen with each group of pictures",
        source: "Chen, Tahir, Mittal 2022, case 2",
        kinds: &[VideoKind::Spatial],
        is_layered: true,
        schema: || schema_for!(SvcSpatialParameters),
        build: |value, video| match video {
            Video::Spatial(video) => {
                Ok(Box::new(SvcSpatial::new(read::<SvcSpatialParameters>(value)?, Arc::clone(video))?))
            }
            _ => Err(needs(&[VideoKind::Spatial])),
        },
    });
    registry.register(SourceEntry {
        id: "svc-temporal",
        summary: "temporal layers that newer frames make superfluous in the queue",
        source: "Chen, Tahir, Mittal 2022, case 1",
        kinds: &[VideoKind::Temporal],
        is_layered: true,
        schema: || schema_for!(SvcTemporalParameters),
        build: |value, video| match video {
            Video::Temporal(video) => {
                Ok(Box::new(SvcTemporal::new(read::<SvcTemporalParameters>(value)?, Arc::clone(video))))
            }
            _ => Err(needs(&[VideoKind::Temporal])),
        },
    });
    registry.register(SourceEntry {
        id: "svc-volumetric",
        summary: "point clouds in cells and layers of density that the queue may drop",
        source: "Chen, Tahir, Mittal 2022, case 3",
        kinds: &[VideoKind::Volumetric],
        is_layered: true,
        schema: || schema_for!(SvcVolumetricParameters),
        build: |value, video| match video {
            Video::Volumetric(video) => {
                Ok(Box::new(SvcVolumetric::new(read::<SvcVolumetricParameters>(value)?, Arc::clone(video))?))
            }
            _ => Err(needs(&[VideoKind::Volumetric])),
        },
    });
    registry.register(SourceEntry {
        id: "vivo",
        summary: "ViVo: the density of each cell by the throughput of the last 20 frames",
        source: "Han, Liu, Qian 2020 (MobiCom)",
        kinds: &[VideoKind::Volumetric],
        is_layered: false,
        schema: || schema_for!(VivoParameters),
        build: |value, video| match video {
            Video::Volumetric(video) => {
                Ok(Box::new(Vivo::new(read::<VivoParameters>(value)?, Arc::clone(video))?))
            }
            _ => Err(needs(&[VideoKind::Volumetric])),
        },
    });
    registry
}

/// Whether the encoder `id` makes layers; so does none that there is not.
pub fn is_layered(id: &str) -> bool {
    sources().entry(id).is_some_and(SourceEntry::is_layered)
}

/// Builds the encoder `id` for `video`; the message names the nearest id if there is none.
///
/// # Errors
/// For an unknown id; with the path of the offending key.
pub fn build_source(id: &str, parameters: &Value, video: &Video) -> Result<Box<dyn Source>, BuildError> {
    static SOURCES: LazyLock<Registry<SourceEntry>> = LazyLock::new(sources);
    match SOURCES.entry(id) {
        Some(entry) => entry.build(parameters, video),
        None => Err(BuildError::at("kind", SOURCES.unknown(id))),
    }
}

fn needs(kinds: &[VideoKind]) -> BuildError {
    let words: Vec<_> = kinds.iter().map(|kind| kind.words()).collect();
    BuildError::at("video", format!("this encoder needs a video {}", words.join(" or ")))
}

fn read<P: DeserializeOwned + JsonSchema>(value: &Value) -> Result<P, BuildError> {
    match value {
        Value::Null => parameters(&Value::Object(Map::new())),
        other => parameters(other),
    }
}

#[cfg(test)]
mod tests {
    use jettison_core::Catalogue;
    use jettison_core::parameter_docs;
    use serde_json::json;

    use super::super::testing::{frames, path, videos};
    use super::*;

    #[test]
    fn every_encoder_builds_with_its_defaults_for_its_kinds_of_video_only() {
        for entry in sources().iter() {
            for video in videos() {
                let built = entry.build(&Value::Null, &video);
                if entry.kinds().contains(&video.kind()) {
                    let mut source = built.expect("its defaults are valid");
                    assert!(
                        !frames(source.as_mut(), 3, |_| path(Some(1_000_000))).is_empty(),
                        "{}",
                        entry.id()
                    );
                } else {
                    let refusal = built.err().expect("it is not for that").to_string();
                    assert!(refusal.starts_with("video: this encoder needs a video "), "{}", entry.id());
                }
            }
        }
    }

    #[test]
    fn every_parameter_is_described() {
        for entry in sources().iter() {
            let docs = parameter_docs(&entry.schema());
            assert!(docs.iter().any(|doc| doc.name == "stream"), "{}", entry.id());
            for doc in docs {
                assert!(!doc.description.is_empty(), "{}: {}", entry.id(), doc.name);
            }
        }
    }

    #[test]
    fn unknown_names_are_refused_with_a_hint() {
        let video = &videos()[0];
        let refusal = |id, table| build_source(id, &table, video).err().expect("it is wrong").to_string();
        assert!(refusal("svc-spatal", Value::Null).contains("did you mean `svc-spatial`"));
        assert!(refusal("svc-spatial", json!({"slak": []})).contains("did you mean `slack`"));
        assert!(refusal("svc-spatial", json!({"share": -1})).starts_with("share: "));
    }
}

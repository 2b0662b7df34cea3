//! Scenario parameters of a flow's video.

use std::sync::Arc;

use jettison_core::{Duration, RandomStream, Seed};
use jettison_registry::ParameterError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::trace::FileError;
use super::volumetric::VolumetricSettings;
use super::{
    DensityQuality, FrameRate, SpatialGenerator, SpatialVideo, TemporalGenerator, TemporalVideo,
    VolumetricGenerator, VolumetricVideo, layered, spatial, temporal, volumetric,
};

/// A video in quality layers, from a trace or generated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SpatialContent {
    /// File name of a trace; unset: the video is generated.
    #[schemars(extend("format" = "input-file"))]
    pub file: Option<String>,
    /// Generator settings, as an alternative to `file`.
    pub generator: Option<SpatialGenerator>,
    /// Ratio of the bytes of all layers to those of a codec without layers at the same quality.
    #[schemars(range(min = 0.1, max = 10.0))]
    pub overhead: f64,
}

/// A video in temporal layers, from a trace or generated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TemporalContent {
    /// File name of a trace; unset: the video is generated.
    #[schemars(extend("format" = "input-file"))]
    pub file: Option<String>,
    /// Generator settings, as an alternative to `file`.
    pub generator: Option<TemporalGenerator>,
    /// Ratio of the bytes of its frames to those of a codec without layers at the same quality.
    #[schemars(range(min = 0.1, max = 10.0))]
    pub overhead: f64,
}

/// A video of point clouds, from a trace or generated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct VolumetricContent {
    /// File name of a trace; unset: the video is generated.
    #[schemars(extend("format" = "input-file"))]
    pub file: Option<String>,
    /// Generator settings, as an alternative to `file`.
    pub generator: Option<VolumetricGenerator>,
    /// Ratio of the bytes of all layers to those of a codec without layers at the same quality.
    #[schemars(range(min = 0.1, max = 10.0))]
    pub overhead: f64,
    /// Number of cells in front, counted from the first; the others are occluded. Limited to the number of cells.
    #[schemars(range(min = 1))]
    pub front_cells: u8,
    /// Quality of a point cloud by its density.
    pub quality: DensityQuality,
}

/// Overhead of layers over a codec without layers, from the Octopus paper.
const OVERHEAD: f64 = 1.165;
/// The same overhead for point clouds.
const VOLUMETRIC_OVERHEAD: f64 = 1.11;

impl Default for SpatialContent {
    fn default() -> SpatialContent {
        SpatialContent { file: None, generator: None, overhead: OVERHEAD }
    }
}

impl Default for TemporalContent {
    fn default() -> TemporalContent {
        TemporalContent { file: None, generator: None, overhead: OVERHEAD }
    }
}

impl Default for VolumetricContent {
    fn default() -> VolumetricContent {
        VolumetricContent {
            file: None,
            generator: None,
            overhead: VOLUMETRIC_OVERHEAD,
            front_cells: 2,
            quality: DensityQuality::default(),
        }
    }
}

/// Reader of files by name.
#[derive(Clone, Copy)]
struct Files<'a> {
    #[allow(clippy::type_complexity)] // an alias would hide the signature
    read: &'a dyn Fn(&str) -> Result<Arc<[u8]>, String>,
}

impl SpatialContent {
    /// Loads or generates the video. `files` returns the content of a file, `random` the flow's random stream of a
    /// component.
    ///
    /// # Errors
    /// With the offending key, and the file name and line of an error in a file.
    #[allow(clippy::type_complexity)] // as above
    pub fn load(
        &self,
        files: &dyn Fn(&str) -> Result<Arc<[u8]>, String>,
        random: &dyn Fn(&str) -> RandomStream,
    ) -> Result<Arc<SpatialVideo>, ParameterError> {
        check_overhead("overhead", self.overhead)?;
        let parse = |content: &[u8]| match layered::is_one(content) {
            true => layered::parse(content)?.spatial(self.overhead),
            false => spatial::trace::parse(content, self.overhead),
        };
        let generate = |generator: &SpatialGenerator| {
            generator.video(self.overhead, &mut stream("spatial", generator.seed, random))
        };
        parse_or_generate(&self.file, &self.generator, Files { read: files }, parse, generate)
    }
}

impl TemporalContent {
    /// Loads or generates the video. `files` returns the content of a file, `random` the flow's random stream of a
    /// component.
    ///
    /// # Errors
    /// With the offending key, and the file name and line of an error in a file.
    #[allow(clippy::type_complexity)] // as above
    pub fn load(
        &self,
        files: &dyn Fn(&str) -> Result<Arc<[u8]>, String>,
        random: &dyn Fn(&str) -> RandomStream,
    ) -> Result<Arc<TemporalVideo>, ParameterError> {
        check_overhead("overhead", self.overhead)?;
        let parse = |content: &[u8]| match layered::is_one(content) {
            true => layered::parse(content)?.temporal(self.overhead),
            false => temporal::trace::parse(content, self.overhead),
        };
        let generate = |generator: &TemporalGenerator| {
            generator.video(self.overhead, &mut stream("temporal", generator.seed, random))
        };
        parse_or_generate(&self.file, &self.generator, Files { read: files }, parse, generate)
    }
}

impl VolumetricContent {
    /// Loads or generates the video. `files` returns the content of a file, `random` the flow's random stream of a
    /// component.
    ///
    /// # Errors
    /// With the offending key, and the file name and line of an error in a file.
    #[allow(clippy::type_complexity)] // as above
    pub fn load(
        &self,
        files: &dyn Fn(&str) -> Result<Arc<[u8]>, String>,
        random: &dyn Fn(&str) -> RandomStream,
    ) -> Result<Arc<VolumetricVideo>, ParameterError> {
        check_overhead("overhead", self.overhead)?;
        ParameterError::unless(self.front_cells > 0, "front_cells", || "must be >= 1, got 0".to_owned())?;
        self.quality.validate().map_err(|error| error.under("quality"))?;
        let settings = || VolumetricSettings {
            front: self.front_cells,
            overhead: self.overhead,
            quality: self.quality.clone(),
        };
        let parse = |content: &[u8]| volumetric::trace::parse(content, settings());
        let generate = |generator: &VolumetricGenerator| {
            generator.video(settings(), &mut stream("volumetric", generator.seed, random))
        };
        parse_or_generate(&self.file, &self.generator, Files { read: files }, parse, generate)
    }
}

/// Parses a file, or generates the video without one.
fn parse_or_generate<G: Clone + Default, V>(
    file: &Option<String>,
    generator: &Option<G>,
    files: Files<'_>,
    parse: impl FnOnce(&[u8]) -> Result<V, FileError>,
    generate: impl FnOnce(&G) -> Result<V, ParameterError>,
) -> Result<Arc<V>, ParameterError> {
    let Some(file) = file else {
        let generator = generator.clone().unwrap_or_default();
        return generate(&generator).map(Arc::new).map_err(|error| error.under("generator"));
    };
    ParameterError::unless(generator.is_none(), "generator", || {
        "give `file` or `generator`, not both".to_owned()
    })?;
    let content = (files.read)(file).map_err(|error| ParameterError::at("file", error))?;
    parse(&content).map(Arc::new).map_err(|error| ParameterError::at("file", error.in_file(file)))
}

/// Returns the generator's random stream: with a seed it is the same in all flows and runs.
fn stream(kind: &str, seed: Option<u64>, random: &dyn Fn(&str) -> RandomStream) -> RandomStream {
    seed.map_or_else(|| random("video"), |seed| Seed(seed).stream(&["video", kind]))
}

/// Checks a ratio of the bytes of two codecs.
pub(crate) fn check_overhead(key: &str, overhead: f64) -> Result<(), ParameterError> {
    ParameterError::unless((0.1..=10.0).contains(&overhead), key, || {
        format!("must be in [0.1, 10], got {overhead}")
    })
}

/// Maximum number of sizes in a generated video: frames times parts per frame.
const MOST_SIZES: u64 = 3_000_000;

/// Returns the number of frames of a generated video, cut to whole groups, where each frame has `parts` sizes.
pub(super) fn check_frames(
    duration: Duration,
    rate: FrameRate,
    gop: u32,
    parts: usize,
) -> Result<u32, ParameterError> {
    let frames = duration.as_nanos() as u128 * u128::from(rate.per_second()) / 1_000_000_000;
    let frames = u64::try_from(frames).unwrap_or(u64::MAX);
    ParameterError::unless(frames >= u64::from(gop), "duration", || {
        format!("must be at least one group of pictures ({}), got {duration}", rate.offset(gop))
    })?;
    let most = MOST_SIZES / parts as u64;
    ParameterError::unless(frames <= most && most >= u64::from(gop), "duration", || {
        format!(
            "must be at most {most} frames of {parts} sizes each, got {frames}; videos repeat from their end"
        )
    })?;
    Ok(frames as u32 / gop * gop)
}

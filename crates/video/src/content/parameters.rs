//! What a scenario may say of the video that a flow carries.

use std::sync::Arc;

use jettison_core::{BuildError, Duration, RandomStream, Seed};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::trace::FileError;
use super::volumetric::Told;
use super::{
    DensityQuality, FrameRate, SpatialGenerator, SpatialVideo, TemporalGenerator, TemporalVideo,
    VolumetricGenerator, VolumetricVideo, spatial, temporal, volumetric,
};

/// A video in quality layers: from a trace, or generated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SpatialContent {
    /// The file name of a trace; without it, the video is generated.
    #[schemars(extend("format" = "input-file"))]
    pub file: Option<String>,
    /// In place of a file: how to generate it.
    pub generator: Option<SpatialGenerator>,
    /// Bytes of all layers over those that a codec without layers needs for the same.
    #[schemars(range(min = 1.0, max = 10.0))]
    pub overhead: f64,
}

/// A video in temporal layers: from a trace, or generated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TemporalContent {
    /// The file name of a trace; without it, the video is generated.
    #[schemars(extend("format" = "input-file"))]
    pub file: Option<String>,
    /// In place of a file: how to generate it.
    pub generator: Option<TemporalGenerator>,
    /// Bytes of its frames over those that a codec without layers needs for the same.
    #[schemars(range(min = 1.0, max = 10.0))]
    pub overhead: f64,
}

/// A video of point clouds: from a trace, or generated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct VolumetricContent {
    /// The file name of a trace; without it, the video is generated.
    #[schemars(extend("format" = "input-file"))]
    pub file: Option<String>,
    /// In place of a file: how to generate it.
    pub generator: Option<VolumetricGenerator>,
    /// Bytes of all layers over those that a codec without layers needs for the same.
    #[schemars(range(min = 1.0, max = 10.0))]
    pub overhead: f64,
    /// Cells in front, the first ones; the others are occluded. All of them, if there are not so many.
    #[schemars(range(min = 1))]
    pub front_cells: u8,
    /// What a point cloud looks like with a part of its points.
    pub quality: DensityQuality,
}

/// The Octopus paper's figure: what layers cost beside a codec without them.
const OVERHEAD: f64 = 1.165;
/// The same of point clouds.
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

/// What gives the content of a file by its name.
#[derive(Clone, Copy)]
struct Files<'a> {
    #[allow(clippy::type_complexity)] // spelt out, it says what it does
    read: &'a dyn Fn(&str) -> Result<Arc<[u8]>, String>,
}

impl SpatialContent {
    /// The video. `files` gives the content of a file by its name, `random` the flow's stream of a component's name.
    ///
    /// # Errors
    /// With the key that is at fault, and of a file its name and line.
    #[allow(clippy::type_complexity)] // as above
    pub fn load(
        &self,
        files: &dyn Fn(&str) -> Result<Arc<[u8]>, String>,
        random: &dyn Fn(&str) -> RandomStream,
    ) -> Result<Arc<SpatialVideo>, BuildError> {
        check_overhead(self.overhead)?;
        let parse = |content: &[u8]| spatial::trace::parse(content, self.overhead);
        let generate = |generator: &SpatialGenerator| {
            generator.video(self.overhead, &mut stream("spatial", generator.seed, random))
        };
        of_either(&self.file, &self.generator, Files { read: files }, parse, generate)
    }
}

impl TemporalContent {
    /// The video. `files` gives the content of a file by its name, `random` the flow's stream of a component's name.
    ///
    /// # Errors
    /// With the key that is at fault, and of a file its name and line.
    #[allow(clippy::type_complexity)] // as above
    pub fn load(
        &self,
        files: &dyn Fn(&str) -> Result<Arc<[u8]>, String>,
        random: &dyn Fn(&str) -> RandomStream,
    ) -> Result<Arc<TemporalVideo>, BuildError> {
        check_overhead(self.overhead)?;
        let parse = |content: &[u8]| temporal::trace::parse(content, self.overhead);
        let generate = |generator: &TemporalGenerator| {
            generator.video(self.overhead, &mut stream("temporal", generator.seed, random))
        };
        of_either(&self.file, &self.generator, Files { read: files }, parse, generate)
    }
}

impl VolumetricContent {
    /// The video. `files` gives the content of a file by its name, `random` the flow's stream of a component's name.
    ///
    /// # Errors
    /// With the key that is at fault, and of a file its name and line.
    #[allow(clippy::type_complexity)] // as above
    pub fn load(
        &self,
        files: &dyn Fn(&str) -> Result<Arc<[u8]>, String>,
        random: &dyn Fn(&str) -> RandomStream,
    ) -> Result<Arc<VolumetricVideo>, BuildError> {
        check_overhead(self.overhead)?;
        BuildError::unless(self.front_cells > 0, "front_cells", || "must be at least 1".to_owned())?;
        self.quality.validate().map_err(|error| error.under("quality"))?;
        let told =
            || Told { front: self.front_cells, overhead: self.overhead, quality: self.quality.clone() };
        let parse = |content: &[u8]| volumetric::trace::parse(content, told());
        let generate = |generator: &VolumetricGenerator| {
            generator.video(told(), &mut stream("volumetric", generator.seed, random))
        };
        of_either(&self.file, &self.generator, Files { read: files }, parse, generate)
    }
}

/// Of a file, or generated.
fn of_either<G: Clone + Default, V>(
    file: &Option<String>,
    generator: &Option<G>,
    files: Files<'_>,
    parse: impl FnOnce(&[u8]) -> Result<V, FileError>,
    generate: impl FnOnce(&G) -> Result<V, BuildError>,
) -> Result<Arc<V>, BuildError> {
    let Some(file) = file else {
        let generator = generator.clone().unwrap_or_default();
        return generate(&generator).map(Arc::new).map_err(|error| error.under("generator"));
    };
    BuildError::unless(generator.is_none(), "generator", || {
        "give `file` or `generator`, not both".to_owned()
    })?;
    let content = (files.read)(file).map_err(|error| BuildError::at("file", error))?;
    parse(&content).map(Arc::new).map_err(|error| BuildError::at("file", error.in_file(file)))
}

/// A video with a seed of its own is the same in all flows and runs.
fn stream(kind: &str, seed: Option<u64>, random: &dyn Fn(&str) -> RandomStream) -> RandomStream {
    seed.map_or_else(|| random("video"), |seed| Seed(seed).stream(&["video", kind]))
}

fn check_overhead(overhead: f64) -> Result<(), BuildError> {
    BuildError::unless((1.0..=10.0).contains(&overhead), "overhead", || "must be from 1 to 10".to_owned())
}

/// Most sizes of a generated video: its frames times what each consists of.
const MOST_SIZES: u64 = 3_000_000;

/// How many frames a generated video of that length has, cut to whole groups, if each consists of so many parts.
pub(super) fn check_frames(
    duration: Duration,
    rate: FrameRate,
    gop: u32,
    parts: usize,
) -> Result<u32, BuildError> {
    let frames = duration.as_nanos() as u128 * u128::from(rate.per_second()) / 1_000_000_000;
    let frames = u64::try_from(frames).unwrap_or(u64::MAX);
    BuildError::unless(frames >= u64::from(gop), "duration", || {
        format!("is shorter than a group of pictures, {}", rate.offset(gop))
    })?;
    let most = MOST_SIZES / parts as u64;
    BuildError::unless(frames <= most && most >= u64::from(gop), "duration", || {
        format!("has {frames} frames of {parts} sizes each, and may have {most}; it repeats from its end")
    })?;
    Ok(frames as u32 / gop * gop)
}

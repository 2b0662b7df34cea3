//! Generated video in quality layers.

use jettison_core::{Duration, RandomStream, Rate};
use jettison_registry::ParameterError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{SpatialLayer, SpatialVideo};
use crate::content::RateQuality;
use crate::content::parameters::check_frames;
use crate::content::scenes::{Picture, Scenes, groups, whole};
use crate::content::single_layer::rate_without_layers;
use crate::content::trace::{MOST_GOP, MOST_LAYERS};

/// A generated video in quality layers: rate control keeps each group of pictures close to its share, and frames vary
/// within it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SpatialGenerator {
    /// Seed of the video: all runs and flows with the same seed get the same video. Unset: each has its own.
    pub seed: Option<u64>,
    /// Length of the video, cut to whole groups of pictures; it repeats from its end.
    pub duration: Duration,
    /// Frames per group of pictures.
    #[schemars(range(min = 1, max = 1000))]
    pub gop: u32,
    /// Bitrates of the rungs, all layers together, in ascending order.
    pub ladder: Vec<Rate>,
    /// Cumulative share of a rung's bitrate up to each layer, ascending to 1; one number per layer.
    pub shares: Vec<f64>,
    /// Minimum cumulative bitrates of the lowest layers, below which a layer is not useful.
    pub floors: Vec<Rate>,
    /// Ratio of the size of a group's first frame to the others', one number per layer; the last applies to all
    /// further layers.
    pub key_ratios: Vec<f64>,
    /// Standard deviation of the logarithm of a group's share of the bitrate.
    pub group_variation: f64,
    /// Variation of the pictures.
    pub scenes: Scenes,
    /// SSIM as a function of the bitrate, for a codec without layers.
    pub quality: RateQuality,
}

impl Default for SpatialGenerator {
    fn default() -> SpatialGenerator {
        SpatialGenerator {
            seed: None,
            duration: Duration::from_secs(60),
            gop: 10,
            ladder: [1_200, 2_050, 3_000, 4_000, 5_000, 6_000, 7_000, 10_000, 12_000, 15_000]
                .map(Rate::from_kbit)
                .to_vec(),
            shares: vec![0.2, 0.5, 1.0],
            floors: vec![Rate::from_kbit(400), Rate::from_kbit(700)],
            key_ratios: vec![4.0, 2.0],
            group_variation: 0.05,
            scenes: Scenes::default(),
            quality: RateQuality::default(),
        }
    }
}

impl SpatialGenerator {
    /// Generates a video whose layers cost `overhead` times the bytes of a codec without layers.
    ///
    /// # Errors
    /// With the offending key.
    pub(crate) fn video(
        &self,
        overhead: f64,
        random: &mut RandomStream,
    ) -> Result<SpatialVideo, ParameterError> {
        let layers = self.shares.len();
        let frames = self.validate()?;
        let gop = self.gop as usize;
        let pictures = self.scenes.draw(frames, layers, SpatialVideo::FRAME_RATE, random);
        let groups = groups(frames as usize / gop, self.group_variation, random);
        // Relative sizes per layer, common to all rungs: the pictures are the same.
        let layer_sizes = |layer: usize| {
            let key = self.key_ratios.get(layer).or(self.key_ratios.last()).copied().unwrap_or(1.0);
            let weight = |place: usize, picture: &Picture| match (place, picture.is_cut) {
                (0, _) => key,
                (_, true) => self.scenes.cut_ratio,
                (_, false) => 1.0,
            };
            pictures.sizes(layer, gop, &groups, weight)
        };
        let sizes: Vec<Vec<f64>> = (0..layers).map(layer_sizes).collect();
        let group_seconds = SpatialVideo::FRAME_RATE.offset(self.gop).as_secs_f64();
        let rung = |rate: &Rate| {
            let cumulative = self.cumulative(*rate);
            let mut layers = Vec::with_capacity(frames as usize * cumulative.len());
            for (frame, picture) in pictures.frames.iter().enumerate() {
                let mut below = Rate::ZERO;
                for (upto, sizes) in cumulative.iter().zip(&sizes) {
                    let own = (upto.as_bits() - below.as_bits()) as f64 * group_seconds / 8.0;
                    let bytes = whole(own * sizes[frame]);
                    let ssim_db = self.quality.bounded(rate_without_layers(*upto, overhead), picture.ssim_db);
                    layers.push(SpatialLayer { bytes, cumulative: *upto, ssim_db });
                    below = *upto;
                }
            }
            (*rate, layers)
        };
        let rungs = self.ladder.iter().map(rung).collect();
        Ok(SpatialVideo::new(self.gop, layers as u8, rungs, overhead))
    }

    /// Returns the cumulative bitrates of the layers at a rung.
    fn cumulative(&self, rate: Rate) -> Vec<Rate> {
        let floor = |layer: usize| self.floors.get(layer).copied().unwrap_or(Rate::ZERO);
        self.shares.iter().enumerate().map(|(layer, share)| rate.mul_f64(*share).max(floor(layer))).collect()
    }

    fn validate(&self) -> Result<u32, ParameterError> {
        ParameterError::unless((1..=MOST_GOP as u32).contains(&self.gop), "gop", || {
            format!("must be in [1, {MOST_GOP}], got {}", self.gop)
        })?;
        let has_layers = (1..=MOST_LAYERS as usize).contains(&self.shares.len());
        ParameterError::unless(has_layers, "shares", || {
            format!("must be 1 to {MOST_LAYERS} numbers, one per layer, got {}", self.shares.len())
        })?;
        let is_rising = self.shares.windows(2).all(|pair| pair[0] < pair[1]);
        let has_ends =
            self.shares.first().is_some_and(|share| *share > 0.0) && self.shares.last() == Some(&1.0);
        ParameterError::unless(is_rising && has_ends, "shares", || {
            format!("must ascend from > 0 to 1, such as [0.2, 0.5, 1], got {:?}", self.shares)
        })?;
        ParameterError::unless(self.floors.len() < self.shares.len(), "floors", || {
            format!(
                "must have fewer numbers than `shares` ({}), got {}",
                self.shares.len(),
                self.floors.len()
            )
        })?;
        ParameterError::unless((1..=1_000).contains(&self.ladder.len()), "ladder", || {
            format!("must have 1 to 1000 rungs, got {}", self.ladder.len())
        })?;
        let in_range = |rate: &Rate| (Rate::from_bits(1_000)..=Rate::from_mbit(1_000_000)).contains(rate);
        ParameterError::unless(self.ladder.iter().all(in_range), "ladder", || {
            "must have bitrates in [1 kbit/s, 1 Tbit/s]".to_owned()
        })?;
        ParameterError::unless(self.ladder.windows(2).all(|pair| pair[0] < pair[1]), "ladder", || {
            "must have its bitrates in ascending order".to_owned()
        })?;
        let crowded =
            self.ladder.iter().find(|rate| self.cumulative(**rate).windows(2).any(|pair| pair[0] >= pair[1]));
        if let Some(rate) = crowded {
            let message = format!(
                "must leave each layer a bitrate > 0, got none at the rung of {rate}; lower them or remove that rung"
            );
            return Err(ParameterError::at("floors", message));
        }
        let has_ratios =
            !self.key_ratios.is_empty() && self.key_ratios.iter().all(|r| (1.0..=100.0).contains(r));
        ParameterError::unless(has_ratios, "key_ratios", || {
            format!("must be one or more numbers in [1, 100], got {:?}", self.key_ratios)
        })?;
        ParameterError::unless((0.0..=1.0).contains(&self.group_variation), "group_variation", || {
            format!("must be in [0, 1], got {}", self.group_variation)
        })?;
        self.scenes.validate().map_err(|error| error.under("scenes"))?;
        self.quality.validate().map_err(|error| error.under("quality"))?;
        check_frames(self.duration, SpatialVideo::FRAME_RATE, self.gop, self.ladder.len() * self.shares.len())
    }
}

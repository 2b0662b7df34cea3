//! Generated video in temporal layers.

use jettison_core::{Duration, RandomStream, Rate};
use jettison_registry::ParameterError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{TemporalFrame, TemporalVideo};
use crate::content::RateQuality;
use crate::content::parameters::check_frames;
use crate::content::scenes::{Picture, Scenes, groups, whole};
use crate::content::single_layer::rate_without_layers;

/// A generated video in temporal layers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TemporalGenerator {
    /// Seed of the video: all runs and flows with the same seed get the same video. Unset: each has its own.
    pub seed: Option<u64>,
    /// Length of the video, cut to whole groups of pictures; it repeats from its end.
    pub duration: Duration,
    /// Frames per group of pictures, a power of two.
    #[schemars(range(min = 4, max = 64))]
    pub gop: u32,
    /// Mean bitrate.
    pub rate: Rate,
    /// Ratio of the frame size in each of the three layers to that in the highest layer.
    pub layer_ratios: [f64; 3],
    /// Loss of SSIM per doubling of the distance to the reference frame, in dB.
    pub distance_loss: f64,
    /// Loss of SSIM of a group's first frame, which has no reference in its group, in dB.
    pub key_loss: f64,
    /// Standard deviation of the logarithm of a group's share of the bitrate.
    pub group_variation: f64,
    /// Variation of the pictures.
    pub scenes: Scenes,
    /// SSIM as a function of the bitrate, for a codec without layers.
    pub quality: RateQuality,
}

impl Default for TemporalGenerator {
    fn default() -> TemporalGenerator {
        TemporalGenerator {
            seed: None,
            duration: Duration::from_secs(60),
            gop: 8,
            rate: Rate::from_mbit(6),
            layer_ratios: [1.2, 1.1, 1.0],
            distance_loss: 0.5,
            key_loss: 2.0,
            group_variation: 0.05,
            scenes: Scenes::default(),
            quality: RateQuality::default(),
        }
    }
}

impl TemporalGenerator {
    /// Generates a video whose frames cost `overhead` times the bytes of a codec without layers.
    ///
    /// # Errors
    /// With the offending key.
    pub(crate) fn video(
        &self,
        overhead: f64,
        random: &mut RandomStream,
    ) -> Result<TemporalVideo, ParameterError> {
        let frames = self.validate()?;
        let gop = self.gop as usize;
        let pictures = self.scenes.draw(frames, 1, TemporalVideo::FRAME_RATE, random);
        let groups = groups(frames as usize / gop, self.group_variation, random);
        let ratio = |place: usize| self.layer_ratios[usize::from(TemporalVideo::layer(place as u32))];
        let weight = |place: usize, picture: &Picture| match picture.is_cut && place > 0 {
            true => self.scenes.cut_ratio,
            false => ratio(place),
        };
        let sizes = pictures.sizes(0, gop, &groups, weight);
        let group =
            self.rate.as_bits() as f64 * TemporalVideo::FRAME_RATE.offset(self.gop).as_secs_f64() / 8.0;
        let frame = |(frame, (picture, share)): (usize, (&Picture, &f64))| {
            let place = (frame % gop) as u32;
            let loss = match TemporalVideo::reference(place) {
                Some(reference) => self.distance_loss * f64::from((place - reference).ilog2()),
                None => self.key_loss,
            };
            let rate = rate_without_layers(self.rate, overhead);
            let ssim_db = self.quality.bounded(rate, picture.ssim_db - loss);
            TemporalFrame { bytes: whole(group * share), ssim_db }
        };
        let frames = pictures.frames.iter().zip(&sizes).enumerate().map(frame).collect();
        Ok(TemporalVideo::new(self.gop, frames, overhead))
    }

    fn validate(&self) -> Result<u32, ParameterError> {
        let (least, most) = (TemporalVideo::LEAST_GOP, TemporalVideo::MOST_GOP);
        let is_dyadic = self.gop.is_power_of_two() && (least..=most).contains(&self.gop);
        ParameterError::unless(is_dyadic, "gop", || {
            format!("must be a power of two in [{least}, {most}], got {}", self.gop)
        })?;
        let in_range = (Rate::from_bits(1_000)..=Rate::from_mbit(1_000_000)).contains(&self.rate);
        ParameterError::unless(in_range, "rate", || {
            format!("must be in [1 kbit/s, 1 Tbit/s], got {}", self.rate)
        })?;
        let has_ratios = self.layer_ratios.iter().all(|ratio| (0.01..=100.0).contains(ratio));
        ParameterError::unless(has_ratios, "layer_ratios", || {
            format!("must be numbers in [0.01, 100], got {:?}", self.layer_ratios)
        })?;
        for (key, loss) in [("distance_loss", self.distance_loss), ("key_loss", self.key_loss)] {
            ParameterError::unless((0.0..=20.0).contains(&loss), key, || {
                format!("must be in [0, 20] dB, got {loss}")
            })?;
        }
        ParameterError::unless((0.0..=1.0).contains(&self.group_variation), "group_variation", || {
            format!("must be in [0, 1], got {}", self.group_variation)
        })?;
        self.scenes.validate().map_err(|error| error.under("scenes"))?;
        self.quality.validate().map_err(|error| error.under("quality"))?;
        check_frames(self.duration, TemporalVideo::FRAME_RATE, self.gop, 1)
    }
}

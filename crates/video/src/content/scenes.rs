//! How the pictures of a generated video change.

use jettison_core::{BuildError, Duration, RandomStream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::FrameRate;
use super::noise::{Correlated, normal};

/// How the pictures of a generated video change, within scenes and between them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Scenes {
    /// Mean length of a scene; lengths are exponential.
    pub length: Duration,
    /// Standard deviation between scenes of what they take away from SSIM, in dB: some are harder to encode.
    pub complexity: f64,
    /// A frame that begins a scene within a group of pictures is so many times as large as its neighbours, for nothing before it
    /// helps.
    pub cut_ratio: f64,
    /// Standard deviation of the logarithm of frame sizes, but for key frames and cuts.
    pub variation: f64,
    /// Correlation of that from one frame to the next, 0 to below 1.
    pub correlation: f64,
    /// Standard deviation of SSIM within a scene, in dB; it is correlated like the sizes.
    pub ssim_variation: f64,
}

impl Default for Scenes {
    // What encoders of conversational video do varies widely; these are our assumptions.
    fn default() -> Scenes {
        Scenes {
            length: Duration::from_secs(8),
            complexity: 0.8,
            cut_ratio: 3.0,
            variation: 0.35,
            correlation: 0.8,
            ssim_variation: 0.5,
        }
    }
}

/// The pictures of a video, as its encoder finds them.
pub(super) struct Pictures {
    pub(super) frames: Vec<Picture>,
}

/// A picture.
pub(super) struct Picture {
    /// A scene begins with it; the first one's scene begins with a key frame anyway.
    pub(super) is_cut: bool,
    /// What is added to SSIM in dB at any bitrate.
    pub(super) ssim_db: f64,
    /// The logarithm of what its size is multiplied by, one number a layer.
    pub(super) log_sizes: Vec<f64>,
}

impl Scenes {
    /// Whether they make sense.
    ///
    /// # Errors
    /// With the key that is at fault.
    pub fn validate(&self) -> Result<(), BuildError> {
        BuildError::unless(self.length >= Duration::from_millis(100), "length", || {
            "must be at least 100 ms".to_owned()
        })?;
        BuildError::unless((0.0..=10.0).contains(&self.complexity), "complexity", || {
            "must be from 0 to 10".to_owned()
        })?;
        BuildError::unless((1.0..=20.0).contains(&self.cut_ratio), "cut_ratio", || {
            "must be from 1 to 20".to_owned()
        })?;
        BuildError::unless((0.0..=2.0).contains(&self.variation), "variation", || {
            "must be from 0 to 2".to_owned()
        })?;
        BuildError::unless((0.0..1.0).contains(&self.correlation), "correlation", || {
            "must be from 0 to below 1".to_owned()
        })?;
        BuildError::unless((0.0..=10.0).contains(&self.ssim_variation), "ssim_variation", || {
            "must be from 0 to 10".to_owned()
        })
    }

    /// Draws pictures. Of the variance of a layer's size, half is its own and half is common to all layers, which show the same.
    pub(super) fn draw(
        &self,
        frames: u32,
        layers: usize,
        rate: FrameRate,
        random: &mut RandomStream,
    ) -> Pictures {
        let mean = self.length.as_secs_f64() * f64::from(rate.per_second());
        let mut common = Correlated::new(self.correlation, random);
        let mut own: Vec<Correlated> =
            (0..layers).map(|_| Correlated::new(self.correlation, random)).collect();
        let mut ssim = Correlated::new(self.correlation, random);
        let (mut until, mut complexity) = (random.exponential(mean), normal(random));
        let frame = |frame: u32| {
            let is_cut = f64::from(frame) >= until;
            if is_cut {
                until = f64::from(frame) + random.exponential(mean).max(1.0);
                complexity = normal(random);
            }
            let shared = common.next(random);
            let log_sizes = own
                .iter_mut()
                .map(|own| self.variation * std::f64::consts::FRAC_1_SQRT_2 * (shared + own.next(random)));
            let log_sizes = log_sizes.collect();
            let ssim_db = self.ssim_variation * ssim.next(random) - self.complexity * complexity;
            Picture { is_cut, ssim_db, log_sizes }
        };
        Pictures { frames: (0..frames).map(frame).collect() }
    }
}

impl Pictures {
    /// Sizes of a layer's frames by rate control: a group of pictures gets what `groups` says of `bytes`, and each frame of it a
    /// share by its weight. `weight` is of a frame and its place in its group, without noise.
    pub(super) fn sizes(
        &self,
        layer: usize,
        gop: usize,
        groups: &[f64],
        weight: impl Fn(usize, &Picture) -> f64,
    ) -> Vec<f64> {
        let mut sizes = Vec::with_capacity(self.frames.len());
        for (group, bytes) in self.frames.chunks(gop).zip(groups) {
            let weights = group.iter().enumerate().map(|(place, picture)| {
                let noise = picture.log_sizes.get(layer).copied().unwrap_or_default();
                weight(place, picture) * libm::exp(noise)
            });
            let weights: Vec<f64> = weights.collect();
            let sum: f64 = weights.iter().sum();
            sizes.extend(weights.iter().map(|weight| bytes * weight / sum));
        }
        sizes
    }
}

/// What each group of pictures gets of the bitrate: lognormal about 1, of which the mean is exactly 1.
pub(super) fn groups(count: usize, variation: f64, random: &mut RandomStream) -> Vec<f64> {
    let drawn: Vec<f64> = (0..count).map(|_| libm::exp(variation * normal(random))).collect();
    let mean = drawn.iter().sum::<f64>() / count as f64;
    drawn.iter().map(|share| share / mean).collect()
}

/// Whole bytes, one at least.
pub(super) fn whole(bytes: f64) -> u32 {
    libm::round(bytes).clamp(1.0, f64::from(u32::MAX)) as u32
}

//! Scenes of a generated video.

use jettison_core::{Duration, RandomStream};
use jettison_registry::ParameterError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::FrameRate;
use super::noise::{Correlated, normal};

/// Variation of the pictures of a generated video, within scenes and between them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Scenes {
    /// Mean length of a scene; lengths are exponentially distributed.
    pub length: Duration,
    /// Standard deviation between scenes of their loss of SSIM, in dB: some scenes are harder to encode.
    pub complexity: f64,
    /// Ratio of the size of a frame that starts a scene within a group of pictures to its neighbours': it has no
    /// useful reference.
    pub cut_ratio: f64,
    /// Standard deviation of the logarithm of frame sizes, except for key frames and cuts.
    pub variation: f64,
    /// Correlation of the logarithm from one frame to the next, in [0, 1).
    pub correlation: f64,
    /// Standard deviation of SSIM within a scene, in dB; correlated like the sizes.
    pub ssim_variation: f64,
}

impl Default for Scenes {
    // Encoders of conversational video vary widely; these are our assumptions.
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

/// Pictures of a video, as inputs of its encoder.
pub(super) struct Pictures {
    pub(super) frames: Vec<Picture>,
}

/// One picture.
pub(super) struct Picture {
    /// Whether a scene starts with it; not set for the first scene, which starts with a key frame.
    pub(super) is_cut: bool,
    /// Contribution to SSIM in dB at any bitrate.
    pub(super) ssim_db: f64,
    /// Logarithm of the factor of its size, one number per layer.
    pub(super) log_sizes: Vec<f64>,
}

impl Scenes {
    /// Checks the parameters.
    ///
    /// # Errors
    /// With the offending key.
    pub fn validate(&self) -> Result<(), ParameterError> {
        ParameterError::unless(self.length >= Duration::from_millis(100), "length", || {
            format!("must be >= 100 ms, got {}", self.length)
        })?;
        ParameterError::unless((0.0..=10.0).contains(&self.complexity), "complexity", || {
            format!("must be in [0, 10] dB, got {}", self.complexity)
        })?;
        ParameterError::unless((1.0..=20.0).contains(&self.cut_ratio), "cut_ratio", || {
            format!("must be in [1, 20], got {}", self.cut_ratio)
        })?;
        ParameterError::unless((0.0..=2.0).contains(&self.variation), "variation", || {
            format!("must be in [0, 2], got {}", self.variation)
        })?;
        ParameterError::unless((0.0..1.0).contains(&self.correlation), "correlation", || {
            format!("must be in [0, 1), got {}", self.correlation)
        })?;
        ParameterError::unless((0.0..=10.0).contains(&self.ssim_variation), "ssim_variation", || {
            format!("must be in [0, 10] dB, got {}", self.ssim_variation)
        })
    }

    /// Draws pictures. Half of the variance of a layer's size is its own; the other half is common to all layers,
    /// which show the same picture.
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
    /// Returns the sizes of a layer's frames by rate control: a group of pictures gets its share `groups` of `bytes`,
    /// and each of its frames a share by its weight. `weight` takes a frame and its index in the group, and excludes
    /// noise.
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

/// Draws each group's share of the bitrate: lognormal, with a mean of exactly 1.
pub(super) fn groups(count: usize, variation: f64, random: &mut RandomStream) -> Vec<f64> {
    let drawn: Vec<f64> = (0..count).map(|_| libm::exp(variation * normal(random))).collect();
    let mean = drawn.iter().sum::<f64>() / count as f64;
    drawn.iter().map(|share| share / mean).collect()
}

/// Rounds to whole bytes, at least one.
pub(super) fn whole(bytes: f64) -> u32 {
    libm::round(bytes).clamp(1.0, f64::from(u32::MAX)) as u32
}

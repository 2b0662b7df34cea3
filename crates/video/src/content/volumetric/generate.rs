//! Generated video of point clouds.

use jettison_core::{Duration, RandomStream, Rate};
use jettison_registry::ParameterError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{VolumetricPart, VolumetricSettings, VolumetricVideo};
use crate::content::noise::Correlated;
use crate::content::parameters::check_frames;
use crate::content::scenes::whole;
use crate::content::trace::MOST_LAYERS;

/// A generated video of point clouds: cells whose share of the points changes slowly, in layers with equal numbers of
/// points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct VolumetricGenerator {
    /// Seed of the video: all runs and flows with the same seed get the same video. Unset: each has its own.
    pub seed: Option<u64>,
    /// Length of the video; it repeats from its end.
    pub duration: Duration,
    /// Mean bitrate, all layers of all cells together.
    pub rate: Rate,
    /// Number of density layers, each with the same share of the points.
    #[schemars(range(min = 1, max = 8))]
    pub layers: u8,
    /// Share of the points per cell, in any unit.
    pub cells: Vec<f64>,
    /// Standard deviation of the logarithm of a cell's size from frame to frame, common to its layers.
    pub cell_variation: f64,
    /// Correlation of that logarithm from one frame to the next, in [0, 1).
    pub correlation: f64,
    /// Additional standard deviation of the logarithm of the size of each layer of a cell.
    pub layer_variation: f64,
}

impl Default for VolumetricGenerator {
    fn default() -> VolumetricGenerator {
        VolumetricGenerator {
            seed: None,
            duration: Duration::from_secs(30),
            // Typical of a person captured with several hundred thousand points, at 20 frames per second.
            rate: Rate::from_mbit(100),
            layers: 5,
            cells: vec![3.0, 3.0, 2.0, 2.0],
            cell_variation: 0.1,
            correlation: 0.95,
            layer_variation: 0.05,
        }
    }
}

impl VolumetricGenerator {
    /// Generates a video.
    ///
    /// # Errors
    /// With the offending key.
    pub(crate) fn video(
        &self,
        settings: VolumetricSettings,
        random: &mut RandomStream,
    ) -> Result<VolumetricVideo, ParameterError> {
        let frames = self.validate()?;
        let noise = |_: &f64| Correlated::new(self.correlation, random);
        let mut noise: Vec<Correlated> = self.cells.iter().map(noise).collect();
        let mut sizes = Vec::new();
        for _ in 0..frames {
            let swings: Vec<f64> =
                noise.iter_mut().map(|noise| self.cell_variation * noise.next(random)).collect();
            for _ in 0..self.layers {
                for (points, swing) in self.cells.iter().zip(&swings) {
                    let own = self.layer_variation * crate::content::noise::normal(random);
                    sizes.push(points * libm::exp(swing + own));
                }
            }
        }
        let rate = VolumetricVideo::FRAME_RATE;
        let total = self.rate.as_bits() as f64 / 8.0 * f64::from(frames) / f64::from(rate.per_second());
        let scale = total / sizes.iter().sum::<f64>();
        let part = |(place, size): (usize, &f64)| {
            let layer = place / self.cells.len() % usize::from(self.layers);
            let share = (layer + 1) as f64 / f64::from(self.layers);
            VolumetricPart { bytes: whole(size * scale), cumulative: self.rate.mul_f64(share) }
        };
        let parts = sizes.iter().enumerate().map(part).collect();
        Ok(VolumetricVideo::new([self.layers, self.cells.len() as u8], parts, settings))
    }

    fn validate(&self) -> Result<u32, ParameterError> {
        ParameterError::unless((1..=MOST_LAYERS as u8).contains(&self.layers), "layers", || {
            format!("must be in [1, {MOST_LAYERS}], got {}", self.layers)
        })?;
        let in_range = (Rate::from_kbit(100)..=Rate::from_mbit(1_000_000)).contains(&self.rate);
        ParameterError::unless(in_range, "rate", || {
            format!("must be in [100 kbit/s, 1 Tbit/s], got {}", self.rate)
        })?;
        let has_cells = (1..=64).contains(&self.cells.len())
            && self.cells.iter().all(|points| (1e-3..=1e6).contains(points));
        ParameterError::unless(has_cells, "cells", || {
            format!("must be 1 to 64 numbers in [0.001, 1000000], got {:?}", self.cells)
        })?;
        for (key, variation) in
            [("cell_variation", self.cell_variation), ("layer_variation", self.layer_variation)]
        {
            ParameterError::unless((0.0..=1.0).contains(&variation), key, || {
                format!("must be in [0, 1], got {variation}")
            })?;
        }
        ParameterError::unless((0.0..1.0).contains(&self.correlation), "correlation", || {
            format!("must be in [0, 1), got {}", self.correlation)
        })?;
        check_frames(
            self.duration,
            VolumetricVideo::FRAME_RATE,
            1,
            usize::from(self.layers) * self.cells.len(),
        )
    }
}

//! SSIM of a codec at a bitrate.

use jettison_core::Rate;
use jettison_registry::ParameterError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ssim::MOST_DB;

/// SSIM in dB as a function of the bitrate: it rises by `slope` dB per octave at 1 Mbit/s, and more slowly above:
/// `at_mbit + slope × knee × (1 − e^(−o/knee))`, o octaves above 1 Mbit/s.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RateQuality {
    /// SSIM at 1 Mbit/s, in dB.
    pub at_mbit: f64,
    /// Slope at 1 Mbit/s, in dB per octave.
    pub slope: f64,
    /// Octaves over which the slope decays to 1/e.
    pub knee: f64,
}

impl Default for RateQuality {
    // Typical of 1080p video in motion: 11 dB (SSIM 0.92) at 1 Mbit/s, 22 dB (0.994) at 15 Mbit/s.
    fn default() -> RateQuality {
        RateQuality { at_mbit: 11.0, slope: 3.3, knee: 12.0 }
    }
}

impl RateQuality {
    /// Returns the SSIM in dB at a bitrate, before the contribution of the pictures.
    pub fn db(&self, rate: Rate) -> f64 {
        let octaves = libm::log2(rate.as_mbit_f64().max(1e-6));
        self.at_mbit - self.slope * self.knee * libm::expm1(-octaves / self.knee)
    }

    /// Returns the SSIM plus `more` dB, limited to its valid range.
    pub(super) fn bounded(&self, rate: Rate, more: f64) -> f64 {
        (self.db(rate) + more).clamp(0.0, MOST_DB)
    }

    /// Checks the parameters.
    ///
    /// # Errors
    /// With the offending key.
    pub fn validate(&self) -> Result<(), ParameterError> {
        let within = |value: f64, most: f64| value >= 0.0 && value <= most;
        ParameterError::unless(within(self.at_mbit, 50.0), "at_mbit", || {
            format!("must be in [0, 50] dB, got {}", self.at_mbit)
        })?;
        ParameterError::unless(within(self.slope, 10.0), "slope", || {
            format!("must be in [0, 10] dB, got {}", self.slope)
        })?;
        ParameterError::unless((1.0..=1_000.0).contains(&self.knee), "knee", || {
            format!("must be in [1, 1000] octaves, got {}", self.knee)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quality_rises_with_a_falling_slope() {
        let quality = RateQuality::default();
        assert_eq!(quality.db(Rate::from_mbit(1)), 11.0);
        let at: Vec<f64> = [1, 2, 4, 8, 16].map(|mbit| quality.db(Rate::from_mbit(mbit))).to_vec();
        let gains: Vec<f64> = at.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(gains.iter().all(|gain| *gain > 0.0));
        assert!(gains.windows(2).all(|pair| pair[1] < pair[0]), "{gains:?}");
    }
}

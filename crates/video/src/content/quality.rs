//! SSIM of a codec at a bitrate.

use jettison_core::{BuildError, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ssim::MOST_DB;

/// How SSIM in dB rises with the bitrate: by `slope` dB an octave at 1 Mbit/s, and the less the higher it is:
/// `at_mbit + slope × knee × (1 − e^(−o/knee))`, o octaves above 1 Mbit/s.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RateQuality {
    /// SSIM at 1 Mbit/s, in dB.
    pub at_mbit: f64,
    /// What doubling 1 Mbit/s begins to add, in dB.
    pub slope: f64,
    /// Octaves over which the slope falls to 1/e.
    pub knee: f64,
}

impl Default for RateQuality {
    // Of the order of 1080p video in motion: 11 dB (SSIM 0.92) at 1 Mbit/s, 22 dB (0.994) at 15 Mbit/s.
    fn default() -> RateQuality {
        RateQuality { at_mbit: 11.0, slope: 3.3, knee: 12.0 }
    }
}

impl RateQuality {
    /// SSIM in dB at a bitrate, before what the pictures themselves add.
    pub fn db(&self, rate: Rate) -> f64 {
        let octaves = libm::log2(rate.as_mbit_f64().max(1e-6));
        self.at_mbit - self.slope * self.knee * libm::expm1(-octaves / self.knee)
    }

    /// That with `more` dB, within what SSIM can be.
    pub(super) fn bounded(&self, rate: Rate, more: f64) -> f64 {
        (self.db(rate) + more).clamp(0.0, MOST_DB)
    }

    /// Whether it makes sense.
    ///
    /// # Errors
    /// With the key that is at fault.
    pub fn validate(&self) -> Result<(), BuildError> {
        let within = |value: f64, most: f64| value >= 0.0 && value <= most;
        BuildError::unless(within(self.at_mbit, 50.0), "at_mbit", || "must be from 0 to 50".to_owned())?;
        BuildError::unless(within(self.slope, 10.0), "slope", || "must be from 0 to 10".to_owned())?;
        BuildError::unless((1.0..=1_000.0).contains(&self.knee), "knee", || {
            "must be from 1 to 1000".to_owned()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quality_rises_and_ever_more_slowly() {
        let quality = RateQuality::default();
        assert_eq!(quality.db(Rate::from_mbit(1)), 11.0);
        let at: Vec<f64> = [1, 2, 4, 8, 16].map(|mbit| quality.db(Rate::from_mbit(mbit))).to_vec();
        let gains: Vec<f64> = at.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(gains.iter().all(|gain| *gain > 0.0));
        assert!(gains.windows(2).all(|pair| pair[1] < pair[0]), "{gains:?}");
    }
}

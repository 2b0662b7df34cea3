//! Score of a frame, shown or not.

use jettison_core::{Duration, Time};
use jettison_measure::FrameScore;
use jettison_registry::{ParameterError, check_deadlines};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::ssim;

/// Scoring of frames that are not shown, and the playout deadline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ScoreParameters {
    /// A frame that is not shown is replaced by the last one shown: its SSIM, in dB and as a number, decays to 1/e
    /// over this time between the captures of both.
    pub decay: Duration,
    /// Maximum time from capture to decoding for a frame to be shown; frames decoded later remain references. Unset:
    /// no deadline.
    pub playout_deadline: Option<Duration>,
    /// Playout deadlines at which frames in time and SQI-SSIM are measured besides; they change nothing else.
    pub deadlines: Vec<Duration>,
}

impl Default for ScoreParameters {
    fn default() -> ScoreParameters {
        // The paper does not specify a decay.
        let deadlines = [100, 200, 300, 400].map(Duration::from_millis).to_vec();
        ScoreParameters { decay: Duration::from_secs(1), playout_deadline: None, deadlines }
    }
}

impl ScoreParameters {
    /// Checks the parameters.
    ///
    /// # Errors
    /// With the offending key.
    pub fn validate(&self) -> Result<(), ParameterError> {
        ParameterError::unless(!self.decay.is_zero(), "decay", || "must be > 0, got 0 s".to_owned())?;
        check_deadlines(&self.deadlines)
    }

    /// Returns the score of a frame that is not shown, after `last` was.
    pub(super) fn unshown(&self, frame: u32, captured_at: Time, last: Option<&FrameScore>) -> FrameScore {
        let left = last.map_or(0.0, |last| {
            let since = captured_at.since(last.captured_at).as_secs_f64();
            libm::exp(-since / self.decay.as_secs_f64())
        });
        let (ssim_db, ssim) = last.map_or((0.0, 0.0), |last| (last.ssim_db, last.ssim));
        FrameScore {
            frame,
            captured_at,
            layers: 0,
            latency: None,
            ssim_db: ssim_db * left,
            ssim: ssim * left,
        }
    }
}

/// Decoded part of a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shown {
    /// Number of layers, at least one.
    pub layers: u8,
    /// Time at which the highest of them was decoded.
    pub at: Time,
    /// SSIM in dB.
    pub ssim_db: f64,
}

impl Shown {
    pub(super) fn score(self, frame: u32, captured_at: Time) -> FrameScore {
        FrameScore {
            frame,
            captured_at,
            layers: self.layers,
            latency: Some(self.at.since(captured_at)),
            ssim_db: self.ssim_db,
            ssim: ssim::from_db(self.ssim_db),
        }
    }
}

//! What a frame is worth, shown or not.

use jettison_core::{BuildError, Duration, Time};
use jettison_measure::FrameScore;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::ssim;

/// How frames are scored that could not be shown, and which those are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ScoreParameters {
    /// In place of a frame that could not be shown stands the last one that was: its SSIM, in dB and as a number, falls to 1/e
    /// over this time between the captures of the two.
    pub decay: Duration,
    /// What is decoded later than this after its capture is not shown, though later frames may refer to it; without it, whatever
    /// is decoded is shown.
    pub playout_deadline: Option<Duration>,
}

impl Default for ScoreParameters {
    fn default() -> ScoreParameters {
        // The paper gives no decay.
        ScoreParameters { decay: Duration::from_secs(1), playout_deadline: None }
    }
}

impl ScoreParameters {
    /// Whether they make sense.
    ///
    /// # Errors
    /// With the key that is at fault.
    pub fn validate(&self) -> Result<(), BuildError> {
        BuildError::unless(!self.decay.is_zero(), "decay", || "must be above zero".to_owned())
    }

    /// The score of a frame that could not be shown, after `last` had been.
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

/// What of a frame was decoded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shown {
    /// How many layers, one at least.
    pub layers: u8,
    /// When the last of them was.
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

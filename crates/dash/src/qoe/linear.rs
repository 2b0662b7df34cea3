//! Linear QoE of Yin et al.
//!
//! X. Yin, A. Jindal, V. Sekar, B. Sinopoli, "A Control-Theoretic Approach for Dynamic Adaptive Video Streaming over
//! HTTP" (SIGCOMM 2015), equation 5: Σ q(R_k) − λ·Σ |q(R_{k+1}) − q(R_k)| − μ·(rebuffering time) − μ_s·(start-up
//! delay), with q the bitrate itself in kbit/s and times in seconds.

use jettison_registry::ParameterError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Session;

/// Weights of the linear QoE. The defaults are the paper's "balanced" viewer; "avoid instability" has
/// `switching = 3`, "avoid rebuffering" has 6000 for both times.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LinearWeights {
    /// λ: penalty per change of bitrate by 1 kbit/s.
    pub switching: f64,
    /// μ: penalty per second of rebuffering, in kbit/s of one segment.
    pub rebuffering: f64,
    /// μ_s: penalty per second of start-up delay, in kbit/s of one segment.
    pub start_up: f64,
}

impl Default for LinearWeights {
    fn default() -> LinearWeights {
        LinearWeights { switching: 1.0, rebuffering: 3000.0, start_up: 3000.0 }
    }
}

impl LinearWeights {
    /// Checks the ranges.
    pub fn validate(&self) -> Result<(), ParameterError> {
        let weights =
            [("switching", self.switching), ("rebuffering", self.rebuffering), ("start_up", self.start_up)];
        for (key, weight) in weights {
            ParameterError::unless(weight >= 0.0 && weight.is_finite(), key, || {
                format!("must be finite and >= 0, got {weight}")
            })?;
        }
        Ok(())
    }
}

/// Returns the linear QoE per segment played, in kbit/s: unlike the paper's sum it does not grow with the video's
/// length. For a session without segments, the sum itself, which is the penalty for its start-up delay.
pub fn linear(session: &Session, weights: &LinearWeights) -> f64 {
    let rates = || session.video.iter().map(|segment| segment.bitrate / 1e3);
    let quality: f64 = rates().sum();
    let changes: f64 = rates().zip(rates().skip(1)).map(|(before, after)| (after - before).abs()).sum();
    let stalled: f64 = session.stalls.iter().map(|stall| stall.lasted.as_secs_f64()).sum();
    let sum = quality
        - weights.switching * changes
        - weights.rebuffering * stalled
        - weights.start_up * session.start_up.as_secs_f64();
    sum / session.video.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use jettison_core::Duration;
    use proptest::prelude::*;

    use super::super::{PlayedSegment, Stall};
    use super::*;

    fn session(kbits: &[u32]) -> Session {
        let video = kbits
            .iter()
            .map(|kbit| PlayedSegment {
                bitrate: f64::from(*kbit) * 1e3,
                bytes: 0,
                media: Duration::from_secs(4),
                picture: None,
            })
            .collect();
        Session { video, ..Session::default() }
    }

    #[test]
    fn each_term_of_equation_5_counts_with_its_weight() {
        let mut seen = session(&[1000, 3000, 2000, 2000]);
        let weights = LinearWeights::default();
        // (8000 − 1·(2000 + 1000)) / 4
        assert_eq!(linear(&seen, &weights), 1250.0);
        assert_eq!(linear(&seen, &LinearWeights { switching: 3.0, ..weights.clone() }), -250.0);
        seen.stalls = vec![
            Stall { after: Duration::from_secs(4), lasted: Duration::from_millis(500) },
            Stall { after: Duration::from_secs(8), lasted: Duration::from_millis(100) },
        ];
        assert_eq!(linear(&seen, &weights), 1250.0 - 3000.0 * 0.6 / 4.0);
        seen.start_up = Duration::from_secs(2);
        assert_eq!(linear(&seen, &weights), 1250.0 - 3000.0 * 2.6 / 4.0);
        let impatient = LinearWeights { rebuffering: 6000.0, start_up: 6000.0, ..weights };
        assert_eq!(linear(&seen, &impatient), 1250.0 - 6000.0 * 2.6 / 4.0);
    }

    #[test]
    fn a_session_without_segments_has_only_its_start_up_penalty() {
        let nothing = Session { start_up: Duration::from_secs(3), ..Session::default() };
        assert_eq!(linear(&nothing, &LinearWeights::default()), -9000.0);
    }

    #[test]
    fn a_weight_out_of_range_is_refused() {
        let weights = LinearWeights { rebuffering: f64::NAN, ..LinearWeights::default() };
        assert!(weights.validate().unwrap_err().to_string().starts_with("rebuffering: "));
        assert_eq!(LinearWeights::default().validate(), Ok(()));
    }

    proptest! {
        #[test]
        fn the_score_is_independent_of_the_sessions_length(kbit in 1u32..10_000, segments in 1usize..50) {
            let value = linear(&session(&vec![kbit; segments]), &LinearWeights::default());
            prop_assert!((value - f64::from(kbit)).abs() < 1e-6);
        }
    }
}

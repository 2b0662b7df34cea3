//! Adaptation of the resolution to the bitrate, as WebRTC's quality scaler does it for VP8.
//!
//! The scaler watches the quantiser: while its mean is coarse, the picture becomes smaller, while it is fine, larger again. Frames here
//! have no quantiser, so that it is taken from their sizes: the coarsest one makes the smallest frame, the finest one that of the
//! highest bitrate, and between them the logarithm of the size is linear (ours). Thresholds, times and steps are WebRTC's.

use jettison_core::{Duration, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Finest and coarsest quantiser that WebRTC permits VP8, as indices up to 127.
const QUANTISERS: (f64, f64) = (2.0, 106.0);
/// Means above the first are coarse, up to the second fine.
const COARSE: f64 = 95.0;
const FINE: f64 = 29.0;
/// Frames of a mean, and of a decision.
const MOST_FRAMES: usize = 150;
const LEAST_FRAMES: usize = 60;
/// Time between decisions, up to the first smaller picture and after it.
const FIRST_INTERVAL: Duration = Duration::from_secs(2);
const INTERVAL: Duration = Duration::from_secs(5);
/// Pixels of the steps, as shares of the full picture: sides by 3/4 and 2/3 in turn.
const STEPS: [f64; 4] = [1.0, 9.0 / 16.0, 1.0 / 4.0, 9.0 / 64.0];

/// What a call degrades when the bitrate is low, by its names in W3C's *MediaStreamTrack Content Hints*.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Degradation {
    /// The resolution (WebRTC's for moving pictures).
    #[default]
    MaintainFramerate,
    /// Nothing but the quality of the picture.
    MaintainFramerateAndResolution,
}

/// The scaler.
#[derive(Debug, Clone)]
pub(super) struct QualityScaler {
    // Parameters.
    is_on: bool,
    /// Bits of the smallest and the largest frame of the full picture.
    sizes: (f64, f64),
    // State.
    step: usize,
    has_shrunk: bool,
    quantisers: Vec<f64>,
    next: usize,
    checked_at: Option<Time>,
}

impl QualityScaler {
    /// Creates a scaler for frames of so many bits at the coarsest and the finest quantiser.
    pub(super) fn new(degradation: Degradation, coarsest: f64, finest: f64) -> QualityScaler {
        QualityScaler {
            is_on: degradation == Degradation::MaintainFramerate && finest > coarsest,
            sizes: (coarsest, finest),
            step: 0,
            has_shrunk: false,
            quantisers: Vec::new(),
            next: 0,
            checked_at: None,
        }
    }

    /// Pixels as a share of the full picture.
    pub(super) fn share(&self) -> f64 {
        STEPS[self.step]
    }

    /// Records an encoded frame of so many bits; whether the picture has another size from now on.
    pub(super) fn encoded(&mut self, bits: f64, now: Time) -> bool {
        if !self.is_on {
            return false;
        }
        let quantiser = self.quantiser(bits / self.share());
        if self.quantisers.len() < MOST_FRAMES {
            self.quantisers.push(quantiser);
        } else {
            self.quantisers[self.next] = quantiser;
        }
        self.next = (self.next + 1) % MOST_FRAMES;
        let interval = if self.has_shrunk { INTERVAL } else { FIRST_INTERVAL };
        let last = *self.checked_at.get_or_insert(now);
        if now.since(last) < interval {
            return false;
        }
        self.checked_at = Some(now);
        if self.quantisers.len() < LEAST_FRAMES {
            return false;
        }
        let mean = self.quantisers.iter().sum::<f64>() / self.quantisers.len() as f64;
        let before = self.step;
        if mean > COARSE {
            self.step = (self.step + 1).min(STEPS.len() - 1);
            self.has_shrunk = true;
            self.clear();
        } else if mean <= FINE {
            self.step = self.step.saturating_sub(1);
            self.clear();
        }
        self.step != before
    }

    fn clear(&mut self) {
        self.quantisers.clear();
        self.next = 0;
    }

    /// The quantiser that makes a frame of so many bits of the full picture.
    fn quantiser(&self, bits: f64) -> f64 {
        let (coarsest, finest) = self.sizes;
        let place = libm::log(bits / coarsest) / libm::log(finest / coarsest);
        QUANTISERS.1 - (QUANTISERS.1 - QUANTISERS.0) * place.clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 30 frames per second of so many bits from one second to another; the shares of pixels at the changes.
    fn run(scaler: &mut QualityScaler, from: u64, to: u64, bits: f64) -> Vec<(u64, f64)> {
        let mut changes = Vec::new();
        for frame in 30 * from..30 * to {
            if scaler.encoded(bits, Time::from_millis(frame * 100 / 3)) {
                changes.push((frame / 30, scaler.share()));
            }
        }
        changes
    }

    fn scaler() -> QualityScaler {
        QualityScaler::new(Degradation::MaintainFramerate, 12e3, 100e3)
    }

    #[test]
    fn frames_at_the_coarsest_quantiser_make_the_picture_smaller_step_by_step() {
        // After 2 s, and then every 5 s: 13 kbit are coarse at the full size, and finer at smaller ones.
        assert_eq!(run(&mut scaler(), 0, 20, 13e3), [(2, 9.0 / 16.0)]);
        let changes = run(&mut scaler(), 0, 20, 1e3);
        assert_eq!(changes, [(2, 9.0 / 16.0), (7, 0.25), (12, 9.0 / 64.0)]);
    }

    #[test]
    fn fine_quantisers_make_it_larger_again() {
        let mut scaler = scaler();
        run(&mut scaler, 0, 3, 12e3);
        assert_eq!(scaler.share(), 9.0 / 16.0);
        let changes = run(&mut scaler, 3, 20, 50e3);
        assert_eq!(changes.len(), 1, "{changes:?}");
        assert_eq!(scaler.share(), 1.0);
    }

    #[test]
    fn a_decision_needs_sixty_frames() {
        let mut scaler = scaler();
        let changed = (0..59).any(|n| scaler.encoded(12e3, Time::from_millis(200 * n)));
        assert!(!changed);
    }

    #[test]
    fn it_may_be_off() {
        let off = Degradation::MaintainFramerateAndResolution;
        assert_eq!(run(&mut QualityScaler::new(off, 12e3, 100e3), 0, 20, 1e3), []);
    }
}

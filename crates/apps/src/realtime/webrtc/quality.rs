//! Adaptation of the resolution to the bitrate, as WebRTC's quality scaler does it for VP8.
//!
//! The scaler watches the quantiser and how many frames the encoder drops: while the mean of the one is coarse, or most frames
//! are dropped, the picture becomes smaller, while quantisers are fine, larger again. Frames here have no quantiser, so that it is
//! taken from their sizes: the coarsest one makes the smallest frame, the finest one that of the highest bitrate, and between them
//! the logarithm of the size is linear (ours). Thresholds, times and steps are WebRTC's built-in defaults (field trial
//! `WebRTC-Video-QualityScaling`).

use std::collections::VecDeque;

use jettison_core::{Duration, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Finest and coarsest quantiser that WebRTC permits VP8, as indices up to 127.
const QUANTISERS: (f64, f64) = (2.0, 106.0);
/// Means above the first are coarse, up to the second fine.
const COARSE: f64 = 95.0;
const FINE: f64 = 29.0;
/// What an older quantiser is worth after a millisecond, in the mean that may be coarse and in that which may be fine.
const FORGETTING: [f64; 2] = [0.9995, 0.9999];
/// Frames of which the dropped are counted, frames that a decision needs, and the share of drops that is too many.
const MOST_FRAMES: usize = 150;
const LEAST_FRAMES: usize = 60;
const DROPPED: f64 = 0.6;
/// Time between decisions: up to the first smaller picture, after it, and after it while there are too few frames.
const FIRST_INTERVAL: Duration = Duration::from_secs(2);
const INTERVAL: Duration = Duration::from_secs(5);
const WAITING: Duration = Duration::from_secs(1);
/// Pixels of the steps, as shares of the full picture: sides by 3/4 and 2/3 in turn.
const STEPS: [f64; 7] = [1.0, 9.0 / 16.0, 1.0 / 4.0, 9.0 / 64.0, 1.0 / 16.0, 9.0 / 256.0, 1.0 / 64.0];
/// Least pixels: a step that aims at 3/5 of the picture must not aim below.
const LEAST_PIXELS: f64 = 320.0 * 180.0;
const AIM: f64 = 0.6;

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

/// The captured picture.
#[derive(Debug, Clone, Copy)]
pub(super) struct Picture {
    /// Pixels.
    pub pixels: f64,
    /// Frames at the same quantiser grow with this power of the pixels: 1 if detail is everywhere, less if there is little.
    pub power: f64,
}

/// The scaler.
#[derive(Debug, Clone)]
pub(super) struct QualityScaler {
    // Parameters.
    is_on: bool,
    /// Bits of the smallest and the largest frame of the full picture.
    sizes: (f64, f64),
    picture: Picture,
    // State.
    step: usize,
    has_shrunk: bool,
    /// Means of the quantisers, and the time of the last one.
    means: Option<[f64; 2]>,
    seen_at: Time,
    /// Whether each of the last frames was dropped, and how many were.
    frames: VecDeque<bool>,
    dropped: usize,
    checked_at: Option<Time>,
    interval: Duration,
}

impl QualityScaler {
    /// Creates a scaler for frames of so many bits at the coarsest and the finest quantiser, of the
    /// full picture.
    pub(super) fn new(degradation: Degradation, sizes: (f64, f64), picture: Picture) -> QualityScaler {
        QualityScaler {
            is_on: degradation == Degradation::MaintainFramerate && sizes.1 > sizes.0,
            sizes,
            picture,
            step: 0,
            has_shrunk: false,
            means: None,
            seen_at: Time::ZERO,
            frames: VecDeque::with_capacity(MOST_FRAMES),
            dropped: 0,
            checked_at: None,
            interval: FIRST_INTERVAL,
        }
    }

    /// Pixels as a share of the full picture.
    pub(super) fn share(&self) -> f64 {
        STEPS[self.step]
    }

    /// Size of a frame at any quantiser, as a share of that of the full picture.
    pub(super) fn scale(&self) -> f64 {
        libm::pow(self.share(), self.picture.power)
    }

    /// Records an encoded frame of so many bits; whether the picture has another size from now on.
    pub(super) fn encoded(&mut self, bits: f64, now: Time) -> bool {
        if !self.is_on {
            return false;
        }
        let quantiser = self.quantiser(bits / self.scale());
        let elapsed = now.since(self.seen_at).as_secs_f64() * 1e3;
        self.seen_at = now;
        self.means = Some(match self.means {
            None => [quantiser; 2],
            Some(means) => [0, 1].map(|n| {
                let kept = libm::pow(FORGETTING[n], elapsed);
                kept * means[n] + (1.0 - kept) * quantiser
            }),
        });
        self.count(false);
        self.check(now)
    }

    /// Records a frame that the encoder dropped; whether the picture has another size from now on.
    pub(super) fn dropped(&mut self, now: Time) -> bool {
        if !self.is_on {
            return false;
        }
        self.count(true);
        self.check(now)
    }

    fn count(&mut self, is_dropped: bool) {
        if self.frames.len() == MOST_FRAMES {
            self.dropped -= usize::from(self.frames.pop_front() == Some(true));
        }
        self.frames.push_back(is_dropped);
        self.dropped += usize::from(is_dropped);
    }

    fn check(&mut self, now: Time) -> bool {
        let last = *self.checked_at.get_or_insert(now);
        if now.since(last) < self.interval {
            return false;
        }
        self.checked_at = Some(now);
        let before = self.step;
        let is_enough = self.frames.len() >= LEAST_FRAMES;
        if is_enough {
            let drops = self.dropped as f64 / self.frames.len() as f64;
            let means = self.means.map(|means| means.map(f64::floor));
            if drops >= DROPPED || means.is_some_and(|means| means[0] > COARSE) {
                self.has_shrunk = true;
                self.shrink();
                self.clear();
            } else if means.is_some_and(|means| means[1] <= FINE) {
                self.step = self.step.saturating_sub(1);
                self.clear();
            }
        }
        self.interval = match (self.has_shrunk, is_enough) {
            (false, _) => FIRST_INTERVAL,
            (true, true) => INTERVAL,
            (true, false) => WAITING,
        };
        self.step != before
    }

    fn shrink(&mut self) {
        if AIM * self.share() * self.picture.pixels >= LEAST_PIXELS {
            self.step = (self.step + 1).min(STEPS.len() - 1);
        }
    }

    fn clear(&mut self) {
        (self.means, self.dropped) = (None, 0);
        self.frames.clear();
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
        of(640 * 360)
    }

    fn of(pixels: u32) -> QualityScaler {
        let picture = Picture { pixels: pixels.into(), power: 1.0 };
        QualityScaler::new(Degradation::MaintainFramerate, (12e3, 100e3), picture)
    }

    #[test]
    fn frames_at_the_coarsest_quantiser_make_the_picture_smaller_step_by_step() {
        // After 2 s, and then every 5 s: 13 kbit are coarse at the full size, and finer at smaller ones.
        assert_eq!(run(&mut scaler(), 0, 20, 13e3), [(2, 9.0 / 16.0)]);
        let changes = run(&mut scaler(), 0, 20, 1e3);
        assert_eq!(changes, [(2, 9.0 / 16.0), (7, 0.25)], "320 by 180 pixels are the least");
        let changes = run(&mut of(1280 * 720), 0, 30, 1e3);
        assert_eq!(changes, [(2, 9.0 / 16.0), (7, 0.25), (12, 9.0 / 64.0), (17, 1.0 / 16.0)]);
    }

    #[test]
    fn drops_of_most_frames_make_it_smaller_whatever_the_quantiser() {
        let mut scaler = scaler();
        let mut changes = Vec::new();
        for frame in 0..300u64 {
            let now = Time::from_millis(frame * 100 / 3);
            // Two of three frames are dropped, and the third is fine.
            let has_changed =
                if frame % 3 > 0 { scaler.dropped(now) } else { scaler.encoded(90e3 * scaler.share(), now) };
            if has_changed {
                changes.push((frame / 30, scaler.share()));
            }
        }
        assert_eq!(changes, [(2, 9.0 / 16.0), (7, 0.25)]);
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
        assert!(scaler.encoded(12e3, Time::from_millis(12_000)));
        // From then on it looks every second until there are enough.
        let changed = (0..60).find(|n| scaler.encoded(1e3, Time::from_millis(12_200 + 200 * n)));
        assert_eq!(changed, Some(59));
    }

    #[test]
    fn a_picture_of_little_detail_is_hardly_cheaper_when_it_is_smaller() {
        let picture = Picture { pixels: 230_400.0, power: 0.25 };
        let mut scaler = QualityScaler::new(Degradation::MaintainFramerate, (12e3, 100e3), picture);
        assert_eq!(run(&mut scaler, 0, 10, 12e3), [(2, 9.0 / 16.0), (7, 0.25)]);
        assert!((scaler.scale() - 0.5f64.sqrt()).abs() < 1e-9, "{}", scaler.scale());
    }

    #[test]
    fn it_may_be_off() {
        let off = Degradation::MaintainFramerateAndResolution;
        let picture = Picture { pixels: 230_400.0, power: 1.0 };
        assert_eq!(run(&mut QualityScaler::new(off, (12e3, 100e3), picture), 0, 20, 1e3), []);
    }
}

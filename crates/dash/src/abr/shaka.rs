//! Rule of Shaka Player 5.2 (`lib/abr/simple_abr_manager.js`, `ewma_bandwidth_estimator.js`, `ewma.js`).
//!
//! One estimate for both kinds of media: the lower of two exponentially weighted averages with half-lives of 2 s and 5 s of
//! downloading. It chooses pairs of video and audio by the sum of their bitrates, at most every 8 s. Shaka's ranges of a pair
//! overlap (down at bitrate / 0.95, up at the next bitrate / 0.85), and the last pair in range is taken: so the highest pair
//! below 0.95 of the estimate.

use jettison_core::{Duration, Rate, Time};

use super::{AbrRule, AbrState, Choice, Download};
use crate::content::AdaptationSet;
use crate::player::Kind;

/// Half-lives of the averages in seconds (`fastHalfLife`, `slowHalfLife`).
const HALF_LIVES: [f64; 2] = [2.0, 5.0];
/// Bytes below which a download is no sample (`minBytes`).
const LEAST_BYTES: u64 = 16_000;
/// Bytes from which the estimate is trusted (`minTotalBytes`).
const TRUSTED_BYTES: u64 = 128_000;
/// Download time below which a response counts as cached (`cacheLoadThreshold`).
const CACHED: Duration = Duration::from_millis(5);
/// Least time between two choices (`switchInterval`).
const INTERVAL: Duration = Duration::from_secs(8);
/// Share of the estimate that a pair may use (`bandwidthDowngradeTarget`).
const SHARE: f64 = 0.95;

/// Parameters of the rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShakaRules {
    /// Estimate before enough has been downloaded (`defaultBandwidthEstimate`).
    pub default_estimate: Rate,
}

/// The rule of one kind of media. Those of video and audio see the same downloads, so they agree on the pair.
#[derive(Debug, Clone)]
pub struct Shaka {
    rules: ShakaRules,
    averages: [f64; 2],
    weight: f64,
    sampled: u64,
    /// Whether the estimate has been trusted once.
    has_started: bool,
    chosen_at: Option<Time>,
    current: Option<usize>,
}

impl Shaka {
    /// Creates a rule without samples.
    pub fn new(rules: ShakaRules) -> Shaka {
        Shaka {
            rules,
            averages: [0.0; 2],
            weight: 0.0,
            sampled: 0,
            has_started: false,
            chosen_at: None,
            current: None,
        }
    }

    /// Returns the estimate in bit/s.
    fn estimate(&self) -> f64 {
        if self.sampled < TRUSTED_BYTES {
            return self.rules.default_estimate.as_bits() as f64;
        }
        let of = |place: usize| self.averages[place] / (1.0 - libm::exp2(-self.weight / HALF_LIVES[place]));
        of(0).min(of(1))
    }

    /// Chooses a pair; returns its representation of this kind.
    fn pair(&self, state: &AbrState<'_>) -> usize {
        let Some(other) = &state.other else { return state.set.highest_below(SHARE * self.estimate()) };
        let is_video = state.kind == Kind::Video;
        let (video, audio) = if is_video { (state.set, other.set) } else { (other.set, state.set) };
        let (video, audio) = best_pair(video, audio, SHARE * self.estimate());
        if is_video { video } else { audio }
    }

    fn sample(&mut self, download: &Download, state: &AbrState<'_>) {
        let took = download.finished_at.since(download.requested_at);
        if took >= CACHED && download.bytes >= LEAST_BYTES {
            let seconds = took.as_secs_f64();
            let rate = download.bytes as f64 * 8.0 / seconds;
            for (average, half_life) in self.averages.iter_mut().zip(HALF_LIVES) {
                let keep = libm::exp2(-seconds / half_life);
                *average = (1.0 - keep) * rate + keep * *average;
            }
            self.weight += seconds;
            self.sampled += download.bytes;
        }
        let Some(chosen_at) = self.chosen_at else { return };
        if self.sampled < TRUSTED_BYTES {
            return;
        }
        // The first choice by a trusted estimate waits for no interval.
        let waited = !self.has_started || state.now.since(chosen_at) >= INTERVAL;
        self.has_started = true;
        if waited {
            self.current = Some(self.pair(state));
            self.chosen_at = Some(state.now);
        }
    }
}

/// Returns the pair of the highest total bitrate up to `most` bit/s, or the lowest pair. Of equal sums the better video.
fn best_pair(video: &AdaptationSet, audio: &AdaptationSet, most: f64) -> (usize, usize) {
    let rate = |set: &AdaptationSet, place: usize| set.representations[place].bitrate.as_bits();
    let mut best = (0, 0, 0);
    for of_video in 0..video.representations.len() {
        for of_audio in 0..audio.representations.len() {
            let sum = rate(video, of_video) + rate(audio, of_audio);
            if sum as f64 <= most && sum >= best.0 {
                best = (sum, of_video, of_audio);
            }
        }
    }
    (best.1, best.2)
}

impl AbrRule for Shaka {
    fn choose(&mut self, state: &AbrState<'_>) -> Choice {
        let current = match self.current {
            Some(current) => current,
            None => {
                self.chosen_at = Some(state.now);
                *self.current.insert(self.pair(state))
            }
        };
        Choice::now(current)
    }

    fn on_segment(&mut self, download: &Download, state: &AbrState<'_>) {
        self.sample(download, state);
    }

    fn on_other_segment(&mut self, download: &Download, state: &AbrState<'_>) {
        self.sample(download, state);
    }
}

#[cfg(test)]
mod tests {
    use super::super::OtherMedia;
    use super::super::testing::{download, ladder, playing};
    use super::*;

    fn rule() -> Shaka {
        Shaka::new(ShakaRules { default_estimate: Rate::from_mbit(1) })
    }

    #[test]
    fn a_pair_is_chosen_by_its_sum() {
        let (video, audio) = (ladder(&[280, 800, 2080]), ladder(&[64, 128]));
        // 0.95 of the default of 1 Mbit/s: 800 + 128.
        let mut state = playing(&video, Duration::ZERO);
        state.other = Some(OtherMedia { set: &audio, selected: None });
        assert_eq!(rule().choose(&state).representation, 1);
        let mut of_audio = AbrState { kind: Kind::Audio, ..playing(&audio, Duration::ZERO) };
        of_audio.other = Some(OtherMedia { set: &video, selected: None });
        assert_eq!(rule().choose(&of_audio).representation, 1);
        // 800 + 64 with 900 kbit/s.
        assert_eq!(best_pair(&video, &audio, 900e3), (1, 0));
        assert_eq!(best_pair(&video, &audio, 1e3), (0, 0));
    }

    #[test]
    fn the_lower_of_two_averages_counts_after_128_kb() {
        let set = ladder(&[140, 490, 1040]);
        let state = playing(&set, Duration::from_secs(8));
        let mut rule = rule();
        rule.choose(&state);
        rule.on_segment(&download(1000, Duration::from_secs(1)), &state);
        assert_eq!(rule.estimate(), 1e6, "125 kB are too little: the default");
        rule.on_other_segment(&download(500, Duration::from_secs(1)), &state);
        // Fast: keeps 2^(−1/2) a second. (0.2929·500 + 0.7071·292.9)/0.5 = 707 kbit/s.
        assert!((rule.estimate() - 707_107.0).abs() < 1.0, "{}", rule.estimate());
    }

    #[test]
    fn small_and_fast_downloads_are_no_samples() {
        let set = ladder(&[140]);
        let state = playing(&set, Duration::from_secs(8));
        let mut rule = rule();
        rule.on_segment(&download(127, Duration::from_secs(1)), &state);
        rule.on_segment(&download(500_000, Duration::from_millis(4)), &state);
        assert_eq!(rule.sampled, 0);
        rule.on_segment(&download(128, Duration::from_secs(1)), &state);
        assert_eq!(rule.sampled, 16_000);
    }

    #[test]
    fn it_chooses_at_most_every_eight_seconds() {
        let set = ladder(&[140, 490, 1040]);
        let at = |secs| AbrState { now: Time::from_secs(secs), ..playing(&set, Duration::from_secs(8)) };
        let mut rule = rule();
        assert_eq!(rule.choose(&at(100)).representation, 1);
        // The first trusted estimate waits for no interval.
        rule.on_segment(&download(3000, Duration::from_secs(1)), &at(101));
        assert_eq!(rule.choose(&at(101)).representation, 2);
        for _ in 0..5 {
            rule.on_segment(&download(200, Duration::from_secs(4)), &at(108));
        }
        assert_eq!(rule.choose(&at(108)).representation, 2);
        rule.on_segment(&download(200, Duration::from_secs(4)), &at(109));
        assert_eq!(rule.choose(&at(109)).representation, 0);
    }
}

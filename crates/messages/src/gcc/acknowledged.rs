//! The acknowledged bitrate: the rate at which packets arrive, as their feedback tells (R_hat of draft-ietf-rmcat-gcc-02 §5.5).
//!
//! The draft leaves the window open (0.5 s to 1 s). WebRTC's estimate is Bayesian: each window of 150 ms is a sample, whose
//! uncertainty grows with its distance from the estimate, so that one burst after an outage moves it little and a lasting
//! change much. No document has the form of the uncertainty: it is from memory.

use jettison_core::{Duration, Time};

/// The first window, as no estimate smooths it (WebRTC's default).
const FIRST_WINDOW: Duration = Duration::from_millis(500);
/// Every later one (WebRTC's default).
const WINDOW: Duration = Duration::from_millis(150);
/// Growth of the estimate's relative variance per window: how fast links change; and its first value. WebRTC's, from memory.
const DRIFT: f64 = 0.05;
const FIRST_VARIANCE: f64 = 0.5;
/// Relative variance of a sample that is the estimate. Ours: zero would freeze it.
const LEAST_VARIANCE: f64 = 0.01;

/// Estimates the acknowledged bitrate.
#[derive(Debug, Clone, Default)]
pub struct AcknowledgedRate {
    /// Begin of the window, by the receiver's clock, and the bytes that arrived in it.
    window: Option<(Time, u64)>,
    /// The estimate in bit/s, and its relative variance.
    estimate: Option<(f64, f64)>,
}

impl AcknowledgedRate {
    /// Records the arrival of a packet.
    pub fn arrived(&mut self, at: Time, bytes: u64) {
        let (since, sum) = self.window.get_or_insert((at, 0));
        let length = if self.estimate.is_none() { FIRST_WINDOW } else { WINDOW };
        let elapsed = at.since(*since);
        if elapsed < length {
            *sum += bytes;
            return;
        }
        // A silence belongs to the sample: the rate was really that low.
        let sample = *sum as f64 * 8.0 / elapsed.as_secs_f64();
        self.window = Some((at, bytes));
        self.add(sample);
    }

    fn add(&mut self, sample: f64) {
        let Some((mean, variance)) = self.estimate else {
            self.estimate = Some((sample, FIRST_VARIANCE));
            return;
        };
        let distance = (sample - mean).abs() / mean.max(1.0);
        // A sample's deviation is assumed to be its distance from the estimate.
        let noise = (distance * distance).max(LEAST_VARIANCE);
        let before = variance + DRIFT;
        let gain = before / (before + noise);
        self.estimate = Some((mean + gain * (sample - mean), (1.0 - gain) * before));
    }

    /// The estimate in bit/s; `None` before a whole window.
    pub fn rate(&self) -> Option<f64> {
        self.estimate.map(|(mean, _)| mean)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packets of 1,250 bytes from `from` to `to` ms, one every `gap` ms.
    fn feed(rate: &mut AcknowledgedRate, from: u64, to: u64, gap: usize) {
        (from..to).step_by(gap).for_each(|ms| rate.arrived(Time::from_millis(ms), 1250));
    }

    #[test]
    fn there_is_none_before_half_a_second() {
        let mut rate = AcknowledgedRate::default();
        feed(&mut rate, 0, 500, 10);
        assert_eq!(rate.rate(), None);
        feed(&mut rate, 500, 510, 10);
        assert_eq!(rate.rate(), Some(1e6));
    }

    #[test]
    fn a_lasting_change_is_followed_within_two_seconds() {
        let mut rate = AcknowledgedRate::default();
        feed(&mut rate, 0, 3000, 10);
        feed(&mut rate, 3000, 5000, 5);
        let found = rate.rate().expect("it has windows");
        assert!((1.6e6..2.1e6).contains(&found), "{found}");
        feed(&mut rate, 5000, 7000, 20);
        let found = rate.rate().expect("it has windows");
        assert!((0.45e6..0.8e6).contains(&found), "{found}");
    }

    #[test]
    fn a_single_burst_moves_it_little() {
        let mut rate = AcknowledgedRate::default();
        feed(&mut rate, 0, 3000, 10);
        // Ten times the rate for one window.
        feed(&mut rate, 3000, 3150, 1);
        feed(&mut rate, 3150, 3170, 10);
        let found = rate.rate().expect("it has windows");
        assert!(found < 1.2e6, "{found}");
    }
}

//! The acknowledged bitrate: the rate at which packets arrive, as their feedback tells (R_hat of draft-ietf-rmcat-gcc-02 §5.5).
//!
//! The draft leaves the window open (0.5 s to 1 s). WebRTC has two estimates: over a window of packets (`throughput.rs`), its
//! default, and the older Bayesian one. Of this each window of 150 ms is a sample, whose uncertainty grows with its distance from
//! the estimate, so that one burst after an outage moves it little and a lasting change much.

use jettison_core::{Duration, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::throughput::WindowedRate;

/// How the acknowledged bitrate is estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Throughput {
    /// Over a window of at least 20 packets and 1 s, without its longest gap; at most the rate of sending (WebRTC's).
    #[default]
    Robust,
    /// The Bayesian estimate of windows of 150 ms (WebRTC's until 2022).
    Bayesian,
}

/// Estimates the acknowledged bitrate.
#[derive(Debug, Clone)]
pub enum AcknowledgedRate {
    /// See [`Throughput::Robust`].
    Robust(WindowedRate),
    /// See [`Throughput::Bayesian`].
    Bayesian(BayesianRate),
}

impl AcknowledgedRate {
    /// Creates an estimate of this kind.
    pub fn new(throughput: Throughput) -> AcknowledgedRate {
        match throughput {
            Throughput::Robust => AcknowledgedRate::Robust(WindowedRate::default()),
            Throughput::Bayesian => AcknowledgedRate::Bayesian(BayesianRate::default()),
        }
    }

    /// Records a packet that arrived.
    pub fn arrived(&mut self, sent_at: Time, arrived_at: Time, bytes: u64) {
        match self {
            AcknowledgedRate::Robust(rate) => rate.arrived(sent_at, arrived_at, bytes),
            AcknowledgedRate::Bayesian(rate) => rate.arrived(arrived_at, bytes),
        }
    }

    /// The estimate in bit/s; `None` before there are enough packets.
    pub fn rate(&self) -> Option<f64> {
        match self {
            AcknowledgedRate::Robust(rate) => rate.rate(),
            AcknowledgedRate::Bayesian(rate) => rate.rate(),
        }
    }
}

/// The first window, as no estimate smooths it (WebRTC's default).
const FIRST_WINDOW: Duration = Duration::from_millis(500);
/// Every later one (WebRTC's default).
const WINDOW: Duration = Duration::from_millis(150);
/// Growth of the estimate's relative variance per window: how fast links change; and its first value (WebRTC's).
const DRIFT: f64 = 0.05;
const FIRST_VARIANCE: f64 = 0.5;

/// The Bayesian estimate.
#[derive(Debug, Clone, Default)]
pub struct BayesianRate {
    /// Begin of the window, by the receiver's clock, and the bytes that arrived in it.
    window: Option<(Time, u64)>,
    /// The estimate in bit/s, and its relative variance.
    estimate: Option<(f64, f64)>,
}

impl BayesianRate {
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
        let noise = distance * distance;
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
    fn feed(rate: &mut BayesianRate, from: u64, to: u64, gap: usize) {
        (from..to).step_by(gap).for_each(|ms| rate.arrived(Time::from_millis(ms), 1250));
    }

    #[test]
    fn there_is_none_before_half_a_second() {
        let mut rate = BayesianRate::default();
        feed(&mut rate, 0, 500, 10);
        assert_eq!(rate.rate(), None);
        feed(&mut rate, 500, 510, 10);
        assert_eq!(rate.rate(), Some(1e6));
    }

    #[test]
    fn a_lasting_change_is_followed_within_two_seconds() {
        let mut rate = BayesianRate::default();
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
        let mut rate = BayesianRate::default();
        feed(&mut rate, 0, 3000, 10);
        // Ten times the rate for one window.
        feed(&mut rate, 3000, 3150, 1);
        feed(&mut rate, 3150, 3170, 10);
        let found = rate.rate().expect("it has windows");
        assert!(found < 1.2e6, "{found}");
    }
}

//! Throughput estimate from past downloads, shared by several rules.
//!
//! Follows dash.js's documentation ("Throughput calculation", "Settings": `throughputHistory`, `movingAverageMethod`,
//! `useDeadTimeLatency`, `bandwidthSafetyFactor`) and Spiteri, Sitaraman, Sparacio, "From Theory to Practice" (MMSys
//! 2018), whose THROUGHPUT uses 0.9 of a sliding mean. Not modelled: dash.js's thresholds that detect cache hits,
//! since there is no cache here.

use std::collections::VecDeque;

use jettison_core::{Duration, Rate};
use jettison_registry::ParameterError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::content::AdaptationSet;
use super::Download;

/// Number of downloads kept (dash.js: `maxMeasurementsToKeep`).
const KEPT: usize = 20;
/// Minimum download time in the estimate (dash.js measures in whole milliseconds, at least one).
const SHORTEST: Duration = Duration::from_millis(1);

/// Parameters of the throughput estimate. Defaults are dash.js's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HistoryParameters {
    /// Averaging method.
    pub mean: Mean,
    /// For `sliding-window` and `harmonic`: number of latest downloads to average.
    pub samples: usize,
    /// For `sliding-window` and `harmonic`: ratio of two successive downloads from which the window grows by one
    /// download.
    pub variation: f64,
    /// For `ewma`: half-life of the fast estimate, in download time. The lower of both estimates is used.
    pub fast_half_life: Duration,
    /// For `ewma`: half-life of the slow estimate.
    pub slow_half_life: Duration,
    /// Share of the mean used in choices.
    pub safety: f64,
    /// Whether a download is measured from its first byte, and the wait for that byte is subtracted from the segment's
    /// duration in choices. Otherwise a download is measured from its request.
    pub dead_time: bool,
    /// Throughput assumed before the first download. Unset: the lowest representation is fetched.
    pub initial: Option<Rate>,
}

/// Averaging method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mean {
    /// Arithmetic mean of the latest throughputs.
    SlidingWindow,
    /// Harmonic mean of the latest throughputs; robust against a single fast download.
    Harmonic,
    /// The lower of a fast and a slow exponentially weighted moving average.
    Ewma,
}

impl Default for HistoryParameters {
    fn default() -> HistoryParameters {
        HistoryParameters {
            mean: Mean::SlidingWindow,
            samples: 4,
            variation: 1.3,
            fast_half_life: Duration::from_secs(3),
            slow_half_life: Duration::from_secs(8),
            safety: 0.9,
            dead_time: true,
            initial: None,
        }
    }
}

impl HistoryParameters {
    /// Checks the ranges.
    pub fn validate(&self) -> Result<(), ParameterError> {
        ParameterError::unless((1..=KEPT).contains(&self.samples), "samples", || {
            format!("must be in [1, {KEPT}], got {}", self.samples)
        })?;
        ParameterError::unless(self.variation > 1.0, "variation", || {
            format!("must be > 1, got {}", self.variation)
        })?;
        for (key, half_life) in
            [("fast_half_life", self.fast_half_life), ("slow_half_life", self.slow_half_life)]
        {
            ParameterError::unless(!half_life.is_zero(), key, || "must be > 0, got 0 s".to_owned())?;
        }
        ParameterError::unless(self.safety > 0.0 && self.safety <= 1.0, "safety", || {
            format!("must be in (0, 1], got {}", self.safety)
        })?;
        ParameterError::unless(self.initial.is_none_or(|rate| !rate.is_zero()), "initial", || {
            "must be > 0, got 0 bit/s; omit it to start with the lowest representation".to_owned()
        })
    }
}

/// Past downloads of one kind of media.
#[derive(Debug, Clone)]
pub struct History {
    parameters: HistoryParameters,
    /// Latest downloads, oldest first.
    latest: VecDeque<Measurement>,
    fast: Ewma,
    slow: Ewma,
    /// Throughput of the last download from request to end, in bit/s.
    last: Option<f64>,
}

#[derive(Debug, Clone, Copy)]
struct Measurement {
    /// In bit/s.
    throughput: f64,
    /// From the request to the first byte, in seconds.
    latency: f64,
}

/// Exponentially weighted moving average that starts at zero.
#[derive(Debug, Clone, Copy)]
struct Ewma {
    half_life: f64,
    estimate: f64,
    weight: f64,
}

impl Ewma {
    fn new(half_life: Duration) -> Ewma {
        Ewma { half_life: half_life.as_secs_f64(), estimate: 0.0, weight: 0.0 }
    }

    fn push(&mut self, value: f64, weight: f64) {
        let keep = libm::exp2(-weight / self.half_life);
        self.estimate = (1.0 - keep) * value + keep * self.estimate;
        self.weight += weight;
    }

    /// Returns the estimate, corrected for its start at zero.
    fn value(&self) -> f64 {
        self.estimate / (1.0 - libm::exp2(-self.weight / self.half_life))
    }
}

impl History {
    /// Creates an empty history.
    pub fn new(parameters: HistoryParameters) -> History {
        History {
            fast: Ewma::new(parameters.fast_half_life),
            slow: Ewma::new(parameters.slow_half_life),
            latest: VecDeque::with_capacity(KEPT),
            last: None,
            parameters,
        }
    }

    /// Adds a complete download.
    pub fn push(&mut self, download: &Download) {
        let bits = download.bytes as f64 * 8.0;
        let from_request = download.finished_at.since(download.requested_at).max(SHORTEST);
        let from_first_byte = download.finished_at.since(download.first_byte_at).max(SHORTEST);
        let time = if self.parameters.dead_time { from_first_byte } else { from_request }.as_secs_f64();
        let throughput = bits / time;
        let latency = download.first_byte_at.since(download.requested_at).as_secs_f64();
        if self.latest.len() == KEPT {
            self.latest.pop_front();
        }
        self.latest.push_back(Measurement { throughput, latency });
        self.fast.push(throughput, time);
        self.slow.push(throughput, time);
        self.last = Some(bits / from_request.as_secs_f64());
    }

    /// Returns the mean throughput in bit/s; `None` before the first download.
    pub fn mean(&self) -> Option<f64> {
        if self.latest.is_empty() {
            return None;
        }
        let window = || self.latest.iter().rev().take(self.window()).map(|m| m.throughput);
        let count = self.window() as f64;
        Some(match self.parameters.mean {
            Mean::SlidingWindow => window().sum::<f64>() / count,
            Mean::Harmonic => count / window().map(|throughput| 1.0 / throughput).sum::<f64>(),
            Mean::Ewma => self.fast.value().min(self.slow.value()),
        })
    }

    /// Returns the throughput of the last download in bit/s, measured from its request.
    pub fn last(&self) -> Option<f64> {
        self.last
    }

    /// Returns the share of the mean used in choices.
    pub fn safety(&self) -> f64 {
        self.parameters.safety
    }

    /// Returns the index of the highest representation that the safe share of the mean sustains.
    pub fn choose(&self, set: &AdaptationSet, segment: Duration) -> usize {
        let initial = self.parameters.initial.map(|rate| rate.as_bits() as f64);
        match self.mean().or(initial) {
            Some(mean) => set.highest_below(self.usable(mean * self.parameters.safety, segment)),
            None => 0,
        }
    }

    /// Returns the share of `rate` left when each segment starts with the usual wait for its first byte.
    pub fn usable(&self, rate: f64, segment: Duration) -> f64 {
        if !self.parameters.dead_time || self.latest.is_empty() || segment.is_zero() {
            return rate;
        }
        let count = self.latest.len().min(self.parameters.samples);
        let latency = self.latest.iter().rev().take(count).map(|m| m.latency).sum::<f64>() / count as f64;
        rate * (1.0 - latency / segment.as_secs_f64()).max(0.0)
    }

    /// Returns the number of downloads to average: more of them if they differ much.
    fn window(&self) -> usize {
        let known = self.latest.len();
        let mut size = self.parameters.samples.min(known);
        let mut newer = 1;
        while newer < size && size < known {
            let ratio = self.latest[known - newer].throughput / self.latest[known - newer - 1].throughput;
            if ratio >= self.parameters.variation || ratio <= 1.0 / self.parameters.variation {
                size += 1;
            }
            newer += 1;
        }
        size
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{download, ladder};
    use super::*;

    fn history(parameters: HistoryParameters, kbits: &[u64]) -> History {
        let mut history = History::new(parameters);
        for kbit in kbits {
            history.push(&download(*kbit, Duration::from_secs(1)));
        }
        history
    }

    #[test]
    fn there_is_no_estimate_before_the_first_download() {
        let history = History::new(HistoryParameters::default());
        assert_eq!(history.mean(), None);
        assert_eq!(history.choose(&ladder(&[100, 200]), Duration::from_secs(4)), 0);
        let assumed =
            HistoryParameters { initial: Some(Rate::from_kbit(300)), ..HistoryParameters::default() };
        assert_eq!(History::new(assumed).choose(&ladder(&[100, 200]), Duration::from_secs(4)), 1);
    }

    #[test]
    fn the_window_holds_the_last_four_of_steady_downloads() {
        let history = history(HistoryParameters::default(), &[900, 1000, 1000, 1000, 1000]);
        assert_eq!(history.mean(), Some(1e6));
    }

    #[test]
    fn downloads_that_differ_widen_the_window() {
        let history = history(HistoryParameters::default(), &[500, 1000, 1000, 1000, 1000, 500]);
        // The newest two differ by a factor of two: five are averaged.
        assert_eq!(history.mean(), Some(900e3));
    }

    #[test]
    fn one_fast_download_hardly_lifts_the_harmonic_mean() {
        let parameters = HistoryParameters { mean: Mean::Harmonic, ..HistoryParameters::default() };
        let mean = history(parameters, &[1000, 1000, 100_000]).mean().unwrap();
        assert!((mean - 3.0 / (2.0 / 1e6 + 1.0 / 1e8)).abs() < 1e-3, "{mean}");
    }

    #[test]
    fn the_ewma_is_right_from_the_first_download_and_falls_faster_than_it_rises() {
        let parameters = HistoryParameters { mean: Mean::Ewma, ..HistoryParameters::default() };
        let first = history(parameters.clone(), &[1000]).mean().unwrap();
        assert!((first - 1e6).abs() < 1e-3, "{first}");
        let steady = [1000; 30];
        let fallen = history(parameters.clone(), &[&steady[..], &[100; 3]].concat()).mean().unwrap();
        let risen = history(parameters, &[&steady[..], &[1900; 3]].concat()).mean().unwrap();
        // Three seconds are a half life of the fast estimate.
        assert!((fallen - 550e3).abs() < 2e3, "{fallen}");
        assert!(risen - 1e6 < 1e6 - fallen, "{risen}");
    }

    #[test]
    fn the_wait_for_the_first_byte_is_subtracted_from_the_segment_instead() {
        let late = |dead_time| {
            let mut history = History::new(HistoryParameters { dead_time, ..HistoryParameters::default() });
            let mut slow = download(1000, Duration::from_secs(1));
            slow.requested_at = jettison_core::Time::ZERO;
            slow.first_byte_at = jettison_core::Time::from_secs(1);
            slow.finished_at = jettison_core::Time::from_secs(2);
            history.push(&slow);
            history
        };
        assert_eq!(late(true).mean(), Some(1e6));
        assert_eq!(late(true).usable(1e6, Duration::from_secs(4)), 750e3);
        assert_eq!(late(true).usable(1e6, Duration::from_millis(500)), 0.0);
        assert_eq!(late(false).mean(), Some(500e3));
        assert_eq!(late(false).usable(1e6, Duration::from_secs(4)), 1e6);
        assert_eq!(late(true).last(), Some(500e3));
    }

    #[test]
    fn a_download_in_no_time_is_finite() {
        let mut history = History::new(HistoryParameters::default());
        history.push(&download(1000, Duration::ZERO));
        assert!(history.mean().is_some_and(f64::is_finite));
    }

    #[test]
    fn parameters_out_of_range_name_their_key() {
        let bad = |parameters: HistoryParameters| parameters.validate().unwrap_err().to_string();
        let good = HistoryParameters::default();
        assert_eq!(good.validate(), Ok(()));
        assert!(bad(HistoryParameters { samples: 0, ..good.clone() }).starts_with("samples: "));
        assert!(bad(HistoryParameters { variation: 1.0, ..good.clone() }).starts_with("variation: "));
        let zero = HistoryParameters { slow_half_life: Duration::ZERO, ..good.clone() };
        assert!(bad(zero).starts_with("slow_half_life: "));
        assert!(bad(HistoryParameters { safety: f64::NAN, ..good.clone() }).starts_with("safety: "));
        assert!(bad(HistoryParameters { initial: Some(Rate::ZERO), ..good }).starts_with("initial: "));
    }
}

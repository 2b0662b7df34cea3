//! Throughput and latency of past downloads (4.x: `rules/ThroughputHistory.js`; 5.x: `models/ThroughputModel.js` and
//! `controllers/ThroughputController.js`).

use std::collections::VecDeque;

use jettison_core::Time;

use super::super::Download;
use crate::player::Kind;

/// Downloads kept.
const KEPT: usize = 20;
/// Downloads averaged: throughputs of recorded media, and latencies.
const SAMPLES: usize = 4;
/// Ratio of two successive throughputs from which the window grows by one.
const VARIATION: f64 = 1.3;
/// Share of the mean used in choices (`bandwidthSafetyFactor`).
const SAFETY: f64 = 0.9;
/// Half-lives of the weighted averages, in seconds of weight.
const HALF_LIVES: [f64; 2] = [3.0, 8.0];
/// Weight of a millisecond of downloading (`weightDownloadTimeMultiplicationFactor`).
const WEIGHT: f64 = 0.0015;

/// How throughputs are averaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EstimateStyle {
    /// 4.x: mean of a window, with a heuristic that takes fast downloads for cached ones.
    Window,
    /// 5.x: lower of two exponentially weighted averages.
    Weighted,
}

/// Estimate of one kind of media. Rates are in kbit/s, times in ms.
#[derive(Debug, Clone)]
pub(super) struct Estimate {
    style: EstimateStyle,
    /// Download time below which a response counts as cached (`cacheLoadThresholds` of 4.x).
    cached_below: u64,
    throughputs: VecDeque<f64>,
    latencies: VecDeque<f64>,
    /// Whether all entries come from a cache.
    is_cached: bool,
    averages: [f64; 2],
    weight: f64,
}

impl Estimate {
    pub(super) fn new(style: EstimateStyle, kind: Kind) -> Estimate {
        Estimate {
            style,
            cached_below: if kind == Kind::Video { 50 } else { 5 },
            throughputs: VecDeque::with_capacity(KEPT),
            latencies: VecDeque::with_capacity(KEPT),
            is_cached: false,
            averages: [0.0; 2],
            weight: 0.0,
        }
    }

    /// Adds a complete download.
    pub(super) fn push(&mut self, download: &Download) {
        match self.style {
            EstimateStyle::Window => self.push_window(download),
            EstimateStyle::Weighted => self.push_weighted(download),
        }
    }

    fn push_window(&mut self, download: &Download) {
        // JavaScript dates are whole milliseconds; a zero counts as one.
        let span = |from: Time, to: Time| (millis(to) - millis(from)).max(1);
        let latency = span(download.requested_at, download.first_byte_at);
        let took = millis(download.finished_at) - millis(download.first_byte_at);
        let is_cached = took.max(1) < self.cached_below;
        if is_cached && !self.throughputs.is_empty() && !self.is_cached {
            return;
        }
        if !is_cached && self.is_cached {
            self.throughputs.clear();
            self.latencies.clear();
        }
        self.is_cached = is_cached;
        let throughput = (8.0 * download.bytes as f64 / took.max(1) as f64).round();
        push(&mut self.throughputs, throughput);
        push(&mut self.latencies, latency as f64);
    }

    fn push_weighted(&mut self, download: &Download) {
        let took = download.finished_at.since(download.first_byte_at).as_secs_f64() * 1e3;
        if took <= 0.0 {
            return;
        }
        let throughput = (8.0 * download.bytes as f64 / took).round();
        let weight = WEIGHT * took;
        for (average, half_life) in self.averages.iter_mut().zip(HALF_LIVES) {
            let keep = libm::exp2(-weight / half_life);
            *average = (1.0 - keep) * throughput + keep * *average;
        }
        self.weight += weight;
    }

    /// Returns the mean throughput; `None` before the first download.
    pub(super) fn mean(&self) -> Option<f64> {
        match self.style {
            EstimateStyle::Window => {
                let size = self.window();
                let sum: f64 = self.throughputs.iter().rev().take(size).sum();
                (size > 0).then(|| sum / size as f64)
            }
            EstimateStyle::Weighted => {
                let of = |place: usize| {
                    self.averages[place] / (1.0 - libm::exp2(-self.weight / HALF_LIVES[place]))
                };
                (self.weight > 0.0).then(|| of(0).min(of(1)).round())
            }
        }
    }

    /// Returns the share of the mean used in choices.
    pub(super) fn safe(&self) -> Option<f64> {
        Some(SAFETY * self.mean()?)
    }

    /// Returns the mean wait for the first byte in ms; 0 before the first download.
    pub(super) fn latency(&self) -> f64 {
        let size = self.latencies.len().min(SAMPLES);
        if size == 0 { 0.0 } else { self.latencies.iter().rev().take(size).sum::<f64>() / size as f64 }
    }

    /// Number of throughputs to average: one more for each pair that differs much.
    fn window(&self) -> usize {
        let known = self.throughputs.len();
        let mut size = SAMPLES.min(known);
        let mut newer = 1;
        while newer < size && size < known {
            let ratio = self.throughputs[known - newer] / self.throughputs[known - newer - 1];
            if ratio >= VARIATION || ratio <= 1.0 / VARIATION {
                size += 1;
            }
            newer += 1;
        }
        size
    }
}

fn millis(at: Time) -> u64 {
    at.as_nanos() / 1_000_000
}

fn push(values: &mut VecDeque<f64>, value: f64) {
    if values.len() == KEPT {
        values.pop_front();
    }
    values.push_back(value);
}

//! Rate logic of VLC 3 (`modules/demux/adaptive/logic/RateBasedAdaptationLogic.cpp`, `tools/MovingAverage.hpp`,
//! `logic/Representationselectors.cpp`), which `--adaptive-logic=rate` chooses.
//!
//! One estimate for both kinds of media. Each download is measured from its request; downloads are gathered until they took
//! a quarter of a second. A moving average of these observations adapts the faster, the steadier the last ten were. Three
//! quarters of it are shared: a kind may take what the bitrate of the other kind leaves, and the highest representation
//! strictly below.

use std::collections::VecDeque;

use jettison_core::Duration;
use jettison_registry::style::{Line::Dotted, SAND};
use jettison_registry::{Entry, ParameterError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entry::AdaptationRule;
use super::{AbrRule, AbrState, Choice, Download};

/// Download time of an observation.
const WINDOW: Duration = Duration::from_millis(250);
/// Observations that the average looks at.
const OBSERVATIONS: usize = 10;

/// Its entry in the list of adaptation rules.
pub(super) fn entry() -> Entry<AdaptationRule> {
    Entry::<AdaptationRule>::new("vlc-3", "VLC 3", build)
        .style(SAND, Dotted)
        .summary("VLC 3's rate logic: below three quarters of a moving average, shared by video and audio")
        .source("VLC's public source, modules/demux/adaptive/logic/RateBasedAdaptationLogic.cpp")
        .page("appendix/dash-players.md")
}

fn build(parameters: Vlc3Parameters, _: &()) -> Result<Box<dyn AbrRule>, ParameterError> {
    parameters.validate()?;
    Ok(Box::new(Vlc3::new(parameters)))
}

/// Parameters of `vlc-3`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Vlc3Parameters {
    /// Share of the average that all representations together may use.
    pub share: f64,
}

impl Default for Vlc3Parameters {
    fn default() -> Vlc3Parameters {
        Vlc3Parameters { share: 0.75 }
    }
}

impl Vlc3Parameters {
    /// Checks the ranges.
    pub fn validate(&self) -> Result<(), ParameterError> {
        ParameterError::unless(self.share > 0.0 && self.share <= 1.0, "share", || {
            format!("must be in (0, 1], got {}", self.share)
        })
    }
}

/// The rule of one kind of media. Those of video and audio see the same downloads, so they have the same average.
#[derive(Debug, Clone)]
pub struct Vlc3 {
    parameters: Vlc3Parameters,
    /// Bits and time gathered for the next observation.
    gathered: (f64, Duration),
    latest: VecDeque<f64>,
    /// Observation before the oldest of `latest`.
    previous: f64,
    average: f64,
}

impl Vlc3 {
    /// Creates a rule without history: the first segment is of the lowest representation.
    pub fn new(parameters: Vlc3Parameters) -> Vlc3 {
        Vlc3 {
            parameters,
            gathered: (0.0, Duration::ZERO),
            latest: VecDeque::with_capacity(OBSERVATIONS),
            previous: 0.0,
            average: 0.0,
        }
    }

    fn sample(&mut self, download: &Download) {
        let took = download.finished_at.since(download.requested_at);
        if took.is_zero() {
            return;
        }
        let (bits, time) = (self.gathered.0 + download.bytes as f64 * 8.0, self.gathered.1 + took);
        self.gathered = (bits, time);
        if time >= WINDOW {
            self.gathered = (0.0, Duration::ZERO);
            self.observe(bits / time.as_secs_f64());
        }
    }

    /// Adds an observation in bit/s. The old average keeps 0.33 of the spread over the sum of changes, and half if nothing
    /// ever changed.
    fn observe(&mut self, rate: f64) {
        if self.latest.len() == OBSERVATIONS {
            self.previous = self.latest.pop_front().unwrap_or_default();
        }
        self.latest.push_back(rate);
        let lowest = self.latest.iter().copied().fold(f64::INFINITY, f64::min);
        let highest = self.latest.iter().copied().fold(0.0, f64::max);
        let (mut changes, mut before) = (0.0, self.previous);
        for value in &self.latest {
            changes += (value - before).abs();
            before = *value;
        }
        let keep = if changes > 0.0 { 0.33 * (highest - lowest) / changes } else { 0.5 };
        self.average = keep * self.average + (1.0 - keep) * rate;
    }
}

impl AbrRule for Vlc3 {
    fn choose(&mut self, state: &AbrState<'_>) -> Choice {
        let other = state.other.and_then(|other| Some(other.set.representations[other.selected?].bitrate));
        let available =
            self.parameters.share * self.average - other.map_or(0.0, |rate| rate.as_bits() as f64);
        let below = state.set.representations.partition_point(|r| (r.bitrate.as_bits() as f64) < available);
        Choice::now(below.saturating_sub(1))
    }

    fn on_segment(&mut self, download: &Download, _state: &AbrState<'_>) {
        self.sample(download);
    }

    fn on_other_segment(&mut self, download: &Download, _state: &AbrState<'_>) {
        self.sample(download);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{download, ladder, playing};
    use super::*;

    #[test]
    fn the_average_keeps_the_more_the_less_steady_the_rates_are() {
        let mut rule = Vlc3::new(Vlc3Parameters::default());
        // One observation: no spread, so it counts in full.
        rule.observe(1000.0);
        assert_eq!(rule.average, 1000.0);
        // Spread 500 over changes of 1000 and 500: 0.33 · 1/3 of the old, the rest of the new.
        rule.observe(500.0);
        assert!((rule.average - (0.11 * 1000.0 + 0.89 * 500.0)).abs() < 1e-9, "{}", rule.average);
        // Spread 500 over changes of 1000, 500 and 500.
        let before = rule.average;
        rule.observe(1000.0);
        assert!((rule.average - (0.0825 * before + 0.9175 * 1000.0)).abs() < 1e-9, "{}", rule.average);
    }

    #[test]
    fn three_quarters_of_the_rate_are_available_strictly_below() {
        let set = ladder(&[140, 490, 750, 1040]);
        let state = playing(&set, Duration::from_secs(10));
        let mut rule = Vlc3::new(Vlc3Parameters::default());
        assert_eq!(rule.choose(&state).representation, 0);
        rule.on_segment(&download(1000, Duration::from_secs(1)), &state);
        assert_eq!(rule.choose(&state).representation, 1, "750 kbit/s are not below 750");
    }

    #[test]
    fn what_the_other_kind_uses_is_taken_off() {
        let (video, audio) = (ladder(&[140, 490, 700]), ladder(&[64, 300]));
        let mut rule = Vlc3::new(Vlc3Parameters::default());
        let mut state = playing(&video, Duration::from_secs(10));
        rule.on_other_segment(&download(1000, Duration::from_secs(1)), &state);
        assert_eq!(rule.choose(&state).representation, 2);
        let other = |selected| Some(super::super::OtherMedia { set: &audio, selected });
        state.other = other(Some(0));
        assert_eq!(rule.choose(&state).representation, 1, "750 − 64 = 686 kbit/s");
        state.other = other(Some(1));
        assert_eq!(rule.choose(&state).representation, 0, "750 − 300 = 450 kbit/s");
        state.other = other(None);
        assert_eq!(rule.choose(&state).representation, 2);
    }

    #[test]
    fn short_downloads_are_gathered() {
        let set = ladder(&[140, 490]);
        let state = playing(&set, Duration::from_secs(10));
        let mut rule = Vlc3::new(Vlc3Parameters::default());
        rule.on_segment(&download(1000, Duration::from_millis(200)), &state);
        assert_eq!(rule.choose(&state).representation, 0);
        rule.on_segment(&download(1000, Duration::from_millis(50)), &state);
        assert_eq!(rule.choose(&state).representation, 1);
    }

    #[test]
    fn a_share_out_of_range_is_refused() {
        let error = Vlc3Parameters { share: 1.5 }.validate().unwrap_err();
        assert_eq!(error.to_string(), "share: must be in (0, 1], got 1.5");
    }
}

//! Rate logic of VLC 2's DASH module (`modules/stream_filter/dash/adaptationlogic/RateBasedAdaptationLogic.cpp`,
//! `http/HTTPConnectionManager.cpp`, `buffer/BlockBuffer.cpp`).
//!
//! The lowest representation while the buffer is below 30 % of its capacity; otherwise the highest one strictly below the
//! download rate of the session, which is all bits by the time spent reading them.

use jettison_core::Duration;
use jettison_registry::style::{Line::Dashed, MAUVE};
use jettison_registry::{Entry, ParameterError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entry::AdaptationRule;
use super::{AbrRule, AbrState, Choice, Download};

/// Its entry in the list of adaptation rules.
pub(super) fn entry() -> Entry<AdaptationRule> {
    Entry::<AdaptationRule>::new("vlc-2", "VLC 2", build)
        .style(MAUVE, Dashed)
        .summary("VLC 2's rate logic: lowest below 30 % of the buffer, then below the download rate")
        .source(
            "VLC's public source, modules/stream_filter/dash/adaptationlogic/RateBasedAdaptationLogic.cpp",
        )
        .page("appendix/dash-players.md")
}

fn build(parameters: Vlc2Parameters, _: &()) -> Result<Box<dyn AbrRule>, ParameterError> {
    parameters.validate()?;
    Ok(Box::new(Vlc2::new(parameters)))
}

/// Parameters of `vlc-2`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Vlc2Parameters {
    /// Share of the player's maximum buffer below which the lowest representation is chosen.
    pub minimum: f64,
}

impl Default for Vlc2Parameters {
    fn default() -> Vlc2Parameters {
        Vlc2Parameters { minimum: 0.3 }
    }
}

impl Vlc2Parameters {
    /// Checks the ranges.
    pub fn validate(&self) -> Result<(), ParameterError> {
        ParameterError::unless((0.0..1.0).contains(&self.minimum), "minimum", || {
            format!("must be in [0, 1), got {}", self.minimum)
        })
    }
}

/// The rule of one kind of media.
#[derive(Debug, Clone)]
pub struct Vlc2 {
    parameters: Vlc2Parameters,
    bits: f64,
    time: Duration,
}

impl Vlc2 {
    /// Creates a rule without history.
    pub fn new(parameters: Vlc2Parameters) -> Vlc2 {
        Vlc2 { parameters, bits: 0.0, time: Duration::ZERO }
    }
}

impl AbrRule for Vlc2 {
    fn choose(&mut self, state: &AbrState<'_>) -> Choice {
        // The module compares whole percent.
        let percent = (100.0 * state.buffer.as_secs_f64() / state.max_buffer.as_secs_f64()).floor();
        if self.bits == 0.0 || percent < 100.0 * self.parameters.minimum {
            return Choice::now(0);
        }
        let rate = self.bits / self.time.as_secs_f64();
        let below = state.set.representations.partition_point(|r| (r.bitrate.as_bits() as f64) < rate);
        Choice::now(below.saturating_sub(1))
    }

    fn on_segment(&mut self, download: &Download, _state: &AbrState<'_>) {
        self.bits += download.bytes as f64 * 8.0;
        self.time += download.finished_at.since(download.requested_at);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{download, ladder, playing};
    use super::*;

    fn choice(kbits: &[u64], level: Duration) -> usize {
        let set = ladder(&[140, 490, 1000]);
        let state = playing(&set, level);
        let mut rule = Vlc2::new(Vlc2Parameters::default());
        for kbit in kbits {
            rule.on_segment(&download(*kbit, Duration::from_secs(1)), &state);
        }
        rule.choose(&state).representation
    }

    #[test]
    fn below_thirty_percent_of_the_buffer_the_lowest_is_chosen() {
        // 30 % of 30 s.
        assert_eq!(choice(&[2000], Duration::from_millis(8999)), 0);
        assert_eq!(choice(&[2000], Duration::from_secs(9)), 2);
    }

    #[test]
    fn above_it_the_session_s_rate_decides_strictly() {
        let level = Duration::from_secs(20);
        assert_eq!(choice(&[], level), 0);
        assert_eq!(choice(&[1000], level), 1, "1000 kbit/s are not below 1000");
        assert_eq!(choice(&[1000, 1002], level), 2);
        assert_eq!(choice(&[800, 180], level), 0, "490 kbit/s are not below 490");
    }

    #[test]
    fn a_minimum_out_of_range_is_refused() {
        let error = Vlc2Parameters { minimum: 1.0 }.validate().unwrap_err();
        assert_eq!(error.to_string(), "minimum: must be in [0, 1), got 1");
    }
}

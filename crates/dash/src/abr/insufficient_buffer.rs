//! Insufficient-buffer rule: excludes representations whose download would outlast the buffer.
//!
//! dash.js's InsufficientBufferRule: at most `throughput · safety · buffer / segment duration` (its documentation,
//! "InsufficientBufferRule"), the lowest representation while playback is stalled, no limit for the first segments.
//! The safety factor is 0.5 in the versions of Spiteri, Sitaraman, Sparacio (MMSys 2018) and higher in later ones.

use jettison_registry::ParameterError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AbrState, History, Playback};

/// Parameters of the insufficient-buffer rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct InsufficientBufferParameters {
    /// Whether the rule is active.
    pub enabled: bool,
    /// Share of the mean throughput used.
    pub safety: f64,
    /// Number of segments to fetch before the rule becomes active.
    pub ignore: u32,
}

impl Default for InsufficientBufferParameters {
    fn default() -> InsufficientBufferParameters {
        InsufficientBufferParameters { enabled: true, safety: 0.5, ignore: 2 }
    }
}

impl InsufficientBufferParameters {
    /// Checks the ranges.
    pub fn validate(&self) -> Result<(), ParameterError> {
        ParameterError::unless(self.safety > 0.0 && self.safety <= 1.0, "safety", || {
            format!("must be in (0, 1], got {}", self.safety)
        })
    }
}

/// Limits the choice of another rule.
#[derive(Debug, Clone)]
pub struct InsufficientBuffer {
    parameters: InsufficientBufferParameters,
    segments: u32,
}

impl InsufficientBuffer {
    /// Creates a rule before the first segment.
    pub fn new(parameters: InsufficientBufferParameters) -> InsufficientBuffer {
        InsufficientBuffer { parameters, segments: 0 }
    }

    /// Counts a complete segment.
    pub fn on_segment(&mut self) {
        self.segments = self.segments.saturating_add(1);
    }

    /// Returns the highest representation allowed, or `None` without a limit.
    pub fn limit(&self, state: &AbrState<'_>, history: &History) -> Option<usize> {
        if !self.parameters.enabled || self.segments < self.parameters.ignore {
            return None;
        }
        if state.playback == Playback::Stalled {
            return Some(0);
        }
        let segment = state.segment_duration();
        let mean = history.mean()?;
        if segment.is_zero() {
            return None;
        }
        let segments = state.buffer.as_secs_f64() / segment.as_secs_f64();
        let rate = mean * self.parameters.safety * segments;
        Some(state.set.highest_below(history.usable(rate, segment)))
    }
}

#[cfg(test)]
mod tests {
    use jettison_core::Duration;

    use super::super::HistoryParameters;
    use super::super::testing::{download, ladder, playing};
    use super::*;

    fn ready(safety: f64, segments: u32) -> (InsufficientBuffer, History) {
        let parameters = InsufficientBufferParameters { safety, ..InsufficientBufferParameters::default() };
        let mut rule = InsufficientBuffer::new(parameters);
        let mut history = History::new(HistoryParameters::default());
        for _ in 0..segments {
            rule.on_segment();
            history.push(&download(5000, Duration::from_secs(1)));
        }
        (rule, history)
    }

    #[test]
    fn the_segment_must_come_before_the_buffer_is_empty() {
        // The example of dash.js's documentation: 5 Mbit/s · 0.9 · 10 s / 4 s = 11.25 Mbit/s.
        let (rule, history) = ready(0.9, 2);
        let limit = |kbits: &[u64]| rule.limit(&playing(&ladder(kbits), Duration::from_secs(10)), &history);
        assert_eq!(limit(&[1000, 11_250]), Some(1));
        assert_eq!(limit(&[1000, 11_251]), Some(0));
    }

    #[test]
    fn a_stall_asks_for_the_lowest() {
        let (rule, history) = ready(0.5, 2);
        let set = ladder(&[100, 200]);
        let mut state = playing(&set, Duration::from_secs(20));
        assert_eq!(rule.limit(&state, &history), Some(1));
        state.playback = Playback::Stalled;
        assert_eq!(rule.limit(&state, &history), Some(0));
    }

    #[test]
    fn the_first_segments_are_not_limited() {
        let set = ladder(&[100, 200]);
        let state = playing(&set, Duration::ZERO);
        for segments in [0, 1] {
            let (rule, history) = ready(0.5, segments);
            assert_eq!(rule.limit(&state, &history), None);
        }
        let (rule, history) = ready(0.5, 2);
        assert_eq!(rule.limit(&state, &history), Some(0));
    }

    #[test]
    fn a_disabled_rule_limits_nothing() {
        let parameters = InsufficientBufferParameters { enabled: false, ..Default::default() };
        let set = ladder(&[100, 200]);
        let (_, history) = ready(0.5, 3);
        assert_eq!(InsufficientBuffer::new(parameters).limit(&playing(&set, Duration::ZERO), &history), None);
    }
}

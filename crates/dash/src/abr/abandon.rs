//! Abandon-request rule: abandons a slow segment and fetches a lower representation instead.
//!
//! dash.js's AbandonRequestsRule (its documentation, "AbandonRequestRule" and "Settings": `abandonDurationMultiplier`,
//! `minSegmentDownloadTimeThresholdInMs`, `minThroughputSamplesThreshold`). After half a second and some progress
//! reports, a segment is abandoned if its whole download would take longer than 1.8 times its media time at the rate
//! so far, and if the representation that this rate sustains has fewer bytes than remain. dash.js averages the rates
//! of its reports, each measured from the first byte; here the last report is used, so that the choice depends less on
//! the reporting interval.

use jettison_core::Duration;
use jettison_registry::ParameterError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AbrState, Progress};

/// Parameters of the abandon-request rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AbandonParameters {
    /// Whether the rule is active.
    pub enabled: bool,
    /// Minimum time from the first byte before a segment is abandoned.
    pub grace: Duration,
    /// Minimum number of progress reports before a segment is abandoned.
    pub reports: u32,
    /// Download time that a segment may take, as a multiple of its media time.
    pub multiplier: f64,
    /// Maximum buffer level at which segments are abandoned.
    pub below: Duration,
}

impl Default for AbandonParameters {
    fn default() -> AbandonParameters {
        AbandonParameters {
            enabled: true,
            grace: Duration::from_millis(500),
            reports: 5,
            multiplier: 1.8,
            below: Duration::from_secs(12),
        }
    }
}

impl AbandonParameters {
    /// Checks the ranges.
    pub fn validate(&self) -> Result<(), ParameterError> {
        ParameterError::unless(self.multiplier > 0.0 && self.multiplier.is_finite(), "multiplier", || {
            format!("must be > 0, got {}", self.multiplier)
        })
    }
}

/// Monitor of the segment in transfer.
#[derive(Debug, Clone)]
pub struct AbandonRequest {
    parameters: AbandonParameters,
    /// Segment and representation in transfer; `reports` counts its progress reports.
    transfer: Option<(usize, usize)>,
    reports: u32,
    /// The last abandoned segment: each is abandoned at most once.
    abandoned: Option<usize>,
}

impl AbandonRequest {
    /// Creates a monitor without a transfer.
    pub fn new(parameters: AbandonParameters) -> AbandonRequest {
        AbandonRequest { parameters, transfer: None, reports: 0, abandoned: None }
    }

    /// Handles a progress report. Returns the lower representation to fetch instead, or `None` to continue. `safety`
    /// is the share of the rate so far that the lower representation may use.
    pub fn on_progress(&mut self, progress: &Progress, state: &AbrState<'_>, safety: f64) -> Option<usize> {
        let transfer = Some((progress.segment, progress.representation));
        if self.transfer != transfer {
            (self.transfer, self.reports) = (transfer, 0);
        }
        self.reports = self.reports.saturating_add(1);
        let elapsed = state.now.since(progress.first_byte_at);
        let lower_exists = progress.representation > 0;
        let early =
            elapsed.is_zero() || elapsed < self.parameters.grace || self.reports < self.parameters.reports;
        if !self.parameters.enabled
            || !lower_exists
            || early
            || self.abandoned == Some(progress.segment)
            || state.buffer > self.parameters.below
            || progress.received == 0
            || progress.received >= progress.bytes
        {
            return None;
        }
        let rate = progress.received as f64 * 8.0 / elapsed.as_secs_f64();
        let download_time = progress.bytes as f64 * 8.0 / rate;
        let media = state.set.durations.get(progress.segment).copied().unwrap_or(state.segment_duration());
        if download_time < media.as_secs_f64() * self.parameters.multiplier {
            return None;
        }
        let representations = &state.set.representations;
        let bitrate = |index: usize| representations.get(index).map(|r| r.bitrate.as_bits() as f64);
        // Abandoning pays off only if the lower representation needs fewer bytes than remain.
        let lower = state.set.highest_below(rate * safety);
        let remaining = (progress.bytes - progress.received) as f64;
        let lower_bytes = progress.bytes as f64 * bitrate(lower)? / bitrate(progress.representation)?;
        if lower >= progress.representation || remaining <= lower_bytes {
            return None;
        }
        self.abandoned = Some(progress.segment);
        Some(lower)
    }
}

#[cfg(test)]
mod tests {
    use jettison_core::Time;
    use proptest::prelude::*;

    use super::super::testing::{ladder, playing};
    use super::*;

    /// Returns the progress of a segment of 4 s at 1000 kbit/s.
    fn progress(received: u64) -> Progress {
        Progress {
            representation: 2,
            segment: 10,
            bytes: 500_000,
            received,
            requested_at: Time::from_secs(98),
            first_byte_at: Time::from_secs(98),
        }
    }

    /// Returns the verdict after five reports at 100 s, two seconds after the first byte.
    fn after(received: u64, buffer: Duration) -> Option<usize> {
        let set = ladder(&[100, 400, 1000]);
        let mut rule = AbandonRequest::new(AbandonParameters::default());
        let mut said = None;
        for _ in 0..5 {
            assert_eq!(said, None, "too few reports yet");
            said = rule.on_progress(&progress(received), &playing(&set, buffer), 0.9);
        }
        said
    }

    #[test]
    fn a_segment_slower_than_1_8_times_its_media_time_is_abandoned() {
        // 1.8 · 4 s = 7.2 s for 500,000 bytes: 138,889 bytes in two seconds.
        let buffer = Duration::from_secs(5);
        assert_eq!(after(138_800, buffer), Some(1));
        assert_eq!(after(138_900, buffer), None);
        // 10 kB in two seconds sustain the lowest at most.
        assert_eq!(after(10_000, buffer), Some(0));
    }

    #[test]
    fn with_a_full_buffer_nothing_is_abandoned() {
        assert_eq!(after(10_000, Duration::from_secs(12)), Some(0));
        assert_eq!(after(10_000, Duration::from_millis(12_001)), None);
    }

    #[test]
    fn the_remaining_bytes_must_exceed_the_lower_representation() {
        let set = ladder(&[100, 400, 1000]);
        let parameters = AbandonParameters { multiplier: 0.1, reports: 1, ..AbandonParameters::default() };
        let state = playing(&set, Duration::from_secs(5));
        let said =
            |received| AbandonRequest::new(parameters.clone()).on_progress(&progress(received), &state, 0.4);
        // The lower representation has 200,000 bytes.
        assert_eq!(said(299_999), Some(1));
        assert_eq!(said(300_000), None);
    }

    #[test]
    fn nothing_is_abandoned_in_the_first_half_second() {
        let set = ladder(&[100, 400, 1000]);
        let parameters = AbandonParameters { reports: 1, ..AbandonParameters::default() };
        let mut state = playing(&set, Duration::from_secs(5));
        let mut rule = AbandonRequest::new(parameters);
        state.now = Time::from_millis(98_499);
        assert_eq!(rule.on_progress(&progress(1000), &state, 0.9), None);
        state.now = Time::from_millis(98_500);
        assert_eq!(rule.on_progress(&progress(1000), &state, 0.9), Some(0));
    }

    #[test]
    fn a_segment_is_abandoned_at_most_once() {
        let set = ladder(&[100, 400, 1000]);
        let parameters = AbandonParameters { reports: 1, ..AbandonParameters::default() };
        let state = playing(&set, Duration::from_secs(5));
        let mut rule = AbandonRequest::new(parameters);
        assert_eq!(rule.on_progress(&progress(50_000), &state, 0.9), Some(0));
        let again = Progress { representation: 1, ..progress(1000) };
        assert_eq!(rule.on_progress(&again, &state, 0.9), None);
        let next = Progress { segment: 11, ..progress(50_000) };
        assert_eq!(rule.on_progress(&next, &state, 0.9), Some(0));
    }

    proptest! {
        #[test]
        fn the_replacement_is_a_lower_representation(
            mut kbits in proptest::collection::vec(1u64..20_000, 1..8),
            representation in 0usize..8,
            bytes in 0u64..10_000_000,
            received in 0u64..10_000_000,
            millis in 0u64..60_000,
        ) {
            kbits.sort_unstable();
            let set = ladder(&kbits);
            let representation = representation.min(kbits.len() - 1);
            let parameters = AbandonParameters { reports: 0, ..AbandonParameters::default() };
            let progress = Progress { representation, bytes, received, ..progress(0) };
            let mut state = playing(&set, Duration::from_secs(1));
            state.now = progress.first_byte_at + Duration::from_millis(millis);
            if let Some(other) = AbandonRequest::new(parameters).on_progress(&progress, &state, 0.9) {
                prop_assert!(other < representation);
            }
        }
    }
}

//! The abandon-request rule: give a segment up that comes too slowly, and fetch a lower representation in its place.
//!
//! dash.js's AbandonRequestsRule (its documentation, "AbandonRequestRule" and "Settings": `abandonDurationMultiplier`,
//! `minSegmentDownloadTimeThresholdInMs`, `minThroughputSamplesThreshold`). After half a second and some reports of
//! progress, a segment is given up if at the rate so far the whole of it takes longer than 1.8 times its media time, and if
//! the representation that this rate carries has fewer bytes than are yet to come. dash.js averages the rates of its
//! reports, each of them from the first byte on; here the last one holds, so that the choice hangs less on how often the
//! player reports.

use jettison_core::{BuildError, Duration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AbrState, Progress};

/// Parameters of the abandon-request rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AbandonParameters {
    /// Whether the rule has a say.
    pub enabled: bool,
    /// Time from the first byte before a segment is given up.
    pub grace: Duration,
    /// Reports of progress before a segment is given up.
    pub reports: u32,
    /// How many times its media time a segment may take.
    pub multiplier: f64,
    /// With more than this in the buffer, nothing is given up.
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
    pub fn validate(&self) -> Result<(), BuildError> {
        BuildError::unless(self.multiplier > 0.0 && self.multiplier.is_finite(), "multiplier", || {
            format!("{} is not a number above 0", self.multiplier)
        })
    }
}

/// Watches the segment that comes.
#[derive(Debug, Clone)]
pub struct AbandonRequest {
    parameters: AbandonParameters,
    /// The segment and representation that comes, and how many reports there were of it.
    coming: Option<(usize, usize)>,
    reports: u32,
    /// Each segment is given up once at most.
    given_up: Option<usize>,
}

impl AbandonRequest {
    /// Nothing is coming.
    pub fn new(parameters: AbandonParameters) -> AbandonRequest {
        AbandonRequest { parameters, coming: None, reports: 0, given_up: None }
    }

    /// A part came: the lower representation to fetch in its place, or `None` to let it come. `safety` is the share of the
    /// rate so far that the other one may take.
    pub fn on_progress(&mut self, progress: &Progress, state: &AbrState<'_>, safety: f64) -> Option<usize> {
        let coming = Some((progress.segment, progress.representation));
        if self.coming != coming {
            (self.coming, self.reports) = (coming, 0);
        }
        self.reports = self.reports.saturating_add(1);
        let elapsed = state.now.since(progress.first_byte_at);
        let lower_exists = progress.representation > 0;
        let early =
            elapsed.is_zero() || elapsed < self.parameters.grace || self.reports < self.parameters.reports;
        if !self.parameters.enabled
            || !lower_exists
            || early
            || self.given_up == Some(progress.segment)
            || state.buffer > self.parameters.below
            || progress.received == 0
            || progress.received >= progress.bytes
        {
            return None;
        }
        let rate = progress.received as f64 * 8.0 / elapsed.as_secs_f64();
        let whole = progress.bytes as f64 * 8.0 / rate;
        let media = state.set.durations.get(progress.segment).copied().unwrap_or(state.segment_duration());
        if whole < media.as_secs_f64() * self.parameters.multiplier {
            return None;
        }
        let representations = &state.set.representations;
        let bitrate = |place: usize| representations.get(place).map(|r| r.bitrate.as_bits() as f64);
        let other = state.set.highest_below(rate * safety);
        let remaining = (progress.bytes - progress.received) as f64;
        let others = progress.bytes as f64 * bitrate(other)? / bitrate(progress.representation)?;
        if other >= progress.representation || remaining <= others {
            return None;
        }
        self.given_up = Some(progress.segment);
        Some(other)
    }
}

#[cfg(test)]
mod tests {
    use jettison_core::Time;
    use proptest::prelude::*;

    use super::super::testing::{ladder, playing};
    use super::*;

    /// Of a segment of 4 s at 1000 kbit/s.
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

    /// What five reports at 100 s say, with two seconds since the first byte.
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
    fn a_segment_that_takes_more_than_its_time_and_four_fifths_is_given_up() {
        // 1.8 · 4 s = 7.2 s for 500,000 bytes: 138,889 bytes in two seconds.
        let buffer = Duration::from_secs(5);
        assert_eq!(after(138_800, buffer), Some(1));
        assert_eq!(after(138_900, buffer), None);
        // 10 kbyte in two seconds carry the lowest at most.
        assert_eq!(after(10_000, buffer), Some(0));
    }

    #[test]
    fn a_full_buffer_gives_nothing_up() {
        assert_eq!(after(10_000, Duration::from_secs(12)), Some(0));
        assert_eq!(after(10_000, Duration::from_millis(12_001)), None);
    }

    #[test]
    fn what_is_yet_to_come_must_outweigh_the_other_representation() {
        let set = ladder(&[100, 400, 1000]);
        let parameters = AbandonParameters { multiplier: 0.1, reports: 1, ..AbandonParameters::default() };
        let state = playing(&set, Duration::from_secs(5));
        let said =
            |received| AbandonRequest::new(parameters.clone()).on_progress(&progress(received), &state, 0.4);
        // The other one has 200,000 bytes.
        assert_eq!(said(299_999), Some(1));
        assert_eq!(said(300_000), None);
    }

    #[test]
    fn half_a_second_is_granted() {
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
    fn a_segment_is_given_up_once() {
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
        fn what_comes_in_its_place_is_lower(
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

//! The filters of the path model: a windowed maximum of rates and a windowed minimum of round-trip times.

use std::collections::VecDeque;

use jettison_core::{Duration, Rate, Time};

/// The maximum rate of the last rounds (draft §4.1.1.2, §4.1.1.5), and at least of a minimum time if one is given.
///
/// It keeps the rates that can still become the maximum when older ones expire: each is lower than the one before it.
/// So there is at most one per round, unless a minimum time is set.
#[derive(Debug, Clone)]
pub(super) struct MaxFilter {
    /// Number of rounds in the window, including the current one.
    window: u64,
    /// Minimum time for which a rate counts, independent of rounds; zero for rounds alone.
    span: Duration,
    candidates: VecDeque<Candidate>,
}

#[derive(Debug, Clone, Copy)]
struct Candidate {
    round: u64,
    at: Time,
    rate: Rate,
}

impl MaxFilter {
    pub fn new(window: u32, span: Duration) -> MaxFilter {
        let candidates = VecDeque::with_capacity(window as usize + 1);
        MaxFilter { window: u64::from(window), span, candidates }
    }

    /// Adds a sample of `round`, which must not precede that of the last sample. Removes expired samples.
    pub fn update(&mut self, round: u64, rate: Rate, now: Time) {
        while self.candidates.back().is_some_and(|last| last.rate <= rate) {
            self.candidates.pop_back();
        }
        // Of two samples of one round, the lower one can outlive the higher one only by time.
        if self.candidates.back().is_none_or(|last| last.round < round || !self.span.is_zero()) {
            self.candidates.push_back(Candidate { round, at: now, rate });
        }
        let is_old = |first: &Candidate| {
            first.round + self.window <= round && first.at.saturating_add(self.span) <= now
        };
        while self.candidates.front().is_some_and(is_old) {
            self.candidates.pop_front();
        }
    }

    /// The maximum; zero before the first sample.
    #[inline]
    pub fn highest(&self) -> Rate {
        self.candidates.front().map_or(Rate::ZERO, |first| first.rate)
    }
}

/// The minimum round-trip time of the last seconds; also times ProbeRTT (draft §4.1.2.3).
#[derive(Debug, Clone)]
pub(super) struct MinFilter {
    window: Duration,
    lowest: Option<Duration>,
    /// When `lowest` was last seen (`rtprop_stamp`).
    seen_at: Time,
    is_expired: bool,
}

impl MinFilter {
    pub fn new(window: Duration) -> MinFilter {
        MinFilter { window, lowest: None, seen_at: Time::ZERO, is_expired: false }
    }

    /// Processes an ACK, with or without an RTT sample.
    pub fn update(&mut self, sample: Option<Duration>, now: Time) {
        self.is_expired = self.lowest.is_some() && now > self.seen_at.saturating_add(self.window);
        if let Some(rtt) = sample
            && (self.is_expired || self.lowest.is_none_or(|lowest| rtt <= lowest))
        {
            self.lowest = Some(rtt);
            self.seen_at = now;
        }
    }

    /// Renews the minimum for another window (draft §4.3.5: after ProbeRTT).
    pub fn renew(&mut self, now: Time) {
        self.seen_at = now;
    }

    /// The minimum; `None` before the first sample.
    #[inline]
    pub fn lowest(&self) -> Option<Duration> {
        self.lowest
    }

    /// Whether the minimum had expired at the last ACK (`rtprop_expired`).
    #[inline]
    pub fn is_expired(&self) -> bool {
        self.is_expired
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MBIT: fn(u64) -> Rate = Rate::from_mbit;
    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn draft_4_1_1_2_the_highest_rate_of_ten_rounds_counts() {
        let mut filter = MaxFilter::new(10, Duration::ZERO);
        let mut update = |round, rate| {
            // Time does not matter: one second per round.
            filter.update(round, rate, Time::from_secs(round));
            filter.highest()
        };
        assert_eq!(update(1, MBIT(8)), MBIT(8));
        update(3, MBIT(5));
        update(3, MBIT(4));
        assert_eq!(update(7, MBIT(2)), MBIT(8));
        assert_eq!(update(10, MBIT(1)), MBIT(8), "rounds 1 to 10 are ten");
        assert_eq!(update(11, MBIT(1)), MBIT(5));
        assert_eq!(update(13, MBIT(1)), MBIT(2));
        assert_eq!(update(14, MBIT(9)), MBIT(9));
    }

    #[test]
    fn a_rate_counts_for_a_time_at_least_however_many_rounds_pass() {
        let mut filter = MaxFilter::new(10, MS(600));
        let mut update = |round, rate, ms| {
            filter.update(round, rate, Time::from_millis(ms));
            filter.highest()
        };
        update(1, MBIT(8), 0);
        update(1, MBIT(5), 15);
        assert_eq!(update(30, MBIT(1), 599), MBIT(8), "thirty short rounds are not 600 ms");
        assert_eq!(update(31, MBIT(1), 600), MBIT(5), "the lower one of the same round came later");
        assert_eq!(update(32, MBIT(1), 615), MBIT(1));
        // A rate is not forgotten before its rounds are over either.
        update(33, MBIT(4), 1000);
        assert_eq!(update(42, MBIT(1), 9000), MBIT(4));
        assert_eq!(update(43, MBIT(1), 9001), MBIT(1));
    }

    #[test]
    fn draft_4_1_1_5_the_filter_is_the_maximum_of_its_window() {
        // Compared with the definition, over a sequence without pattern.
        let mut filter = MaxFilter::new(10, Duration::ZERO);
        let mut samples = Vec::new();
        let mut state = 7u64;
        let mut round = 0;
        for _ in 0..2000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            round += (state >> 60) / 6;
            let rate = Rate::from_bits(1 + ((state >> 40) & 0xff));
            samples.push((round, rate));
            filter.update(round, rate, Time::ZERO);
            let expected = samples.iter().filter(|(at, _)| at + 10 > round).map(|(_, rate)| *rate).max();
            assert_eq!(Some(filter.highest()), expected);
            assert!(filter.candidates.len() <= 10 && filter.candidates.capacity() == 11, "no allocation");
        }
    }

    #[test]
    fn draft_4_1_2_3_the_lowest_rtt_holds_for_ten_seconds_after_it_was_last_seen() {
        let mut filter = MinFilter::new(Duration::from_secs(10));
        filter.update(Some(MS(30)), Time::from_secs(20));
        assert!(!filter.is_expired(), "nothing was known that could be old");
        filter.update(Some(MS(20)), Time::from_secs(21));
        filter.update(Some(MS(25)), Time::from_secs(22));
        assert_eq!(filter.lowest(), Some(MS(20)));
        filter.update(Some(MS(20)), Time::from_secs(24));
        filter.update(Some(MS(25)), Time::from_secs(34));
        assert_eq!((filter.lowest(), filter.is_expired()), (Some(MS(20)), false), "the same again renews it");
        filter.update(None, Time::from_millis(34_001));
        assert_eq!((filter.lowest(), filter.is_expired()), (Some(MS(20)), true));
        filter.update(Some(MS(25)), Time::from_millis(34_002));
        assert_eq!((filter.lowest(), filter.is_expired()), (Some(MS(25)), true));
        filter.update(Some(MS(26)), Time::from_millis(34_003));
        assert_eq!((filter.lowest(), filter.is_expired()), (Some(MS(25)), false));
    }
}

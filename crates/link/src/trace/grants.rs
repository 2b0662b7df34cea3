//! Grants of a base station to one user: a number of bytes per transmission time interval of a millisecond.

use jettison_core::{Bytes, Time};
use thiserror::Error;

/// Nanoseconds per transmission time interval.
const TTI_NANOS: u64 = 1_000_000;

/// Bytes granted in each transmission time interval (TTI) of 1 ms, repeated for ever.
///
/// Interval k lasts from k to k + 1 ms. The source gives the bytes of a stretch of intervals (a batch of a base
/// station's trace, a second of a drive test); they are spread over the stretch as evenly as whole bytes allow: the
/// first j of n intervals have ⌊bytes · j / n⌋ of them, so no byte is lost and rounding errors do not accumulate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grants {
    /// The first interval of each stretch, followed by the period.
    starts: Vec<u32>,
    /// Bytes granted in a round before each stretch, followed by the bytes of a whole round.
    before: Vec<u64>,
}

/// Bytes spread over a number of intervals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch {
    /// Number of intervals; 0 makes the stretch empty.
    pub ttis: u32,
    /// Total bytes of all intervals.
    pub bytes: u64,
}

/// Grants that a link cannot use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum GrantsError {
    /// No bytes are granted.
    #[error("a trace must grant at least 1 byte, got 0")]
    Nothing,
    /// The number of intervals exceeds 32 bits, or the number of bytes 64 bits.
    #[error("a trace must last at most {} ms (49 days) and grant less than 2^64 bytes per round", u32::MAX)]
    TooLong,
}

/// Distribution of a stretch's bytes: each interval has `each`, and `more` of the `ttis` have one more.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spread {
    pub(crate) ttis: u64,
    pub(crate) each: u64,
    pub(crate) more: u64,
}

impl Grants {
    /// Concatenates stretches.
    pub fn of(stretches: impl IntoIterator<Item = Stretch>) -> Result<Grants, GrantsError> {
        let (mut starts, mut before) = (vec![0u32], vec![0u64]);
        let (mut end, mut total, mut idle) = (0u32, 0u64, false);
        for stretch in stretches.into_iter().filter(|stretch| stretch.ttis > 0) {
            // Merge stretches without a grant, so a search for the next grant skips them in one step.
            if idle && stretch.bytes == 0 {
                starts.pop();
                before.pop();
            }
            idle = stretch.bytes == 0;
            end = end.checked_add(stretch.ttis).ok_or(GrantsError::TooLong)?;
            total = total.checked_add(stretch.bytes).ok_or(GrantsError::TooLong)?;
            starts.push(end);
            before.push(total);
        }
        if total == 0 { Err(GrantsError::Nothing) } else { Ok(Grants { starts, before }) }
    }

    /// Number of intervals (milliseconds) per round.
    pub fn period(&self) -> u64 {
        self.starts.last().map_or(0, |end| u64::from(*end))
    }

    /// Bytes per round.
    pub fn total(&self) -> u64 {
        self.before.last().copied().unwrap_or(0)
    }

    /// The stretches of a round; adjacent stretches without a grant are merged.
    pub fn stretches(&self) -> impl Iterator<Item = Stretch> + '_ {
        let ttis = self.starts.windows(2).map(|pair| pair[1] - pair[0]);
        let bytes = self.before.windows(2).map(|pair| pair[1] - pair[0]);
        ttis.zip(bytes).map(|(ttis, bytes)| Stretch { ttis, bytes })
    }

    /// Bytes granted in the first `ttis` intervals, over all rounds from time zero.
    pub fn granted_before(&self, ttis: u64) -> u64 {
        let rest = (ttis % self.period()) as u32; // below the period, which 32 bits hold
        let at = self.stretch_at(rest);
        let of_round = self.before[at] + self.spread(at).first(u64::from(rest - self.starts[at]));
        (ttis / self.period()).saturating_mul(self.total()).saturating_add(of_round)
    }

    /// Bytes of the intervals that begin in `[from, to)`.
    pub fn between(&self, from: Time, to: Time) -> Bytes {
        let before = |at: Time| self.granted_before(at.as_nanos().div_ceil(TTI_NANOS));
        Bytes::new(before(to).saturating_sub(before(from)))
    }

    /// The largest grant in bytes.
    pub fn largest(&self) -> u64 {
        (0..self.starts.len() - 1).map(|at| self.spread(at).largest()).max().unwrap_or(0)
    }

    /// The grants of `ttis` intervals of a round from interval `from` on; `None` if the round is shorter.
    pub fn cut(&self, from: u32, ttis: u32) -> Option<Result<Grants, GrantsError>> {
        let to = from.checked_add(ttis).filter(|to| u64::from(*to) <= self.period())?;
        let parts = self.starts.windows(2).filter_map(|pair| {
            let (begin, end) = (pair[0].max(from), pair[1].min(to));
            let bytes = |until: u32| self.granted_before(u64::from(until));
            (begin < end).then(|| Stretch { ttis: end - begin, bytes: bytes(end) - bytes(begin) })
        });
        Some(Grants::of(parts))
    }

    /// Number of stretches.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Index of the stretch that contains interval `tti` of a round, which must be below the period.
    pub(crate) fn stretch_at(&self, tti: u32) -> usize {
        self.starts.partition_point(|start| *start <= tti).saturating_sub(1).min(self.len() - 1)
    }

    /// First interval of a stretch.
    pub(crate) fn start(&self, stretch: usize) -> u32 {
        self.starts[stretch]
    }

    /// Distribution of a stretch's bytes.
    pub(crate) fn spread(&self, stretch: usize) -> Spread {
        let ttis = u64::from(self.starts[stretch + 1] - self.starts[stretch]);
        let bytes = self.before[stretch + 1] - self.before[stretch];
        Spread { ttis, each: bytes / ttis, more: bytes % ttis }
    }
}

impl Spread {
    /// Bytes of the first `ttis` intervals. The product fits 64 bits: both factors are below 2³².
    fn first(self, ttis: u64) -> u64 {
        self.each * ttis + self.more * ttis / self.ttis
    }

    /// Bytes of interval `tti`, from 0.
    pub(crate) fn grant(self, tti: u64) -> u64 {
        self.first(tti + 1) - self.first(tti)
    }

    /// The largest grant in bytes.
    fn largest(self) -> u64 {
        self.each + u64::from(self.more > 0)
    }

    /// The first interval from `tti` on with more than `least` bytes.
    pub(crate) fn next_above(self, tti: u64, least: u64) -> Option<u64> {
        if self.each > least {
            return Some(tti);
        }
        if self.largest() <= least {
            return None;
        }
        // The next interval with one of the remaining bytes: the smallest j with ⌊more · (j + 1) / n⌋ above
        // ⌊more · tti / n⌋. It exists because more · n / n is above.
        let had = self.more * tti / self.ttis;
        Some(((had + 1) * self.ttis).div_ceil(self.more) - 1)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn grants(stretches: &[(u32, u64)]) -> Grants {
        Grants::of(stretches.iter().map(|(ttis, bytes)| Stretch { ttis: *ttis, bytes: *bytes })).unwrap()
    }

    fn each(grants: &Grants, ttis: u64) -> Vec<u64> {
        (0..ttis).map(|tti| grants.granted_before(tti + 1) - grants.granted_before(tti)).collect()
    }

    #[test]
    fn a_stretch_is_spread_evenly_and_keeps_its_remainder() {
        assert_eq!(each(&grants(&[(4, 10)]), 8), [2, 3, 2, 3, 2, 3, 2, 3]);
        assert_eq!(each(&grants(&[(3, 2), (2, 0), (1, 7)]), 6), [0, 1, 1, 0, 0, 7]);
    }

    #[test]
    fn intervals_are_assigned_by_their_start() {
        let grants = grants(&[(1, 100), (1, 20), (1, 3)]);
        let between = |from, to| grants.between(Time::from_micros(from), Time::from_micros(to)).get();
        assert_eq!(between(0, 1), 100);
        assert_eq!(between(1, 1_000), 0);
        assert_eq!(between(1_000, 2_001), 23);
        assert_eq!(between(0, 7_500), 2 * 123 + 100 + 20);
    }

    #[test]
    fn stretches_without_a_grant_become_one() {
        let grants = grants(&[(3, 0), (2, 0), (5, 5), (0, 9), (1, 0), (1, 0)]);
        let zero = |ttis| Stretch { ttis, bytes: 0 };
        assert_eq!(grants.stretches().collect::<Vec<_>>(), [zero(5), Stretch { ttis: 5, bytes: 5 }, zero(2)]);
    }

    #[test]
    fn empty_and_too_long_traces_are_refused() {
        assert_eq!(Grants::of([]), Err(GrantsError::Nothing));
        assert_eq!(Grants::of([Stretch { ttis: 5, bytes: 0 }]), Err(GrantsError::Nothing));
        let long = Stretch { ttis: u32::MAX, bytes: 1 };
        assert_eq!(Grants::of([long, long]), Err(GrantsError::TooLong));
        assert!(Grants::of([long]).is_ok());
    }

    #[test]
    fn a_cut_has_the_bytes_of_its_intervals() {
        let whole = grants(&[(10, 100), (10, 0), (10, 55)]);
        assert_eq!(whole.cut(5, 20).unwrap().unwrap().total(), 50 + 27);
        assert_eq!(whole.cut(0, 30).unwrap().unwrap(), whole);
        assert_eq!(whole.cut(10, 10), Some(Err(GrantsError::Nothing)));
        assert_eq!(whole.cut(10, 21), None);
    }

    proptest! {
        #[test]
        fn the_next_grant_above_a_size_is_the_first_one(
            ttis in 1u64..40, bytes in 0u64..200, from in 0u64..40, least in 0u64..12,
        ) {
            prop_assume!(from < ttis);
            let spread = Spread { ttis, each: bytes / ttis, more: bytes % ttis };
            let wanted = (from..ttis).find(|tti| spread.grant(*tti) > least);
            prop_assert_eq!(spread.next_above(from, least), wanted);
        }

        #[test]
        fn no_byte_is_lost_in_spreading(stretches in prop::collection::vec((1u32..20, 0u64..5_000), 1..20)) {
            prop_assume!(stretches.iter().any(|(_, bytes)| *bytes > 0));
            let grants = grants(&stretches);
            let total: u64 = stretches.iter().map(|(_, bytes)| bytes).sum();
            prop_assert_eq!(each(&grants, grants.period()).iter().sum::<u64>(), total);
            let mut from = 0;
            for (ttis, bytes) in stretches {
                let part = grants.granted_before(from + u64::from(ttis)) - grants.granted_before(from);
                prop_assert_eq!(part, bytes);
                from += u64::from(ttis);
            }
        }
    }
}

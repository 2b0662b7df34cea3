//! Max-min fair share of a stream, and the arrival rates that it is computed from.

use jettison_core::{Bytes, Duration, Rate, Time};

/// Number of buckets in a window of arrivals.
const BUCKETS: usize = 10;

/// The window of arrival rates, in ten parts, common to all streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArrivalWindow {
    /// Nanoseconds per part.
    part: u64,
}

impl ArrivalWindow {
    /// Creates a window of at least ten nanoseconds.
    pub fn new(window: Duration) -> ArrivalWindow {
        ArrivalWindow { part: (window.as_nanos() / BUCKETS as u64).max(1) }
    }

    /// Index of the part that contains `now`.
    #[inline]
    fn part_of(self, now: Time) -> u64 {
        now.as_nanos() / self.part
    }

    /// The time covered by the buckets: the elapsed time of the current part, and the nine parts before it.
    #[inline]
    fn span(self, now: Time) -> Duration {
        let whole = self.part.saturating_mul(BUCKETS as u64 - 1);
        Duration::from_nanos(whole.saturating_add(now.as_nanos() % self.part))
    }
}

/// The arrival rate of a stream, in constant state.
#[derive(Debug, Clone, Copy, Default)]
pub struct ArrivalRate {
    buckets: [u64; BUCKETS],
    sum: u64,
    /// The part of time that the newest bucket counts.
    part: u64,
}

impl ArrivalRate {
    /// Records the arrival of `length` bytes.
    #[inline]
    pub fn arrived(&mut self, length: u16, window: ArrivalWindow, now: Time) {
        self.advance(window.part_of(now));
        self.buckets[(self.part % BUCKETS as u64) as usize] += u64::from(length);
        self.sum += u64::from(length);
    }

    /// The arrival rate over the window.
    #[inline]
    pub fn rate(&mut self, window: ArrivalWindow, now: Time) -> Rate {
        if self.sum == 0 {
            return Rate::ZERO;
        }
        self.advance(window.part_of(now));
        Rate::of(Bytes::new(self.sum), window.span(now))
    }

    /// Clears the buckets of past parts.
    #[inline]
    fn advance(&mut self, part: u64) {
        let passed = part.saturating_sub(self.part);
        if passed >= BUCKETS as u64 {
            *self = ArrivalRate { part, ..ArrivalRate::default() };
            return;
        }
        for _ in 0..passed {
            self.part += 1;
            self.sum -= std::mem::take(&mut self.buckets[(self.part % BUCKETS as u64) as usize]);
        }
    }
}

/// Max-min fair share of `capacity` for a stream with unlimited demand, next to streams with the demands `others`.
///
/// The result is the water level: streams with smaller demand get their demand, and the rest of the capacity is shared
/// equally. Each round finds more streams with a demand below the level, so the level only rises; rounds are few.
pub fn max_min_share(capacity: Rate, others: &[Rate]) -> Rate {
    let mut level = 0;
    let mut served = 0;
    loop {
        let (mut count, mut sum) = (0, 0u128);
        for other in others.iter().filter(|other| other.as_bits() <= level) {
            count += 1;
            sum += u128::from(other.as_bits());
        }
        let sharing = (others.len() - count + 1) as u128;
        // Satisfied streams demand no more than the previous level, so the subtraction leaves room for all.
        let next = u128::from(capacity.as_bits()).saturating_sub(sum) / sharing;
        let next = u64::try_from(next).unwrap_or(u64::MAX);
        if count == served && level > 0 || next <= level {
            return Rate::from_bits(next.max(level));
        }
        (level, served) = (next, count);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const WINDOW: Duration = Duration::from_millis(100);

    fn ms(n: u64) -> Time {
        Time::from_millis(n)
    }

    fn mbit(others: &[u64]) -> Vec<Rate> {
        others.iter().map(|other| Rate::from_mbit(*other)).collect()
    }

    #[test]
    fn arrival_rates_are_measured_over_a_100_ms_window() {
        let (window, mut arrivals) = (ArrivalWindow::new(WINDOW), ArrivalRate::default());
        assert_eq!(arrivals.rate(window, ms(5)), Rate::ZERO);
        (0..1000).for_each(|t| arrivals.arrived(1000, window, ms(t)));
        assert_eq!(arrivals.rate(window, ms(1000)), Rate::from_mbit(8));
        // Half of the window has passed, then all of it.
        assert_eq!(arrivals.rate(window, ms(1050)).as_bits() / 100_000, 35);
        assert_eq!(arrivals.rate(window, ms(1095)).as_bits(), 0);
        assert_eq!(arrivals.sum, 0);
    }

    #[test]
    fn a_single_stream_has_the_whole_bandwidth() {
        assert_eq!(max_min_share(Rate::from_mbit(7), &[]), Rate::from_mbit(7));
        assert_eq!(max_min_share(Rate::from_mbit(7), &[Rate::ZERO; 3]), Rate::from_mbit(7));
    }

    #[test]
    fn several_streams_have_their_max_min_fair_share() {
        // A textbook case: demands of 2, 2.6 and 4 out of 10; the stream in question has unlimited demand.
        let share = |capacity, others: &[u64]| max_min_share(Rate::from_mbit(capacity), &mbit(others));
        assert_eq!(share(10, &[100]), Rate::from_mbit(5));
        assert_eq!(share(10, &[2]), Rate::from_mbit(8));
        assert_eq!(share(12, &[2, 100]), Rate::from_mbit(5));
        assert_eq!(share(12, &[1, 2, 100]), Rate::from_bits(4_500_000));
        assert_eq!(share(0, &[1, 2]), Rate::ZERO);
    }

    /// The allocation of each stream at that level.
    fn allocation(level: Rate, wants: &[Rate]) -> Vec<u64> {
        wants.iter().map(|want| want.min(&level).as_bits()).collect()
    }

    proptest! {
        #[test]
        fn the_share_is_max_min_fair(
            capacity in 0u64..50_000_000,
            wants in prop::collection::vec(prop_oneof![3 => 0u64..20_000_000, 1 => 0u64..2000], 0..40),
        ) {
            let others: Vec<Rate> = wants.iter().map(|want| Rate::from_bits(*want)).collect();
            let level = max_min_share(Rate::from_bits(capacity), &others);
            let given = allocation(level, &others);
            let sum = given.iter().sum::<u64>() + level.as_bits();
            // The allocations do not exceed the capacity, and use all of it except a rounding error of one bit per
            // stream.
            prop_assert!(sum <= capacity);
            prop_assert!(sum + others.len() as u64 + 1 > capacity);
            // A stream that gets less than its demand gets as much as any other.
            for (given, want) in given.iter().zip(&others) {
                prop_assert!(*given == want.as_bits() || *given == level.as_bits());
            }
        }

        #[test]
        fn no_stream_gains_by_asking_for_more_than_its_share(
            capacity in 1u64..50_000_000,
            wants in prop::collection::vec(0u64..20_000_000, 1..20), more in 0u64..20_000_000,
        ) {
            // The first of the others raises its demand: it gets no more than with unlimited demand.
            let capacity = Rate::from_bits(capacity);
            let others: Vec<Rate> = wants.iter().map(|want| Rate::from_bits(*want)).collect();
            let level = max_min_share(capacity, &others);
            let mut greedy = others.clone();
            greedy[0] = Rate::from_bits(wants[0] + more);
            let after = max_min_share(capacity, &greedy);
            // Only that stream gains from it, and at most up to the common level.
            prop_assert!(after <= level);
            if others[0] > level {
                prop_assert_eq!(after, level, "it had its share already");
            }
        }

        #[test]
        fn more_bandwidth_reduces_no_share(
            capacity in 0u64..50_000_000, more in 0u64..10_000_000,
            wants in prop::collection::vec(0u64..20_000_000, 0..20),
        ) {
            let others: Vec<Rate> = wants.iter().map(|want| Rate::from_bits(*want)).collect();
            let share = |bits| max_min_share(Rate::from_bits(bits), &others);
            prop_assert!(share(capacity) <= share(capacity + more));
        }
    }
}

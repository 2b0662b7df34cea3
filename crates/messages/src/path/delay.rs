//! One-way delays between two clocks, and their recent minimum.
//!
//! The receiver's clock need not agree with the sender's: only differences of delays are used, in which the offset
//! cancels.

use jettison_core::{Duration, Time};

/// An instant in nanoseconds, for signed arithmetic.
pub(crate) fn nanos(instant: Time) -> i64 {
    i64::try_from(instant.as_nanos()).unwrap_or(i64::MAX)
}

/// A duration in signed nanoseconds.
pub(crate) fn span(duration: Duration) -> i64 {
    i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX)
}

/// The one-way delay in nanoseconds, up to the offset of the clocks.
pub(super) fn one_way_delay(sent_at: Time, arrived_at: Time) -> i64 {
    nanos(arrived_at).saturating_sub(nanos(sent_at))
}

/// The lowest delay of the last `N` spans of `width` (RFC 6817 §3.4.2, BASE_HISTORY).
#[derive(Debug, Clone)]
pub(super) struct BaseDelay<const N: usize> {
    width: Duration,
    /// Lowest delay of each span, the current one first; `i64::MAX` for a span without samples.
    lowest: [i64; N],
    /// End of the current span; `None` before the first sample.
    ends_at: Option<Time>,
}

impl<const N: usize> BaseDelay<N> {
    /// Creates an empty history.
    pub(super) fn new(width: Duration) -> BaseDelay<N> {
        BaseDelay { width, lowest: [i64::MAX; N], ends_at: None }
    }

    /// Adds a sample; returns the recent minimum.
    pub(super) fn update(&mut self, now: Time, delay: i64) -> i64 {
        let mut ends_at = self.ends_at.unwrap_or(now.saturating_add(self.width));
        let mut shifts = 0;
        while ends_at <= now && shifts < N {
            self.lowest.rotate_right(1);
            self.lowest[0] = i64::MAX;
            ends_at = ends_at.saturating_add(self.width);
            shifts += 1;
        }
        if ends_at <= now {
            ends_at = now.saturating_add(self.width);
        }
        self.ends_at = Some(ends_at);
        self.lowest[0] = self.lowest[0].min(delay);
        self.lowest.iter().copied().fold(i64::MAX, i64::min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rfc6817_3_4_2_the_base_delay_is_the_lowest_of_its_history() {
        let mut base = BaseDelay::<2>::new(Duration::from_secs(60));
        assert_eq!(base.update(Time::from_secs(0), 50), 50);
        assert_eq!(base.update(Time::from_secs(10), 70), 50);
        assert_eq!(base.update(Time::from_secs(70), 60), 50);
        // The sample of 50 is two spans old.
        assert_eq!(base.update(Time::from_secs(130), 80), 60);
        // After a long silence only the new sample is left.
        assert_eq!(base.update(Time::from_secs(10_000), 90), 90);
    }

    #[test]
    fn clocks_may_disagree() {
        assert_eq!(one_way_delay(Time::from_millis(100), Time::from_millis(40)), -60_000_000);
    }
}

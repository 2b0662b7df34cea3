//! `autorate-ingress`: the rate of the shaper follows the rate at which packets arrive.
//!
//! tc-cake(8) says what it does, not how. Of the details, three were measured with Linux 6.1: a higher rate counts for a quarter,
//! a lower one for 1/256 of the estimate, and the shaper is set to 15/16 of the estimate, at most every 250 ms. Linux ends a
//! window of measurement at a gap between bursts; here each window is as long as the assumed round-trip time.

use jettison_core::{Bytes, Duration, Rate, Time};

/// Least time between two changes of the shaper's rate.
const PERIOD: Duration = Duration::from_millis(250);

/// An estimate of the capacity of the link that packets came over.
#[derive(Debug, Clone)]
pub struct Autorate {
    window: Duration,
    /// Start of the present window; `None` before the first packet.
    since: Option<Time>,
    bytes: u64,
    /// Estimate in bit/s.
    estimate: f64,
    changed: Time,
}

impl Autorate {
    /// Starts at `initial`; a window lasts `window`.
    pub fn new(initial: Rate, window: Duration) -> Autorate {
        Autorate { window, since: None, bytes: 0, estimate: initial.as_bits() as f64, changed: Time::ZERO }
    }

    /// Counts an arrival. Returns the shaper's new rate when it is to change.
    #[inline]
    pub fn arrived(&mut self, bytes: u32, now: Time) -> Option<Rate> {
        let since = *self.since.get_or_insert(now);
        let elapsed = now.since(since);
        if elapsed >= self.window {
            let measured = Rate::of(Bytes::new(self.bytes), elapsed).as_bits() as f64;
            let weight = if measured > self.estimate { 1.0 / 4.0 } else { 1.0 / 256.0 };
            self.estimate += (measured - self.estimate) * weight;
            (self.since, self.bytes) = (Some(now), 0);
        }
        self.bytes += u64::from(bytes);
        if now.since(self.changed) < PERIOD {
            return None;
        }
        self.changed = now;
        Some(Rate::from_bits(((self.estimate * 15.0 / 16.0) as u64).max(1)))
    }

    /// The present estimate.
    #[cfg(test)]
    pub fn estimate(&self) -> Rate {
        Rate::from_bits(self.estimate as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Time {
        Time::from_millis(millis)
    }

    #[test]
    fn it_follows_a_higher_rate_within_windows_and_a_lower_one_slowly() {
        let mut rate = Autorate::new(Rate::from_mbit(1), Duration::from_millis(100));
        // 1,000 bytes per millisecond: 8 Mbit/s.
        for t in 0..=1_000 {
            rate.arrived(1_000, at(t));
        }
        let high = rate.estimate().as_mbit_f64();
        // Ten windows: 8 - 7·(3/4)^10.
        assert!((7.55..7.65).contains(&high), "{high}");
        for t in (1_000..=2_000).step_by(2) {
            rate.arrived(1_000, at(t));
        }
        let low = rate.estimate().as_mbit_f64();
        assert!(low < high && low > high - 0.2, "{low}");
    }

    #[test]
    fn the_shaper_changes_every_quarter_of_a_second_to_15_16_of_the_estimate() {
        let mut rate = Autorate::new(Rate::from_mbit(16), Duration::from_millis(100));
        let changes: Vec<_> =
            (0..1_000).filter_map(|t| rate.arrived(2_000, at(t)).map(|rate| (t, rate))).collect();
        assert_eq!(changes.iter().map(|change| change.0).collect::<Vec<_>>(), [250, 500, 750]);
        assert!(changes.iter().all(|change| change.1 == Rate::from_mbit(15)), "{changes:?}");
    }
}

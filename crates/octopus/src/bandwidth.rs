//! Bandwidth estimate of the link that serves a queue: the dequeue rate over a sliding window since the queue was empty.
//!
//! While packets wait, the dequeue rate equals the link's rate, so only busy time counts: an opportunity that finds
//! the queue empty clears the measurement, which restarts with the next departure. [`crate::BusyRate`] keeps what it
//! measured before.

use std::collections::VecDeque;

use jettison_core::{Bytes, Duration, Rate, Time};

/// Number of parts of the window; departures in one part are counted together, for constant state at any rate.
pub const PARTS: u64 = 1024;

/// The bandwidth `BW` of a queue's link.
///
/// The bytes of a departure count over the time until the next departure: a link of fixed rate is measured exactly,
/// and a pause in which the link did not serve waiting packets lowers the estimate.
#[derive(Debug, Clone)]
pub struct Bandwidth {
    settings: BandwidthSettings,
    /// Departures with their times, oldest first. The first may precede the window and extend into it.
    samples: VecDeque<Sample>,
    bytes: u64,
    packets: u64,
}

/// Parameters of the measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BandwidthSettings {
    /// Length of the window.
    pub window: Duration,
    /// Minimum number of departures in the window; with fewer the bandwidth is unknown.
    pub samples: u64,
    /// Extend the window into the past until it contains enough packets.
    pub stretch: bool,
}

#[derive(Debug, Clone, Copy)]
struct Sample {
    at: Time,
    bytes: u64,
    packets: u64,
}

impl Bandwidth {
    /// Creates an empty measurement.
    pub fn new(settings: BandwidthSettings) -> Bandwidth {
        Bandwidth { settings, samples: VecDeque::new(), bytes: 0, packets: 0 }
    }

    /// Records the departure of a packet of `length` bytes.
    #[inline]
    pub fn departed(&mut self, length: u16, now: Time) {
        let bytes = u64::from(length);
        self.bytes += bytes;
        self.packets += 1;
        match self.samples.back_mut() {
            Some(last) if now.since(last.at).as_nanos() <= self.settings.window.as_nanos() / PARTS => {
                last.bytes += bytes;
                last.packets += 1;
            }
            _ => {
                self.samples.push_back(Sample { at: now, bytes, packets: 1 });
                self.expire(self.window_start(now));
            }
        }
    }

    /// Ends the busy period: an opportunity found the queue empty, or a packet found the link free.
    #[inline]
    pub fn clear(&mut self) {
        self.samples.clear();
        (self.bytes, self.packets) = (0, 0);
    }

    /// The bandwidth at an opportunity; `None` while too few packets have left.
    ///
    /// Departures at `now` itself do not count yet, because no time has passed for them.
    pub fn rate(&mut self, now: Time) -> Option<Rate> {
        let window = self.window_start(now);
        self.expire(window);
        let current = self.samples.back().filter(|last| last.at >= now);
        let (bytes, packets) = match current {
            Some(current) => (self.bytes - current.bytes, self.packets - current.packets),
            None => (self.bytes, self.packets),
        };
        let first = *self.samples.front()?;
        let second = self.samples.get(1).map_or(now, |second| second.at.min(now));
        let (from, bytes) = if first.at >= window {
            (packets >= self.settings.samples).then_some((first.at, bytes))?
        } else if second > window && packets - first.packets >= self.settings.samples {
            // Of the first sample, count the part within the window.
            let (whole, part) = (second.since(first.at), second.since(window));
            let share = u128::from(first.bytes) * u128::from(part.as_nanos()) / u128::from(whole.as_nanos());
            (window, bytes - first.bytes + share as u64)
        } else {
            (self.settings.stretch && packets >= self.settings.samples).then_some((first.at, bytes))?
        };
        (now > from).then(|| Rate::of(Bytes::new(bytes), now.since(from)))
    }

    /// The same as [`Bandwidth::rate`], with nothing forgotten: for samples, which must change nothing.
    pub fn peek(&self, now: Time) -> Option<Rate> {
        self.clone().rate(now)
    }

    #[inline]
    fn window_start(&self, now: Time) -> Time {
        Time::from_nanos(now.as_nanos().saturating_sub(self.settings.window.as_nanos()))
    }

    /// Removes samples that ended before the window.
    #[inline]
    fn expire(&mut self, window: Time) {
        while let (Some(first), Some(second), Some(last)) =
            (self.samples.front(), self.samples.get(1), self.samples.back())
        {
            // The last sample may be from the current instant and not count yet.
            let spare = self.packets - first.packets - last.packets >= self.settings.samples;
            if second.at > window || (self.settings.stretch && !spare) {
                return;
            }
            (self.bytes, self.packets) = (self.bytes - first.bytes, self.packets - first.packets);
            self.samples.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: u64) -> Time {
        Time::from_millis(n)
    }

    fn bandwidth(stretch: bool) -> Bandwidth {
        Bandwidth::new(BandwidthSettings { window: Duration::from_millis(50), samples: 5, stretch })
    }

    #[test]
    fn bw_is_the_dequeue_rate_of_a_link_of_fixed_rate_exactly() {
        // 8 Mbit/s is one byte per microsecond, at any packet size.
        let (mut bandwidth, mut now) = (bandwidth(false), ms(3));
        for number in 0..500u64 {
            if number >= 5 {
                assert_eq!(bandwidth.rate(now), Some(Rate::from_mbit(8)), "at {now}");
            }
            let length = 40 + (number * 577 % 1460) as u16;
            bandwidth.departed(length, now);
            now += Duration::from_micros(u64::from(length));
        }
    }

    #[test]
    fn bw_is_over_a_sliding_50_ms() {
        let mut bandwidth = bandwidth(false);
        (0..100).for_each(|t| bandwidth.departed(1000, ms(t)));
        (50..63).for_each(|t| bandwidth.departed(500, ms(2 * t)));
        // 24 ms of 8 Mbit/s and 26 ms of 2 Mbit/s are in the window at 126 ms; the old rate is gone at 150 ms.
        assert_eq!(bandwidth.rate(ms(126)), Some(Rate::of(Bytes::new(30_500), Duration::from_millis(50))));
        (63..100).for_each(|t| bandwidth.departed(500, ms(2 * t)));
        assert_eq!(bandwidth.rate(ms(200)), Some(Rate::from_mbit(2)));
    }

    #[test]
    fn bw_takes_constant_state_at_any_rate() {
        // 125 bytes per microsecond: 1 Gbit/s.
        let mut bandwidth = bandwidth(false);
        for t in 0..200_000 {
            bandwidth.departed(125, Time::from_micros(t));
        }
        assert_eq!(bandwidth.rate(ms(200)), Some(Rate::from_mbit(1000)));
        assert!(bandwidth.samples.len() <= PARTS as usize + 2, "{}", bandwidth.samples.len());
    }

    #[test]
    fn bw_is_unlimited_with_fewer_than_five_samples() {
        let mut bandwidth = bandwidth(false);
        for t in 0..4 {
            bandwidth.departed(1000, ms(t));
            assert_eq!(bandwidth.rate(ms(t + 1)), None);
        }
        bandwidth.departed(1000, ms(4));
        assert_eq!(bandwidth.rate(ms(4)), None, "the fifth has only begun to leave");
        assert_eq!(bandwidth.rate(ms(5)), Some(Rate::from_mbit(8)));
        assert_eq!(bandwidth.rate(ms(54)), None, "only that of 4 ms is left in the window");
        assert_eq!(bandwidth.rate(ms(500)), None);
    }

    #[test]
    fn bw_may_extend_its_window_until_it_has_enough_samples() {
        let (mut strict, mut stretched) = (bandwidth(false), bandwidth(true));
        for t in 0..40 {
            strict.departed(1000, ms(20 * t));
            stretched.departed(1000, ms(20 * t));
        }
        assert_eq!(strict.rate(ms(800)), None);
        assert_eq!(stretched.rate(ms(800)), Some(Rate::from_kbit(400)));
        assert_eq!(stretched.samples.len(), 6, "no more is kept than is needed");
    }

    #[test]
    fn bw_counts_a_pause_in_which_packets_waited() {
        // 1 ms each, then nothing is served for 30 ms.
        let mut bandwidth = bandwidth(false);
        (0..100).for_each(|t| bandwidth.departed(1000, ms(t)));
        assert_eq!(bandwidth.rate(ms(129)), Some(Rate::of(Bytes::new(21_000), Duration::from_millis(50))));
    }

    #[test]
    fn bw_discounts_idle_time_because_it_is_cleared_when_the_queue_is_found_empty() {
        let mut bandwidth = bandwidth(false);
        (0..20).for_each(|t| bandwidth.departed(1000, ms(t)));
        bandwidth.clear();
        assert_eq!(bandwidth.rate(ms(30)), None);
        // 15 ms idle; then the same rate again.
        (35..40).for_each(|t| bandwidth.departed(1000, ms(t)));
        assert_eq!(bandwidth.rate(ms(40)), Some(Rate::from_mbit(8)));
    }

    #[test]
    fn departures_at_one_instant_count_over_the_time_to_the_next() {
        // A grant of four packets every 4 ms; packets within a grant do not raise the estimate.
        let mut bandwidth = bandwidth(false);
        for grant in 0..30u64 {
            for _ in 0..4 {
                if grant >= 2 {
                    assert_eq!(bandwidth.rate(ms(4 * grant)), Some(Rate::from_mbit(8)));
                }
                bandwidth.departed(1000, ms(4 * grant));
            }
        }
    }
}

//! How fast the link serves the queue: the dequeue rate over a sliding window, idle time left out.
//!
//! While something waits, what leaves is what the link can carry. So only busy time may count: an opportunity that finds
//! the queue empty clears the measurement, and it begins anew with the next packet that leaves.

use std::collections::VecDeque;

use jettison_core::{Bytes, Duration, Rate, Time};

/// Parts of the window within which departures are counted together: constant state at any rate.
pub const PARTS: u64 = 1024;

/// The bandwidth `BW` of a queue's link.
///
/// What leaves at an instant is under way until the next packet leaves, so it counts over that time: a link of fixed rate is
/// measured exactly, and a pause in which the link served nobody although packets waited counts as what it is.
#[derive(Debug, Clone)]
pub struct Bandwidth {
    settings: BandwidthSettings,
    /// What left from which instant on, oldest first. The first may lie before the window and reach into it.
    samples: VecDeque<Sample>,
    bytes: u64,
    packets: u64,
}

/// What the measurement is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BandwidthSettings {
    /// How far back it looks.
    pub window: Duration,
    /// Packets that must have left within the window; with fewer the bandwidth is unknown.
    pub samples: u64,
    /// Look back further than the window where that takes in enough packets.
    pub stretch: bool,
}

#[derive(Debug, Clone, Copy)]
struct Sample {
    at: Time,
    bytes: u64,
    packets: u64,
}

impl Bandwidth {
    /// Nothing measured yet.
    pub fn new(settings: BandwidthSettings) -> Bandwidth {
        Bandwidth { settings, samples: VecDeque::new(), bytes: 0, packets: 0 }
    }

    /// A packet of `length` bytes leaves.
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

    /// An opportunity found the queue empty, or a packet found the link free: what follows is another busy time.
    #[inline]
    pub fn clear(&mut self) {
        self.samples.clear();
        (self.bytes, self.packets) = (0, 0);
    }

    /// The bandwidth, asked at an opportunity; `None` while too few packets have left.
    ///
    /// What leaves at this very instant does not count yet: its time is still to come.
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
            // Of the first sample, the part that was under way within the window.
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

    /// Forgets what no longer reaches into the window.
    #[inline]
    fn expire(&mut self, window: Time) {
        while let (Some(first), Some(second), Some(last)) =
            (self.samples.front(), self.samples.get(1), self.samples.back())
        {
            // The last may be of the instant that it is asked at, and not count yet.
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
        // 8 Mbit/s: a byte a microsecond, whatever the sizes.
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
        // 125 bytes a microsecond: 1 Gbit/s.
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
        assert_eq!(bandwidth.rate(ms(4)), None, "the fifth is only beginning to leave");
        assert_eq!(bandwidth.rate(ms(5)), Some(Rate::from_mbit(8)));
        assert_eq!(bandwidth.rate(ms(54)), None, "only that of 4 ms is left in the window");
        assert_eq!(bandwidth.rate(ms(500)), None);
    }

    #[test]
    fn bw_may_look_back_further_for_its_samples_where_told() {
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
    fn what_leaves_at_one_instant_counts_over_the_time_to_the_next() {
        // Grants of four packets each 4 ms; while one is used up, its packets raise nothing.
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

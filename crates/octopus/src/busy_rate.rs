//! Dequeue rate over a sliding window that leaves out the time in which the queue is empty (Chen, Tahir, Mittal, §5).
//!
//! Time is busy from the arrival of a packet at the empty queue to the opportunity that finds the queue empty again. The
//! rate is the number of bytes that have left within the window, divided by the busy time within it.

use std::collections::VecDeque;

use jettison_core::{Bytes, Duration, Rate, Time};

use crate::PARTS;

/// The dequeue rate of a queue while packets wait.
///
/// The bytes of a departure count over the busy time until the next departure, so that a link of fixed rate is measured
/// exactly whenever it is asked.
#[derive(Debug, Clone)]
pub struct BusyRate {
    window: u64,
    samples: u64,
    /// Segments, oldest first. Each begins with a departure, or with an arrival that ends an idle period.
    segments: VecDeque<Segment>,
    /// Sums over all segments, without the part of the last one that has not been settled.
    total: Sums,
    /// Start of the unsettled busy time, which belongs to the last segment; `None` while the queue is idle.
    since: Option<Time>,
}

#[derive(Debug, Clone, Copy)]
struct Segment {
    from: Time,
    /// Settled end.
    to: Time,
    sums: Sums,
}

#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    bytes: u64,
    packets: u64,
    /// Busy time in nanoseconds.
    busy: u64,
}

impl BusyRate {
    /// Creates an empty measurement. With fewer than `samples` departures in the window the rate is known only if the
    /// whole window is busy.
    pub fn new(window: Duration, samples: u64) -> BusyRate {
        BusyRate {
            window: window.as_nanos(),
            samples,
            segments: VecDeque::new(),
            total: Sums::default(),
            since: None,
        }
    }

    /// Records an arrival, which ends an idle period.
    #[inline]
    pub fn arrived(&mut self, now: Time) {
        if self.since.is_none() {
            self.resume(now);
        }
    }

    /// Records the departure of a packet of `length` bytes.
    #[inline]
    pub fn departed(&mut self, length: u16, now: Time) {
        self.settle(now);
        self.resume(now);
        if let Some(last) = self.segments.back_mut() {
            last.sums.bytes += u64::from(length);
            last.sums.packets += 1;
            self.total.bytes += u64::from(length);
            self.total.packets += 1;
        }
    }

    /// Records an opportunity that finds the queue empty: an idle period begins.
    #[inline]
    pub fn found_empty(&mut self, now: Time) {
        self.settle(now);
        self.since = None;
    }

    /// The rate at an opportunity; `None` if it is unknown. Departures at `now` itself do not count yet.
    pub fn rate(&mut self, now: Time) -> Option<Rate> {
        let start = now.as_nanos().saturating_sub(self.window);
        self.expire(start);
        let running = self.since.map_or(0, |since| now.since(since).as_nanos());
        let (first, last) = (self.segments.front()?, self.segments.back()?);
        let mut sums = self.total;
        if last.from >= now {
            (sums.bytes, sums.packets) = (sums.bytes - last.sums.bytes, sums.packets - last.sums.packets);
        }
        sums.busy += running;
        if first.from.as_nanos() < start {
            // Of the first segment, only the part within the window counts.
            let is_open = self.segments.len() == 1 && self.since.is_some();
            let (to, busy) =
                if is_open { (now, first.sums.busy + running) } else { (first.to, first.sums.busy) };
            let whole = u128::from(to.since(first.from).as_nanos());
            let cut = u128::from(start - first.from.as_nanos());
            let part = |of: u64| (u128::from(of) * cut / whole) as u64;
            sums.bytes -= part(first.sums.bytes);
            sums.busy -= part(busy);
        }
        let is_known = sums.packets >= self.samples || sums.busy >= self.window;
        (is_known && sums.busy > 0).then(|| Rate::of(Bytes::new(sums.bytes), Duration::from_nanos(sums.busy)))
    }

    /// The same as [`BusyRate::rate`], with nothing forgotten: for samples, which must change nothing.
    pub fn peek(&self, now: Time) -> Option<Rate> {
        self.clone().rate(now)
    }

    /// Adds the busy time up to `now` to the last segment.
    #[inline]
    fn settle(&mut self, now: Time) {
        if let (Some(since), Some(last)) = (self.since, self.segments.back_mut()) {
            let busy = now.since(since).as_nanos();
            last.sums.busy += busy;
            last.to = now;
            self.total.busy += busy;
            self.since = Some(now);
        }
    }

    /// Begins a segment, or continues the last one if that began just now, for constant state at any rate.
    #[inline]
    fn resume(&mut self, now: Time) {
        self.since = Some(now);
        match self.segments.back_mut() {
            Some(last) if now.since(last.from).as_nanos() <= self.window / PARTS => last.to = now,
            _ => {
                self.segments.push_back(Segment { from: now, to: now, sums: Sums::default() });
                self.expire(now.as_nanos().saturating_sub(self.window));
            }
        }
    }

    /// Removes segments that ended before the window; the last one stays while it is open.
    #[inline]
    fn expire(&mut self, start: u64) {
        while let Some(first) = self.segments.front() {
            let is_open = self.segments.len() == 1 && self.since.is_some();
            if is_open || first.to.as_nanos() > start || start == 0 {
                return;
            }
            self.total.bytes -= first.sums.bytes;
            self.total.packets -= first.sums.packets;
            self.total.busy -= first.sums.busy;
            self.segments.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(n: u64) -> Time {
        Time::from_micros(n)
    }

    fn ms(n: u64) -> Time {
        Time::from_millis(n)
    }

    fn of(bytes: u64, ms: u64) -> Option<Rate> {
        Some(Rate::of(Bytes::new(bytes), Duration::from_millis(ms)))
    }

    fn busy_rate() -> BusyRate {
        BusyRate::new(Duration::from_millis(50), 1)
    }

    #[test]
    fn a_link_of_fixed_rate_is_measured_exactly() {
        // 8 Mbit/s is one byte per microsecond, at any packet size.
        let (mut rate, mut now) = (busy_rate(), ms(3));
        rate.arrived(now);
        assert_eq!(rate.rate(now), None, "nothing has left");
        for number in 0..500u64 {
            let length = 40 + (number * 577 % 1460) as u16;
            rate.departed(length, now);
            now += Duration::from_micros(u64::from(length));
            assert_eq!(rate.rate(now), Some(Rate::from_mbit(8)), "at {now}");
        }
    }

    #[test]
    fn idle_periods_within_the_window_do_not_count() {
        // Packets of 1,000 bytes take 1 ms each; bursts of five are 20 ms apart: 8 Mbit/s, at a load of a quarter.
        let mut rate = busy_rate();
        for burst in 0..10 {
            rate.arrived(ms(20 * burst));
            (0..5).for_each(|t| rate.departed(1000, ms(20 * burst + t)));
            rate.found_empty(ms(20 * burst + 5));
        }
        // Busy from 140 ms (in part: from 142 ms) to 145, 160 to 165 and 180 to 185.
        let Sums { busy, .. } = rate.total;
        assert!(busy >= 15_000_000);
        assert_eq!(rate.rate(ms(192)), Some(Rate::from_mbit(8)));
        assert_eq!(rate.rate(ms(199)), Some(Rate::from_mbit(8)));
        assert_eq!(rate.rate(ms(235)), None, "the last busy time has left the window");
    }

    #[test]
    fn it_is_bytes_over_busy_time_in_the_window() {
        let mut rate = busy_rate();
        rate.arrived(ms(0));
        (0..10).for_each(|t| rate.departed(1000, ms(t))); // 10 ms busy
        rate.found_empty(ms(10));
        rate.arrived(ms(30)); // 20 ms idle
        (0..5).for_each(|t| rate.departed(500, ms(30 + 2 * t))); // 10 ms busy
        assert_eq!(rate.rate(ms(40)), of(12_500, 20));
        // At 55 ms the window begins at 5 ms: 5,000 bytes in 5 ms, and 2,500 in 25 ms, as the last packet is under way.
        assert_eq!(rate.rate(ms(55)), of(7_500, 30));
        rate.found_empty(ms(55));
        assert_eq!(rate.rate(ms(75)), of(2_500, 25), "only the second busy period is left");
    }

    #[test]
    fn the_wait_of_a_packet_that_arrives_at_the_empty_queue_is_busy_time() {
        // Grants of 1 ms; a packet arrives 0.6 ms before a grant, which sends it and finds the queue empty.
        let mut rate = busy_rate();
        for packet in 0..5 {
            rate.arrived(us(4_000 * packet + 400));
            rate.departed(1500, ms(4 * packet + 1));
            rate.found_empty(ms(4 * packet + 1));
        }
        let five = Rate::of(Bytes::new(7_500), Duration::from_micros(3_000));
        assert_eq!(rate.rate(ms(20)), Some(five));
    }

    #[test]
    fn an_outage_in_which_packets_wait_counts() {
        let mut rate = busy_rate();
        rate.arrived(ms(0));
        (0..10).for_each(|t| rate.departed(1000, ms(t)));
        assert_eq!(rate.rate(ms(40)), of(10_000, 40));
        // The last 1,000 bytes count over all of the 91 ms since 9 ms.
        let share = 1000 - 1000 * 41 / 91;
        assert_eq!(rate.rate(ms(100)), of(share, 50));
    }

    #[test]
    fn without_a_departure_the_rate_is_known_once_the_whole_window_was_busy() {
        let mut rate = busy_rate();
        rate.arrived(ms(7));
        assert_eq!(rate.rate(ms(56)), None);
        assert_eq!(rate.rate(ms(57)), Some(Rate::ZERO));
        rate.departed(1500, ms(60));
        assert_eq!(rate.rate(ms(60)), Some(Rate::ZERO), "it has only begun to leave");
        assert_eq!(rate.rate(ms(61)), of(1_500, 50));
    }

    #[test]
    fn more_samples_may_be_required() {
        let mut rate = BusyRate::new(Duration::from_millis(50), 3);
        rate.arrived(ms(0));
        for (departed, known) in [(1, None), (2, None), (3, Some(Rate::from_mbit(8)))] {
            rate.departed(1000, ms(departed - 1));
            assert_eq!(rate.rate(ms(departed)), known);
        }
    }

    #[test]
    fn it_takes_constant_state_at_any_rate() {
        // 125 bytes of each two microseconds' first: 1 Gbit/s, idle for half of the time.
        let mut rate = busy_rate();
        for t in 0..100_000 {
            rate.arrived(us(2 * t));
            rate.departed(125, us(2 * t));
            rate.found_empty(us(2 * t + 1));
        }
        assert!(rate.segments.len() <= PARTS as usize + 2, "{}", rate.segments.len());
        let measured = rate.rate(ms(200)).expect("it is known").as_mbit_f64();
        assert!((measured / 1000.0 - 1.0).abs() < 1e-3, "{measured}");
    }

    #[test]
    fn a_sample_changes_nothing() {
        let mut rate = busy_rate();
        rate.arrived(ms(0));
        (0..90).for_each(|t| rate.departed(1000, ms(t)));
        let peeked = (rate.peek(ms(90)), rate.peek(ms(300)), rate.peek(ms(91)));
        assert_eq!(peeked.0, rate.rate(ms(90)));
        assert_eq!(peeked.2, rate.rate(ms(91)));
    }
}

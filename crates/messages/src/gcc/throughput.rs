//! The acknowledged bitrate over a window of packets, which a pause of the link does not lower.
//!
//! WebRTC's robust throughput estimator, its default since 2022 (field trial `WebRTC-Bwe-RobustThroughputEstimatorSettings`): the
//! smallest window with 20 packets and one second, at most 500 packets and 5 s. The rate is the smaller of the rates at which these
//! packets were sent and received, where the longest gap between arrivals counts as long as the second longest. Rates are in bit/s.

use std::collections::VecDeque;

use jettison_core::{Duration, Time};

/// Packets and time that the window has at least, and at most.
const LEAST: (usize, Duration) = (20, Duration::from_secs(1));
const MOST: (usize, Duration) = (500, Duration::from_secs(5));
/// Packets that a rate needs.
const REQUIRED: usize = 10;
/// Packets that arrive out of order by more than this begin a new window.
const DISORDER: Duration = Duration::from_secs(1);
/// Shortest span of a rate in seconds.
const LEAST_SPAN: f64 = 1e-3;

#[derive(Debug, Clone, Copy)]
struct Packet {
    sent_at: Time,
    arrived_at: Time,
    bytes: u64,
}

/// Estimates the acknowledged bitrate.
#[derive(Debug, Clone, Default)]
pub struct WindowedRate {
    packets: VecDeque<Packet>,
    /// Latest departure of a packet that left the window.
    forgotten: Option<Time>,
}

impl WindowedRate {
    /// Records a packet that arrived.
    pub fn arrived(&mut self, sent_at: Time, arrived_at: Time, bytes: u64) {
        let place = self.packets.partition_point(|packet| packet.arrived_at <= arrived_at);
        self.packets.insert(place, Packet { sent_at, arrived_at, bytes });
        let newest = self.packets[self.packets.len() - 1].arrived_at;
        if newest.since(arrived_at) > DISORDER {
            *self = WindowedRate::default();
            return;
        }
        while self.is_first_old(newest)
            && let Some(first) = self.packets.pop_front()
        {
            self.forgotten = self.forgotten.max(Some(first.sent_at));
        }
    }

    fn is_first_old(&self, newest: Time) -> bool {
        let Some(first) = self.packets.front() else { return false };
        let (count, span) = (self.packets.len(), newest.since(first.arrived_at));
        count > MOST.0 || span > MOST.1 || (count > LEAST.0 && span > LEAST.1)
    }

    /// The estimate; `None` before ten packets.
    pub fn rate(&self) -> Option<f64> {
        if self.packets.len() < REQUIRED {
            return None;
        }
        let bits = |bytes: u64| 8.0 * bytes as f64;
        let (first, last) = (self.packets.front()?, self.packets.back()?);
        let (mut longest, mut second, mut before) = (Duration::ZERO, Duration::ZERO, first.arrived_at);
        let (mut received, mut sent, mut count) = (0, 0, 0);
        let mut departures: Option<(Time, Packet)> = None;
        for packet in &self.packets {
            let gap = packet.arrived_at.since(before);
            before = packet.arrived_at;
            if gap > longest {
                (longest, second) = (gap, longest);
            } else {
                second = second.max(gap);
            }
            received += packet.bytes;
            // A packet that is older than one that was forgotten came late: its departure tells nothing.
            if self.forgotten.is_some_and(|at| packet.sent_at < at) {
                continue;
            }
            (sent, count) = (sent + packet.bytes, count + 1);
            let (earliest, latest) = departures.unwrap_or((packet.sent_at, *packet));
            let latest = if packet.sent_at > latest.sent_at { *packet } else { latest };
            departures = Some((earliest.min(packet.sent_at), latest));
        }
        // The first packet that arrived and the last that was sent begin and end the spans: their own bytes are outside.
        let span = last.arrived_at.since(first.arrived_at).as_secs_f64() - longest.as_secs_f64();
        let span = (span + second.as_secs_f64()).max(LEAST_SPAN);
        let received = bits(received - first.bytes) / span;
        match departures {
            Some((earliest, latest)) if count >= REQUIRED => {
                let span = latest.sent_at.since(earliest).as_secs_f64().max(LEAST_SPAN);
                Some((bits(sent - latest.bytes) / span).min(received))
            }
            _ => Some(received),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packets of 1,250 bytes sent from `from` to `to` ms, one every `gap` ms, that arrive as `arrival` says, in ms.
    fn feed(rate: &mut WindowedRate, from: u64, to: u64, gap: usize, arrival: impl Fn(u64) -> u64) {
        (from..to).step_by(gap).for_each(|ms| {
            rate.arrived(Time::from_millis(ms), Time::from_millis(arrival(ms)), 1250);
        });
    }

    #[test]
    fn it_needs_ten_packets() {
        let mut rate = WindowedRate::default();
        feed(&mut rate, 0, 90, 10, |ms| ms + 20);
        assert_eq!(rate.rate(), None);
        feed(&mut rate, 90, 100, 10, |ms| ms + 20);
        assert_eq!(rate.rate(), Some(1e6));
    }

    #[test]
    fn a_pause_of_the_link_does_not_lower_it() {
        let mut rate = WindowedRate::default();
        // From 2 s on nothing arrives for 300 ms, then everything at once.
        feed(&mut rate, 0, 3000, 10, |ms| if (2000..2300).contains(&ms) { 2300 } else { ms });
        let found = rate.rate().expect("it has packets");
        assert!((0.95e6..=1.01e6).contains(&found), "{found}");
    }

    #[test]
    fn it_is_never_above_the_rate_of_sending() {
        let mut rate = WindowedRate::default();
        // The packets of two seconds, of a queue that drains in one.
        feed(&mut rate, 0, 2000, 10, |ms| 3000 + ms / 2);
        let found = rate.rate().expect("it has packets");
        assert!((0.99e6..1.01e6).contains(&found), "{found}");
    }

    #[test]
    fn a_lasting_change_is_followed_within_a_second() {
        let mut rate = WindowedRate::default();
        feed(&mut rate, 0, 3000, 10, |ms| ms);
        feed(&mut rate, 3000, 4050, 40, |ms| ms);
        let found = rate.rate().expect("it has packets");
        assert!((0.24e6..0.27e6).contains(&found), "{found}");
    }

    #[test]
    fn the_window_is_bounded_and_disorder_ends_it() {
        let mut rate = WindowedRate::default();
        feed(&mut rate, 0, 3000, 1, |ms| ms);
        assert_eq!(rate.packets.len(), 500);
        let mut slow = WindowedRate::default();
        feed(&mut slow, 0, 60_000, 400, |ms| ms);
        assert_eq!(slow.packets.len(), 13, "5 s");
        slow.arrived(Time::from_secs(60), Time::from_secs(58), 1250);
        assert!(slow.packets.is_empty());
    }
}

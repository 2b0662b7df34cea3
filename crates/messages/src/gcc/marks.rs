//! A response to ECN marks, for GCC in low-latency queues (L4S). Not a part of WebRTC's GCC.
//!
//! RFC 9331 §4.3 asks of a sender of ECT(1) that its response is scalable: the reduction is in proportion to the share of marked
//! packets. This is DCTCP's (RFC 8257 §3.3), in rates: once per round trip alpha follows the share with a gain of 1/16, the rate
//! is multiplied by 1 − alpha/2 if anything was marked, and it grows by one packet per round trip, so that about two marks per
//! round trip balance it. GCC's own growth of 8 % per second would balance less than one mark in a hundred packets. Its response
//! to over-use, and to losses, stays.

use jettison_core::{Duration, Time};

/// Gain of alpha (RFC 8257 §3.3).
const GAIN: f64 = 1.0 / 16.0;
/// A packet in bits.
const PACKET_BITS: f64 = 1200.0 * 8.0;
/// Shortest round trip, as in TCP Prague: flows with shorter ones would react more often.
const LEAST_TRIP: Duration = Duration::from_millis(25);

/// The response.
#[derive(Debug, Clone)]
pub struct Marks {
    alpha: f64,
    since: Option<Time>,
    packets: u64,
    marked: u64,
}

impl Default for Marks {
    /// RFC 8257 §3.3: alpha starts at 1, so that the first response is that to a loss.
    fn default() -> Marks {
        Marks { alpha: 1.0, since: None, packets: 0, marked: 0 }
    }
}

impl Marks {
    /// Counts a packet.
    pub fn packet(&mut self, is_marked: bool) {
        self.packets += 1;
        self.marked += u64::from(is_marked);
    }

    /// Ends a round trip if it is over; returns the rate behind it, in bit/s. `may_grow` unless the application limits the sender.
    pub fn update(&mut self, rate: f64, may_grow: bool, now: Time, rtt: Duration) -> Option<f64> {
        let since = *self.since.get_or_insert(now);
        let trip = rtt.max(LEAST_TRIP);
        if now.since(since) < trip || self.packets == 0 {
            return None;
        }
        let share = self.marked as f64 / self.packets as f64;
        let is_marked = self.marked > 0;
        (self.since, self.packets, self.marked) = (Some(now), 0, 0);
        self.alpha += GAIN * (share - self.alpha);
        let reduced = if is_marked { rate * (1.0 - self.alpha / 2.0) } else { rate };
        let growth = if may_grow { PACKET_BITS / trip.as_secs_f64() } else { 0.0 };
        Some(reduced + growth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Duration = Duration::from_millis(50);

    /// The rate behind a round trip of 16 packets, so many of them marked, at 1 Mbit/s and without growth.
    fn trip(marks: &mut Marks, number: u64, marked: u64) -> f64 {
        (0..16).for_each(|n| marks.packet(n < marked));
        marks.update(1e6, false, Time::from_millis(50 * number), RTT).expect("a round trip is over")
    }

    fn begun() -> Marks {
        let mut marks = Marks::default();
        assert_eq!(marks.update(1e6, true, Time::ZERO, RTT), None);
        marks
    }

    #[test]
    fn rfc8257_3_3_the_rate_falls_in_proportion_to_the_marks() {
        let mut marks = begun();
        // Unmarked trips: alpha decays to nothing.
        (1..200).for_each(|n| assert_eq!(trip(&mut marks, n, 0), 1e6));
        let few = (200..400).fold(0.0, |_, n| trip(&mut marks, n, 1));
        assert!((few - 1e6 * (1.0 - 1.0 / 32.0)).abs() < 1e3, "{few}");
        let all = (400..600).fold(0.0, |_, n| trip(&mut marks, n, 16));
        assert!((all - 0.5e6).abs() < 1e3, "{all}");
    }

    #[test]
    fn rfc8257_3_3_the_first_mark_halves() {
        assert_eq!(trip(&mut begun(), 1, 16), 0.5e6);
    }

    #[test]
    fn it_grows_by_a_packet_per_round_trip() {
        let mut marks = begun();
        marks.packet(false);
        assert_eq!(marks.update(1e6, true, Time::from_millis(20), RTT), None);
        assert_eq!(marks.update(1e6, true, Time::from_millis(50), RTT), Some(1e6 + 9600.0 / 0.05));
    }
}

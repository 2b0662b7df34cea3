//! A response to ECN marks, for GCC in low-latency queues (L4S). Not a part of WebRTC's GCC.
//!
//! RFC 9331 §4.3 asks of a sender of ECT(1) that its response is scalable: the reduction is in proportion to the share of marked
//! packets. This is DCTCP's (RFC 8257 §3.3): once per round trip alpha follows the share with a gain of 1/16, and the rate is
//! multiplied by 1 − alpha/2 if anything was marked in it. Between reductions the rate grows as GCC's does, but not in a round
//! trip with marks.

use jettison_core::{Duration, Time};

/// Gain of alpha (RFC 8257 §3.3).
const GAIN: f64 = 1.0 / 16.0;
/// Shortest round trip, as in TCP Prague: flows with shorter ones would react more often.
const LEAST_TRIP: Duration = Duration::from_millis(25);

/// The response.
#[derive(Debug, Clone)]
pub struct Marks {
    alpha: f64,
    since: Option<Time>,
    packets: u64,
    marked: u64,
    /// Whether the last round trip had marks.
    is_marked: bool,
}

impl Default for Marks {
    /// RFC 8257 §3.3: alpha starts at 1, so that the first response is that to a loss.
    fn default() -> Marks {
        Marks { alpha: 1.0, since: None, packets: 0, marked: 0, is_marked: false }
    }
}

impl Marks {
    /// Counts a packet.
    pub fn packet(&mut self, is_marked: bool) {
        self.packets += 1;
        self.marked += u64::from(is_marked);
    }

    /// Ends a round trip if it is over; returns the factor on the rate, if it must fall.
    pub fn update(&mut self, now: Time, rtt: Duration) -> Option<f64> {
        let since = *self.since.get_or_insert(now);
        if now.since(since) < rtt.max(LEAST_TRIP) || self.packets == 0 {
            return None;
        }
        let share = self.marked as f64 / self.packets as f64;
        self.is_marked = self.marked > 0;
        (self.since, self.packets, self.marked) = (Some(now), 0, 0);
        self.alpha += GAIN * (share - self.alpha);
        self.is_marked.then_some(1.0 - self.alpha / 2.0)
    }

    /// Whether the rate must not grow now.
    pub fn forbids_growth(&self) -> bool {
        self.is_marked || self.marked > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Duration = Duration::from_millis(50);

    /// The factor after a round trip of 16 packets, so many of them marked.
    fn trip(marks: &mut Marks, number: u64, marked: u64) -> Option<f64> {
        (0..16).for_each(|n| marks.packet(n < marked));
        marks.update(Time::from_millis(50 * number), RTT)
    }

    #[test]
    fn rfc8257_3_3_the_rate_falls_in_proportion_to_the_marks() {
        let mut marks = Marks::default();
        marks.update(Time::ZERO, RTT);
        // Unmarked trips: alpha decays to nothing.
        (1..200).for_each(|n| assert_eq!(trip(&mut marks, n, 0), None));
        let few = (200..400).fold(None, |_, n| trip(&mut marks, n, 1)).expect("marked");
        assert!((few - (1.0 - 1.0 / 32.0)).abs() < 1e-3, "{few}");
        let all = (400..600).fold(None, |_, n| trip(&mut marks, n, 16)).expect("marked");
        assert!((all - 0.5).abs() < 1e-3, "{all}");
    }

    #[test]
    fn rfc8257_3_3_the_first_mark_nearly_halves() {
        let mut marks = Marks::default();
        marks.update(Time::ZERO, RTT);
        let factor = trip(&mut marks, 1, 16).expect("marked");
        assert_eq!(factor, 0.5);
        assert!(marks.forbids_growth());
        trip(&mut marks, 2, 0);
        assert!(!marks.forbids_growth());
    }

    #[test]
    fn it_responds_once_per_round_trip() {
        let mut marks = Marks::default();
        marks.update(Time::ZERO, RTT);
        marks.packet(true);
        assert_eq!(marks.update(Time::from_millis(20), RTT), None);
        assert!(marks.update(Time::from_millis(50), RTT).is_some());
    }
}

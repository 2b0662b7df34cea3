//! Back-off where round trips are very long: the last resort against queues of seconds, whose reports are too rare and too late.
//!
//! WebRTC's rules (field trial `WebRTC-Bwe-MaxRttLimit`, built-in defaults): while the round trip of reports is above 3 s, the
//! target falls to 0.8 of itself once a second, down to 5 kbit/s.

use jettison_core::{Duration, Time};

/// Factor and interval of the fall, and its end in bit/s.
const FRACTION: f64 = 0.8;
const INTERVAL: Duration = Duration::from_secs(1);
const FLOOR: f64 = 5_000.0;

/// The back-off.
#[derive(Debug, Clone)]
pub struct RttBackoff {
    // Parameters.
    limit: Duration,
    // State.
    sent_at: Option<Time>,
    /// Time of the last report, and its shortest round trip less the wait for the report.
    reported: Option<(Time, Duration)>,
    fell_at: Option<Time>,
    /// Bit/s, while round trips are above the limit.
    rate: Option<f64>,
}

impl RttBackoff {
    /// Creates it with the longest round trip.
    pub fn new(limit: Duration) -> RttBackoff {
        RttBackoff { limit, sent_at: None, reported: None, fell_at: None, rate: None }
    }

    /// A packet left.
    pub fn sent(&mut self, now: Time) {
        self.sent_at = Some(now);
        // Until the first report, the round trip is the time since the first packet.
        self.reported.get_or_insert((now, Duration::ZERO));
    }

    /// A report came.
    pub fn reported(&mut self, round_trip: Duration, now: Time) {
        self.reported = Some((now, round_trip));
    }

    /// Whether the round trip, which silence prolongs while packets leave, is above the limit.
    pub fn is_above_limit(&self) -> bool {
        let (Some(sent_at), Some((at, round_trip))) = (self.sent_at, self.reported) else { return false };
        sent_at.since(at).saturating_add(round_trip) > self.limit
    }

    /// Lowers `target`, in bit/s, if it is time to.
    pub fn update(&mut self, target: f64, now: Time) {
        if !self.is_above_limit() {
            self.rate = None;
            return;
        }
        let is_due = self.fell_at.is_none_or(|at| now.since(at) >= INTERVAL);
        let before = self.rate.unwrap_or(target).min(target);
        if is_due && before > FLOOR {
            self.fell_at = Some(now);
            self.rate = Some((FRACTION * before).max(FLOOR));
        }
    }

    /// The bound of the target, in bit/s; `None` while round trips are short enough.
    pub fn rate(&self) -> Option<f64> {
        self.rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trips_of_more_than_three_seconds_lower_the_target_once_a_second() {
        let mut backoff = RttBackoff::new(Duration::from_secs(3));
        backoff.sent(Time::ZERO);
        backoff.reported(Duration::from_millis(3_100), Time::from_secs(10));
        backoff.update(1e6, Time::from_secs(10));
        backoff.update(1e6, Time::from_millis(10_900));
        assert_eq!(backoff.rate(), Some(0.8e6));
        backoff.update(1e6, Time::from_secs(11));
        assert_eq!(backoff.rate().map(f64::round), Some(0.64e6));
        (12..60).for_each(|second| backoff.update(1e6, Time::from_secs(second)));
        assert_eq!(backoff.rate(), Some(5e3));
        backoff.reported(Duration::from_millis(2_900), Time::from_secs(60));
        backoff.update(1e6, Time::from_secs(60));
        assert_eq!(backoff.rate(), None);
    }

    #[test]
    fn silence_counts_only_while_packets_leave() {
        let mut backoff = RttBackoff::new(Duration::from_secs(3));
        backoff.sent(Time::ZERO);
        backoff.reported(Duration::from_millis(100), Time::from_secs(1));
        backoff.update(1e6, Time::from_secs(30));
        assert!(!backoff.is_above_limit(), "nothing was sent");
        backoff.sent(Time::from_secs(30));
        backoff.update(1e6, Time::from_secs(30));
        assert_eq!(backoff.rate(), Some(0.8e6));
    }
}

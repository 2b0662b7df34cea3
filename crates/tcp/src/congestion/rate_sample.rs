//! Delivery-rate samples (draft-cheng-iccrg-delivery-rate-estimation).
//!
//! Each segment records the delivered count at its departure. When it is delivered, the difference over the longer of
//! the send and the ACK interval is a sample of the bottleneck rate. It underestimates the rate if the application
//! left gaps (`is_app_limited`).

use jettison_core::{Bytes, Duration, Rate, Time};

/// The connection state that a segment records at its departure (draft §3.2, `P.*`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SendSnapshot {
    /// Bytes delivered so far (`P.delivered`).
    pub delivered: u64,
    /// The time of the last delivery (`P.delivered_time`).
    pub delivered_at: Time,
    /// The start of the flight that the segment belongs to (`P.first_sent_time`).
    pub first_sent_at: Time,
    /// Whether the application limited the sender (`P.is_app_limited`).
    pub is_app_limited: bool,
}

/// The segment sent last among those that one ACK delivers.
#[derive(Debug, Clone, Copy)]
pub struct DeliveredSegment {
    /// Departure time.
    pub sent_at: Time,
    /// State at departure.
    pub snapshot: SendSnapshot,
}

/// A sample of the delivery rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RateSample {
    /// Bytes delivered over `interval`.
    pub delivered: u64,
    /// The longer of the send and the ACK interval; zero if there is no sample.
    pub interval: Duration,
    /// Bytes delivered when the sampled segment left.
    pub prior_delivered: u64,
    /// Whether the application limited the sender then, so that the sample may be too low.
    pub is_app_limited: bool,
    /// The ACK interval alone; zero if there is no sample.
    pub ack_interval: Duration,
    /// Whether the sender has had nothing to send, and room in its window, since its last departure.
    pub is_sender_idle: bool,
}

impl RateSample {
    /// The delivery rate; `None` without a sample.
    pub fn rate(&self) -> Option<Rate> {
        (!self.interval.is_zero()).then(|| Rate::of(Bytes::new(self.delivered), self.interval))
    }

    /// The rate over the ACK interval alone: more than the sending rate, if a queue on the path empties.
    pub fn ack_rate(&self) -> Option<Rate> {
        (!self.ack_interval.is_zero()).then(|| Rate::of(Bytes::new(self.delivered), self.ack_interval))
    }
}

/// The connection's state of rate sampling (draft §3.1, `C.*`).
#[derive(Debug, Clone, Default)]
pub struct RateSampler {
    delivered: u64,
    delivered_at: Time,
    first_sent_at: Time,
    /// Delivered count up to which samples are app-limited; 0 for none.
    app_limited_until: u64,
    /// Delivered count that ends the current round.
    round_end: u64,
    is_idle: bool,
}

impl RateSampler {
    /// Bytes delivered so far.
    #[inline]
    pub fn delivered(&self) -> u64 {
        self.delivered
    }

    /// Whether samples are app-limited now.
    #[inline]
    pub fn is_app_limited(&self) -> bool {
        self.app_limited_until != 0
    }

    /// Records the departure of a segment with `in_flight` bytes in flight (draft §3.2, SendPacket).
    #[inline]
    pub fn on_sent(&mut self, now: Time, in_flight: u64) -> SendSnapshot {
        self.is_idle = false;
        if in_flight == 0 {
            self.first_sent_at = now;
            self.delivered_at = now;
        }
        SendSnapshot {
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent_at: self.first_sent_at,
            is_app_limited: self.app_limited_until != 0,
        }
    }

    /// The sender has no data to send although the window has room (draft §3.4).
    #[inline]
    pub fn on_app_limited(&mut self, in_flight: u64) {
        self.app_limited_until = (self.delivered + in_flight).max(1);
        self.is_idle = true;
    }

    /// The last data has left and the window has room, although the next departure may still be paced.
    #[inline]
    pub fn on_idle(&mut self) {
        self.is_idle = true;
    }

    /// Processes an ACK that delivers `bytes`, of which `newest` was sent last (draft §3.3). Also returns whether a
    /// round starts.
    #[inline]
    pub fn on_delivered(
        &mut self,
        bytes: u64,
        newest: &DeliveredSegment,
        min_rtt: Duration,
        now: Time,
    ) -> (RateSample, bool) {
        self.delivered += bytes;
        self.delivered_at = now;
        if self.app_limited_until != 0 && self.delivered > self.app_limited_until {
            self.app_limited_until = 0;
        }
        let snapshot = &newest.snapshot;
        let is_round_start = snapshot.delivered >= self.round_end;
        if is_round_start {
            self.round_end = self.delivered;
        }
        self.first_sent_at = newest.sent_at;
        let send_elapsed = newest.sent_at.since(snapshot.first_sent_at);
        let ack_elapsed = now.since(snapshot.delivered_at);
        let interval = send_elapsed.max(ack_elapsed);
        // Draft §3.3: a sample over less than the lowest RTT comes from ACK compression or a spurious retransmission.
        let is_short = min_rtt != Duration::MAX && interval < min_rtt;
        let (interval, ack_interval) =
            if is_short { (Duration::ZERO, Duration::ZERO) } else { (interval, ack_elapsed) };
        let sample = RateSample {
            delivered: self.delivered - snapshot.delivered,
            interval,
            prior_delivered: snapshot.delivered,
            is_app_limited: snapshot.is_app_limited,
            ack_interval,
            is_sender_idle: self.is_idle,
        };
        (sample, is_round_start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Duration = Duration::from_millis(20);

    #[test]
    fn samples_the_rate_of_a_steady_flow() {
        let mut sampler = RateSampler::default();
        // 1,250 bytes per millisecond are 10 Mbit/s; each is delivered an RTT later.
        let mut sent = std::collections::VecDeque::new();
        let mut in_flight = 0;
        let mut last = RateSample::default();
        for ms in 0..100u64 {
            let now = Time::from_millis(ms);
            if ms >= 20 {
                let newest = sent.pop_front().expect("one was sent 20 ms ago");
                last = sampler.on_delivered(1250, &newest, RTT, now).0;
                in_flight -= 1250;
            }
            let snapshot = sampler.on_sent(now, in_flight);
            sent.push_back(DeliveredSegment { sent_at: now, snapshot });
            in_flight += 1250;
        }
        assert_eq!(last.rate(), Some(Rate::from_mbit(10)));
        assert_eq!(last.ack_rate(), last.rate());
        assert!(!last.is_app_limited);
    }

    #[test]
    fn marks_samples_of_an_idle_application_until_they_are_delivered() {
        let mut sampler = RateSampler::default();
        let first = sampler.on_sent(Time::ZERO, 0);
        sampler.on_app_limited(1000);
        let second = sampler.on_sent(Time::from_millis(1), 1000);
        let at = |sent_at, snapshot| DeliveredSegment { sent_at, snapshot };
        let (sample, _) = sampler.on_delivered(1000, &at(Time::ZERO, first), RTT, Time::from_millis(20));
        assert!(!sample.is_app_limited);
        let (sample, _) =
            sampler.on_delivered(1000, &at(Time::from_millis(1), second), RTT, Time::from_millis(21));
        assert!(sample.is_app_limited);
        assert!(!sampler.is_app_limited(), "1,000 bytes past the mark are delivered");
    }

    #[test]
    fn discards_intervals_below_the_lowest_rtt() {
        let mut sampler = RateSampler::default();
        let snapshot = sampler.on_sent(Time::ZERO, 0);
        let newest = DeliveredSegment { sent_at: Time::ZERO, snapshot };
        let (sample, _) = sampler.on_delivered(1000, &newest, RTT, Time::from_millis(5));
        assert_eq!(sample.rate(), None);
    }

    #[test]
    fn counts_rounds_in_packets() {
        let mut sampler = RateSampler::default();
        let first = sampler.on_sent(Time::ZERO, 0);
        let second = sampler.on_sent(Time::ZERO, 1000);
        let at = |snapshot| DeliveredSegment { sent_at: Time::ZERO, snapshot };
        assert!(sampler.on_delivered(1000, &at(first), RTT, Time::from_millis(20)).1);
        assert!(!sampler.on_delivered(1000, &at(second), RTT, Time::from_millis(21)).1);
        let third = sampler.on_sent(Time::from_millis(21), 0);
        assert!(sampler.on_delivered(1000, &at(third), RTT, Time::from_millis(41)).1);
    }
}

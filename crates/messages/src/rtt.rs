//! RTT estimation and the probe timeout (RFC 9002 §5, §6.2).

use jettison_core::{Duration, Time};

/// Timer granularity (RFC 9002 §6.1.2).
pub(super) const GRANULARITY: Duration = Duration::from_millis(1);
/// Minimum time for which the lowest RTT is kept, the maximum is twice this: as TCP here (RFC 9002 §5.2 does not
/// specify it).
const MIN_RTT_WINDOW: Duration = Duration::from_secs(150);

/// SRTT, RTTVAR and the lowest RTT.
#[derive(Debug, Clone)]
pub(super) struct RttEstimator {
    initial: Duration,
    smoothed: Duration,
    variation: Duration,
    latest: Duration,
    /// Time of the first sample.
    first_at: Option<Time>,
    /// Lowest RTT since `window_began`, and in the previous window.
    min_current: Duration,
    min_previous: Duration,
    window_began: Time,
}

impl RttEstimator {
    pub fn new(initial: Duration, now: Time) -> RttEstimator {
        RttEstimator {
            initial,
            smoothed: Duration::ZERO,
            variation: Duration::ZERO,
            latest: Duration::ZERO,
            first_at: None,
            min_current: Duration::MAX,
            min_previous: Duration::MAX,
            window_began: now,
        }
    }

    /// Adds a sample (RFC 9002 §5.3).
    pub fn sample(&mut self, rtt: Duration, now: Time) {
        if self.first_at.is_none() {
            self.first_at = Some(now);
            self.smoothed = rtt;
            self.variation = rtt / 2;
        } else {
            let error = Duration::from_nanos(self.smoothed.as_nanos().abs_diff(rtt.as_nanos()));
            self.variation = self.variation - self.variation / 4 + error / 4;
            self.smoothed = self.smoothed - self.smoothed / 8 + rtt / 8;
        }
        self.latest = rtt;
        if now.since(self.window_began) > MIN_RTT_WINDOW {
            self.min_previous = self.min_current;
            self.min_current = Duration::MAX;
            self.window_began = now;
        }
        self.min_current = self.min_current.min(rtt);
    }

    /// Smoothed RTT; zero before the first sample.
    #[inline]
    pub fn smoothed(&self) -> Duration {
        self.smoothed
    }

    /// RTT variation; zero before the first sample.
    #[inline]
    pub fn variation(&self) -> Duration {
        self.variation
    }

    /// Last sample; zero before the first.
    #[inline]
    pub fn latest(&self) -> Duration {
        self.latest
    }

    /// The lowest RTT of the last minutes; `MAX` before the first sample.
    #[inline]
    pub fn minimum(&self) -> Duration {
        self.min_current.min(self.min_previous)
    }

    /// Time of the first sample.
    #[inline]
    pub fn first_at(&self) -> Option<Time> {
        self.first_at
    }

    /// RFC 9002 §6.2.1, with the initial RTT of §6.2.2 before the first sample; without back-off.
    pub fn probe_timeout(&self, max_ack_delay: Duration) -> Duration {
        let (smoothed, variation) = if self.first_at.is_some() {
            (self.smoothed, self.variation)
        } else {
            (self.initial, self.initial / 2)
        };
        smoothed.saturating_add((variation * 4).max(GRANULARITY)).saturating_add(max_ack_delay)
    }

    /// RFC 9002 §6.1.2: time after which a packet is lost, once a later one has arrived.
    #[inline]
    pub fn loss_delay(&self, time_threshold: f64) -> Duration {
        self.smoothed.max(self.latest).mul_f64(time_threshold).max(GRANULARITY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn rfc9002_6_2_2_the_first_timeout_is_about_a_second() {
        let rtt = RttEstimator::new(MS(333), Time::ZERO);
        assert_eq!(rtt.probe_timeout(Duration::ZERO), MS(999));
    }

    #[test]
    fn rfc9002_5_3_samples_are_smoothed() {
        let mut rtt = RttEstimator::new(MS(333), Time::ZERO);
        rtt.sample(MS(400), Time::ZERO);
        assert_eq!((rtt.smoothed(), rtt.variation()), (MS(400), MS(200)));
        rtt.sample(MS(480), Time::ZERO);
        assert_eq!((rtt.smoothed(), rtt.variation(), rtt.latest()), (MS(410), MS(170), MS(480)));
        assert_eq!(rtt.probe_timeout(MS(25)), MS(410 + 680 + 25));
        assert_eq!(rtt.minimum(), MS(400));
        assert_eq!(rtt.loss_delay(1.125), MS(540), "the latest, if it is above the smoothed one");
    }

    #[test]
    fn the_lowest_rtt_is_forgotten_after_minutes() {
        let mut rtt = RttEstimator::new(MS(333), Time::ZERO);
        rtt.sample(MS(10), Time::ZERO);
        rtt.sample(MS(50), Time::from_secs(160));
        assert_eq!(rtt.minimum(), MS(10));
        rtt.sample(MS(50), Time::from_secs(320));
        assert_eq!(rtt.minimum(), MS(50));
    }
}

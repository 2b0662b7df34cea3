//! RTT estimation and the retransmission timeout (RFC 6298).

use jettison_core::{Duration, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What `min_rto` bounds.
#[derive(Serialize, Deserialize, JsonSchema, Debug, Clone, Copy, PartialEq, Eq, Default)]
#[serde(rename_all = "kebab-case")]
pub enum MinRtoBounds {
    /// The variation: the timeout is SRTT and the larger of `min_rto` and four times RTTVAR, as in Linux.
    #[default]
    Variation,
    /// The timeout (RFC 6298 §2.4).
    Timeout,
}

/// Minimum time for which the lowest RTT is kept; the maximum is twice this.
const MIN_RTT_WINDOW: Duration = Duration::from_secs(150);
/// Maximum number of doublings of the timeout.
const MAX_BACK_OFF: u32 = 30;

/// SRTT, RTTVAR and RTO, in nanoseconds.
#[derive(Debug, Clone)]
pub(super) struct RttEstimator {
    // Parameters.
    min_rto: Duration,
    bounds: MinRtoBounds,
    max_rto: Duration,
    // State.
    smoothed: u64,
    variation: u64,
    latest: Duration,
    /// The timeout before back-off.
    base: Duration,
    back_off: u32,
    /// Lowest RTT since `window_began`, and in the previous window.
    min_current: Duration,
    min_previous: Duration,
    window_began: Time,
}

impl RttEstimator {
    pub fn new(
        initial_rto: Duration,
        (min_rto, bounds): (Duration, MinRtoBounds),
        max_rto: Duration,
        now: Time,
    ) -> RttEstimator {
        RttEstimator {
            min_rto,
            bounds,
            max_rto,
            smoothed: 0,
            variation: 0,
            latest: Duration::ZERO,
            base: initial_rto,
            back_off: 0,
            min_current: Duration::MAX,
            min_previous: Duration::MAX,
            window_began: now,
        }
    }

    /// Adds a sample (RFC 6298 §2.2, §2.3) and resets the back-off (§5.7, Karn).
    #[inline]
    pub fn sample(&mut self, rtt: Duration, now: Time) {
        let sample = rtt.as_nanos().max(1);
        if self.smoothed == 0 {
            self.smoothed = sample;
            self.variation = sample / 2;
        } else {
            // beta = 1/4, alpha = 1/8.
            let error = self.smoothed.abs_diff(sample);
            self.variation = self.variation - self.variation / 4 + error / 4;
            self.smoothed = self.smoothed - self.smoothed / 8 + sample / 8;
        }
        self.latest = rtt;
        self.back_off = 0;
        let variation = Duration::from_nanos((4 * self.variation).max(1));
        let smoothed = self.smoothed();
        self.base = match self.bounds {
            MinRtoBounds::Variation => smoothed + variation.max(self.min_rto),
            MinRtoBounds::Timeout => (smoothed + variation).max(self.min_rto),
        }
        .min(self.max_rto);
        self.sample_minimum(rtt, now);
    }

    /// Adds an RTT for the minimum only: that of the segment sent last, without the wait for a delayed ACK.
    #[inline]
    pub fn sample_minimum(&mut self, rtt: Duration, now: Time) {
        if now.since(self.window_began) > MIN_RTT_WINDOW {
            self.min_previous = self.min_current;
            self.min_current = Duration::MAX;
            self.window_began = now;
        }
        if rtt < self.min_current {
            self.min_current = rtt;
        }
    }

    /// Doubles the timeout (RFC 6298 §5.5).
    pub fn back_off(&mut self) {
        self.back_off = (self.back_off + 1).min(MAX_BACK_OFF);
    }

    /// Starts data transfer with 3 s, because the handshake was retransmitted (RFC 6298 §5.7).
    pub fn handshake_was_retransmitted(&mut self) {
        if self.smoothed == 0 {
            self.base = self.base.max(Duration::from_secs(3)).min(self.max_rto);
        }
        self.back_off = 0;
    }

    /// The timeout, including back-off.
    #[inline]
    pub fn rto(&self) -> Duration {
        if self.back_off == 0 {
            return self.base;
        }
        self.base.saturating_mul(1 << self.back_off).min(self.max_rto)
    }

    /// The smoothed RTT; zero before the first sample.
    #[inline]
    pub fn smoothed(&self) -> Duration {
        Duration::from_nanos(self.smoothed)
    }

    pub fn variation(&self) -> Duration {
        Duration::from_nanos(self.variation)
    }

    pub fn latest(&self) -> Duration {
        self.latest
    }

    /// The lowest RTT of the last minutes; `MAX` before the first sample.
    #[inline]
    pub fn minimum(&self) -> Duration {
        self.min_current.min(self.min_previous)
    }

    #[inline]
    pub fn has_sample(&self) -> bool {
        self.smoothed != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    fn estimator() -> RttEstimator {
        RttEstimator::new(MS(1000), (MS(200), MinRtoBounds::Timeout), Duration::from_secs(60), Time::ZERO)
    }

    #[test]
    fn as_in_linux_the_floor_is_that_of_the_variation() {
        let floor = (MS(200), MinRtoBounds::Variation);
        let mut rtt = RttEstimator::new(MS(1000), floor, Duration::from_secs(60), Time::ZERO);
        rtt.sample(MS(400), Time::ZERO);
        assert_eq!(rtt.rto(), MS(400 + 4 * 200));
        for _ in 0..50 {
            rtt.sample(MS(400), Time::ZERO);
        }
        assert_eq!(rtt.rto(), MS(400 + 200));
        rtt.back_off();
        assert_eq!(rtt.rto(), MS(1200));
    }

    #[test]
    fn rfc6298_2_2_the_first_sample_sets_srtt_and_half_of_it_as_variation() {
        let mut rtt = estimator();
        assert_eq!(rtt.rto(), MS(1000));
        rtt.sample(MS(400), Time::ZERO);
        assert_eq!((rtt.smoothed(), rtt.variation()), (MS(400), MS(200)));
        assert_eq!(rtt.rto(), MS(1200));
    }

    #[test]
    fn rfc6298_2_3_later_samples_are_smoothed() {
        let mut rtt = estimator();
        rtt.sample(MS(400), Time::ZERO);
        rtt.sample(MS(480), Time::ZERO);
        assert_eq!(rtt.variation(), MS(170));
        assert_eq!(rtt.smoothed(), MS(410));
        assert_eq!(rtt.rto(), MS(410 + 680));
    }

    #[test]
    fn rfc6298_2_4_the_timeout_has_a_floor_and_5_5_doubles_up_to_a_ceiling() {
        let mut rtt = estimator();
        for _ in 0..50 {
            rtt.sample(MS(10), Time::ZERO);
        }
        assert_eq!(rtt.rto(), MS(200));
        rtt.back_off();
        rtt.back_off();
        assert_eq!(rtt.rto(), MS(800));
        for _ in 0..40 {
            rtt.back_off();
        }
        assert_eq!(rtt.rto(), Duration::from_secs(60));
        rtt.sample(MS(10), Time::ZERO);
        assert_eq!(rtt.rto(), MS(200));
    }

    #[test]
    fn the_lowest_rtt_is_forgotten_after_minutes() {
        let mut rtt = estimator();
        rtt.sample(MS(10), Time::ZERO);
        rtt.sample(MS(50), Time::from_secs(160));
        assert_eq!(rtt.minimum(), MS(10));
        rtt.sample(MS(50), Time::from_secs(320));
        assert_eq!(rtt.minimum(), MS(50));
    }
}

//! SCReAM's queue delay: its estimate above the recent minimum, its trend, and its target.

use jettison_core::{Duration, Time};

use super::super::delay::{BaseDelay, one_way_delay};

/// Averaging factor of the fractional queue delay (RFC 8298 §4.1.1.1, QDELAY_WEIGHT).
const WEIGHT: f64 = 0.1;
/// Number of samples for the trend (§4.1.1.2, qdelay_fraction_hist).
const TREND_SAMPLES: usize = 20;
/// Number of samples for variance and average, which detect competing flows (§4.1.2.3).
const VARIANCE_SAMPLES: usize = 200;
const AVERAGE_SAMPLES: usize = 50;
/// Share of RTTs with losses above which competing flows are assumed (§4.1.2.3).
const LOSSY: f64 = 0.002;
/// Below this variance, the target may follow the delay (§4.1.2.3).
const STEADY: f64 = 0.2;

/// The estimate of the queue delay (RFC 6817 §3.4, ten minutes of history), in seconds.
#[derive(Debug, Clone)]
pub(super) struct QueueDelay {
    // Parameters.
    low: f64,
    high: f64,
    follows_competitors: bool,
    // State.
    base: BaseDelay<10>,
    /// qdelay.
    current: f64,
    /// qdelay_target.
    target: f64,
    /// qdelay_fraction_avg.
    average: f64,
    /// qdelay_fraction_hist.
    fractions: [f64; TREND_SAMPLES],
    /// qdelay_trend and qdelay_trend_mem.
    trend: f64,
    trend_memory: f64,
    /// qdelay_norm_history, the newest at `newest`.
    normalized: [f64; VARIANCE_SAMPLES],
    newest: usize,
}

impl QueueDelay {
    pub(super) fn new(low: Duration, high: Duration, follows_competitors: bool) -> QueueDelay {
        QueueDelay {
            low: low.as_secs_f64(),
            high: high.as_secs_f64(),
            follows_competitors,
            base: BaseDelay::new(Duration::from_secs(60)),
            current: 0.0,
            target: low.as_secs_f64(),
            average: 0.0,
            fractions: [0.0; TREND_SAMPLES],
            trend: 0.0,
            trend_memory: 0.0,
            normalized: [0.0; VARIANCE_SAMPLES],
            newest: 0,
        }
    }

    /// Records the arrival of a packet.
    pub(super) fn arrived(&mut self, now: Time, sent_at: Time, arrived_at: Time) {
        let delay = one_way_delay(sent_at, arrived_at);
        let base = self.base.update(now, delay);
        self.current = delay.saturating_sub(base).max(0) as f64 * 1e-9;
    }

    /// qdelay, in seconds.
    pub(super) fn current(&self) -> f64 {
        self.current
    }
    /// qdelay_target, in seconds.
    pub(super) fn target(&self) -> f64 {
        self.target
    }
    /// Whether the delay is at most the target.
    pub(super) fn is_on_target(&self) -> bool {
        self.current <= self.target
    }
    /// qdelay_trend, 0 to 1.
    pub(super) fn trend(&self) -> f64 {
        self.trend
    }
    /// qdelay_trend_mem, 0 to 1.
    pub(super) fn trend_memory(&self) -> f64 {
        self.trend_memory
    }

    /// Updates the trend after feedback (RFC 8298 §4.1.2, update_variables).
    pub(super) fn update_trend(&mut self) {
        let fraction = self.current / self.target;
        self.average += WEIGHT * (fraction - self.average);
        self.fractions.rotate_right(1);
        self.fractions[0] = fraction;
        let mean = self.fractions.iter().sum::<f64>() / TREND_SAMPLES as f64;
        let correlation = |lag: usize| -> f64 {
            self.fractions.windows(lag + 1).map(|w| (w[0] - mean) * (w[lag] - mean)).sum()
        };
        let power = correlation(0);
        let likeness = if power > 0.0 { correlation(1) / power } else { 0.0 };
        self.trend = (likeness * self.average).clamp(0.0, 1.0);
        self.trend_memory = (0.99 * self.trend_memory).max(self.trend);
    }

    /// Raises the target if competing flows fill the queue, and lowers it afterwards (RFC 8298 §4.1.2.3).
    pub(super) fn adjust_target(&mut self, loss_event_rate: f64) {
        if !self.follows_competitors {
            return;
        }
        self.newest = (self.newest + 1) % VARIANCE_SAMPLES;
        self.normalized[self.newest] = self.current / self.low;
        let mean = self.normalized.iter().sum::<f64>() / VARIANCE_SAMPLES as f64;
        let variance =
            self.normalized.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / VARIANCE_SAMPLES as f64;
        let recent: f64 = (0..AVERAGE_SAMPLES)
            .map(|age| self.normalized[(self.newest + VARIANCE_SAMPLES - age) % VARIANCE_SAMPLES])
            .sum();
        let limit = (recent / AVERAGE_SAMPLES as f64 + variance.sqrt()) * self.low;
        self.target = if loss_event_rate > LOSSY {
            1.5 * limit
        } else if variance < STEADY {
            limit
        } else if limit < self.low {
            limit.max(0.5 * self.target)
        } else {
            0.9 * self.target
        };
        self.target = self.target.clamp(self.low, self.high);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delay() -> QueueDelay {
        QueueDelay::new(Duration::from_millis(100), Duration::from_millis(400), true)
    }

    fn at(delay: &mut QueueDelay, millis: u64) {
        delay.arrived(Time::from_millis(1000), Time::ZERO, Time::from_millis(20 + millis));
        delay.update_trend();
    }

    #[test]
    fn rfc6817_3_4_the_queue_delay_is_the_excess_over_the_minimum() {
        let mut delay = delay();
        at(&mut delay, 30);
        assert_eq!(delay.current(), 0.0);
        at(&mut delay, 0);
        at(&mut delay, 45);
        assert!((delay.current() - 0.045).abs() < 1e-9);
        assert!(delay.is_on_target());
    }

    #[test]
    fn rfc8298_4_1_2_a_growing_queue_shows_in_the_trend() {
        let mut growing = delay();
        (0..40).for_each(|n| at(&mut growing, n * 3));
        assert!(growing.trend() > 0.2, "{}", growing.trend());
        let mut noisy = delay();
        (0..40).for_each(|n| at(&mut noisy, if n % 2 == 0 { 0 } else { 60 }));
        assert_eq!(noisy.trend(), 0.0);
        assert!(growing.trend_memory() >= growing.trend());
        let before = growing.trend_memory();
        (0..100).for_each(|_| at(&mut growing, 0));
        assert!(growing.trend_memory() < before);
    }

    #[test]
    fn rfc8298_4_1_2_3_losses_raise_the_target_up_to_its_limit() {
        let mut delay = delay();
        for _ in 0..300 {
            at(&mut delay, 0);
            at(&mut delay, 250);
            delay.adjust_target(0.01);
        }
        assert!((delay.target() - 0.375).abs() < 0.01, "{}", delay.target());
        for _ in 0..300 {
            at(&mut delay, 900);
            delay.adjust_target(0.01);
        }
        assert_eq!(delay.target(), 0.4);
        for _ in 0..300 {
            at(&mut delay, 0);
            delay.adjust_target(0.0);
        }
        assert_eq!(delay.target(), 0.1);
    }

    #[test]
    fn rfc8298_4_1_2_3_a_varying_delay_lowers_the_target() {
        let mut delay = delay();
        for n in 0..300u64 {
            at(&mut delay, if n % 20 < 10 { 0 } else { 380 });
            delay.adjust_target(0.0);
        }
        assert_eq!(delay.target(), 0.1);
    }

    #[test]
    fn rfc8298_4_1_2_3_the_adjustment_may_be_disabled() {
        let mut delay = QueueDelay::new(Duration::from_millis(60), Duration::from_millis(400), false);
        for _ in 0..300 {
            at(&mut delay, 300);
            delay.adjust_target(1.0);
        }
        assert_eq!(delay.target(), 0.06);
    }
}

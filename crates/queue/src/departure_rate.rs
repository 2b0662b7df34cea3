//! How fast a queue drains, measured at its departures (RFC 8033 §5.2, appendix B).

use jettison_core::{Duration, Time};

/// Average time in which [`DepartureRate::THRESHOLD`] bytes leave, from measurement cycles in which the link was
/// never idle. By Little's law, backlog over rate is the delay that an arrival faces.
#[derive(Debug, Clone, Copy, Default)]
pub struct DepartureRate {
    /// Start of the measurement that runs, and the bytes that have left in it.
    measurement: Option<(Time, u64)>,
    /// Seconds a threshold's worth takes; `None` until first measured.
    average: Option<f64>,
}

impl DepartureRate {
    /// DQ_THRESHOLD: bytes a measurement waits for, and the backlog it starts at (2^14, RFC 8033 appendix B).
    pub const THRESHOLD: u64 = 1 << 14;
    /// Weight of a new measurement: DQ_THRESHOLD / 2^16 (RFC 8033 §5.2).
    const WEIGHT: f64 = DepartureRate::THRESHOLD as f64 / 65_536.0;

    /// A packet of `length` bytes leaves and `backlog` bytes stay behind it. In the order of RFC 8033 appendix B: it is
    /// counted for the measurement that runs; then a new one may start, for which those behind it count.
    #[inline]
    pub fn departed(&mut self, length: u16, backlog: u64, now: Time) {
        if let Some((start, bytes)) = &mut self.measurement {
            *bytes += u64::from(length);
            if *bytes >= DepartureRate::THRESHOLD {
                // What left beyond the threshold is not part of the time that a threshold's worth takes.
                let share = DepartureRate::THRESHOLD as f64 / *bytes as f64;
                let sample = now.since(*start).as_secs_f64() * share;
                self.average = Some(match self.average {
                    None => sample,
                    Some(average) => sample * DepartureRate::WEIGHT + average * (1.0 - DepartureRate::WEIGHT),
                });
                self.measurement = None;
            }
        }
        if self.measurement.is_none() && backlog >= DepartureRate::THRESHOLD {
            self.measurement = Some((now, 0));
        }
    }

    /// Whether a rate was measured yet.
    #[inline]
    pub fn is_measured(&self) -> bool {
        self.average.is_some()
    }

    /// How long `backlog` bytes take to leave; zero until a rate was measured.
    #[inline]
    pub fn delay_of(&self, backlog: u64) -> Duration {
        let seconds =
            self.average.map_or(0.0, |average| average * backlog as f64 / DepartureRate::THRESHOLD as f64);
        Duration::from_secs_f64(seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packets of 1,000 bytes leave one a millisecond (8 Mbit/s) out of a backlog of `backlog` bytes.
    fn measured(backlog: u64) -> DepartureRate {
        let mut rate = DepartureRate::default();
        for t in 0..100 {
            rate.departed(1000, backlog, Time::from_millis(t));
        }
        rate
    }

    #[test]
    fn delay_is_backlog_over_measured_rate() {
        assert_eq!(measured(20_000).delay_of(20_000), Duration::from_millis(20));
    }

    #[test]
    fn measures_only_from_a_backlog_of_the_threshold() {
        // RFC 8033 §5.2: otherwise the queue might run empty within the measurement.
        assert!(!measured(DepartureRate::THRESHOLD - 1).is_measured());
        assert_eq!(measured(DepartureRate::THRESHOLD - 1).delay_of(20_000), Duration::ZERO);
        assert!(measured(DepartureRate::THRESHOLD).is_measured());
    }

    #[test]
    fn a_measurement_follows_the_one_before_at_once() {
        // RFC 8033 appendix B: the departure that ends one starts the next.
        let mut rate = DepartureRate::default();
        for t in 0..=17 {
            assert!(!rate.is_measured());
            rate.departed(1000, 20_000, Time::from_millis(t));
        }
        assert!(rate.is_measured());
        assert_eq!(rate.measurement, Some((Time::from_millis(17), 0)));
    }

    #[test]
    fn a_new_measurement_weighs_a_quarter() {
        let mut rate = measured(20_000);
        // 18 departures close a cycle: one starts it, 17 make 16,384 bytes.
        let from = 1_000_000;
        rate.measurement = None;
        for step in 0..18 {
            rate.departed(1000, 20_000, Time::from_micros(from + step * 2000));
        }
        assert_eq!(rate.delay_of(16_000), Duration::from_millis(20));
    }
}

//! Departure rate of a queue, measured at departures (RFC 8033 §5.2, appendix B).

use jettison_core::{Duration, Time};

/// Average time for [`DepartureRate::THRESHOLD`] bytes to depart, from measurement cycles without idle time. By
/// Little's law, backlog over departure rate is the queueing delay of an arrival.
#[derive(Debug, Clone, Copy, Default)]
pub struct DepartureRate {
    /// Start of the running measurement and the bytes departed since; `None` between measurements.
    measurement: Option<(Time, u64)>,
    /// Seconds per `THRESHOLD` bytes; `None` before the first measurement.
    average: Option<f64>,
}

impl DepartureRate {
    /// DQ_THRESHOLD: bytes per measurement, and the minimum backlog at its start (2^14, RFC 8033 appendix B).
    pub const THRESHOLD: u64 = 1 << 14;
    /// Weight of a new measurement: DQ_THRESHOLD / 2^16 (RFC 8033 §5.2).
    const WEIGHT: f64 = DepartureRate::THRESHOLD as f64 / 65_536.0;

    /// Records the departure of `length` bytes that leaves a backlog of `backlog` bytes. In the order of RFC 8033 appendix
    /// B: the departure counts for the running measurement; then a new measurement may start, without it.
    #[inline]
    pub fn departed(&mut self, length: u16, backlog: u64, now: Time) {
        if let Some((start, bytes)) = &mut self.measurement {
            *bytes += u64::from(length);
            if *bytes >= DepartureRate::THRESHOLD {
                // Scales the time down to exactly THRESHOLD bytes: the last packet may exceed it.
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

    /// Whether a measurement has completed.
    #[inline]
    pub fn is_measured(&self) -> bool {
        self.average.is_some()
    }

    /// Time for `backlog` bytes to depart; zero before the first measurement.
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

    /// One packet of 1,000 bytes departs per millisecond (8 Mbit/s) from a backlog of `backlog` bytes.
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
    fn measurements_follow_each_other_without_a_gap() {
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

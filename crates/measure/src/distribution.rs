//! Distributions of durations.

use hdrhistogram::Histogram;
use jettison_core::Duration;

/// A histogram of durations with three significant figures.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution {
    histogram: Histogram<u64>,
    sum: u128,
}

impl Default for Distribution {
    fn default() -> Distribution {
        let histogram =
            Histogram::new(3).expect("three significant figures are within the histogram's range");
        Distribution { histogram, sum: 0 }
    }
}

impl Distribution {
    /// Adds one value.
    #[inline]
    pub fn record(&mut self, value: Duration) {
        // The histogram grows by itself up to u64::MAX / 2.
        let in_range = self.histogram.record(value.as_nanos().min(u64::MAX / 4));
        debug_assert!(in_range.is_ok(), "an auto-resizing histogram takes every value");
        self.sum += u128::from(value.as_nanos());
    }
    /// How many values it holds.
    pub fn count(&self) -> u64 {
        self.histogram.len()
    }
    /// The exact mean; zero if empty.
    pub fn mean(&self) -> Duration {
        match self.count() {
            0 => Duration::ZERO,
            n => Duration::from_nanos((self.sum / u128::from(n)) as u64),
        }
    }
    /// The exact sum, in nanoseconds.
    pub fn sum_nanos(&self) -> u128 {
        self.sum
    }
    /// The value that `share` (0 to 1) of all values do not exceed; zero if empty.
    pub fn quantile(&self, share: f64) -> Duration {
        Duration::from_nanos(self.histogram.value_at_quantile(share))
    }
    /// The largest value; zero if empty.
    pub fn max(&self) -> Duration {
        Duration::from_nanos(self.histogram.max())
    }
    /// Adds all values of `other`.
    pub fn merge(&mut self, other: &Distribution) {
        self.histogram.add(&other.histogram).expect("a histogram that grows by itself takes any other");
        self.sum += other.sum;
    }
    /// Each value that a bucket stands for, in ascending order, with how many it holds.
    pub(crate) fn buckets(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.histogram.iter_recorded().map(|step| (step.value_iterated_to(), step.count_at_value()))
    }
    /// The sum of all values, in nanoseconds.
    pub(crate) fn sum(&self) -> u128 {
        self.sum
    }
    /// The distribution with those [`Distribution::buckets`] and that sum; `None` if a value is out of range.
    pub(crate) fn of_buckets(buckets: impl Iterator<Item = (u64, u64)>, sum: u128) -> Option<Distribution> {
        let mut distribution = Distribution { sum, ..Distribution::default() };
        for (value, count) in buckets {
            if value > u64::MAX / 2 {
                return None;
            }
            distribution.histogram.record_n(value, count).ok()?;
        }
        Some(distribution)
    }
    /// Forgets all values.
    pub fn clear(&mut self) {
        self.histogram.reset();
        self.sum = 0;
    }
    /// The cumulative distribution as `(value, share of values not above it)`, at most `points` of them.
    pub fn cdf(&self, points: usize) -> Vec<(Duration, f64)> {
        if self.count() == 0 || points == 0 {
            return Vec::new();
        }
        let mut steps = Vec::with_capacity(points);
        let shares = || (0..=points).map(|i| i as f64 / points as f64);
        // All of them in one pass: a search for each would be most of what a short run costs.
        for (share, value) in shares().zip(self.histogram.value_at_quantiles(shares())) {
            let value = Duration::from_nanos(value);
            if steps.last().is_none_or(|(last, _)| *last < value) {
                steps.push((value, share));
            } else if let Some(last) = steps.last_mut() {
                last.1 = share;
            }
        }
        steps
    }
}

/// The mean of what a distribution took in since it was last asked for: a difference of the distribution's own sums, so
/// that recording a value costs nothing more.
#[derive(Debug, Clone, Default)]
pub(crate) struct IntervalMean {
    // What the distribution held when the interval began, modulo the word: below zero once it has been cleared since.
    sum: u128,
    count: u64,
}

impl IntervalMean {
    /// Ends an interval and gives its mean; `None` if nothing was recorded in it.
    pub(crate) fn take(&mut self, distribution: &Distribution) -> Option<Duration> {
        let sum = distribution.sum.wrapping_sub(self.sum);
        let count = distribution.count().wrapping_sub(self.count);
        *self = IntervalMean { sum: distribution.sum, count: distribution.count() };
        (count > 0).then(|| Duration::from_nanos((sum / u128::from(count)) as u64))
    }

    /// The distribution is about to be cleared: what it took in since the interval began still counts.
    pub(crate) fn before_clear(&mut self, distribution: &Distribution) {
        self.sum = self.sum.wrapping_sub(distribution.sum);
        self.count = self.count.wrapping_sub(distribution.count());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_mean_and_cdf_agree() {
        let mut distribution = Distribution::default();
        (1..=1000).for_each(|ms| distribution.record(Duration::from_millis(ms)));
        assert_eq!(distribution.mean(), Duration::from_micros(500_500));
        let median = distribution.quantile(0.5).as_secs_f64();
        assert!((median - 0.5).abs() < 0.002, "{median}");
        let cdf = distribution.cdf(100);
        assert!(cdf.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 < w[1].1));
        assert_eq!(cdf.last().unwrap().1, 1.0);
    }

    #[test]
    fn a_cdf_is_that_of_its_quantiles() {
        let mut distribution = Distribution::default();
        (0..5_000u64).for_each(|n| distribution.record(Duration::from_nanos(n * n * n % 7_919_777)));
        for points in [1, 2, 7, 999] {
            for (value, share) in distribution.cdf(points) {
                assert_eq!(value, distribution.quantile(share), "{share}");
            }
            assert_eq!(distribution.cdf(points)[0].0, distribution.quantile(0.0));
        }
    }

    #[test]
    fn an_intervals_mean_is_of_that_interval_alone_and_survives_a_clearing() {
        let (mut distribution, mut interval) = (Distribution::default(), IntervalMean::default());
        assert_eq!(interval.take(&distribution), None);
        distribution.record(Duration::from_millis(2));
        distribution.record(Duration::from_millis(4));
        assert_eq!(interval.take(&distribution), Some(Duration::from_millis(3)));
        assert_eq!(interval.take(&distribution), None);
        distribution.record(Duration::from_millis(10));
        interval.before_clear(&distribution);
        distribution.clear();
        distribution.record(Duration::from_millis(30));
        assert_eq!(interval.take(&distribution), Some(Duration::from_millis(20)));
        distribution.record(Duration::from_millis(7));
        assert_eq!(interval.take(&distribution), Some(Duration::from_millis(7)));
    }

    #[test]
    fn an_empty_one_answers_zero() {
        let distribution = Distribution::default();
        assert_eq!((distribution.mean(), distribution.quantile(0.99)), (Duration::ZERO, Duration::ZERO));
        assert!(distribution.cdf(10).is_empty());
    }
}

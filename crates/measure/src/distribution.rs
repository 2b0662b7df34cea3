//! Distributions of durations.

use jettison_core::Duration;

use crate::histogram::Histogram;

/// A histogram of durations with three significant figures.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Distribution {
    histogram: Histogram,
    sum: u128,
}

impl Distribution {
    /// Adds one value.
    #[inline]
    pub fn record(&mut self, value: Duration) {
        self.histogram.record(value.as_nanos().min(u64::MAX / 4));
        self.sum += u128::from(value.as_nanos());
    }
    /// Adds `times` equal values.
    pub fn record_many(&mut self, value: Duration, times: u64) {
        let nanos = value.as_nanos().min(u64::MAX / 4);
        if self.histogram.record_many(nanos, times).is_some() {
            self.sum += u128::from(nanos) * u128::from(times);
        }
    }
    /// Number of values.
    #[inline]
    pub fn count(&self) -> u64 {
        self.histogram.count()
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
    /// The quantile `share` (0 to 1); zero if empty.
    pub fn quantile(&self, share: f64) -> Duration {
        let value = self.histogram.quantiles(std::iter::once(share)).next();
        Duration::from_nanos(value.unwrap_or_default())
    }
    /// Number of values up to `limit`, at the histogram's precision.
    pub fn at_most(&self, limit: Duration) -> u64 {
        let limit = limit.as_nanos();
        self.buckets().take_while(|(value, _)| *value <= limit).map(|(_, count)| count).sum()
    }
    /// The largest value; zero if empty.
    pub fn max(&self) -> Duration {
        Duration::from_nanos(self.histogram.max())
    }
    /// Adds all values of `other`.
    pub fn merge(&mut self, other: &Distribution) {
        self.histogram.merge(&other.histogram);
        self.sum += other.sum;
    }
    /// Representative value and count of each non-empty bucket, in ascending order.
    pub(crate) fn buckets(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.histogram.recorded()
    }
    /// The sum of all values, in nanoseconds.
    pub(crate) fn sum(&self) -> u128 {
        self.sum
    }
    /// Rebuilds a distribution from [`Distribution::buckets`] and the sum; `None` if a value is out of range.
    pub(crate) fn of_buckets(buckets: impl Iterator<Item = (u64, u64)>, sum: u128) -> Option<Distribution> {
        let mut distribution = Distribution { sum, ..Distribution::default() };
        for (value, count) in buckets {
            distribution.histogram.record_many(value, count)?;
        }
        Some(distribution)
    }
    /// Removes all values.
    pub fn clear(&mut self) {
        self.histogram.clear();
        self.sum = 0;
    }
    /// The cumulative distribution as pairs of value and cumulative share, at most `points` steps.
    pub fn cdf(&self, points: usize) -> Vec<(Duration, f64)> {
        if self.count() == 0 || points == 0 {
            return Vec::new();
        }
        let mut steps = Vec::with_capacity(points);
        let shares = || (0..=points).map(|i| i as f64 / points as f64);
        // All quantiles in one pass: separate searches would dominate the cost of a short run.
        for (share, value) in shares().zip(self.histogram.quantiles(shares())) {
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

/// Mean of a distribution per sampling interval, as a difference of the distribution's sums, at no cost per value.
#[derive(Debug, Clone, Default)]
pub(crate) struct IntervalMean {
    // Sum and count before the interval, modulo the word size: negative after a clearing within the interval.
    sum: u128,
    count: u64,
}

impl IntervalMean {
    /// Ends an interval and returns its mean; `None` if nothing was recorded.
    pub(crate) fn take(&mut self, distribution: &Distribution) -> Option<Duration> {
        let sum = distribution.sum.wrapping_sub(self.sum);
        let count = distribution.count().wrapping_sub(self.count);
        *self = IntervalMean { sum: distribution.sum, count: distribution.count() };
        (count > 0).then(|| Duration::from_nanos((sum / u128::from(count)) as u64))
    }

    /// Prepares for a clearing of the distribution, so that earlier values of the interval still count.
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
    fn the_mean_of_an_interval_is_its_own_and_survives_a_clearing() {
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
    fn values_up_to_a_limit_are_counted() {
        let mut distribution = Distribution::default();
        (1..=400).for_each(|ms| distribution.record(Duration::from_millis(ms)));
        assert_eq!(distribution.at_most(Duration::ZERO), 0);
        assert_eq!(distribution.at_most(Duration::from_millis(1_000)), 400);
        let counted = distribution.at_most(Duration::from_millis(300));
        assert!((299..=301).contains(&counted), "{counted}");
    }

    #[test]
    fn an_empty_distribution_returns_zero() {
        let distribution = Distribution::default();
        assert_eq!((distribution.mean(), distribution.quantile(0.99)), (Duration::ZERO, Duration::ZERO));
        assert!(distribution.cdf(10).is_empty());
    }
}

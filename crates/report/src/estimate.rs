//! Means over seeds and their confidence intervals.
//!
//! A few seeds give a few values, so Student's t distribution decides how far their mean may be off. It assumes symmetric
//! deviations, which values near a bound do not have: of a count with the values 0, 0, 0, 1, 3 Student's interval reaches
//! below zero, of a share near 100 % above, and on the side of the long tail it ends too early. A second interval is therefore
//! Student's on a scale on which the deviations are about symmetric and do not depend on the mean (Bartlett 1947): the square
//! root for values >= 0, the arcsine of the square root for values between two bounds. It is transformed back and moved by
//! the difference between the arithmetic mean and the transformed-back mean, so that it is an interval of the mean. That
//! difference is itself an estimate: on the side of the bound the second interval may end too early (of 0, 0, 0, 1 it never
//! reaches zero). The interval here reaches as far as the farther of the two on each side, and is cut at the bounds. Far from
//! a bound the scale is nearly linear, and both are the same but for terms of second order.
//!
//! Limits: two values leave one degree of freedom, and an interval more than twelve times as wide as the standard error
//! on either side. Equal values, all zero for instance, have an interval without width: they say nothing of rarer events.

use std::sync::OnceLock;

use jettison_measure::{Domain, statistics};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// A mean over seeds, with its confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// 95 % confidence interval; contains the mean. `None` for fewer than two values.
    pub ci95: Option<[f64; 2]>,
    /// Number of values.
    pub n: usize,
}

impl Estimate {
    /// The mean of any real `values`, such as differences, with Student's interval; `None` for no values.
    pub fn of(values: &[f64]) -> Option<Estimate> {
        Estimate::within(Domain::Real, values)
    }

    /// The mean of `values` of a domain, with an interval within it; `None` for no values. Values beyond the domain widen
    /// it, since a measured share may exceed 100 % by a packet.
    pub fn within(domain: Domain, values: &[f64]) -> Option<Estimate> {
        let n = values.len();
        let mean = statistics::mean(values)?;
        let ci95 = (n >= 2).then(|| interval(domain, values, mean));
        Some(Estimate { mean, ci95, n })
    }

    /// Half the width of the interval.
    pub fn half_width(&self) -> Option<f64> {
        self.ci95.map(|[low, high]| (high - low) / 2.0)
    }

    /// Half the width of the interval over the mean; `None` without an interval, infinite if only the mean is zero.
    pub fn relative_half_width(&self) -> Option<f64> {
        let half = self.half_width()?;
        Some(if half == 0.0 { 0.0 } else { half / self.mean.abs() })
    }

    /// Whether the interval lies on one side of `value`.
    pub fn excludes(&self, value: f64) -> bool {
        self.ci95.is_some_and(|[low, high]| low > value || high < value)
    }

    /// The difference of two independent means, with Welch's interval; the interval is `None` unless both have two values
    /// or more.
    pub(crate) fn difference(from: &[f64], to: &[f64]) -> Option<Estimate> {
        let mean = statistics::mean(to)? - statistics::mean(from)?;
        let ci95 = (from.len() >= 2 && to.len() >= 2).then(|| {
            let [a, b] = [from, to].map(squared_error);
            let squares = (a * a / (from.len() - 1) as f64) + (b * b / (to.len() - 1) as f64);
            // The degrees of freedom of Welch and Satterthwaite, between those of the smaller side and of both.
            let freedom = if squares > 0.0 { (a + b) * (a + b) / squares } else { f64::INFINITY };
            let half = if a + b > 0.0 { quantile(freedom) * (a + b).sqrt() } else { 0.0 };
            [mean - half, mean + half]
        });
        Some(Estimate { mean, ci95, n: from.len().min(to.len()) })
    }
}

/// The 95 % interval of the mean of two values or more.
fn interval(domain: Domain, values: &[f64], mean: f64) -> [f64; 2] {
    if values.iter().all(|value| *value == values[0]) {
        return [mean; 2];
    }
    let plain = student_95(values.len() - 1) * squared_error(values).sqrt();
    let domain = widened(domain, values);
    let scale = Scale::of(domain);
    let scaled: Vec<f64> = values.iter().map(|value| scale.forward(*value)).collect();
    let centre = scaled.iter().sum::<f64>() / scaled.len() as f64;
    let half = student_95(scaled.len() - 1) * squared_error(&scaled).sqrt();
    let shift = mean - scale.back(centre);
    let [least, greatest] = domain.bounds();
    // Rounding may leave the mean a last digit outside.
    let low = (scale.back(centre - half) + shift).min(mean - plain).max(least).min(mean);
    let high = (scale.back(centre + half) + shift).max(mean + plain).min(greatest).max(mean);
    [low, high]
}

/// The squared standard error of the mean.
fn squared_error(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    squares / (n - 1.0) / n
}

/// The domain, or a wider one that contains all values.
fn widened(domain: Domain, values: &[f64]) -> Domain {
    let holds = |domain: &Domain| {
        let [least, greatest] = domain.bounds();
        values.iter().all(|value| (least..=greatest).contains(value))
    };
    [domain, Domain::NonNegative].into_iter().find(holds).unwrap_or(Domain::Real)
}

/// A scale on which deviations are about symmetric.
#[derive(Clone, Copy)]
enum Scale {
    Linear,
    Root,
    /// From a bound, over a width.
    Arcsine(f64, f64),
}

impl Scale {
    fn of(domain: Domain) -> Scale {
        match domain {
            Domain::Real => Scale::Linear,
            Domain::NonNegative => Scale::Root,
            Domain::Between(low, high) => Scale::Arcsine(f64::from(low), f64::from(high) - f64::from(low)),
        }
    }

    fn forward(self, value: f64) -> f64 {
        match self {
            Scale::Linear => value,
            Scale::Root => value.sqrt(),
            Scale::Arcsine(from, width) => libm::asin(((value - from) / width).sqrt().min(1.0)),
        }
    }

    /// The inverse, continued beyond the bounds by reflection, so that an interval that reaches a bound does not jump.
    fn back(self, scaled: f64) -> f64 {
        match self {
            Scale::Linear => scaled,
            Scale::Root => scaled * scaled.abs(),
            Scale::Arcsine(from, width) => {
                let square = |angle: f64| libm::sin(angle) * libm::sin(angle);
                let right = std::f64::consts::FRAC_PI_2;
                let share = match scaled {
                    _ if scaled <= -right => -1.0,
                    _ if scaled < 0.0 => -square(scaled),
                    _ if scaled <= right => square(scaled),
                    _ if scaled < 2.0 * right => 2.0 - square(scaled),
                    _ => 2.0,
                };
                from + width * share
            }
        }
    }
}

/// The 97.5 % quantile of Student's t distribution, rounded to six decimals because further digits depend on the
/// platform's logarithms.
fn student_95(freedom: usize) -> f64 {
    // Summaries of thousands of flows ask for the same few.
    static KNOWN: [OnceLock<f64>; 64] = [const { OnceLock::new() }; 64];
    match KNOWN.get(freedom) {
        Some(known) => *known.get_or_init(|| quantile(freedom as f64)),
        None => quantile(freedom as f64),
    }
}

fn quantile(freedom: f64) -> f64 {
    // Beyond a million degrees of freedom the distribution is normal to six decimals.
    let freedom = freedom.clamp(1.0, 1e6);
    let distribution = StudentsT::new(0.0, 1.0, freedom).expect("at least one degree of freedom");
    (distribution.inverse_cdf(0.975) * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn interval_of(domain: Domain, values: &[f64]) -> [f64; 2] {
        Estimate::within(domain, values).unwrap().ci95.unwrap()
    }

    #[track_caller]
    fn assert_near(found: [f64; 2], wanted: [f64; 2]) {
        assert!((found[0] - wanted[0]).abs() < 2e-5 && (found[1] - wanted[1]).abs() < 2e-5, "{found:?}");
    }

    #[test]
    fn the_interval_of_real_values_is_students() {
        // Computed by hand: mean 6, s² = (16+4+0+4+16)/4 = 10, s/√5 = √2, t(4) = 2.776445, half = 3.926486.
        let estimate = Estimate::of(&[2.0, 4.0, 6.0, 8.0, 10.0]).unwrap();
        assert_eq!((estimate.mean, estimate.n), (6.0, 5));
        assert_near(estimate.ci95.unwrap(), [2.073514, 9.926486]);
        // From tables: t(1) = 12.706205, t(9) = 2.262157, t(99) = 1.984217.
        for (freedom, t) in [(1, 12.706205), (9, 2.262157), (99, 1.984217)] {
            assert!((student_95(freedom) - t).abs() < 2e-6, "{freedom}: {}", student_95(freedom));
        }
        assert_eq!(Estimate::of(&[3.0]), Some(Estimate { mean: 3.0, ci95: None, n: 1 }));
        assert_eq!(Estimate::of(&[]), None);
    }

    #[test]
    fn the_interval_of_counts_is_the_farther_of_students_and_that_of_their_roots() {
        // Computed by hand: roots 1, 2, 3, mean 2, s/√3 = 0.577350, t(2) = 4.302653, half = 2.484138; the upper end
        // 4.484138 is squared 20.107492; the mean is 14/3, the shift 14/3 − 4. Student's: error 2.333333, half 10.039525,
        // so that the lower end is cut at 0 and the upper end is less far.
        assert_near(interval_of(Domain::NonNegative, &[1.0, 4.0, 9.0]), [0.0, 20.774159]);
        // Student's farther above as well: mean 0.2, error 0.2, t(4) · 0.2 = 0.555289. (Of the roots: 0.730461.)
        assert_near(interval_of(Domain::NonNegative, &[0.0, 0.0, 0.0, 0.0, 1.0]), [0.0, 0.755289]);
    }

    #[test]
    fn the_interval_of_rare_events_reaches_zero() {
        // Four events in ten runs: mean 0.4, s² = 0.488889, error 0.221108, t(9) = 2.262157, half 0.500181.
        let stalls = [0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 1.0, 0.0];
        assert_near(interval_of(Domain::NonNegative, &stalls), [0.0, 0.900181]);
    }

    #[test]
    fn the_interval_of_shares_stays_between_the_bounds() {
        // Angles of 0, ½ and 1 are 0, π/4 and π/2: mean π/4, s/√3 = 0.453450, half 1.951037; the ends −1.165639 and
        // 2.736435 are reflected to −0.844635 and 1.844635, and cut.
        assert_eq!(interval_of(Domain::FRACTION, &[0.0, 0.5, 1.0]), [0.0, 1.0]);
        // Angles of 98, 99 and 100 %: 1.428899, 1.470629, 1.570796; mean 1.490108, error 0.042104, half 0.181159. The ends
        // 1.308949 and 1.671268 are 93.298857 and 101.006057, the mean is 99.350354, and the shift −0.350354. Student's ends
        // at 96.515862, less far.
        assert_near(interval_of(Domain::PERCENTAGE, &[98.0, 99.0, 100.0]), [92.948503, 100.0]);
    }

    #[test]
    fn far_from_a_bound_the_interval_is_students() {
        let values = [1000.0, 1003.0, 998.0, 1001.0, 999.0];
        let [low, high] = interval_of(Domain::NonNegative, &values);
        let [a, b] = interval_of(Domain::Real, &values);
        assert!((low - a).abs() < 0.01 && (high - b).abs() < 0.01, "{low} {high}, Student {a} {b}");
    }

    #[test]
    fn equal_values_have_no_width_and_two_values_a_wide_interval() {
        assert_eq!(interval_of(Domain::NonNegative, &[0.0; 5]), [0.0; 2]);
        assert_eq!(interval_of(Domain::PERCENTAGE, &[0.1 + 0.2; 3]), [(0.1 + 0.2) * 3.0 / 3.0; 2]);
        // Roots 3 and 4: mean 3.5, error 0.5, half 6.353103.
        assert_near(interval_of(Domain::NonNegative, &[9.0, 16.0]), [0.0, 97.333629]);
    }

    #[test]
    fn values_beyond_the_domain_widen_it() {
        let values = [99.9, 100.02, 100.0];
        assert_eq!(interval_of(Domain::PERCENTAGE, &values), interval_of(Domain::NonNegative, &values));
        assert_eq!(interval_of(Domain::NonNegative, &[-1.0, 1.0]), interval_of(Domain::Real, &[-1.0, 1.0]));
    }

    #[test]
    fn half_widths_are_relative_to_the_mean() {
        let estimate = Estimate { mean: -4.0, ci95: Some([-5.0, -3.0]), n: 3 };
        assert_eq!((estimate.half_width(), estimate.relative_half_width()), (Some(1.0), Some(0.25)));
        assert!(estimate.excludes(0.0) && !estimate.excludes(-3.0));
        assert_eq!(Estimate { mean: 0.0, ci95: Some([0.0; 2]), n: 3 }.relative_half_width(), Some(0.0));
        assert_eq!(Estimate { mean: 1.0, ci95: None, n: 1 }.relative_half_width(), None);
    }

    #[test]
    fn an_unpaired_difference_has_welchs_interval() {
        // Variances 1 and 4 over 3 and 3: error² = 5/3, freedom (5/3)² / (1/18 + 16/18) = 2.941176, between t(2) and
        // t(3); t(2.941176) = 3.2193 (interpolation of tables: 3.182446 at 3, 4.302653 at 2).
        let estimate = Estimate::difference(&[1.0, 2.0, 3.0], &[2.0, 4.0, 6.0]).unwrap();
        assert_eq!(estimate.mean, 2.0);
        let half = estimate.half_width().unwrap();
        assert!((3.182 * 1.290994..3.26 * 1.290994).contains(&half), "{half}");
        assert_eq!(Estimate::difference(&[1.0], &[2.0, 4.0]).unwrap().ci95, None);
        assert_eq!(Estimate::difference(&[1.0; 2], &[2.0; 2]).unwrap().ci95, Some([1.0; 2]));
    }

    proptest! {
        #[test]
        fn an_interval_contains_the_mean_and_stays_in_its_domain(
            shares in prop::collection::vec(0.0f64..=1.0, 2..12),
            high in prop::sample::select(vec![1u8, 5, 100]),
        ) {
            for (domain, width) in [(Domain::Between(0, high), f64::from(high)), (Domain::NonNegative, 1e4)] {
                let values: Vec<f64> = shares.iter().map(|share| width * share).collect();
                let estimate = Estimate::within(domain, &values).unwrap();
                let [low, high] = estimate.ci95.unwrap();
                let [least, greatest] = domain.bounds();
                prop_assert!(least <= low && low <= estimate.mean && estimate.mean <= high && high <= greatest);
            }
        }
    }
}

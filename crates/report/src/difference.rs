//! Differences between variants, paired by seed.
//!
//! The variants of a comparison share their seeds, and components draw their random numbers by name: two variants see the
//! same start times, the same losses, the same content where they do not decide these themselves. What a seed does to both
//! cancels in the difference of its two runs. The interval of the mean of these differences is therefore often far
//! narrower than the intervals of the two means let one expect, and it alone tells whether the variants differ.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::estimate::Estimate;
use crate::model::{Mode, Variant};
use crate::samples::{Sample, Samples, by_variant};
use crate::summary::RunSummary;
use jettison_measure::Domain;

/// Differences below this fraction of the values are rounding errors.
const ROUNDING: f64 = 1e-12;

/// The difference of a metric between a variant and its baseline.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// Name of the variant.
    pub variant: String,
    /// Name of its baseline.
    pub baseline: String,
    /// Name of the object.
    pub object: String,
    /// Name of the metric.
    pub metric: String,
    /// Part of the metric, such as a reason for drops; empty for the whole.
    pub part: String,
    /// The metric's unit.
    pub unit: String,
    /// Mean of the differences seed by seed, variant less baseline, with Student's interval.
    pub estimate: Estimate,
    /// The difference in per cent of the baseline's mean over the same seeds; `None` if that mean is zero, or its zero
    /// arbitrary as that of decibels.
    pub percent: Option<f64>,
}

impl Difference {
    /// The metric with its part: `drops:codel`.
    pub fn full_metric(&self) -> String {
        match self.part.as_str() {
            "" => self.metric.clone(),
            part => format!("{}:{part}", self.metric),
        }
    }
}

/// Paired differences of all values of all variants that have a baseline, in the order of the experiment.
pub fn differences(runs: &[RunSummary], variants: &[Variant]) -> Vec<Difference> {
    let runs = by_variant(runs);
    let mut baselines: IndexMap<&str, Samples<'_>> = IndexMap::new();
    let mut out = Vec::new();
    for variant in variants {
        let Some(baseline) = variant.baseline.as_deref().filter(|baseline| *baseline != variant.name) else {
            continue;
        };
        let (Some(own_runs), Some(base_runs)) = (runs.get(variant.name.as_str()), runs.get(baseline)) else {
            continue;
        };
        let base = baselines.entry(baseline).or_insert_with(|| Samples::of(base_runs));
        let own = Samples::of(own_runs);
        // What only one of the two counted did not happen in the other.
        let only = base.iter().filter(|sample| own.like(sample.first).is_none());
        for sample in own.iter().chain(only) {
            let first = sample.first;
            let to = own.like(first).map_or_else(|| silent(sample, own_runs), |own| own.by_run.clone());
            let from = base.like(first).map_or_else(|| silent(sample, base_runs), |base| base.by_run.clone());
            let Some(paired) = paired(sample.domain, &from, &to) else { continue };
            out.push(Difference {
                variant: variant.name.clone(),
                baseline: baseline.to_owned(),
                object: first.object.clone(),
                metric: first.metric.clone(),
                part: first.part.clone(),
                unit: first.unit.clone(),
                estimate: paired.estimate,
                percent: paired.percent,
            });
        }
    }
    out
}

/// The zeros of an event that happened in no run of a variant; none for other values.
fn silent(sample: &Sample<'_>, runs: &[&RunSummary]) -> Vec<(u64, f64)> {
    let is_counted = crate::samples::is_additive(&sample.first.unit);
    let runs = runs.iter().filter(|run| is_counted && run.has_object(&sample.first.object));
    runs.map(|run| (run.key.seed, 0.0)).collect()
}

/// A paired difference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Paired {
    /// Mean of the differences, with its interval.
    pub estimate: Estimate,
    /// In per cent of the mean that it starts from.
    pub percent: Option<f64>,
}

impl Paired {
    /// The difference and its interval in per cent, where that means something.
    pub fn in_per_cent(&self) -> Option<Estimate> {
        let percent = self.percent?;
        // A mean of zero has an interval all the same, but no scale.
        let scale = percent / self.estimate.mean;
        let ci95 = self.estimate.ci95.map(|ends| ends.map(|end| end * scale));
        scale.is_finite().then_some(Estimate { mean: percent, ci95, n: self.estimate.n })
    }
}

/// The mean of the differences over the seeds that both have; `None` without a common seed.
pub(crate) fn paired(domain: Domain, from: &[(u64, f64)], to: &[(u64, f64)]) -> Option<Paired> {
    // Seeds are mostly in the same places.
    let value_of = |place: usize, seed: u64| {
        let there = from.get(place).filter(|(other, _)| *other == seed);
        there.or_else(|| from.iter().find(|(other, _)| *other == seed)).map(|(_, value)| *value)
    };
    let pairs = to.iter().enumerate().filter_map(|(place, (seed, to))| Some((value_of(place, *seed)?, *to)));
    let pairs: Vec<(f64, f64)> = pairs.collect();
    let difference = |(from, to): &(f64, f64)| {
        let difference = to - from;
        if difference.abs() <= ROUNDING * from.abs().max(to.abs()) { 0.0 } else { difference }
    };
    let differences: Vec<f64> = pairs.iter().map(difference).collect();
    let mut estimate = Estimate::of(&differences)?;
    // Two seeds that differ by the same step of a coarse metric do not make it certain.
    if let [one, other] = differences[..]
        && one == other
        && one != 0.0
    {
        estimate.ci95 = None;
    }
    let base = pairs.iter().map(|(from, _)| from).sum::<f64>() / pairs.len() as f64;
    let percent = (domain != Domain::Real && base > 0.0).then(|| 100.0 * estimate.mean / base);
    Some(Paired { estimate, percent })
}

/// A difference in the output of `run --json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DifferenceRecord {
    /// Always `difference`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Name of the scenario.
    pub scenario: String,
    /// Execution mode: `sim` or `live`.
    pub mode: Mode,
    /// Name of the variant.
    pub variant: String,
    /// Name of its baseline.
    pub baseline: String,
    /// Name of the object.
    pub object: String,
    /// Name of the metric with its part: `drops:codel`.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// Mean of the differences seed by seed, variant less baseline.
    pub mean: f64,
    /// The same in per cent of the baseline's mean; null where that means nothing.
    pub percent: Option<f64>,
    /// 95 % confidence interval of the mean (Student); null for n < 2.
    pub ci95: Option<[f64; 2]>,
    /// Number of seeds that both have.
    pub n: usize,
}

impl DifferenceRecord {
    /// The record of a difference.
    pub(crate) fn of(scenario: &str, mode: Mode, difference: &Difference) -> DifferenceRecord {
        DifferenceRecord {
            kind: "difference".to_owned(),
            scenario: scenario.to_owned(),
            mode,
            variant: difference.variant.clone(),
            baseline: difference.baseline.clone(),
            object: difference.object.clone(),
            metric: difference.full_metric(),
            unit: difference.unit.clone(),
            mean: difference.estimate.mean,
            percent: difference.percent,
            ci95: difference.estimate.ci95,
            n: difference.estimate.n,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::RunKey;
    use crate::summary::RunValue;

    fn run(variant: &str, seed: u64, values: &[(&str, &str, f64)]) -> RunSummary {
        let values = values.iter().map(|(metric, unit, mean)| RunValue {
            object: "q".to_owned(),
            metric: (*metric).to_owned(),
            unit: (*unit).to_owned(),
            part: String::new(),
            mean: *mean,
            percentiles: None,
        });
        RunSummary::new(RunKey { variant: variant.to_owned(), seed }, values.collect())
    }

    fn variants(pairs: &[(&str, Option<&str>)]) -> Vec<Variant> {
        let variant = |(name, baseline): &(&str, Option<&str>)| Variant {
            name: (*name).to_owned(),
            labels: IndexMap::new(),
            baseline: baseline.map(str::to_owned),
        };
        pairs.iter().map(variant).collect()
    }

    #[test]
    fn what_a_seed_does_to_both_cancels() {
        // Computed by hand: values 100, 110, 120 and 102, 113, 121; differences 2, 3, 1, mean 2, s = 1, s/√3 = 0.577350,
        // t(2) = 4.302653, half 2.484138. Unpaired the half would be above 20.
        let runs: Vec<RunSummary> = [(1, 100.0, 102.0), (2, 110.0, 113.0), (3, 120.0, 121.0)]
            .iter()
            .flat_map(|(seed, a, b)| {
                [run("a", *seed, &[("sojourn", "ms", *a)]), run("b", *seed, &[("sojourn", "ms", *b)])]
            })
            .collect();
        let found = differences(&runs, &variants(&[("a", None), ("b", Some("a"))]));
        let [one] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((one.variant.as_str(), one.baseline.as_str()), ("b", "a"));
        assert_eq!((one.estimate.mean, one.estimate.n), (2.0, 3));
        let half = one.estimate.half_width().unwrap();
        assert!((half - 2.484138).abs() < 1e-5, "{half}");
        assert!((one.percent.unwrap() - 100.0 * 2.0 / 110.0).abs() < 1e-9);
        assert!(!one.estimate.excludes(0.0));
    }

    #[test]
    fn five_seeds_of_losses_differ_by_less_than_their_means_vary() {
        // Losses on a link behind CoDel, and behind tail drop. By hand: the first have s² = 5, so Student's half is t(4) = 2.78;
        // the differences 0, 1, 1, 0, 1 have s² = 0.3 and the half 2.776445 · √(0.3 / 5) = 0.68.
        let losses = [(12.0, 12.0), (14.0, 15.0), (15.0, 16.0), (16.0, 16.0), (18.0, 19.0)];
        let runs: Vec<RunSummary> = (1..)
            .zip(losses)
            .flat_map(|(seed, (codel, tail_drop))| {
                let of = |variant: &str, drops| run(variant, seed, &[("drops", "packets", drops)]);
                [of("codel", codel), of("tail-drop", tail_drop)]
            })
            .collect();
        let codel: Vec<f64> = losses.iter().map(|(codel, _)| *codel).collect();
        let half = Estimate::of(&codel).unwrap().half_width().unwrap();
        assert!((half - 2.776445).abs() < 1e-5, "{half}");
        let found = differences(&runs, &variants(&[("codel", None), ("tail-drop", Some("codel"))]));
        let half = found[0].estimate.half_width().unwrap();
        assert!((found[0].estimate.mean - 0.6).abs() < 1e-12 && (half - 0.680088).abs() < 1e-5, "{half}");
    }

    #[test]
    fn only_common_seeds_count_and_absent_events_are_zeros() {
        let runs = [
            run("a", 1, &[("drops", "packets", 4.0), ("sqi_ssim", "dB", 10.0)]),
            run("a", 2, &[("drops", "packets", 6.0), ("sqi_ssim", "dB", 11.0)]),
            run("b", 2, &[("marks", "packets", 3.0), ("sqi_ssim", "dB", 14.0)]),
            run("b", 3, &[("marks", "packets", 5.0), ("rtt", "ms", 20.0)]),
        ];
        let found = differences(&runs, &variants(&[("a", None), ("b", Some("a"))]));
        let shown: Vec<(&str, f64, usize, Option<f64>)> =
            found.iter().map(|d| (d.metric.as_str(), d.estimate.mean, d.estimate.n, d.percent)).collect();
        assert_eq!(
            shown,
            [
                ("marks", 3.0, 1, None),          // not in per cent of zero
                ("sqi_ssim", 3.0, 1, None),       // the zero of decibels is arbitrary
                ("drops", -6.0, 1, Some(-100.0)), // b dropped nothing
            ],
            "and no RTT, which the baseline did not measure"
        );
    }

    #[test]
    fn variants_without_a_baseline_have_no_differences() {
        let runs = [run("a", 1, &[("rtt", "ms", 1.0)]), run("b", 1, &[("rtt", "ms", 2.0)])];
        assert_eq!(differences(&runs, &variants(&[("a", None), ("b", None)])), []);
        assert_eq!(differences(&runs[..1], &variants(&[("a", None), ("b", Some("a"))])), [], "b did not run");
        assert_eq!(differences(&runs, &variants(&[("a", Some("a"))])), []);
    }

    #[test]
    fn rounding_errors_are_no_differences() {
        let found = paired(Domain::NonNegative, &[(1, 0.3), (2, 1.0)], &[(1, 0.1 + 0.2), (2, 1.0)]).unwrap();
        assert_eq!((found.estimate.mean, found.estimate.ci95), (0.0, Some([0.0; 2])));
    }
}

//! Summaries: values of single runs, and their means and confidence intervals over seeds.

use indexmap::{IndexMap, IndexSet};
use jettison_measure::RunRecord;
use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::model::{Mode, RunKey};

/// The summary values of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunSummary {
    /// The run.
    pub key: RunKey,
    /// The values, in the recorder's order.
    pub values: Vec<RunValue>,
}

/// One summary value of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunValue {
    /// Name of the object.
    pub object: String,
    /// Name of the metric.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// Part of the metric, such as a reason for drops; empty for the whole.
    pub part: String,
    /// The mean, or the count.
    pub mean: f64,
    /// Median, 95th and 99th percentile, if there is a distribution.
    pub percentiles: Option<[f64; 3]>,
}

impl RunSummary {
    /// Summarises a run's record.
    pub fn of(key: &RunKey, record: &RunRecord) -> RunSummary {
        let values = record.summary.iter().map(|value| RunValue {
            object: value.object.clone(),
            metric: value.metric.name.to_owned(),
            unit: value.metric.unit.to_owned(),
            part: value.part.to_string(),
            mean: value.mean,
            percentiles: value.percentiles,
        });
        RunSummary { key: key.clone(), values: values.collect() }
    }

    /// The value of an object, metric and part.
    pub fn value(&self, object: &str, metric: &str, part: &str) -> Option<&RunValue> {
        self.values.iter().find(|v| v.object == object && v.metric == metric && v.part == part)
    }

    fn has_object(&self, object: &str) -> bool {
        self.values.iter().any(|v| v.object == object)
    }
}

/// A mean over seeds, with its confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// 95 % confidence interval by Student's t distribution; `None` for fewer than two values.
    pub ci95: Option<[f64; 2]>,
    /// Number of values.
    pub n: usize,
}

impl Estimate {
    /// The mean of `values` with its interval; `None` for no values.
    pub fn of(values: &[f64]) -> Option<Estimate> {
        let n = values.len();
        let mean = jettison_measure::statistics::mean(values)?;
        let ci95 = (n >= 2).then(|| {
            let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
            let error = (squares / (n - 1) as f64 / n as f64).sqrt();
            let half = student_95(n - 1) * error;
            [mean - half, mean + half]
        });
        Some(Estimate { mean, ci95, n })
    }

    /// Half the width of the confidence interval.
    pub fn half_width(&self) -> Option<f64> {
        self.ci95.map(|[low, high]| (high - low) / 2.0)
    }
}

/// The 97.5 % quantile of Student's t distribution, rounded to six decimals because further digits depend on the
/// platform's logarithms.
fn student_95(freedom: usize) -> f64 {
    let distribution = StudentsT::new(0.0, 1.0, freedom as f64).expect("at least one degree of freedom");
    (distribution.inverse_cdf(0.975) * 1e6).round() / 1e6
}

/// Means and intervals over seeds, for all variants.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Summary {
    /// Variants in order; objects, metrics and parts in the recorder's order.
    pub rows: Vec<SummaryRow>,
}

/// A metric of an object under one variant, over all seeds.
#[derive(Debug, Clone, PartialEq)]
pub struct SummaryRow {
    /// Name of the variant.
    pub variant: String,
    /// Name of the object.
    pub object: String,
    /// Name of the metric.
    pub metric: String,
    /// Part of the metric, such as a reason for drops; empty for the whole.
    pub part: String,
    /// The metric's unit.
    pub unit: String,
    /// Mean over seeds, with its confidence interval.
    pub estimate: Estimate,
    /// Means over seeds of the median, 95th and 99th percentile; `None` without a distribution.
    pub percentiles: Option<[f64; 3]>,
}

impl SummaryRow {
    /// The metric with its part: `drops:codel`.
    pub fn full_metric(&self) -> String {
        match self.part.as_str() {
            "" => self.metric.clone(),
            part => format!("{}:{part}", self.metric),
        }
    }
}

impl Summary {
    /// Summarises `runs`, which are in the order of the experiment.
    ///
    /// A recorder omits events that did not happen. A count or rate that only some seeds of a variant have therefore
    /// counts as 0 in the others. A time that was not measured is left out of the mean, with a smaller `n`.
    pub fn of(runs: &[RunSummary]) -> Summary {
        let mut by_variant: IndexMap<&str, Vec<&RunSummary>> = IndexMap::new();
        for run in runs {
            by_variant.entry(&run.key.variant).or_default().push(run);
        }
        let mut rows = Vec::new();
        for (variant, runs) in by_variant {
            let mut order: IndexSet<(&str, &str, &str)> = IndexSet::new();
            let maps: Vec<IndexMap<(&str, &str, &str), &RunValue>> =
                runs.iter().map(|run| run.values.iter().map(|v| (name(v), v)).collect()).collect();
            order.extend(runs.iter().flat_map(|run| run.values.iter().map(name)));
            for key in order {
                let found: Vec<&RunValue> = maps.iter().filter_map(|map| map.get(&key).copied()).collect();
                let Some(first) = found.first() else { continue };
                let mut means: Vec<f64> = found.iter().map(|v| v.mean).collect();
                if is_additive(&first.unit) {
                    let silent = |(run, map): &(&&RunSummary, &IndexMap<_, _>)| {
                        !map.contains_key(&key) && run.has_object(key.0)
                    };
                    means.extend(runs.iter().zip(&maps).filter(silent).map(|_| 0.0));
                }
                let Some(estimate) = Estimate::of(&means) else {
                    continue;
                };
                rows.push(SummaryRow {
                    variant: variant.to_owned(),
                    object: first.object.clone(),
                    metric: first.metric.clone(),
                    part: first.part.clone(),
                    unit: first.unit.clone(),
                    estimate,
                    percentiles: mean_percentiles(&found),
                });
            }
        }
        Summary { rows }
    }

    /// The row of a variant, object, metric and part.
    pub fn row(&self, variant: &str, object: &str, metric: &str, part: &str) -> Option<&SummaryRow> {
        self.rows
            .iter()
            .find(|r| r.variant == variant && r.object == object && r.metric == metric && r.part == part)
    }

    /// The records that `run --json` prints, one per row.
    pub fn records<'a>(&'a self, scenario: &'a str, mode: Mode) -> impl Iterator<Item = SummaryRecord> + 'a {
        self.rows.iter().map(move |row| SummaryRecord::of(scenario, mode, row))
    }
}

fn name(value: &RunValue) -> (&str, &str, &str) {
    (&value.object, &value.metric, &value.part)
}

/// Whether a missing value of this unit means zero, as for counts and rates but not for times.
fn is_additive(unit: &str) -> bool {
    matches!(unit, "packets" | "count" | "bytes" | "Mbit/s")
}

fn mean_percentiles(values: &[&RunValue]) -> Option<[f64; 3]> {
    let found: Vec<[f64; 3]> = values.iter().filter_map(|v| v.percentiles).collect();
    let mean = |i: usize| found.iter().map(|p| p[i]).sum::<f64>() / found.len() as f64;
    (!found.is_empty()).then(|| [mean(0), mean(1), mean(2)])
}

/// A summary row in the output of `run --json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SummaryRecord {
    /// Always `summary`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Name of the scenario.
    pub scenario: String,
    /// Execution mode: `sim` or `live`.
    #[serde(default)]
    pub mode: Mode,
    /// Name of the variant.
    pub variant: String,
    /// Name of the object.
    pub object: String,
    /// Name of the metric with its part: `drops:codel`.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// Mean over seeds.
    pub mean: f64,
    /// Mean over seeds of the median, if there is a distribution.
    pub p50: Option<f64>,
    /// Mean over seeds of the 95th percentile.
    pub p95: Option<f64>,
    /// Mean over seeds of the 99th percentile.
    pub p99: Option<f64>,
    /// 95 % confidence interval of the mean over seeds (Student); null for n < 2.
    pub ci95: Option<[f64; 2]>,
    /// Number of seeds.
    pub n: usize,
}

impl SummaryRecord {
    fn of(scenario: &str, mode: Mode, row: &SummaryRow) -> SummaryRecord {
        SummaryRecord {
            kind: "summary".to_owned(),
            scenario: scenario.to_owned(),
            mode,
            variant: row.variant.clone(),
            object: row.object.clone(),
            metric: row.full_metric(),
            unit: row.unit.clone(),
            mean: row.estimate.mean,
            p50: row.percentiles.map(|p| p[0]),
            p95: row.percentiles.map(|p| p[1]),
            p99: row.percentiles.map(|p| p[2]),
            ci95: row.estimate.ci95,
            n: row.estimate.n,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(seed: u64, values: &[(&str, &str, f64, Option<[f64; 3]>)]) -> RunSummary {
        let unit = |metric: &str| if metric == "drops" { "packets" } else { "ms" };
        let values = values.iter().map(|(metric, part, mean, percentiles)| RunValue {
            object: "q".to_owned(),
            metric: (*metric).to_owned(),
            unit: unit(metric).to_owned(),
            part: (*part).to_owned(),
            mean: *mean,
            percentiles: *percentiles,
        });
        RunSummary { key: RunKey { variant: "v".to_owned(), seed }, values: values.collect() }
    }

    #[test]
    fn the_interval_is_students() {
        // Computed by hand: mean 6, s² = (16+4+0+4+16)/4 = 10, s/√5 = √2, t(4) = 2.776445, half = 3.926486.
        let estimate = Estimate::of(&[2.0, 4.0, 6.0, 8.0, 10.0]).unwrap();
        let [low, high] = estimate.ci95.unwrap();
        assert_eq!((estimate.mean, estimate.n), (6.0, 5));
        assert!((low - 2.073514).abs() < 2e-6 && (high - 9.926486).abs() < 2e-6, "{low} {high}");
        // From tables: t(1) = 12.706205, t(9) = 2.262157, t(99) = 1.984217.
        for (freedom, t) in [(1, 12.706205), (9, 2.262157), (99, 1.984217)] {
            assert!((student_95(freedom) - t).abs() < 2e-6, "{freedom}: {}", student_95(freedom));
        }
        assert_eq!(Estimate::of(&[3.0]), Some(Estimate { mean: 3.0, ci95: None, n: 1 }));
        assert_eq!(Estimate::of(&[]), None);
    }

    #[test]
    fn events_that_did_not_happen_count_as_zero_but_unmeasured_times_do_not() {
        let runs = [
            run(1, &[("sojourn", "", 10.0, Some([1.0, 2.0, 3.0])), ("drops", "codel", 6.0, None)]),
            run(2, &[("sojourn", "", 20.0, Some([3.0, 4.0, 5.0]))]),
            run(3, &[("drops", "codel", 3.0, None)]),
        ];
        let summary = Summary::of(&runs);
        let sojourn = summary.row("v", "q", "sojourn", "").unwrap();
        assert_eq!((sojourn.estimate.mean, sojourn.estimate.n), (15.0, 2));
        assert_eq!(sojourn.percentiles, Some([2.0, 3.0, 4.0]));
        let drops = summary.row("v", "q", "drops", "codel").unwrap();
        assert_eq!((drops.estimate.mean, drops.estimate.n, drops.percentiles), (3.0, 3, None));
    }

    #[test]
    fn a_record_has_the_documented_fields() {
        let summary = Summary::of(&[run(1, &[("drops", "codel", 6.0, None)])]);
        let record = summary.records("s", Mode::Live).next().unwrap();
        assert_eq!(
            serde_json::to_string(&record).unwrap(),
            r#"{"type":"summary","scenario":"s","mode":"live","variant":"v","object":"q","metric":"drops:codel","unit":"packets","mean":6.0,"p50":null,"p95":null,"p99":null,"ci95":null,"n":1}"#
        );
    }
}

//! Summaries: values of single runs, and their means and confidence intervals over seeds.

use std::collections::HashMap;
use std::sync::OnceLock;

use jettison_measure::RunRecord;
use serde::{Deserialize, Serialize};

use crate::estimate::Estimate;
use crate::model::{Mode, RunKey};
use crate::samples::{Sample, Samples, by_variant};

/// The summary values of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunSummary {
    /// The run.
    pub key: RunKey,
    /// The values, in the recorder's order. Complete before the first look-up.
    pub values: Vec<RunValue>,
    places: Places,
}

/// Places of each object's values, for look-ups: a run may have tens of thousands of flows.
#[derive(Debug, Clone, Default)]
struct Places(OnceLock<HashMap<String, Vec<u32>>>);

impl PartialEq for Places {
    /// Always equal: the places follow from the values.
    fn eq(&self, _: &Places) -> bool {
        true
    }
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
        RunSummary::new(key.clone(), values.collect())
    }

    /// A run with these values.
    pub fn new(key: RunKey, values: Vec<RunValue>) -> RunSummary {
        RunSummary { key, values, places: Places::default() }
    }

    /// The value of an object, metric and part.
    pub fn value(&self, object: &str, metric: &str, part: &str) -> Option<&RunValue> {
        let mut places = self.places(object)?.iter();
        places.find_map(|place| {
            self.values.get(*place as usize).filter(|v| v.metric == metric && v.part == part)
        })
    }

    /// Whether the run measured anything of an object.
    pub fn has_object(&self, object: &str) -> bool {
        self.places(object).is_some()
    }

    fn places(&self, object: &str) -> Option<&Vec<u32>> {
        let places = self.places.0.get_or_init(|| {
            let mut places: HashMap<String, Vec<u32>> = HashMap::new();
            for (place, value) in self.values.iter().enumerate() {
                match places.get_mut(&value.object) {
                    Some(known) => known.push(place as u32),
                    None => drop(places.insert(value.object.clone(), vec![place as u32])),
                }
            }
            places
        });
        places.get(object)
    }
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
    fn of(variant: &str, sample: &Sample<'_>) -> Option<SummaryRow> {
        let values: Vec<f64> = sample.by_run.iter().map(|(_, value)| *value).collect();
        Some(SummaryRow {
            variant: variant.to_owned(),
            object: sample.first.object.clone(),
            metric: sample.first.metric.clone(),
            part: sample.first.part.clone(),
            unit: sample.first.unit.clone(),
            estimate: Estimate::within(sample.domain, &values)?,
            percentiles: sample.mean_percentiles(),
        })
    }

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
        let mut rows = Vec::new();
        for (variant, runs) in by_variant(runs) {
            rows.extend(Samples::of(&runs).iter().filter_map(|sample| SummaryRow::of(variant, sample)));
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
    /// 95 % confidence interval of the mean over seeds; null for n < 2.
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
        RunSummary::new(RunKey { variant: "v".to_owned(), seed }, values.collect())
    }

    #[test]
    fn values_are_found_by_object_metric_and_part() {
        let run = run(1, &[("drops", "", 9.0, None), ("drops", "codel", 6.0, None)]);
        assert_eq!(run.value("q", "drops", "codel").map(|value| value.mean), Some(6.0));
        assert!(run.value("q", "drops", "pie").is_none() && run.value("p", "drops", "").is_none());
        assert!(run.has_object("q") && !run.has_object("p"));
    }

    #[test]
    fn an_interval_follows_the_domain_of_its_metric() {
        let value = |metric: &str, unit: &str, mean: f64| RunValue {
            object: "q".to_owned(),
            metric: metric.to_owned(),
            unit: unit.to_owned(),
            part: String::new(),
            mean,
            percentiles: None,
        };
        let run = |seed: u64, timeouts: f64, quality: f64| {
            let values = vec![value("timeouts", "count", timeouts), value("sqi_ssim", "dB", quality)];
            RunSummary::new(RunKey { variant: "v".to_owned(), seed }, values)
        };
        let summary = Summary::of(&[run(1, 0.0, 0.1), run(2, 0.0, -0.1), run(3, 1.0, 0.3)]);
        let low = |metric: &str| summary.row("v", "q", metric, "").unwrap().estimate.ci95.unwrap()[0];
        assert_eq!(low("timeouts"), 0.0);
        assert!(low("sqi_ssim") < 0.0);
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

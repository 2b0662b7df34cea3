//! The columns that a comparison of variants shows.

use indexmap::{IndexMap, IndexSet};

use crate::number;
use crate::store::Results;
use crate::summary::{Estimate, RunSummary};

/// One column of the comparison: a metric of one object, or the mean of it over several.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Heading, such as `sojourn p99`. Two columns of different subjects may share it.
    pub title: String,
    /// Unit of the values.
    pub unit: String,
    /// What the values are of, such as `bottleneck.forward` or `10 flows`.
    pub subject: String,
    /// Objects that the values are of; averaged if several.
    pub objects: Vec<String>,
    /// The metric.
    pub metric: String,
    /// The part of it, such as a deadline; empty for the whole.
    pub part: String,
    /// Which of its numbers.
    pub statistic: Statistic,
}

/// A number of a summary value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Statistic {
    /// The mean, or the count.
    Mean,
    /// The 99th percentile.
    P99,
}

/// What a column says about one variant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ColumnValue {
    /// Mean over seeds with its interval.
    pub estimate: Estimate,
    /// Whether it counts whole things.
    pub is_count: bool,
}

impl ColumnValue {
    /// As tables print it: `96.44 ± 0.13`.
    pub fn text(&self) -> String {
        match self.estimate.half_width() {
            Some(half) if self.is_count && half == 0.0 => {
                format!("{} ± 0", number::count(self.estimate.mean))
            }
            None if self.is_count => number::count(self.estimate.mean),
            half => number::with_interval(self.estimate.mean, half),
        }
    }
}

impl Column {
    /// The column's value for `variant`; `None` if none of its runs has one.
    pub fn value(&self, runs: &[RunSummary], variant: &str) -> Option<ColumnValue> {
        let is_count = matches!(self.unit.as_str(), "packets" | "count");
        let mut values = Vec::new();
        for run in runs.iter().filter(|run| run.key.variant == variant) {
            let found = self.objects.iter().filter_map(|o| run.value(o, &self.metric, &self.part));
            let found = found.filter_map(|value| match self.statistic {
                Statistic::Mean => Some(value.mean),
                Statistic::P99 => value.percentiles.map(|p| p[2]),
            });
            match jettison_measure::statistics::mean(&found.collect::<Vec<_>>()) {
                Some(value) => values.push(value),
                // A recorder leaves out counts of what never happened.
                None if is_count && run.values.iter().any(|v| self.objects.contains(&v.object)) => {
                    values.push(0.0)
                }
                None => {}
            }
        }
        Estimate::of(&values).map(|estimate| ColumnValue { estimate, is_count })
    }
}

/// The queue that a comparison looks at: the one that the experiment names, or else the one with the highest mean
/// load (utilisation and drop rate) where that is measured, and backlog.
pub fn bottleneck(results: &Results) -> Option<&str> {
    if let Some(named) = &results.manifest.experiment.bottleneck {
        return Some(named);
    }
    let queues = results.manifest.objects.iter().filter(|(_, table)| *table == "queues");
    let score = |queue: &str| -> (u64, f64) {
        let mean = |metric: &str| {
            let values: Vec<f64> =
                results.runs.iter().filter_map(|run| run.value(queue, metric, "")).map(|v| v.mean).collect();
            jettison_measure::statistics::mean(&values).unwrap_or(0.0)
        };
        // Whole per cents: two links that are both full are told apart by their backlog. A queue that drops what it is
        // offered is congested, however little gets through.
        ((mean("utilisation") + mean("drop_rate")).round().max(0.0) as u64, mean("backlog"))
    };
    let mut best: Option<(&str, (u64, f64))> = None;
    for (queue, _) in queues {
        let score = score(queue);
        if best.is_none_or(|(_, other)| score.0 > other.0 || score.0 == other.0 && score.1 > other.1) {
            best = Some((queue, score));
        }
    }
    best.map(|(queue, _)| queue)
}

/// How many flows get RTT and one-way delay columns of their own before they are averaged.
const OWN_COLUMNS: usize = 3;

/// The columns that matter for these results: only those that have values.
pub fn comparison_columns(results: &Results) -> Vec<Column> {
    let mut columns = Vec::new();
    // What is there to show: object and metric, in the recorder's order, with units.
    let mut units: IndexMap<(&str, &str), &str> = IndexMap::new();
    let mut nonzero: IndexSet<(&str, &str)> = IndexSet::new();
    for value in results.runs.iter().flat_map(|run| &run.values).filter(|v| v.part.is_empty()) {
        units.insert((&value.object, &value.metric), &value.unit);
        if value.mean != 0.0 {
            nonzero.insert((&value.object, &value.metric));
        }
    }
    let mut add = |title: &str, subject: &str, objects: &[&str], metric: &str, statistic: Statistic| {
        let Some(unit) = objects.iter().find_map(|o| units.get(&(*o, metric))) else {
            return;
        };
        if !objects.iter().any(|o| nonzero.contains(&(*o, metric))) {
            return;
        }
        columns.push(Column {
            title: title.to_owned(),
            unit: (*unit).to_owned(),
            subject: subject.to_owned(),
            objects: objects.iter().map(|o| (*o).to_owned()).collect(),
            metric: metric.to_owned(),
            part: String::new(),
            statistic,
        });
    };
    let with = |metric: &str| -> Vec<&str> {
        let flows = units.keys().filter(|(object, m)| {
            *m == metric && results.manifest.objects.get(*object).is_some_and(|t| t == "flows")
        });
        flows.map(|(object, _)| *object).collect()
    };

    let queue = bottleneck(results);
    if let Some(queue) = queue {
        add("utilisation", queue, &[queue], "utilisation", Statistic::Mean);
        add("throughput", queue, &[queue], "throughput", Statistic::Mean);
    }
    match with("goodput").as_slice() {
        [only] => add("goodput", only, &[*only], "goodput", Statistic::Mean),
        _ => add("goodput", "all flows", &["all flows"], "goodput", Statistic::Mean),
    }
    if let Some(queue) = queue {
        add("sojourn mean", queue, &[queue], "sojourn", Statistic::Mean);
        add("sojourn p99", queue, &[queue], "sojourn", Statistic::P99);
    }
    let delays =
        [("rtt", "RTT"), ("owd", "OWD"), ("frame_delay", "frame delay"), ("completion_time", "completion")];
    for (metric, title) in delays {
        let flows = with(metric);
        if flows.len() > OWN_COLUMNS {
            let subject = format!("mean of {} flows", flows.len());
            add(&format!("{title} mean"), &subject, &flows, metric, Statistic::Mean);
            add(&format!("{title} p99"), &subject, &flows, metric, Statistic::P99);
            continue;
        }
        for flow in &flows {
            add(&format!("{title} mean"), flow, &[*flow], metric, Statistic::Mean);
            add(&format!("{title} p99"), flow, &[*flow], metric, Statistic::P99);
        }
    }
    if let Some(queue) = queue {
        add("drops", queue, &[queue], "drops", Statistic::Mean);
        add("drop rate", queue, &[queue], "drop_rate", Statistic::Mean);
        add("marks", queue, &[queue], "marks", Statistic::Mean);
    }
    for (metric, title) in [("loss", "loss"), ("frame_loss", "frame loss"), ("longest_gap", "longest gap")] {
        let flows = with(metric);
        if flows.len() > OWN_COLUMNS {
            add(title, &format!("mean of {} flows", flows.len()), &flows, metric, Statistic::Mean);
            continue;
        }
        for flow in &flows {
            add(title, flow, &[*flow], metric, Statistic::Mean);
        }
    }
    add("fairness", "all flows", &["all flows"], "jain_index", Statistic::Mean);
    // A switch summarises its clones under its own name.
    for (metric, title) in [("recirculated_share", "recirculated"), ("clones", "clones")] {
        let switches: Vec<&str> =
            units.keys().filter(|(_, m)| *m == metric).map(|(object, _)| *object).collect();
        if let [only] = switches.as_slice() {
            add(title, only, &[*only], metric, Statistic::Mean);
        }
    }
    columns.extend(deadline_columns(results));
    columns
}

/// A column for each deadline of each flow that has any.
fn deadline_columns(results: &Results) -> Vec<Column> {
    let mut seen: IndexMap<(&str, &str), &str> = IndexMap::new();
    for value in results.runs.iter().flat_map(|run| &run.values) {
        if value.metric == "deadline_miss" && !value.part.is_empty() {
            seen.insert((&value.object, &value.part), &value.unit);
        }
    }
    let column = |((flow, deadline), unit): (&(&str, &str), &&str)| Column {
        title: format!("later than {deadline}"),
        unit: (*unit).to_owned(),
        subject: (*flow).to_owned(),
        objects: vec![(*flow).to_owned()],
        metric: "deadline_miss".to_owned(),
        part: (*deadline).to_owned(),
        statistic: Statistic::Mean,
    };
    seen.iter().map(column).collect()
}

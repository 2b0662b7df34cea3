//! Columns of the comparison of variants.

use indexmap::{IndexMap, IndexSet};
use jettison_measure::{Declared, Domain, Kept};
use serde::Serialize;

use crate::estimate::Estimate;
use crate::groups::{FlowGroup, flow_groups, kinds_of_flows};
use crate::load::Load;
use crate::model::ReportColumn;
use crate::number;
use crate::samples::is_additive;
use crate::store::Results;
use crate::summary::RunSummary;
use crate::viewers;

/// A column of the comparison: a metric of one object, or its mean over several objects.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Heading, such as `sojourn p99`. Columns of different subjects may share it.
    pub title: String,
    /// Unit of the values.
    pub unit: String,
    /// Subject of the values, such as `bottleneck.forward` or `10 flows`.
    pub subject: String,
    /// Objects with the values; averaged if several, unless the statistic is their sum.
    pub objects: Vec<String>,
    /// The metric.
    pub metric: String,
    /// Part of the metric, such as a deadline; empty for the whole.
    pub part: String,
    /// The statistic.
    pub statistic: Statistic,
}

/// A statistic of a summary value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Statistic {
    /// The mean, or the count.
    Mean,
    /// The sum over the objects.
    Sum,
    /// The median.
    Median,
    /// The 95th percentile.
    P95,
    /// The 99th percentile.
    P99,
}

impl Statistic {
    /// The statistic of one object, from its mean and its percentiles 50, 95 and 99; `None` without percentiles if it is one.
    pub fn of(self, mean: f64, percentiles: Option<[f64; 3]>) -> Option<f64> {
        match self {
            Statistic::Mean | Statistic::Sum => Some(mean),
            Statistic::Median => percentiles.map(|own| own[0]),
            Statistic::P95 => percentiles.map(|own| own[1]),
            Statistic::P99 => percentiles.map(|own| own[2]),
        }
    }
}

/// A column's value for one variant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ColumnValue {
    /// Mean over seeds, with its confidence interval.
    pub estimate: Estimate,
    /// Whether it is a count.
    pub is_count: bool,
}

impl ColumnValue {
    /// The value as tables print it: `96.44 ± 0.13`.
    pub fn text(&self) -> String {
        match self.estimate.ci95 {
            Some([low, high]) if self.is_count && low == high => number::count(self.estimate.mean),
            None if self.is_count => number::count(self.estimate.mean),
            interval => number::with_interval(self.estimate.mean, interval),
        }
    }
}

impl Column {
    /// The column's value for `variant`; `None` if no run has one.
    pub fn value(&self, runs: &[RunSummary], variant: &str) -> Option<ColumnValue> {
        self.of(&self.by_seed(runs.iter().filter(|run| run.key.variant == variant)))
    }

    /// The value over these seeds.
    pub(crate) fn of(&self, by_seed: &[(u64, f64)]) -> Option<ColumnValue> {
        let values: Vec<f64> = by_seed.iter().map(|(_, value)| *value).collect();
        let estimate = Estimate::within(self.domain(), &values)?;
        Some(ColumnValue { estimate, is_count: self.is_count() })
    }

    /// The values that the column can take.
    pub(crate) fn domain(&self) -> Domain {
        Domain::of(&self.metric, &self.unit)
    }

    /// Object, metric and statistic, as on an axis: `sojourn p99 of bottleneck.forward`.
    pub(crate) fn full_title(&self) -> String {
        format!("{} of {}", self.title, self.subject)
    }

    /// Whether the values are ratios, of which twice and half even out: their mean over variants is the geometric one.
    pub(crate) fn is_of_ratios(&self) -> bool {
        self.metric == "rate_ratio"
    }

    /// The means, seed by seed, of the column's values for several variants. Empty unless all have a value under a common
    /// seed, because means over different sets of variants are not comparable.
    pub(crate) fn mean_by_seed(&self, of_each: &[Vec<(u64, f64)>]) -> Vec<(u64, f64)> {
        let Some((first, others)) = of_each.split_first() else { return Vec::new() };
        let of_seed =
            |values: &[(u64, f64)], seed: u64| values.iter().find(|(s, _)| *s == seed).map(|(_, v)| *v);
        let is_of_ratios = self.is_of_ratios();
        let forth = |value: f64| if is_of_ratios { libm::log(value) } else { value };
        let back = |mean: f64| if is_of_ratios { libm::exp(mean) } else { mean };
        let mean = |(seed, value): &(u64, f64)| {
            let values: Option<Vec<f64>> = others.iter().map(|other| of_seed(other, *seed)).collect();
            let sum = forth(*value) + values?.into_iter().map(forth).sum::<f64>();
            Some((*seed, back(sum / of_each.len() as f64)))
        };
        first.iter().filter_map(mean).collect()
    }

    /// The unit for headings; empty if there is none or the title implies it.
    pub fn shown_unit(&self) -> &str {
        match self.unit.as_str() {
            "1" | "1/s" | "count" | "MOS" => "",
            unit => unit,
        }
    }

    fn is_count(&self) -> bool {
        matches!(self.unit.as_str(), "packets" | "count")
    }

    /// The column's value in each of these runs of a variant, by seed.
    pub(crate) fn by_seed<'a>(&self, runs: impl Iterator<Item = &'a RunSummary>) -> Vec<(u64, f64)> {
        let mut values = Vec::new();
        for run in runs {
            let found = self.objects.iter().filter_map(|o| run.value(o, &self.metric, &self.part));
            let found = found.filter_map(|value| self.statistic.of(value.mean, value.percentiles));
            let found: Vec<f64> = found.collect();
            let value = match self.statistic {
                Statistic::Sum => (!found.is_empty()).then(|| found.iter().sum()),
                _ => jettison_measure::statistics::mean(&found),
            };
            match value {
                Some(value) => values.push((run.key.seed, value)),
                // A recorder omits counts of events that did not happen.
                None if is_additive(&self.unit)
                    && self.objects.iter().any(|object| run.has_object(object)) =>
                {
                    values.push((run.key.seed, 0.0));
                }
                None => {}
            }
        }
        values
    }
}

/// The queue that the comparison shows: the one that the experiment names, or else the one with the highest mean load
/// (utilisation plus drop rate, if measured) and then the highest backlog.
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
        // Round to whole per cents, so the backlog decides between two full links. A queue that drops most packets is
        // congested even if little gets through.
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

/// The queues that the comparison shows: the bottleneck, and in load tests both directions of its link.
pub(crate) fn shown_queues<'a>(results: &'a Results, load: Option<&Load<'_>>) -> Vec<&'a str> {
    match bottleneck(results) {
        Some(queue) if load.is_some() => Load::queues(results, queue),
        queue => queue.into_iter().collect(),
    }
}

/// Metrics that the results contain.
pub(crate) struct Measured<'a> {
    results: &'a Results,
    /// Groups of flows.
    groups: Vec<FlowGroup>,
    /// Units by object and metric, in the recorder's order, of values without a part.
    units: IndexMap<(&'a str, &'a str), &'a str>,
    /// Units of the playout deadlines of videos by metric, object and deadline.
    deadlines: IndexMap<(&'a str, &'a str, &'a str), &'a str>,
    nonzero: IndexSet<(&'a str, &'a str)>,
}

impl<'a> Measured<'a> {
    fn of(results: &'a Results) -> Measured<'a> {
        Measured::with(results, flow_groups(results))
    }

    fn with(results: &'a Results, groups: Vec<FlowGroup>) -> Measured<'a> {
        let (units, deadlines) = (IndexMap::new(), IndexMap::new());
        let nonzero = IndexSet::new();
        let mut measured = Measured { results, groups, units, deadlines, nonzero };
        for value in results.runs.iter().flat_map(|run| &run.values) {
            if AT_DEADLINES.contains(&value.metric.as_str()) {
                measured.deadlines.insert((&value.metric, &value.object, &value.part), &value.unit);
            }
            if !value.part.is_empty() {
                continue;
            }
            measured.units.insert((&value.object, &value.metric), &value.unit);
            if value.mean != 0.0 {
                measured.nonzero.insert((&value.object, &value.metric));
            }
        }
        measured
    }

    /// A column for these objects; `None` if all values are missing or zero, unless zero is informative (no frame
    /// decoded).
    pub(crate) fn column(
        &self,
        title: &str,
        subject: &str,
        objects: &[&str],
        metric: &str,
        statistic: Statistic,
    ) -> Option<Column> {
        let is_telling = ["frames_decoded", "sqi_ssim", "freeze_rate"].contains(&metric);
        let is_zero = || objects.iter().all(|o| !self.nonzero.contains(&(*o, metric)));
        self.any_column(title, subject, objects, metric, statistic).filter(|_| is_telling || !is_zero())
    }

    /// A column for these objects, also if all values are zero; `None` if all are missing.
    fn any_column(
        &self,
        title: &str,
        subject: &str,
        objects: &[&str],
        metric: &str,
        statistic: Statistic,
    ) -> Option<Column> {
        let unit = objects.iter().find_map(|o| self.units.get(&(*o, metric)))?;
        Some(Column {
            title: title.to_owned(),
            unit: (*unit).to_owned(),
            subject: subject.to_owned(),
            objects: objects.iter().map(|o| (*o).to_owned()).collect(),
            metric: metric.to_owned(),
            part: String::new(),
            statistic,
        })
    }

    /// One column for each playout deadline of these objects.
    pub(crate) fn deadlines(
        &self,
        title: &str,
        subject: &str,
        objects: &[&str],
        metric: &str,
    ) -> Vec<Column> {
        let own = self.deadlines.iter().filter(|((m, o, _), _)| *m == metric && objects.contains(o));
        let parts: IndexMap<&str, &str> = own.map(|((.., part), unit)| (*part, *unit)).collect();
        let column = |(part, unit): (&str, &str)| Column {
            title: format!("{title} {part}"),
            unit: unit.to_owned(),
            subject: subject.to_owned(),
            objects: objects.iter().map(|o| (*o).to_owned()).collect(),
            metric: metric.to_owned(),
            part: part.to_owned(),
            statistic: Statistic::Mean,
        };
        parts.into_iter().map(column).collect()
    }

    /// These flows by group, with the group's name.
    pub(crate) fn grouped<'f>(&self, flows: &[&'f str]) -> Vec<(&str, Vec<&'f str>)> {
        let given: IndexSet<&'f str> = flows.iter().copied().collect();
        let of_group = |group: &'_ FlowGroup| -> Vec<&'f str> {
            group.flows.iter().filter_map(|flow| given.get(flow.as_str()).copied()).collect()
        };
        let groups = self.groups.iter().map(|group| (group.name.as_str(), of_group(group)));
        groups.filter(|(_, flows)| !flows.is_empty()).collect()
    }

    /// The flows that have a metric.
    fn flows_with(&self, metric: &str) -> Vec<&'a str> {
        let is_flow = |object: &str| self.results.manifest.objects.get(object).is_some_and(|t| t == "flows");
        let flows = self.units.keys().filter(|(object, m)| *m == metric && is_flow(object));
        flows.map(|(object, _)| *object).collect()
    }
}

/// Metrics of videos with a part for each playout deadline.
pub(crate) const AT_DEADLINES: [&str; 2] = ["frames_in_time", "sqi_at_deadline"];

/// The columns of the comparison: those that the experiment names, or else those that suit the results.
pub fn comparison_columns(results: &Results) -> Vec<Column> {
    match results.manifest.experiment.report.columns.as_slice() {
        [] => columns_of(&Measured::of(results)),
        chosen => chosen_columns(&Measured::of(results), chosen),
    }
}

/// These columns, each for all that has values: the bottleneck, groups of flows, or all flows together.
fn chosen_columns(measured: &Measured<'_>, chosen: &[ReportColumn]) -> Vec<Column> {
    let mut columns = Vec::new();
    let narrow = bottleneck(measured.results);
    for ReportColumn { metric, percentile } in chosen {
        let id = metric.as_str();
        let declared = Declared::named(id);
        let title =
            declared.and_then(|metric| metric.title).map_or_else(|| id.replace('_', " "), str::to_owned);
        let has_percentiles = declared.is_some_and(|metric| metric.kept.contains(&Kept::Distribution));
        let (statistic, ending) = match percentile {
            Some(50) => (Statistic::Median, " median"),
            Some(95) => (Statistic::P95, " p95"),
            Some(_) => (Statistic::P99, " p99"),
            None if has_percentiles => (Statistic::Mean, " mean"),
            None => (Statistic::Mean, ""),
        };
        let title = format!("{title}{ending}");
        let flows = measured.flows_with(id);
        let mut subjects: Vec<(&str, Vec<&str>)> = measured.grouped(&flows);
        subjects.extend(narrow.map(|queue| (queue, vec![queue])));
        let before = columns.len();
        let add = |columns: &mut Vec<Column>, (subject, objects): (&str, Vec<&str>)| {
            if AT_DEADLINES.contains(&id) {
                columns.extend(measured.deadlines(&title, subject, &objects, id));
            } else {
                columns.extend(measured.any_column(&title, subject, &objects, id, statistic));
            }
        };
        subjects.into_iter().for_each(|subject| add(&mut columns, subject));
        if columns.len() == before {
            add(&mut columns, ("all flows", vec!["all flows"]));
        }
    }
    columns
}

/// The columns that suit the results, by kinds of flows, whatever tables show.
pub(crate) fn default_columns(results: &Results) -> Vec<Column> {
    columns_of(&Measured::with(results, kinds_of_flows(results)))
}

/// The columns that suit the results: those with values.
fn columns_of(measured: &Measured<'_>) -> Vec<Column> {
    let results = measured.results;
    let mut columns = Vec::new();
    let mut add = |title: &str, subject: &str, objects: &[&str], metric: &str, statistic: Statistic| {
        columns.extend(measured.column(title, subject, objects, metric, statistic));
    };

    let load = Load::of(results);
    let queues = shown_queues(results, load.as_ref());
    if load.is_none() {
        for queue in &queues {
            add("utilisation", queue, &[queue], "utilisation", Statistic::Mean);
            add("throughput", queue, &[queue], "throughput", Statistic::Mean);
        }
    }
    match measured.flows_with("goodput").as_slice() {
        _ if load.is_some() => {}
        [only] => add("goodput", only, &[*only], "goodput", Statistic::Mean),
        flows => {
            add("goodput", "all flows", &["all flows"], "goodput", Statistic::Mean);
            let groups = measured.grouped(flows).into_iter().filter_map(|(name, flows)| {
                measured.column("goodput", name, &flows, "goodput", Statistic::Mean)
            });
            let groups: Vec<Column> = groups.collect();
            // That of a single group is that of all flows.
            if groups.len() > 1 {
                columns.extend(groups);
            }
        }
    }
    columns.extend(load.iter().flat_map(|load| load.columns(measured)));
    let viewers = viewers::viewers(results);
    columns.extend(viewers::columns(&viewers, measured));
    let mut add = |title: &str, subject: &str, objects: &[&str], metric: &str, statistic: Statistic| {
        columns.extend(measured.column(title, subject, objects, metric, statistic));
    };
    // In load tests, both directions' values of a metric are adjacent.
    for (title, statistic) in [("sojourn mean", Statistic::Mean), ("sojourn p99", Statistic::P99)] {
        for queue in &queues {
            add(title, queue, &[queue], "sojourn", statistic);
        }
    }
    let delays = [
        ("page_load_time", "page load"),
        ("response_time", "response"),
        ("rtt", "RTT"),
        ("owd", "OWD"),
        ("frame_delay", "frame delay"),
        ("completion_time", "completion"),
    ];
    for (metric, title) in delays {
        let mut flows = measured.flows_with(metric);
        if metric == "rtt" && load.is_some() {
            // TCP's and the pings' would be mixed.
            continue;
        }
        if metric == "completion_time" {
            // Segments are covered by the burst time.
            flows.retain(|flow| !viewers.contains(flow));
        }
        for (group, flows) in measured.grouped(&flows) {
            add(&format!("{title} mean"), group, &flows, metric, Statistic::Mean);
            add(&format!("{title} p99"), group, &flows, metric, Statistic::P99);
        }
    }
    for (title, metric) in [("drops", "drops"), ("drop rate", "drop_rate"), ("marks", "marks")] {
        for queue in &queues {
            add(title, queue, &[queue], metric, Statistic::Mean);
        }
    }
    for (metric, title) in [("loss", "loss"), ("frame_loss", "frame loss"), ("longest_gap", "longest gap")] {
        let mut flows = measured.flows_with(metric);
        // Load tests have a column for all pings.
        flows.retain(|flow| load.as_ref().is_none_or(|load| !load.pings.contains(flow)));
        for (group, flows) in measured.grouped(&flows) {
            add(title, group, &flows, metric, Statistic::Mean);
        }
    }
    if load.is_none() {
        add("fairness", "all flows", &["all flows"], "jain_index", Statistic::Mean);
    } else {
        for queue in &queues {
            add("utilisation", queue, &[queue], "utilisation", Statistic::Mean);
        }
    }
    columns.extend(pair_columns(results, "rate_ratio", "rate ratio"));
    let mut add = |title: &str, subject: &str, objects: &[&str], metric: &str, statistic: Statistic| {
        columns.extend(measured.column(title, subject, objects, metric, statistic));
    };
    // A switch's clones are summarised under the switch's name.
    for (metric, title) in [("recirculated_share", "recirculated"), ("clones", "clones")] {
        let switches = measured.units.keys().filter(|(_, m)| *m == metric);
        if let [only] = switches.map(|(object, _)| *object).collect::<Vec<_>>().as_slice() {
            add(title, only, &[*only], metric, Statistic::Mean);
        }
    }
    columns.extend(deadline_columns(measured));
    columns
}

/// One column for each part of a metric of `rate_ratios`: `rate_ratio` of each pair, `group_rtt` of each entry.
pub(crate) fn pair_columns(results: &Results, metric: &str, title: &str) -> Vec<Column> {
    let values = results.runs.iter().flat_map(|run| &run.values).filter(|value| value.metric == metric);
    let seen: IndexMap<&str, &str> = values.map(|value| (value.part.as_str(), value.unit.as_str())).collect();
    let column = |(part, unit): (&str, &str)| Column {
        title: title.to_owned(),
        unit: unit.to_owned(),
        subject: part.to_owned(),
        objects: vec!["all flows".to_owned()],
        metric: metric.to_owned(),
        part: part.to_owned(),
        statistic: Statistic::Mean,
    };
    seen.into_iter().map(column).collect()
}

/// One column for each deadline of each group of flows.
fn deadline_columns(measured: &Measured<'_>) -> Vec<Column> {
    let mut seen: IndexMap<(&str, &str), Vec<&str>> = IndexMap::new();
    for value in measured.results.runs.iter().flat_map(|run| &run.values) {
        if value.metric == "deadline_miss" && !value.part.is_empty() {
            let flows = seen.entry((&value.part, &value.unit)).or_default();
            if !flows.contains(&value.object.as_str()) {
                flows.push(&value.object);
            }
        }
    }
    let mut columns = Vec::new();
    for ((deadline, unit), flows) in seen {
        columns.extend(measured.grouped(&flows).into_iter().map(|(group, flows)| Column {
            title: format!("later than {deadline}"),
            unit: unit.to_owned(),
            subject: group.to_owned(),
            objects: flows.into_iter().map(str::to_owned).collect(),
            metric: "deadline_miss".to_owned(),
            part: deadline.to_owned(),
            statistic: Statistic::Mean,
        }));
    }
    columns
}

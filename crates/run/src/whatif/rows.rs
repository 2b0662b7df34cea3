//! Rows of an answer: values of both halves beside each other.

use indexmap::IndexMap;
use jettison_measure::{Metric, RunRecord, metrics};
use jettison_report::{Estimate, Statistic};
use serde::Serialize;

use super::Answer;

/// What viewers have of a run, in the order of the table. All values of these metrics are shown.
const SEEN: [(Metric, Statistic); 21] = [
    (metrics::STALLS, Statistic::Mean),
    (metrics::STALL_TIME, Statistic::Mean),
    (metrics::START_UP_DELAY, Statistic::Mean),
    (metrics::FRAMES_IN_TIME, Statistic::Mean),
    (metrics::FREEZE_RATE, Statistic::Mean),
    (metrics::FREEZE_RATIO, Statistic::Mean),
    (metrics::LINEAR_QOE, Statistic::Mean),
    (metrics::P1203_PARAMETRIC, Statistic::Mean),
    (metrics::SQI_SSIM, Statistic::Mean),
    (metrics::REPRESENTATION_RATE, Statistic::Mean),
    (metrics::SWITCHES, Statistic::Mean),
    (metrics::FRAME_LATENCY, Statistic::Mean),
    (metrics::FRAME_LATENCY, Statistic::P99),
    (metrics::FRAME_LOSS, Statistic::Mean),
    (metrics::FRAME_DELAY, Statistic::Mean),
    (metrics::FRAME_DELAY, Statistic::P99),
    (metrics::DEADLINE_MISS, Statistic::Mean),
    (metrics::RESPONSE_TIME, Statistic::Mean),
    (metrics::RESPONSE_TIME, Statistic::P99),
    (metrics::PAGE_LOAD_TIME, Statistic::Mean),
    (metrics::PAGE_LOAD_TIME, Statistic::P99),
];
/// What is shown of other flows.
const OTHERS: [(Metric, Statistic); 5] = [
    (metrics::GOODPUT, Statistic::Mean),
    (metrics::COMPLETION, Statistic::Mean),
    (metrics::LOSS, Statistic::Mean),
    (metrics::OWD, Statistic::P99),
    (metrics::RTT, Statistic::P99),
];
/// Metrics that tell a flow with a viewer: a user who waits for its units.
const TELLS: [Metric; 6] = [
    metrics::STALLS,
    metrics::FRAMES_DECODED,
    metrics::FRAME_LOSS,
    metrics::DEADLINE_MISS,
    metrics::RESPONSE_TIME,
    metrics::PAGE_LOAD_TIME,
];

/// A value of both halves.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The flow.
    pub flow: String,
    /// Whether a viewer or a user waits for its units.
    pub viewer: bool,
    /// Name of the metric.
    pub metric: &'static str,
    /// Part of the metric, such as a deadline; empty for the whole.
    pub part: String,
    /// The statistic.
    pub statistic: Statistic,
    /// The unit.
    pub unit: &'static str,
    /// Without the change; the mean over draws. None if it was not measured.
    pub original: Option<f64>,
    /// With the change, likewise.
    pub changed: Option<f64>,
    /// The difference; the mean over draws.
    pub difference: Option<f64>,
    /// The 95 % interval of the difference over draws; none for fewer than two.
    pub ci95: Option<[f64; 2]>,
}

impl Row {
    /// Whether the halves differ.
    pub fn differs(&self) -> bool {
        self.original != self.changed || self.difference.is_some_and(|difference| difference != 0.0)
    }
}

impl Answer {
    /// The values of all flows, viewers first.
    pub fn rows(&self) -> Vec<Row> {
        let Some([first, _]) = self.pairs.first() else { return Vec::new() };
        let mut flows: IndexMap<&str, bool> = IndexMap::new();
        for record in self.pairs.iter().flatten() {
            for value in &record.summary {
                let is_flow = first.objects.iter().any(|object| {
                    object.name == value.object && object.id.kind == jettison_measure::Kind::Flow
                });
                if is_flow {
                    *flows.entry(&value.object).or_default() |= TELLS.contains(&value.metric);
                }
            }
        }
        let mut rows = Vec::new();
        for wanted in [true, false] {
            for (flow, _) in flows.iter().filter(|(_, is_viewer)| **is_viewer == wanted) {
                let of = if wanted { SEEN.as_slice() } else { OTHERS.as_slice() };
                for (metric, statistic) in of {
                    rows.extend(
                        self.parts(flow, *metric)
                            .into_iter()
                            .filter_map(|part| self.row(flow, wanted, *metric, part, *statistic)),
                    );
                }
            }
        }
        rows
    }

    /// The parts of a metric of a flow that any half has.
    fn parts(&self, flow: &str, metric: Metric) -> Vec<String> {
        let mut parts: Vec<String> = Vec::new();
        for value in self.pairs.iter().flatten().flat_map(|record| &record.summary) {
            let is_meant = value.object == flow && value.metric == metric;
            if is_meant && !parts.iter().any(|part| *part == value.part) {
                parts.push(value.part.to_string());
            }
        }
        parts
    }

    fn row(
        &self,
        flow: &str,
        viewer: bool,
        metric: Metric,
        part: String,
        statistic: Statistic,
    ) -> Option<Row> {
        let of = |record: &RunRecord| {
            let value = record.summary_part(flow, metric, &part)?;
            statistic.of(value.mean, value.percentiles).filter(|own| own.is_finite())
        };
        let halves: Vec<[Option<f64>; 2]> = self.pairs.iter().map(|pair| pair.each_ref().map(of)).collect();
        let mean = |side: usize| {
            let values: Vec<f64> = halves.iter().filter_map(|half| half[side]).collect();
            (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
        };
        let (original, changed) = (mean(0), mean(1));
        let differences: Vec<f64> =
            halves.iter().filter_map(|[one, other]| Some(other.as_ref()? - one.as_ref()?)).collect();
        let estimate = Estimate::of(&differences);
        if original.is_none() && changed.is_none() {
            return None;
        }
        Some(Row {
            flow: flow.to_owned(),
            viewer,
            metric: metric.name,
            part,
            statistic,
            unit: metric.unit,
            original,
            changed,
            difference: estimate.map(|estimate| estimate.mean),
            ci95: estimate.and_then(|estimate| estimate.ci95),
        })
    }
}

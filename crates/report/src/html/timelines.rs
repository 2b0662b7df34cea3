//! Series over time of queues and flows.

use std::ops::Range;

use indexmap::IndexMap;

use super::data::{Key, Lines, PlotData, thinned_to};
use super::escape::escape;
use super::lines::{Chart, Size, chart, y_span};
use super::palette::{Look, looks};
use super::series::{axis_labels, is_step, main_series, readable, scaled, shows_zero};
use super::{closeup, comparison};
use crate::error::ReportError;
use crate::store::Results;

/// Maximum number of variants in a shared plot; more get panels with common axes.
pub(super) const SHARED: usize = 3;
/// Maximum number of points in the smallest plots.
const POINTS_OF_SMALL: usize = 300;

/// Backlog, sojourn time and throughput of the selected queues.
pub(super) fn queues(results: &Results, data: &PlotData) -> Result<String, ReportError> {
    let (shown, omitted) = &data.queues;
    objects(results, data, shown, *omitted, "queue")
}

/// Goodput, congestion window, RTT and quality of experience of the selected flows.
pub(super) fn flows(results: &Results, data: &PlotData) -> Result<String, ReportError> {
    let (shown, omitted) = &data.flows;
    objects(results, data, shown, *omitted, "flow")
}

fn objects(
    results: &Results,
    data: &PlotData,
    shown: &[String],
    omitted: usize,
    kind: &str,
) -> Result<String, ReportError> {
    let mut main = String::new();
    let mut more = String::new();
    for object in shown {
        let of_object: IndexMap<&str, (&Key, &Lines)> = data
            .series
            .iter()
            .filter(|(key, _)| key.object == *object && !results.manifest.gauges.contains_key(&key.metric))
            .map(|(key, lines)| (key.metric.as_str(), (key, lines)))
            .collect();
        let wanted = main_series(|metric| of_object.contains_key(metric));
        for metric in &wanted {
            // The smoothed RTT adds nothing if the RTT itself is sampled.
            if *metric == "srtt" && of_object.contains_key("rtt") {
                continue;
            }
            let Some((key, lines)) = of_object.get(metric) else { continue };
            let close = match *metric == closeup::LAST {
                true => closeup::section(results, data, object)?,
                false => String::new(),
            };
            // Series that alternate every few seconds are readable only in the close-up.
            let whole = if close.is_empty() { &mut main } else { &mut more };
            whole.push_str(&plot(results, key, lines)?);
            main.push_str(&close);
        }
        for (metric, (key, lines)) in &of_object {
            if !wanted.contains(metric) {
                more.push_str(&plot(results, key, lines)?);
            }
        }
        // Gauges are shown because the user requested them.
        for (key, lines) in data.series.iter().filter(|(key, _)| key.object == *object) {
            if let Some(description) = results.manifest.gauges.get(&key.metric) {
                main.push_str(&plot(results, key, lines)?);
                main.push_str(&format!("<p class=\"note\">{}</p>\n", escape(description)));
            }
        }
    }
    if main.is_empty() && more.is_empty() {
        return Ok(String::new());
    }
    let mut out = String::new();
    let seeds: IndexMap<u64, ()> = first_seeds(results);
    let seeds: Vec<String> = seeds.keys().map(u64::to_string).collect();
    out.push_str(&format!(
        "<p class=\"note\">One run per variant: seed {}. {}The complete series are in the Parquet files.</p>\n",
        seeds.join(", "),
        match omitted {
            0 => String::new(),
            1 => format!("One more {kind} is not shown. "),
            n => format!("{n} more {kind}s are not shown. "),
        }
    ));
    if results.manifest.experiment.variants.len() <= SHARED {
        out.push_str(&comparison::legend(results));
    }
    out.push_str(&main);
    if !more.is_empty() {
        out.push_str(&format!("<details><summary>More series</summary>\n{more}</details>\n"));
    }
    Ok(out)
}

fn first_seeds(results: &Results) -> IndexMap<u64, ()> {
    let mut first: IndexMap<&str, u64> = IndexMap::new();
    for run in &results.manifest.runs {
        first.entry(&run.key.variant).or_insert(run.key.seed);
    }
    first.into_values().map(|seed| (seed, ())).collect()
}

fn plot(results: &Results, key: &Key, lines: &Lines) -> Result<String, ReportError> {
    let head = format!("<h3>{} of {}</h3>\n", escape(&name(key)), escape(&key.object));
    Ok(head + &over_time(results, key, lines)?)
}

/// Name of a series: its metric and, for a gauge, the part.
fn name(key: &Key) -> String {
    match key.part.as_str() {
        "" => readable(&key.metric),
        part => format!("{}, {part},", readable(&key.metric)),
    }
}

/// Plots of one series: all variants in one, or one per variant.
pub(super) fn over_time(results: &Results, key: &Key, lines: &Lines) -> Result<String, ReportError> {
    let x = 0.0..results.manifest.experiment.duration.as_secs_f64();
    let plots = Plots::new(results, key, lines, x);
    if results.manifest.experiment.variants.len() <= SHARED {
        return Ok(format!("<figure>{}</figure>\n", plots.shared(Size::Full)?));
    }
    plots.panels()
}

/// Plots of one series with common axes.
pub(super) struct Plots<'a> {
    looks: Vec<Look>,
    key: &'a Key,
    labels: (String, String),
    x: Range<f64>,
    y: Range<f64>,
    /// Values in the axis's unit.
    by_variant: IndexMap<usize, Vec<(f64, f64)>>,
}

impl<'a> Plots<'a> {
    pub(super) fn new(results: &Results, key: &'a Key, lines: &Lines, x: Range<f64>) -> Plots<'a> {
        let values = || lines.by_variant.values().flatten().map(|(_, value)| *value);
        let (unit, scale) = scaled(results.manifest.unit(&key.metric), values());
        let by_variant = lines
            .by_variant
            .iter()
            .map(|(v, line)| (*v, line.iter().map(|(t, value)| (*t, value / scale)).collect()))
            .collect();
        let mut y = y_span(values().map(|value| value / scale));
        // Times may start above zero; for amounts and rates, the axis includes zero to show relative changes.
        if unit != "ms" && results.manifest.unit(&key.metric) != "ms" {
            y.start = y.start.min(0.0);
        }
        if shows_zero(&key.metric) {
            y.start = y.start.min(-0.04 * y.end);
        }
        let looks = looks(&results.manifest.experiment);
        Plots { looks, key, labels: axis_labels(&key.metric, unit), x, y, by_variant }
    }

    /// One plot with one line per variant.
    pub(super) fn shared(&self, size: Size) -> Result<String, ReportError> {
        let title = format!("{} of {} over time, one line per variant", name(self.key), self.key.object);
        let lines = self.by_variant.iter().map(|(v, line)| (*v, line.as_slice()));
        self.chart(lines.collect(), &title, size)
    }

    /// One plot per variant.
    pub(super) fn panels(&self) -> Result<String, ReportError> {
        let (columns, size) = if self.by_variant.len() > 6 { (4, Size::Quarter) } else { (3, Size::Third) };
        let mut out = format!("<div class=\"grid{columns}\">\n");
        for (index, look) in self.looks.iter().enumerate() {
            let Some(line) = self.by_variant.get(&index) else { continue };
            let line = if size == Size::Quarter { &thinned_to(line, POINTS_OF_SMALL) } else { line };
            let name = name(self.key);
            let title = format!("{name} of {} over time under {}", self.key.object, look.title);
            out.push_str(&format!(
                "<figure><figcaption>{}<b>{}</b></figcaption>{}</figure>\n",
                look.stroke.chip(),
                escape(&look.title),
                self.chart(vec![(index, line)], &title, size)?
            ));
        }
        out.push_str("</div>\n");
        Ok(out)
    }

    fn chart(
        &self,
        lines: Vec<(usize, &[(f64, f64)])>,
        title: &str,
        size: Size,
    ) -> Result<String, ReportError> {
        chart(&Chart {
            title,
            x_label: "time (s)",
            y_label: if size == Size::Full { &self.labels.0 } else { &self.labels.1 },
            x: self.x.clone(),
            y: self.y.clone(),
            lines: lines.into_iter().map(|(v, line)| (self.looks[v].stroke, line)).collect(),
            is_step: is_step(&self.key.metric),
            size,
        })
    }
}

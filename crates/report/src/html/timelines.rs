//! Series over time: queues and flows.

use indexmap::IndexMap;

use super::data::{Key, Lines, PlotData};
use super::escape::escape;
use super::lines::{Chart, Size, chart, y_span};
use super::{comparison, palette};
use crate::error::ReportError;
use crate::store::Results;

/// So many variants share a plot before each gets its own, beside the others and on the same axes.
const SHARED: usize = 3;
/// Metrics that are shown at once, in this order, with what they are called; the others are folded away.
const MAIN: [(&str, &str); 9] = [
    ("backlog", "Backlog"),
    ("sojourn", "Sojourn time"),
    ("throughput", "Throughput"),
    ("goodput", "Goodput"),
    ("cwnd", "Congestion window"),
    ("rtt", "RTT"),
    ("srtt", "Smoothed RTT"),
    ("owd", "One-way delay"),
    ("jitter", "Jitter"),
];

/// Backlog, sojourn time and throughput of the queues that matter.
pub(super) fn queues(results: &Results, data: &PlotData) -> Result<String, ReportError> {
    let (shown, omitted) = &data.queues;
    objects(results, data, shown, *omitted, "queue")
}

/// Goodput, congestion window and RTT of the flows that matter.
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
        let of_object: IndexMap<&str, &Lines> = data
            .series
            .iter()
            .filter(|(key, _)| key.object == *object)
            .map(|(key, lines)| (key.metric.as_str(), lines))
            .collect();
        for (metric, name) in MAIN {
            // The smoothed RTT tells nothing more where the RTT itself is sampled.
            if metric == "srtt" && of_object.contains_key("rtt") {
                continue;
            }
            if let Some(lines) = of_object.get(metric) {
                main.push_str(&plot(results, object, metric, name, lines)?);
            }
        }
        for (metric, lines) in &of_object {
            if !MAIN.iter().any(|(m, _)| m == metric) {
                more.push_str(&plot(results, object, metric, &readable(metric), lines)?);
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
        "<p class=\"note\">One run a variant: seed {}. {}The whole series are in the Parquet files.</p>\n",
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

/// A metric's name as text.
pub(super) fn readable(metric: &str) -> String {
    let named = MAIN.iter().find(|(m, _)| *m == metric);
    named.map_or_else(|| metric.replace('_', " "), |(_, name)| (*name).to_owned())
}

fn plot(
    results: &Results,
    object: &str,
    metric: &str,
    name: &str,
    lines: &Lines,
) -> Result<String, ReportError> {
    let key = Key { object: object.to_owned(), metric: metric.to_owned() };
    let head = format!("<h3>{} of {}</h3>\n", escape(name), escape(object));
    Ok(head + &over_time(results, &key, lines)?)
}

/// The plots of one series: all variants in one, or one each.
pub(super) fn over_time(
    results: &Results,
    Key { object, metric }: &Key,
    lines: &Lines,
) -> Result<String, ReportError> {
    let variants = &results.manifest.experiment.variants;
    let lines = &lines.by_variant;
    let unit = results.manifest.unit(metric);
    let name = readable(metric);
    let values = || lines.values().flatten().map(|(_, value)| *value);
    let (unit, scale) = scaled(unit, values());
    let y_label = if unit.is_empty() || unit == "1" { name.clone() } else { format!("{name} ({unit})") };
    let scaled_lines: IndexMap<usize, Vec<(f64, f64)>> = lines
        .iter()
        .map(|(v, line)| (*v, line.iter().map(|(t, value)| (*t, value / scale)).collect()))
        .collect();
    let mut y = y_span(scaled_lines.values().flatten().map(|(_, value)| *value));
    // Times may be looked at closely; of amounts and rates it matters how much of the whole a change is.
    if results.manifest.unit(metric) != "ms" {
        y.start = y.start.min(0.0);
    }
    let x = 0.0..results.manifest.experiment.duration.as_secs_f64();
    let draw = |lines: Vec<usize>, title: &str, size: Size| {
        let lines =
            lines.into_iter().filter_map(|v| Some((palette::variant(v), scaled_lines.get(&v)?.as_slice())));
        let chart_ = Chart {
            title,
            x_label: "time (s)",
            y_label: if size != Size::Full { unit } else { &y_label },
            x: x.clone(),
            y: y.clone(),
            lines: lines.collect(),
            size,
        };
        chart(&chart_)
    };
    if variants.len() <= SHARED {
        let title = format!("{name} of {object} over time, a line a variant");
        return Ok(format!(
            "<figure>{}</figure>\n",
            draw(lines.keys().copied().collect(), &title, Size::Full)?
        ));
    }
    let (columns, size) = if lines.len() > 6 { (4, Size::Quarter) } else { (3, Size::Third) };
    let mut out = format!("<div class=\"grid{columns}\">\n");
    for (index, variant) in variants.iter().enumerate().filter(|(index, _)| lines.contains_key(index)) {
        let title = format!("{name} of {object} over time under {}", variant.title());
        out.push_str(&format!(
            "<figure><figcaption>{}<b>{}</b></figcaption>{}</figure>\n",
            comparison::chip(index),
            escape(&variant.title()),
            draw(vec![index], &title, size)?
        ));
    }
    out.push_str("</div>\n");
    Ok(out)
}

/// A unit in which the numbers are short, and what to divide by.
pub(super) fn scaled(unit: &str, values: impl Iterator<Item = f64>) -> (&str, f64) {
    let largest = values.fold(0.0f64, |a, b| a.max(b.abs()));
    match unit {
        "bytes" if largest >= 1e7 => ("MB", 1e6),
        "bytes" if largest >= 1e4 => ("kB", 1e3),
        "ms" if largest >= 2e4 => ("s", 1e3),
        "Mbit/s" if largest >= 1e4 => ("Gbit/s", 1e3),
        other => (other, 1.0),
    }
}

//! Cumulative distributions.

use super::data::{Key, Lines, PlotData};
use super::escape::escape;
use super::lines::{Chart, Size, chart};
use super::palette::{Look, looks};
use super::series::{axis_labels, readable, scaled};
use super::{comparison, palette};
use crate::error::ReportError;
use crate::store::Results;

/// Fraction of the values in the plots; the tail beyond would compress the rest.
pub(super) const SHOWN: f64 = 0.9975;
/// Order of the metrics; others follow.
const ORDER: [&str; 9] = [
    "frames_per_second",
    "buffer",
    "burst_time",
    "frame_latency",
    "age_of_information",
    "sojourn",
    "throughput",
    "rtt",
    "owd",
];

/// Cumulative distributions of quality of experience, sojourn time, throughput, RTT and one-way delay.
pub(super) fn section(results: &Results, data: &PlotData) -> Result<String, ReportError> {
    let mut plots = String::new();
    let order = |metric: &str| ORDER.iter().position(|m| *m == metric).unwrap_or(usize::MAX);
    let mut shown: Vec<(&Key, &Lines)> = data.cdfs.iter().collect();
    shown.sort_by_key(|(key, _)| order(&key.metric)); // stable: objects keep their order
    for (key, lines) in shown {
        plots.push_str(&cdf(results, key, lines, SHOWN)?);
    }
    if plots.is_empty() {
        return Ok(String::new());
    }
    let averaged = match results.manifest.experiment.seeds.len() {
        1 => "",
        _ => " Quantiles are averaged over seeds.",
    };
    let sampled = match data.cdfs.keys().any(|key| key.metric == "frames_per_second") {
        true => {
            " Frames per second and buffer are sampled each second; for a load, they are means over its players."
        }
        false => "",
    };
    let legend = if fits(results) { comparison::legend(results) } else { String::new() };
    Ok(format!(
        "<p class=\"note\">Fraction of values up to x, after the warm-up.{averaged} Throughput is per \
         sampling interval.{sampled}</p>\n{legend}<div class=\"grid2\">\n{plots}</div>\n"
    ))
}

/// Whether one plot can distinguish all variants.
pub(super) fn fits(results: &Results) -> bool {
    results.manifest.experiment.variants.len() <= palette::DISTINCT
}

/// Plots of a fraction of one distribution: all variants in one plot, or groups of as many as there are colours, on
/// the same axes.
pub(super) fn cdf(
    results: &Results,
    Key { object, metric, .. }: &Key,
    lines: &Lines,
    shown: f64,
) -> Result<String, ReportError> {
    let looks: Vec<Look> = looks(&results.manifest.experiment);
    let lines = &lines.by_variant;
    let name = readable(metric);
    let quantile = |line: &[(f64, f64)], share: f64| line.iter().find(|(_, s)| *s >= share).map(|(v, _)| *v);
    let ends = || lines.values().filter_map(|line| quantile(line, shown));
    let (unit, scale) = scaled(results.manifest.unit(metric), ends());
    let high = ends().fold(f64::MIN, f64::max) / scale;
    let low = lines.values().filter_map(|line| quantile(line, 0.0)).fold(f64::MAX, f64::min) / scale;
    let x = if low > high {
        return Ok(String::new());
    } else {
        span(low, high)
    };
    let (label, _) = axis_labels(metric, unit);
    let title = format!("Cumulative distribution of {name} of {object}, one line per variant");
    let mut out = String::new();
    for group in (0..looks.len()).collect::<Vec<_>>().chunks(palette::DISTINCT) {
        let scaled: Vec<(usize, Vec<(f64, f64)>)> = group
            .iter()
            .filter_map(|v| {
                Some((*v, lines.get(v)?.iter().map(|(value, share)| (value / scale, *share)).collect()))
            })
            .collect();
        if scaled.is_empty() {
            continue;
        }
        let legend = match fits(results) {
            true => String::new(),
            false => comparison::legend_of(scaled.iter().map(|(v, _)| &looks[*v])),
        };
        let drawn = chart(&Chart {
            title: &title,
            x_label: &label,
            y_label: "share",
            x: x.clone(),
            y: 0.0..1.0,
            lines: scaled.iter().map(|(v, line)| (looks[*v].stroke, line.as_slice())).collect(),
            is_step: false,
            size: Size::Half,
        })?;
        out.push_str(&format!(
            "<figure><figcaption><b>{}</b> of {}{legend}</figcaption>{drawn}</figure>\n",
            escape(&name),
            escape(object),
        ));
    }
    Ok(out)
}

fn span(low: f64, high: f64) -> std::ops::Range<f64> {
    if low >= 0.0 && low < 0.5 * high {
        return 0.0..high * 1.02;
    }
    let margin = ((high - low) * 0.04).max(high.abs() * 1e-3).max(1e-9);
    low - margin..high + margin
}

//! Drops and marks by reason.

use std::collections::HashMap;

use indexmap::IndexSet;
use jettison_core::DropReason;

use super::bars::{Bar, chart};
use super::comparison::number_cell;
use super::escape::escape;
use super::palette;
use crate::error::ReportError;
use crate::number;
use crate::store::Results;
use crate::summary::SummaryRow;

/// Whether a drop for a reason loses a flow's packet. The end of a clone is counted but is not a loss.
fn is_loss(reason: &str) -> bool {
    DropReason::from_name(reason).is_none_or(DropReason::is_loss)
}

/// Packets dropped or marked, by queue and reason.
pub(super) fn section(results: &Results) -> Result<String, ReportError> {
    let mut out = String::new();
    // A reason has the same colour for drops and for marks.
    let rows = results.summary.rows.iter().filter(|r| is_counted(r));
    let reasons: IndexSet<&str> = rows.map(|row| row.part.as_str()).collect();
    for (metric, title) in [("drops", "Drops"), ("marks", "Marks")] {
        out.push_str(&stacked(results, metric, title, &reasons)?);
    }
    if out.is_empty() {
        out.push_str("<p>No drops or marks after the warm-up.</p>\n");
    } else {
        out.push_str(&table(results));
    }
    let missing: u64 = results.manifest.runs.iter().map(|run| run.drops_not_logged).sum();
    if missing > 0 {
        out.push_str(&format!(
            "<p class=\"note\">{} drops are counted here but exceed the drop log's capacity.</p>\n",
            number::count(missing as f64)
        ));
    }
    Ok(out)
}

/// Whether a row counts drops or marks for one reason.
fn is_counted(row: &SummaryRow) -> bool {
    matches!(row.metric.as_str(), "drops" | "marks") && !row.part.is_empty() && is_loss(&row.part)
}

/// Stacked bars of the reasons, over all queues.
fn stacked(
    results: &Results,
    metric: &str,
    title: &str,
    colours: &IndexSet<&str>,
) -> Result<String, ReportError> {
    let rows = || results.summary.rows.iter().filter(|r| r.metric == metric && is_counted(r));
    let reasons: IndexSet<&str> = rows().map(|row| row.part.as_str()).collect();
    if reasons.is_empty() {
        return Ok(String::new());
    }
    let colour = |reason: &str| palette::part(colours.get_index_of(reason).unwrap_or(0));
    let experiment = &results.manifest.experiment;
    let bars: Vec<Bar> = experiment
        .variants
        .iter()
        .zip(palette::looks(experiment))
        .map(|(variant, look)| {
            let count = |reason: &str| -> f64 {
                rows()
                    .filter(|r| r.variant == variant.name && r.part == reason)
                    .map(|r| r.estimate.mean)
                    .sum()
            };
            let parts: Vec<_> = reasons.iter().map(|reason| (colour(reason), count(reason))).collect();
            let total: f64 = parts.iter().map(|(_, length)| length).sum();
            Bar { label: look.title, parts, interval: None, text: number::count(total) }
        })
        .collect();
    let legend: String = reasons
        .iter()
        .map(|reason| {
            let colour = palette::css(colour(reason));
            format!("<li><span class=\"chip\" style=\"background:{colour}\"></span>{}</li>", escape(reason))
        })
        .collect();
    let drawn = chart(&format!("{title} by reason, one bar per variant"), "packets per run", &bars, 2140)?;
    Ok(format!(
        "<h3>{title} by reason, all queues</h3>\n<ul class=\"legend\">{legend}</ul>\n<figure>{drawn}</figure>\n"
    ))
}

fn table(results: &Results) -> String {
    let rows = || {
        results
            .summary
            .rows
            .iter()
            .filter(|r| matches!(r.metric.as_str(), "drops" | "marks") && !r.part.is_empty())
    };
    let columns: IndexSet<(&str, &str, &str)> =
        rows().map(|r| (r.object.as_str(), r.metric.as_str(), r.part.as_str())).collect();
    let by_name: HashMap<_, &SummaryRow> = rows()
        .map(|r| ((r.variant.as_str(), r.object.as_str(), r.metric.as_str(), r.part.as_str()), r))
        .collect();
    let mut out =
        String::from("<div class=\"scroll\"><table>\n<thead><tr><th>object</th><th></th><th>reason</th>");
    let variants = &results.manifest.experiment.variants;
    for look in palette::looks(&results.manifest.experiment) {
        out.push_str(&format!("<th class=\"number\">{}</th>", look.named()));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for (object, metric, part) in columns {
        out.push_str(&format!("<tr><td>{}</td><td>{metric}</td><td>{}</td>", escape(object), escape(part)));
        for variant in variants {
            let row = by_name.get(&(variant.name.as_str(), object, metric, part));
            out.push_str(&number_cell(&row.map_or_else(
                || "0".to_owned(),
                |row| match row.estimate.ci95 {
                    Some([low, high]) if high > low => {
                        number::with_interval(row.estimate.mean, row.estimate.ci95)
                    }
                    _ => number::count(row.estimate.mean),
                },
            )));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n");
    let clones: IndexSet<&str> = rows().map(|row| row.part.as_str()).filter(|part| !is_loss(part)).collect();
    for reason in clones {
        out.push_str(&format!(
            "<p class=\"note\"><code>{}</code> counts clones, which do not belong to flows: no packet was lost.</p>\n",
            escape(reason)
        ));
    }
    out
}

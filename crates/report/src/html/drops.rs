//! Drops and marks by reason.

use std::collections::HashMap;

use indexmap::IndexSet;
use jettison_core::DropReason;
use minijinja::context;
use serde::Serialize;

use super::aligned::Short;
use super::numbers::Number;
use super::palette::Ink;
use super::pictures::{Kind, Part, Picture, Row, Rows};
use super::templates::rendered;
use super::{Page, Section};
use crate::error::ReportError;
use crate::number;
use crate::store::Results;
use crate::summary::SummaryRow;

/// Maximum number of pictures that are shown at first.
const FIRST: usize = 1;

/// Whether a drop for a reason loses a flow's packet. The end of a clone is counted but is not a loss.
fn is_loss(reason: &str) -> bool {
    DropReason::from_name(reason).is_none_or(DropReason::is_loss)
}

/// Packets dropped or marked, by queue and reason.
pub(super) fn section(page: &mut Page<'_>) -> Result<Section, ReportError> {
    // A reason has the same colour for drops and for marks.
    let rows = page.results.summary.rows.iter().filter(|r| is_counted(r));
    let reasons: IndexSet<&str> = rows.map(|row| row.part.as_str()).collect();
    let mut pictures = Vec::new();
    for (metric, title) in [("drops", "Drops"), ("marks", "Marks")] {
        pictures.extend(stacked(page, metric, title, &reasons)?);
    }
    let shown = page.budget.shown(pictures, FIRST);
    let missing: u64 = page.results.manifest.runs.iter().map(|run| run.drops_not_logged).sum();
    let body = rendered(
        "drops.html",
        context! {
            rows => table(page.results),
            clones => clones(page.results),
            looks => page.looks,
            missing => (missing > 0).then(|| number::count(missing as f64)),
            is_empty => shown.is_empty(),
            shown,
        },
    )?;
    Ok(Section { id: "drops", title: "Drops and marks", body })
}

/// Whether a row counts drops or marks for one reason.
fn is_counted(row: &SummaryRow) -> bool {
    matches!(row.metric.as_str(), "drops" | "marks") && !row.part.is_empty() && is_loss(&row.part)
}

/// Stacked bars of the reasons, over all queues.
fn stacked(
    page: &Page<'_>,
    metric: &str,
    title: &str,
    colours: &IndexSet<&str>,
) -> Result<Option<Picture>, ReportError> {
    let rows = || page.results.summary.rows.iter().filter(|r| r.metric == metric && is_counted(r));
    let reasons: IndexSet<&str> = rows().map(|row| row.part.as_str()).collect();
    if reasons.is_empty() {
        return Ok(None);
    }
    let mut counts: HashMap<(&str, &str), f64> = HashMap::new();
    for row in rows() {
        *counts.entry((&row.variant, &row.part)).or_default() += row.estimate.mean;
    }
    let part = |reason: &&str| Part {
        name: (*reason).to_owned(),
        ink: Ink::part(colours.get_index_of(*reason).unwrap_or(0)),
    };
    let variants = &page.results.manifest.experiment.variants;
    let row = |(variant, look): (usize, &super::palette::Look)| {
        let count = |reason: &&str| counts.get(&(variants[variant].name.as_str(), *reason)).copied();
        let lengths: Vec<f64> = reasons.iter().map(|reason| count(reason).unwrap_or(0.0)).collect();
        Row {
            variant,
            label: look.title.clone(),
            text: number::count(lengths.iter().sum()),
            parts: lengths
                .into_iter()
                .enumerate()
                .map(|(part, length)| (Some(part), Short(length)))
                .collect(),
            mean: None,
            interval: None,
            sure: false,
        }
    };
    let rows = Rows {
        kind: Kind::Bars,
        title: format!("{title} by reason, one bar per variant"),
        axis: "packets per run".to_owned(),
        parts: reasons.iter().map(part).collect(),
        rows: page.looks.iter().enumerate().map(row).collect(),
    };
    rows.picture(&format!("{title} by reason"), ", all queues".to_owned()).map(Some)
}

#[derive(Serialize)]
struct TableRow<'a> {
    object: &'a str,
    metric: &'a str,
    reason: &'a str,
    cells: Vec<Number>,
}

fn counted(results: &Results) -> impl Iterator<Item = &SummaryRow> {
    let rows = results.summary.rows.iter();
    rows.filter(|r| matches!(r.metric.as_str(), "drops" | "marks") && !r.part.is_empty())
}

fn table(results: &Results) -> Vec<TableRow<'_>> {
    let keys: IndexSet<(&str, &str, &str)> =
        counted(results).map(|r| (r.object.as_str(), r.metric.as_str(), r.part.as_str())).collect();
    let by_name: HashMap<_, &SummaryRow> = counted(results)
        .map(|r| ((r.variant.as_str(), r.object.as_str(), r.metric.as_str(), r.part.as_str()), r))
        .collect();
    let cell = |row: Option<&&SummaryRow>| match row {
        None => "0".to_owned(),
        Some(row) => match row.estimate.ci95 {
            Some([low, high]) if high > low => number::with_interval(row.estimate.mean, row.estimate.ci95),
            _ => number::count(row.estimate.mean),
        },
    };
    let variants = &results.manifest.experiment.variants;
    let rows = keys.into_iter().map(|(object, metric, reason)| TableRow {
        object,
        metric,
        reason,
        cells: variants
            .iter()
            .map(|variant| Number::of(&cell(by_name.get(&(variant.name.as_str(), object, metric, reason)))))
            .collect(),
    });
    rows.collect()
}

/// Reasons that end clones.
fn clones(results: &Results) -> IndexSet<&str> {
    counted(results).map(|row| row.part.as_str()).filter(|part| !is_loss(part)).collect()
}

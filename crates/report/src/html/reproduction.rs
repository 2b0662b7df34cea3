//! The section that compares a paper's figures with ours.

use minijinja::context;
use serde::Serialize;

use super::Section;
use super::numbers::Number;
use super::templates::rendered;
use crate::error::ReportError;
use crate::number;
use crate::reproduction::legend;
use crate::store::Results;

#[derive(Serialize)]
struct Row<'a> {
    figure: &'a str,
    variant: &'a str,
    metric: String,
    cells: [Number; 4],
    class: String,
    verdict: String,
    note: &'a str,
}

/// The paper's figures compared with ours.
pub(super) fn section(results: &Results) -> Result<Section, ReportError> {
    if results.reproduction.is_empty() {
        return Ok(Section::none());
    }
    let row = results.reproduction.iter().map(|row| {
        let ours = row.ours.map(|ours| number::with_interval(ours, row.ci95));
        let verdict = row.verdict.to_string();
        Row {
            figure: &row.figure,
            variant: &row.variant,
            metric: match row.unit.as_str() {
                "" => row.metric.clone(),
                unit => format!("{} ({unit})", row.metric),
            },
            cells: [
                Number::of(&row.paper_text()),
                Number::or_dash(ours),
                Number::or_dash(row.ratio.map(number::plain)),
                Number::of(&row.effect_text()),
            ],
            class: verdict.replace(' ', "-"),
            verdict,
            note: &row.note,
        }
    });
    let rows: Vec<Row<'_>> = row.collect();
    let words = legend(&results.reproduction);
    let body = rendered("reproduction.html", context! { rows, words })?;
    Ok(Section { id: "reproduction", title: "Comparison with the paper", body })
}

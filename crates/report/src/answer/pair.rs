//! The answer of two results side by side.

use std::collections::HashSet;

use super::Answer;
use super::words::{listed, seeds, with_unit};
use crate::columns::default_columns;
use crate::number;
use crate::side_by_side::{PairRow, Side, SideBySide};

/// Maximum number of differences that are named.
const NAMED: usize = 3;

impl SideBySide {
    /// The metrics that tables show of either.
    pub(crate) fn shown_metrics(&self) -> HashSet<String> {
        let columns = [&self.a, &self.b].into_iter().flat_map(default_columns);
        columns.map(|column| column.metric).collect()
    }

    /// Whether the two differ beyond chance, and in what most.
    pub fn answer(&self) -> Answer {
        let [a, b] = [Side::A, Side::B].map(|side| {
            let experiment = &self.side(side).manifest.experiment;
            let about = format!("{side:?} ({}, {})", experiment.mode, seeds(experiment.seeds.len()));
            (&experiment.name, about)
        });
        let mut sentences = vec![match a.0 == b.0 {
            true => format!("{}: {} against {}.", a.0, a.1, b.1),
            false => format!("{} is {}, {} is {}.", a.1, a.0, b.1, b.0),
        }];
        let shown = self.shown_metrics();
        let rows: Vec<&PairRow> = self.rows.iter().filter(|row| shown.contains(&row.metric)).collect();
        let identical = self.rows.iter().filter(|row| row.is_identical).count();
        if rows.is_empty() {
            sentences.push("They have no variant, object and metric in common.".to_owned());
        } else if identical == self.rows.len() {
            sentences.push("They are the same: every value is equal under every seed.".to_owned());
        } else if rows.iter().all(|row| row.difference.estimate.ci95.is_none()) {
            sentences.push("With one seed there is no telling whether they differ beyond chance.".to_owned());
        } else {
            sentences.extend(differing(&rows));
        }
        sentences.extend(self.warnings.iter().map(|warning| format!("Doubtful: {}.", warning.text)));
        Answer { sentences, ..Answer::default() }
    }
}

/// How many of the values differ beyond chance, and those that differ most for their size.
fn differing(rows: &[&PairRow]) -> Vec<String> {
    // Values that print alike are not worth a word.
    let differs = |row: &&PairRow| {
        row.difference.estimate.excludes(0.0) && number::plain(row.a.mean) != number::plain(row.b.mean)
    };
    let mut clear: Vec<&PairRow> = rows.iter().copied().filter(differs).collect();
    if clear.is_empty() {
        return vec![format!("None of {} values that tables show differs beyond chance.", rows.len())];
    }
    let factor = |row: &PairRow| row.ratio().map_or(f64::INFINITY, |ratio| libm::log(ratio.abs()).abs());
    clear.sort_by(|one, other| factor(other).total_cmp(&factor(one)));
    let several = rows.iter().any(|row| row.variant != rows[0].variant);
    let text = |row: &&PairRow| {
        let under = if several { format!(" under {}", row.variant) } else { String::new() };
        let unit = if row.unit == "1" { "" } else { row.unit.as_str() };
        format!(
            "{} of {}{under} ({} against {})",
            row.metric.replace('_', " "),
            row.object,
            number::plain(row.a.mean),
            with_unit(&number::plain(row.b.mean), unit)
        )
    };
    let most: Vec<String> = clear.iter().take(NAMED).map(text).collect();
    let most: Vec<&str> = most.iter().map(String::as_str).collect();
    vec![format!(
        "{} of {} values that tables show differ beyond chance, most for their size {}.",
        clear.len(),
        rows.len(),
        listed(&most)
    )]
}

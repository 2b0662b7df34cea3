//! Reproductions: a paper's figures beside ours.
//!
//! A paper's experiment is a scenario with the paper's figures beside it (`<experiment>.paper.toml`). [`rows`] reads
//! our values from a run's summary and sets each beside the paper's. Nothing here changes a model: a difference gets
//! the verdict that it has, and the note that says why.

mod library;
mod paper;
mod verdict;

use std::collections::BTreeMap;

use jettison_report::{ReproductionRow, RunSummary};

pub use library::{Experiment, Library, LibraryError, files_beside};
pub use paper::{Paper, PaperError, Pick, Row, plots_beside};
pub use verdict::rows;

/// The paper's figures beside those of the runs of `experiment` (its paper and its name).
pub fn rows_of(experiment: (&str, &str), paper: &Paper, runs: &[RunSummary]) -> Vec<ReproductionRow> {
    let value = |pick: &Pick| {
        runs.iter()
            .filter(|run| run.key.variant == pick.variant)
            .filter_map(|run| Some((run.key.seed, pick.value_in(run)?)))
            .collect::<BTreeMap<u64, f64>>()
    };
    let mut rows = rows(paper, &value);
    for row in &mut rows {
        row.paper = experiment.0.to_owned();
        row.experiment = experiment.1.to_owned();
    }
    rows
}

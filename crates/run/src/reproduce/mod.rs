//! Reproductions: a paper's figures compared with our results.
//!
//! A paper's experiment is a scenario with a figures file beside it (`<experiment>.paper.toml`). [`rows`] reads our
//! values from the runs' summaries and compares each with the paper's. No model is adjusted: a difference is reported
//! with its verdict and a note on the cause.

mod among;
mod claims;
mod effect;
pub(crate) mod library;
mod paper;
mod verdict;

use jettison_report::{ReproductionRow, RunSummary};

pub use among::{Comparison, Extreme};
pub use claims::{Claim, Claims, Kind};
pub use library::{Experiment, Library, LibraryError, files_beside};
pub use paper::{Paper, PaperError, Pick, Row, plots_beside};
pub use verdict::rows;

/// Compares the figures of `experiment` (paper and name) with its runs.
pub fn rows_of(experiment: (&str, &str), paper: &Paper, runs: &[RunSummary]) -> Vec<ReproductionRow> {
    let mut rows = rows(paper, runs);
    for row in &mut rows {
        row.paper = experiment.0.to_owned();
        row.experiment = experiment.1.to_owned();
    }
    rows
}

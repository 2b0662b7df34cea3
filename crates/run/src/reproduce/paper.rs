//! What a paper's figures file says.

use std::path::Path;

use jettison_report::Figure;
use serde::Deserialize;
use thiserror::Error;

/// The figures of one experiment, as its paper gives them.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paper {
    /// The paper, for reports.
    pub paper: String,
    /// The experiment's name.
    pub experiment: String,
    /// The figures that are numbers.
    #[serde(rename = "row", default)]
    pub rows: Vec<Row>,
    /// The figures that are plots: the report draws ours.
    #[serde(rename = "plot", default)]
    pub plots: Vec<Figure>,
}

/// One figure of the paper.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Where the paper gives it, or what it is of.
    pub figure: String,
    /// Rows of one series are compared by direction: does ours move from row to row as the paper's does?
    pub series: Option<String>,
    /// What is measured.
    pub metric: String,
    /// Its unit, after `scale`.
    pub unit: String,
    /// The paper's value.
    pub value: f64,
    /// How exactly the paper gives it: `text`, `table`, `plot` (read off) or `direction` (a claim without a number).
    pub exact: Exactness,
    /// How far apart, as a share of the paper's value, still counts as agreeing.
    #[serde(default = "default_tolerance")]
    pub tolerance: f64,
    /// The value that says "no difference": a ratio's 1, a gain's 0.
    pub neutral: Option<f64>,
    /// Which of our values it is.
    pub ours: Pick,
    /// Which of our values it is divided by, seed by seed.
    pub over: Option<Pick>,
    /// Ours is multiplied by this.
    #[serde(default = "one")]
    pub scale: f64,
    /// And then this is added.
    #[serde(default)]
    pub offset: f64,
    /// Why a difference is to be expected.
    #[serde(default)]
    pub note: String,
}

/// How exactly a paper gives a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Exactness {
    /// In a sentence.
    Text,
    /// In a table.
    Table,
    /// Read off a plot.
    Plot,
    /// In words: the value says no more than on which side of `neutral` the paper's lies.
    Direction,
}

/// One summary value of ours.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pick {
    /// The variant's name.
    pub variant: String,
    /// The object; `tcp.*` stands for the mean of all whose names begin with `tcp.`.
    pub object: String,
    /// The metric; `drops:codel` names a part.
    pub metric: String,
    /// `mean` (default), `p50`, `p95` or `p99`.
    #[serde(default)]
    pub statistic: Statistic,
}

/// Which number of a summary value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Statistic {
    /// The mean over the run.
    #[default]
    Mean,
    /// The median.
    P50,
    /// The 95th percentile.
    P95,
    /// The 99th percentile.
    P99,
}

/// A figures file that cannot be read.
#[derive(Debug, Error)]
#[error("{file}: {message}")]
pub struct PaperError {
    /// The file.
    pub file: String,
    /// What is wrong, with the line.
    pub message: String,
}

impl Paper {
    /// Reads a figures file.
    pub fn parse(file: &str, text: &str) -> Result<Paper, PaperError> {
        toml::from_str(text).map_err(|error| PaperError { file: file.to_owned(), message: error.to_string() })
    }
}

/// The plots that a figures file beside the scenario asks for.
pub fn plots_beside(file: &Path) -> Result<Vec<Figure>, PaperError> {
    let Some(stem) = file.file_stem().and_then(|stem| stem.to_str()) else { return Ok(Vec::new()) };
    let path = file.with_file_name(format!("{stem}.paper.toml"));
    match std::fs::read_to_string(&path) {
        Ok(text) => Paper::parse(&path.display().to_string(), &text).map(|paper| paper.plots),
        Err(_) => Ok(Vec::new()),
    }
}

fn default_tolerance() -> f64 {
    0.1
}

fn one() -> f64 {
    1.0
}

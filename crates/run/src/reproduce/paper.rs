//! The format of a paper's figures file.

use std::path::Path;

use jettison_input::file;
use jettison_report::Figure;
use serde::Deserialize;
use thiserror::Error;

/// The figures of one experiment in its paper.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paper {
    /// Name of the paper in reports.
    pub paper: String,
    /// Name of the experiment.
    pub experiment: String,
    /// Figures that are numbers.
    #[serde(rename = "row", default)]
    pub rows: Vec<Row>,
    /// Figures that are plots, which the report draws from our results.
    #[serde(rename = "plot", default)]
    pub plots: Vec<Figure>,
}

/// One number of the paper.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Its place in the paper, or its subject.
    pub figure: String,
    /// Rows of one series are also compared by direction: whether ours changes from row to row as the paper's does.
    pub series: Option<String>,
    /// The quantity.
    pub metric: String,
    /// The unit, after `scale`.
    pub unit: String,
    /// The paper's value.
    pub value: f64,
    /// Precision of the source: `text`, `table`, `plot` (read off) or `direction` (a claim without a number).
    pub exact: Exactness,
    /// Maximum difference that counts as agreement, as a fraction of the paper's value.
    #[serde(default = "default_tolerance")]
    pub tolerance: f64,
    /// The value that means "no difference": 1 for a ratio, 0 for a gain.
    pub neutral: Option<f64>,
    /// Our value to compare.
    pub ours: Pick,
    /// Our value to divide by, seed by seed.
    pub over: Option<Pick>,
    /// Factor for our value.
    #[serde(default = "one")]
    pub scale: f64,
    /// Offset for our value, added after scaling.
    #[serde(default)]
    pub offset: f64,
    /// Explanation of an expected difference.
    #[serde(default)]
    pub note: String,
}

/// Precision of a paper's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Exactness {
    /// In a sentence.
    Text,
    /// In a table.
    Table,
    /// Read off a plot.
    Plot,
    /// In words: the value only says on which side of `neutral` the paper's result is.
    Direction,
}

/// One of our summary values.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pick {
    /// The variant's name.
    pub variant: String,
    /// The object; `tcp.*` stands for the mean of all whose names begin with `tcp.`.
    pub object: String,
    /// The metric, or a part of one, such as `drops:codel`.
    pub metric: String,
    /// `mean` (default), `p50`, `p95` or `p99`.
    #[serde(default)]
    pub statistic: Statistic,
}

/// The statistic of a summary value.
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

/// A figures file that cannot be read or parsed.
#[derive(Debug, Error)]
#[error("{file}: {message}")]
pub struct PaperError {
    /// The file.
    pub file: String,
    /// The error, with its line.
    pub message: String,
}

impl Paper {
    /// Parses a figures file.
    pub fn parse(file: &str, text: &str) -> Result<Paper, PaperError> {
        toml::from_str(text).map_err(|error| PaperError { file: file.to_owned(), message: error.to_string() })
    }
}

/// Reads the plots from the figures file beside a scenario, if there is one.
pub fn plots_beside(file: &Path) -> Result<Vec<Figure>, PaperError> {
    let Some(stem) = file.file_stem().and_then(|stem| stem.to_str()) else { return Ok(Vec::new()) };
    let path = file.with_file_name(format!("{stem}.paper.toml"));
    match file::read_text(&path, file::TEXT) {
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

//! The format of a paper's figures file.

use std::collections::BTreeMap;
use std::path::Path;

use jettison_input::file;
use jettison_report::{Figure, Sentence};
use serde::Deserialize;
use thiserror::Error;

use super::among::Extreme;

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
    /// The series: its rows are judged by the change from its reference row.
    pub series: Option<String>,
    /// Whether it is the reference row of its series, which otherwise is the first one.
    #[serde(default)]
    pub reference: bool,
    /// The quantity.
    pub metric: String,
    /// The unit, after `scale`.
    pub unit: String,
    /// The paper's value; a nominal one on the paper's side for a direction; absent if the paper gives none.
    pub value: Option<f64>,
    /// Precision of the source: `text`, `table`, `plot` (read off), `direction` (a claim without a number) or `none`.
    pub exact: Exactness,
    /// Maximum difference that counts as agreement, as a fraction of the paper's value.
    #[serde(default = "default_tolerance")]
    pub tolerance: f64,
    /// The value that means "no effect": 1 for a ratio, 0 for a gain.
    pub neutral: Option<f64>,
    /// What the paper's sentence says of the value, where its number does not: by default, on which side of `neutral`
    /// (or of the reference row) it is.
    pub sentence: Option<Sentence>,
    /// Our value to compare.
    pub ours: Pick,
    /// Our value to divide by, seed by seed.
    pub over: Option<Pick>,
    /// Values for each `{name}` in the variants and objects of `ours` and `over`: one comparison per combination.
    #[serde(default)]
    pub among: BTreeMap<String, Vec<String>>,
    /// Which of these comparisons the row takes: `smallest` or `largest`.
    pub extreme: Option<Extreme>,
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
    /// Neither a number nor a direction: the row documents a quantity of ours.
    None,
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
        let wrong = |message: String| PaperError { file: file.to_owned(), message };
        let paper: Paper = toml::from_str(text).map_err(|error| wrong(error.to_string()))?;
        for row in &paper.rows {
            row.check().map_err(|message| wrong(format!("row `{}`: {message}", row.figure)))?;
        }
        for row in paper.rows.iter().filter(|row| row.reference) {
            let references = |other: &&Row| other.reference && other.series == row.series;
            if paper.rows.iter().filter(references).count() > 1 {
                let series = row.series.as_deref().unwrap_or_default();
                return Err(wrong(format!("series `{series}` must have at most one reference row")));
            }
        }
        for row in paper.rows.iter().filter(|row| row.exact != Exactness::None && row.sentence.is_none()) {
            let reference = row.series.as_ref().and_then(|_| paper.reference_of(row));
            if reference.is_some_and(|reference| reference.value.is_none()) {
                let message = "`sentence` is required, since the reference row of its series has no value";
                return Err(wrong(format!("row `{}`: {message}", row.figure)));
            }
        }
        Ok(paper)
    }

    /// The reference row of the series of `row`.
    fn reference_of(&self, row: &Row) -> Option<&Row> {
        let of_series = || self.rows.iter().filter(|other| other.series == row.series);
        of_series().find(|other| other.reference).or_else(|| of_series().next())
    }
}

impl Row {
    /// Checks that the row's keys fit each other.
    fn check(&self) -> Result<(), String> {
        self.check_among()?;
        if self.neutral.is_some() && self.series.is_some() {
            return Err(
                "`neutral` and `series` exclude each other: a row is compared with one thing".to_owned()
            );
        }
        if self.reference && self.series.is_none() {
            return Err("`reference` requires `series`".to_owned());
        }
        if !(self.tolerance >= 0.0 && self.tolerance.is_finite()) {
            return Err(format!("`tolerance` must be >= 0, got {}", self.tolerance));
        }
        match (self.exact, self.value) {
            (Exactness::None, None) => return Ok(()),
            (Exactness::None, Some(_)) => return Err("`exact = \"none\"` excludes `value`".to_owned()),
            (_, Some(value)) if !value.is_finite() => {
                return Err(format!("`value` must be finite, got {value}"));
            }
            (Exactness::Direction, None) if self.sentence.is_none() => {
                return Err("`exact = \"direction\"` requires `value` or `sentence`".to_owned());
            }
            (Exactness::Direction, _) if self.neutral.is_none() && self.series.is_none() => {
                return Err("`exact = \"direction\"` requires `neutral` or `series`".to_owned());
            }
            (Exactness::Text | Exactness::Table | Exactness::Plot, None) => {
                return Err("`value` is required unless `exact` is \"direction\" or \"none\"".to_owned());
            }
            _ => {}
        }
        self.check_sentence()
    }

    fn check_sentence(&self) -> Result<(), String> {
        let Some(sentence) = self.sentence else {
            return match (self.exact, self.value, self.neutral) {
                (Exactness::Direction, value, neutral @ Some(_)) if value == neutral => {
                    Err("a direction whose `value` is `neutral` requires `sentence`".to_owned())
                }
                _ => Ok(()),
            };
        };
        if sentence == Sentence::Monotone && (self.series.is_none() || self.value.is_none()) {
            return Err("`sentence = \"monotone\"` requires `series` and `value`".to_owned());
        }
        if sentence != Sentence::Equal && self.neutral.is_none() && self.series.is_none() {
            return Err("`sentence` other than \"equal\" requires `neutral` or `series`".to_owned());
        }
        let (Some(neutral), Some(value)) = (self.neutral, self.value) else { return Ok(()) };
        let fits = match sentence {
            Sentence::Less => value <= neutral,
            Sentence::Greater => value >= neutral,
            Sentence::Equal => value == neutral,
            Sentence::Monotone => true,
        };
        let word = format!("{sentence:?}").to_lowercase();
        fits.then_some(()).ok_or_else(|| {
            format!("`value` {value} is on the other side of `neutral` {neutral} than `sentence = \"{word}\"` says")
        })
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

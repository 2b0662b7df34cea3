//! The answer of a comparison in plain words: what was compared, who is better for the viewer or user and by how much, and
//! what it costs others.
//!
//! A variant is called better only if the 95 % interval of each of its differences, paired by seed, excludes zero. Variants
//! with impossible values take no part.

mod blocks;
mod measures;
mod pair;
mod single;
#[cfg(test)]
mod tests;
mod verdict;
mod words;

use serde::{Deserialize, Serialize};

use crate::columns::{Column, Statistic, default_columns};
use crate::comparison::Comparison;
use crate::model::{Mode, Status};
use crate::store::Results;

use blocks::Block;
pub use measures::{FeltMetric, felt_metrics};
use measures::{Measure, Measures};
pub(crate) use verdict::difference_text;

/// What results say, in plain words.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Answer {
    /// The sentences in reading order: what was compared, who is better, what it costs, what is doubtful.
    pub sentences: Vec<String>,
    /// Names of the variants that are better than all others beyond chance in what is named first; empty if none is.
    pub best: Vec<String>,
    /// What the sentences judge by, in their order: tables begin with it.
    #[serde(skip)]
    pub(crate) judged: Vec<Judged>,
}

/// A metric that an answer judges by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Judged {
    metric: String,
    statistic: Statistic,
}

impl Judged {
    fn of(comparison: &Comparison<'_>, measure: &Measure) -> Judged {
        let Column { metric, statistic, .. } = &comparison.columns[measure.at];
        Judged { metric: metric.clone(), statistic: *statistic }
    }

    /// Whether a column has its values, of whatever flows.
    pub fn is_in(&self, column: &Column) -> bool {
        self.metric == column.metric && self.statistic == column.statistic
    }
}

impl Answer {
    /// The sentences as one paragraph.
    pub fn text(&self) -> String {
        self.sentences.join(" ")
    }
}

/// An answer in the output of `run --json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerRecord {
    /// Always `answer`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Name of the scenario.
    pub scenario: String,
    /// Execution mode: `sim` or `live`.
    pub mode: Mode,
    /// The paragraph.
    pub answer: String,
    /// Names of the variants that are better than all others beyond chance in what is named first.
    pub best: Vec<String>,
}

impl AnswerRecord {
    /// The record of results.
    pub fn of(results: &Results) -> AnswerRecord {
        let experiment = &results.manifest.experiment;
        let found = answer(results);
        AnswerRecord {
            kind: "answer".to_owned(),
            scenario: experiment.name.clone(),
            mode: experiment.mode,
            answer: found.text(),
            best: found.best,
        }
    }
}

/// The answer that results give.
pub fn answer(results: &Results) -> Answer {
    let comparison = Comparison::with(results, default_columns(results));
    let mut found = Answer { sentences: vec![words::compared(results)], ..Answer::default() };
    if results.runs.is_empty() {
        found.sentences.push("No run measured anything.".to_owned());
        return found;
    }
    let measures = Measures::of(&comparison, results);
    match Block::all(&comparison).as_slice() {
        [] => {
            found.sentences.extend(single::sentences(&comparison, &measures));
            found.judged.extend(measures.felt.iter().map(|measure| Judged::of(&comparison, measure)));
        }
        blocks => blocks::answer(&comparison, &measures, blocks, &mut found),
    }
    found.sentences.extend(doubts(results));
    // What is missing comes before what is concluded.
    found.sentences.splice(1..1, missing(results));
    found
}

/// Kinds of warnings that make an answer doubtful. Others are about intervals, which the answer respects.
const DOUBTS: [&str; 3] = ["impossible-goodput", "unfinished-transfer", crate::warning::LATE_RUN];

/// What makes the answer doubtful.
fn doubts(results: &Results) -> Vec<String> {
    let kept = results.warnings.iter().filter(|warning| DOUBTS.contains(&warning.kind.as_str()));
    kept.map(|warning| format!("Doubtful: {}.", warning.reason)).collect()
}

/// The runs that are missing.
fn missing(results: &Results) -> Option<String> {
    let experiment = &results.manifest.experiment;
    let (done, all) = (results.manifest.runs.len(), experiment.seeds.len() * experiment.variants.len());
    let why =
        if results.manifest.status == Status::Interrupted { ": the command was interrupted" } else { "" };
    (done < all).then(|| format!("Only {done} of {all} runs are there{why}."))
}

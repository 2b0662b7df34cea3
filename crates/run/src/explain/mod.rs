//! Explanations of viewers' events, held to counterfactuals: the run is made again, forked before what a chain names, and
//! continued without it.

mod check;
mod live;
mod runs;
mod sample;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use jettison_report::explain::{Check, Event, Evidence, Explanation, explain};
use jettison_report::{ReportError, RunKey, stored_evidence};
use jettison_scenario::build::Builder;
use jettison_sim::ForkError;
use thiserror::Error;

pub use sample::{Cause, Judged, Judgement, judge};

use crate::program::Program;
use crate::rebuild::{RebuildError, Which, rebuild};
use check::Again;
use runs::{chosen_runs, known_viewers};

/// Which events to explain, and how.
#[derive(Debug, Clone, Copy)]
pub struct ExplainOptions<'a> {
    /// Only runs of this variant.
    pub variant: Option<&'a str>,
    /// Only runs with this seed.
    pub seed: Option<u64>,
    /// A folder for input files that are not beside the scenario.
    pub data: Option<&'a Path>,
    /// At most so many events, the most expensive ones.
    pub worst: usize,
    /// Only events of this flow.
    pub viewer: Option<&'a str>,
    /// Only the event with this number.
    pub event: Option<u64>,
    /// Stops everything.
    pub cancel: &'a AtomicBool,
}

/// The explained events of a folder of results.
#[derive(Debug)]
pub struct Explained {
    /// Name of the scenario.
    pub scenario: String,
    /// Number of the events from which the explained ones were chosen.
    pub events: usize,
    /// Runs with explained events, in the order of the experiment.
    pub runs: Vec<ExplainedRun>,
    /// What a reader should know.
    pub remarks: Vec<String>,
    /// What of a live run is not seen; empty for simulated ones.
    pub unseen: Vec<String>,
}

/// The explained events of a run.
#[derive(Debug)]
pub struct ExplainedRun {
    /// The run.
    pub key: RunKey,
    /// Its events by kind, in a line.
    pub overview: String,
    /// Explanations, the most expensive event first.
    pub events: Vec<(Explanation, Check)>,
    /// What is known of the run.
    pub evidence: Evidence,
}

/// A scenario as a command takes it: presets are stored as `preset NAME`.
fn argument(scenario: &str) -> &str {
    scenario.strip_prefix("preset ").unwrap_or(scenario)
}

/// An error in explaining.
#[derive(Debug, Error)]
pub enum ExplainError {
    /// The results cannot be read.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// The run cannot be made again.
    #[error(transparent)]
    Rebuild(#[from] RebuildError),
    /// The run cannot be forked.
    #[error(transparent)]
    Fork(#[from] ForkError),
    /// Results without accounts.
    #[error(
        "{} has no accounts of delays, so nothing can be explained; run {}`jettison {} {} --set record.accounts=true`",
        folder.display(),
        if *is_live { String::new() } else { format!("`jettison explain {}`, or ", argument(scenario)) },
        if *is_live { "live" } else { "run" },
        argument(scenario)
    )]
    NoAccounts {
        /// The folder.
        folder: PathBuf,
        /// The scenario's file.
        scenario: String,
        /// Whether they were measured live.
        is_live: bool,
    },
    /// Nothing of that name has events.
    #[error("unknown {what} `{name}`; {help}")]
    Unknown {
        /// What was named.
        what: &'static str,
        /// The name.
        name: String,
        /// The nearest or all names.
        help: String,
    },
    /// An event without its run.
    #[error("event {0} needs its run: {1} runs have events; choose one with --variant and --seed")]
    Ambiguous(u64, usize),
    /// The user stopped it.
    #[error("interrupted")]
    Interrupted,
}

/// Explains the most expensive events of stored results from their tables alone.
///
/// # Errors
/// If the results have no accounts or are damaged, or nothing has the given name.
pub fn explain_stored(folder: &Path, options: &ExplainOptions<'_>) -> Result<Explained, ExplainError> {
    let chosen = chosen_runs(folder, options)?;
    let check = if chosen.unseen.is_empty() { Check::None } else { Check::live() };
    let mut runs = Vec::new();
    for (key, events) in chosen.runs {
        let evidence = stored_evidence(folder, &key)?.unwrap_or_default();
        let wanted = evidence.events.iter().filter(|own| events.contains(&own.id));
        let mut explanations: Vec<Explanation> = wanted.map(|own| explain(own, &evidence)).collect();
        explanations.sort_by(|one, other| by_cost(&one.event, &other.event));
        runs.push(ExplainedRun {
            overview: chosen.overviews.get(&key).cloned().unwrap_or_default(),
            key,
            events: explanations.into_iter().map(|own| (own, check.clone())).collect(),
            evidence,
        });
    }
    let scenario = chosen.scenario;
    let (remarks, unseen) = (chosen.remarks, chosen.unseen);
    Ok(Explained { scenario, events: chosen.events, runs, remarks, unseen })
}

/// Explains the most expensive events of stored results, and holds the chains to counterfactuals where the run can be made again.
///
/// # Errors
/// As of [`explain_stored`], or if a run cannot be forked.
pub fn explain_results(
    folder: &Path,
    options: &ExplainOptions<'_>,
    builder: &Builder,
    program: &Program,
) -> Result<Explained, ExplainError> {
    let mut explained = explain_stored(folder, options)?;
    if !explained.unseen.is_empty() {
        return Ok(explained);
    }
    for run in &mut explained.runs {
        let which = Which { variant: Some(&run.key.variant), seed: Some(run.key.seed), data: options.data };
        let (mut explanations, _): (Vec<Explanation>, Vec<Check>) = run.events.drain(..).unzip();
        let checks = match rebuild(folder, &which, builder, &Default::default(), program) {
            Err(error) => vec![Check::Failed(error.to_string()); explanations.len()],
            Ok(rebuilt) => {
                Again { rebuilt: &rebuilt, builder }.check(&mut explanations, true, options.cancel)?
            }
        };
        run.events = explanations.into_iter().zip(checks).collect();
    }
    Ok(explained)
}

/// The most expensive first; of equal ones the earliest.
pub(crate) fn by_cost(one: &Event, other: &Event) -> std::cmp::Ordering {
    other.cost.total_cmp(&one.cost).then(one.at.cmp(&other.at)).then(one.id.cmp(&other.id))
}

/// An error for a viewer without events.
fn unknown_viewer(name: &str, events: &[Event]) -> ExplainError {
    let known = known_viewers(events);
    let help = jettison_registry::suggestion(name, known.iter().map(String::as_str));
    ExplainError::Unknown { what: "viewer", name: name.to_owned(), help }
}

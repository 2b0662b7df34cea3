//! The choice of events among the runs of stored results.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use jettison_core::Duration;
use jettison_input::file;
use jettison_report::explain::{Event, overview};
use jettison_report::{Mode, RunKey, SCENARIO, check, stored_events, stored_manifest, stored_timing};

use super::{ExplainError, ExplainOptions, by_cost, live, unknown_viewer};
use crate::rebuild::{RebuildError, variant_named};

/// Most names or numbers in a message.
const LISTED: usize = 8;

/// The chosen events.
pub(super) struct Chosen {
    /// Name of the scenario.
    pub scenario: String,
    /// Number of the events from which they were chosen.
    pub events: usize,
    /// Runs with the numbers of their events.
    pub runs: Vec<(RunKey, Vec<u64>)>,
    /// The events of each run by kind, in a line.
    pub overviews: HashMap<RunKey, String>,
    pub remarks: Vec<String>,
    /// What of a live run is not seen; empty for simulated ones.
    pub unseen: Vec<String>,
}

/// All runs that fit.
pub(super) struct Fitting {
    /// Name of the scenario.
    pub scenario: String,
    /// The warm-up, which metrics leave out.
    pub warm_up: Duration,
    /// Runs with their events.
    pub runs: Vec<(RunKey, Vec<Event>)>,
    /// What is unusual about the results.
    pub remarks: Vec<String>,
    /// What of a live run is not seen; empty for simulated ones.
    pub unseen: Vec<String>,
}

/// All runs that fit, with their events.
pub(super) fn fitting_runs(
    folder: &Path,
    variant: Option<&str>,
    seed: Option<u64>,
) -> Result<Fitting, ExplainError> {
    let remarks = check(folder)?;
    let manifest = stored_manifest(folder).ok_or_else(|| RebuildError::NoScenario(folder.to_owned()))?;
    let experiment = &manifest.experiment;
    if experiment.mode == Mode::Flent {
        let (folder, mode) = (folder.to_owned(), experiment.mode);
        return Err(RebuildError::NotSimulated { folder, mode }.into());
    }
    let variant = variant.map(|name| variant_named(&manifest, name)).transpose()?;
    let fits =
        |key: &RunKey| variant.is_none_or(|own| key.variant == own) && seed.is_none_or(|own| key.seed == own);
    let keys: Vec<&RunKey> = manifest.runs.iter().map(|run| &run.key).filter(|key| fits(key)).collect();
    if let (true, Some(seed)) = (keys.is_empty(), seed) {
        let known: BTreeSet<u64> = manifest.runs.iter().map(|run| run.key.seed).collect();
        let known: Vec<String> = known.iter().take(LISTED).map(u64::to_string).collect();
        let variant = variant.unwrap_or("any variant").to_owned();
        return Err(RebuildError::UnknownSeed { variant, seed, known: known.join(", ") }.into());
    }
    // Accounts are a setting of the scenario, so all runs of its variants have them or none.
    let stored = stored_events(folder)?;
    let Some(mut stored) = stored.filter(|events| !events.is_empty() || has_accounts(folder)) else {
        let file = stored_timing(folder).map(|timing| timing.scenario).unwrap_or_default();
        let file = if file.is_empty() { format!("{}.toml", experiment.name) } else { shown(folder, &file) };
        let is_live = experiment.mode == Mode::Live;
        return Err(ExplainError::NoAccounts { folder: folder.to_owned(), scenario: file, is_live });
    };
    let runs = keys.into_iter().map(|key| (key.clone(), stored.remove(key).unwrap_or_default())).collect();
    let (scenario, warm_up) = (experiment.name.clone(), experiment.warm_up);
    Ok(Fitting { scenario, warm_up, runs, remarks, unseen: live::unseen(&manifest) })
}

/// The scenario's file, which is stored as seen from the results, as seen from here.
fn shown(folder: &Path, file: &str) -> String {
    let Ok(path) = folder.join(file).canonicalize() else { return file.to_owned() };
    let here = std::env::current_dir().and_then(|here| here.canonicalize()).unwrap_or_default();
    path.strip_prefix(&here).unwrap_or(&path).display().to_string()
}

/// Whether the results' scenario asks for accounts.
fn has_accounts(folder: &Path) -> bool {
    let text = file::read_text(&folder.join(SCENARIO), file::TEXT).unwrap_or_default();
    let scenario: Option<toml::Table> = text.parse().ok();
    let accounts = scenario.as_ref().and_then(|own| own.get("record")?.get("accounts")?.as_bool());
    accounts == Some(true)
}

/// Chooses the events that options ask for.
pub(super) fn chosen_runs(folder: &Path, options: &ExplainOptions<'_>) -> Result<Chosen, ExplainError> {
    let Fitting { scenario, warm_up, runs: mut fitting, mut remarks, unseen } =
        fitting_runs(folder, options.variant, options.seed)?;
    // Metrics leave the warm-up out, too. An event that is asked for by its number is explained all the same.
    if options.event.is_none() {
        remarks.extend(without_warm_up(&mut fitting, warm_up));
    }
    let all: Vec<Event> = fitting.iter().flat_map(|(_, events)| events.iter().cloned()).collect();
    if let Some(viewer) = options.viewer.filter(|viewer| !all.iter().any(|event| event.flow == **viewer)) {
        return Err(unknown_viewer(viewer, &all));
    }
    let is_wanted = |event: &&Event| {
        options.viewer.is_none_or(|viewer| event.flow == viewer)
            && options.event.is_none_or(|id| event.id == id)
    };
    let mut wanted: Vec<(usize, &Event)> = fitting
        .iter()
        .enumerate()
        .flat_map(|(run, (_, events))| events.iter().filter(is_wanted).map(move |event| (run, event)))
        .collect();
    if let Some(id) = options.event {
        let runs: BTreeSet<usize> = wanted.iter().map(|(run, _)| *run).collect();
        match runs.len() {
            0 => return Err(unknown_event(id, &all)),
            1 => {}
            several => return Err(ExplainError::Ambiguous(id, several)),
        }
    }
    let events = wanted.len();
    wanted.sort_by(|one, other| by_cost(one.1, other.1));
    wanted.truncate(options.worst);
    let of_run = |run: usize| wanted.iter().filter(move |own| own.0 == run).map(|own| own.1.id);
    let runs =
        fitting.iter().enumerate().map(|(run, (key, _))| (key.clone(), of_run(run).collect::<Vec<u64>>()));
    let runs = runs.filter(|(_, ids)| !ids.is_empty()).collect();
    let overviews = fitting.iter().map(|(key, events)| (key.clone(), overview(events))).collect();
    Ok(Chosen { scenario, events, runs, overviews, remarks, unseen })
}

/// Removes events that began in the warm-up; says how many.
fn without_warm_up(runs: &mut [(RunKey, Vec<Event>)], warm_up: Duration) -> Option<String> {
    let count = |runs: &[(RunKey, Vec<Event>)]| runs.iter().map(|own| own.1.len()).sum::<usize>();
    let all = count(runs);
    runs.iter_mut().for_each(|(_, events)| events.retain(|event| event.is_after(warm_up)));
    let (left_out, seconds) = (all - count(runs), warm_up.as_secs_f64());
    let (s, verb) = if left_out == 1 { ("", "is") } else { ("s", "are") };
    let text =
        format!("{left_out} event{s} of the warm-up ({seconds} s) {verb} left out, as from all metrics");
    (left_out > 0).then_some(text)
}

/// Flows with events.
pub(super) fn known_viewers(events: &[Event]) -> Vec<String> {
    let names: BTreeSet<&str> = events.iter().map(|event| event.flow.as_str()).collect();
    names.into_iter().map(str::to_owned).collect()
}

fn unknown_event(id: u64, events: &[Event]) -> ExplainError {
    let mut ids: Vec<u64> = events.iter().map(|event| event.id).collect();
    ids.sort_by_key(|own| (own.abs_diff(id), *own));
    ids.dedup();
    ids.truncate(LISTED);
    ids.sort_unstable();
    let ids: Vec<String> = ids.iter().map(u64::to_string).collect();
    let help = match ids.as_slice() {
        [] => "there are no events".to_owned(),
        ids => format!("the nearest are {}", ids.join(", ")),
    };
    ExplainError::Unknown { what: "event", name: id.to_string(), help }
}

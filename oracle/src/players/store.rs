//! Sessions from stored results, live and simulated.

use std::collections::BTreeMap;
use std::path::Path;

use jettison_report::{Mode, ReportError, Results};
use thiserror::Error;

use super::FLOW;
use super::compare::{SettingsError, settings};
use super::figures::Watched;
use super::session::{Collector, Session};
use super::simulate::Modelled;

/// Results without figures.
#[derive(Debug, Error)]
pub enum StoreError {
    /// They cannot be read.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// The scenario cannot be read.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// They are of something else.
    #[error("{folder}: must be of {name}, {mode}, got {own_name}, {own_mode}")]
    Other {
        /// The folder.
        folder: String,
        /// Name of the scenario.
        name: &'static str,
        /// Simulated or live.
        mode: Mode,
        /// What it holds.
        own_name: String,
        /// Simulated or live.
        own_mode: Mode,
    },
}

/// The sessions in a folder of results, and the runs that were left out, with the reason.
pub struct Read {
    /// The sessions.
    pub sessions: Vec<Watched>,
    /// What was left out.
    pub left_out: Vec<String>,
}

/// The series and values of the player's flow, by variant and seed.
fn collect(results: &Results) -> Result<BTreeMap<(String, u64), Collector>, ReportError> {
    let mut collectors: BTreeMap<(String, u64), Collector> = BTreeMap::new();
    results.series("flows", |series, points| {
        if series.object == FLOW {
            let collector = collectors.entry((series.variant.to_owned(), series.seed)).or_default();
            points.for_each(|(seconds, value)| collector.point(series.metric, seconds, value));
        }
    })?;
    for run in &results.runs {
        let collector = collectors.entry((run.key.variant.clone(), run.key.seed)).or_default();
        for value in run.values.iter().filter(|value| value.object == FLOW && value.part.is_empty()) {
            collector.summary(&value.metric, value.mean);
        }
    }
    Ok(collectors)
}

/// Network and player of a variant.
fn labels(results: &Results, variant: &str) -> Option<(String, String)> {
    let variant = results.manifest.experiment.variants.iter().find(|one| one.name == variant)?;
    let label = |axis: &str| variant.labels.get(axis).cloned();
    Some((label("network")?, label("player")?))
}

fn load(folder: &Path, name: &'static str, mode: Mode) -> Result<Results, StoreError> {
    let results = Results::load(folder)?;
    let own = &results.manifest.experiment;
    if own.mode != mode || own.name != name {
        let (folder, own_name) = (folder.display().to_string(), own.name.clone());
        return Err(StoreError::Other { folder, name, mode, own_name, own_mode: own.mode });
    }
    Ok(results)
}

/// Reads the sessions of real players. Late runs are left out: they are measured partly on their machine.
pub fn read(folder: &Path) -> Result<Read, StoreError> {
    let results = load(folder, "live/players", Mode::Live)?;
    let collectors = collect(&results)?;
    let mut found = Read { sessions: Vec::new(), left_out: Vec::new() };
    for entry in &results.manifest.live {
        let (key, facts) = (&entry.key, &entry.facts);
        if facts.timeliness.as_ref().is_none_or(|timeliness| timeliness.late) {
            found.left_out.push(format!("{key}: late"));
            continue;
        }
        let collector = collectors.get(&(key.variant.clone(), key.seed));
        let whole = collector.and_then(|own| Some((own.finish()?.rounded(), own.short()?.rounded())));
        let Some((session, short)) = whole else {
            found.left_out.push(format!("{key}: nothing was shown"));
            continue;
        };
        let Some((network, player)) = labels(&results, &key.variant) else {
            found.left_out.push(format!("{key}: has no `network` and `player`"));
            continue;
        };
        let settings = match settings(&network, results.manifest.experiment.duration) {
            Err(SettingsError::Network(_)) => {
                found.left_out.push(format!("{key}: the scenario has no such network any more"));
                continue;
            }
            settings => settings?,
        };
        let program = facts.notes.iter().find_map(|note| version(note)).unwrap_or_else(|| player.clone());
        found.sessions.push(Watched { network, player, seed: key.seed, program, settings, session, short });
    }
    Ok(found)
}

/// A program's note of its version, such as `video.to: VLC 3.0.24`.
fn version(note: &str) -> Option<String> {
    let note = note.split_once(": ").map_or(note, |(_, note)| note);
    let rest = ["dash.js ", "VLC "].iter().find_map(|name| note.strip_prefix(name))?;
    rest.starts_with(|c: char| c.is_ascii_digit()).then(|| note.to_owned())
}

/// Reads the sessions of modelled players from results of `jettison run scenarios/live/players-modelled.toml`.
pub fn read_modelled(folder: &Path) -> Result<Vec<Modelled>, StoreError> {
    let results = load(folder, "live/players-modelled", Mode::Simulated)?;
    let collectors = collect(&results)?;
    let variants = results.manifest.experiment.variants.iter();
    let of_variant = |name: &str| -> Vec<Session> {
        let own = collectors.iter().filter(|((variant, _), _)| variant == name);
        own.filter_map(|(_, collector)| collector.finish()).collect()
    };
    let modelled = variants.filter_map(|variant| {
        let (network, player) = labels(&results, &variant.name)?;
        Some(Modelled { network, player, sessions: of_variant(&variant.name) })
    });
    Ok(modelled.collect())
}

/// The points of a session's series in chronological order: second, metric, value.
pub fn trace(
    folder: &Path,
    network: &str,
    player: &str,
    seed: u64,
) -> Result<Vec<(f64, String, f64)>, StoreError> {
    const SHOWN: [&str; 4] = ["representation_rate", "segment_rate", "buffer", "frames_per_second"];
    let results = Results::load(folder)?;
    let mut points = Vec::new();
    results.series("flows", |series, of_series| {
        let is_own = series.object == FLOW && series.seed == seed && SHOWN.contains(&series.metric);
        if is_own && labels(&results, series.variant) == Some((network.to_owned(), player.to_owned())) {
            points.extend(of_series.map(|(at, value)| (at, series.metric.to_owned(), value)));
        }
    })?;
    points.sort_by(|one, other| one.0.total_cmp(&other.0));
    Ok(points)
}

/// Adds sessions to those before; one of the same network, player and seed is replaced. Sorted as the scenario is.
pub fn merge(mut old: Vec<Watched>, new: Vec<Watched>, order: &[(String, String)]) -> Vec<Watched> {
    let is_same = |one: &Watched, other: &Watched| {
        (&one.network, &one.player, one.seed) == (&other.network, &other.player, other.seed)
    };
    for one in new {
        old.retain(|other| !is_same(&one, other));
        old.push(one);
    }
    let place = |one: &Watched| {
        order.iter().position(|(network, player)| (network, player) == (&one.network, &one.player))
    };
    old.retain(|one| place(one).is_some());
    old.sort_by_key(|one| (place(one), one.seed));
    old
}

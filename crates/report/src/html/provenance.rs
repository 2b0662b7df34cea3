//! Provenance: the experiment, its configuration and inputs, and the files in the folder.

use std::collections::HashMap;

use minijinja::context;
use serde::Serialize;

use super::palette::Look;
use super::templates::rendered;
use super::{Page, Section};
use crate::error::ReportError;
use crate::model::{HostSettings, LiveFacts, Mode, Status};
use crate::store::{Results, stored_logs};

/// Title, description and key facts.
pub(super) fn head(results: &Results) -> Result<String, ReportError> {
    let manifest = &results.manifest;
    let experiment = &manifest.experiment;
    let facts = [
        ("mode", experiment.mode.to_string()),
        ("variants", experiment.variants.len().to_string()),
        ("seeds", experiment.seeds.len().to_string()),
        ("runs", manifest.runs.len().to_string()),
        ("duration", experiment.duration.to_string()),
        ("warm-up", experiment.warm_up.to_string()),
    ];
    let warnings = results.warnings.iter().map(|warning| Warned {
        text: warning.text(),
        concerns: match warning.concerns.len() > WARNED {
            true => Some((warning.concerns.len(), warning.concerns.join(", "))),
            false => None,
        },
    });
    rendered(
        "head.html",
        context! {
            name => experiment.name,
            description => experiment.description,
            answer => crate::answer(results).sentences,
            facts,
            is_interrupted => manifest.status == Status::Interrupted,
            finished => manifest.runs.len(),
            all => experiment.variants.len() * experiment.seeds.len(),
            failures => manifest.failures.iter().map(ToString::to_string).collect::<Vec<_>>(),
            warnings => warnings.collect::<Vec<_>>(),
        },
    )
}

/// A warning; the concerned values are folded away if they are many.
#[derive(Serialize)]
struct Warned {
    text: String,
    concerns: Option<(usize, String)>,
}

/// Number of concerned values that a warning's line names at most.
const WARNED: usize = 4;

#[derive(Serialize)]
struct VariantRow<'a> {
    look: &'a Look,
    title: String,
    labels: Vec<&'a str>,
    runs: usize,
}

/// The variants and their labels.
pub(super) fn experiment(page: &Page<'_>) -> Result<Section, ReportError> {
    let experiment = &page.results.manifest.experiment;
    let mut axes: Vec<&str> = Vec::new();
    for axis in experiment.variants.iter().flat_map(|variant| variant.labels.keys()) {
        if !axes.contains(&axis.as_str()) {
            axes.push(axis);
        }
    }
    // A single axis whose values are the variants' names adds nothing.
    axes.retain(|axis| experiment.variants.iter().any(|v| v.labels.get(*axis) != Some(&v.name)));
    let mut runs: HashMap<&str, usize> = HashMap::new();
    for run in &page.results.manifest.runs {
        *runs.entry(&run.key.variant).or_default() += 1;
    }
    // Sorted by the labels that options accept.
    let rows = experiment.variants.iter().zip(&page.looks).map(|(variant, look)| VariantRow {
        look,
        title: variant.title(),
        labels: axes.iter().map(|axis| variant.labels.get(*axis).map_or("", String::as_str)).collect(),
        runs: runs.get(variant.name.as_str()).copied().unwrap_or(0),
    });
    let body = rendered("experiment.html", context! { axes, rows => rows.collect::<Vec<_>>() })?;
    Ok(Section { id: "experiment", title: "Experiment", body })
}

/// Program, seeds, inputs, configuration and files.
pub(super) fn section(results: &Results) -> Result<Section, ReportError> {
    let manifest = &results.manifest;
    let experiment = &manifest.experiment;
    // Only live runs have logs.
    let logs = match experiment.mode == Mode::Simulated {
        true => Vec::new(),
        false => stored_logs(&results.folder),
    };
    let logs = logs.into_iter().map(|(path, bytes)| (relative_url(&path), path, bytes));
    let body = rendered(
        "provenance.html",
        context! {
            program => manifest.program,
            version => manifest.version,
            commit => manifest.commit,
            seeds => experiment.seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(" "),
            inputs => experiment.inputs,
            live => live(results),
            logs => logs.collect::<Vec<_>>(),
            configuration => experiment.configuration,
        },
    )?;
    Ok(Section { id: "provenance", title: "Provenance", body })
}

/// Conditions of runs that share them.
#[derive(Serialize)]
struct Conditions {
    /// The runs; empty if all share them.
    of: String,
    facts: LiveFacts,
    others: String,
    settings: Vec<(String, String)>,
}

/// Conditions of live runs: one row per distinct set.
fn live(results: &Results) -> Vec<Conditions> {
    let mut alike: Vec<(LiveFacts, Vec<String>)> = Vec::new();
    for entry in &results.manifest.live {
        let run = entry.key.to_string();
        // Lateness, which differs between all runs, has a section of its own.
        let own = LiveFacts { timeliness: None, ..entry.facts.clone() };
        match alike.iter_mut().find(|(facts, _)| *facts == own) {
            Some((_, runs)) => runs.push(run),
            None => alike.push((own, vec![run])),
        }
    }
    let is_one = alike.len() == 1;
    let settings = |facts: &LiveFacts| {
        let lines = |settings: &HostSettings| {
            let lines = settings.values.iter().map(|(name, value)| format!("{name} = {value}"));
            (settings.hosts.join(", "), lines.collect::<Vec<_>>().join("\n"))
        };
        facts.settings.iter().map(lines).collect()
    };
    let conditions = alike.into_iter().map(|(facts, runs)| Conditions {
        of: if is_one { String::new() } else { runs.join(", ") },
        others: others(&facts),
        settings: settings(&facts),
        facts,
    });
    conditions.collect()
}

/// Scheduling of the hosts and programs, after that of the router.
fn others(facts: &LiveFacts) -> String {
    let all = [("hosts", &facts.hosts_scheduling), ("programs", &facts.programs_scheduling)];
    all.iter().filter(|(_, how)| !how.is_empty()).map(|(what, how)| format!(", {what} {how}")).collect()
}

/// A path as a relative URL, with reserved characters percent-encoded (RFC 3986 §2.1).
fn relative_url(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(byte.into())
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

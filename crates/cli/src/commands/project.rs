//! Projects of others as scenarios: loading, and the table of hosts that reach each other.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;

use jettison_core::DropReason;
use jettison_report::Results;
use jettison_run::{Pings, Project, ProjectOptions, is_project, load_project};
use jettison_scenario::{Changes, CheckError, Registries, Scenario};

use crate::options::ProjectArguments;
use crate::output::{Failure, print_error};

impl ProjectArguments {
    /// The options of a project.
    ///
    /// # Errors
    /// If there are any, and `path` is not that of a project.
    fn options(&self, path: &Path) -> Result<ProjectOptions, Failure> {
        let given = [("--program", self.program.is_some()), ("--ping", !self.ping.is_empty())];
        if let Some((flag, _)) = given.iter().find(|(_, given)| *given).filter(|_| !is_project(path)) {
            return Err(Failure::of(format!("{flag} is for folders of P4 projects, got {}", path.display())));
        }
        let pairs = self.ping.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone()));
        let pings = if self.ping.is_empty() { Pings::All } else { Pings::Pairs(pairs.collect()) };
        Ok(ProjectOptions { program: self.program.clone(), pings })
    }
}

/// A loaded scenario, and the project that it was read from, if any.
pub struct Loaded {
    pub scenario: Scenario,
    pub project: Option<Project>,
}

/// How to load a scenario file, a preset, or the project of a folder.
pub struct Loading<'a> {
    path: &'a Path,
    options: ProjectOptions,
    data: Option<&'a Path>,
    registries: &'a Registries,
    /// The project that was loaded last.
    project: RefCell<Option<Project>>,
}

impl<'a> Loading<'a> {
    /// Of this path.
    ///
    /// # Errors
    /// If the arguments are for projects only.
    pub fn new(
        path: &'a Path,
        arguments: &ProjectArguments,
        data: Option<&'a Path>,
        registries: &'a Registries,
    ) -> Result<Loading<'a>, Failure> {
        let options = arguments.options(path)?;
        Ok(Loading { path, options, data, registries, project: RefCell::default() })
    }

    /// Loads it with changes.
    pub fn load(&self, changes: &Changes) -> Result<Loaded, CheckError> {
        let Loading { path, options, data, registries, .. } = self;
        if !is_project(path) {
            let scenario = jettison_run::load(path, *data, changes, registries)?;
            return Ok(Loaded { scenario, project: None });
        }
        let (scenario, project) = load_project(path, options, *data, changes, registries)?;
        self.project.replace(Some(project.clone()));
        Ok(Loaded { scenario, project: Some(project) })
    }

    /// The project that has been loaded, with its notes on standard error.
    pub fn project(&self) -> Option<Project> {
        let project = self.project.take()?;
        for note in &project.notes {
            print_error(format_args!("jettison: {}: {note}", project.file.display()));
        }
        Some(project)
    }
}

/// Who reaches whom: a row per host that pings, a column per host that is pinged.
pub fn reach(results: &Results, project: &Project) -> String {
    let mut text = String::new();
    let variants: Vec<&str> = results.manifest.experiment.variants.iter().map(|v| v.name.as_str()).collect();
    for variant in &variants {
        let answered = |flow: &str| {
            let rows =
                results.summary.rows.iter().filter(|row| row.variant == *variant && row.object == flow);
            let value = |metric: &str| {
                let mut rows = rows.clone().filter(|row| row.metric == metric && row.part.is_empty());
                rows.next().map(|row| row.estimate.mean)
            };
            // In percent; without a value nothing was sent.
            let loss = value("loss")?;
            Some((loss < 100.0, value("rtt")))
        };
        let names: Vec<&str> = project.hosts.iter().map(String::as_str).collect();
        let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max("0.00 ms".len());
        let label = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        if variants.len() > 1 {
            text.push_str(&format!("{variant}\n"));
        }
        let (mut sent, mut reached) = (0, 0);
        let mut rows = String::new();
        for from in &names {
            let mut row = format!("{from:<label$}");
            let mut pings = false;
            for to in &names {
                let flow = project.pings.iter().find(|(_, a, b)| a == from && b == to);
                let cell = match flow.and_then(|(flow, ..)| answered(flow)) {
                    None => "-".to_owned(),
                    Some((false, _)) => "X".to_owned(),
                    Some((true, Some(rtt))) => format!("{rtt:.2} ms"),
                    Some((true, None)) => "yes".to_owned(),
                };
                if cell != "-" {
                    pings = true;
                    sent += 1;
                    reached += usize::from(cell != "X");
                }
                row.push_str(&format!("  {cell:>width$}"));
            }
            if pings {
                rows.push_str(row.trim_end());
                rows.push('\n');
            }
        }
        let head = names.iter().map(|name| format!("  {name:>width$}")).collect::<String>();
        text.push_str(&format!("{:label$}{head}\n{rows}", ""));
        text.push_str(&format!("{reached} of {sent} pings were answered; the times are round-trip times.\n"));
        if reached < sent {
            text.push_str(&lost(results, project, variant));
        }
    }
    text
}

/// Where the packets of a variant's pings were dropped, by reason, most first.
fn lost(results: &Results, project: &Project, variant: &str) -> String {
    let mut reasons: BTreeMap<String, u64> = BTreeMap::new();
    for run in results.runs.iter().filter(|run| run.key.variant == variant) {
        // Without the table there is nothing to add.
        let _ = results.drops(&run.key, |row| {
            if project.pings.iter().any(|(flow, ..)| *flow == row.flow) {
                *reasons.entry(row.reason).or_default() += 1;
            }
        });
    }
    if reasons.is_empty() {
        return "No packet of theirs was dropped: no host answered.\n".to_owned();
    }
    let mut counts: Vec<(String, u64)> = reasons.into_iter().collect();
    counts.sort_by_key(|(_, count)| Reverse(*count));
    let each: Vec<String> =
        counts.into_iter().map(|(reason, count)| format!("{count} {reason}{}", meaning(&reason))).collect();
    format!("Their packets that were dropped: {}.\n", each.join(", "))
}

/// What a reason says of a P4 network.
fn meaning(reason: &str) -> &'static str {
    match reason {
        _ if reason == DropReason::MarkedToDrop.name() => " (by a P4 program)",
        _ if reason == DropReason::NoRoute.name() => " (to a port without a link)",
        _ if reason == DropReason::OtherHost.name() => " (at a host that they were not for)",
        _ => "",
    }
}

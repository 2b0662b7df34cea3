//! `jettison reproduce`.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use jettison_report::{ReproductionRow, RunSummary, Status};
use jettison_run::reproduce::{Experiment, Library, Paper, Pick, rows};
use jettison_scenario::build::Builder;
use jettison_scenario::{Changes, Scenario};

use super::run;
use crate::options::RunArguments;
use crate::output::{Failure, INTERRUPTED, print, print_record, width};

/// Runs what `name` names and prints a row a figure.
pub fn reproduce(
    name: Option<&str>,
    folder: Option<&Path>,
    options: &RunArguments,
) -> Result<ExitCode, Failure> {
    let library = Library::open(folder).map_err(Failure::of)?;
    let Some(name) = name else {
        return list(&library).map(|()| ExitCode::SUCCESS);
    };
    let experiments = library.find(name).map_err(Failure::of)?;
    let builder = Builder::standard();
    // Everything is read and checked before anything runs.
    let mut prepared = Vec::new();
    for experiment in experiments {
        let file = experiment.path.display().to_string();
        let figures_file = experiment.path.with_extension("paper.toml").display().to_string();
        let paper = experiment.figures.as_deref().map(|text| Paper::parse(&figures_file, text)).transpose();
        let paper = paper.map_err(Failure::of)?;
        let files = experiment.files(options.data.folder.as_deref());
        let registries = builder.registries();
        let load =
            |changes: &Changes| Scenario::parse(&experiment.scenario, &file, &files, changes, &registries);
        prepared.push((experiment, paper, run::load_with_seeds(&load, options)?));
    }
    let several = prepared.len() > 1;
    let mut complete = true;
    for (experiment, paper, scenario) in &prepared {
        if run::interrupted() {
            break;
        }
        let own = RunArguments {
            out: options
                .out
                .as_ref()
                .map(|out| if several { out.join(&experiment.name) } else { out.clone() }),
            set: Vec::new(),
            data: options.data.clone(),
            ..*options
        };
        complete &= one(experiment, paper.as_ref(), scenario, &builder, &own)?;
    }
    Ok(if complete { ExitCode::SUCCESS } else { ExitCode::from(INTERRUPTED) })
}

/// Runs one experiment; false if it was interrupted.
fn one(
    experiment: &Experiment,
    paper: Option<&Paper>,
    scenario: &Scenario,
    builder: &Builder,
    options: &RunArguments,
) -> Result<bool, Failure> {
    let compare = |runs: &[RunSummary]| paper.map_or_else(Vec::new, |paper| compare(experiment, paper, runs));
    let plots = paper.map(|paper| paper.plots.clone()).unwrap_or_default();
    let results = run::execute(scenario, builder, options, plots, &compare)?;
    if options.json {
        for row in &results.reproduction {
            print_record(row)?;
        }
    } else {
        print(format_args!("{}/{}\n", experiment.paper, experiment.name))?;
        print(jettison_report::comparison_table(&results, width()))?;
        if results.reproduction.is_empty() {
            print("There is no paper's figure to set beside this experiment.\n")?;
        } else {
            print(jettison_report::reproduction_table(&results.reproduction, width()))?;
        }
        run::print_places(&results)?;
    }
    Ok(results.manifest.status == Status::Complete)
}

fn compare(experiment: &Experiment, paper: &Paper, runs: &[RunSummary]) -> Vec<ReproductionRow> {
    let value = |pick: &Pick| {
        runs.iter()
            .filter(|run| run.key.variant == pick.variant)
            .filter_map(|run| Some((run.key.seed, pick.value_in(run)?)))
            .collect::<BTreeMap<u64, f64>>()
    };
    let mut rows = rows(paper, &value);
    for row in &mut rows {
        row.paper.clone_from(&experiment.paper);
        row.experiment.clone_from(&experiment.name);
    }
    rows
}

fn list(library: &Library) -> Result<(), Failure> {
    for experiment in library.experiments() {
        let figures = if experiment.figures.is_some() { "with the paper's figures" } else { "" };
        print(format_args!("{:<40} {figures}\n", format!("{}/{}", experiment.paper, experiment.name)))?;
    }
    Ok(())
}

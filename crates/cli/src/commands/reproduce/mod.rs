//! `jettison reproduce`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use jettison_report::{Results, RunSummary, Status};
use jettison_run::reproduce::{Experiment, Library, Paper, rows_of};
use jettison_scenario::build::Builder;
use jettison_scenario::{Changes, Scenario};

use super::figures::Painter;
use super::run;
use crate::options::RunArguments;
use crate::output::{Failure, INTERRUPTED, print, print_record, width};

/// Runs a paper or experiment and prints one row per figure; with `figures`, also draws them.
pub fn reproduce(
    name: Option<&str>,
    folder: Option<&Path>,
    figures: bool,
    options: &RunArguments,
) -> Result<ExitCode, Failure> {
    let library = Library::open(folder).map_err(Failure::of)?;
    let Some(name) = name else {
        return list(&library).map(|()| ExitCode::SUCCESS);
    };
    let experiments = library.find(name).map_err(Failure::of)?;
    let builder = Builder::standard();
    // Read and check everything before the first run.
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
    let painter = figures.then(|| Painter::find(name)).transpose()?;
    let several = prepared.len() > 1;
    let mut complete = true;
    let mut folders = Vec::new();
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
            gauges: None,
            data: options.data.clone(),
            ..*options
        };
        let results = one(experiment, paper.as_ref(), scenario, &builder, &own)?;
        complete &= results.manifest.status == Status::Complete;
        folders.push(results.folder);
    }
    if let Some(painter) = painter.filter(|_| !run::interrupted()) {
        let out = options.out.clone().unwrap_or_else(|| paper_folder(name));
        painter.paint(name, &folders, &out.join("figures"), options.json)?;
    }
    Ok(if complete { ExitCode::SUCCESS } else { ExitCode::from(INTERRUPTED) })
}

/// The default folder for the results of a paper's experiments.
fn paper_folder(name: &str) -> PathBuf {
    let paper = name.split_once('/').map_or(name, |(paper, _)| paper);
    PathBuf::from("out").join(paper)
}

/// Runs one experiment.
fn one(
    experiment: &Experiment,
    paper: Option<&Paper>,
    scenario: &Scenario,
    builder: &Builder,
    options: &RunArguments,
) -> Result<Results, Failure> {
    let compare = |runs: &[RunSummary]| {
        let names = (experiment.paper.as_str(), experiment.name.as_str());
        paper.map_or_else(Vec::new, |paper| rows_of(names, paper, runs))
    };
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
            print("No figure of the paper to compare this experiment with.\n")?;
        } else {
            print(jettison_report::reproduction_table(&results.reproduction, width()))?;
        }
        run::print_places(&results)?;
    }
    Ok(results)
}

fn list(library: &Library) -> Result<(), Failure> {
    for experiment in library.experiments() {
        let figures = if experiment.figures.is_some() { "with the paper's figures" } else { "" };
        print(format_args!("{:<40} {figures}\n", format!("{}/{}", experiment.paper, experiment.name)))?;
    }
    Ok(())
}

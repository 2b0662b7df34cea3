//! `jettison run`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

use jettison_build_info::{COMMIT, VERSION};
use jettison_report::{AnswerRecord, Figure, ReproductionRow, Results, RunSummary, Status};
use jettison_run::estimate::estimate;
use jettison_run::reproduce::plots_beside;
use jettison_run::{
    Notice, Precision, Program, Project, RunError, RunOptions, StorePlace, default_threads, run_scenario,
};
use jettison_scenario::build::Builder;
use jettison_scenario::{Changes, CheckError, Place, Scenario};

use super::project::{Loading, reach};
use crate::options::{ProjectArguments, RunArguments};
use crate::output::{Failure, INTERRUPTED, Stream, print, print_error, print_record, warn};
use crate::progress::Bar;
use crate::screen::{Screen, with_choice};
use crate::snippet::WithLines;

static CANCEL: AtomicBool = AtomicBool::new(false);

/// This program; its image is read at most once.
static PROGRAM: LazyLock<Program> = LazyLock::new(|| Program::of_executable(VERSION, COMMIT));

/// Runs a scenario file, a preset, or the project of a folder.
pub fn run(file: &Path, options: &RunArguments, project: &ProjectArguments) -> Result<ExitCode, Failure> {
    let builder = Builder::standard();
    let registries = builder.registries();
    let loading = Loading::new(file, project, options.data.folder.as_deref(), &registries)?;
    let load = |changes: &Changes| loading.load(changes).map(|loaded| loaded.scenario);
    let scenario = load_with_seeds(&load, options)?;
    let project = loading.project();
    let figures = match &project {
        Some(_) => Vec::new(),
        None => plots_beside(file).map_err(Failure::of)?,
    };
    let results = execute(&scenario, &builder, options, figures, &|_| Vec::new())?;
    let code = status(&results);
    show_project(results, options, project.as_ref())?;
    Ok(code)
}

/// Prints results; of a project, who reaches whom.
pub fn show_project(
    results: Results,
    options: &RunArguments,
    project: Option<&Project>,
) -> Result<(), Failure> {
    let Some(project) = project.filter(|project| !options.json && !project.pings.is_empty()) else {
        return show(results, options);
    };
    let screen = Screen::new(options.show.all);
    let table = reach(&results, project);
    screen.print_cut(&table, screen.room(2), "hosts that reach each other")?;
    if options.show.all {
        screen.comparison(&with_choice(results.clone(), &options.show), 2)?;
    }
    screen.places(&results)?;
    screen.end(ALL)
}

/// Prints results: records, or the answer, the table and the places.
pub fn show(results: Results, options: &RunArguments) -> Result<(), Failure> {
    let results = with_choice(results, &options.show);
    if options.json {
        return print_records(&results);
    }
    let screen = Screen::new(options.show.all);
    screen.comparison(&results, 2)?;
    screen.places(&results)?;
    screen.end(ALL)
}

/// How to see what was left out.
pub const ALL: &str = "`--all` prints it.";

/// Loads a scenario with `--set`, `--quick`, `--seed` and `--runs` applied.
pub fn load_with_seeds(
    load: &dyn Fn(&Changes) -> Result<Scenario, CheckError>,
    options: &RunArguments,
) -> Result<Scenario, Failure> {
    let mut changes = Changes { set: options.settings(), quick: options.quick };
    let wrong = |error: CheckError| Failure::Message(WithLines(&as_written(error, options)).to_string());
    let scenario = load(&changes).map_err(wrong)?;
    warn(&scenario);
    if options.quick && !options.json {
        print_error(format_args!("jettison: {}", short_form(&scenario)));
    }
    let seeds: Vec<u64> = match (options.seed, options.runs) {
        (None, None) => return Ok(scenario),
        (first, runs) => {
            let first = first.unwrap_or(scenario.seeds[0]);
            let runs = runs.map_or(scenario.seeds.len() as u64, u64::from);
            (0..runs).map(|n| first.wrapping_add(n)).collect()
        }
    };
    let list = seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    changes.set.push(format!("seeds=[{list}]"));
    load(&changes).map_err(wrong)
}

/// Maximum number of values that `--quick` names, and of characters of each.
const NAMED: (usize, usize) = (6, 60);

/// What `--quick` did to a scenario.
fn short_form(scenario: &Scenario) -> String {
    let file = &scenario.file;
    match scenario.shortened {
        Some(shortened) if shortened.is_empty() => {
            format!("{file} has no [quick] table; it is short already")
        }
        Some(shortened) => format!("{file} has no [quick] table; runs are shortened: {shortened}"),
        None => {
            let (most, characters) = NAMED;
            let values = scenario.quick_values();
            let mut named: Vec<String> = values
                .iter()
                .take(most)
                .map(|value| match value.chars().count() > characters {
                    true => value.chars().take(characters - 1).chain(['…']).collect(),
                    false => value.clone(),
                })
                .collect();
            if values.len() > most {
                named.push(format!("and {} more", values.len() - most));
            }
            format!("--quick applies the [quick] table of {file}: {}", named.join(", "))
        }
    }
}

/// Where results go by default. Those of the short form never replace those of full runs.
pub fn default_folder(parent: &Path, name: &str, quick: bool) -> PathBuf {
    parent.join(if quick { format!("{name}-quick") } else { name.to_owned() })
}

/// Names options as the user wrote them, where they were turned into settings.
fn as_written(mut error: CheckError, options: &RunArguments) -> CheckError {
    for place in error.errors.iter_mut().map(|error| &mut error.place) {
        let Place::Option(option) = place else { continue };
        let Some(setting) = option.strip_prefix("--set ") else { continue };
        if options.set.iter().any(|own| own == setting) {
            continue;
        }
        *option = match (setting.split_once('='), &options.gauges, options.seed) {
            (Some(("gauges", _)), Some(names), _) => format!("--gauges={}", names.join(",")),
            (Some(("seeds", _)), _, Some(seed)) => format!("--seed {seed}"),
            (Some(("seeds", _)), ..) => format!("--runs {}", options.runs.unwrap_or_default()),
            _ => continue,
        };
    }
    error
}

/// Runs a loaded scenario with a progress bar. Ctrl-C stops it; finished runs are kept.
pub fn execute(
    scenario: &Scenario,
    builder: &Builder,
    options: &RunArguments,
    figures: Vec<Figure>,
    compare: &(dyn Fn(&[RunSummary]) -> Vec<ReproductionRow> + Sync),
) -> Result<Results, Failure> {
    cancel_on_interrupt();
    let default = || default_folder(Path::new("out"), &scenario.name, options.quick);
    let out = options.out.clone().unwrap_or_else(default);
    let jobs = options.jobs.map_or_else(default_threads, usize::from);
    announce(scenario, options, jobs, &out)?;
    let precision = precision(options)?;
    let bar = Bar::new(&scenario.name);
    let notice = |notice: Notice| match notice {
        // Part of the answer, where that is for people.
        Notice::Complete(_) if !options.json => bar.above(format_args!("{notice}"), Stream::Output),
        notice => bar.above(format_args!("jettison: {notice}"), Stream::Error),
    };
    let result = run_scenario(
        scenario,
        builder,
        &RunOptions {
            out: &out,
            force: options.force,
            jobs,
            pcap: options.pcap,
            figures,
            program: &PROGRAM,
            store: options.store.as_deref().map_or(StorePlace::Beside, StorePlace::At),
            sources: &BTreeMap::new(),
            precision: precision.as_ref(),
            cancel: &CANCEL,
            progress: &|progress| bar.show(progress),
            notice: &notice,
            compare,
        },
    );
    drop(bar);
    result.map_err(|error| match error {
        RunError::NothingFinished => Failure::Interrupted(format!("jettison: {error}")),
        other => Failure::of(other),
    })
}

/// The precision that was asked for.
fn precision(options: &RunArguments) -> Result<Option<Precision>, Failure> {
    let given = options.precision.as_deref().zip(options.of.as_deref());
    let parsed = given.map(|(share, of)| Precision::parse(share, of, options.max_seeds as usize));
    parsed.transpose().map_err(Failure::of)
}

/// CPU time above which the start of a run says what it will need, in seconds.
const WORTH_SAYING: f64 = 5.0;

/// Says what the runs need if that is much, and refuses what does not fit into this machine, unless `--force`.
fn announce(scenario: &Scenario, options: &RunArguments, jobs: usize, out: &Path) -> Result<(), Failure> {
    let estimate = estimate(scenario, jobs, options.pcap);
    if estimate.cpu_seconds >= WORTH_SAYING {
        eprintln!("{}: {estimate}", scenario.name);
    }
    match estimate.refusal(out).filter(|_| !options.force) {
        Some(reason) => Err(Failure::Message(format!("{}: {reason}", scenario.name))),
        None => Ok(()),
    }
}

/// Prints the answer, groups of flows, summary values, differences and warnings, one record a line.
pub fn print_records(results: &Results) -> Result<(), Failure> {
    print_record(&AnswerRecord::of(results))?;
    results.group_records().iter().try_for_each(print_record)?;
    results.records().try_for_each(|record| print_record(&record))?;
    results.difference_records().try_for_each(|record| print_record(&record))?;
    results.warning_records().try_for_each(|record| print_record(&record))
}

/// Prints the paths of the results and the report.
pub fn print_places(results: &Results) -> Result<(), Failure> {
    print(format_args!("Results: {}\nReport:  {}\n", results.folder.display(), results.report().display()))
}

/// This program, for the keys of runs.
pub fn program() -> &'static Program {
    &PROGRAM
}

/// Exit status 0 if all runs succeeded, 1 if a run failed, 130 after Ctrl-C.
pub fn status(results: &Results) -> ExitCode {
    match results.manifest.status {
        Status::Complete => ExitCode::SUCCESS,
        Status::Failed => ExitCode::FAILURE,
        Status::Interrupted => ExitCode::from(INTERRUPTED),
    }
}

/// Whether Ctrl-C was pressed.
pub fn interrupted() -> bool {
    CANCEL.load(Ordering::Relaxed)
}

/// Flag that Ctrl-C sets.
pub fn cancelled() -> &'static AtomicBool {
    &CANCEL
}

/// Makes Ctrl-C request cancellation, with the standard message.
pub fn cancel_on_interrupt() {
    cancel_on_interrupt_saying("\nStopping; finished runs are kept. Press Ctrl-C again to quit immediately.");
}

/// Makes Ctrl-C request cancellation and print `text`.
pub fn cancel_on_interrupt_saying(text: &'static str) {
    // Installed once per process. A second Ctrl-C ends the process immediately.
    static SET: std::sync::Once = std::sync::Once::new();
    SET.call_once(|| {
        let handler = ctrlc::set_handler(move || {
            if CANCEL.swap(true, Ordering::Relaxed) {
                std::process::exit(i32::from(INTERRUPTED));
            }
            print_error(format_args!("{text}"));
        });
        if let Err(error) = handler {
            print_error(format_args!(
                "jettison: cannot handle Ctrl-C, which will now quit immediately: {error}"
            ));
        }
    });
}

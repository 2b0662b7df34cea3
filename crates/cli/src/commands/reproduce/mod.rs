//! `jettison reproduce`.

mod ledger;
mod list;
mod value;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use jettison_report::{
    Counts, Fitted, ReproductionRecord, ReproductionRow, Results, RunSummary, Status, Verdict, answer,
    claims_table, verdicts_legend, wrapped,
};
use jettison_run::reproduce::{Experiment, Library, Paper, rows_of};
use jettison_run::value::Plan;
use jettison_scenario::build::Builder;
use jettison_scenario::{Changes, Scenario};

use super::figures::Painter;
use super::{report, run};
use crate::options::RunArguments;
use crate::output::{Failure, INTERRUPTED, print_error, print_record, width};
use crate::screen::{Screen, with_choice};

/// What `reproduce` is to do besides the options of a run.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The paper, or the experiment as `paper/experiment`; none for a list.
    pub name: Option<&'a str>,
    /// The folder of scenarios, if it is not the project's own.
    pub folder: Option<&'a Path>,
    /// Whether to draw the paper's figures.
    pub figures: bool,
    /// Whether to print the ledger of the paper's claims and run nothing.
    pub ledger: bool,
}

/// Runs a paper or experiment and prints one row per figure and, for a paper, the verdicts on its claims.
pub fn reproduce(request: Request<'_>, options: &RunArguments) -> Result<ExitCode, Failure> {
    let library = Library::open(request.folder).map_err(Failure::of)?;
    let builder = Builder::standard();
    let Some(name) = request.name else {
        return list::list(&library, &builder, options).map(|()| ExitCode::SUCCESS);
    };
    let experiments = library.find(name).map_err(Failure::of)?;
    // Read and check everything before the first run.
    let claims = ledger::claims(&library, name)?;
    if request.ledger {
        return ledger::print_markdown(name, claims.as_ref()).map(|()| ExitCode::SUCCESS);
    }
    let mut prepared = Vec::new();
    for experiment in experiments {
        let paper = experiment.paper_figures().map_err(Failure::of)?;
        let file = experiment.path.display().to_string();
        let files = experiment.files(options.data.folder.as_deref());
        let registries = builder.registries();
        let load =
            |changes: &Changes| Scenario::parse(&experiment.scenario, &file, &files, changes, &registries);
        let scenario = run::load_with_seeds(&load, options)?;
        let plan = value::plan(experiment, &scenario, options.quick)?;
        prepared.push((experiment, paper, scenario, plan));
    }
    let painter = request.figures.then(|| Painter::find(name)).transpose()?;
    let several = prepared.len() > 1;
    let screen = Screen::new(options.show.all);
    let mut left = prepared.len();
    let mut complete = true;
    let mut folders = Vec::new();
    let mut rows = Vec::new();
    for (number, (experiment, paper, scenario, plan)) in prepared.iter().enumerate() {
        if several && !run::interrupted() {
            let (number, all, name) = (number + 1, prepared.len(), experiment.full_name());
            print_error(format_args!("jettison: experiment {number} of {all}: {name}"));
        }
        let own = RunArguments {
            out: options
                .out
                .as_ref()
                .map(|out| if several { out.join(&experiment.name) } else { out.clone() }),
            set: Vec::new(),
            gauges: None,
            data: options.data.clone(),
            store: options.store.clone(),
            show: options.show.clone(),
            precision: options.precision.clone(),
            of: options.of.clone(),
            ..*options
        };
        let outcome = match run::interrupted() {
            true => None,
            false => match one(
                (experiment, paper.as_ref(), plan.as_ref()),
                scenario,
                &builder,
                &own,
                (&screen, left, several),
            ) {
                Ok(results) => Some(results),
                // The experiments before it have results.
                Err(Failure::Interrupted(message)) if !folders.is_empty() => {
                    print_error(format_args!("{message}"));
                    None
                }
                Err(failure) => return Err(failure),
            },
        };
        match outcome {
            Some(results) => {
                complete &= results.manifest.status == Status::Complete;
                rows.extend(results.reproduction);
                folders.push(results.folder);
            }
            None => {
                complete = false;
                rows.extend(not_run(experiment, paper.as_ref(), options.json, &screen)?);
            }
        }
        left -= 1;
    }
    conclude(name, &rows, claims.as_ref(), options.json, screen)?;
    if let Some(painter) = painter.filter(|_| !run::interrupted()) {
        let out = options.out.clone().unwrap_or_else(|| paper_folder(name));
        let figures = run::default_folder(&out, "figures", options.quick && options.out.is_none());
        painter.paint(name, &folders, &figures, options.json)?;
        // Figures inside a folder of results are part of them.
        for folder in folders.iter().filter(|folder| out.canonicalize().is_ok_and(|out| out == **folder)) {
            Results::load(folder).and_then(|results| results.adopt("figures")).map_err(Failure::of)?;
        }
    }
    Ok(if complete { ExitCode::SUCCESS } else { ExitCode::from(INTERRUPTED) })
}

/// The default folder for the results of a paper's experiments.
fn paper_folder(name: &str) -> PathBuf {
    PathBuf::from("out").join(paper_of(name))
}

/// The paper of a name such as `ired` or `ired/mixed`.
fn paper_of(name: &str) -> &str {
    name.split_once('/').map_or(name, |(paper, _)| paper)
}

/// Runs one experiment.
fn one(
    (experiment, paper, plan): (&Experiment, Option<&Paper>, Option<&Plan>),
    scenario: &Scenario,
    builder: &Builder,
    options: &RunArguments,
    (screen, left, several): (&Screen, usize, bool),
) -> Result<Results, Failure> {
    let compare = |runs: &[RunSummary]| compared(experiment, paper, runs);
    let plots = paper.map(|paper| paper.plots.clone()).unwrap_or_default();
    let results = run::execute(scenario, builder, options, plots, &compare)?;
    let results = with_choice(results, &options.show);
    let plan = plan.filter(|_| results.manifest.status == Status::Complete);
    if options.json {
        run::print_records(&results)?;
        print_rows(&results.reproduction)?;
    } else if several && !options.show.all {
        let text = in_brief(experiment, &results);
        // What is left is shared with the experiments to come and the verdicts on claims.
        let room = screen.room(CLAIMS).map(|room| (room / left).max(2));
        screen.print_cut(&text, room, &format!("the answer of {}", experiment.full_name()))?;
    } else if plan.is_some() && !options.show.all {
        // The value of drops, which follows, is what the experiment is about.
        screen.print(&title(experiment, &results))?;
        screen.print_fitted(Fitted {
            text: String::new(),
            left_out: vec!["the comparison of the runs".to_owned()],
        })?;
        screen.places(&results)?;
    } else {
        screen.print(&title(experiment, &results))?;
        report::print_with_paper(screen, &results, width(), 4)?;
        if results.reproduction.is_empty() {
            screen.print("No figures of a paper belong to this experiment.\n")?;
        }
        screen.places(&results)?;
    }
    if let Some(plan) = plan {
        value::measure(plan, scenario, builder, &results, options, screen)?;
    }
    Ok(results)
}

/// Lines for the verdicts on a paper's claims, where it has many experiments.
const CLAIMS: usize = 20;

/// The name of an experiment and how its figures compare with the paper's.
fn title(experiment: &Experiment, results: &Results) -> String {
    let verdicts: Vec<Verdict> = results.reproduction.iter().map(|row| row.verdict).collect();
    let counts = Counts::new(&experiment.paper, Some(&experiment.name), "rows", &verdicts);
    match verdicts.is_empty() {
        true => format!("{}\n", experiment.full_name()),
        false => wrapped(&format!("{}: {counts}", experiment.full_name()), width()),
    }
}

/// An experiment in a few lines: how its figures compare with the paper's, where its page is, and its answer.
fn in_brief(experiment: &Experiment, results: &Results) -> String {
    let verdicts: Vec<Verdict> = results.reproduction.iter().map(|row| row.verdict).collect();
    let counts = Counts::new(&experiment.paper, Some(&experiment.name), "rows", &verdicts);
    let counts = if verdicts.is_empty() { "no figures of the paper".to_owned() } else { counts.to_string() };
    let head = format!("{}: {counts}\n  {}\n", experiment.full_name(), results.report().display());
    let answer = wrapped(&answer(results).text(), width().saturating_sub(2));
    answer.lines().fold(head, |text, line| text + "  " + line + "\n")
}

/// The rows of an experiment that an interrupt kept from its first run.
fn not_run(
    experiment: &Experiment,
    paper: Option<&Paper>,
    json: bool,
    screen: &Screen,
) -> Result<Vec<ReproductionRow>, Failure> {
    let rows = compared(experiment, paper, &[]);
    match json {
        true => print_rows(&rows)?,
        false => screen.print(&format!("{}: not run\n", experiment.full_name()))?,
    }
    Ok(rows)
}

fn compared(experiment: &Experiment, paper: Option<&Paper>, runs: &[RunSummary]) -> Vec<ReproductionRow> {
    let names = (experiment.paper.as_str(), experiment.name.as_str());
    paper.map_or_else(Vec::new, |paper| rows_of(names, paper, runs))
}

fn print_rows(rows: &[ReproductionRow]) -> Result<(), Failure> {
    rows.iter().try_for_each(|row| print_record(&ReproductionRecord::from(row)))
}

/// Prints the verdicts on a paper's claims, and how many rows and claims have each verdict.
fn conclude(
    name: &str,
    rows: &[ReproductionRow],
    claims: Option<&jettison_run::reproduce::Claims>,
    json: bool,
    screen: Screen,
) -> Result<(), Failure> {
    let (paper, experiment) = (paper_of(name), name.split_once('/').map(|(_, experiment)| experiment));
    let claims = claims.map(|claims| claims.judge(paper, rows));
    let verdicts: Vec<Verdict> = rows.iter().map(|row| row.verdict).collect();
    let of_rows = Counts::new(paper, experiment, "rows", &verdicts);
    let of_claims = claims.as_ref().map(|claims| {
        let verdicts: Vec<Verdict> = claims.iter().map(|claim| claim.verdict).collect();
        Counts::new(paper, None, "claims", &verdicts)
    });
    let counts = || std::iter::once(&of_rows).chain(&of_claims);
    if json {
        for claim in claims.iter().flatten() {
            print_record(&ReproductionRecord::from(claim))?;
        }
        return counts().try_for_each(|counts| print_record(&ReproductionRecord::from(counts)));
    }
    let judged = claims.iter().flatten().map(|claim| claim.verdict);
    let meanings = match experiment {
        None => verdicts_legend(&judged.chain(verdicts).collect::<Vec<_>>(), width()),
        Some(_) => String::new(),
    };
    if let Some(claims) = &claims {
        screen.print_cut(&claims_table(claims, width()), screen.room(2), "claims")?;
    }
    // Less important than the claims.
    if !meanings.is_empty() {
        screen.print_cut(&meanings, screen.room(2), "the meanings of verdicts")?;
    }
    // Those of one experiment stand above its tables.
    counts()
        .filter(|counts| counts.total > 0 && counts.experiment.is_none())
        .try_for_each(|counts| screen.print(&format!("{name}: {counts}\n")))?;
    screen.end(run::ALL)
}

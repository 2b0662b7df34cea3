//! `jettison explain`.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use jettison_report::explain::{answer, ladder, record, told};
use jettison_report::{wrapped, wrapped_line};
use jettison_run::explain::{ExplainOptions, Explained, Judgement, explain_results, explain_stored, judge};
use jettison_scenario::build::Builder;

use serde::Serialize;

use super::run::{cancel_on_interrupt, cancelled, execute, load_with_seeds, program, status};
use crate::options::{ExplainArguments, RunArguments};
use crate::output::{Failure, print, print_error, print_record, width};
use crate::progress::Bar;
use crate::screen::LINES;

/// Lines from which on an output is cut between events.
const WHOLE: usize = 20;

/// Explains the events of stored results, or runs a scenario file and explains its events.
pub fn explain(
    target: &Path,
    options: &RunArguments,
    arguments: &ExplainArguments,
) -> Result<ExitCode, Failure> {
    cancel_on_interrupt();
    let builder = Builder::standard();
    let (folder, code) = match target.is_dir() {
        true => {
            if let Some(setting) = options.set.first() {
                let message =
                    format!("--set {setting} needs a scenario file, but {} holds results", target.display());
                return Err(Failure::Message(message));
            }
            (target.to_owned(), ExitCode::SUCCESS)
        }
        false => run(target, options, &builder)?,
    };
    // A run's first seed chooses none: all its events are explained.
    let seed = if target.is_dir() { options.seed } else { None };
    let chosen = ExplainOptions {
        variant: arguments.variant.as_deref(),
        seed,
        data: options.data.folder.as_deref(),
        worst: arguments.worst.unwrap_or(5),
        viewer: arguments.viewer.as_deref(),
        event: arguments.event,
        cancel: cancelled(),
    };
    if let Some(count) = arguments.check_sample {
        let bar = Bar::of_unknown_length("explain: checking events by runs without their causes");
        let found = judge(&folder, (count, arguments.sample_seed), &chosen, &builder, program());
        drop(bar);
        let found = found.map_err(Failure::of)?;
        match options.json {
            true => print_record(&found)?,
            false => print(judgement(&found))?,
        }
        return Ok(code);
    }
    let bar = Bar::of_unknown_length("explain");
    let explained = match arguments.no_check {
        true => explain_stored(&folder, &chosen),
        false => explain_results(&folder, &chosen, &builder, program()),
    };
    drop(bar);
    let explained = explained.map_err(Failure::of)?;
    for remark in &explained.remarks {
        print_error(format_args!("jettison: {remark}"));
    }
    let picture = picture(&explained, arguments.picture.as_deref())?;
    if options.json {
        if !explained.unseen.is_empty() {
            print_record(&Unseen { record: "unseen", text: &explained.unseen })?;
        }
        for run in &explained.runs {
            for (explanation, check) in &run.events {
                let drawn = ladder(explanation, &run.evidence, true);
                print_record(&record((&run.key.variant, run.key.seed), explanation, check, Some(drawn)))?;
            }
        }
        return Ok(code);
    }
    // The picture's path is a line too.
    let lines = LINES - usize::from(picture.is_some());
    let is_all = arguments.worst.is_some() || options.show.all;
    print(text(&explained, (!is_all).then_some(lines), width()))?;
    if let Some(path) = picture {
        print(format_args!("Picture: {}\n", path.display()))?;
    }
    Ok(code)
}

/// What of live results is not seen.
#[derive(Serialize)]
struct Unseen<'a> {
    #[serde(rename = "type")]
    record: &'static str,
    text: &'a [String],
}

/// Runs a scenario with accounts; returns the folder of its results.
fn run(file: &Path, options: &RunArguments, builder: &Builder) -> Result<(PathBuf, ExitCode), Failure> {
    let registries = builder.registries();
    let data = options.data.folder.as_deref();
    let with_accounts = RunArguments {
        set: options.set.iter().cloned().chain(["record.accounts=true".to_owned()]).collect(),
        ..options.clone()
    };
    let load = |changes: &_| jettison_run::load(file, data, changes, &registries);
    let scenario = load_with_seeds(&load, &with_accounts)?;
    let results = execute(&scenario, builder, &with_accounts, Vec::new(), &|_| Vec::new())?;
    Ok((results.folder.clone(), status(&results)))
}

/// Explanations in words, the answer first, in at most so many lines of this width.
fn text(explained: &Explained, most: Option<usize>, width: usize) -> String {
    let mut text = String::new();
    if explained.runs.is_empty() {
        let _ = writeln!(text, "{}: no events of viewers", explained.scenario);
    }
    let all: Vec<_> = explained.runs.iter().flat_map(|run| &run.events).collect();
    if let Some(answer) = answer(&all, explained.events) {
        text.push_str(&wrapped(&answer, width));
    }
    for line in &explained.unseen {
        text.push_str(&wrapped(line, width));
    }
    for run in &explained.runs {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&wrapped_line(&format!("{} {}: {}", explained.scenario, run.key, run.overview), width));
        for (explanation, check) in &run.events {
            text.push('\n');
            for line in told(explanation, check) {
                text.push_str(&wrapped_line(&line, width));
            }
        }
    }
    let lines = text.lines().count();
    match most.filter(|most| lines > *most) {
        None => text,
        Some(most) => {
            // Whole events, where one fits.
            let shown: Vec<&str> = text.lines().take(most - 1).collect();
            let whole = shown.iter().rposition(|line| line.is_empty()).filter(|at| *at > WHOLE);
            let shown = &shown[..whole.map_or(shown.len(), |at| at + 1)];
            let cut = lines - shown.len();
            let shown = shown.join("\n");
            format!(
                "{shown}\nLeft out: {cut} lines; `--worst N` shows all of N events, `--all` everything.\n"
            )
        }
    }
}

/// Writes the ladder of the most expensive event.
fn picture(explained: &Explained, path: Option<&Path>) -> Result<Option<PathBuf>, Failure> {
    let Some(path) = path else { return Ok(None) };
    let all = explained.runs.iter().flat_map(|run| run.events.iter().map(move |own| (run, &own.0)));
    let Some((run, worst)) = all.max_by(|one, other| one.1.event.cost.total_cmp(&other.1.event.cost)) else {
        return Ok(None);
    };
    let drawn = ladder(worst, &run.evidence, true);
    std::fs::write(path, drawn)
        .map_err(|error| Failure::Message(format!("cannot write {}: {error}", path.display())))?;
    Ok(Some(path.to_owned()))
}

/// The result of a sample in words.
fn judgement(judged: &Judgement) -> String {
    let Judgement {
        scenario, events, judged: count, named, confirmed, cost, other_cost, causes, failed, ..
    } = judged;
    let share = 100.0 * *confirmed as f64 / (*count).max(1) as f64;
    let other = 100.0 * other_cost / cost.max(1e-12);
    let mut text = format!(
        "{scenario}: {confirmed} of {count} chains confirmed ({share:.0} %), of {events} events; {named} of them name a drop or a wait; other: {other:.0} % of the cost\n"
    );
    for own in causes {
        let _ = writeln!(text, "  {} <- {}: {} of {}", own.event, own.cause, own.confirmed, own.judged);
    }
    for own in failed.iter().take(20) {
        let _ = writeln!(
            text,
            "  not confirmed: --variant {} --seed {} --event {} ({} <- {}; {:.3} s of {:.3} s left)",
            own.variant, own.seed, own.event, own.kind, own.cause, own.left, own.cost
        );
    }
    text
}

//! The list of experiments that can be reproduced, by paper.

use jettison_report::wrapped;
use jettison_run::reproduce::{Experiment, Library};
use jettison_scenario::build::Builder;
use jettison_scenario::{Changes, Scenario};
use serde::Serialize;

use crate::commands::list::names_by;
use crate::options::RunArguments;
use crate::output::{Failure, print, print_record, width};
use crate::screen::LINES;

/// An experiment in the list; with `--json` a record.
#[derive(Serialize)]
struct Entry {
    /// Always `experiment`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// Id of the paper.
    paper: String,
    /// Name of the experiment.
    experiment: String,
    /// What it is about.
    title: String,
    /// Number of the paper's figures that it is compared with.
    rows: usize,
    /// Number of runs; null if input files of the scenario are missing.
    runs: Option<usize>,
    /// Simulated time of all runs together, in seconds.
    simulated_seconds: Option<f64>,
}

/// Lists all experiments.
pub fn list(library: &Library, builder: &Builder, options: &RunArguments) -> Result<(), Failure> {
    if !options.json && !options.show.all {
        return print(in_brief(library));
    }
    let mut paper = "";
    let column = library.experiments().iter().map(|e| e.full_name().len()).max().unwrap_or_default() + 4;
    for experiment in library.experiments() {
        let entry = entry(experiment, builder, options)?;
        if options.json {
            print_record(&entry)?;
            continue;
        }
        if experiment.paper != paper {
            let between = if paper.is_empty() { "" } else { "\n" };
            paper = &experiment.paper;
            print(format_args!("{between}{}\n", heading(library, paper)?))?;
        }
        let mut text = entry.title;
        if let Some((runs, seconds)) = entry.runs.zip(entry.simulated_seconds) {
            text.push_str(&format!(" ({runs} runs, {} simulated", duration(seconds)));
            text.push_str(&match entry.rows {
                0 => ")".to_owned(),
                1 => ", 1 row)".to_owned(),
                rows => format!(", {rows} rows)"),
            });
        }
        print(entry_lines(&experiment.full_name(), &text, column, width()))?;
    }
    if options.json {
        return Ok(());
    }
    print(
        "\nOne experiment: jettison reproduce PAPER/EXPERIMENT; all of a paper: jettison reproduce PAPER.\n\
         --quick runs the short form. Rows are figures of the paper that ours are compared with.\n",
    )
}

/// One line per experiment, cut to the width of the terminal; the names alone if these are too many lines.
fn in_brief(library: &Library) -> String {
    let foot = "One experiment: jettison reproduce PAPER/EXPERIMENT; all of a paper: jettison reproduce PAPER; the short form: --quick.\n\
                `jettison reproduce --all` lists titles, papers, runs and rows in full.\n";
    let experiments = library.experiments();
    let foot: String = foot.lines().map(|line| wrapped(line, width())).collect();
    if experiments.len() + foot.lines().count() > LINES {
        return names_by(experiments.iter().map(|e| (e.paper.as_str(), e.name.as_str()))) + &foot;
    }
    let column = experiments.iter().map(|e| e.full_name().len()).max().unwrap_or_default() + 2;
    let line = |experiment: &Experiment| {
        let text = format!("{:<column$}{}", experiment.full_name(), experiment.title());
        match text.chars().count() > width() {
            true => text.chars().take(width() - 1).collect::<String>().trim_end().to_owned() + "…\n",
            false => text + "\n",
        }
    };
    experiments.iter().map(line).collect::<String>() + &foot
}

fn entry(experiment: &Experiment, builder: &Builder, options: &RunArguments) -> Result<Entry, Failure> {
    let file = experiment.path.display().to_string();
    let files = experiment.files(options.data.folder.as_deref());
    let changes = Changes { set: Vec::new(), quick: options.quick };
    // The list is complete even if a scenario cannot be read: its own command says what is wrong.
    let scenario = Scenario::parse(&experiment.scenario, &file, &files, &changes, &builder.registries()).ok();
    let seconds = |scenario: &Scenario| {
        let of_variants: f64 =
            scenario.variants.iter().map(|variant| variant.settings.duration.as_secs_f64()).sum();
        of_variants * scenario.seeds.len() as f64
    };
    Ok(Entry {
        kind: "experiment",
        paper: experiment.paper.clone(),
        experiment: experiment.name.clone(),
        title: experiment.title(),
        rows: experiment.paper_figures().map_err(Failure::of)?.map_or(0, |paper| paper.rows.len()),
        runs: scenario.as_ref().map(|scenario| scenario.variants.len() * scenario.seeds.len()),
        simulated_seconds: scenario.as_ref().map(seconds),
    })
}

/// A paper's id and title.
fn heading(library: &Library, paper: &str) -> Result<String, Failure> {
    if let Some(claims) = library.claims(paper).map_err(Failure::of)? {
        return Ok(format!("{paper}: {}", claims.paper));
    }
    for experiment in library.experiments().iter().filter(|e| e.paper == paper) {
        if let Some(figures) = experiment.paper_figures().map_err(Failure::of)? {
            return Ok(format!("{paper}: {}", figures.paper));
        }
    }
    Ok(paper.to_owned())
}

/// A time in the unit that suits it: `90 s`, `15 min`, `2.5 h`.
fn duration(seconds: f64) -> String {
    match seconds {
        ..120.0 => format!("{seconds:.0} s"),
        ..7_200.0 => format!("{:.0} min", seconds / 60.0),
        ..36_000.0 => format!("{:.1} h", seconds / 3_600.0),
        _ => format!("{:.0} h", seconds / 3_600.0),
    }
}

/// The name, and the text beside it from `column` on, wrapped at `width`.
fn entry_lines(name: &str, text: &str, column: usize, width: usize) -> String {
    let mut out = format!("  {name}");
    let mut at = out.chars().count();
    out.push_str(&" ".repeat(column.saturating_sub(at)));
    at = at.max(column);
    let mut is_first = true;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if !is_first && at + 1 + length > width {
            out.push_str(&format!("\n{}", " ".repeat(column)));
            at = column;
            is_first = true;
        }
        if !is_first {
            out.push(' ');
            at += 1;
        }
        out.push_str(word);
        at += length;
        is_first = false;
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_fitting_unit() {
        let shown = [90.0, 900.0, 9_000.0, 90_000.0].map(duration);
        assert_eq!(shown, ["90 s", "15 min", "2.5 h", "25 h"]);
    }

    #[test]
    fn a_title_is_wrapped_beside_its_name() {
        assert_eq!(entry_lines("p/e", "one two three", 8, 16), "  p/e   one two\n        three\n");
        assert_eq!(entry_lines("p/e", "unbreakable-word", 8, 16), "  p/e   unbreakable-word\n");
    }
}

//! `jettison check` and `jettison schema`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use jettison_run::default_threads;
use jettison_run::estimate::{Estimate, estimate};
use jettison_run::live::{Command, Commands};
use jettison_scenario::build::Builder;
use jettison_scenario::{Changes, Scenario, schema_json};
use serde_json::{Value, json};

use super::approve::listing;
use super::project::{Loaded, Loading};
use crate::options::ProjectArguments;
use crate::output::{Failure, print_error, print_json, print_record, warn};
use crate::screen::Screen;
use crate::snippet::WithLines;

/// Checks scenario files and estimates their runs; exit status 2 if one is invalid.
pub fn check(
    files: &[PathBuf],
    project: &ProjectArguments,
    data: Option<&Path>,
    changes: &Changes,
    json: bool,
    all: bool,
) -> Result<ExitCode, Failure> {
    let screen = Screen::new(all);
    let builder = Builder::standard();
    let registries = builder.registries();
    let mut invalid = false;
    for file in files {
        let loading = Loading::new(file, project, data, &registries)?;
        match loading.load(changes) {
            Ok(Loaded { scenario, project }) => {
                for note in project.iter().flat_map(|project| &project.notes).filter(|_| !json) {
                    print_error(format_args!("{}: {note}", scenario.file));
                }
                warn(&scenario);
                let estimate = estimate(&scenario, default_threads(), false);
                let commands = Commands::of(&scenario, &builder);
                if json {
                    print_record(&record(file, &scenario, &estimate, &commands))?;
                    continue;
                }
                let runs = scenario.variants.len() * scenario.seeds.len();
                let (variants, seeds) = (scenario.variants.len(), scenario.seeds.len());
                let mut text = format!(
                    "{}: OK: {} × {} = {} of {}\n  {estimate}\n",
                    file.display(),
                    count(variants, "variant"),
                    count(seeds, "seed"),
                    count(runs, "run"),
                    scenario.variants[0].settings.duration,
                );
                if !commands.is_empty() {
                    text.push_str(&format!("{}\n", listing(&scenario, &commands, "would run")));
                }
                let what = file.display().to_string();
                screen.print_cut(&text, screen.room(0), &what)?;
            }
            Err(error) => {
                invalid = true;
                print_error(format_args!("{}", WithLines(&error)));
            }
        }
    }
    screen.end("`--all` prints everything.")?;
    Ok(if invalid { ExitCode::from(2) } else { ExitCode::SUCCESS })
}

/// What `--json` prints of a valid file.
fn record(file: &Path, scenario: &Scenario, estimate: &Estimate, commands: &Commands) -> Value {
    let commands = commands.iter().map(|command| {
        let Command { key, host, count, words, parameters, variants } = command;
        json!({
            "key": key,
            "host": host,
            "count": count,
            "words": words,
            "user": parameters.user,
            "environment": parameters.environment,
            "pass_environment": parameters.pass_environment,
            "variants": variants,
        })
    });
    json!({
        "type": "check",
        "file": file.display().to_string(),
        "scenario": scenario.name,
        "variants": scenario.variants.len(),
        "seeds": scenario.seeds.len(),
        "duration": scenario.variants[0].settings.duration,
        "estimate": estimate,
        "commands": commands.collect::<Vec<_>>(),
    })
}

fn count(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// Prints the JSON Schema of scenario files.
pub fn schema() -> Result<(), Failure> {
    let schema = schema_json(&Builder::standard().registries());
    let text = serde_json::to_string_pretty(&schema).map_err(Failure::of)?;
    print_json(text)
}

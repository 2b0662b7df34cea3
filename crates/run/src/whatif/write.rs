//! The two halves as results, which `report` and `compare` open.

use std::path::Path;

use jettison_report::{Closing, Experiment, Mode, Results, RunKey, Variant, Writer, WriterOptions};
use jettison_scenario::build::Builder;

use super::{Answer, WhatIfError};
use crate::experiment::describe;
use crate::rebuild::Rebuilt;

/// Name of the variant without the change.
pub const ORIGINAL: &str = "original";
/// Name of the variant with the change.
pub const CHANGED: &str = "changed";

/// Writes the halves as an experiment with two variants; its seeds are that of the run, or the numbers of the draws.
///
/// # Errors
/// If the folder cannot be written.
pub fn write(
    answer: &Answer,
    rebuilt: &Rebuilt,
    builder: &Builder,
    folder: &Path,
    force: bool,
    commit: Option<&str>,
) -> Result<Results, WhatIfError> {
    let described = describe(&rebuilt.scenario, builder, Mode::Simulated, Vec::new());
    let variant = |name: &str, baseline: Option<&str>| Variant {
        name: name.to_owned(),
        labels: [("run".to_owned(), name.to_owned())].into_iter().collect(),
        baseline: baseline.map(str::to_owned),
    };
    let seeds: Vec<u64> = match answer.pairs.len() {
        1 => vec![rebuilt.key.seed],
        draws => (1..=draws as u64).collect(),
    };
    let experiment = Experiment {
        name: format!("{}: what if {}", described.name, answer.words),
        description: format!(
            "{} of {}, once as it was, and once as if {}.",
            rebuilt.key, described.name, answer.words
        ),
        duration: answer.until.since(jettison_core::Time::ZERO),
        warm_up: rebuilt.variant().settings.warm_up,
        variants: vec![variant(ORIGINAL, None), variant(CHANGED, Some(ORIGINAL))],
        seeds: seeds.clone(),
        inputs: rebuilt.manifest.experiment.inputs.clone(),
        configuration: rebuilt.variant().effective_toml(),
        ..described
    };
    let options = WriterOptions { force, commit: commit.map(str::to_owned), ..WriterOptions::default() };
    let mut writer = Writer::create(folder, experiment, options)?;
    for (side, name) in [ORIGINAL, CHANGED].into_iter().enumerate() {
        for (pair, seed) in answer.pairs.iter().zip(&seeds) {
            let key = RunKey { variant: name.to_owned(), seed: *seed };
            writer.add_run(&key, &pair[side])?;
        }
    }
    Ok(writer.finish(Closing::default())?)
}

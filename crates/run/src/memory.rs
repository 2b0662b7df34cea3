//! Runs of a scenario with results in memory.

use std::sync::atomic::AtomicBool;

use jettison_report::{MemoryResults, MemoryWriter, Mode, ReproductionRow, RunSummary};
use jettison_scenario::Scenario;
use jettison_scenario::build::{BuildOptions, Builder};
use jettison_sim::World;

use crate::clock::Stopwatch;
use crate::experiment::{RunError, build, closing, describe, jobs, key, timing};
use crate::guard;
use crate::matrix::{Job, Progress, Work, run_matrix};

/// Options for runs with results in memory.
pub struct MemoryOptions<'a> {
    /// Number of parallel runs.
    pub jobs: usize,
    /// Git commit that the program was built from, for the manifest.
    pub commit: Option<&'a str>,
    /// Cancellation flag; finished runs are kept.
    pub cancel: &'a AtomicBool,
    /// Callback for progress.
    pub progress: &'a (dyn Fn(Progress) + Sync),
    /// Compares the runs' summaries with a paper's figures.
    pub compare: &'a (dyn Fn(&[RunSummary]) -> Vec<ReproductionRow> + Sync),
}

/// Runs all variants of a scenario with all seeds and keeps the results in memory. Captures nothing.
pub fn run_in_memory(
    scenario: &Scenario,
    builder: &Builder,
    options: &MemoryOptions<'_>,
) -> Result<MemoryResults, RunError> {
    let mut writer = MemoryWriter::create(
        describe(scenario, builder, Mode::Simulated, Vec::new()),
        options.commit.map(str::to_owned),
    );
    let work = InMemory { scenario, builder };
    let stopwatch = Stopwatch::start();
    let mut timings = Vec::new();
    let jobs = jobs(scenario);
    run_matrix(&jobs, options.jobs, options.cancel, &work, options.progress, &mut |finished| {
        let key = key(scenario, &finished.job);
        writer.add_run(&key, &finished.record)?;
        timings.push(timing(key, finished.took));
        Ok(())
    })?;
    let runs: Vec<RunSummary> = writer.runs().cloned().collect();
    let warnings = guard::warnings(scenario, builder, &runs);
    let closing = closing(&stopwatch, options.jobs, timings, warnings, || (options.compare)(&runs))?;
    Ok(writer.finish(closing)?)
}

struct InMemory<'a> {
    scenario: &'a Scenario,
    builder: &'a Builder,
}

impl Work for InMemory<'_> {
    type Error = RunError;

    fn make(&self, _: usize, job: &Job) -> Result<World, RunError> {
        build(self.scenario, self.builder, job, &BuildOptions::default())
    }
}

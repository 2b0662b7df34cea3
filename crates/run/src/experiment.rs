//! Runs of a scenario: takes the matrix, writes a folder of results.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use jettison_core::Time;
use jettison_report::{
    Captures, Closing, Experiment, Figure, Input, Line, Mode, PortCapture, ReportError, ReproductionRow,
    Results, RunKey, RunSummary, RunTiming, Style, Timing, Variant, Writer, WriterOptions,
};
use jettison_scenario::Scenario;
use jettison_scenario::build::{Appearance, BuildFailure, BuildOptions, Builder};
use jettison_sim::{Tap, World};
use jettison_wire::Packet;
use thiserror::Error;

use crate::clock::{Elapsed, Stopwatch};
use crate::matrix::{Job, Progress, run_matrix};

/// Captured bytes per frame: all headers with their options, and the start of the payload.
const SNAP: usize = 128;

/// Options for the runs of a scenario.
pub struct RunOptions<'a> {
    /// The output folder.
    pub out: &'a Path,
    /// Whether to replace an output folder that holds something other than our results.
    pub force: bool,
    /// Number of parallel runs.
    pub jobs: usize,
    /// Whether to capture all ports, not only those whose link requests it.
    pub pcap: bool,
    /// Additional figures for the report.
    pub figures: Vec<Figure>,
    /// Git commit that the program was built from, for the manifest.
    pub commit: Option<&'a str>,
    /// Cancellation flag; finished runs are kept.
    pub cancel: &'a AtomicBool,
    /// Callback for progress.
    pub progress: &'a (dyn Fn(Progress) + Sync),
    /// Compares the runs' summaries with a paper's figures.
    pub compare: &'a (dyn Fn(&[RunSummary]) -> Vec<ReproductionRow> + Sync),
}

/// An error that prevents the runs of a scenario.
#[derive(Debug, Error)]
pub enum RunError {
    /// Results cannot be written.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// A variant whose network cannot be built.
    #[error("variant `{variant}`: {failure}")]
    Build {
        /// The variant's name.
        variant: String,
        /// The cause.
        failure: BuildFailure,
    },
    /// Cancelled before the first run had finished.
    #[error("interrupted before the first run had finished; nothing was written")]
    NothingFinished,
}

/// Runs all variants of a scenario with all seeds and writes the results.
pub fn run_scenario(
    scenario: &Scenario,
    builder: &Builder,
    options: &RunOptions<'_>,
) -> Result<Results, RunError> {
    let experiment = describe(scenario, builder, Mode::Simulated, options.figures.clone());
    let keep = WriterOptions { force: options.force, commit: options.commit.map(str::to_owned) };
    let mut writer = Writer::create(options.out, experiment, keep)?;
    let captures = writer.captures();
    let failures: Arc<Mutex<Option<ReportError>>> = Arc::default();
    let make = |job: &Job| {
        let tapped = BuildOptions { tap_all: options.pcap, ..BuildOptions::default() };
        let mut world = build(scenario, builder, job, &tapped)?;
        if world.is_tapped() {
            let key = key(scenario, job);
            world.set_tap(Box::new(CaptureTap::new(key, captures.clone(), Arc::clone(&failures))));
        }
        Ok(world)
    };
    let stopwatch = Stopwatch::start();
    let mut timings = Vec::new();
    let jobs = jobs(scenario);
    run_matrix(&jobs, options.jobs, options.cancel, &make, options.progress, &mut |finished| {
        if let Some(error) = failures.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take() {
            return Err(RunError::Report(error));
        }
        let key = key(scenario, &finished.job);
        writer.add_run(&key, &finished.record)?;
        timings.push(timing(key, finished.took));
        Ok(())
    })?;
    let runs: Vec<RunSummary> = writer.runs().cloned().collect();
    Ok(writer.finish(closing(&stopwatch, options.jobs, timings, || (options.compare)(&runs))?)?)
}

/// Data that is known after the last run: durations, and the comparison with the paper's figures.
pub(crate) fn closing(
    stopwatch: &Stopwatch,
    jobs: usize,
    runs: Vec<RunTiming>,
    compare: impl FnOnce() -> Vec<ReproductionRow>,
) -> Result<Closing, RunError> {
    if runs.is_empty() {
        return Err(RunError::NothingFinished);
    }
    let timing = Timing { wall_seconds: stopwatch.elapsed().wall.as_secs_f64(), jobs, runs };
    // Warnings that only the runs can tell belong here, beside those that follow from the values.
    Ok(Closing { timing, reproduction: compare(), warnings: Vec::new() })
}

/// All runs, in the order of the variants and of the seeds within each.
pub(crate) fn jobs(scenario: &Scenario) -> Vec<Job> {
    let of_variant = |(variant, v): (usize, &jettison_scenario::Variant)| {
        let duration = v.settings.duration;
        scenario.seeds.iter().map(move |seed| Job { variant, seed: *seed, duration }).collect::<Vec<_>>()
    };
    scenario.variants.iter().enumerate().flat_map(of_variant).collect()
}

pub(crate) fn key(scenario: &Scenario, job: &Job) -> RunKey {
    RunKey { variant: scenario.variants[job.variant].name.clone(), seed: job.seed }
}

pub(crate) fn build(
    scenario: &Scenario,
    builder: &Builder,
    job: &Job,
    options: &BuildOptions,
) -> Result<World, RunError> {
    let variant = &scenario.variants[job.variant];
    let world = builder.build(&variant.settings, &scenario.contents, job.seed, options);
    world.map_err(|failure| RunError::Build { variant: variant.name.clone(), failure })
}

pub(crate) fn timing(key: RunKey, took: Elapsed) -> RunTiming {
    RunTiming { key, wall_seconds: took.wall.as_secs_f64(), cpu_seconds: took.cpu.as_secs_f64() }
}

/// Describes the experiment for its results, for any way of running it.
pub fn describe(scenario: &Scenario, builder: &Builder, mode: Mode, figures: Vec<Figure>) -> Experiment {
    let first = &scenario.variants[0].settings;
    Experiment {
        name: scenario.name.clone(),
        description: scenario.description.clone().unwrap_or_default(),
        mode,
        duration: first.duration,
        warm_up: first.warm_up,
        variants: scenario
            .variants
            .iter()
            .map(|variant| Variant {
                name: variant.name.clone(),
                labels: variant.labels.clone(),
                baseline: variant.baseline.clone(),
            })
            .collect(),
        seeds: scenario.seeds.clone(),
        inputs: scenario
            .inputs
            .iter()
            .map(|input| Input { path: input.file.clone(), sha256: input.sha256.clone() })
            .collect(),
        bottleneck: None,
        figures,
        styles: styles(scenario, builder),
        configuration: configuration(scenario),
    }
}

/// Styles in plots of the components that variants are named after.
fn styles(scenario: &Scenario, builder: &Builder) -> BTreeMap<String, Style> {
    let known = builder.appearances();
    let labels = scenario.variants.iter().flat_map(|variant| variant.labels.values().chain([&variant.name]));
    let style = |label: &String| {
        let Appearance { name, style } = known.of(label)?;
        let line = Line::of_name(style.line.name())?;
        Some((label.clone(), Style { name: name.into_owned(), colour: style.colour.to_string(), line }))
    };
    labels.filter_map(style).collect()
}

/// The first variant's configuration in full; the names of the others tell their changes.
fn configuration(scenario: &Scenario) -> String {
    let mut text = scenario.variants[0].effective_toml();
    if scenario.variants.len() > 1 {
        text = format!(
            "# Variant {}; the others differ as their names tell.\n{text}",
            scenario.variants[0].name
        );
    }
    text
}

/// Captures each tapped port of a run to its own file.
pub(crate) struct CaptureTap {
    run: RunKey,
    captures: Captures,
    open: Vec<(String, Option<PortCapture>)>,
    failed: Arc<Mutex<Option<ReportError>>>,
}

impl CaptureTap {
    /// Creates the captures of a run; the first error is stored in `failed`.
    pub(crate) fn new(
        run: RunKey,
        captures: Captures,
        failed: Arc<Mutex<Option<ReportError>>>,
    ) -> CaptureTap {
        CaptureTap { run, captures, open: Vec::new(), failed }
    }

    fn fail(&self, error: ReportError) {
        let mut failed = self.failed.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        failed.get_or_insert(error);
    }
}

impl Tap for CaptureTap {
    fn transmitted(&mut self, direction: &str, packet: &Packet, now: Time) {
        let place = match self.open.iter().position(|(name, _)| name == direction) {
            Some(place) => place,
            None => {
                let capture = self.captures.create(&self.run, direction, SNAP);
                let capture = capture.map_err(|error| self.fail(error)).ok();
                self.open.push((direction.to_owned(), capture));
                self.open.len() - 1
            }
        };
        // After an error, this port's capture stops. The error is returned when the run is handed over.
        if let Some(capture) = &mut self.open[place].1
            && let Err(error) = capture.packet(packet, now)
        {
            self.open[place].1 = None;
            self.fail(error);
        }
    }
}

impl Drop for CaptureTap {
    fn drop(&mut self) {
        for (_, capture) in std::mem::take(&mut self.open) {
            if let Some(Err(error)) = capture.map(PortCapture::finish) {
                self.fail(error);
            }
        }
    }
}

//! Running a scenario: the matrix in, a folder of results out.

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

use crate::clock::{Stopwatch, Took};
use crate::matrix::{Job, Progress, run_matrix};

/// Bytes of each frame that a capture keeps: all headers with their options, and the first bytes of a payload.
const SNAP: usize = 128;

/// How a scenario is to be run.
pub struct RunOptions<'a> {
    /// Where the results go.
    pub out: &'a Path,
    /// Whether a folder that is not ours is replaced.
    pub force: bool,
    /// How many runs go at once.
    pub jobs: usize,
    /// Whether every port is captured, not only those whose link says so.
    pub pcap: bool,
    /// Figures that the report shows beside the usual ones.
    pub figures: Vec<Figure>,
    /// Git commit that the program was built from, for the manifest.
    pub commit: Option<&'a str>,
    /// Set to end early: finished runs are kept.
    pub cancel: &'a AtomicBool,
    /// Told how far it is.
    pub progress: &'a (dyn Fn(Progress) + Sync),
    /// Sets a paper's figures beside ours, from the summaries of the runs.
    pub compare: &'a (dyn Fn(&[RunSummary]) -> Vec<ReproductionRow> + Sync),
}

/// A run that could not be done.
#[derive(Debug, Error)]
pub enum RunError {
    /// Results cannot be written.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// A variant cannot be built.
    #[error("variant `{variant}`: {failure}")]
    Build {
        /// The variant.
        variant: String,
        /// Why.
        failure: BuildFailure,
    },
    /// It was ended before a single run had finished.
    #[error("ended before the first run had finished: nothing was written")]
    NothingFinished,
}

/// Runs every variant of a scenario under every seed and writes the results.
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

/// What is known once the last run has ended: how long it took, and the paper's figures beside ours.
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
    Ok(Closing { timing, reproduction: compare() })
}

/// All runs: variants in their order, each with all seeds.
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

pub(crate) fn timing(key: RunKey, took: Took) -> RunTiming {
    RunTiming { key, wall_seconds: took.wall.as_secs_f64(), cpu_seconds: took.cpu.as_secs_f64() }
}

/// The experiment as its results describe it, wherever it is run.
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
            .map(|variant| Variant { name: variant.name.clone(), labels: variant.labels.clone() })
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

/// How plots draw the components that variants are named after.
fn styles(scenario: &Scenario, builder: &Builder) -> BTreeMap<String, Style> {
    let known = builder.appearances();
    let labels = scenario.variants.iter().flat_map(|variant| variant.labels.values().chain([&variant.name]));
    let style = |label: &String| {
        // A scheme that comes in sizes: `ired-64` is iRED.
        let family = label.rsplit_once('-').filter(|(_, size)| size.parse::<u64>().is_ok());
        let (Appearance { name, style }, size) = match (known.get(label.as_str()), family) {
            (Some(own), _) => (own, None),
            (None, Some((family, size))) => (known.get(family)?, Some(size)),
            (None, None) => return None,
        };
        let name = size.map_or_else(|| (*name).to_owned(), |size| format!("{name} {size}"));
        let line = Line::of_name(style.line.name())?;
        Some((label.clone(), Style { name, colour: style.colour.to_string(), line }))
    };
    labels.filter_map(style).collect()
}

/// The first variant in full, and what each other one changes.
fn configuration(scenario: &Scenario) -> String {
    let mut text = scenario.variants[0].effective_toml();
    if scenario.variants.len() > 1 {
        text = format!(
            "# Variant {}; the others differ in what their names say.\n{text}",
            scenario.variants[0].name
        );
    }
    text
}

/// Captures each tapped port of a run to a file of its own.
pub(crate) struct CaptureTap {
    run: RunKey,
    captures: Captures,
    open: Vec<(String, Option<PortCapture>)>,
    failed: Arc<Mutex<Option<ReportError>>>,
}

impl CaptureTap {
    /// The captures of a run; the first thing that goes wrong is left in `failed`.
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
        // After a failure this port is given up: the error ends the whole when the run is handed over.
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

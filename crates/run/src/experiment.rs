//! Runs of a scenario: takes the matrix, writes a folder of results.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use jettison_core::Time;
use jettison_report::{
    Captures, Closing, Experiment, Figure, Input, Line, Mode, PortCapture, ReportColumn, ReportError,
    ReportSettings, ReproductionRow, Results, RunKey, RunStore, RunSummary, RunTiming, Status, Style, Timing,
    Variant, Warning, Writer, WriterOptions, store_beside, stored_manifest,
};
use jettison_scenario::build::{Appearance, BuildFailure, BuildOptions, Builder};
use jettison_scenario::schema::Report;
use jettison_scenario::{ColumnName, Scenario};
use jettison_sim::{ControlError, Tap, World};
use jettison_wire::Packet;
use thiserror::Error;

use crate::clock::{Elapsed, Stopwatch};
use crate::complete::complete;
use crate::durable::{Durable, Jobs, Shelf, keys_of};
use crate::guard;
use crate::matrix::{Finished, Job, Progress, run_matrix};
use crate::notice::Notice;
use crate::precision::{Precision, PrecisionError};
use crate::program::Program;
use crate::rebuild::place_of;

/// Captured bytes per frame: all headers with their options, and the start of the payload.
pub(crate) const SNAP: usize = 128;

/// Options for the runs of a scenario.
pub struct RunOptions<'a> {
    /// The output folder.
    pub out: &'a Path,
    /// Whether to replace an output folder that holds something other than our results, or those of exactly these runs.
    pub force: bool,
    /// Number of parallel runs.
    pub jobs: usize,
    /// Whether to capture all ports, not only those whose link requests it.
    pub pcap: bool,
    /// Additional figures for the report.
    pub figures: Vec<Figure>,
    /// The program, for the manifest and for the keys of runs.
    pub program: &'a Program,
    /// Where finished runs are kept until the results are complete.
    pub store: StorePlace<'a>,
    /// Digests of the Python queue disciplines that the scenario names, by name.
    pub sources: &'a BTreeMap<String, String>,
    /// Precision up to which seeds are added.
    pub precision: Option<&'a Precision>,
    /// Cancellation flag; finished runs are kept.
    pub cancel: &'a AtomicBool,
    /// Callback for progress.
    pub progress: &'a (dyn Fn(Progress) + Sync),
    /// Callback for what the user should know.
    pub notice: &'a (dyn Fn(Notice) + Sync),
    /// Compares the runs' summaries with a paper's figures.
    pub compare: &'a (dyn Fn(&[RunSummary]) -> Vec<ReproductionRow> + Sync),
}

/// Place of the store of finished runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StorePlace<'a> {
    /// Beside the output folder; removed when the results are complete.
    Beside,
    /// A folder that stays, and that other results may share.
    At(&'a Path),
    /// None: an interruption loses the runs that are not in the results.
    Nowhere,
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
    /// A controller that set what it cannot set.
    #[error(transparent)]
    Control(#[from] ControlError),
    /// A precision that cannot be reached.
    #[error(transparent)]
    Precision(#[from] PrecisionError),
    /// The store is inside the output folder, which is replaced as a whole.
    #[error("{} is inside the output folder, which is replaced as a whole; choose another folder with --store", .0.display())]
    StoreInResults(PathBuf),
    /// An error after some runs had finished.
    #[error("{error}; {kept} of {all} runs are kept in {}, and the same command runs the rest", store.display())]
    Stopped {
        /// The error.
        error: Box<RunError>,
        /// The number of finished runs.
        kept: usize,
        /// The number of all runs.
        all: usize,
        /// The store.
        store: PathBuf,
    },
    /// Cancelled before the first run had finished.
    #[error("interrupted before the first run had finished; nothing was written")]
    NothingFinished,
}

/// Runs all variants of a scenario with all seeds and writes the results.
///
/// Each run is kept in the store as soon as it has finished. Runs that are there are not repeated, so that the same call
/// after an interruption makes only the others; the results are then those of an undisturbed call, byte for byte.
pub fn run_scenario(
    scenario: &Scenario,
    builder: &Builder,
    options: &RunOptions<'_>,
) -> Result<Results, RunError> {
    if !options.force
        && let Some(results) = complete(scenario, builder, options)
    {
        // Left by a process that was killed while it removed the store.
        if options.store == StorePlace::Beside
            && let Ok(folder) = store_beside(options.out)
            && folder.is_dir()
        {
            drop(RunStore::create(&folder).map(RunStore::remove));
        }
        (options.notice)(Notice::Complete(results.folder.clone()));
        return Ok(results);
    }
    let experiment = describe(scenario, builder, Mode::Simulated, options.figures.clone());
    let keep = WriterOptions {
        force: options.force,
        commit: options.program.commit.clone(),
        keys: keys_of(scenario, options, &jobs(scenario)),
        scenario: Some(scenario.to_toml()),
    };
    // First, because it excludes other processes that write to the same folder.
    let other = stored_manifest(options.out).map(|stored| stored.experiment);
    let other = other.filter(|stored: &Experiment| stored.name != experiment.name);
    let mut writer = Writer::create(options.out, experiment, keep)?;
    if let Some(other) = other {
        (options.notice)(Notice::Replacing { name: other.name, folder: options.out.to_owned() });
    }
    let shelf = Shelf::open(options, &writer)?;
    let mut asked = scenario.clone();
    let closing = run_all(&mut asked, builder, options, &mut writer, shelf.as_ref());
    let Some(shelf) = shelf else { return Ok(writer.finish(closing?)?) };
    let store = shelf.store.folder().to_owned();
    let keys = keys_of(&asked, options, &jobs(&asked));
    let (kept, all) = (shelf.count(&keys), keys.len());
    let result = match closing {
        Ok(closing) => writer.finish(closing).map_err(RunError::from),
        Err(error) => {
            if shelf.store.is_empty() {
                // Before the writer, which removes the folders that it has made around both.
                shelf.leave(false);
                return Err(error);
            }
            Err(error)
        }
    };
    shelf.leave(result.as_ref().is_ok_and(|results| results.manifest.status == Status::Complete));
    match result {
        Ok(results) if results.manifest.status != Status::Complete => {
            (options.notice)(Notice::Interrupted { kept, all, store });
            Ok(results)
        }
        Err(error) if kept > 0 => Err(RunError::Stopped { error: Box::new(error), kept, all, store }),
        other => other,
    }
}

/// Runs everything and hands it to the writer; leaves the seeds that were used in `scenario`.
fn run_all(
    scenario: &mut Scenario,
    builder: &Builder,
    options: &RunOptions<'_>,
    writer: &mut Writer,
    shelf: Option<&Shelf>,
) -> Result<Closing, RunError> {
    let stopwatch = Stopwatch::start();
    let found = shelf.map_or(0, |shelf| shelf.count(&keys_of(scenario, options, &jobs(scenario))));
    if found > 0 {
        (options.notice)(Notice::Resuming { found, all: jobs(scenario).len() });
    }
    if let (Some(precision), Some(_)) = (options.precision, shelf) {
        reach(precision, scenario, builder, options, writer, shelf)?;
        let experiment = describe(scenario, builder, Mode::Simulated, options.figures.clone());
        let keys = keys_of(scenario, options, &jobs(scenario));
        writer.restart(experiment, keys, Some(scenario.to_toml()));
    }
    let all = jobs(scenario);
    let runs = Jobs::new(scenario, builder, options, shelf, writer.captures(), &all);
    let mut timings = Vec::new();
    let is_taken = vec![Cell::new(false); all.len()];
    let mut take = |writer: &mut Writer, finished: Finished| {
        runs.check_captures()?;
        let key = key(scenario, &finished.job);
        writer.add_run(&key, &finished.record)?;
        let is_temporary = shelf.is_some_and(|shelf| !shelf.is_shared);
        writer.add_captures(&key, &runs.captures(finished.index), is_temporary)?;
        timings.push((finished.index, timing(key, finished.took)));
        is_taken[finished.index].set(true);
        Ok::<(), RunError>(())
    };
    let work = Durable(&runs, &all);
    run_matrix(&all, options.jobs, options.cancel, &work, options.progress, &mut |finished| {
        take(writer, finished)
    })?;
    // After a cancellation, runs that were finished earlier and whose turn had not come.
    if options.cancel.load(Ordering::Relaxed) {
        for index in (0..all.len()).filter(|index| !is_taken[*index].get()) {
            if let Some((record, took)) = runs.load(index, || all[index]) {
                take(writer, Finished { index, job: all[index], record, took, events: 0 })?;
            }
        }
    }
    timings.sort_by_key(|(index, _)| *index);
    let timings = timings.into_iter().map(|(_, timing)| timing).collect();
    let summaries: Vec<RunSummary> = writer.runs().cloned().collect();
    let warnings = guard::warnings(scenario, builder, &summaries);
    let mut closing = closing(&stopwatch, options.jobs, timings, warnings, || (options.compare)(&summaries))?;
    closing.timing.scenario = place_of(Path::new(&scenario.file), writer.target());
    Ok(closing)
}

/// Adds seeds to the scenario until the precision is reached. Each run is kept in the store, from which the results are
/// written afterwards.
fn reach(
    precision: &Precision,
    scenario: &mut Scenario,
    builder: &Builder,
    options: &RunOptions<'_>,
    writer: &Writer,
    shelf: Option<&Shelf>,
) -> Result<(), RunError> {
    let names: Vec<String> = scenario.variants.iter().map(|variant| variant.name.clone()).collect();
    let variants: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut runs: Vec<RunSummary> = Vec::new();
    let mut seeds = precision.first(&scenario.seeds);
    let mut done: Vec<u64> = Vec::new();
    loop {
        let added =
            scenario.clone().with_seeds(seeds.iter().copied().filter(|s| !done.contains(s)).collect());
        let all = jobs(&added);
        let work = Jobs::new(&added, builder, options, shelf, writer.captures(), &all);
        run_matrix(
            &all,
            options.jobs,
            options.cancel,
            &Durable(&work, &all),
            options.progress,
            &mut |finished| {
                runs.push(RunSummary::of(&key(&added, &finished.job), &finished.record));
                Ok(())
            },
        )?;
        *scenario = scenario.clone().with_seeds(seeds.clone());
        if options.cancel.load(Ordering::Relaxed) {
            return Ok(());
        }
        // In the order of the experiment; the seeds within a variant are in order already.
        runs.sort_by_key(|run| variants.iter().position(|variant| *variant == run.key.variant));
        let widest = precision.widest(&runs, &variants)?;
        done.clone_from(&seeds);
        match precision.next(&seeds, &widest) {
            Some(more) => seeds = more,
            None => {
                let seeds = seeds.len();
                (options.notice)(Notice::Precision { wanted: precision.clone(), widest, seeds });
                return Ok(());
            }
        }
    }
}

/// Data that is known after the last run: durations, warnings that only the runs can tell, and the comparison with the
/// paper's figures.
pub(crate) fn closing(
    stopwatch: &Stopwatch,
    jobs: usize,
    runs: Vec<RunTiming>,
    warnings: Vec<Warning>,
    compare: impl FnOnce() -> Vec<ReproductionRow>,
) -> Result<Closing, RunError> {
    if runs.is_empty() {
        return Err(RunError::NothingFinished);
    }
    let wall_seconds = stopwatch.elapsed().wall.as_secs_f64();
    let timing = Timing { wall_seconds, jobs, runs, ..Timing::default() };
    Ok(Closing { timing, reproduction: compare(), warnings })
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
        inputs: inputs(scenario),
        bottleneck: first.bottleneck.clone(),
        report: report(&first.report),
        figures,
        styles: styles(scenario, builder),
        configuration: configuration(scenario),
    }
}

/// What tables show, for results.
pub fn report(settings: &Report) -> ReportSettings {
    ReportSettings {
        columns: settings
            .columns
            .iter()
            .filter_map(|name| ColumnName::parse(name).ok())
            .map(column)
            .collect(),
        flows: settings.flows,
    }
}

/// A column, for results.
pub fn column(name: ColumnName) -> ReportColumn {
    ReportColumn { metric: name.metric.metric.name.to_owned(), percentile: name.percentile }
}

/// The input files, with paths relative to the scenario: its own is its name, whatever folder it was run from.
fn inputs(scenario: &Scenario) -> Vec<Input> {
    let path = |(place, file): (usize, &str)| match Path::new(file).file_name().filter(|_| place == 0) {
        Some(name) => name.to_string_lossy().into_owned(),
        None => file.to_owned(),
    };
    let inputs = scenario.inputs.iter().enumerate();
    inputs.map(|(n, input)| Input { path: path((n, &input.file)), sha256: input.sha256.clone() }).collect()
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

/// Starts the capture of a port.
type StartCapture = dyn FnMut(&str) -> Result<PortCapture, ReportError> + Send;

/// Captures each tapped port of a run to its own file.
pub(crate) struct CaptureTap {
    start: Box<StartCapture>,
    open: Vec<(String, Option<PortCapture>)>,
    failed: Arc<Mutex<Option<ReportError>>>,
}

impl CaptureTap {
    /// Creates the captures of a run in the results' folder; the first error is stored in `failed`.
    pub(crate) fn new(
        run: RunKey,
        captures: Captures,
        failed: Arc<Mutex<Option<ReportError>>>,
    ) -> CaptureTap {
        CaptureTap::with(Box::new(move |port| captures.create(&run, port, SNAP)), failed)
    }

    /// Creates captures with `start`; the first error is stored in `failed`.
    pub(crate) fn with(start: Box<StartCapture>, failed: Arc<Mutex<Option<ReportError>>>) -> CaptureTap {
        CaptureTap { start, open: Vec::new(), failed }
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
                let capture = (self.start)(direction).map_err(|error| self.fail(error)).ok();
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

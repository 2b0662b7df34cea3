//! Runs that outlive the process: each is written to a store as soon as it has finished, and found there later.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};

use jettison_core::Duration;
use jettison_measure::RunRecord;
use jettison_report::{
    About, CaptureFolder, Captures, ReportError, RunStore, Search, StoredCapture, Writer, capture_port,
    store_beside,
};
use jettison_scenario::Scenario;
use jettison_scenario::build::{BuildOptions, Builder};
use jettison_sim::World;

use crate::clock::Elapsed;
use crate::experiment::{CaptureTap, RunError, RunOptions, SNAP, StorePlace, build, key};
use crate::keys::RunKeys;
use crate::matrix::{Finished, Job, Work};
use crate::notice::Notice;

/// The store of an experiment's runs.
#[derive(Debug)]
pub(crate) struct Shelf {
    pub(crate) store: RunStore,
    /// Whether it is used for other results too, and stays when these are complete.
    pub(crate) is_shared: bool,
}

impl Shelf {
    /// Opens or creates the store of what `writer` writes; `None` if runs are not to be kept.
    pub(crate) fn open(options: &RunOptions<'_>, writer: &Writer) -> Result<Option<Shelf>, RunError> {
        let (folder, is_shared) = match options.store {
            StorePlace::Beside => (store_beside(options.out)?, false),
            StorePlace::At(folder) => (folder.to_owned(), true),
            StorePlace::Nowhere => return Ok(None),
        };
        if writer.replaces(&folder) {
            return Err(RunError::StoreInResults(folder));
        }
        Ok(Some(Shelf { store: RunStore::create(&folder)?, is_shared }))
    }

    /// Number of runs that seem to be there.
    pub(crate) fn count(&self, keys: &[String]) -> usize {
        keys.iter().filter(|key| self.store.has(key)).count()
    }

    /// Ends the use of the store. One of this experiment alone goes when it is of no use any more.
    pub(crate) fn leave(self, is_complete: bool) {
        if !self.is_shared && (is_complete || self.store.is_empty()) {
            self.store.remove();
        }
    }
}

/// The key of each job's run.
pub(crate) fn keys_of(scenario: &Scenario, options: &RunOptions<'_>, jobs: &[Job]) -> Vec<String> {
    let of_variant = |variant| {
        let keys =
            RunKeys::of(scenario, std::slice::from_ref(variant), options.sources, &options.program.identity);
        if options.pcap { keys.with_all_captures() } else { keys }
    };
    let keys: Vec<RunKeys> = scenario.variants.iter().map(of_variant).collect();
    jobs.iter().map(|job| keys[job.variant].of_seed(job.seed)).collect()
}

/// The jobs of an experiment: finds their runs in the store, makes the others, and keeps them.
pub(crate) struct Jobs<'a> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) builder: &'a Builder,
    pub(crate) options: &'a RunOptions<'a>,
    pub(crate) shelf: Option<&'a Shelf>,
    /// Where captures go without a store.
    pub(crate) captures: Captures,
    /// The key of each job's run.
    pub(crate) keys: Vec<String>,
    /// The first error of a capture.
    pub(crate) failure: Arc<Mutex<Option<ReportError>>>,
    /// Captures of runs in progress, and of finished ones.
    pub(crate) open: Mutex<HashMap<usize, CaptureFolder>>,
    pub(crate) closed: Mutex<HashMap<usize, Vec<StoredCapture>>>,
}

impl<'a> Jobs<'a> {
    pub(crate) fn new(
        scenario: &'a Scenario,
        builder: &'a Builder,
        options: &'a RunOptions<'a>,
        shelf: Option<&'a Shelf>,
        captures: Captures,
        jobs: &[Job],
    ) -> Jobs<'a> {
        let keys = keys_of(scenario, options, jobs);
        let (failure, open, closed) = Default::default();
        Jobs { scenario, builder, options, shelf, captures, keys, failure, open, closed }
    }

    /// The stored captures of a finished run.
    pub(crate) fn captures(&self, index: usize) -> Vec<StoredCapture> {
        locked(&self.closed).remove(&index).unwrap_or_default()
    }

    /// The first error of a capture.
    pub(crate) fn check_captures(&self) -> Result<(), RunError> {
        locked(&self.failure).take().map_or(Ok(()), |error| Err(RunError::Report(error)))
    }

    /// Reads a run from the store.
    pub(crate) fn load(&self, index: usize, job: impl FnOnce() -> Job) -> Option<(RunRecord, Elapsed)> {
        match self.shelf?.store.load(&self.keys[index]) {
            Search::Found(run) => {
                let took = Elapsed {
                    wall: Duration::from_secs_f64(run.wall_seconds),
                    cpu: Duration::from_secs_f64(run.cpu_seconds),
                };
                locked(&self.closed).insert(index, run.captures);
                Some((run.record, took))
            }
            Search::Missing => None,
            Search::Damaged => {
                let run = key(self.scenario, &job()).to_string();
                (self.options.notice)(Notice::Damaged { run });
                None
            }
        }
    }

    fn tap(&self, index: usize, job: &Job) -> Result<CaptureTap, RunError> {
        let failure = Arc::clone(&self.failure);
        let Some(shelf) = self.shelf else {
            return Ok(CaptureTap::new(key(self.scenario, job), self.captures.clone(), failure));
        };
        let folder = shelf.store.capture_folder(&self.keys[index])?;
        let path: PathBuf = folder.path().to_owned();
        locked(&self.open).insert(index, folder);
        Ok(CaptureTap::with(Box::new(move |port| capture_port(&path, port, SNAP)), failure))
    }
}

/// A job as [`run_matrix`](crate::run_matrix) sees it.
pub(crate) struct Durable<'a>(pub(crate) &'a Jobs<'a>, pub(crate) &'a [Job]);

impl Work for Durable<'_> {
    type Error = RunError;

    fn find(&self, index: usize) -> Result<Option<(RunRecord, Elapsed)>, RunError> {
        Ok(self.0.load(index, || self.1[index]))
    }

    fn make(&self, index: usize, job: &Job) -> Result<World, RunError> {
        let tapped = BuildOptions { tap_all: self.0.options.pcap, ..BuildOptions::default() };
        let mut world = build(self.0.scenario, self.0.builder, job, &tapped)?;
        if world.is_tapped() {
            world.set_tap(Box::new(self.0.tap(index, job)?));
        }
        Ok(world)
    }

    fn keep(&self, finished: &Finished) -> Result<(), RunError> {
        // A run whose captures are not whole is not finished.
        self.0.check_captures()?;
        let Some(shelf) = self.0.shelf else { return Ok(()) };
        let captures = locked(&self.0.open).remove(&finished.index);
        let about =
            About { key: &self.0.keys[finished.index], commit: self.0.options.program.commit.as_deref() };
        let run = key(self.0.scenario, &finished.job);
        let took = [finished.took.wall.as_secs_f64(), finished.took.cpu.as_secs_f64()];
        let captures = shelf.store.save(&about, &run, &finished.record, took, captures)?;
        locked(&self.0.closed).insert(finished.index, captures);
        Ok(())
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

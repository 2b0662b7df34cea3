//! The matrix of variants and seeds, over the cores.
//!
//! Each run is single-threaded and knows nothing of the others, so how many go at once changes nothing but the time
//! it takes. Finished runs are handed over in the order of the jobs, so that nothing downstream depends on which
//! thread was faster.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, mpsc};

use jettison_core::{Duration, Time};
use jettison_measure::RunRecord;
use jettison_sim::{RunOutcome, World};

use crate::clock::{Stopwatch, Took};

/// One run of the matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Job {
    /// Which variant, by its place in the scenario.
    pub variant: usize,
    /// The seed.
    pub seed: u64,
    /// How long it runs.
    pub duration: Duration,
}

/// A run that reached its end.
#[derive(Debug)]
pub struct Finished {
    /// Its place among the jobs.
    pub index: usize,
    /// Which run it was.
    pub job: Job,
    /// What it measured.
    pub record: RunRecord,
    /// How long its event loop took.
    pub took: Took,
    /// Events it processed.
    pub events: u64,
}

/// How far the matrix is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Share of all simulated time that is done, 0 to 1.
    pub share: f64,
    /// Runs that have ended.
    pub finished: usize,
    /// Runs in all.
    pub jobs: usize,
}

/// How many runs go at once if the user does not say.
pub fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// Runs all jobs, at most `threads` at once, and gives each finished run to `take` in the order of `jobs`.
///
/// `make` builds a job's world in the thread that runs it. When `cancel` is set, runs under way end without a
/// result; those finished before are kept. The first error of `make` or `take` ends everything.
pub fn run_matrix<E: Send>(
    jobs: &[Job],
    threads: usize,
    cancel: &AtomicBool,
    make: &(dyn Fn(&Job) -> Result<World, E> + Sync),
    progress: &(dyn Fn(Progress) + Sync),
    take: &mut dyn FnMut(Finished) -> Result<(), E>,
) -> Result<(), E> {
    let total: u64 = jobs.iter().map(|job| job.duration.as_millis().max(1)).sum();
    let shared = Shared {
        jobs,
        cancel,
        stop: AtomicBool::new(false),
        next: AtomicUsize::new(0),
        window: Window::new(4 * threads.max(1)),
        done_millis: AtomicU64::new(0),
        finished: AtomicUsize::new(0),
        total,
        progress,
    };
    let (sender, receiver) = mpsc::channel::<(usize, Result<Option<Finished>, E>)>();
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, jobs.len().max(1)) {
            let (sender, shared) = (sender.clone(), &shared);
            scope.spawn(move || {
                while let Some(index) = shared.claim() {
                    let result = shared.run(index, make);
                    if sender.send((index, result)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut next = 0;
        let mut outcome = Ok(());
        for (index, result) in receiver {
            if outcome.is_err() {
                continue; // the rest only has to end
            }
            match result {
                Ok(finished) => waiting.insert(index, finished),
                Err(error) => {
                    outcome = Err(error);
                    shared.halt();
                    continue;
                }
            };
            while let Some(finished) = waiting.remove(&next) {
                next += 1;
                shared.window.advance(next);
                if let Some(finished) = finished
                    && let Err(error) = take(finished)
                {
                    outcome = Err(error);
                    shared.halt();
                    break;
                }
            }
        }
        outcome
    })
}

struct Shared<'a> {
    jobs: &'a [Job],
    cancel: &'a AtomicBool,
    stop: AtomicBool,
    next: AtomicUsize,
    window: Window,
    done_millis: AtomicU64,
    finished: AtomicUsize,
    total: u64,
    progress: &'a (dyn Fn(Progress) + Sync),
}

impl Shared<'_> {
    fn halted(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.cancel.load(Ordering::Relaxed)
    }

    fn halt(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.window.advance(usize::MAX / 2);
    }

    /// The next job, when it is near enough to the oldest unfinished one that results do not pile up.
    fn claim(&self) -> Option<usize> {
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        if index >= self.jobs.len() || self.halted() {
            return None;
        }
        self.window.wait_for(index);
        (!self.halted()).then_some(index)
    }

    fn run<E>(
        &self,
        index: usize,
        make: &(dyn Fn(&Job) -> Result<World, E> + Sync),
    ) -> Result<Option<Finished>, E> {
        let job = self.jobs[index];
        let mut world = make(&job)?;
        let stopwatch = Stopwatch::start();
        // In slices, so that the bar moves within a run.
        let slices = 50.min(job.duration.as_millis().max(1));
        for slice in 1..=slices {
            let share = u128::from(job.duration.as_nanos()) * u128::from(slice) / u128::from(slices);
            let outcome = world.run(Time::from_nanos(share as u64), self.cancel);
            if outcome == RunOutcome::Cancelled || self.halted() {
                return Ok(None);
            }
            self.report(job.duration.as_millis().max(1) / slices, 0);
        }
        let took = stopwatch.elapsed();
        let events = world.events();
        let record = world.finish();
        self.report(0, 1);
        Ok(Some(Finished { index, job, record, took, events }))
    }

    fn report(&self, millis: u64, finished: usize) {
        let done = self.done_millis.fetch_add(millis, Ordering::Relaxed) + millis;
        let finished = self.finished.fetch_add(finished, Ordering::Relaxed) + finished;
        let share = (done as f64 / self.total as f64).min(1.0);
        (self.progress)(Progress { share, finished, jobs: self.jobs.len() });
    }
}

/// Keeps claimed jobs within a distance of the oldest one that is not yet handed over.
struct Window {
    width: usize,
    oldest: Mutex<usize>,
    moved: Condvar,
}

impl Window {
    fn new(width: usize) -> Window {
        Window { width, oldest: Mutex::new(0), moved: Condvar::new() }
    }

    fn advance(&self, oldest: usize) {
        let mut current = self.oldest.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        *current = oldest.max(*current);
        self.moved.notify_all();
    }

    fn wait_for(&self, index: usize) {
        let mut oldest = self.oldest.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        while index >= oldest.saturating_add(self.width) {
            oldest = self.moved.wait(oldest).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
    }
}

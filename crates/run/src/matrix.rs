//! The matrix of variants and seeds, on all cores.
//!
//! Each run is single-threaded and independent of the others, so parallelism changes only the duration. Finished runs
//! are handed over in the order of the jobs, so results do not depend on the threads' speed.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, mpsc};

use jettison_core::{Duration, Time};
use jettison_measure::RunRecord;
use jettison_sim::{ControlError, RunOutcome, World};

use crate::clock::{Elapsed, Stopwatch};

/// One run of the matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Job {
    /// Index of the variant in the scenario.
    pub variant: usize,
    /// The seed.
    pub seed: u64,
    /// Simulated duration.
    pub duration: Duration,
}

/// A completed run.
#[derive(Debug)]
pub struct Finished {
    /// Index among the jobs.
    pub index: usize,
    /// The run's job.
    pub job: Job,
    /// The measurements.
    pub record: RunRecord,
    /// Duration of its event loop.
    pub took: Elapsed,
    /// Number of processed events; 0 if the run was found.
    pub events: u64,
}

/// Progress of the matrix.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Fraction of all simulated time that is done, 0 to 1.
    pub share: f64,
    /// Number of completed runs.
    pub finished: usize,
    /// Number of all runs.
    pub jobs: usize,
}

/// Default number of parallel runs.
pub fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// What is done for each job, in the thread that runs it. Jobs are named by their index.
pub trait Work: Sync {
    /// An error, which ends all jobs.
    type Error: Send + From<ControlError>;

    /// The job's run if it was finished earlier, with its duration.
    ///
    /// # Errors
    /// If there is no sense in going on.
    fn find(&self, _: usize) -> Result<Option<(RunRecord, Elapsed)>, Self::Error> {
        Ok(None)
    }

    /// Builds the job's network.
    ///
    /// # Errors
    /// If it cannot be built.
    fn make(&self, index: usize, job: &Job) -> Result<World, Self::Error>;

    /// Keeps a run that has just finished, before any other job is waited for.
    ///
    /// # Errors
    /// If it cannot be kept.
    fn keep(&self, _: &Finished) -> Result<(), Self::Error> {
        Ok(())
    }
}

/// Runs all jobs, at most `threads` in parallel, and passes each completed run to `take` in the order of `jobs`.
///
/// When `cancel` is set, current runs end without a result; completed ones are kept. The first error of `work` or `take`
/// ends everything.
pub fn run_matrix<W: Work>(
    jobs: &[Job],
    threads: usize,
    cancel: &AtomicBool,
    work: &W,
    progress: &(dyn Fn(Progress) + Sync),
    take: &mut dyn FnMut(Finished) -> Result<(), W::Error>,
) -> Result<(), W::Error> {
    let total: u64 = jobs.iter().map(|job| job.duration.as_millis().max(1)).sum();
    let shared = Shared {
        jobs,
        cancel,
        stop: AtomicBool::new(false),
        next: AtomicUsize::new(0),
        // Wide enough that one long run does not stall the other threads.
        window: Window::new(4 * threads.max(1)),
        done_millis: AtomicU64::new(0),
        finished: AtomicUsize::new(0),
        total,
        progress,
    };
    let (sender, receiver) = mpsc::channel::<(usize, Result<Option<Finished>, W::Error>)>();
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, jobs.len().max(1)) {
            let (sender, shared) = (sender.clone(), &shared);
            scope.spawn(move || {
                while let Some(index) = shared.claim() {
                    let result = shared.run(index, work);
                    if sender.send((index, result)).is_err() {
                        return;
                    }
                }
            });
        }
        // Keep only the threads' senders, so that the loop below ends with the last thread.
        drop(sender);
        // Runs that completed before an earlier job did.
        let mut waiting = BTreeMap::new();
        let mut next = 0;
        let mut outcome = Ok(());
        for (index, result) in receiver {
            if outcome.is_err() {
                continue; // nothing left to take; wait for the threads
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

    /// Takes the next job, once it is close enough to the oldest unfinished one that results do not accumulate.
    fn claim(&self) -> Option<usize> {
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        if index >= self.jobs.len() || self.halted() {
            return None;
        }
        self.window.wait_for(index);
        (!self.halted()).then_some(index)
    }

    fn run<W: Work>(&self, index: usize, work: &W) -> Result<Option<Finished>, W::Error> {
        let job = self.jobs[index];
        if let Some((record, took)) = work.find(index)? {
            self.report(job.duration.as_millis().max(1), 1);
            return Ok(Some(Finished { index, job, record, took, events: 0 }));
        }
        let mut world = work.make(index, &job)?;
        let stopwatch = Stopwatch::start();
        // Run in slices, so the progress bar moves during a run.
        let slices = 50.min(job.duration.as_millis().max(1));
        for slice in 1..=slices {
            let share = u128::from(job.duration.as_nanos()) * u128::from(slice) / u128::from(slices);
            let outcome = world.run(Time::from_nanos(share as u64), self.cancel);
            if let Some(error) = world.control_error() {
                return Err(error.clone().into());
            }
            if outcome == RunOutcome::Cancelled || self.halted() {
                return Ok(None);
            }
            self.report(job.duration.as_millis().max(1) / slices, 0);
        }
        let took = stopwatch.elapsed();
        let events = world.events();
        let finished = Finished { index, job, record: world.finish(), took, events };
        work.keep(&finished)?;
        self.report(0, 1);
        Ok(Some(finished))
    }

    fn report(&self, millis: u64, finished: usize) {
        let done = self.done_millis.fetch_add(millis, Ordering::Relaxed) + millis;
        let finished = self.finished.fetch_add(finished, Ordering::Relaxed) + finished;
        let share = (done as f64 / self.total as f64).min(1.0);
        (self.progress)(Progress { share, finished, jobs: self.jobs.len() });
    }
}

/// Limits the distance of claimed jobs from the oldest one that is not yet handed over.
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

//! Runs of scenarios, while Python's other threads continue.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jettison_build_info::COMMIT;
use jettison_report::{MemoryResults, ReproductionRow, RunSummary};
use jettison_run::reproduce::rows_of;
use jettison_run::{
    MemoryOptions, Precision, Progress, RunError, RunOptions, StorePlace, default_threads, run_in_memory,
    run_scenario,
};
use pyo3::prelude::*;

use crate::controller::PythonController;
use crate::discipline::{Control, builder};
use crate::errors::run_error;
use crate::scenario::Checked;
use crate::sweep::program;
use crate::switches::PythonSwitchController;
use crate::tables::Tables;

/// Interval of checks for Ctrl-C and of progress reports.
const ASK_EVERY: Duration = Duration::from_millis(100);

/// Number of checks on a cancelled run before its disciplines are interrupted.
const INTERRUPT_AFTER: u32 = 5;

/// Default number of parallel runs.
#[pyfunction]
pub fn default_jobs() -> usize {
    default_threads()
}

/// Runs a scenario without the interpreter's lock.
///
/// Returns the results in memory or, with `out`, writes them there and returns nothing. `progress` is called with the
/// completed fraction, the number of completed runs and the number of all runs. `keeping`
/// goes with `out`.
#[pyfunction]
#[pyo3(signature = (checked, seeds=None, jobs=None, out=None, force=false, progress=None, keeping=None, controllers=Vec::new(), controller=None))]
#[expect(clippy::too_many_arguments, reason = "the arguments of Python's function")]
pub fn run(
    py: Python<'_>,
    checked: &Checked,
    seeds: Option<Vec<u64>>,
    jobs: Option<usize>,
    out: Option<PathBuf>,
    force: bool,
    progress: Option<Py<PyAny>>,
    keeping: Option<Keeping>,
    controllers: Vec<PythonController>,
    controller: Option<PythonSwitchController>,
) -> PyResult<Option<Tables>> {
    let precision = keeping.as_ref().and_then(|keeping| keeping.precision.as_ref());
    let precision = precision.map(|(share, of, most)| Precision::parse(share, of, *most)).transpose();
    let precision = precision.map_err(|error| run_error(py, error))?;
    let scenario = match seeds {
        None => Arc::clone(&checked.scenario),
        Some(seeds) => Arc::new((*checked.scenario).clone().with_seeds(seeds)),
    };
    let (figures, paper) = checked.figures(py)?;
    let compare = |runs: &[RunSummary]| -> Vec<ReproductionRow> {
        match (&paper, &checked.experiment) {
            (Some(paper), Some((of, name))) => rows_of((of, name), paper, runs),
            _ => Vec::new(),
        }
    };
    let jobs = jobs.unwrap_or_else(default_threads);
    let control = Arc::new(Control::default());
    let mut builder = builder(py, &checked.disciplines, &control).map_err(|error| run_error(py, error))?;
    for controller in &controllers {
        controller.add_to(py, &mut builder, &control);
    }
    if let Some(controller) = &controller {
        controller.add_to(py, &mut builder, &control);
    }
    let work = |cancel: &AtomicBool, progress: &(dyn Fn(Progress) + Sync)| {
        let in_memory = || {
            let options = MemoryOptions { jobs, commit: COMMIT, cancel, progress, compare: &compare };
            run_in_memory(&scenario, &builder, &options).map(Some)
        };
        let in_folder = |out: &Path, keeping: &Keeping| {
            let options = RunOptions {
                out,
                force,
                jobs,
                pcap: false,
                figures,
                program: program(&keeping.image),
                store: match &keeping.store {
                    Some(folder) => StorePlace::At(folder),
                    None if keeping.durable => StorePlace::Beside,
                    None => StorePlace::Nowhere,
                },
                sources: &keeping.sources,
                precision: precision.as_ref(),
                cancel,
                progress,
                notice: &|_| {},
                compare: &compare,
            };
            run_scenario(&scenario, &builder, &options).map(|_| None)
        };
        match out.as_ref().zip(keeping.as_ref()) {
            None => in_memory(),
            Some((out, keeping)) => in_folder(out, keeping),
        }
    };
    let results: Result<Option<MemoryResults>, RunError> = supervised(py, &control, progress.as_ref(), work)?;
    results.map(|results| results.map(Tables::new)).map_err(|error| run_error(py, error))
}

/// How finished runs are kept until their results are complete, and which seeds are added.
#[derive(FromPyObject)]
pub struct Keeping {
    /// A folder for them that stays.
    store: Option<PathBuf>,
    /// Whether to keep them beside the results otherwise.
    durable: bool,
    /// The file of this module.
    image: PathBuf,
    /// Digests of the Python disciplines that the scenario names.
    sources: BTreeMap<String, String>,
    /// A required precision, the metric that it is of, and the largest number of seeds.
    precision: Option<(String, String, usize)>,
}

/// Checks the files of stored results; returns remarks on them.
#[pyfunction]
pub fn check_results(py: Python<'_>, folder: PathBuf) -> PyResult<Vec<String>> {
    py.detach(|| jettison_report::check(&folder)).map_err(|error| run_error(py, error))
}

/// Calls `work` in another thread, without the interpreter's lock. Ctrl-C or an exception of `progress` or of a queue
/// discipline ends it early, and is raised here.
pub fn supervised<T: Send>(
    py: Python<'_>,
    control: &Control,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&AtomicBool, &(dyn Fn(Progress) + Sync)) -> T + Send,
) -> PyResult<T> {
    let cancel: &AtomicBool = &control.cancel;
    let latest: Mutex<Option<Progress>> = Mutex::new(None);
    let note = |now: Progress| {
        let mut latest = latest.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        // Reports of parallel threads may arrive out of order.
        if latest.is_none_or(|latest| (latest.finished, latest.share) <= (now.finished, now.share)) {
            *latest = Some(now);
        }
    };
    let tell = |py: Python<'_>| -> PyResult<()> {
        let now = latest.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
        if let (Some(callback), Some(now)) = (progress, now) {
            callback.call1(py, (now.share, now.finished, now.jobs))?;
        }
        Ok(())
    };
    let (result, stopped, interrupted) = py.detach(|| {
        std::thread::scope(|scope| {
            let (end, ended) = channel::<()>();
            let worker = scope.spawn(|| {
                let result = work(cancel, &note);
                drop(end);
                result
            });
            let mut stopped: Option<PyErr> = None;
            let mut asked = 0;
            while ended.recv_timeout(ASK_EVERY) == Err(RecvTimeoutError::Timeout) {
                if stopped.is_some() {
                    asked += 1;
                    // A discipline that hangs does not notice the cancellation.
                    if asked % INTERRUPT_AFTER == 0 {
                        Python::attach(|py| control.threads.interrupt(py));
                    }
                } else {
                    stopped = Python::attach(|py| py.check_signals().and_then(|()| tell(py))).err();
                    if stopped.is_some() {
                        cancel.store(true, Ordering::Relaxed);
                    }
                }
            }
            (worker.join(), stopped, asked >= INTERRUPT_AFTER)
        })
    });
    // Continue a panic as if `work` had run in this thread.
    let result = result.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    let raised = control.take_error();
    let error = if interrupted { stopped } else { raised.or(stopped) };
    match error {
        Some(error) => Err(error),
        None => tell(py).map(|()| result),
    }
}

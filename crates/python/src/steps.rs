//! Runs in steps, for the environments of `jettison.gym`.
//!
//! Numbers cross as bytes, which numpy reads where they lie. All that takes time runs without the interpreter's lock.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard};

#[cfg(feature = "testing")]
use jettison_core::Time;
use jettison_run::steps::{Action, Axis, Fleet, Order, Outcome, StepError, Steps, Task, View};
#[cfg(feature = "testing")]
use jettison_scenario::build::BuildOptions;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyTuple};

use crate::discipline::{Control, builder};
use crate::errors::{run_error, wrong_scenario};
use crate::scenario::Checked;

/// Episodes of one task in one scenario, which are stepped together.
#[pyclass(frozen)]
pub struct Worlds {
    steps: Arc<Steps>,
    fleet: Mutex<Fleet>,
    control: Arc<Control>,
}

/// Name, unit, least and highest value of each number.
type Axes = Vec<(String, &'static str, f64, f64)>;

/// What a round led to, for all episodes: observations (float32), rewards (float64), whether each has terminated or was truncated
/// (bool), measures (float64).
type Round<'py> = [Bound<'py, PyByteArray>; 5];

/// An observation (float32), and measures.
type Seen<'py> = (Bound<'py, PyByteArray>, Bound<'py, PyTuple>);

#[pymethods]
impl Worlds {
    /// `task` is JSON; `count` episodes are stepped by at most `jobs` threads.
    #[new]
    fn new(py: Python<'_>, checked: &Checked, task: &str, count: usize, jobs: usize) -> PyResult<Worlds> {
        let task: Task = serde_json::from_str(task).map_err(|error| wrong_scenario(py, error))?;
        let control = Arc::new(Control::default());
        let builder = builder(py, &checked.disciplines, &control).map_err(|error| run_error(py, error))?;
        let scenario = Arc::clone(&checked.scenario);
        let cancel = Arc::clone(&control.cancel);
        let steps = py.detach(|| {
            let steps = Steps::new(scenario, builder, task, cancel);
            steps.map(|steps| (Fleet::new(&steps, count, jobs), steps))
        });
        let (fleet, steps) =
            steps.map_err(|error| control.take_error().unwrap_or_else(|| wrong_scenario(py, error)))?;
        Ok(Worlds { steps, fleet: Mutex::new(fleet), control })
    }

    /// The axes of observations; the number of choices or the names of levels; the axes of measures.
    fn spaces(&self) -> (Axes, Option<usize>, Vec<&'static str>, Axes) {
        let spaces = self.steps.spaces();
        let axes = |axes: &[Axis]| -> Axes {
            axes.iter().map(|axis| (axis.name.clone(), axis.unit, axis.low, axis.high)).collect()
        };
        let (choices, levels) = match &spaces.action {
            Action::Choice(count) => (Some(*count), Vec::new()),
            Action::Levels(names) => (None, names.clone()),
        };
        (axes(&spaces.observation), choices, levels, axes(&spaces.measures))
    }

    /// Begins the only episode, of a variant by its index, and a seed.
    fn reset<'py>(&self, py: Python<'py>, variant: usize, seed: u64) -> PyResult<Seen<'py>> {
        self.alone(py, Order::Reset(variant, seed), &[])?;
        self.seen(py)
    }

    /// Steps the only episode: the reward, whether it has terminated, whether it was truncated; the observation and measures.
    fn step<'py>(&self, py: Python<'py>, action: Vec<f64>) -> PyResult<(f64, bool, bool, Seen<'py>)> {
        let Outcome { reward, terminated, truncated } = self.alone(py, Order::Step, &action)?;
        Ok((reward, terminated, truncated, self.seen(py)?))
    }

    /// Steps all episodes but those of `resets` (place, variant, seed), which begin anew. `actions` are float64, so many for each
    /// episode; without any, the others rest.
    fn round<'py>(
        &self,
        py: Python<'py>,
        actions: &[u8],
        resets: Vec<(usize, usize, u64)>,
    ) -> PyResult<Round<'py>> {
        let spaces = self.steps.spaces();
        let (observed, measured) = (spaces.observation.len(), spaces.measures.len());
        let results = py.detach(|| {
            let fleet = self.lock();
            let count = fleet.count();
            let numbers: Vec<f64> =
                actions.as_chunks().0.iter().map(|bytes| f64::from_ne_bytes(*bytes)).collect();
            let each = numbers.len().checked_div(count).unwrap_or_default();
            for place in 0..count {
                let order = if numbers.is_empty() { Order::Rest } else { Order::Step };
                fleet.slot(place).set(order, &numbers[place * each..(place + 1) * each]);
            }
            for (place, variant, seed) in resets {
                fleet.slot(place).set(Order::Reset(variant, seed), &[]);
            }
            fleet.round();
            let mut all = Results::default();
            for place in 0..count {
                let slot = fleet.slot(place);
                all.add(slot.outcome()?, slot.view(), (observed, measured));
            }
            Ok(all)
        });
        let all: Results = results.map_err(|error| self.raised(py, error))?;
        self.check()?;
        let buffer = |bytes: &[u8]| PyByteArray::new(py, bytes);
        Ok([
            buffer(&all.observations),
            buffer(&all.rewards),
            buffer(&all.terminated),
            buffer(&all.truncated),
            buffer(&all.measures),
        ])
    }

    /// Runs the only episode to the scenario's end with the same action at each decision; returns the run's record as bytes.
    fn record<'py>(&self, py: Python<'py>, action: Vec<f64>) -> PyResult<Bound<'py, PyBytes>> {
        let record = py.detach(|| {
            let episode = self.lock().slot(0).take();
            let none = || StepError::Task("there is no episode; call reset()".to_owned());
            episode.ok_or_else(none)?.finish(&action)
        });
        let record = record.map_err(|error| self.raised(py, error))?;
        let bytes = record.to_bytes().map_err(|error| run_error(py, error))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Events of the only episode so far, and its time in nanoseconds.
    fn progress(&self) -> (u64, u64) {
        let (events, now) = self.lock().slot(0).progress();
        (events, now.as_nanos())
    }
}

/// What a round led to, as bytes.
#[derive(Default)]
struct Results {
    observations: Vec<u8>,
    rewards: Vec<u8>,
    terminated: Vec<u8>,
    truncated: Vec<u8>,
    measures: Vec<u8>,
}

impl Results {
    fn add(&mut self, outcome: Outcome, view: Option<&View>, (observed, measured): (usize, usize)) {
        let none = View::default();
        let view = view.unwrap_or(&none);
        self.observations.extend(view.observation.iter().flat_map(|value| value.to_ne_bytes()));
        self.measures.extend(view.measures.iter().flat_map(|value| value.to_ne_bytes()));
        // An episode that has not begun shows zeros.
        let missing = 4 * (observed - view.observation.len());
        self.observations.extend(std::iter::repeat_n(0, missing));
        self.measures.extend(std::iter::repeat_n(0, 8 * (measured - view.measures.len())));
        self.rewards.extend(outcome.reward.to_ne_bytes());
        self.terminated.push(u8::from(outcome.terminated));
        self.truncated.push(u8::from(outcome.truncated));
    }
}

impl Worlds {
    fn lock(&self) -> MutexGuard<'_, Fleet> {
        self.fleet.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Carries out an order of the only episode.
    fn alone(&self, py: Python<'_>, order: Order, action: &[f64]) -> PyResult<Outcome> {
        let outcome = py.detach(|| {
            let fleet = self.lock();
            fleet.slot(0).set(order, action);
            fleet.round();
            let slot = fleet.slot(0);
            slot.outcome()
        });
        let outcome = outcome.map_err(|error| self.raised(py, error))?;
        self.check().map(|()| outcome)
    }

    /// Raises the exception of a discipline in Python. A run looks for it only when it samples, which a step may not reach.
    fn check(&self) -> PyResult<()> {
        if !self.control.cancel.load(Ordering::Relaxed) {
            return Ok(());
        }
        self.control.take_error().map_or(Ok(()), Err)
    }

    fn seen<'py>(&self, py: Python<'py>) -> PyResult<Seen<'py>> {
        let fleet = self.lock();
        let slot = fleet.slot(0);
        let none = View::default();
        let view = slot.view().unwrap_or(&none);
        let observation: Vec<u8> = view.observation.iter().flat_map(|value| value.to_ne_bytes()).collect();
        Ok((PyByteArray::new(py, &observation), PyTuple::new(py, &view.measures)?))
    }

    /// The exception of a discipline in Python that failed, or that of a step.
    fn raised(&self, py: Python<'_>, error: StepError) -> PyErr {
        self.control.take_error().unwrap_or_else(|| match error {
            StepError::Task(message) => PyValueError::new_err(message),
            error => wrong_scenario(py, error),
        })
    }
}

/// The same run without steps: seconds of this thread's processor, events, and the record as bytes. For tests and benchmarks.
#[cfg(feature = "testing")]
#[pyfunction]
pub fn plain_run<'py>(
    py: Python<'py>,
    checked: &Checked,
    variant: usize,
    seed: u64,
) -> PyResult<(f64, u64, Bound<'py, PyBytes>)> {
    let control = Arc::<Control>::default();
    let builder = builder(py, &checked.disciplines, &control).map_err(|error| run_error(py, error))?;
    let scenario = &checked.scenario;
    let settings = &scenario.variants[variant].settings;
    let run = || -> Result<(f64, u64, Vec<u8>), String> {
        let world = builder.build(settings, &scenario.contents, seed, &BuildOptions::default());
        let mut world = world.map_err(|error| error.to_string())?;
        let stopwatch = jettison_run::clock::Stopwatch::start();
        world.run(Time::ZERO + settings.duration, &control.cancel);
        let took = stopwatch.elapsed().cpu.as_secs_f64();
        let events = world.events();
        Ok((took, events, world.finish().to_bytes().map_err(|error| error.to_string())?))
    };
    let (took, events, record) = py.detach(run).map_err(|error| run_error(py, error))?;
    Ok((took, events, PyBytes::new(py, &record)))
}

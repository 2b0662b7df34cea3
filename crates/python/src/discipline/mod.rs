//! Queue disciplines written in Python.
//!
//! Packets stay in Rust: Python gets views of them ([`packet::PacketView`]) and decides their fate. Its decisions are
//! checked, so no packet is lost, sent twice or invented, whatever the class does. The first violation or exception
//! ends the run and is raised to its caller.

pub mod copied;
#[cfg(feature = "testing")]
pub mod driven;
pub mod packet;
mod queue;
mod threads;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use jettison_queue::QueueDiscipline;
use jettison_queue::entry::{BuildContext, Discipline};
use jettison_registry::{Entry, ParameterError};
use jettison_scenario::build::Builder;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use schemars::Schema;
use serde_json::Value;

use copied::Generator;
use queue::PythonQueue;
use threads::Threads;

pub use threads::keep_state;

/// A class or other factory of disciplines, with its name in scenarios.
#[derive(FromPyObject)]
pub struct PythonDiscipline {
    /// The name in scenarios: `kind = "…"`.
    name: String,
    /// The factory, called with the parameters.
    factory: Py<PyAny>,
    /// The JSON Schema of the parameters.
    schema: String,
    /// A one-line description.
    summary: String,
    /// Whether it takes `random`, a generator seeded for this queue in this run.
    wants_random: bool,
}

/// Control of a run in progress, and the error that ended it.
#[derive(Default)]
pub struct Control {
    /// Cancellation flag.
    pub cancel: Arc<AtomicBool>,
    /// Whether the search for packets lost in reference cycles is done or unnecessary. It is slow, and a class that
    /// loses packets does so in every run, so one search suffices.
    pub looked: AtomicBool,
    /// Threads with disciplines.
    pub threads: Threads,
    error: Mutex<Option<PyErr>>,
}

impl Control {
    /// Ends the run with an exception, unless it already has one.
    pub fn fail(&self, error: PyErr) {
        let mut held = self.error.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let spare = if held.is_none() { held.replace(error) } else { Some(error) };
        drop(held);
        self.cancel.store(true, Ordering::Relaxed);
        // Drop it without the lock: finalizers of objects in the exception may let other Python threads run.
        drop(spare);
    }

    /// The exception that ended the run.
    pub fn take_error(&self) -> Option<PyErr> {
        self.error.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take()
    }
}

/// The standard builder with additional disciplines. The error names a discipline whose name is taken or invalid.
pub fn builder(
    py: Python<'_>,
    disciplines: &[PythonDiscipline],
    control: &Arc<Control>,
) -> Result<Builder, String> {
    let mut builder = Builder::standard();
    for discipline in disciplines {
        let name = &discipline.name;
        let registries = builder.registries();
        if registries.disciplines.kind(name).or(registries.port_queues.kind(name)).is_some() {
            return Err(format!("a queue discipline `{name}` already exists; choose another name"));
        }
        let entry = discipline.entry(py, Arc::clone(control));
        builder
            .disciplines_mut()
            .register(entry.map_err(|error| format!("queue discipline `{name}`: {error}"))?);
    }
    Ok(builder)
}

impl PythonDiscipline {
    /// A new reference to the same objects.
    pub fn clone_ref(&self, py: Python<'_>) -> PythonDiscipline {
        PythonDiscipline {
            name: self.name.clone(),
            factory: self.factory.clone_ref(py),
            schema: self.schema.clone(),
            summary: self.summary.clone(),
            wants_random: self.wants_random,
        }
    }

    /// Whether both have the same class, name and parameters.
    pub fn is(&self, other: &PythonDiscipline) -> bool {
        self.factory.is(&other.factory)
            && (&self.name, &self.schema, &self.summary, self.wants_random)
                == (&other.name, &other.schema, &other.summary, other.wants_random)
    }

    fn entry(&self, py: Python<'_>, control: Arc<Control>) -> Result<Entry<Discipline>, String> {
        let schema: Value = serde_json::from_str(&self.schema).map_err(|error| error.to_string())?;
        let schema = Schema::try_from(schema).map_err(|error| error.to_string())?;
        let (factory, wants_random) = (self.factory.clone_ref(py), self.wants_random);
        let id = kept(&self.name);
        let make = move |parameters: &Value, context: &BuildContext<'_>| {
            threads::keep_state();
            Python::attach(|py| {
                let made = || -> PyResult<PythonQueue> {
                    let arguments = dictionary(py, parameters)?;
                    let mut random = None;
                    if wants_random {
                        let generator = Generator::new(py, (context.random)("python"))?;
                        arguments.set_item("random", generator.object.bind(py))?;
                        random = Some(generator);
                    }
                    let object = factory.bind(py).call((), Some(&arguments))?;
                    PythonQueue::new(&object, id, random, Arc::clone(&control))
                };
                let queue = made().map_err(|error| {
                    let text = error.to_string();
                    control.fail(error);
                    ParameterError::whole(text)
                })?;
                Ok(Box::new(queue) as Box<dyn QueueDiscipline>)
            })
        };
        let entry = Entry::<Discipline>::dynamic(id, id, schema, make);
        Ok(entry.summary(kept(&self.summary)).source("Python"))
    }
}

fn dictionary<'py>(py: Python<'py>, parameters: &Value) -> PyResult<Bound<'py, PyDict>> {
    let read = py.import("json")?.getattr("loads")?.call1((parameters.to_string(),))?;
    Ok(read.cast_into::<PyDict>()?)
}

/// The same text with static lifetime, stored once per process: names in registries are static.
fn kept(text: &str) -> &'static str {
    static KEPT: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut all = KEPT.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(found) = all.get(text) {
        return found;
    }
    let new: &'static str = Box::leak(text.to_owned().into_boxed_str());
    all.insert(new);
    new
}

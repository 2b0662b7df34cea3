//! Queue disciplines that are written in Python.
//!
//! The packets stay here: Python is given views of them ([`packet::PacketView`]) and says what is to become of them. What it
//! says is checked, so that no packet is lost, sent twice or invented, whatever the class does; the first thing that is
//! wrong, and the first exception, ends the run and is raised where it was started.

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

use queue::PythonQueue;
use threads::Threads;

/// A class, or anything that makes a discipline when it is called, under the name that scenarios give it.
#[derive(FromPyObject)]
pub struct PythonDiscipline {
    /// What a scenario writes: `kind = "…"`.
    name: String,
    /// What is called with the parameters.
    factory: Py<PyAny>,
    /// The JSON Schema of the parameters.
    schema: String,
    /// One line about it.
    summary: String,
    /// Whether it takes `random`, a generator seeded for this queue of this run.
    wants_random: bool,
}

/// How a run that is under way is ended, and by what.
#[derive(Default)]
pub struct Control {
    /// Set to end the run.
    pub cancel: AtomicBool,
    /// Whether Python has looked for packets that are lost in cycles of references, or need not: it takes some time, and a class that
    /// loses packets so does it in every run.
    pub looked: AtomicBool,
    /// Where disciplines run.
    pub threads: Threads,
    error: Mutex<Option<PyErr>>,
}

impl Control {
    /// Ends the run with that exception, if it has none yet.
    pub fn fail(&self, error: PyErr) {
        let mut held = self.error.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let spare = if held.is_none() { held.replace(error) } else { Some(error) };
        drop(held);
        self.cancel.store(true, Ordering::Relaxed);
        // Not while it is locked: what an exception holds may have finalizers, which let other threads of Python go on.
        drop(spare);
    }

    /// What ended it.
    pub fn take_error(&self) -> Option<PyErr> {
        self.error.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take()
    }
}

/// The standard builder with those disciplines beside its own. An error says which name is taken or cannot be.
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
            return Err(format!("there is a queue discipline `{name}` already: give yours another name"));
        }
        let entry = discipline.entry(py, Arc::clone(control));
        builder
            .disciplines_mut()
            .register(entry.map_err(|error| format!("queue discipline `{name}`: {error}"))?);
    }
    Ok(builder)
}

impl PythonDiscipline {
    /// The same once more.
    pub fn clone_ref(&self, py: Python<'_>) -> PythonDiscipline {
        PythonDiscipline {
            name: self.name.clone(),
            factory: self.factory.clone_ref(py),
            schema: self.schema.clone(),
            summary: self.summary.clone(),
            wants_random: self.wants_random,
        }
    }

    /// Whether it is the same class under the same name, with the same parameters.
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
                    if wants_random {
                        let seed = (context.random)("python").uniform(0, u64::MAX);
                        arguments
                            .set_item("random", py.import("random")?.getattr("Random")?.call1((seed,))?)?;
                    }
                    let object = factory.bind(py).call((), Some(&arguments))?;
                    PythonQueue::new(&object, id, Arc::clone(&control))
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

/// The same text for the rest of the process, kept once: registries name their entries by such.
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

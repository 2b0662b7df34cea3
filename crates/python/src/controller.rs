//! Controllers written in Python: programs that observe links and probes, and set rates of shapers.
//!
//! Rust counts and keeps time; what was observed goes to the object as plain numbers, and its rates come back checked by
//! `jettison.controllers`.

use std::sync::Arc;

use jettison_core::{Duration, Rate, Time};
use jettison_scenario::build::{Builder, MakeController, RunController};
use jettison_sim::{Controller, Observation, RateChange};
use pyo3::prelude::*;

use crate::discipline::copied::{copied, refuse};
use crate::discipline::{Control, keep_state};

/// A controller, prepared by `jettison.controllers`.
#[derive(FromPyObject)]
pub struct PythonController {
    /// Its name in messages.
    name: String,
    /// Directions of links.
    links: Vec<String>,
    /// Flows of `ping`.
    probes: Vec<String>,
    /// Time between two observations, in nanoseconds.
    period: u64,
    /// Makes the callable of a run.
    make: Py<PyAny>,
}

impl PythonController {
    /// Adds it to every run of `builder`.
    pub fn add_to(&self, py: Python<'_>, builder: &mut Builder, control: &Arc<Control>) {
        let (make, control) = (self.make.clone_ref(py), Arc::clone(control));
        let period = Duration::from_nanos(self.period);
        let make = move |_: u64| -> Result<Box<dyn Controller>, String> {
            keep_state();
            Python::attach(|py| match make.call0(py) {
                Ok(observe) => {
                    let control = Arc::clone(&control);
                    let next = Some(Time::ZERO + period);
                    Ok(Box::new(Running { observe, period, next, control }) as Box<dyn Controller>)
                }
                Err(error) => {
                    let text = error.to_string();
                    control.fail(error);
                    Err(text)
                }
            })
        };
        builder.add_controller(RunController {
            name: self.name.clone(),
            links: self.links.clone(),
            probes: self.probes.clone(),
            make: MakeController(Arc::new(make)),
        });
    }
}

/// A controller in a run.
struct Running {
    observe: Py<PyAny>,
    period: Duration,
    /// `None` after an exception.
    next: Option<Time>,
    control: Arc<Control>,
}

impl Clone for Running {
    fn clone(&self) -> Running {
        keep_state();
        let copy = |observe, next| {
            let control = Arc::clone(&self.control);
            Running { observe, period: self.period, next, control }
        };
        Python::attach(|py| match copied(py, &self.observe, None) {
            Ok((observe, _)) => copy(observe, self.next),
            Err(error) => {
                refuse("the object", error, |error| self.control.fail(error));
                copy(self.observe.clone_ref(py), None)
            }
        })
    }
}

impl Controller for Running {
    fn next_wakeup(&self) -> Option<Time> {
        self.next
    }

    fn observe(&mut self, seen: &Observation<'_>, now: Time, out: &mut Vec<RateChange>) {
        let links: Vec<(u64, u64, u64)> = seen
            .links
            .iter()
            .map(|link| (link.carried.get(), link.backlog.packets, link.backlog.bytes))
            .collect();
        let probes: Vec<(usize, u64, u64, u64)> = seen
            .probes
            .iter()
            .map(|probe| (probe.probe, probe.at.as_nanos(), probe.out.as_nanos(), probe.back.as_nanos()))
            .collect();
        self.next = self.next.map(|next| next + self.period);
        Python::attach(|py| {
            let arguments = (now.as_nanos(), seen.since.as_nanos(), links, probes);
            let answer = self.observe.call1(py, arguments);
            match answer.and_then(|answer| answer.extract::<Vec<(usize, u64)>>(py)) {
                Ok(rates) => out.extend(
                    rates.into_iter().map(|(link, bits)| RateChange { link, rate: Rate::from_bits(bits) }),
                ),
                Err(error) => {
                    self.next = None;
                    self.control.fail(error);
                }
            }
        });
    }
}

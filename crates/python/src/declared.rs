//! Declarations of the crates for Python: reasons for drops and marks, and metrics.

use jettison_core::{DropReason, MarkReason};
use jettison_measure::metrics::DECLARED;
use jettison_scenario::build::Builder;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// All components that a scenario may name, as a JSON list of the records that `jettison list --json` prints.
#[pyfunction]
pub fn catalogue() -> PyResult<String> {
    serde_json::to_string(&Builder::standard().catalogue())
        .map_err(|error| PyValueError::new_err(error.to_string()))
}

/// How plots draw what is named after a component or a variation of one: id, name in legends, colour, line, marker.
#[pyfunction]
#[allow(clippy::type_complexity)] // a row of a table
pub fn appearances() -> Vec<(&'static str, &'static str, String, &'static str, &'static str)> {
    let known = Builder::standard().appearances();
    let row = |(id, look): (_, jettison_scenario::build::Appearance)| {
        (id, look.name, look.style.colour.to_string(), look.style.line.name(), look.style.marker().name())
    };
    known.into_iter().map(row).collect()
}

/// All reasons for drops, then for marks: kind (`drop` or `mark`), name, owner, whether it is a loss, description.
#[pyfunction]
#[allow(clippy::type_complexity)] // a row of a table
pub fn reasons() -> Vec<(&'static str, &'static str, &'static str, bool, &'static str)> {
    let drops = DropReason::ALL.map(|r| ("drop", r.name(), r.owner(), r.is_loss(), r.description()));
    let marks = MarkReason::ALL.map(|r| ("mark", r.name(), r.owner(), false, r.description()));
    drops.into_iter().chain(marks).collect()
}

/// All metrics: name, unit, kind of the measured objects, title if any, description.
#[pyfunction]
#[allow(clippy::type_complexity)] // a row of a table
pub fn metrics() -> Vec<(&'static str, &'static str, &'static str, Option<&'static str>, &'static str)> {
    let row = |own: &jettison_measure::Declared| {
        (own.metric.name, own.metric.unit, own.owner.name(), own.title, own.description)
    };
    DECLARED.iter().map(row).collect()
}

//! Declarations of the crates for Python: reasons for drops and marks, and metrics.

use std::sync::LazyLock;

use jettison_core::{DropReason, MarkReason};
use jettison_measure::metrics::DECLARED;
use jettison_scenario::build::{Appearance, Appearances, Builder};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// All components that a scenario may name, as a JSON list of the records that `jettison list --json` prints.
#[pyfunction]
pub fn catalogue() -> PyResult<String> {
    serde_json::to_string(&Builder::standard().catalogue())
        .map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Names that have an appearance of their own in plots: ids, aliases and variations of components.
#[pyfunction]
pub fn schemes() -> Vec<&'static str> {
    known().iter().map(|(id, _)| id).collect()
}

/// Appearance of a scheme in plots: name in legends, colour, line, marker; `None` if neither it nor its family is known.
#[pyfunction]
pub fn appearance(scheme: &str) -> Option<(String, String, &'static str, &'static str)> {
    let Appearance { name, style } = known().of(scheme)?;
    Some((name.into_owned(), style.colour.to_string(), style.line.name(), style.marker().name()))
}

fn known() -> &'static Appearances {
    static KNOWN: LazyLock<Appearances> = LazyLock::new(|| Builder::standard().appearances());
    &KNOWN
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

/// What answers judge by, the most important first: metric, statistic (`mean` or `p99`), superlative, noun, whether high values are better.
#[pyfunction]
#[allow(clippy::type_complexity)] // a row of a table
pub fn felt_metrics() -> Vec<(&'static str, &'static str, &'static str, &'static str, bool)> {
    let row = |own: jettison_report::FeltMetric| {
        let statistic = if own.statistic == jettison_report::Statistic::P99 { "p99" } else { "mean" };
        (own.metric, statistic, own.superlative, own.noun, own.is_high_better)
    };
    jettison_report::felt_metrics().map(row).collect()
}

/// Mean of values and the ends of its 95 % interval (Student's), which are `None` for fewer than two values; `None` without values.
#[pyfunction]
pub fn mean_interval(values: Vec<f64>) -> Option<(f64, Option<(f64, f64)>)> {
    let found = jettison_report::Estimate::of(&values)?;
    Some((found.mean, found.ci95.map(|[low, high]| (low, high))))
}

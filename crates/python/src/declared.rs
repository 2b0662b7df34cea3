//! What the crates declare in one place, for Python: reasons of drops and marks.

use jettison_core::{DropReason, MarkReason};
use pyo3::prelude::*;

/// All reasons of drops, then of marks: kind (`drop` or `mark`), name, owner, whether it is a loss, description.
#[pyfunction]
#[allow(clippy::type_complexity)] // a row of a table
pub fn reasons() -> Vec<(&'static str, &'static str, &'static str, bool, &'static str)> {
    let drops = DropReason::ALL.map(|r| ("drop", r.name(), r.owner(), r.is_loss(), r.description()));
    let marks = MarkReason::ALL.map(|r| ("mark", r.name(), r.owner(), false, r.description()));
    drops.into_iter().chain(marks).collect()
}

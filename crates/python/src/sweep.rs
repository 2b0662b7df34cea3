//! What sweeps need of the library: values as options have them, and means over seeds of runs that were made apart.

use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::tables::Stream;

/// A value as `--set` reads it (TOML, or else a string), as JSON.
#[pyfunction]
pub fn option_value(text: &str) -> String {
    jettison_scenario::option_value(text).to_string()
}

/// Means and intervals over seeds of a table with the columns of `runs.parquet`, in which the rows of one run stand together:
/// a table with the columns of `summary.parquet`.
#[pyfunction]
pub fn summarise(py: Python<'_>, runs: &Bound<'_, PyAny>) -> PyResult<Stream> {
    let capsule = runs.call_method0("__arrow_c_stream__")?.cast_into::<PyCapsule>()?;
    let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?.cast::<FFI_ArrowArrayStream>();
    // SAFETY: the capsule's name says what it points to (the Arrow PyCapsule interface), and `from_raw` leaves a released
    // stream in its place, which the capsule may drop.
    let reader = unsafe { RecordBatchStreamReader::from_raw(pointer.as_ptr()) };
    let batches = reader.and_then(|reader| reader.collect::<Result<Vec<_>, _>>()).map_err(wrong)?;
    py.detach(|| jettison_report::summarise(&batches)).map(Stream::new).map_err(wrong)
}

fn wrong(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

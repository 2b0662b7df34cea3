//! Functions of the library for sweeps: values of options, and means over seeds of separate runs.

#![allow(unsafe_code, reason = "pointers of Arrow's C stream interface")]

use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::tables::Stream;

/// Parses a value as `--set` does (TOML, or else a string) and returns it as JSON.
#[pyfunction]
pub fn option_value(text: &str) -> String {
    jettison_scenario::option_value(text).to_string()
}

/// Summarises a table with the columns of `runs.parquet`, in which rows of one run are adjacent, to one with the
/// columns of `summary.parquet`.
#[pyfunction]
pub fn summarise(py: Python<'_>, runs: &Bound<'_, PyAny>) -> PyResult<Stream> {
    let capsule = runs.call_method0("__arrow_c_stream__")?.cast_into::<PyCapsule>()?;
    let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?.cast::<FFI_ArrowArrayStream>();
    // SAFETY: the capsule's name defines its contents (Arrow PyCapsule interface), and `from_raw` leaves a released
    // stream in its place, which the capsule may drop.
    let reader = unsafe { RecordBatchStreamReader::from_raw(pointer.as_ptr()) };
    let batches = reader.and_then(|reader| reader.collect::<Result<Vec<_>, _>>()).map_err(wrong)?;
    py.detach(|| jettison_report::summarise(&batches)).map(Stream::new).map_err(wrong)
}

fn wrong(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

//! Functions of the library for sweeps: values of options, keys of runs and their store, means over seeds of separate runs.

#![allow(unsafe_code, reason = "pointers of Arrow's C stream interface")]

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use arrow_array::RecordBatch;
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use jettison_build_info::{COMMIT, VERSION};
use jettison_report::{About, RunStore};
use jettison_run::{Program, RunKeys};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule};

use crate::errors::sweep_error;
use crate::tables::Stream;

static PROGRAM: OnceLock<Program> = OnceLock::new();

/// This program. The first call names the file of the native module.
pub fn program(image: &Path) -> &'static Program {
    PROGRAM.get_or_init(|| Program::new(VERSION, COMMIT, image))
}

/// What distinguishes this build in the keys of runs; `image` is the file of this module.
#[pyfunction]
pub fn identity(py: Python<'_>, image: PathBuf) -> String {
    py.detach(|| program(&image).identity.clone())
}

/// The keys of the runs of a scenario that differ in their seed only.
#[pyclass(frozen, name = "RunKeys")]
pub struct Keys(pub RunKeys);

#[pymethods]
impl Keys {
    /// The key of the run with a seed: 64 hexadecimal digits.
    fn of_seed(&self, seed: u64) -> String {
        self.0.of_seed(seed)
    }

    /// A digest of what the runs share.
    fn fingerprint(&self) -> String {
        self.0.fingerprint()
    }
}

/// Opens or creates a store of runs, and removes what dead processes left there; returns its token.
#[pyfunction]
pub fn create_store(py: Python<'_>, folder: PathBuf) -> PyResult<String> {
    let store = py.detach(|| RunStore::create(&folder));
    store.map(|store| store.token().to_owned()).map_err(|error| sweep_error(py, error))
}

/// Opens a store of runs; returns its token.
#[pyfunction]
pub fn open_store(py: Python<'_>, folder: PathBuf) -> PyResult<String> {
    let store = RunStore::open(&folder);
    store.map(|store| store.token().to_owned()).map_err(|error| sweep_error(py, error))
}

/// Writes a partition into a store.
#[pyfunction]
pub fn write_partition(py: Python<'_>, folder: PathBuf, key: &str, partition: &[u8]) -> PyResult<()> {
    let written = py.detach(|| RunStore::open(&folder)?.write_partition(key, partition));
    written.map_err(|error| sweep_error(py, error))
}

/// Whether the bytes of a partition are those that were written.
#[pyfunction]
pub fn is_whole_partition(partition: &[u8]) -> bool {
    jettison_report::is_whole_partition(partition)
}

/// The bytes of a partition: a table with the columns of `runs.parquet`, in which rows of one run are adjacent.
#[pyfunction]
pub fn partition<'py>(py: Python<'py>, runs: &Bound<'_, PyAny>, key: &str) -> PyResult<Bound<'py, PyBytes>> {
    let batches = batches(runs)?;
    let about = About { key, commit: COMMIT };
    let bytes = py.detach(|| jettison_report::partition_of(&about, &batches)).map_err(wrong)?;
    Ok(PyBytes::new(py, &bytes))
}

/// Parses a value as `--set` does (TOML, or else a string) and returns it as JSON.
#[pyfunction]
pub fn option_value(text: &str) -> String {
    jettison_scenario::option_value(text).to_string()
}

/// Summarises a table with the columns of `runs.parquet`, in which rows of one run are adjacent, to one with the
/// columns of `summary.parquet`.
#[pyfunction]
pub fn summarise(py: Python<'_>, runs: &Bound<'_, PyAny>) -> PyResult<Stream> {
    let batches = batches(runs)?;
    py.detach(|| jettison_report::summarise(&batches)).map(Stream::new).map_err(wrong)
}

fn batches(runs: &Bound<'_, PyAny>) -> PyResult<Vec<RecordBatch>> {
    let capsule = runs.call_method0("__arrow_c_stream__")?.cast_into::<PyCapsule>()?;
    let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?.cast::<FFI_ArrowArrayStream>();
    // SAFETY: the capsule's name defines its contents (Arrow PyCapsule interface), and `from_raw` leaves a released
    // stream in its place, which the capsule may drop.
    let reader = unsafe { RecordBatchStreamReader::from_raw(pointer.as_ptr()) };
    reader.and_then(|reader| reader.collect::<Result<Vec<_>, _>>()).map_err(wrong)
}

fn wrong(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

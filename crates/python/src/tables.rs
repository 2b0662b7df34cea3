//! Results in memory, passed to Python as Arrow streams.

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, RecordBatch, RecordBatchIterator};
use jettison_report::MemoryResults;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::errors::run_error;

/// Results of `run` in memory.
#[pyclass(frozen)]
pub struct Tables {
    results: MemoryResults,
}

/// A table that Arrow libraries can take without copies (Arrow PyCapsule interface).
#[pyclass(frozen)]
pub struct Stream {
    batch: RecordBatch,
}

impl Tables {
    pub fn new(results: MemoryResults) -> Tables {
        Tables { results }
    }

    fn batch(&self, name: &str) -> PyResult<&RecordBatch> {
        self.results.tables.get(name).ok_or_else(|| PyKeyError::new_err(format!("unknown table `{name}`")))
    }
}

#[pymethods]
impl Tables {
    /// Names of the tables.
    fn names(&self) -> Vec<&'static str> {
        self.results.tables.keys().copied().collect()
    }

    /// A table.
    fn table(&self, name: &str) -> PyResult<Stream> {
        Ok(Stream { batch: self.batch(name)?.clone() })
    }

    /// Contents of `manifest.json`.
    fn manifest(&self, py: Python<'_>) -> PyResult<String> {
        serde_json::to_string(&self.results.manifest).map_err(|error| run_error(py, error))
    }

    /// Contents of `timing.json`.
    fn timing(&self, py: Python<'_>) -> PyResult<String> {
        serde_json::to_string(&self.results.timing).map_err(|error| run_error(py, error))
    }

    /// Contents of `reproduction.json`.
    fn reproduction(&self, py: Python<'_>) -> PyResult<String> {
        serde_json::to_string(&self.results.reproduction).map_err(|error| run_error(py, error))
    }

    /// Contents of `warnings.json`.
    fn warnings(&self, py: Python<'_>) -> PyResult<String> {
        serde_json::to_string(&self.results.warnings).map_err(|error| run_error(py, error))
    }

    /// Memory address of a column's values (of the keys of a dictionary), to detect copies.
    fn address(&self, table: &str, column: &str) -> PyResult<usize> {
        let column = self.batch(table)?.column_by_name(column);
        let column = column.ok_or_else(|| PyKeyError::new_err(format!("unknown column `{column:?}`")))?;
        Ok(column.to_data().buffers()[0].as_ptr() as usize)
    }
}

impl Stream {
    pub fn new(batch: RecordBatch) -> Stream {
        Stream { batch }
    }
}

#[pymethods]
impl Stream {
    /// An `ArrowArrayStream` with the table in one batch. The consumer's requested schema is ignored, as the
    /// interface allows.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let batches = RecordBatchIterator::new([Ok(self.batch.clone())], self.batch.schema());
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(batches)), c"arrow_array_stream")
    }
}

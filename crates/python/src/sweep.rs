//! What sweeps need of the library: values as options have them, and means over seeds of runs that were made apart.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Float64Array, RecordBatch, StringArray, UInt64Array};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, Float64Type, Schema, UInt64Type};
use arrow::error::ArrowError;
use arrow::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use jettison_report::{RunKey, RunSummary, RunValue, Summary, SummaryRow};
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
    py.detach(|| {
        let mut runs = Vec::new();
        let mut mode = None;
        for batch in batches.iter().filter(|batch| batch.num_rows() > 0) {
            gather(batch, &mut runs)?;
            mode.get_or_insert(text(&column(batch, "mode", &DataType::Utf8)?, 0));
        }
        let mode = mode.unwrap_or_default();
        Ok(Stream::new(table(&Summary::of(&runs).rows, &mode).map_err(wrong)?))
    })
}

fn wrong(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The column of that name, as text or numbers whatever it is stored as.
fn column(batch: &RecordBatch, name: &str, wanted: &DataType) -> PyResult<ArrayRef> {
    let column = batch.column_by_name(name).ok_or_else(|| wrong(format!("there is no column `{name}`")))?;
    cast(column, wanted).map_err(wrong)
}

fn text(column: &ArrayRef, row: usize) -> String {
    column.as_string::<i32>().value(row).to_owned()
}

fn number(column: &ArrayRef, row: usize) -> Option<f64> {
    column.is_valid(row).then(|| column.as_primitive::<Float64Type>().value(row))
}

/// Appends the rows to the runs that they are of.
fn gather(batch: &RecordBatch, runs: &mut Vec<RunSummary>) -> PyResult<()> {
    let words = |name| column(batch, name, &DataType::Utf8);
    let numbers = |name| column(batch, name, &DataType::Float64);
    let (variants, objects, metrics) = (words("variant")?, words("object")?, words("metric")?);
    let (parts, units) = (words("part")?, words("unit")?);
    let (means, p50, p95, p99) = (numbers("mean")?, numbers("p50")?, numbers("p95")?, numbers("p99")?);
    let seeds = column(batch, "seed", &DataType::UInt64)?;
    for row in 0..batch.num_rows() {
        let seed = seeds.as_primitive::<UInt64Type>().value(row);
        let key = RunKey { variant: text(&variants, row), seed };
        if runs.last().is_none_or(|last| last.key != key) {
            runs.push(RunSummary { key, values: Vec::new() });
        }
        let percentiles = match (number(&p50, row), number(&p95, row), number(&p99, row)) {
            (Some(p50), Some(p95), Some(p99)) => Some([p50, p95, p99]),
            _ => None,
        };
        let value = RunValue {
            object: text(&objects, row),
            metric: text(&metrics, row),
            unit: text(&units, row),
            part: text(&parts, row),
            mean: number(&means, row).unwrap_or(f64::NAN),
            percentiles,
        };
        runs.last_mut().expect("one was pushed above").values.push(value);
    }
    Ok(())
}

/// The columns of `summary.parquet`.
fn table(rows: &[SummaryRow], mode: &str) -> Result<RecordBatch, ArrowError> {
    let text_type = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    let mut fields = Vec::new();
    let mut columns: Vec<ArrayRef> = Vec::new();
    let mut add = |name: &str, column: ArrayRef, nullable: bool| {
        fields.push(Field::new(name, column.data_type().clone(), nullable));
        columns.push(column);
    };
    let text =
        |of: fn(&SummaryRow) -> &str| cast(&StringArray::from_iter_values(rows.iter().map(of)), &text_type);
    let number = |of: fn(&SummaryRow) -> Option<f64>| Arc::new(Float64Array::from_iter(rows.iter().map(of)));
    add("variant", text(|row| &row.variant)?, false);
    add("object", text(|row| &row.object)?, false);
    add("metric", text(|row| &row.metric)?, false);
    add("part", text(|row| &row.part)?, false);
    add("unit", text(|row| &row.unit)?, false);
    add("mean", number(|row| Some(row.estimate.mean)), true);
    add("p50", number(|row| row.percentiles.map(|p| p[0])), true);
    add("p95", number(|row| row.percentiles.map(|p| p[1])), true);
    add("p99", number(|row| row.percentiles.map(|p| p[2])), true);
    add("ci95_low", number(|row| row.estimate.ci95.map(|ci| ci[0])), true);
    add("ci95_high", number(|row| row.estimate.ci95.map(|ci| ci[1])), true);
    let counts = UInt64Array::from_iter_values(rows.iter().map(|row| row.estimate.n as u64));
    add("n", Arc::new(counts), false);
    add("mode", cast(&StringArray::from_iter_values(rows.iter().map(|_| mode)), &text_type)?, false);
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
}

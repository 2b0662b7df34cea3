//! Tables as Arrow record batches.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, DictionaryArray, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray, UInt64Array,
};
use arrow_schema::{ArrowError, DataType, Field, Schema};

use super::column::Column;
use super::conversion::converted;
use super::rows::Rows;
use super::schema::{ColumnType, TableSchema};
use crate::error::ReportError;

/// The rows of a table as a record batch: text as dictionaries, other values as they are.
pub(super) fn record_batch(table: &TableSchema, columns: Vec<Column>) -> Result<RecordBatch, ReportError> {
    let fields = table.columns.iter().map(|(name, kind)| {
        let data_type = match kind {
            ColumnType::Text => DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)),
            ColumnType::Unsigned | ColumnType::Optional => DataType::UInt64,
            ColumnType::Signed => DataType::Int64,
            ColumnType::Float => DataType::Float64,
        };
        Field::new(*name, data_type, kind.may_be_missing())
    });
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let arrays: Result<Vec<ArrayRef>, ArrowError> = columns.into_iter().map(array).collect();
    arrays
        .and_then(|arrays| RecordBatch::try_new(schema, arrays))
        .map_err(|error| ReportError::Table(error.to_string()))
}

fn array(column: Column) -> Result<ArrayRef, ArrowError> {
    Ok(match column {
        Column::Text { names, keys } => {
            let values: StringArray = names.into_iter().map(Some).collect();
            let keys: Vec<i32> = keys.into_iter().map(u32::cast_signed).collect();
            Arc::new(DictionaryArray::try_new(Int32Array::from(keys), Arc::new(values))?)
        }
        Column::Unsigned(values) => Arc::new(UInt64Array::from(values)),
        Column::Optional(values) => Arc::new(UInt64Array::from(values)),
        Column::Signed(values) => Arc::new(Int64Array::from(values)),
        Column::Float(values) if values.iter().any(|value| value.is_nan()) => {
            let present = values.into_iter().map(|value| Some(value).filter(|value| !value.is_nan()));
            Arc::new(present.collect::<Float64Array>())
        }
        Column::Float(values) => Arc::new(Float64Array::from(values)),
    })
}

/// The rows of a batch that has the columns of `table`, in any order and possibly among others.
///
/// # Errors
/// If a column is missing or its values cannot be converted.
pub(super) fn rows_of(batch: &RecordBatch, table: &TableSchema) -> Result<Rows, ReportError> {
    let column = |(name, kind): &(&str, ColumnType)| {
        let found = batch
            .column_by_name(name)
            .ok_or_else(|| ReportError::Table(format!("missing column `{name}`")))?;
        converted(found, *kind).map_err(|message| ReportError::Table(format!("column `{name}` {message}")))
    };
    Ok(Rows::new(table.columns.iter().map(column).collect::<Result<_, _>>()?))
}

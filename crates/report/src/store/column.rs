//! The values of a table's column, gathered row by row until they are an Arrow array.

use std::sync::Arc;

use arrow_array::builder::Float64Builder;
use arrow_array::{ArrayRef, DictionaryArray, Int32Array, Int64Array, StringArray, UInt64Array};
use indexmap::IndexSet;

use super::schema::ColumnType;
use crate::error::ReportError;

/// One value of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Cell<'a> {
    Text(&'a str),
    Unsigned(u64),
    Signed(i64),
    Float(Option<f64>),
}

/// What rows of a table go to: a cell a column, of the column's type.
pub(super) trait RowSink {
    /// Adds a row.
    fn row(&mut self, cells: &[Cell]) -> Result<(), ReportError>;
}

/// A column being gathered.
pub(super) enum Column {
    Text { names: IndexSet<String>, keys: Vec<i32> },
    Unsigned(Vec<u64>),
    Signed(Vec<i64>),
    Float(Float64Builder),
}

impl Column {
    pub(super) fn new(column: ColumnType) -> Column {
        match column {
            ColumnType::Text => Column::Text { names: IndexSet::new(), keys: Vec::new() },
            ColumnType::Unsigned => Column::Unsigned(Vec::new()),
            ColumnType::Signed => Column::Signed(Vec::new()),
            ColumnType::Float => Column::Float(Float64Builder::new()),
        }
    }

    pub(super) fn push(&mut self, cell: Cell) {
        match (self, cell) {
            (Column::Text { names, keys }, Cell::Text(text)) => {
                // Long runs of one name: look at the last one first.
                let last = keys
                    .last()
                    .copied()
                    .filter(|key| names.get_index(*key as usize).is_some_and(|n| n == text));
                let key = last.unwrap_or_else(|| {
                    let index =
                        names.get_index_of(text).unwrap_or_else(|| names.insert_full(text.to_owned()).0);
                    index as i32
                });
                keys.push(key);
            }
            (Column::Unsigned(values), Cell::Unsigned(value)) => values.push(value),
            (Column::Signed(values), Cell::Signed(value)) => values.push(value),
            (Column::Float(values), Cell::Float(value)) => {
                values.append_option(value.filter(|v| v.is_finite()))
            }
            (_, cell) => {
                unreachable!("{cell:?} is not of its column's type: schema.rs and its callers disagree")
            }
        }
    }

    /// What was gathered; the column is empty again.
    pub(super) fn take(&mut self) -> ArrayRef {
        match self {
            Column::Text { names, keys } => {
                let values: StringArray = std::mem::take(names).into_iter().map(Some).collect();
                let keys = Int32Array::from(std::mem::take(keys));
                Arc::new(DictionaryArray::new(keys, Arc::new(values)))
            }
            Column::Unsigned(values) => Arc::new(UInt64Array::from(std::mem::take(values))),
            Column::Signed(values) => Arc::new(Int64Array::from(std::mem::take(values))),
            Column::Float(values) => Arc::new(values.finish()),
        }
    }
}

//! Values of a table's column in memory.

use indexmap::IndexSet;

use super::schema::ColumnType;
use crate::error::ReportError;

/// A value in a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Cell<'a> {
    Text(&'a str),
    Unsigned(u64),
    Signed(i64),
    Float(Option<f64>),
}

/// A destination of a table's rows: one cell per column, of the column's type.
pub(super) trait RowSink {
    /// Adds a row.
    fn row(&mut self, cells: &[Cell]) -> Result<(), ReportError>;
}

/// The values of a column by row.
#[derive(Debug)]
pub(super) enum Column {
    /// Each distinct text once, and for each row the index of its text.
    Text {
        names: IndexSet<String>,
        keys: Vec<u32>,
    },
    Unsigned(Vec<u64>),
    Signed(Vec<i64>),
    /// Missing and infinite numbers are stored as NaN.
    Float(Vec<f64>),
}

impl Column {
    /// Creates an empty column.
    pub(super) fn new(column: ColumnType) -> Column {
        match column {
            ColumnType::Text => Column::Text { names: IndexSet::new(), keys: Vec::new() },
            ColumnType::Unsigned => Column::Unsigned(Vec::new()),
            ColumnType::Signed => Column::Signed(Vec::new()),
            ColumnType::Float => Column::Float(Vec::new()),
        }
    }

    /// Adds a row.
    pub(super) fn push(&mut self, cell: Cell) {
        match (self, cell) {
            (Column::Text { names, keys }, Cell::Text(text)) => {
                // Names repeat in long runs: check the last one first.
                let last = keys
                    .last()
                    .copied()
                    .filter(|key| names.get_index(*key as usize).is_some_and(|n| n == text));
                let key = last.unwrap_or_else(|| {
                    let index =
                        names.get_index_of(text).unwrap_or_else(|| names.insert_full(text.to_owned()).0);
                    index as u32
                });
                keys.push(key);
            }
            (Column::Unsigned(values), Cell::Unsigned(value)) => values.push(value),
            (Column::Signed(values), Cell::Signed(value)) => values.push(value),
            (Column::Float(values), Cell::Float(value)) => {
                values.push(value.filter(|v| v.is_finite()).unwrap_or(f64::NAN));
            }
            (_, cell) => {
                unreachable!("{cell:?} is not of its column's type: schema.rs and its callers disagree")
            }
        }
    }

    /// The value of a row.
    pub(super) fn cell(&self, row: usize) -> Cell<'_> {
        match self {
            Column::Text { names, keys } => {
                Cell::Text(names.get_index(keys[row] as usize).map_or("", String::as_str))
            }
            Column::Unsigned(values) => Cell::Unsigned(values[row]),
            Column::Signed(values) => Cell::Signed(values[row]),
            Column::Float(values) => Cell::Float(Some(values[row]).filter(|value| !value.is_nan())),
        }
    }

    /// Number of rows.
    pub(super) fn len(&self) -> usize {
        match self {
            Column::Text { keys, .. } => keys.len(),
            Column::Unsigned(values) => values.len(),
            Column::Signed(values) => values.len(),
            Column::Float(values) => values.len(),
        }
    }

    /// Removes all rows and keeps the allocated memory.
    pub(super) fn clear(&mut self) {
        match self {
            Column::Text { names, keys } => {
                names.clear();
                keys.clear();
            }
            Column::Unsigned(values) => values.clear(),
            Column::Signed(values) => values.clear(),
            Column::Float(values) => values.clear(),
        }
    }
}

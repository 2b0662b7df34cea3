//! Rows of a table for reading.

use super::column::{Cell, Column};

/// A batch of rows with all columns of the table.
#[derive(Debug)]
pub(super) struct Rows {
    columns: Vec<Column>,
}

impl Rows {
    /// Creates rows of columns of equal length.
    pub(super) fn new(columns: Vec<Column>) -> Rows {
        Rows { columns }
    }

    pub(super) fn len(&self) -> usize {
        self.columns.first().map_or(0, Column::len)
    }

    /// All columns.
    pub(super) fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// A value in any column.
    pub(super) fn cell(&self, column: usize, row: usize) -> Cell<'_> {
        self.columns[column].cell(row)
    }

    /// Whether two rows have the same text in a column.
    pub(super) fn same_text(&self, column: usize, a: usize, b: usize) -> bool {
        match &self.columns[column] {
            Column::Text { keys, .. } => keys[a] == keys[b],
            _ => wrong_type(column),
        }
    }

    pub(super) fn text(&self, column: usize, row: usize) -> &str {
        match self.cell(column, row) {
            Cell::Text(text) => text,
            _ => wrong_type(column),
        }
    }

    pub(super) fn unsigned(&self, column: usize, row: usize) -> u64 {
        match self.cell(column, row) {
            Cell::Unsigned(value) => value,
            _ => wrong_type(column),
        }
    }

    pub(super) fn optional(&self, column: usize, row: usize) -> Option<u64> {
        match self.cell(column, row) {
            Cell::Optional(value) => value,
            _ => wrong_type(column),
        }
    }

    pub(super) fn signed(&self, column: usize, row: usize) -> i64 {
        match self.cell(column, row) {
            Cell::Signed(value) => value,
            _ => wrong_type(column),
        }
    }

    pub(super) fn float(&self, column: usize, row: usize) -> Option<f64> {
        match self.cell(column, row) {
            Cell::Float(value) => value,
            _ => wrong_type(column),
        }
    }
}

fn wrong_type(column: usize) -> ! {
    unreachable!("column {column} is of another type: schema.rs and its callers disagree")
}

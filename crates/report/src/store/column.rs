//! Values of a table's column in memory.

use std::ops::Range;

use indexmap::IndexSet;

use super::schema::ColumnType;
use crate::error::ReportError;

/// A value in a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Cell<'a> {
    Text(&'a str),
    Unsigned(u64),
    Optional(Option<u64>),
    Signed(i64),
    Float(Option<f64>),
}

/// The cells of a column in successive rows.
#[derive(Debug, Clone, Copy)]
pub(super) enum Cells<'a> {
    /// The same value in each row.
    Same(Cell<'a>),
    Signed(&'a [i64]),
    Floats(&'a [f64]),
    /// Rows of a column of the same type.
    Rows(&'a Column),
}

/// A destination of a table's rows: one cell per column, of the column's type.
pub(super) trait RowSink {
    /// Adds a row.
    fn row(&mut self, cells: &[Cell]) -> Result<(), ReportError>;

    /// Adds rows, given by column.
    fn rows(&mut self, count: usize, cells: &[Cells]) -> Result<(), ReportError>;
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
    Optional(Vec<Option<u64>>),
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
            ColumnType::Optional => Column::Optional(Vec::new()),
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
                keys.push(last.unwrap_or_else(|| key_of(names, text)));
            }
            (Column::Unsigned(values), Cell::Unsigned(value)) => values.push(value),
            (Column::Optional(values), Cell::Optional(value)) => values.push(value),
            (Column::Signed(values), Cell::Signed(value)) => values.push(value),
            (Column::Float(values), Cell::Float(value)) => {
                values.push(value.filter(|v| v.is_finite()).unwrap_or(f64::NAN));
            }
            (_, cell) => {
                unreachable!("{cell:?} is not of its column's type: schema.rs and its callers disagree")
            }
        }
    }

    /// Adds a row equal to the last one of a column of text; nothing without rows.
    #[inline]
    pub(super) fn repeat_last(&mut self) {
        if let Column::Text { keys, .. } = self {
            keys.extend(keys.last().copied());
        }
    }

    /// Adds the rows `range` of `cells`.
    pub(super) fn extend(&mut self, cells: Cells, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        match (self, cells) {
            (Column::Text { names, keys }, Cells::Rows(Column::Text { names: others, keys: rows })) => {
                // Each name is looked up once, when its first row comes.
                let mut known = vec![None; others.len()];
                keys.extend(rows[range].iter().map(|row| {
                    *known[*row as usize].get_or_insert_with(|| key_of(names, &others[*row as usize]))
                }));
            }
            (Column::Text { names, keys }, Cells::Same(Cell::Text(text))) => {
                let key = key_of(names, text);
                keys.extend(std::iter::repeat_n(key, range.len()));
            }
            (Column::Unsigned(values), Cells::Rows(Column::Unsigned(rows))) => {
                values.extend_from_slice(&rows[range]);
            }
            (Column::Optional(values), Cells::Rows(Column::Optional(rows))) => {
                values.extend_from_slice(&rows[range]);
            }
            (Column::Unsigned(values), Cells::Same(Cell::Unsigned(value))) => {
                values.extend(std::iter::repeat_n(value, range.len()));
            }
            (column, Cells::Rows(Column::Signed(rows))) => column.extend(Cells::Signed(rows), range),
            (column, Cells::Rows(Column::Float(rows))) => column.extend(Cells::Floats(rows), range),
            (Column::Signed(values), Cells::Signed(rows)) => values.extend_from_slice(&rows[range]),
            (Column::Float(values), Cells::Floats(rows)) => {
                let finite = |value: &f64| if value.is_finite() { *value } else { f64::NAN };
                values.extend(rows[range].iter().map(finite));
            }
            (column, Cells::Same(cell)) => range.for_each(|_| column.push(cell)),
            (_, cells) => {
                unreachable!("{cells:?} are not of their column's type: schema.rs and its callers disagree")
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
            Column::Optional(values) => Cell::Optional(values[row]),
            Column::Signed(values) => Cell::Signed(values[row]),
            Column::Float(values) => Cell::Float(Some(values[row]).filter(|value| !value.is_nan())),
        }
    }

    /// Number of rows.
    pub(super) fn len(&self) -> usize {
        match self {
            Column::Text { keys, .. } => keys.len(),
            Column::Unsigned(values) => values.len(),
            Column::Optional(values) => values.len(),
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
            Column::Optional(values) => values.clear(),
            Column::Signed(values) => values.clear(),
            Column::Float(values) => values.clear(),
        }
    }
}

/// Index of a text among the distinct ones, to which it is added.
fn key_of(names: &mut IndexSet<String>, text: &str) -> u32 {
    let index = names.get_index_of(text).unwrap_or_else(|| names.insert_full(text.to_owned()).0);
    index as u32
}

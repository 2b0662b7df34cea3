//! Series and distributions from stored tables, one object at a time.

use std::path::Path;

use super::rows::Rows;
use super::schema;
use super::table::TableReader;
use crate::error::ReportError;

/// The series that a piece belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeriesRun<'a> {
    /// Name of the variant.
    pub variant: &'a str,
    /// The seed.
    pub seed: u64,
    /// Name of the object.
    pub object: &'a str,
    /// Name of the metric.
    pub metric: &'a str,
    /// Part of the metric; empty for the whole.
    pub part: &'a str,
}

/// Reads the series of `table` (`queues`, `flows`) in stored order. `take` is called with pieces of one series at a
/// time, as `(seconds, value)` pairs in chronological order.
pub(crate) fn read_series(
    table: &str,
    folder: &Path,
    mut take: impl FnMut(SeriesRun, &mut dyn Iterator<Item = (f64, f64)>),
) -> Result<(), ReportError> {
    let table = if table == schema::QUEUES.name { &schema::QUEUES } else { &schema::FLOWS };
    for rows in TableReader::open(table, folder)? {
        let rows = rows?;
        pieces(&rows, 1, &[0, 3, 4, 5], |from, to| {
            let run = SeriesRun {
                variant: rows.text(0, from),
                seed: rows.unsigned(1, from),
                object: rows.text(3, from),
                metric: rows.text(4, from),
                part: rows.text(5, from),
            };
            let point = |row| Some((rows.signed(2, row) as f64 / 1e9, rows.float(6, row)?));
            take(run, &mut (from..to).filter_map(point));
        });
    }
    Ok(())
}

/// Reads the distributions as [`read_series`] does, with `(milliseconds, share)` pairs.
pub(crate) fn read_distributions(
    folder: &Path,
    mut take: impl FnMut(SeriesRun, &mut dyn Iterator<Item = (f64, f64)>),
) -> Result<(), ReportError> {
    for rows in TableReader::open(&schema::DISTRIBUTIONS, folder)? {
        let rows = rows?;
        pieces(&rows, 1, &[0, 2, 3], |from, to| {
            let run = SeriesRun {
                variant: rows.text(0, from),
                seed: rows.unsigned(1, from),
                object: rows.text(2, from),
                metric: rows.text(3, from),
                part: "",
            };
            take(run, &mut (from..to).filter_map(|row| Some((rows.float(4, row)?, rows.float(5, row)?))));
        });
    }
    Ok(())
}

/// Calls `piece` for each range of rows with equal seed and text columns.
fn pieces(rows: &Rows, seed: usize, texts: &[usize], mut piece: impl FnMut(usize, usize)) {
    let mut from = 0;
    for row in 1..=rows.len() {
        let is_same = row < rows.len()
            && rows.unsigned(seed, row) == rows.unsigned(seed, from)
            && texts.iter().all(|column| rows.same_text(*column, row, from));
        if !is_same {
            piece(from, row);
            from = row;
        }
    }
}

//! Means over seeds of runs from separate results, as in a sweep.

use arrow_array::RecordBatch;

use super::arrow::rows_of;
use super::memory::MemoryTable;
use super::reader::run_value;
use super::runs::{About, partition};
use super::schema;
use super::tables::write_summary;
use crate::error::ReportError;
use crate::model::{Mode, RunKey};
use crate::summary::{RunSummary, Summary};

/// Summarises rows with the columns of `runs.parquet` to those of `summary.parquet`. Rows of one run must be
/// adjacent.
///
/// # Errors
/// If a column is missing or has another type.
pub fn summarise(runs: &[RecordBatch]) -> Result<RecordBatch, ReportError> {
    let (gathered, mode) = gather(runs)?;
    let mut table = MemoryTable::new(&schema::SUMMARY);
    write_summary(&mut table, &Summary::of(&gathered), mode)?;
    table.finish()
}

/// The same rows as a partition of a store, for the run or runs of one key.
///
/// # Errors
/// If a column is missing or has another type.
pub fn partition_of(about: &About<'_>, runs: &[RecordBatch]) -> Result<Vec<u8>, ReportError> {
    let (gathered, mode) = gather(runs)?;
    partition(about, &gathered, mode)
}

fn gather(runs: &[RecordBatch]) -> Result<(Vec<RunSummary>, Mode), ReportError> {
    let mut gathered: Vec<RunSummary> = Vec::new();
    let mut mode = Mode::default();
    for batch in runs.iter().filter(|batch| batch.num_rows() > 0) {
        let rows = rows_of(batch, &schema::RUNS)?;
        mode = Mode::of_name(rows.text(10, 0)).unwrap_or_default();
        for row in 0..rows.len() {
            let (variant, seed) = (rows.text(0, row), rows.unsigned(1, row));
            if gathered.last().is_none_or(|last| last.key.seed != seed || last.key.variant != variant) {
                let key = RunKey { variant: variant.to_owned(), seed };
                gathered.push(RunSummary::new(key, Vec::new()));
            }
            gathered.last_mut().expect("one was pushed above").values.push(run_value(&rows, row));
        }
    }
    Ok((gathered, mode))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::tests::in_memory;

    #[test]
    fn separate_runs_have_the_same_summary_as_joint_ones() {
        let results = in_memory();
        let runs = &results.tables["runs"];
        let half = runs.num_rows() / 2;
        let apart = [runs.slice(0, half), runs.slice(half, runs.num_rows() - half)];
        assert_eq!(summarise(&apart).unwrap(), results.tables["summary"]);
    }

    #[test]
    fn other_tables_are_refused() {
        let error = summarise(&[in_memory().tables["drops"].clone()]).unwrap_err();
        assert!(error.to_string().contains("missing column `object`"), "{error}");
    }

    #[test]
    fn no_runs_make_no_rows() {
        assert_eq!(summarise(&[]).unwrap().num_rows(), 0);
    }
}

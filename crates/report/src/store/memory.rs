//! Results in memory, as Arrow tables equal to the files of a folder of results.

use std::path::PathBuf;

use arrow_array::RecordBatch;
use indexmap::IndexMap;
use jettison_measure::RunRecord;

use super::arrow::record_batch;
use super::column::{Cell, Cells, Column, RowSink};
use super::gathered::Gathered;
use super::reader::Results;
use super::schema::{self, TableSchema};
use super::tables::{Tables, write_differences, write_runs, write_summary};
use super::writer::Closing;
use crate::difference::differences;
use crate::error::ReportError;
use crate::model::{Experiment, Manifest, RunKey, Timing};
use crate::reproduction::ReproductionRow;
use crate::summary::{RunSummary, Summary};
use crate::warning::{self, Warning};

/// Writer that takes runs in the order of the experiment and returns tables. Nothing is written to disk.
///
/// The rows are those that [`super::Writer`] writes.
pub struct MemoryWriter {
    gathered: Gathered,
    tables: Tables<MemoryTable>,
    next: usize,
}

/// Results in memory.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryResults {
    /// Their description, as in `manifest.json`.
    pub manifest: Manifest,
    /// Tables by name (`queues`, `flows`, …); text is dictionary-encoded.
    pub tables: IndexMap<&'static str, RecordBatch>,
    /// Means and confidence intervals over seeds.
    pub summary: Summary,
    /// Durations.
    pub timing: Timing,
    /// Comparison with a paper's figures, if any.
    pub reproduction: Vec<ReproductionRow>,
    /// Reasons why figures may mislead.
    pub warnings: Vec<Warning>,
}

/// A table under construction.
pub(super) struct MemoryTable {
    table: &'static TableSchema,
    columns: Vec<Column>,
}

impl MemoryWriter {
    /// Creates a writer for an experiment; `commit` is the Git commit that the program was built from, for the
    /// manifest.
    pub fn create(experiment: Experiment, commit: Option<String>) -> MemoryWriter {
        let tables = Tables::create(experiment.mode, MemoryTable::new);
        MemoryWriter { gathered: Gathered::new(experiment, commit, Vec::new()), tables, next: 0 }
    }

    /// Adds a completed run.
    ///
    /// # Errors
    /// If the experiment has no such run, or the run precedes one that was added.
    pub fn add_run(&mut self, key: &RunKey, record: &RunRecord) -> Result<(), ReportError> {
        let index = self.gathered.place_of(key)?;
        if index < self.next {
            return Err(ReportError::UnexpectedRun(key.clone()));
        }
        self.next = index + 1;
        self.tables.write(key, record)?;
        self.gathered.take(index, key, record);
        Ok(())
    }

    /// Summary values of the runs added so far.
    pub fn runs(&self) -> impl Iterator<Item = &RunSummary> {
        self.gathered.runs()
    }

    /// Returns the results.
    ///
    /// # Errors
    /// If the tables have more rows than Arrow can count.
    pub fn finish(self, closing: Closing) -> Result<MemoryResults, ReportError> {
        let MemoryWriter { gathered, tables, .. } = self;
        let mode = gathered.experiment.mode;
        let runs: Vec<RunSummary> = gathered.runs().cloned().collect();
        let summary = Summary::of(&runs);
        let mut of_runs = MemoryTable::new(&schema::RUNS);
        write_runs(&mut of_runs, &runs, mode)?;
        let mut of_summary = MemoryTable::new(&schema::SUMMARY);
        write_summary(&mut of_summary, &summary, mode)?;
        let mut of_differences = MemoryTable::new(&schema::DIFFERENCES);
        let differences = differences(&runs, &gathered.experiment.variants);
        write_differences(&mut of_differences, &differences, mode)?;
        let last = [
            (&schema::RUNS, of_runs),
            (&schema::SUMMARY, of_summary),
            (&schema::DIFFERENCES, of_differences),
        ];
        let mut finished = IndexMap::new();
        for (table, rows) in tables.into_each().into_iter().chain(last) {
            finished.insert(table.name, rows.finish()?);
        }
        let Closing { timing, reproduction, mut warnings } = closing;
        let manifest = gathered.into_manifest();
        let mut results = Results {
            folder: PathBuf::new(),
            manifest,
            runs,
            summary,
            reproduction: Vec::new(),
            warnings: Vec::new(),
            remarks: Vec::new(),
        };
        warnings.extend(warning::warnings(&results));
        results.warnings = warnings;
        results.tell();
        let Results { manifest, summary, warnings, .. } = results;
        Ok(MemoryResults { manifest, tables: finished, summary, timing, reproduction, warnings })
    }
}

impl MemoryTable {
    pub(super) fn new(table: &'static TableSchema) -> MemoryTable {
        let columns = table.columns.iter().map(|(_, column)| Column::new(*column)).collect();
        MemoryTable { table, columns }
    }

    pub(super) fn finish(self) -> Result<RecordBatch, ReportError> {
        record_batch(self.table, self.columns)
    }
}

impl RowSink for MemoryTable {
    fn row(&mut self, cells: &[Cell]) -> Result<(), ReportError> {
        debug_assert_eq!(cells.len(), self.columns.len());
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            column.push(*cell);
        }
        Ok(())
    }

    fn rows(&mut self, count: usize, cells: &[Cells]) -> Result<(), ReportError> {
        debug_assert_eq!(cells.len(), self.columns.len());
        for (column, cells) in self.columns.iter_mut().zip(cells) {
            column.extend(*cells, 0..count);
        }
        Ok(())
    }
}

//! Reads stored results.

use std::path::{Path, PathBuf};

use jettison_input::file;
use serde::de::DeserializeOwned;

use super::folder::{MANIFEST, is_ours, write_atomically};
use super::rows::Rows;
use super::schema::{self, TableSchema};
use super::table::TableReader;
use crate::difference::{Difference, DifferenceRecord, differences};
use crate::error::ReportError;
use crate::model::{Experiment, Manifest, RunKey};
use crate::reproduction::ReproductionRow;
use crate::summary::{RunSummary, RunValue, Summary, SummaryRecord};
use crate::warning::{self, Warning, WarningRecord};

/// File of the warnings.
pub(super) const WARNINGS: &str = "warnings.json";

/// The results in a folder. Series and distributions are read when a page is written.
#[derive(Debug, Clone, PartialEq)]
pub struct Results {
    /// The folder.
    pub folder: PathBuf,
    /// The description of the results.
    pub manifest: Manifest,
    /// Summary values of each run, in the order of the experiment.
    pub runs: Vec<RunSummary>,
    /// Means and confidence intervals over seeds.
    pub summary: Summary,
    /// Comparison with a paper's figures, if any.
    pub reproduction: Vec<ReproductionRow>,
    /// Reasons why figures may mislead.
    pub warnings: Vec<Warning>,
}

impl Results {
    /// Reads the results in `folder`.
    ///
    /// # Errors
    /// If the folder is not ours, or a file in it is missing, truncated or of another version.
    pub fn load(folder: &Path) -> Result<Results, ReportError> {
        if !is_ours(folder) {
            return Err(ReportError::NotOurs(folder.to_owned()));
        }
        let manifest: Manifest = read_json(&folder.join(MANIFEST))?;
        if manifest.format != Manifest::FORMAT {
            let reason = format!("layout version must be {1}, got {0}", manifest.format, Manifest::FORMAT);
            return Err(ReportError::read(&folder.join(MANIFEST), reason));
        }
        // Detect a truncated table now, by its missing footer, rather than while the page is written.
        for table in [&schema::QUEUES, &schema::FLOWS, &schema::DROPS, &schema::DISTRIBUTIONS] {
            TableReader::open(table, folder)?;
        }
        // Results of earlier versions have no such file.
        if folder.join(schema::FRAMES.file()).exists() {
            TableReader::open(&schema::FRAMES, folder)?;
        }
        let runs = read_runs(&schema::RUNS, folder, &manifest)?;
        let summary = Summary::of(&runs);
        let reproduction = match folder.join("reproduction.json") {
            path if path.exists() => read_json(&path)?,
            _ => Vec::new(),
        };
        let warnings = Vec::new();
        let mut results =
            Results { folder: folder.to_owned(), manifest, runs, summary, reproduction, warnings };
        results.warnings = match folder.join(WARNINGS) {
            path if path.exists() => read_json(&path)?,
            // Results of earlier versions have no such file.
            _ => warning::warnings(&results),
        };
        Ok(results)
    }

    /// Differences of all values from those of the baselines, paired by seed.
    pub fn differences(&self) -> Vec<Difference> {
        differences(&self.runs, &self.manifest.experiment.variants)
    }

    /// The records of the differences that `run --json` prints.
    pub fn difference_records(&self) -> impl Iterator<Item = DifferenceRecord> + '_ {
        let Experiment { name, mode, .. } = &self.manifest.experiment;
        let of = |difference: Difference| DifferenceRecord::of(name, *mode, &difference);
        self.differences().into_iter().map(of)
    }

    /// The records of the warnings that `run --json` prints.
    pub fn warning_records(&self) -> impl Iterator<Item = WarningRecord> + '_ {
        let Experiment { name, mode, .. } = &self.manifest.experiment;
        self.warnings.iter().map(|warning| WarningRecord {
            record: "warning".to_owned(),
            scenario: name.clone(),
            mode: *mode,
            warning: warning.clone(),
        })
    }

    /// The records that `run --json` prints, one per row of the summary.
    pub fn records(&self) -> impl Iterator<Item = SummaryRecord> + '_ {
        let Experiment { name, mode, .. } = &self.manifest.experiment;
        self.summary.records(name, *mode)
    }

    /// Writes `report.html` again and returns its path.
    ///
    /// # Errors
    /// If the series cannot be read or the page cannot be written.
    pub fn rebuild_report(&self) -> Result<PathBuf, ReportError> {
        let path = self.report();
        write_atomically(&path, crate::html::render(self)?.as_bytes())?;
        Ok(path)
    }

    /// Path of the page.
    pub fn report(&self) -> PathBuf {
        self.folder.join("report.html")
    }
}

fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, ReportError> {
    let bytes = file::read(path, file::DATA).map_err(|error| ReportError::read(path, error))?;
    serde_json::from_slice(&bytes).map_err(|error| ReportError::read(path, error))
}

fn read_runs(
    table: &TableSchema,
    folder: &Path,
    manifest: &Manifest,
) -> Result<Vec<RunSummary>, ReportError> {
    // A run without measurements has no rows; the manifest lists it.
    let mut runs: Vec<RunSummary> =
        manifest.runs.iter().map(|run| RunSummary::new(run.key.clone(), Vec::new())).collect();
    let mut at = 0;
    for rows in TableReader::open(table, folder)? {
        let rows = rows?;
        for row in 0..rows.len() {
            let is_at = |run: &RunSummary| {
                run.key.seed == rows.unsigned(1, row) && run.key.variant == rows.text(0, row)
            };
            if !runs.get(at).is_some_and(is_at) {
                at = runs.iter().position(is_at).ok_or_else(|| {
                    let key = RunKey { variant: rows.text(0, row).to_owned(), seed: rows.unsigned(1, row) };
                    ReportError::read(&folder.join(table.file()), format!("{key} is not in the manifest"))
                })?;
            }
            runs[at].values.push(run_value(&rows, row));
        }
    }
    Ok(runs)
}

/// The value in a row of [`schema::RUNS`].
pub(super) fn run_value(rows: &Rows, row: usize) -> RunValue {
    let percentiles = match (rows.float(7, row), rows.float(8, row), rows.float(9, row)) {
        (Some(p50), Some(p95), Some(p99)) => Some([p50, p95, p99]),
        _ => None,
    };
    RunValue {
        object: rows.text(2, row).to_owned(),
        metric: rows.text(3, row).to_owned(),
        part: rows.text(4, row).to_owned(),
        unit: rows.text(5, row).to_owned(),
        mean: rows.float(6, row).unwrap_or(f64::NAN),
        percentiles,
    }
}

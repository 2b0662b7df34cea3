//! Reads stored results.

use std::path::{Path, PathBuf};

use jettison_input::file;
use serde::de::DeserializeOwned;

use super::folder::{MANIFEST, is_ours, write_atomically};
use super::hashes::{TIMING, files_in, hash_file};
use super::rows::Rows;
use super::schema::{self, TableSchema};
use super::seal::{has_json_seal, is_json_intact, sealed_json};
use super::series::{SeriesRun, read_series};
use super::table::TableReader;
use super::verify::{Fault, FaultKind, PAGE, verify_results};
use crate::answer::answer;
use crate::difference::{Difference, DifferenceRecord, differences};
use crate::error::ReportError;
use crate::groups::{GroupRecord, group_records, kinds_of_flows};
use crate::model::{Experiment, Manifest, RunKey, Timing};
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
    /// What a reader should know about the files: sentences without a full stop.
    pub remarks: Vec<String>,
}

impl Results {
    /// Reads the results in `folder`, and checks every file against its hash.
    ///
    /// # Errors
    /// If the folder is not ours, or a file in it is missing, changed or of another version. A changed page is no error:
    /// it is made of the other files.
    pub fn load(folder: &Path) -> Result<Results, ReportError> {
        let (manifest, mut remarks) = checked(folder)?;
        let results = Results::read(folder, manifest)?;
        if !TableReader::open(&schema::DROPS, folder)?.has("id") {
            let remark =
                "was written by an earlier version of Jettison and does not say what packets carried";
            remarks.push(format!("{} {remark}", folder.join(schema::DROPS.file()).display()));
        }
        Ok(Results { remarks, ..results })
    }

    /// Reads the results in `folder` with this manifest, without the check of the files.
    pub(super) fn read(folder: &Path, manifest: Manifest) -> Result<Results, ReportError> {
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
        let mut results = Results {
            folder: folder.to_owned(),
            manifest,
            runs,
            summary,
            reproduction,
            warnings,
            remarks: Vec::new(),
        };
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

    /// The records of groups of flows that `run --json` prints.
    pub fn group_records(&self) -> Vec<GroupRecord> {
        group_records(self)
    }

    /// Adds the answer and the groups of flows to the manifest, for programs that read it.
    pub(super) fn tell(&mut self) {
        self.manifest.answer = answer(self).text();
        let groups = kinds_of_flows(self).into_iter().filter(|group| group.flows.len() > 1);
        self.manifest.groups = groups.map(|group| (group.name, group.flows)).collect();
    }

    /// Reads the series of a table, `queues` or `flows`. `take` is called with pieces of one series at a time, as
    /// `(seconds, value)` pairs in chronological order.
    ///
    /// # Errors
    /// If the table cannot be read.
    pub fn series(
        &self,
        table: &str,
        take: impl FnMut(SeriesRun<'_>, &mut dyn Iterator<Item = (f64, f64)>),
    ) -> Result<(), ReportError> {
        read_series(table, &self.folder, take)
    }

    /// Writes `report.html` again, with its new hash in the manifest, and returns its path.
    ///
    /// # Errors
    /// If the series cannot be read or the page cannot be written.
    pub fn rebuild_report(&self) -> Result<PathBuf, ReportError> {
        let path = self.report();
        write_atomically(&path, crate::html::render(self)?.as_bytes())?;
        if self.manifest.format >= Manifest::HASHED {
            self.list_again(|name| name == PAGE)?;
        }
        Ok(path)
    }

    /// Makes files that were added to a folder of the results, such as drawn figures, part of the results.
    ///
    /// # Errors
    /// If they cannot be read or the manifest cannot be written.
    pub fn adopt(&self, below: &str) -> Result<(), ReportError> {
        let prefix = format!("{below}/");
        self.list_again(|name| name.starts_with(&prefix))
    }

    #[cfg(test)]
    pub(super) fn list_again_for_tests(&self) {
        self.list_again(|name| name == PAGE).expect("the folder can be written");
    }

    /// Hashes the chosen files again and writes the manifest.
    fn list_again(&self, is_chosen: impl Fn(&str) -> bool) -> Result<(), ReportError> {
        let failed = |error| ReportError::read(&self.folder, error);
        let mut manifest = self.manifest.clone();
        manifest.files.retain(|name, _| !is_chosen(name));
        for (name, path) in files_in(&self.folder).map_err(failed)? {
            if is_chosen(&name) {
                manifest.files.insert(name, hash_file(&path).map_err(failed)?);
            }
        }
        manifest.files.sort_unstable_keys();
        let path = self.folder.join(MANIFEST);
        let bytes = sealed_json(&manifest).map_err(|error| ReportError::write(&path)(error.into()))?;
        write_atomically(&path, &bytes)
    }

    /// Path of the page.
    pub fn report(&self) -> PathBuf {
        self.folder.join(PAGE)
    }
}

/// Checks the results in `folder` as [`Results::load`] does, without reading them; returns its remarks.
///
/// # Errors
/// As for [`Results::load`].
pub fn check(folder: &Path) -> Result<Vec<String>, ReportError> {
    checked(folder).map(|(_, remarks)| remarks)
}

/// The manifest in `folder`, after a check of all files, and what to remark about them.
fn checked(folder: &Path) -> Result<(Manifest, Vec<String>), ReportError> {
    let bytes = match file::read(&folder.join(MANIFEST), file::DATA) {
        Ok(bytes) if is_ours(folder) || has_json_seal(&bytes) => bytes,
        _ => return Err(ReportError::NotOurs(folder.to_owned())),
    };
    if !has_json_seal(&bytes) {
        let manifest = manifest_of(folder, &bytes)?;
        if manifest.format >= Manifest::HASHED {
            let fault = Fault { file: MANIFEST.to_owned(), fault: FaultKind::Changed };
            return Err(ReportError::Damaged { folder: folder.to_owned(), fault });
        }
        let remark =
            "was written by an earlier version of Jettison and has no hashes, so damage is not noticed";
        return Ok((manifest, vec![format!("{} {remark}", folder.display())]));
    }
    let found = verify_results(folder, &bytes)?;
    if let Some(fault) = found.damage() {
        return Err(ReportError::Damaged { folder: folder.to_owned(), fault: fault.clone() });
    }
    let mut remarks = Vec::new();
    if found.is_page_damaged() {
        let remark = "was changed after it was written; `jettison report` writes it again";
        remarks.push(format!("{} {remark}", folder.join(PAGE).display()));
    }
    Ok((manifest_of(folder, &bytes)?, remarks))
}

/// The manifest in `folder`, if there is one with an intact seal. The other files are not looked at.
pub fn stored_manifest(folder: &Path) -> Option<Manifest> {
    let bytes = file::read(&folder.join(MANIFEST), file::DATA).ok().filter(|bytes| is_json_intact(bytes))?;
    manifest_of(folder, &bytes).ok()
}

/// The durations and places in `folder`, if there are any with an intact seal.
pub fn stored_timing(folder: &Path) -> Option<Timing> {
    let bytes = file::read(&folder.join(TIMING), file::DATA).ok().filter(|bytes| is_json_intact(bytes))?;
    serde_json::from_slice(&bytes).ok()
}

/// The manifest in `folder`, of these bytes.
pub(super) fn manifest_of(folder: &Path, bytes: &[u8]) -> Result<Manifest, ReportError> {
    let path = folder.join(MANIFEST);
    let manifest: Manifest =
        serde_json::from_slice(bytes).map_err(|error| ReportError::read(&path, error))?;
    match manifest.format {
        1..=Manifest::FORMAT => Ok(manifest),
        other => {
            let reason = format!("layout version must be 1 to {}, got {other}", Manifest::FORMAT);
            Err(ReportError::read(&path, reason))
        }
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

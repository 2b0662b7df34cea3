//! Writes results run by run.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use jettison_measure::RunRecord;

use super::folder::{MANIFEST, Staging};
use super::folder_name::folder_name;
use super::gathered::Gathered;
use super::hashes::{TIMING, hash_folder};
use super::logs::{self, LOGS};
use super::reader::{Results, WARNINGS};
use super::runs::StoredCapture;
use super::schema::{self, TableSchema};
use super::seal::sealed_json;
use super::table::{OpenFile, TableWriter};
use super::tables::{Tables, write_differences, write_runs, write_summary};
use super::verify::PAGE;
use crate::difference::differences;
use crate::error::ReportError;
use crate::model::{Experiment, Failure, FileHash, LiveFacts, Mode, RunKey, Timing};
use crate::pcapng::PortCapture;
use crate::reproduction::ReproductionRow;
use crate::summary::{RunSummary, Summary};
use crate::warning::Warning;

/// Folder for out-of-order runs, inside the temporary folder.
const WAITING: &str = ".waiting";

/// The scenario as it was run, in the folder of its results.
pub const SCENARIO: &str = "scenario.toml";

/// Folder for packet captures.
const CAPTURES: &str = "pcap";

/// Options of a writer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WriterOptions {
    /// Whether to replace an output folder that is not ours.
    pub force: bool,
    /// Git commit that the program was built from, for the manifest.
    pub commit: Option<String>,
    /// Content keys of the runs, in the order of the experiment; empty for live runs.
    pub keys: Vec<String>,
    /// The text of a scenario with the same runs, all overrides applied; it becomes [`SCENARIO`].
    pub scenario: Option<String>,
}

/// Data known only after all runs.
#[derive(Debug, Clone, Default)]
pub struct Closing {
    /// Durations.
    pub timing: Timing,
    /// Comparison with a paper's figures, if any.
    pub reproduction: Vec<ReproductionRow>,
    /// Warnings that only the runs could tell; those that follow from the values are added.
    pub warnings: Vec<Warning>,
}

/// Writer that takes runs as they complete and creates the folder at the end.
///
/// Everything goes to a temporary folder beside the target, which is removed on errors and on drop. Rows are written
/// in the order of the experiment (variants, then seeds). A run that completes early is stored on disk, so memory
/// grows only with the runs' summary values.
pub struct Writer {
    gathered: Gathered,
    tables: Tables<TableWriter>,
    next: usize,
    open: OpenFile,
    // Of the captures that came from a store.
    hashes: BTreeMap<String, FileHash>,
    commit: Option<String>,
    scenario: Option<String>,
    staging: Staging,
}

impl Writer {
    /// Checks that results can be written to `target` and opens the temporary folder beside it. Call it before the
    /// first run.
    ///
    /// # Errors
    /// If `target` is a file or a non-empty folder that is not ours, or cannot be written.
    pub fn create(
        target: &Path,
        experiment: Experiment,
        options: WriterOptions,
    ) -> Result<Writer, ReportError> {
        Writer::create_with(target, experiment, options, OpenFile(|path| File::create(path)))
    }

    pub(super) fn create_with(
        target: &Path,
        experiment: Experiment,
        options: WriterOptions,
        open: OpenFile,
    ) -> Result<Writer, ReportError> {
        let staging = Staging::open(target, options.force)?;
        let tables = create_tables(staging.path(), staging.target(), open, experiment.mode)?;
        let commit = options.commit.clone();
        let gathered = Gathered::new(experiment, options.commit, options.keys);
        let scenario = options.scenario;
        Ok(Writer { gathered, tables, next: 0, open, hashes: BTreeMap::new(), commit, scenario, staging })
    }

    /// Replaces the experiment before the first run is added, for one with other seeds.
    pub fn restart(&mut self, experiment: Experiment, keys: Vec<String>, scenario: Option<String>) {
        debug_assert!(self.runs().next().is_none(), "runs of another experiment were added");
        self.gathered = Gathered::new(experiment, self.commit.clone(), keys);
        self.scenario = scenario;
    }

    /// The final folder.
    pub fn target(&self) -> &Path {
        self.staging.target()
    }

    /// Whether the results will replace a store in `folder`, which is inside their own folder.
    pub fn replaces(&self, folder: &Path) -> bool {
        self.staging.replaces(folder)
    }

    /// Adds the packet captures of a run from a store, as links (`link`) or copies.
    ///
    /// # Errors
    /// If a capture cannot be read or written.
    pub fn add_captures(
        &mut self,
        key: &RunKey,
        captures: &[StoredCapture],
        link: bool,
    ) -> Result<(), ReportError> {
        let shown = self.staging.target().join(CAPTURES);
        for StoredCapture { path, hash } in captures {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let folder = self.captures().of_run(key);
            fs::create_dir_all(&folder).map_err(ReportError::write(&shown))?;
            let place = folder.join(name.as_ref());
            if !link || fs::hard_link(path, &place).is_err() {
                fs::copy(path, &place).map_err(ReportError::write(&shown))?;
            }
            if let Ok(below) = place.strip_prefix(self.staging.path()) {
                self.hashes.insert(below.to_string_lossy().into_owned(), hash.clone());
            }
        }
        Ok(())
    }

    /// The writer of packet captures.
    pub fn captures(&self) -> Captures {
        Captures { folder: self.staging.path().join(CAPTURES), shown: self.staging.target().join(CAPTURES) }
    }

    /// A folder for the output of a run's programs. Its contents at the time of [`Writer::finish`] become part of the
    /// results: `logs/<variant>/<seed>/`.
    ///
    /// # Errors
    /// If the experiment has no such run, or the folder cannot be created.
    pub fn logs(&self, key: &RunKey) -> Result<PathBuf, ReportError> {
        self.gathered.known(key)?;
        let folder =
            self.staging.path().join(LOGS).join(folder_name(&key.variant)).join(key.seed.to_string());
        fs::create_dir_all(&folder).map_err(ReportError::write(&self.staging.target().join(LOGS)))?;
        Ok(folder)
    }

    /// Sets the conditions of a live run, replacing earlier ones.
    ///
    /// # Errors
    /// If the experiment has no such run.
    pub fn add_live(&mut self, key: &RunKey, facts: LiveFacts) -> Result<(), ReportError> {
        self.gathered.note_live(key, facts)
    }

    /// Adds a failure of a run, which may have measured something nevertheless. A run may have several failures.
    ///
    /// # Errors
    /// If the experiment has no such run.
    pub fn add_failure(&mut self, key: &RunKey, failure: Failure) -> Result<(), ReportError> {
        self.gathered.note_failure(key, failure)
    }

    /// Adds a completed run.
    ///
    /// # Errors
    /// If the run is unknown or was already added, or it cannot be written. After an error the writer is unusable.
    pub fn add_run(&mut self, key: &RunKey, record: &RunRecord) -> Result<(), ReportError> {
        let index = self.gathered.place_of(key)?;
        if index == self.next {
            self.tables.write(key, record)?;
        } else {
            let waiting = self.waiting(index);
            fs::create_dir_all(&waiting).map_err(ReportError::write(self.staging.target()))?;
            let mode = self.gathered.experiment.mode;
            let mut tables = create_tables(&waiting, self.staging.target(), self.open, mode)?;
            tables.write(key, record)?;
            finish_tables(tables)?;
        }
        self.gathered.take(index, key, record);
        if index == self.next {
            self.next += 1;
            while self.gathered.has(self.next) {
                self.append_waiting(self.next)?;
                self.next += 1;
            }
        }
        Ok(())
    }

    /// Summary values of the runs added so far, in the order of the experiment.
    pub fn runs(&self) -> impl Iterator<Item = &RunSummary> {
        self.gathered.runs()
    }

    /// Means and confidence intervals of the runs added so far.
    pub fn summary(&self) -> Summary {
        self.gathered.summary()
    }

    /// Whether all runs of the experiment were added.
    pub fn is_complete(&self) -> bool {
        self.gathered.is_complete()
    }

    /// Writes the remaining data and the page, and moves the folder to its target. Results with failures have the
    /// status failed; others with missing runs, interrupted.
    ///
    /// # Errors
    /// If something cannot be written; the target is unchanged then.
    pub fn finish(mut self, closing: Closing) -> Result<Results, ReportError> {
        let late: Vec<usize> =
            (self.next..self.gathered.places()).filter(|index| self.gathered.has(*index)).collect();
        for index in late {
            self.append_waiting(index)?;
        }
        let runs: Vec<RunSummary> = self.runs().cloned().collect();
        let summary = Summary::of(&runs);
        let differences = differences(&runs, &self.gathered.experiment.variants);
        let Writer { gathered, tables, staging, open, hashes, scenario, .. } = self;
        finish_tables(tables)?;
        let waiting = staging.path().join(WAITING);
        if waiting.exists() {
            fs::remove_dir_all(&waiting).map_err(ReportError::write(staging.target()))?;
        }

        logs::tidy(staging.path());

        let out = Out { folder: staging.path(), shown: staging.target(), open };
        let mode = gathered.experiment.mode;
        if let Some(text) = scenario {
            out.bytes(SCENARIO, text.as_bytes())?;
        }
        out.table(&schema::RUNS, |table| write_runs(table, &runs, mode))?;
        out.table(&schema::SUMMARY, |table| write_summary(table, &summary, mode))?;
        out.table(&schema::DIFFERENCES, |table| write_differences(table, &differences, mode))?;
        out.json_lines("summary.json", summary.records(&gathered.experiment.name, mode))?;
        if !closing.reproduction.is_empty() {
            out.json_lines("reproduction.json", closing.reproduction.iter())?;
        }
        drop((runs, summary, differences));
        // Create the page from the written files, so `jettison report` creates an identical one.
        let mut results = Results::read(staging.path(), gathered.into_manifest())?;
        results.warnings.splice(0..0, closing.warnings);
        results.tell();
        out.json_lines(WARNINGS, results.warnings.iter())?;
        out.bytes(PAGE, crate::html::render(&results)?.as_bytes())?;
        let files = hash_folder(staging.path(), &hashes).map_err(ReportError::write(staging.target()))?;
        results.manifest.files = files;
        out.sealed_json(TIMING, &closing.timing)?;
        out.sealed_json(MANIFEST, &results.manifest)?;
        results.folder = staging.commit()?;
        Ok(results)
    }

    fn waiting(&self, index: usize) -> PathBuf {
        self.staging.path().join(WAITING).join(index.to_string())
    }

    fn append_waiting(&mut self, index: usize) -> Result<(), ReportError> {
        let folder = self.waiting(index);
        for (schema, table) in self.tables.each_mut() {
            table.append(schema, &folder)?;
        }
        fs::remove_dir_all(&folder).map_err(ReportError::write(self.staging.target()))
    }
}

fn create_tables(
    folder: &Path,
    shown: &Path,
    open: OpenFile,
    mode: Mode,
) -> Result<Tables<TableWriter>, ReportError> {
    Tables::create(mode, |table| table).try_map(|table| TableWriter::create(table, folder, shown, open))
}

fn finish_tables(tables: Tables<TableWriter>) -> Result<(), ReportError> {
    tables.into_each().into_iter().try_for_each(|(_, table)| table.finish())
}

/// Creates packet captures of runs: `pcap/<variant>/<seed>/<port>.pcapng`. Cheap to clone and to send to other
/// threads.
#[derive(Debug, Clone)]
pub struct Captures {
    folder: PathBuf,
    shown: PathBuf,
}

impl Captures {
    /// Starts the capture of one port in one run, with at most `snap` bytes per frame. Finish it before the writer.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn create(&self, run: &RunKey, port: &str, snap: usize) -> Result<PortCapture, ReportError> {
        let folder = self.of_run(run);
        fs::create_dir_all(&folder).map_err(ReportError::write(&self.shown))?;
        capture_port(&folder, port, snap)
    }

    fn of_run(&self, run: &RunKey) -> PathBuf {
        self.folder.join(folder_name(&run.variant)).join(run.seed.to_string())
    }
}

/// Starts the capture of one port in `folder`, with at most `snap` bytes per frame.
///
/// # Errors
/// If the file cannot be written.
pub fn capture_port(folder: &Path, port: &str, snap: usize) -> Result<PortCapture, ReportError> {
    PortCapture::create(&folder.join(format!("{}.pcapng", folder_name(port))), port, snap)
}

/// Writer of the smaller files.
struct Out<'a> {
    folder: &'a Path,
    shown: &'a Path,
    open: OpenFile,
}

impl Out<'_> {
    fn bytes(&self, name: &str, bytes: &[u8]) -> Result<(), ReportError> {
        let shown = self.shown.join(name);
        let mut file = (self.open.0)(&self.folder.join(name)).map_err(ReportError::write(&shown))?;
        std::io::Write::write_all(&mut file, bytes).map_err(ReportError::write(&shown))
    }

    fn table(
        &self,
        table: &TableSchema,
        write: impl FnOnce(&mut TableWriter) -> Result<(), ReportError>,
    ) -> Result<(), ReportError> {
        let mut rows = TableWriter::create(table, self.folder, self.shown, self.open)?;
        write(&mut rows)?;
        rows.finish()
    }

    fn sealed_json(&self, name: &str, value: &impl serde::Serialize) -> Result<(), ReportError> {
        let bytes =
            sealed_json(value).map_err(|error| ReportError::write(&self.shown.join(name))(error.into()))?;
        self.bytes(name, &bytes)
    }

    /// A JSON array with one value per line.
    fn json_lines<T: serde::Serialize>(
        &self,
        name: &str,
        values: impl Iterator<Item = T>,
    ) -> Result<(), ReportError> {
        let mut text = String::from("[");
        for (i, value) in values.enumerate() {
            text.push_str(if i == 0 { "\n" } else { ",\n" });
            let line = serde_json::to_string(&value)
                .map_err(|error| ReportError::write(&self.shown.join(name))(error.into()))?;
            text.push_str(&line);
        }
        text.push_str("\n]\n");
        self.bytes(name, text.as_bytes())
    }
}

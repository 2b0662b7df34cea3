//! A store of finished runs, named by their contents' keys.
//!
//! | in the folder | |
//! | --- | --- |
//! | `store.json` | identifies the folder, with a token by which the workers of a sweep recognise it |
//! | `runs/<key>.parquet` | summary values of a finished run; its presence marks the run as finished |
//! | `records/<key>` | everything that the run measured |
//! | `captures/<key>/` | its packet captures |
//!
//! `run` and `reproduce` write all of it, a sweep only `runs/` (and, of its own, `full/`, `failed/`, `index.parquet` and
//! `sweep.json`). Files are written under temporary names and renamed, so any number of processes may use a store at
//! the same time, and none sees half a file. Damage is found by digests: such a run counts as missing.

mod partition;
mod record_file;
mod sign;
mod temporary;
#[cfg(test)]
mod tests;
mod verify;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jettison_measure::RunRecord;
use tempfile::TempDir;

use super::hashes::{files_in, hash_all, hash_folder};
use crate::error::ReportError;
use crate::model::{FileHash, Mode, RunKey};
use crate::summary::RunSummary;

pub use partition::{About, is_whole_partition, partition};
use record_file::Header;
pub(super) use sign::SIGN;
pub(super) use verify::verify;

const RUNS: &str = "runs";
const RECORDS: &str = "records";
const CAPTURES: &str = "captures";

/// A store of finished runs.
#[derive(Debug)]
pub struct RunStore {
    folder: PathBuf,
    token: String,
}

/// A finished run.
#[derive(Debug)]
pub struct StoredRun {
    /// Its measurements.
    pub record: RunRecord,
    /// Seconds from start to end, when it was run.
    pub wall_seconds: f64,
    /// CPU seconds, when it was run.
    pub cpu_seconds: f64,
    /// Its packet captures.
    pub captures: Vec<StoredCapture>,
}

/// A packet capture of a finished run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCapture {
    /// The file in the store.
    pub path: PathBuf,
    /// Its length and hash.
    pub hash: FileHash,
}

/// The outcome of a search for a run.
#[derive(Debug)]
pub enum Search {
    /// The run was finished earlier.
    Found(Box<StoredRun>),
    /// The store does not have it.
    Missing,
    /// The store has it, damaged.
    Damaged,
}

/// A temporary folder in a store for the captures of a run in progress; removed on drop.
#[derive(Debug)]
pub struct CaptureFolder(TempDir);

impl CaptureFolder {
    /// The folder's path.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl RunStore {
    /// Opens the store in `folder`, or creates one there. Removes temporary files of processes that have ended.
    ///
    /// # Errors
    /// If the folder holds something else, or cannot be written.
    pub fn create(folder: &Path) -> Result<RunStore, ReportError> {
        let folder = std::path::absolute(folder).map_err(ReportError::keep(folder))?;
        let token = sign::create(&folder)?;
        for name in [RUNS, RECORDS, CAPTURES, "failed", "full"] {
            temporary::tidy(&folder.join(name));
        }
        Ok(RunStore { folder, token })
    }

    /// Opens the store in `folder`.
    ///
    /// # Errors
    /// If there is none.
    pub fn open(folder: &Path) -> Result<RunStore, ReportError> {
        let folder = std::path::absolute(folder).map_err(ReportError::keep(folder))?;
        let token = sign::read(&folder)?;
        Ok(RunStore { folder, token })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The token that distinguishes this store from others.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Whether the measurements of a run seem to be there. Only [`RunStore::load`] reads them.
    pub fn has(&self, key: &str) -> bool {
        self.partition(key).is_file() && self.record(key).is_file()
    }

    /// Whether any run is finished.
    pub fn is_empty(&self) -> bool {
        let mut entries = fs::read_dir(self.folder.join(RUNS)).into_iter().flatten().flatten();
        !entries.any(|entry| !temporary::is_temporary(&entry.file_name()))
    }

    /// Path of a run's summary values.
    pub fn partition(&self, key: &str) -> PathBuf {
        self.folder.join(RUNS).join(format!("{key}.parquet"))
    }

    fn record(&self, key: &str) -> PathBuf {
        self.folder.join(RECORDS).join(key)
    }

    /// Reads a run, with every byte checked.
    pub fn load(&self, key: &str) -> Search {
        if !self.has(key) {
            return Search::Missing;
        }
        match self.read(key) {
            Some(run) => Search::Found(Box::new(run)),
            // It stays until the run is made again and replaces it.
            None => Search::Damaged,
        }
    }

    fn read(&self, key: &str) -> Option<StoredRun> {
        let (header, record) = record_file::read(&self.record(key), key)?;
        let captures = self.captures_of(key, &header);
        let paths: Vec<&PathBuf> = captures.iter().map(|capture| &capture.path).collect();
        let hashes = hash_all(&paths);
        let mut all = captures.iter().zip(hashes);
        if !all.all(|(capture, hash)| hash.is_ok_and(|hash| hash == capture.hash)) {
            return None;
        }
        let Header { wall_seconds, cpu_seconds, .. } = header;
        Some(StoredRun { record, wall_seconds, cpu_seconds, captures })
    }

    fn captures_of(&self, key: &str, header: &Header) -> Vec<StoredCapture> {
        let folder = self.folder.join(CAPTURES).join(key);
        let of = |(name, hash): (&String, &FileHash)| StoredCapture {
            path: folder.join(name),
            hash: hash.clone(),
        };
        header.captures.iter().map(of).collect()
    }

    /// A temporary folder for the captures of a run, to be handed to [`RunStore::save`].
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn capture_folder(&self, key: &str) -> Result<CaptureFolder, ReportError> {
        let parent = self.folder.join(CAPTURES);
        let folder = fs::create_dir_all(&parent).and_then(|()| temporary::folder(&parent, key));
        folder.map(CaptureFolder).map_err(ReportError::keep(&parent))
    }

    /// Writes a finished run; returns its captures. A run that another process has written in the meantime is
    /// replaced by this one, which is equal.
    ///
    /// # Errors
    /// If something cannot be written; the run is then not in the store.
    pub fn save(
        &self,
        about: &About<'_>,
        run: &RunKey,
        record: &RunRecord,
        [wall_seconds, cpu_seconds]: [f64; 2],
        captures: Option<CaptureFolder>,
    ) -> Result<Vec<StoredCapture>, ReportError> {
        let key = about.key;
        let captures =
            captures.map(|folder| self.keep_captures(key, folder)).transpose()?.unwrap_or_default();
        let header = Header { key: key.to_owned(), wall_seconds, cpu_seconds, captures };
        let path = self.record(key);
        write(&path, |out| record_file::write(out, &header, record))?;
        let summary = RunSummary::of(run, record);
        self.write_partition(key, &partition(about, &[summary], Mode::Simulated)?)?;
        Ok(self.captures_of(key, &header))
    }

    /// Writes the summary values of a run: bytes of [`partition`].
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_partition(&self, key: &str, bytes: &[u8]) -> Result<(), ReportError> {
        write(&self.partition(key), |out| out.write_all(bytes))
    }

    fn keep_captures(
        &self,
        key: &str,
        folder: CaptureFolder,
    ) -> Result<indexmap::IndexMap<String, FileHash>, ReportError> {
        let place = self.folder.join(CAPTURES).join(key);
        let failed = || ReportError::keep(&place);
        let files = files_in(folder.path()).map_err(failed())?;
        let paths: Vec<&PathBuf> = files.iter().map(|(_, path)| path).collect();
        let hashes: io::Result<Vec<FileHash>> = hash_all(&paths).into_iter().collect();
        let hashes = hashes.map_err(failed())?;
        let files: indexmap::IndexMap<String, FileHash> =
            files.into_iter().map(|(name, _)| name).zip(hashes).collect();
        // Another process may be reading its own, which are equal. Damaged ones go.
        if place.exists() && !hash_folder(&place, &Default::default()).is_ok_and(|there| there == files) {
            let _ = fs::remove_dir_all(&place);
        }
        match fs::rename(folder.path(), &place) {
            Ok(()) => {
                let _ = folder.0.keep(); // it was moved
            }
            Err(_) if place.is_dir() => {}
            Err(error) => return Err(failed()(error)),
        }
        Ok(files)
    }

    /// Removes the whole folder.
    pub fn remove(self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Writes a file under a temporary name and renames it.
fn write(path: &Path, with: impl FnOnce(&mut dyn io::Write) -> io::Result<()>) -> Result<(), ReportError> {
    let failed = || ReportError::keep(path);
    let parent = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent).map_err(failed())?;
    let mut file = temporary::file(path).map_err(failed())?;
    let mut out = io::BufWriter::with_capacity(1 << 16, file.as_file_mut());
    with(&mut out).and_then(|()| io::Write::flush(&mut out)).map_err(failed())?;
    drop(out);
    file.persist(path).map_err(|error| failed()(error.error))?;
    Ok(())
}

//! Errors of results, each with a remedy.

use std::io;
use std::path::{Path, PathBuf};

use crate::model::RunKey;
use crate::store::{Fault, FaultKind};

/// An error in writing or reading results.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The output folder is not empty and holds no results of ours.
    #[error(
        "{} is not empty and holds no Jettison results; choose another folder with --out, or replace it with --force",
        .0.display()
    )]
    Occupied(PathBuf),
    /// The output path is a file.
    #[error("{} is a file, not a folder; choose another with --out", .0.display())]
    NotAFolder(PathBuf),
    /// The output folder contains the current directory.
    #[error("{} contains the current directory and is never replaced, even with --force", .0.display())]
    HoldsWorkingFolder(PathBuf),
    /// A file or folder cannot be written. No partial results remain.
    #[error("cannot write {}: {source}{}", path.display(), remedy(source))]
    Write {
        /// Path of the file or folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// Another process is writing results to the same folder.
    #[error(
        "another run is writing its results to {} (in {}); wait for it, or choose another folder with --out",
        target.display(), folder.display()
    )]
    Busy {
        /// The output folder.
        target: PathBuf,
        /// Its temporary folder.
        folder: PathBuf,
    },
    /// A temporary folder in use by a live process.
    #[error("{} is in use by another process", .0.display())]
    InUse(PathBuf),
    /// The folder holds no results of ours.
    #[error("{} {}; name a folder written by `jettison run`, `live` or `reproduce`", .0.display(), what_is_wrong(.0))]
    NotOurs(PathBuf),
    /// A file of the results is missing, truncated or malformed.
    #[error("cannot read {}: {reason}; run the experiment again", path.display())]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// The cause.
        reason: String,
    },
    /// A long series cannot be read back from its temporary file.
    #[error(
        "cannot read a series back from its temporary file: {0}; check the disk that TMPDIR is on, and run again"
    )]
    Series(io::Error),
    /// A file of the results is not as it was written.
    #[error(
        "{} {}; run the experiment again (`jettison verify {}` lists all damage)",
        folder.join(&fault.file).display(),
        if fault.fault == FaultKind::Missing { "is missing" } else { "was changed after it was written" },
        folder.display()
    )]
    Damaged {
        /// The folder of results.
        folder: PathBuf,
        /// The damage.
        fault: Fault,
    },
    /// Results of a version that wrote no hashes.
    #[error("{} has no hashes to verify: it was written by an earlier version of Jettison", .0.display())]
    NoHashes(PathBuf),
    /// A folder for a store of runs that holds something else, or whose sign cannot be read.
    #[error("{} is no store of runs: {reason}; choose another folder", folder.display())]
    NotAStore {
        /// The folder.
        folder: PathBuf,
        /// The cause.
        reason: String,
    },
    /// A finished run cannot be kept. Those that were kept before stay.
    #[error("cannot write {}: {source}{}", path.display(), store_remedy(source))]
    Keep {
        /// Path of the file or folder in the store.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A run that the experiment does not have, or a repeated one.
    #[error("run {} is unknown, repeated or out of order", .0)]
    UnexpectedRun(RunKey),
    /// A note on a run that the experiment does not have.
    #[error("run {} is not in this experiment", .0)]
    UnknownRun(RunKey),
    /// A table cannot be built in memory.
    #[error("cannot build a table: {0}")]
    Table(String),
    /// A template of the page cannot be filled.
    #[error("cannot write the page: {0}")]
    Template(String),
}

impl ReportError {
    pub(crate) fn write(path: &Path) -> impl FnOnce(io::Error) -> ReportError {
        move |source| ReportError::Write { path: path.to_owned(), source }
    }

    pub(crate) fn keep(path: &Path) -> impl FnOnce(io::Error) -> ReportError {
        move |source| ReportError::Keep { path: path.to_owned(), source }
    }

    pub(crate) fn read(path: &Path, reason: impl ToString) -> ReportError {
        ReportError::Read { path: path.to_owned(), reason: reason.to_string() }
    }
}

fn store_remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            "; free some space or choose another folder with --store"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "; choose another folder with --store"
        }
        _ => "",
    }
}

fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            "; free some space or choose another folder with --out"
        }
        // Some file systems have no such folder and cannot create one (/proc).
        io::ErrorKind::PermissionDenied
        | io::ErrorKind::ReadOnlyFilesystem
        | io::ErrorKind::NotFound
        | io::ErrorKind::InvalidFilename => "; choose another folder with --out",
        _ => "",
    }
}

/// What a path is that holds no results.
fn what_is_wrong(path: &std::path::Path) -> &'static str {
    if path.exists() { "holds no Jettison results (no manifest.json of ours)" } else { "does not exist" }
}

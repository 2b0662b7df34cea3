//! What can go wrong with results, each with its remedy.

use std::io;
use std::path::{Path, PathBuf};

use crate::model::RunKey;

/// A failure to write or to read results.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The output folder holds something that is not ours.
    #[error(
        "{} is not empty and holds no Jettison results: choose another folder with --out, or replace it with --force",
        .0.display()
    )]
    Occupied(PathBuf),
    /// The output path is a file.
    #[error("{} is a file, not a folder: choose another with --out", .0.display())]
    NotAFolder(PathBuf),
    /// The folder to be replaced holds the current directory.
    #[error("{} holds the folder this command runs in and is not replaced, not even with --force", .0.display())]
    HoldsWorkingFolder(PathBuf),
    /// A file or folder could not be written. Nothing of the results is left behind.
    #[error("cannot write {}: {source}{}", path.display(), remedy(source))]
    Write {
        /// Where it was to be.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// Another process writes the same results.
    #[error(
        "another run is writing its results to {} (in {}): wait for it, or choose another folder with --out",
        target.display(), folder.display()
    )]
    Busy {
        /// Where they are to go.
        target: PathBuf,
        /// Where they are in the making.
        folder: PathBuf,
    },
    /// A temporary folder in which a living process works.
    #[error("{} is in use by another process", .0.display())]
    InUse(PathBuf),
    /// The folder holds no results.
    #[error("{} holds no Jettison results (no manifest.json of ours): name a folder that `jettison run`, `live` or `reproduce` wrote", .0.display())]
    NotOurs(PathBuf),
    /// A file of the results is missing, cut short or not what it should be.
    #[error("cannot read {}: {reason}; run the experiment again", path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A run was handed over that the experiment does not have, or twice.
    #[error("run {} is not one that is still missing in this experiment", .0)]
    UnexpectedRun(RunKey),
    /// Something was to be noted of a run that the experiment does not have.
    #[error("run {} is not one of this experiment", .0)]
    UnknownRun(RunKey),
    /// A table could not be made in memory.
    #[error("cannot make a table: {0}")]
    Table(String),
    /// A plot could not be drawn.
    #[error("cannot draw a plot: {0}")]
    Plot(String),
}

impl ReportError {
    pub(crate) fn write(path: &Path) -> impl FnOnce(io::Error) -> ReportError {
        move |source| ReportError::Write { path: path.to_owned(), source }
    }

    pub(crate) fn read(path: &Path, reason: impl ToString) -> ReportError {
        ReportError::Read { path: path.to_owned(), reason: reason.to_string() }
    }
}

fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            "; free some space or choose another place with --out"
        }
        // Some file systems have no such folder, and no way to make it (/proc).
        io::ErrorKind::PermissionDenied
        | io::ErrorKind::ReadOnlyFilesystem
        | io::ErrorKind::NotFound
        | io::ErrorKind::InvalidFilename => "; choose another place with --out",
        _ => "",
    }
}

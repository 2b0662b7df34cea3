//! Verification of stored results: every file against its hash.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::folder::{MANIFEST, is_ours};
use super::hashes::{SEALED, TIMING, files_in, hash_all};
use super::reader::manifest_of;
use super::runs;
use super::seal;
use crate::error::ReportError;
use crate::model::Manifest;

/// Name of the page.
pub(super) const PAGE: &str = "report.html";

/// The outcome of a verification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    /// The folder.
    pub folder: PathBuf,
    /// Number of files that were checked.
    pub files: usize,
    /// The faults, sorted by path.
    pub faults: Vec<Fault>,
}

/// A file that is not as it was written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Fault {
    /// The file, relative to the folder.
    pub file: String,
    /// What is wrong with it.
    pub fault: FaultKind,
}

/// What is wrong with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// Its bytes are not those that were written.
    Changed,
    /// It is not there, or cannot be read.
    Missing,
    /// It is there, and the manifest does not list it.
    Unlisted,
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FaultKind::Changed => "changed",
            FaultKind::Missing => "missing",
            FaultKind::Unlisted => "unlisted",
        })
    }
}

/// Verifies a folder of results, or a store of runs.
///
/// # Errors
/// If the folder is neither, or its results carry no hashes.
pub fn verify(folder: &Path) -> Result<Verification, ReportError> {
    if folder.join(runs::SIGN).is_file() {
        return runs::verify(folder);
    }
    let bytes = match fs::read(folder.join(MANIFEST)) {
        Ok(bytes) if is_ours(folder) || seal::has_json_seal(&bytes) => bytes,
        _ => return Err(ReportError::NotOurs(folder.to_owned())),
    };
    if !seal::has_json_seal(&bytes) && manifest_of(folder, &bytes).is_ok_and(|m| m.format < Manifest::HASHED)
    {
        return Err(ReportError::NoHashes(folder.to_owned()));
    }
    verify_results(folder, &bytes)
}

/// Verifies results whose manifest has these bytes.
pub(super) fn verify_results(folder: &Path, manifest: &[u8]) -> Result<Verification, ReportError> {
    let failed = |error: io::Error| ReportError::read(folder, error);
    let mut faults = Vec::new();
    let mut fault = |file: &str, fault| faults.push(Fault { file: file.to_owned(), fault });
    if !seal::is_json_intact(manifest) {
        fault(MANIFEST, FaultKind::Changed);
    }
    match fs::read(folder.join(TIMING)) {
        Ok(bytes) if seal::is_json_intact(&bytes) => {}
        Ok(_) => fault(TIMING, FaultKind::Changed),
        Err(_) => fault(TIMING, FaultKind::Missing),
    }
    // A damaged manifest may still tell which other files are damaged.
    let listed = manifest_of(folder, manifest).map(|manifest| manifest.files).ok();
    let found = files_in(folder).map_err(failed)?;
    let others: Vec<_> = found.iter().filter(|(name, _)| !SEALED.contains(&name.as_str())).collect();
    if let Some(listed) = &listed {
        let there: BTreeSet<&str> = others.iter().map(|(name, _)| name.as_str()).collect();
        listed
            .keys()
            .filter(|name| !there.contains(name.as_str()))
            .for_each(|n| fault(n, FaultKind::Missing));
        let (expected, paths): (Vec<_>, Vec<_>) =
            others.iter().filter_map(|(name, path)| Some(((name, listed.get(name)?), path))).unzip();
        for ((name, expected), hash) in expected.into_iter().zip(hash_all(&paths)) {
            match hash {
                Ok(hash) if hash == *expected => {}
                Ok(_) => fault(name, FaultKind::Changed),
                Err(_) => fault(name, FaultKind::Missing),
            }
        }
        there.iter().filter(|name| !listed.contains_key(**name)).for_each(|n| fault(n, FaultKind::Unlisted));
    }
    faults.sort();
    Ok(Verification { folder: folder.to_owned(), files: found.len(), faults })
}

impl Verification {
    /// Whether every file is as it was written, and there are no others.
    pub fn is_intact(&self) -> bool {
        self.faults.is_empty()
    }

    /// The first file that the results are read from and that is not as it was written: the manifest before the others, since
    /// it lists them. The page is made of the others, and files that are not listed are not ours.
    pub fn damage(&self) -> Option<&Fault> {
        let read = |fault: &&Fault| fault.fault != FaultKind::Unlisted && fault.file != PAGE;
        self.faults.iter().filter(read).min_by_key(|fault| fault.file != MANIFEST)
    }

    /// Whether the page is not as it was written.
    pub fn is_page_damaged(&self) -> bool {
        self.faults.iter().any(|fault| fault.fault != FaultKind::Unlisted && fault.file == PAGE)
    }
}

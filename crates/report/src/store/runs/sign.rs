//! `store.json`: the file that identifies a store.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{CAPTURES, RECORDS, RUNS, temporary};
use crate::error::ReportError;

/// Name of the file.
pub(in crate::store) const SIGN: &str = "store.json";
/// Its format, from the time when only sweeps had a store.
const FORMAT: &str = "jettison-sweep";
/// What a store may hold whose sign is missing because a process was killed while it created or removed the store.
const OURS: [&str; 5] = [RUNS, RECORDS, CAPTURES, "failed", SIGN];

#[derive(Serialize, Deserialize)]
struct Sign {
    format: String,
    token: String,
}

/// Creates the store unless it is there; returns its token.
pub(super) fn create(folder: &Path) -> Result<String, ReportError> {
    let sign = folder.join(SIGN);
    if !sign.is_file() {
        if folder.exists() && !is_ours(folder) {
            let reason = "it holds something other than runs".to_owned();
            return Err(ReportError::NotAStore { folder: folder.to_owned(), reason });
        }
        for name in [RUNS, "failed"] {
            fs::create_dir_all(folder.join(name)).map_err(ReportError::keep(folder))?;
        }
        write(&sign).map_err(ReportError::keep(&sign))?;
    }
    read(folder)
}

/// Reads a store's token.
pub(super) fn read(folder: &Path) -> Result<String, ReportError> {
    let wrong = |reason: String| ReportError::NotAStore { folder: folder.to_owned(), reason };
    let bytes = match fs::read(folder.join(SIGN)) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(wrong(format!("it has no {SIGN}")));
        }
        Err(error) => return Err(wrong(format!("cannot read {SIGN}: {error}"))),
    };
    match serde_json::from_slice::<Sign>(&bytes) {
        Ok(sign) if sign.format == FORMAT => Ok(sign.token),
        Ok(sign) => Err(wrong(format!("the format in {SIGN} must be {FORMAT}, got {}", sign.format))),
        Err(error) => Err(wrong(format!("cannot read {SIGN}: {error}"))),
    }
}

/// Writes the sign unless another process has written one.
fn write(path: &Path) -> io::Result<()> {
    let mut file = temporary::file(path)?;
    let sign = Sign { format: FORMAT.to_owned(), token: temporary::token() };
    file.write_all(&serde_json::to_vec(&sign)?)?;
    match file.persist_noclobber(path) {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error.error),
    }
}

fn is_ours(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return false };
    entries.flatten().all(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        OURS.contains(&name.as_ref()) || name.starts_with(".store.json.")
    })
}

//! Verification of a store: each run against its digests, and the results that a sweep has kept.

use std::fs;
use std::path::Path;

use super::{CAPTURES, RECORDS, RUNS, RunStore, is_whole_partition, record_file, temporary};
use crate::error::ReportError;
use crate::store::folder::MANIFEST;
use crate::store::hashes::{files_in, hash_all};
use crate::store::verify::{Fault, FaultKind, Verification, verify_results};

/// Verifies the store in `folder`. Temporary files are left out.
pub(in crate::store) fn verify(folder: &Path) -> Result<Verification, ReportError> {
    let store = RunStore::open(folder)?;
    let mut found = Verification { folder: folder.to_owned(), files: 1, faults: Vec::new() };
    for name in names(&folder.join(RUNS)) {
        found.check(format!("{RUNS}/{name}"), |path| {
            fs::read(path).is_ok_and(|bytes| is_whole_partition(&bytes))
        });
    }
    for key in names(&folder.join(RECORDS)) {
        found.files += 1;
        let Some(header) = record_file::read_header(&store.record(&key), &key) else {
            found.fault(format!("{RECORDS}/{key}"), FaultKind::Changed);
            continue;
        };
        let captures = store.captures_of(&key, &header);
        let paths: Vec<_> = captures.iter().map(|capture| &capture.path).collect();
        for ((name, expected), hash) in header.captures.iter().zip(hash_all(&paths)) {
            found.files += 1;
            let name = format!("{CAPTURES}/{key}/{name}");
            match hash {
                Ok(hash) if hash == *expected => {}
                Ok(_) => found.fault(name, FaultKind::Changed),
                Err(_) => found.fault(name, FaultKind::Missing),
            }
        }
    }
    for key in names(&folder.join("full")) {
        let results = folder.join("full").join(&key);
        match fs::read(results.join(MANIFEST)) {
            Ok(manifest) => {
                let inner = verify_results(&results, &manifest)?;
                found.files += inner.files;
                for Fault { file, fault } in inner.faults {
                    found.fault(format!("full/{key}/{file}"), fault);
                }
            }
            Err(_) => found.fault(format!("full/{key}/{MANIFEST}"), FaultKind::Missing),
        }
    }
    for name in ["sweep.json", "index.parquet"] {
        found.files += usize::from(folder.join(name).is_file());
    }
    found.files += files_in(&folder.join("failed")).map_or(0, |files| files.len());
    found.faults.sort();
    Ok(found)
}

impl Verification {
    fn check(&mut self, file: String, is_intact: impl FnOnce(&Path) -> bool) {
        self.files += 1;
        if !is_intact(&self.folder.join(&file)) {
            self.fault(file, FaultKind::Changed);
        }
    }

    fn fault(&mut self, file: String, fault: FaultKind) {
        self.faults.push(Fault { file, fault });
    }
}

/// Names in a folder, except temporary ones; none without the folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name()).filter(|name| !temporary::is_temporary(name));
    names.map(|name| name.to_string_lossy().into_owned()).collect()
}

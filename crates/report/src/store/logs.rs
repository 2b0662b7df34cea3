//! Output of the programs of live runs: files below `logs/`.

use std::fs;
use std::path::Path;

/// Name of the folder.
pub(super) const LOGS: &str = "logs";

/// Removes empty folders, left by programs without output.
pub(super) fn tidy(results: &Path) {
    fn remove_empty(folder: &Path) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                remove_empty(&entry.path());
            }
        }
        let _ = fs::remove_dir(folder); // only if it is empty
    }
    remove_empty(&results.join(LOGS));
}

/// The logs in a folder of results: sorted relative paths with `/`, and sizes in bytes. Empty without a folder of
/// logs.
pub(crate) fn stored_logs(results: &Path) -> Vec<(String, u64)> {
    let mut found = Vec::new();
    let mut open = vec![LOGS.to_owned()];
    while let Some(below) = open.pop() {
        for entry in fs::read_dir(results.join(&below)).into_iter().flatten().flatten() {
            let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) else { continue };
            let path = format!("{below}/{name}");
            if kind.is_dir() {
                open.push(path);
            } else if kind.is_file() {
                found.push((path, entry.metadata().map_or(0, |metadata| metadata.len())));
            }
        }
    }
    found.sort();
    found
}

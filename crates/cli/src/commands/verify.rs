//! `jettison verify`.

use std::path::Path;
use std::process::ExitCode;

use jettison_report::{Fault, Verification};
use serde::Serialize;

use crate::output::{Failure, print, print_record};

/// A record of `--json`.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
enum Record<'a> {
    /// A file that is not as it was written.
    Fault(&'a Fault),
    /// The outcome, after the faults.
    Verification { folder: String, files: usize, faults: usize },
}

/// Checks the files of a folder; exit status 1 if one is not as it was written.
pub fn verify(dir: &Path, json: bool) -> Result<ExitCode, Failure> {
    let found = jettison_report::verify(dir).map_err(Failure::of)?;
    let Verification { folder, files, faults } = &found;
    if json {
        faults.iter().try_for_each(|fault| print_record(&Record::Fault(fault)))?;
        let folder = folder.display().to_string();
        print_record(&Record::Verification { folder, files: *files, faults: faults.len() })?;
    } else if faults.is_empty() {
        print(format_args!("OK: {files} files in {} are as they were written\n", folder.display()))?;
    } else {
        for Fault { file, fault } in faults {
            print(format_args!("{:<9} {file}\n", fault.to_string()))?;
        }
        let (count, are) = (faults.len(), if faults.len() == 1 { "file is" } else { "files are" });
        print(format_args!(
            "{count} {are} not as written in {} ({files} files checked)\n",
            folder.display()
        ))?;
    }
    Ok(if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

//! Runs cases in virtual machines, several at a time.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use jettison_core::Duration;
use thiserror::Error;

use crate::case::Case;
use crate::figures::{Figures, Run};
use crate::folder;
use crate::job::Measured;
use crate::order::order;

/// Real time that one case may take, in seconds.
const LIMIT: &str = "1800";

/// A measurement that failed.
#[derive(Debug, Error)]
pub enum MachineError {
    /// A program could not be started, or a file not be written.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: String,
        /// The reason.
        source: io::Error,
    },
    /// The guest's program cannot be built.
    #[error("cannot build the guest's program (see above)")]
    Build,
    /// The guest failed.
    #[error("{case}: the virtual machine failed:\n{output}")]
    Guest {
        /// The case.
        case: String,
        /// What it printed.
        output: String,
    },
}

fn io_error(what: impl Into<String>) -> impl FnOnce(io::Error) -> MachineError {
    let what = what.into();
    move |source| MachineError::Io { what, source }
}

/// Builds the guest's program, and returns its path.
pub fn build_guest() -> Result<PathBuf, MachineError> {
    let manifest = folder().join("guest/Cargo.toml");
    let target = folder().join("../target/oracle-guest");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--release", "--locked", "--quiet", "--manifest-path"]).arg(manifest);
    cargo.arg("--target-dir").arg(&target);
    let status = cargo.status().map_err(io_error("cannot run cargo"))?;
    if !status.success() {
        return Err(MachineError::Build);
    }
    Ok(target.join("release/jettison-oracle-guest"))
}

/// Measures cases in a kernel, `jobs` at a time; `done` gets the result of each as it ends, in any order.
pub fn measure(
    kernel: &str,
    cases: &[&Case],
    offsets: &[Duration],
    jobs: usize,
    done: impl Fn(&Case, Result<Figures, MachineError>) + Sync,
) -> Result<(), MachineError> {
    let guest = build_guest()?;
    let guest = guest.canonicalize().map_err(io_error(guest.display().to_string()))?;
    let waiting = Mutex::new(cases.iter());
    let next = || waiting.lock().ok().and_then(|mut all| all.next().copied());
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some(case) = next() {
                    // A guest's boot fails now and then.
                    let attempt = || run(kernel, case, offsets, &guest);
                    done(case, attempt().or_else(|_| attempt()));
                }
            });
        }
    });
    Ok(())
}

fn run(kernel: &str, case: &Case, offsets: &[Duration], guest: &Path) -> Result<Figures, MachineError> {
    let scratch = tempfile::tempdir().map_err(io_error("cannot create a temporary folder"))?;
    let file = scratch.path().join("job.json");
    let text = serde_json::to_string(&order(case, offsets))
        .map_err(io::Error::from)
        .map_err(io_error("job.json"))?;
    fs::write(&file, text).map_err(io_error(file.display().to_string()))?;
    let script = scratch.path().join("script");
    let commands = format!("{} {}\n", guest.display(), file.display());
    fs::write(&script, commands).map_err(io_error(script.display().to_string()))?;
    let mut machine = Command::new(folder().join("vm/linux-vm"));
    machine.args(["-k", kernel, "-t", LIMIT]).arg(script).arg(guest).arg(file);
    let done = machine.output().map_err(io_error("cannot run linux-vm"))?;
    let output = String::from_utf8_lossy(&done.stdout).into_owned();
    let runs: Vec<Measured> = output
        .lines()
        .filter_map(|line| line.strip_prefix("MEASURED "))
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    let named = output.lines().find_map(|line| line.strip_prefix("linux-vm: "));
    match named {
        Some(name) if runs.len() == offsets.len() && done.status.success() => {
            let run = |measured| Run { case: case.name.clone(), settings: case.settings(), measured };
            Ok(Figures { kernel: name.trim().to_owned(), runs: runs.into_iter().map(run).collect() })
        }
        _ => {
            let output = format!("{output}{}", String::from_utf8_lossy(&done.stderr));
            Err(MachineError::Guest { case: case.name.clone(), output })
        }
    }
}

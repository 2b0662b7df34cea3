//! `jettison sweep`: delegates to the Python package, which runs sweeps locally or on a cluster.

use std::ffi::OsString;
use std::process::{Command, ExitCode, Stdio};

use super::python::{VARIABLE, interpreter};
use crate::options::SweepArguments;
use crate::output::Failure;

/// Python code that succeeds if the package is installed, without the slow import.
const PROBE: &str = "import importlib.util as u, sys; sys.exit(u.find_spec('jettison') is None)";

/// Runs the sweep as a process of the Python package; returns its exit status.
pub fn sweep(arguments: &SweepArguments) -> Result<ExitCode, Failure> {
    let python = interpreter();
    let name = python.display();
    let probe = Command::new(&python)
        .args(["-c", PROBE])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    match probe {
        Ok(status) if status.success() => {}
        Ok(_) => return Err(missing(&format!("`{name}` does not have the package `jettison`"))),
        Err(error) => return Err(missing(&format!("`{name}` cannot run: {error}"))),
    }
    let mut command = Command::new(&python);
    command.args(["-m", "jettison.sweeps"]).args(words(arguments));
    hand_over(command).map_err(|error| missing(&format!("`{name}` cannot run: {error}")))
}

fn missing(problem: &str) -> Failure {
    Failure::of(format!(
        "sweeps require the Python package: {problem}\n  = help: install it (`pip install .` in Jettison's folder, or \
         `pip install '.[dask]'` for clusters), or name the interpreter that has it in {VARIABLE}"
    ))
}

/// Arguments for the package's command line.
fn words(arguments: &SweepArguments) -> Vec<OsString> {
    let SweepArguments {
        file,
        axes,
        sample,
        seeds,
        scheduler,
        jobs,
        out,
        keep,
        batch,
        json,
        quick,
        set,
        data,
    } = arguments;
    let mut words: Vec<OsString> = vec!["--command-version".into(), env!("CARGO_PKG_VERSION").into()];
    let mut add = |flag: &str, value: OsString| words.push(joined(flag, value));
    axes.iter().for_each(|axis| add("--axis", axis.into()));
    set.iter().for_each(|option| add("--set", option.into()));
    add("--sample", sample.into());
    add("--keep", keep.name().into());
    let texts = [("--seeds", seeds.clone()), ("--scheduler", scheduler.clone())];
    let numbers = [("--jobs", jobs.map(|n| n.to_string())), ("--batch", batch.map(|n| n.to_string()))];
    for (flag, value) in texts.into_iter().chain(numbers) {
        value.into_iter().for_each(|value| add(flag, value.into()));
    }
    out.iter().for_each(|folder| add("--out", folder.into()));
    data.folder.iter().for_each(|folder| add("--data", folder.into()));
    words.extend([("--json", json), ("--quick", quick)].iter().filter(|(_, on)| **on).map(|(f, _)| f.into()));
    words.push("--".into());
    words.push(file.into());
    words
}

/// Joins them as `--flag=value`, because a value may begin with a dash.
fn joined(flag: &str, value: OsString) -> OsString {
    let mut word = OsString::from(flag);
    word.push("=");
    word.push(value);
    word
}

/// Replaces this process, so Ctrl-C and the exit status belong to the other program.
#[cfg(unix)]
fn hand_over(mut command: Command) -> std::io::Result<ExitCode> {
    use std::os::unix::process::CommandExt;
    Err(command.exec())
}

#[cfg(not(unix))]
fn hand_over(mut command: Command) -> std::io::Result<ExitCode> {
    let status = command.status()?;
    Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)))
}

//! `estimates`: what `jettison check` estimates of scenarios against what their runs need.
//!
//! Each scenario runs with one seed, one job and without a warm-up, so that every packet is counted. CPU time and memory are those of
//! the whole process, by the kernel's account of the child.

#![allow(unsafe_code, reason = "resource usage of one child")]

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use serde_json::Value;

use crate::output::{Failure, print};

/// Required ratio of an estimate to the measured value, and its inverse.
const REQUIRED: f64 = 2.0;

/// Quantities of all runs of a scenario.
#[derive(Debug, Clone, Copy, Default)]
struct Needs {
    packets: f64,
    cpu_seconds: f64,
    memory: f64,
    disk: f64,
}

/// Prints a table of ratios, estimated over measured; exit status 1 if one is beyond a factor of two.
pub fn estimates(program: &Path, files: &[PathBuf], set: &[String]) -> Result<ExitCode, Failure> {
    let files = if files.is_empty() { shipped()? } else { files.to_vec() };
    print("| scenario | packets | estimated | CPU | estimated | memory | estimated | disk | estimated |")?;
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")?;
    let mut missed = 0;
    for file in &files {
        let estimated = estimated(program, file, set)?;
        let measured = measured(program, file, set)?;
        let of =
            |needs: Needs| [needs.packets / 1e3, needs.cpu_seconds, needs.memory / 1e6, needs.disk / 1e6];
        let units = ["k", "s", "MB", "MB"];
        let cells: Vec<String> = of(measured)
            .iter()
            .zip(of(estimated))
            .zip(units)
            .map(|((measured, estimated), unit)| {
                let ratio = estimated / measured;
                let is_near = (1.0 / REQUIRED..=REQUIRED).contains(&ratio);
                missed += usize::from(!is_near);
                format!("{measured:.2} {unit} | {ratio:.2}{}", if is_near { "" } else { " !" })
            })
            .collect();
        let name = file.strip_prefix("scenarios").unwrap_or(file).with_extension("");
        print(&format!("| `{}` | {} |", name.display(), cells.join(" | ")))?;
    }
    print(&format!("{missed} ratios are beyond a factor of {REQUIRED}"))?;
    Ok(ExitCode::from(u8::from(missed > 0)))
}

/// The project's simulated scenarios.
fn shipped() -> Result<Vec<PathBuf>, Failure> {
    let list = |folder: &Path| -> Result<Vec<PathBuf>, Failure> {
        let wrong = |error| Failure::Message(format!("{}: {error}", folder.display()));
        let entries = std::fs::read_dir(folder).map_err(wrong)?;
        let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        Ok(paths)
    };
    let mut files = Vec::new();
    for folder in
        list(Path::new("scenarios"))?.iter().filter(|folder| folder.is_dir() && !folder.ends_with("live"))
    {
        files.extend(list(folder)?.into_iter().filter(|path| {
            let name = path.to_string_lossy();
            name.ends_with(".toml") && !name.ends_with(".paper.toml") && !name.ends_with(".value.toml")
        }));
    }
    Ok(files)
}

fn arguments(command: &mut Command, file: &Path, set: &[String]) {
    command.arg(file).args(["--quick", "--set", "warm_up=0 s", "--set", "seeds=1"]);
    for set in set {
        command.args(["--set", set]);
    }
}

fn estimated(program: &Path, file: &Path, set: &[String]) -> Result<Needs, Failure> {
    let mut command = Command::new(program);
    command.arg("check");
    arguments(&mut command, file, set);
    let output = command.arg("--json").output().map_err(|error| failed(program, &error.to_string()))?;
    if !output.status.success() {
        return Err(failed(file, String::from_utf8_lossy(&output.stderr).trim()));
    }
    let record: Value =
        serde_json::from_slice(&output.stdout).map_err(|error| failed(file, &error.to_string()))?;
    let value = |key: &str| record["estimate"][key].as_f64().unwrap_or(f64::NAN);
    // `check` takes as many jobs as there are cores, the run one.
    let variants = record["estimate"]["variants"].as_array().map(Vec::as_slice).unwrap_or_default();
    let largest = variants.iter().filter_map(|variant| variant["memory"].as_f64()).fold(0.0, f64::max);
    let cores = std::thread::available_parallelism().map_or(1, usize::from).min(variants.len()) as f64;
    Ok(Needs {
        packets: value("packets"),
        cpu_seconds: value("cpu_seconds"),
        memory: value("memory") - (cores - 1.0) * largest,
        disk: value("disk"),
    })
}

fn measured(program: &Path, file: &Path, set: &[String]) -> Result<Needs, Failure> {
    let folder = std::env::temp_dir().join(format!("jettison-estimates-{}", std::process::id()));
    let mut command = Command::new(program);
    command.arg("run");
    arguments(&mut command, file, set);
    command.args(["--jobs", "1", "--force", "--out"]).arg(&folder);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let child = command.spawn().map_err(|error| failed(program, &error.to_string()))?;
    let (cpu_seconds, memory) = wait(child.id()).ok_or_else(|| failed(file, "the run failed"))?;
    let text =
        std::fs::read(folder.join("summary.json")).map_err(|error| failed(file, &error.to_string()))?;
    let records: Vec<Value> =
        serde_json::from_slice(&text).map_err(|error| failed(file, &error.to_string()))?;
    let packets = records.iter().filter(|record| record["metric"] == "packets");
    let needs = Needs {
        packets: packets.filter_map(|record| record["mean"].as_f64()).sum(),
        cpu_seconds,
        memory,
        disk: size_of(&folder),
    };
    // What cannot be removed is replaced by the next scenario's results.
    let _ = std::fs::remove_dir_all(&folder);
    Ok(needs)
}

/// Waits for a child; returns its CPU time in seconds and its peak memory in bytes, or `None` if it failed.
fn wait(child: u32) -> Option<(f64, f64)> {
    let mut status = 0;
    // SAFETY: all zeros is a valid `rusage`.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both pointers are to variables of these types.
    let waited = unsafe { libc::wait4(child as libc::pid_t, &mut status, 0, &mut usage) };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    let is_done = waited == child as libc::pid_t && libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0;
    is_done.then(|| (seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss as f64 * 1024.0))
}

fn size_of(folder: &Path) -> f64 {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0.0 };
    let size = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(data) if data.is_dir() => size_of(&entry.path()),
        Ok(data) => data.len() as f64,
        Err(_) => 0.0,
    };
    entries.filter_map(Result::ok).map(size).sum()
}

fn failed(path: &Path, what: &str) -> Failure {
    Failure::Message(format!("{}: {what}", path.display()))
}

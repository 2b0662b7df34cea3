//! Benchmarks of the project's performance targets.
//!
//! A [`Benchmark`] has a name, a target and a function that measures it. To add one, extend [`benchmarks`]. Values are the best
//! of several runs on the CPU clock of the working thread.

mod accounts;
mod child;
mod command;
mod flips;
mod forks;
mod foundation;
mod growth;
mod hostile;
mod instructions;
mod live;
mod octopus;
mod p4;
mod p4_fabric;
mod port_queue;
mod python;
mod queues;
mod report;
mod report_page;
mod stopwatch;
mod streaming;
mod webrtc;
mod workload;

use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde::Serialize;

pub use child::{CHILD, child};
pub use command::bench;

/// A benchmark.
pub struct Benchmark {
    /// Part of the project.
    pub group: &'static str,
    /// Name. The name of a derived value is that of its benchmark, a slash and a suffix.
    pub name: String,
    /// Unit of the value.
    pub unit: &'static str,
    /// Target; `None` for a value that is only reported.
    pub required: Option<f64>,
    /// Direction of improvement.
    pub better: Better,
    /// Function that measures the value.
    pub measure: Box<dyn Fn() -> Result<Reading, String>>,
}

/// Result of a measurement.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// Value in the benchmark's unit; `None` if this machine cannot measure it, with the reason in `note`.
    pub value: Option<f64>,
    /// Instructions per packet, if they are counted in addition to time.
    pub instructions: Option<f64>,
    /// What could not be measured, with the reason.
    pub note: Option<String>,
}

/// Direction of improvement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// Higher is better.
    Higher,
    /// Lower is better.
    Lower,
}

/// Result of a benchmark in the output of `bench --json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Measured {
    /// Part of the project.
    pub group: &'static str,
    /// Name of the benchmark.
    pub name: String,
    /// Measured value; `None` if it could not be measured.
    pub value: Option<f64>,
    /// Unit of the value.
    pub unit: &'static str,
    /// Target.
    pub required: Option<f64>,
    /// Direction of improvement.
    pub better: Better,
    /// Instructions per packet, if they are counted in addition to time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<f64>,
    /// What could not be measured, with the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Reading {
    /// Creates a reading with a value only.
    pub fn of(value: f64) -> Reading {
        Reading { value: Some(value), instructions: None, note: None }
    }
}

impl Measured {
    /// Whether the value meets its target. A value that could not be measured is not a miss.
    pub fn meets_target(&self) -> bool {
        let (Some(required), Some(value)) = (self.required, self.value) else { return true };
        match self.better {
            Better::Higher => value >= required,
            Better::Lower => value <= required,
        }
    }
}

impl Benchmark {
    fn is_selected_by(&self, name: &str) -> bool {
        let suffix = self.name.strip_prefix(name);
        self.group == name || suffix.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Runs the benchmark.
    pub fn run(&self) -> Result<Measured, String> {
        let Reading { value, instructions, note } = (self.measure)()?;
        Ok(Measured { value, instructions, note, ..self.record() })
    }

    /// Record without a value.
    pub fn record(&self) -> Measured {
        let Benchmark { group, ref name, unit, required, better, .. } = *self;
        let name = name.clone();
        Measured { group, name, value: None, unit, required, better, instructions: None, note: None }
    }
}

/// All benchmarks.
pub fn benchmarks() -> Vec<Benchmark> {
    let mut all = foundation::benchmarks();
    all.extend(growth::benchmarks());
    all.extend(forks::benchmarks());
    all.extend(flips::benchmarks());
    all.extend(queues::benchmarks());
    all.extend(streaming::benchmarks());
    all.extend(webrtc::benchmarks());
    all.extend(octopus::benchmarks());
    all.extend(accounts::benchmarks());
    all.extend(hostile::benchmarks());
    all.extend(p4::benchmarks());
    all.extend(p4_fabric::benchmarks());
    all.extend(report::benchmarks());
    all.extend(report_page::benchmarks());
    all.extend(python::benchmarks());
    all.extend(live::benchmarks());
    all
}

/// Selects benchmarks by name (with their derived values) or by group. Without names, selects all but the live benchmarks,
/// which require an otherwise idle machine.
pub fn select(names: &[String]) -> Result<Vec<Benchmark>, String> {
    let all = benchmarks();
    if let Some(name) = names.iter().find(|name| !all.iter().any(|benchmark| benchmark.is_selected_by(name)))
    {
        let known = all.iter().map(|b| b.name.as_str()).collect::<Vec<_>>().join(", ");
        return Err(format!("unknown benchmark `{name}`; known benchmarks: {known}"));
    }
    let by_default = |b: &Benchmark| names.is_empty() && b.group != "live";
    let selected = |b: &Benchmark| by_default(b) || names.iter().any(|name| b.is_selected_by(name));
    Ok(all.into_iter().filter(selected).collect())
}

/// Builds the command in its shipped profile, and returns its path.
fn shipped_command() -> Result<PathBuf, String> {
    let profile = "dist";
    let project = python::project();
    let target = project.join("target");
    let mut build = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    build.args([
        "build",
        "--locked",
        "--quiet",
        "--profile",
        profile,
        "--package",
        "jettison-cli",
        "--target-dir",
    ]);
    let status = build.arg(&target).current_dir(project).stdin(Stdio::null()).status();
    match status {
        Ok(status) if status.success() => Ok(target.join(profile).join("jettison")),
        Ok(status) => Err(format!("cargo build --profile {profile} failed: {status}")),
        Err(error) => Err(format!("cannot start cargo: {error}")),
    }
}

/// Peak resident memory of this process in MB.
fn peak_memory() -> Result<f64, String> {
    memory("VmHWM")
}

/// Current resident memory of this process in MB.
fn memory_now() -> Result<f64, String> {
    memory("VmRSS")
}

fn memory(field: &str) -> Result<f64, String> {
    let status = std::fs::read_to_string("/proc/self/status").map_err(|error| error.to_string())?;
    let line = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
    let line = line.ok_or_else(|| format!("/proc/self/status has no {field}"))?;
    let kib: f64 = line
        .split_whitespace()
        .next()
        .and_then(|n| n.parse().ok())
        .ok_or_else(|| format!("{field} in /proc/self/status is not a number"))?;
    Ok(kib * 1024.0 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(requested: &[&str]) -> Vec<String> {
        let requested: Vec<String> = requested.iter().map(|name| (*name).to_owned()).collect();
        select(&requested).unwrap_or_default().into_iter().map(|benchmark| benchmark.name).collect()
    }

    #[test]
    fn a_name_selects_its_benchmark_and_derived_values_only() {
        let red = ["queue-red", "queue-red/time-growth", "queue-red/instruction-growth"];
        assert_eq!(names(&["queue-red"]), red);
        assert_eq!(names(&["queue-red/time-growth"]), red[1..2]);
        let groups = [
            "foundation",
            "forks",
            "growth",
            "queues",
            "streaming",
            "octopus",
            "p4",
            "report",
            "python",
            "gym",
            "sweep",
        ]
        .map(|group| names(&[group]).len());
        assert_eq!(groups.iter().sum::<usize>(), names(&[]).len());
        assert_eq!(names(&["queue-re"]), Vec::<String>::new());
    }

    #[test]
    fn names_are_unique() {
        let distinct: std::collections::BTreeSet<String> = names(&[]).into_iter().collect();
        assert_eq!(distinct.len(), names(&[]).len());
    }

    #[test]
    fn a_missing_value_is_not_a_miss() {
        let measure = || Ok(Reading { value: None, instructions: None, note: Some("why".to_owned()) });
        let mut benchmark = Benchmark {
            group: "g",
            name: "n".to_owned(),
            unit: "x",
            required: Some(1.05),
            better: Better::Lower,
            measure: Box::new(measure),
        };
        assert!(benchmark.run().unwrap().meets_target());
        benchmark.measure = Box::new(|| Ok(Reading::of(1.06)));
        assert!(!benchmark.run().unwrap().meets_target());
    }
}

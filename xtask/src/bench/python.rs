//! The Python package: what it costs over the Rust call, how its tables cross and come back, and what a sweep costs over
//! the bare runner.
//!
//! `scripts/python.sh bench` builds it and measures. Where the machine has no Python, the figures are shown without a value and
//! with the reason.

use std::cell::OnceCell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;

use serde::Deserialize;

use super::Better::{Higher, Lower};
use super::{Benchmark, Better, Reading};

const SCRIPT: &str = "scripts/python.sh";

/// Name, unit, what is required.
const FIGURES: [(&str, &str, Option<f64>); 5] = [
    ("python-overhead", "% of the Rust call", Some(2.0)),
    ("python-crossing", "ms for 10 million rows", None),
    ("python-crossing/copied", "columns copied", Some(0.0)),
    ("python-read-back", "s for 4 columns", Some(2.0)),
    ("python-discipline", "µs a packet through a FIFO", None),
];

/// A thousand short runs on two cores.
const SWEEP: [(&str, &str, Option<f64>); 3] = [
    ("sweep-bare", "runs/s of the bare runner", None),
    ("sweep-local", "of the bare runner's throughput", Some(0.85)),
    ("sweep-dask", "of the bare runner's throughput", Some(0.85)),
];

/// A line of what the script prints.
#[derive(Debug, Clone, Deserialize)]
struct Figure {
    name: String,
    value: f64,
}

/// What the script came to, once it has run: figures, or why there are none.
type Measured = Result<Result<Vec<Figure>, String>, String>;

pub fn benchmarks() -> Vec<Benchmark> {
    let sweep = || run(&["sweep_throughput".into(), "--command".into(), shipped_command()?.into()]);
    let mut all = group("python", &FIGURES, Lower, || run(&[]));
    all.extend(group("sweep", &SWEEP, Higher, sweep));
    all
}

/// Figures that one call of the script measures together, when the first of them is asked for.
fn group(
    group: &'static str,
    figures: &[(&'static str, &'static str, Option<f64>)],
    better: Better,
    run: fn() -> Measured,
) -> Vec<Benchmark> {
    let measured: Rc<OnceCell<Measured>> = Rc::default();
    let benchmark = |&(name, unit, required): &(&'static str, &'static str, Option<f64>)| {
        let measured = Rc::clone(&measured);
        let measure = move || match measured.get_or_init(run).clone()? {
            Err(note) => Ok(Reading { value: None, instructions: None, note: Some(note) }),
            Ok(figures) => {
                let found = figures.iter().find(|figure| figure.name == name);
                let missing = || format!("{SCRIPT} bench says nothing of {name}");
                found.map(|figure| Reading::of(figure.value)).ok_or_else(missing)
            }
        };
        Benchmark { group, name: name.to_owned(), unit, required, better, measure: Box::new(measure) }
    };
    figures.iter().map(benchmark).collect()
}

fn run(arguments: &[OsString]) -> Measured {
    let mut command = Command::new(project().join(SCRIPT));
    command.arg("bench").args(arguments).current_dir(project()).stdin(Stdio::null()).stderr(Stdio::inherit());
    let output = command.output().map_err(|error| format!("{SCRIPT}: {error}"))?;
    match output.status.code() {
        Some(0) => {}
        Some(3) => return Ok(Err(format!("not measured: {SCRIPT} says above why"))),
        _ => return Err(format!("{SCRIPT} bench: {}", output.status)),
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let figure =
        |line| serde_json::from_str(line).map_err(|error| format!("{SCRIPT} bench: {error}: {line}"));
    text.lines().map(figure).collect::<Result<Vec<Figure>, String>>().map(Ok)
}

/// The command as it is shipped, built from what is in the project now: the runner that sweeps are compared with.
fn shipped_command() -> Result<PathBuf, String> {
    let profile = "dist";
    let target = project().join("target");
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
    let status = build.arg(&target).current_dir(project()).stdin(Stdio::null()).status();
    match status {
        Ok(status) if status.success() => Ok(target.join(profile).join("jettison")),
        Ok(status) => Err(format!("cargo build --profile {profile}: {status}")),
        Err(error) => Err(format!("cargo does not start: {error}")),
    }
}

/// The project's folder, where this program was built.
fn project() -> &'static Path {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own)
}

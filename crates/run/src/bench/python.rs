//! The Python package: what it costs over the Rust call, how its tables cross and come back, and what a sweep costs over
//! the bare runner.
//!
//! `scripts/python.sh bench` builds it and measures, in the project that the current folder lies in. Where there is none, or the
//! machine has no Python, the figures are shown without a value and with the reason.

use std::cell::OnceCell;
use std::ffi::OsString;
use std::path::PathBuf;
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
    let sweep = || {
        // The runner that it is compared with is this one.
        let command =
            std::env::current_exe().map_err(|error| format!("this command is not found: {error}"))?;
        run(&["sweep_throughput".into(), "--command".into(), command.into()])
    };
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
    let Some(project) = project() else {
        return Ok(Err(format!("not measured: the current folder is in no project with {SCRIPT}")));
    };
    let mut command = Command::new(project.join(SCRIPT));
    command.arg("bench").args(arguments).current_dir(project).stdin(Stdio::null()).stderr(Stdio::inherit());
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

/// The project that the current folder lies in.
fn project() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    here.ancestors().find(|folder| folder.join(SCRIPT).is_file()).map(PathBuf::from)
}

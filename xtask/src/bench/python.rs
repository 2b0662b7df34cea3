//! Python package: overhead over the Rust call, transfer of tables in both directions, overhead of a sweep over the bare
//! runner, and of a step of the environments over the simulation.
//!
//! `scripts/python.sh bench` builds and measures. On a machine without Python, the figures have no value, and the note has the
//! reason.

use std::cell::OnceCell;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};
use std::rc::Rc;

use serde::Deserialize;

use super::Better::{Higher, Lower};
use super::{Benchmark, Better, Reading, shipped_command};

const SCRIPT: &str = "scripts/python.sh";

/// Name, unit and target.
const FIGURES: [(&str, &str, Option<f64>); 5] = [
    ("python-overhead", "% of the Rust call", Some(2.0)),
    ("python-crossing", "ms for 10 million rows", None),
    ("python-crossing/copied", "columns copied", Some(0.0)),
    ("python-read-back", "s for 4 columns", Some(2.0)),
    ("python-discipline", "µs a packet through a FIFO", None),
];

/// One thousand short runs on two cores.
const SWEEP: [(&str, &str, Option<f64>); 3] = [
    ("sweep-bare", "runs/s of the bare runner", None),
    ("sweep-local", "of the bare runner's throughput", Some(0.85)),
    ("sweep-dask", "of the bare runner's throughput", Some(0.85)),
];

/// Steps of the environments.
const GYM: [(&str, &str, Option<f64>); 3] = [
    ("gym-step/abr", "µs a step beyond the simulation", Some(20.0)),
    ("gym-step/congestion", "µs a step beyond the simulation", Some(20.0)),
    ("gym-step/aqm", "µs a step beyond the simulation", Some(20.0)),
];

/// One line of the script's output.
#[derive(Debug, Clone, Deserialize)]
struct Figure {
    name: String,
    value: f64,
}

/// Result of the script: figures, or the reason why they cannot be measured; the outer error is a failure.
type Measured = Result<Result<Vec<Figure>, String>, String>;

pub fn benchmarks() -> Vec<Benchmark> {
    let sweep = || run(&["sweep_throughput".into(), "--command".into(), shipped_command()?.into()]);
    let mut all = group("python", &FIGURES, Lower, || run(&[]));
    all.extend(group("sweep", &SWEEP, Higher, sweep));
    all.extend(group("gym", &GYM, Lower, || run(&["gym_steps".into()])));
    all
}

/// Creates the benchmarks of one call of the script, which runs when the first of them is requested.
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
                let missing = || format!("the output of {SCRIPT} bench must contain {name}");
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
    let output = command.output().map_err(|error| format!("cannot start {SCRIPT}: {error}"))?;
    match output.status.code() {
        Some(0) => {}
        Some(3) => return Ok(Err(format!("not measured; see the message of {SCRIPT} above"))),
        _ => return Err(format!("{SCRIPT} bench failed: {}", output.status)),
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let figure = |line| {
        serde_json::from_str(line)
            .map_err(|error| format!("{SCRIPT} bench printed an invalid line: {error}: {line}"))
    };
    text.lines().map(figure).collect::<Result<Vec<Figure>, String>>().map(Ok)
}

/// Root folder of the project from which this program was built.
pub(super) fn project() -> &'static Path {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask)
}

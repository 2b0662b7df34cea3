//! Conversion of errors of the Rust crates to the exceptions of `jettison.errors`.

use std::fmt::Display;

use jettison_scenario::CheckError;
use pyo3::call::PyCallArgs;
use pyo3::prelude::*;

/// An error in a scenario, with the place of each problem.
pub fn scenario_error(py: Python<'_>, error: &CheckError) -> PyErr {
    let problem = |error: &jettison_scenario::ScenarioError| {
        let (line, column) = error.position().unzip();
        let file = error.file().map(str::to_owned);
        (in_python(error), file, line, column, error.message.clone(), error.help.clone())
    };
    let problems: Vec<_> = error.errors.iter().map(problem).collect();
    raised(py, "ScenarioError", (in_python(error), problems))
}

/// An error of a scenario as a whole, or a missing one.
pub fn wrong_scenario(py: Python<'_>, error: impl Display) -> PyErr {
    raised(py, "ScenarioError", (error.to_string(),))
}

/// An error that prevents a run.
pub fn run_error(py: Python<'_>, error: impl Display) -> PyErr {
    raised(py, "RunError", (in_python(error),))
}

/// An error of a store of runs.
pub fn sweep_error(py: Python<'_>, error: impl Display) -> PyErr {
    raised(py, "SweepError", (in_python(error),))
}

/// An error's text, with Python's names for the command's options.
fn in_python(error: impl Display) -> String {
    let text = error
        .to_string()
        .replace("--out", "`out`")
        .replace("--force", "`force=True`")
        .replace("--store", "`store`")
        .replace("--variant", "`variant`")
        .replace("--seed", "`seed`")
        .replace("--until", "`until`")
        .replace("--data", "`data`");
    let lines = text
        .split_inclusive('\n')
        .map(|line| line.strip_prefix("--").filter(|_| line.starts_with("--set ")).unwrap_or(line));
    lines.collect()
}

fn raised<'py>(py: Python<'py>, class: &str, arguments: impl PyCallArgs<'py>) -> PyErr {
    let class = py.import("jettison.errors").and_then(|errors| errors.getattr(class));
    class.and_then(|class| class.call1(arguments)).map_or_else(|error| error, PyErr::from_value)
}

/// A violation of the rules by a queue discipline in Python.
pub fn discipline_error(py: Python<'_>, error: impl Display) -> PyErr {
    raised(py, "DisciplineError", (error.to_string(),))
}

/// A controller that cannot do what it wants.
pub fn controller_error(py: Python<'_>, error: impl Display) -> PyErr {
    raised(py, "ControllerError", (error.to_string(),))
}

/// A controller's request that a switch has refused, with the name of P4Runtime's code.
pub fn refused(py: Python<'_>, error: impl Display, code: &str) -> PyErr {
    raised(py, "ControllerError", (error.to_string(), code))
}

/// Whether an exception is `Drop`, with which a discipline drops a packet.
pub fn is_drop(py: Python<'_>, error: &PyErr) -> bool {
    let class = py.import("jettison.queues").and_then(|queues| queues.getattr("Drop"));
    class.is_ok_and(|class| error.matches(py, class).unwrap_or(false))
}

//! Errors of the Rust crates as the exceptions of `jettison.errors`.

use std::fmt::Display;

use jettison_scenario::CheckError;
use pyo3::call::PyCallArgs;
use pyo3::prelude::*;

/// A scenario in which something is wrong, with every problem's place.
pub fn scenario_error(py: Python<'_>, error: &CheckError) -> PyErr {
    let problem = |error: &jettison_scenario::ScenarioError| {
        let (line, column) = error.position().unzip();
        let file = error.file().map(str::to_owned);
        (in_python(error), file, line, column, error.message.clone(), error.help.clone())
    };
    let problems: Vec<_> = error.errors.iter().map(problem).collect();
    raised(py, "ScenarioError", (in_python(error), problems))
}

/// A scenario that is wrong as a whole, or cannot be found.
pub fn wrong_scenario(py: Python<'_>, error: impl Display) -> PyErr {
    raised(py, "ScenarioError", (error.to_string(),))
}

/// A run that could not be done.
pub fn run_error(py: Python<'_>, error: impl Display) -> PyErr {
    raised(py, "RunError", (in_python(error),))
}

/// What an error says, with Python's names for what the command has options for.
fn in_python(error: impl Display) -> String {
    let text = error.to_string().replace("--out", "`out`").replace("--force", "`force=True`");
    let lines = text
        .split_inclusive('\n')
        .map(|line| line.strip_prefix("--").filter(|_| line.starts_with("--set ")).unwrap_or(line));
    lines.collect()
}

fn raised<'py>(py: Python<'py>, class: &str, arguments: impl PyCallArgs<'py>) -> PyErr {
    let class = py.import("jettison.errors").and_then(|errors| errors.getattr(class));
    class.and_then(|class| class.call1(arguments)).map_or_else(|error| error, PyErr::from_value)
}

/// A queue discipline in Python that does what none may do.
pub fn discipline_error(py: Python<'_>, error: impl Display) -> PyErr {
    raised(py, "DisciplineError", (error.to_string(),))
}

/// Whether it is how a discipline says that a packet is to be dropped.
pub fn is_drop(py: Python<'_>, error: &PyErr) -> bool {
    let class = py.import("jettison.queues").and_then(|queues| queues.getattr("Drop"));
    class.is_ok_and(|class| error.matches(py, class).unwrap_or(false))
}

//! Search for a Python interpreter with the package `jettison`.

use std::path::PathBuf;

/// Environment variable that names the interpreter with the package, if it is not `python3`.
pub const VARIABLE: &str = "JETTISON_PYTHON";

/// Returns `$JETTISON_PYTHON`, or the interpreter of the virtual environment that this program was installed into (by the wheel), or
/// else the `python3` of `$PATH`.
pub fn interpreter() -> PathBuf {
    let named = std::env::var_os(VARIABLE).filter(|python| !python.is_empty());
    named.map(PathBuf::from).or_else(of_own_environment).unwrap_or_else(|| PathBuf::from("python3"))
}

/// An environment need not be activated for its programs to run.
fn of_own_environment() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    let programs = program.parent()?;
    let python = programs.join("python3");
    let is_environment = programs.parent()?.join("pyvenv.cfg").is_file();
    (is_environment && python.is_file()).then_some(python)
}

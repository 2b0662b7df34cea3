//! Search for a Python interpreter with the package `jettison`.

use std::path::PathBuf;

/// Environment variable that names the interpreter with the package, if it is not `python3`.
pub const VARIABLE: &str = "JETTISON_PYTHON";

/// Returns `$JETTISON_PYTHON`, or else the `python3` of `$PATH`.
pub fn interpreter() -> PathBuf {
    let named = std::env::var_os(VARIABLE).filter(|python| !python.is_empty());
    named.map_or_else(|| PathBuf::from("python3"), PathBuf::from)
}

//! The Python that has the package `jettison`.

use std::path::PathBuf;

/// Names the interpreter that has the package, where `python3` is another one.
pub const VARIABLE: &str = "JETTISON_PYTHON";

/// `$JETTISON_PYTHON`, or else the `python3` of `$PATH`.
pub fn interpreter() -> PathBuf {
    let named = std::env::var_os(VARIABLE).filter(|python| !python.is_empty());
    named.map_or_else(|| PathBuf::from("python3"), PathBuf::from)
}

#![forbid(unsafe_code)]
//! Version and Git commit of this build.
//!
//! A crate of its own, used only by the command and by the Python module: a commit rebuilds these and nothing below
//! them. Libraries that write the commit take it as an argument.

/// Version of Jettison, as `0.1.0`.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Git commit that was built: 12 hexadecimal digits or more, with `-dirty` if a source file differed from it; or the
/// text of the environment variable `JETTISON_COMMIT` at build time. `None` where neither was there, as in a source
/// archive.
pub const COMMIT: Option<&str> = {
    let commit = env!("JETTISON_BUILD_COMMIT");
    if commit.is_empty() { None } else { Some(commit) }
};

/// Version with the commit: `0.1.0 (0123456789ab)`, or the version alone.
pub const LONG_VERSION: &str = env!("JETTISON_BUILD_VERSION");

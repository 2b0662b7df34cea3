//! `jettison completions` and `jettison man`.

use std::path::Path;

use clap::CommandFactory;

use crate::options::Cli;
use crate::output::{Failure, print};

/// Prints a shell's completions.
pub fn completions(shell: clap_complete::Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "jettison", &mut script);
    print(String::from_utf8_lossy(&script))
}

/// Writes one man page per command.
pub fn man(out: &Path) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::of(format!("cannot write {}: {error}", out.display()));
    std::fs::create_dir_all(out).map_err(failed)?;
    clap_mangen::generate_to(Cli::command(), out).map_err(failed)?;
    print(format_args!("Man pages: {}\n", out.display()))
}

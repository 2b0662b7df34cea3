//! `jettison reproduce --figures`: draws a paper's figures from stored results with the Python package.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::python::interpreter;
use crate::output::{Failure, INTERRUPTED, print};

/// The Python module that draws.
const MODULE: &str = "jettison.figures";

/// A Python interpreter whose package `jettison` can draw figures.
#[derive(Debug)]
pub struct Painter {
    python: PathBuf,
}

impl Painter {
    /// Returns the [`interpreter`] if it can draw the figures of `name`; otherwise an error that says what is
    /// missing.
    pub fn find(name: &str) -> Result<Painter, Failure> {
        let python = interpreter();
        let check = Command::new(&python)
            .args(["-m", MODULE, "--check", name])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .output();
        let message = match check {
            Ok(check) if check.status.success() => return Ok(Painter { python }),
            Ok(check) => last_line(&check.stderr),
            Err(error) => error.to_string(),
        };
        // Messages of the module are complete. Any other text comes from a Python without the module.
        if message.starts_with("jettison: ") {
            return Err(Failure::Message(message));
        }
        Err(Failure::of(format!(
            "--figures requires a Python with the package `jettison` and matplotlib; {} cannot draw: {message}
            \
             install it from the project's folder with `{} -m pip install '.[plot]'`, or name another Python in \
             JETTISON_PYTHON",
            python.display(),
            python.display(),
        )))
    }

    /// Draws the figures of `name` from the results in `folders` into `out`, and prints the paths of the files.
    pub fn paint(&self, name: &str, folders: &[PathBuf], out: &Path, json: bool) -> Result<(), Failure> {
        let failed = |error: std::io::Error| Failure::of(format!("{}: {error}", self.python.display()));
        let mut command = Command::new(&self.python);
        command.args(["-m", MODULE, name]).args(folders).arg("--out").arg(out);
        if json {
            command.arg("--json");
        }
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().map_err(failed)?;
        let mut printed = String::new();
        if let Some(mut stdout) = child.stdout.take() {
            stdout.read_to_string(&mut printed).map_err(failed)?;
        }
        let status = child.wait().map_err(failed)?;
        print(printed)?;
        match status.code() {
            Some(0) => Ok(()),
            Some(code) if code == i32::from(INTERRUPTED) => {
                Err(Failure::Interrupted("jettison: interrupted: not all figures were drawn".to_owned()))
            }
            // The module has printed the cause on standard error.
            _ => Err(Failure::of("no figure could be drawn")),
        }
    }
}

/// The last line that is not blank: Python prints the error itself there.
fn last_line(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let line = text.lines().rev().find(|line| !line.trim().is_empty());
    line.unwrap_or("it ended without a message").trim().to_owned()
}

//! `jettison reproduce --figures`: a paper's figures, drawn by the Python package from the results that were stored.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::python::interpreter;
use crate::output::{Failure, INTERRUPTED, print};

/// The module that draws.
const MODULE: &str = "jettison.figures";

/// A Python that has the package with its plots.
#[derive(Debug)]
pub struct Painter {
    python: PathBuf,
}

impl Painter {
    /// The [`interpreter`], if it can draw the figures of `name`; else what is missing.
    pub fn find(name: &str) -> Result<Painter, Failure> {
        let python = interpreter();
        let check = Command::new(&python)
            .args(["-m", MODULE, "--check", name])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .output();
        let said = match check {
            Ok(check) if check.status.success() => return Ok(Painter { python }),
            Ok(check) => last_line(&check.stderr),
            Err(error) => error.to_string(),
        };
        // What the module says of itself is complete; anything else is a Python that has no such module.
        if said.starts_with("jettison: ") {
            return Err(Failure::Message(said));
        }
        Err(Failure::of(format!(
            "--figures needs a Python with the package `jettison` and matplotlib, and {} cannot draw: {said}\n\
             install it from the project's folder with `{} -m pip install '.[plot]'`, or name another Python in \
             JETTISON_PYTHON",
            python.display(),
            python.display(),
        )))
    }

    /// Draws what `name` names from the results in `folders`, into `out`, and prints what was written.
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
                Err(Failure::Interrupted("jettison: the figures were not all drawn".to_owned()))
            }
            // It has said why on standard error.
            _ => Err(Failure::of("no figure could be drawn")),
        }
    }
}

/// The last line that says anything: where Python puts the error itself.
fn last_line(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let line = text.lines().rev().find(|line| !line.trim().is_empty());
    line.unwrap_or("it ended without a word").trim().to_owned()
}

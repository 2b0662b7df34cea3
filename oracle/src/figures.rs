//! Stored figures: what a kernel did in each case.

use std::fs;
use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::folder;
use crate::job::Measured;

/// The figures of one kernel, `figures/NAME.jsonl`: one line for the kernel, then one line per run.
#[derive(Debug, Clone)]
pub struct Figures {
    /// The kernel, as it names itself.
    pub kernel: String,
    /// The runs, in the order of the table.
    pub runs: Vec<Run>,
}

/// A run of a case.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Run {
    /// Name of the case.
    pub case: String,
    /// The case as it was measured ([`crate::case::Case::settings`]).
    pub settings: String,
    /// What was measured.
    #[serde(flatten)]
    pub measured: Measured,
}

#[derive(Serialize, Deserialize)]
struct Header {
    kernel: String,
}

/// Figures that cannot be read or written.
#[derive(Debug, Error)]
pub enum FiguresError {
    /// The file system's answer.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// Not a line of figures.
    #[error("{path}:{line}: {source}")]
    Line {
        /// The file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// The reason.
        source: serde_json::Error,
    },
}

impl Figures {
    fn path(name: &str) -> PathBuf {
        folder().join("figures").join(format!("{name}.jsonl"))
    }

    /// Reads the figures of a kernel, such as `stable`.
    pub fn load(name: &str) -> Result<Figures, FiguresError> {
        let path = Figures::path(name);
        let text =
            fs::read_to_string(&path).map_err(|source| FiguresError::File { path: path.clone(), source })?;
        let at = |line: usize| {
            let path = path.clone();
            move |source| FiguresError::Line { path, line: line + 1, source }
        };
        let mut lines = text.lines().enumerate();
        let header = lines.next().map_or("", |(_, line)| line);
        let header: Header = serde_json::from_str(header).map_err(at(0))?;
        let runs: Result<Vec<Run>, FiguresError> =
            lines.map(|(i, line)| serde_json::from_str(line).map_err(at(i))).collect();
        Ok(Figures { kernel: header.kernel, runs: runs? })
    }

    /// Stores the figures.
    pub fn store(&self, name: &str) -> Result<PathBuf, FiguresError> {
        let path = Figures::path(name);
        let unreadable =
            |source: serde_json::Error| FiguresError::Line { path: path.clone(), line: 0, source };
        let mut text = serde_json::to_string(&Header { kernel: self.kernel.clone() }).map_err(unreadable)?;
        text.push('\n');
        for run in &self.runs {
            text.push_str(&serde_json::to_string(run).map_err(unreadable)?);
            text.push('\n');
        }
        fs::write(&path, text).map_err(|source| FiguresError::File { path: path.clone(), source })?;
        Ok(path)
    }

    /// The runs of a case.
    pub fn of<'a>(&'a self, case: &'a str) -> impl Iterator<Item = &'a Measured> {
        self.runs.iter().filter(move |run| run.case == case).map(|run| &run.measured)
    }
}

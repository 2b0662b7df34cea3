//! Errors of scenarios: place, problem and remedy.

use std::fmt;

use jettison_input::text::Line;
use thiserror::Error;

/// The place of an error.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// An option of the command, as written (`--set duration=5`).
    Option(String),
    /// A whole file (unreadable, or not text).
    WholeFile {
        /// The file, as the caller named it.
        file: String,
    },
    /// A line of a file.
    Line {
        /// The file, as the caller named it, or as the scenario names it.
        file: String,
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
    },
}

/// One error of a scenario.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Error)]
pub struct ScenarioError {
    /// Its place.
    pub place: Place,
    /// The problem: what is required and what was found.
    pub message: String,
    /// The remedy, unless the message implies it.
    pub help: Option<String>,
}

/// All errors of a scenario: those of options first, the rest in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct CheckError {
    /// The errors, at least one.
    pub errors: Vec<ScenarioError>,
}

impl ScenarioError {
    /// The file, if the error is in one.
    pub fn file(&self) -> Option<&str> {
        match &self.place {
            Place::Option(_) => None,
            Place::WholeFile { file } | Place::Line { file, .. } => Some(file),
        }
    }
    /// Line and column, both from 1, if the error has them.
    pub fn position(&self) -> Option<(usize, usize)> {
        match &self.place {
            Place::Line { line, column, .. } => Some((*line, *column)),
            _ => None,
        }
    }
}

impl CheckError {
    /// Sorts the errors and removes duplicates (each variant finds errors of the file again).
    pub(crate) fn new(mut errors: Vec<ScenarioError>) -> CheckError {
        errors.sort();
        errors.dedup();
        CheckError { errors }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Option(option) => f.write_str(option),
            Place::WholeFile { file } => f.write_str(file),
            Place::Line { file, line, column } => write!(f, "{file}:{line}:{column}"),
        }
    }
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let help = self.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
        // Quoted names may contain control characters; the message stays on one line.
        Line(format_args!("{}: {}{help}", self.place, self.message)).fmt(f)
    }
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, error) in self.errors.iter().enumerate() {
            if number > 0 {
                writeln!(f)?;
            }
            error.fmt(f)?;
        }
        Ok(())
    }
}

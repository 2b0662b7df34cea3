//! What is wrong with a scenario, where, and what would be right.

use std::fmt;

use thiserror::Error;

/// Where an error was made.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// In an option of the command, given here as it was written (`--set duration=5`).
    Option(String),
    /// In a file as a whole (it cannot be read, it holds no text).
    WholeFile {
        /// The file, as the caller named it.
        file: String,
    },
    /// At a line of a file.
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
    /// Where it is.
    pub place: Place,
    /// What is wrong.
    pub message: String,
    /// What would be right, where the message does not say so itself.
    pub help: Option<String>,
}

/// All errors that were found, those of options first and the rest in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct CheckError {
    /// The errors: never none.
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
    /// Sorts the errors and drops repetitions (each variant of a file finds its common errors again).
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
        // One line, whatever stands in the names that it quotes.
        for c in format!("{}: {}{help}", self.place, self.message).chars() {
            if c.is_control() { write!(f, "{}", c.escape_debug())? } else { write!(f, "{c}")? }
        }
        Ok(())
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

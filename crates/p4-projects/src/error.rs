//! Errors of projects: file, key, problem and remedy.

use std::fmt;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// One error of a project.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct ProjectError {
    /// The file or folder.
    pub file: PathBuf,
    /// Line and column, from 1, of malformed JSON.
    pub position: Option<(usize, usize)>,
    /// Path of the key: `links[2][1]`; empty for the whole file.
    pub key: String,
    /// The problem.
    pub message: String,
    /// The remedy, unless the message implies it.
    pub help: Option<String>,
}

/// All errors of a project, at least one.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct ProjectErrors(pub Vec<ProjectError>);

impl ProjectError {
    /// An error at a key of a file.
    pub(crate) fn new(file: &Path, key: impl Into<String>, message: impl Into<String>) -> ProjectError {
        ProjectError {
            file: file.to_path_buf(),
            position: None,
            key: key.into(),
            message: message.into(),
            help: None,
        }
    }

    /// Adds a remedy.
    pub(crate) fn help(mut self, help: impl Into<String>) -> ProjectError {
        self.help = Some(help.into());
        self
    }
}

impl From<ProjectError> for ProjectErrors {
    fn from(error: ProjectError) -> ProjectErrors {
        ProjectErrors(vec![error])
    }
}

impl fmt::Display for ProjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some((line, column)) = self.position {
            write!(f, ":{line}:{column}")?;
        }
        f.write_str(": ")?;
        if !self.key.is_empty() {
            write!(f, "`{}`: ", self.key.escape_debug())?;
        }
        f.write_str(&self.message)?;
        match &self.help {
            Some(help) => write!(f, "; {help}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for ProjectErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, error) in self.0.iter().enumerate() {
            if number > 0 {
                f.write_str("\n")?;
            }
            error.fmt(f)?;
        }
        Ok(())
    }
}

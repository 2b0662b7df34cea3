//! Why nothing can be built from parameters.

use std::fmt::{self, Display};

use thiserror::Error;

/// A parameter that nothing can be built from: which key, what is required, what was found.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct ParameterError {
    /// Keys from the entry's own table to the offending one; empty for the table itself.
    pub path: Vec<String>,
    /// What is wrong there.
    pub problem: Problem,
    /// What would be right, where the problem does not say so.
    pub help: Option<String>,
}

/// What is wrong with a value, told apart by how it forms a sentence with the key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Problem {
    /// No parameter has that key.
    UnknownKey,
    /// A predicate whose subject is the key: `must be > 0, got 0 ms`.
    Predicate(String),
    /// A sentence of its own: `a rate of zero carries nothing`.
    Sentence(String),
}

impl Problem {
    /// What that message says: one that begins with `must` has the key as its subject.
    pub fn said(message: impl Into<String>) -> Problem {
        let message = message.into();
        if message.starts_with("must ") { Problem::Predicate(message) } else { Problem::Sentence(message) }
    }

    /// The sentence about `subject`, which is a quoted key or words such as `the file`.
    pub fn about(&self, subject: &str) -> String {
        match self {
            Problem::UnknownKey => format!("unknown key {subject}"),
            Problem::Predicate(predicate) => format!("{subject} {predicate}"),
            Problem::Sentence(sentence) => format!("{subject}: {sentence}"),
        }
    }
}

impl ParameterError {
    /// An error at one key of the table: what the key `must` be and is not, or a sentence of its own.
    pub fn at(key: &str, message: impl Into<String>) -> ParameterError {
        ParameterError::whole(message).under(key)
    }

    /// An error of the table as a whole.
    pub fn whole(message: impl Into<String>) -> ParameterError {
        ParameterError::of(Problem::said(message))
    }

    /// `key` must `requirement` (`be > 0`), and `found` does not.
    pub fn must(key: &str, requirement: &str, found: impl Display) -> ParameterError {
        ParameterError::of(Problem::Predicate(format!("must {requirement}, got {found}"))).under(key)
    }

    /// [`ParameterError::must`] unless `holds`.
    ///
    /// # Errors
    /// If it does not hold.
    pub fn require(
        holds: bool,
        key: &str,
        requirement: &str,
        found: impl Display,
    ) -> Result<(), ParameterError> {
        if holds { Ok(()) } else { Err(ParameterError::must(key, requirement, found)) }
    }

    /// [`ParameterError::at`] unless `holds`.
    ///
    /// # Errors
    /// If it does not hold.
    pub fn unless(holds: bool, key: &str, message: impl FnOnce() -> String) -> Result<(), ParameterError> {
        if holds { Ok(()) } else { Err(ParameterError::at(key, message())) }
    }

    /// An error of the table as a whole.
    pub(crate) fn of(problem: Problem) -> ParameterError {
        ParameterError { path: Vec::new(), problem, help: None }
    }

    /// The same error, seen from the table or list that holds this one under `key`.
    pub fn under(mut self, key: &str) -> ParameterError {
        self.path.insert(0, key.to_owned());
        self
    }

    /// The same error with what would be right.
    pub fn with_help(mut self, help: impl Into<String>) -> ParameterError {
        self.help = Some(help.into());
        self
    }

    /// What is wrong, without the path and the help.
    pub fn message(&self) -> String {
        match &self.problem {
            Problem::UnknownKey => {
                format!("unknown key `{}`", self.path.last().map_or("", String::as_str))
            }
            Problem::Predicate(text) | Problem::Sentence(text) => text.clone(),
        }
    }
}

impl Display for ParameterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path.join("."))?;
        }
        f.write_str(&self.message())?;
        match &self.help {
            Some(help) => write!(f, "; {help}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_where_what_is_required_and_what_was_found() {
        let error = ParameterError::must("target", "be > 0", "0 ms").under("codel");
        assert_eq!(error.to_string(), "codel.target: must be > 0, got 0 ms");
        assert_eq!(error.problem.about("`codel.target`"), "`codel.target` must be > 0, got 0 ms");
        assert_eq!(ParameterError::require(true, "target", "be > 0", 5), Ok(()));
    }

    #[test]
    fn an_error_of_the_whole_table_has_no_key() {
        let error = ParameterError::whole("there is no title 3").with_help("the catalogue has 2");
        assert_eq!(error.to_string(), "there is no title 3; the catalogue has 2");
    }
}

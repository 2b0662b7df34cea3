//! Errors in the parameters of components.

use std::fmt::{self, Display};

use thiserror::Error;

/// An error in a parameter: which key, what is required, what was found.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct ParameterError {
    /// Path of keys from the entry's own table to the offending key; empty for the table itself.
    pub path: Vec<String>,
    /// The problem.
    pub problem: Problem,
    /// The remedy, unless the problem implies it.
    pub help: Option<String>,
}

/// The problem of a parameter, in the grammatical form that decides how it joins the key in a sentence.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Problem {
    /// Unknown key.
    UnknownKey,
    /// A predicate whose subject is the key: `must be > 0, got 0 ms`.
    Predicate(String),
    /// A complete sentence: ``unknown transport `tpc` ``.
    Sentence(String),
}

impl Problem {
    /// Classifies a message: one that begins with `must` is a predicate of the key.
    pub fn from_message(message: impl Into<String>) -> Problem {
        let message = message.into();
        if message.starts_with("must ") { Problem::Predicate(message) } else { Problem::Sentence(message) }
    }

    /// Forms the sentence about `subject`, a quoted key or a noun such as `the file`.
    pub fn about(&self, subject: &str) -> String {
        match self {
            Problem::UnknownKey => format!("unknown key {subject}"),
            Problem::Predicate(predicate) => format!("{subject} {predicate}"),
            Problem::Sentence(sentence) => format!("{subject}: {sentence}"),
        }
    }
}

impl ParameterError {
    /// An error at one key of the table; see [`Problem::from_message`].
    pub fn at(key: &str, message: impl Into<String>) -> ParameterError {
        ParameterError::whole(message).under(key)
    }

    /// An error of the table as a whole.
    pub fn whole(message: impl Into<String>) -> ParameterError {
        ParameterError::of(Problem::from_message(message))
    }

    /// An error at `key`, which must `requirement` (such as `be > 0`), but is `found`.
    pub fn must(key: &str, requirement: &str, found: impl Display) -> ParameterError {
        ParameterError::of(Problem::Predicate(format!("must {requirement}, got {found}"))).under(key)
    }

    /// Checks a requirement on `key`; see [`ParameterError::must`].
    ///
    /// # Errors
    /// Unless `holds`.
    pub fn require(
        holds: bool,
        key: &str,
        requirement: &str,
        found: impl Display,
    ) -> Result<(), ParameterError> {
        if holds { Ok(()) } else { Err(ParameterError::must(key, requirement, found)) }
    }

    /// Checks a requirement with a message of its own; see [`ParameterError::at`].
    ///
    /// # Errors
    /// Unless `holds`.
    pub fn unless(holds: bool, key: &str, message: impl FnOnce() -> String) -> Result<(), ParameterError> {
        if holds { Ok(()) } else { Err(ParameterError::at(key, message())) }
    }

    /// An error of the table as a whole.
    pub(crate) fn of(problem: Problem) -> ParameterError {
        ParameterError { path: Vec::new(), problem, help: None }
    }

    /// Prefixes the path with `key`: the error as seen from the enclosing table or list.
    pub fn under(mut self, key: &str) -> ParameterError {
        self.path.insert(0, key.to_owned());
        self
    }

    /// Adds the remedy.
    pub fn with_help(mut self, help: impl Into<String>) -> ParameterError {
        self.help = Some(help.into());
        self
    }

    /// The message without path and help.
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

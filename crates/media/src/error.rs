//! Errors of encoding.

use std::io;

/// Why there is no trace.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or pipe failed.
    #[error("{what}: {error}")]
    Io {
        /// What was done to which file.
        what: String,
        /// The reason.
        error: io::Error,
    },
    /// A program or library is not installed.
    #[error("{what} not found; run `make media-deps`{hint}")]
    Missing {
        /// The program.
        what: String,
        /// More about it, or nothing.
        hint: String,
    },
    /// A program ended with an error, or did something unexpected.
    #[error("{program} failed: {message}")]
    Program {
        /// Name of the program.
        program: String,
        /// Its last words, or what is wrong with its output.
        message: String,
    },
    /// Pictures or parameters that cannot be encoded.
    #[error("{0}")]
    Input(String),
    /// Cancelled by the caller.
    #[error("interrupted")]
    Cancelled,
}

impl Error {
    /// Makes the error of an operation on a file or pipe.
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Error {
        let what = what.into();
        move |error| Error::Io { what, error }
    }

    /// Makes an error about a program's output.
    pub(crate) fn output(program: &str, message: impl Into<String>) -> Error {
        Error::Program { program: program.to_owned(), message: message.into() }
    }
}

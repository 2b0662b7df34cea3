//! Output and error handling.

use std::io::{self, Write};

use serde::Serialize;
use thiserror::Error;

/// Reason why a task ended early.
#[derive(Debug, Error)]
pub enum Failure {
    /// The reader of standard output has closed it (`… | head`), which is not an error.
    #[error("standard output was closed by its reader")]
    BrokenPipe,
    /// Error message with the requirement.
    #[error("{0}")]
    Message(String),
}

/// Prints a line to standard output.
pub fn print(line: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{line}").and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(Failure::BrokenPipe),
        Err(error) => Err(Failure::Message(format!("cannot write to standard output: {error}"))),
    }
}

/// Prints a record as one line of JSON.
pub fn print_record(record: &impl Serialize) -> Result<(), Failure> {
    let line = serde_json::to_string(record).map_err(|error| Failure::Message(error.to_string()))?;
    print(&line)
}

//! Output to the terminal, and failures as one message.

use std::fmt::{self, Display};
use std::io::{self, IsTerminal, Write};

use jettison_input::text::{Json, Lines};
use jettison_scenario::Scenario;
use serde::Serialize;

/// The exit status of a command that Ctrl-C ended (128 + SIGINT).
pub const INTERRUPTED: u8 = 130;

/// A reason why a command ended early.
#[derive(Debug)]
pub enum Failure {
    /// The reader of standard output closed it.
    BrokenPipe,
    /// An error message for the user.
    Message(String),
    /// An error message with colours.
    Styled(Styled),
    /// Ctrl-C before any run finished.
    Interrupted(String),
}

impl Failure {
    /// Makes the message `jettison: <error>`.
    pub fn of(error: impl Display) -> Failure {
        Failure::Message(format!("jettison: {error}"))
    }
}

/// Text that may have colours of our own. Whoever makes one escapes what it quotes.
#[derive(Debug)]
pub struct Styled(pub String);

/// Prints text to standard output. Control characters, which can only be from files and names, are escaped.
pub fn print(text: impl Display) -> Result<(), Failure> {
    write_out(Lines(text))
}

fn write_out(text: impl Display) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match write!(out, "{text}").and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(Failure::BrokenPipe),
        Err(error) => Err(Failure::of(format!("cannot write to standard output: {error}"))),
    }
}

/// Prints a record as one line of JSON.
pub fn print_record(record: &impl Serialize) -> Result<(), Failure> {
    let line = serde_json::to_string(record).map_err(Failure::of)?;
    print_json(line)
}

/// Prints a JSON text, whose values stay the same.
pub fn print_json(text: impl Display) -> Result<(), Failure> {
    write_out(format_args!("{}\n", Json(text)))
}

/// Prints a scenario's warnings to standard error.
pub fn warn(scenario: &Scenario) {
    for warning in &scenario.warnings {
        print_error(format_args!("warning: {warning}"));
    }
}

/// Prints a line, or lines, to standard error; control characters are escaped. A reader that has closed the pipe is no reason to panic, as `eprintln!` would.
pub fn print_error(line: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr(), "{}", Lines(line));
}

/// Prints text with colours to standard error.
pub fn print_styled(text: &Styled) {
    let _ = write!(io::stderr(), "{}", text.0);
}

/// Width of a table in columns.
pub fn width() -> usize {
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let terminal = terminal_size();
    columns.or(terminal).unwrap_or(100).clamp(60, 200)
}

fn terminal_size() -> Option<usize> {
    if !io::stdout().is_terminal() {
        return None;
    }
    Some(usize::from(console_width()))
}

fn console_width() -> u16 {
    indicatif::TermLike::width(&console::Term::stdout())
}

/// A standard stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Output,
    /// Standard error.
    Error,
}

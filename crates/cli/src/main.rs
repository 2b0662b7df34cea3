#![forbid(unsafe_code)]
//! The `jettison` command: flags and printing over the library crates.

mod commands;
mod listing;
mod options;
mod output;
mod progress;
mod screen;
mod snippet;

use std::process::ExitCode;

use clap::Parser;
use options::Cli;
use output::Failure;

fn main() -> ExitCode {
    match commands::dispatch(Cli::parse().command) {
        Ok(code) => code,
        // The reader of our output has closed the pipe (`jettison … | head`), which is no error.
        Err(Failure::BrokenPipe) => ExitCode::SUCCESS,
        Err(Failure::Message(message)) => {
            output::print_error(format_args!("{message}"));
            ExitCode::from(2)
        }
        Err(Failure::Styled(message)) => {
            output::print_styled(&message);
            ExitCode::from(2)
        }
        Err(Failure::Interrupted(message)) => {
            output::print_error(format_args!("{message}"));
            ExitCode::from(output::INTERRUPTED)
        }
    }
}

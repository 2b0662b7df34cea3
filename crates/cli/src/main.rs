//! The `jettison` command: flags and printing over the library crates.

mod commands;
mod options;
mod output;

use std::process::ExitCode;

use clap::Parser;
use options::Cli;
use output::Failure;

fn main() -> ExitCode {
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_env_filter(
            tracing_subscriber::EnvFilter::try_from_default_env().unwrap_or_else(|_| "warn".into()),
        )
        .init();
    // No command of the user's: completions and help would show it.
    let arguments: Vec<String> =
        std::env::args_os().skip(1).filter_map(|arg| arg.into_string().ok()).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match jettison_run::bench::child(&arguments) {
        Some(done) => commands::bench_child(done),
        None => commands::dispatch(Cli::parse().command),
    };
    match result {
        Ok(code) => code,
        // The reader of our output has gone (`jettison … | head`): nothing is wrong.
        Err(Failure::BrokenPipe) => ExitCode::SUCCESS,
        Err(Failure::Message(message)) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
        Err(Failure::Interrupted(message)) => {
            eprintln!("{message}");
            ExitCode::from(output::INTERRUPTED)
        }
    }
}

//! Tasks of the project itself, apart from the command that users have.
//!
//! `bench` measures what this project promises. `make bench` runs it, in the profile that is shipped: the simulations run inside
//! this program.

mod bench;
mod output;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use output::Failure;

/// Tasks of the project itself.
#[derive(Debug, Parser)]
#[command(name = "xtask", max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Measure the figures that this project promises; exit 1 if one falls short
    Bench {
        /// Names of benchmarks or of groups; all if none is given
        names: Vec<String>,
        /// Print NDJSON records
        #[arg(long)]
        json: bool,
        /// List the benchmarks and measure nothing
        #[arg(long)]
        list: bool,
    },
    /// Do the work of a child process of `bench`
    #[command(name = bench::CHILD, hide = true)]
    BenchChild {
        /// The work's name and its arguments
        work: Vec<String>,
    },
}

fn main() -> ExitCode {
    let result = match Cli::parse().task {
        Task::Bench { names, json, list } => bench::bench(&names, json, list),
        Task::BenchChild { work } => bench::child(&work)
            .map_err(Failure::Message)
            .and_then(|said| output::print(&said).map(|()| ExitCode::SUCCESS)),
    };
    match result {
        Ok(code) => code,
        Err(Failure::BrokenPipe) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("xtask: {failure}");
            ExitCode::from(2)
        }
    }
}

#![deny(unsafe_code)]
//! Development tasks of the project, separate from the users' command.
//!
//! `bench` measures the performance targets. `make bench` runs it in the shipped profile, because the simulations run inside
//! this program. `estimates` holds the estimates of `jettison check` to runs of the command.

mod bench;
mod estimates;
mod output;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use output::Failure;

/// Development tasks of the project
#[derive(Debug, Parser)]
#[command(name = "xtask", max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Run benchmarks; exit with status 1 if one misses its target
    Bench {
        /// Names of benchmarks or groups; by default all except `live`
        names: Vec<String>,
        /// Print results as NDJSON
        #[arg(long)]
        json: bool,
        /// List the benchmarks without running them
        #[arg(long)]
        list: bool,
    },
    /// Compare the estimates of `jettison check` with runs of scenarios; exit with status 1 if one is beyond a factor of two
    Estimates {
        /// The scenario files; by default all of the project's that are simulated
        files: Vec<PathBuf>,
        /// The program to measure
        #[arg(long, value_name = "FILE", default_value = "target/release/jettison")]
        program: PathBuf,
        /// Set any key of each scenario
        #[arg(long = "set", value_name = "PATH=VALUE")]
        set: Vec<String>,
    },
    /// Do the work of a child process of `bench`
    #[command(name = bench::CHILD, hide = true)]
    BenchChild {
        /// Name and arguments of the work
        work: Vec<String>,
    },
}

fn main() -> ExitCode {
    let result = match Cli::parse().task {
        Task::Bench { names, json, list } => bench::bench(&names, json, list),
        Task::Estimates { files, program, set } => estimates::estimates(&program, &files, &set),
        Task::BenchChild { work } => bench::child(&work)
            .map_err(Failure::Message)
            .and_then(|text| output::print(&text).map(|()| ExitCode::SUCCESS)),
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

//! The command line.

#![allow(rustdoc::invalid_html_tags, rustdoc::broken_intra_doc_links)] // the comments are the command's help

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Simulates congested networks, and compares what queue disciplines, transports and loads make of them.
#[derive(Debug, Parser)]
#[command(name = "jettison", version, propagate_version = true, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a scenario: every variant under every seed, in parallel over the cores
    Run {
        /// The scenario file
        file: PathBuf,
        #[command(flatten)]
        options: RunArguments,
    },
    /// List what scenarios may name, with parameters, defaults, units and source documents
    List {
        /// What to list
        what: Listing,
        /// Print NDJSON records
        #[arg(long)]
        json: bool,
    },
    /// Check scenario files and run nothing
    Check {
        /// The scenario files
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Check with these keys set
        #[arg(long = "set", value_name = "PATH=VALUE")]
        set: Vec<String>,
        /// Check the short form
        #[arg(long)]
        quick: bool,
        #[command(flatten)]
        data: DataArgument,
    },
    /// Print the JSON Schema of scenario files
    Schema,
    /// Look at link traces
    Trace {
        #[command(subcommand)]
        command: TraceCommand,
    },
    /// Run a paper's experiments and set its figures beside ours
    Reproduce {
        /// A paper, or one experiment of it: PAPER or PAPER/EXPERIMENT (without it: list what there is)
        name: Option<String>,
        /// The folder that holds the papers' scenarios, in place of the project's own
        #[arg(long, value_name = "DIR")]
        scenarios: Option<PathBuf>,
        #[command(flatten)]
        options: RunArguments,
    },
    /// Make the table and report.html again from stored results
    Report {
        /// A folder that `run` or `reproduce` wrote
        dir: PathBuf,
        /// Print the summary as NDJSON records in place of the table
        #[arg(long)]
        json: bool,
    },
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
    /// Print shell completions
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write man pages
    Man {
        /// The folder to write them to
        #[arg(long, value_name = "DIR", default_value = "man")]
        out: PathBuf,
    },
}

/// What `run` and `reproduce` take.
#[derive(Debug, Args)]
pub struct RunArguments {
    /// Where the results go [default: out/<name>]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Replace a folder that does not hold our results
    #[arg(long)]
    pub force: bool,
    /// The first seed [default: 1, or the scenario's own list]
    // TOML's integers end at 2^63 - 1, and `runs` counts on from here.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64 - 100_000))]
    pub seed: Option<u64>,
    /// How many seeds to run each variant under [default: the scenario's]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub runs: Option<u32>,
    /// How many runs go at once [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// Print NDJSON records in place of the table
    #[arg(long)]
    pub json: bool,
    /// The short form of the experiment, as its [quick] table has it
    #[arg(long)]
    pub quick: bool,
    /// Set any key of the scenario: links.bottleneck.rate="20 Mbit/s"
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// Capture what leaves every port to pcapng files
    #[arg(long)]
    pub pcap: bool,
    #[command(flatten)]
    pub data: DataArgument,
}

/// Where input files are beside the scenario's folder.
#[derive(Debug, Clone, Args)]
pub struct DataArgument {
    /// The folder of the files that a scenario names and that are not in its own folder
    #[arg(long = "data", value_name = "FOLDER", env = "JETTISON_DATA", hide_env_values = true)]
    pub folder: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Listing {
    /// Queue disciplines
    Queues,
    /// Transports
    Transports,
    /// Congestion controllers of TCP
    Controllers,
    /// Applications
    Applications,
    /// Adaptation rules of players
    Abr,
    /// Link models
    Links,
}

#[derive(Debug, Subcommand)]
pub enum TraceCommand {
    /// What a Mahimahi trace offers: length, rates, outages
    Info {
        /// The trace
        file: PathBuf,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
}

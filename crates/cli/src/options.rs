//! The command line.

#![allow(rustdoc::invalid_html_tags, rustdoc::broken_intra_doc_links)] // the comments are the command's help

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use jettison_build_info::LONG_VERSION;
use jettison_core::{Bytes, Duration, Rate};
use jettison_link::trace::Format;

/// Simulates congested networks, and compares what queue disciplines, transports and loads make of them.
#[derive(Debug, Parser)]
#[command(name = "jettison", version = LONG_VERSION, propagate_version = true, max_term_width = 100)]
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
    /// Run a scenario with real packets: network namespaces, real programs, the kernel's TCP
    #[command(mut_arg("jobs", |jobs| jobs.hide(true)))]
    #[command(mut_arg("out", |out| out.help("Where the results go [default: out/live/<name>]")))]
    Live {
        /// The scenario file
        file: PathBuf,
        #[command(flatten)]
        options: RunArguments,
        #[command(flatten)]
        live: LiveArguments,
    },
    /// Run a command behind a bottleneck, in a network of its own
    Shell(ShellArguments),
    /// List what scenarios may name, with parameters, defaults, units and source documents
    List {
        /// What to list: all that scenarios may name, if it is left out
        what: Option<Listing>,
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
    /// newCWV in this machine's kernel: the congestion controls newcwv and newcwv_paced (needs root)
    Cc {
        #[command(subcommand)]
        command: CcCommand,
    },
    /// Look at link traces, convert them and make new ones
    Trace {
        #[command(subcommand)]
        command: TraceCommand,
    },
    /// Check P4 programs, test them with packets, run captures through them
    P4 {
        #[command(subcommand)]
        command: P4Command,
    },
    /// Run a paper's experiments and set its figures beside ours
    Reproduce {
        /// A paper, or one experiment of it: PAPER or PAPER/EXPERIMENT (without it: list what there is)
        name: Option<String>,
        /// The folder that holds the papers' scenarios, in place of the project's own
        #[arg(long, value_name = "DIR")]
        scenarios: Option<PathBuf>,
        /// Draw the paper's figures from the results, by the Python package, into <DIR>/figures
        #[arg(long, requires = "name")]
        figures: bool,
        #[command(flatten)]
        options: RunArguments,
    },
    /// Run a scenario at many points of its parameters' space, here or on a Dask cluster (needs the Python package)
    Sweep(SweepArguments),
    /// Make the table and report.html again from stored results
    Report {
        /// A folder that `run` or `reproduce` wrote
        dir: PathBuf,
        /// Print the summary as NDJSON records in place of the table
        #[arg(long)]
        json: bool,
    },
    /// Set two results side by side, such as a simulated and a live one of one scenario
    Compare {
        /// A folder that `run`, `live` or `reproduce` wrote
        #[arg(value_name = "A")]
        a: PathBuf,
        /// Another one
        #[arg(value_name = "B")]
        b: PathBuf,
        /// Write a page with the series of both over each other to <DIR>/compare.html
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
        /// Print NDJSON records in place of the table
        #[arg(long)]
        json: bool,
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
    /// Sample gauges, the internal state of components, with the series: all, or those of these names [default: the
    /// scenario's `gauges`]
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        num_args = 0..,
        require_equals = true,
        default_missing_value = "all"
    )]
    pub gauges: Option<Vec<String>>,
    /// Capture what leaves every port to pcapng files
    #[arg(long)]
    pub pcap: bool,
    #[command(flatten)]
    pub data: DataArgument,
}

impl RunArguments {
    /// What `--set` and `--gauges` set.
    pub fn settings(&self) -> Vec<String> {
        let gauges = self.gauges.as_ref().map(|names| match names.as_slice() {
            [all] if all == "all" => "gauges=true".to_owned(),
            names => format!("gauges={names:?}"),
        });
        self.set.iter().cloned().chain(gauges).collect()
    }
}

/// What `sweep` takes. The Python package reads the texts: what they may be is in one place.
#[derive(Debug, Args)]
#[command(after_help = SWEEP_EXAMPLES)]
pub struct SweepArguments {
    /// The scenario file, or an experiment as `reproduce` names it
    pub file: PathBuf,
    /// What varies: a key with its values, PATH=1ms,5ms,20ms, or a range of them, PATH=1ms..20ms
    #[arg(long, value_name = "PATH=VALUES", num_args = 1.., required = true)]
    pub axes: Vec<String>,
    /// Which points: all combinations (grid), or a Latin hypercube of N points (lhs:N, lhs:N:SEED)
    #[arg(long, value_name = "SAMPLE", default_value = "grid")]
    pub sample: String,
    /// The seeds, the same at every point: how many (5), or which (1-20, 1,4,7) [default: the scenario's]
    #[arg(long, value_name = "SEEDS")]
    pub seeds: Option<String>,
    /// Run on the Dask cluster with that scheduler, such as tcp://head:8786 [default: processes of this machine]
    #[arg(long, value_name = "ADDRESS", conflicts_with = "jobs")]
    pub scheduler: Option<String>,
    /// How many worker processes there are [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// Where the results go; a sweep that was interrupted goes on there [default: out/sweeps/<name>]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// What is kept of each run: its summary values, or its whole results beside them
    #[arg(long, value_name = "WHAT", default_value = "summary")]
    pub keep: KeepChoice,
    /// How many runs a worker is given at once [default: as many as last for a second or two]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub batch: Option<u32>,
    /// Print NDJSON records in place of the table
    #[arg(long)]
    pub json: bool,
    /// The short form of the experiment, as its [quick] table has it
    #[arg(long)]
    pub quick: bool,
    /// Set any key of the scenario: links.bottleneck.rate="20 Mbit/s"
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    #[command(flatten)]
    pub data: DataArgument,
}

const SWEEP_EXAMPLES: &str = "Examples:
  jettison sweep mine.toml --axes queues.bottleneck.target=1ms,5ms,20ms --seeds 1-20
  jettison sweep mine.toml --axes queues.bottleneck.target=1ms..50ms:log links.bottleneck.rate=5Mbit/s..50Mbit/s \\
    --sample lhs:100 --scheduler tcp://head:8786 --out /shared/sweep";

/// What is kept of a sweep's run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum KeepChoice {
    /// Its summary values
    Summary,
    /// Series, drops and distributions too, as `run` writes them
    All,
}

impl KeepChoice {
    /// As the Python package calls it.
    pub fn name(self) -> &'static str {
        match self {
            KeepChoice::Summary => "summary",
            KeepChoice::All => "all",
        }
    }
}

/// What `live` takes beside what `run` takes.
#[derive(Debug, Clone, Args)]
pub struct LiveArguments {
    /// Serve a page that shows the run while it goes, on that port of this machine [default: any free port]
    #[arg(long, value_name = "PORT", num_args = 0..=1, require_equals = true, default_missing_value = "0")]
    pub watch: Option<u16>,
    /// Do not schedule the router in real time (SCHED_FIFO), even where that is permitted
    #[arg(long)]
    pub no_real_time: bool,
}

/// What `shell` takes. The command runs at the far end of the bottleneck; the near end is a host as well.
#[derive(Debug, Args)]
pub struct ShellArguments {
    /// The link towards the command: a rate, such as "12 Mbit/s", or a trace of Mahimahi's form
    #[arg(long, value_name = "RATE|TRACE", default_value = "1 Gbit/s")]
    pub down: String,
    /// The link away from the command: a rate or a trace
    #[arg(long, value_name = "RATE|TRACE", default_value = "1 Gbit/s")]
    pub up: String,
    /// One-way delay, in both directions
    #[arg(long, value_name = "TIME", default_value = "0 ms")]
    pub delay: Duration,
    /// The queue discipline in front of both links: an id, or a table such as '{ kind = "codel", target = "5 ms" }'
    #[arg(long, value_name = "QUEUE", default_value = "tail-drop")]
    pub queue: String,
    /// The queue discipline of the link away from the command, if it is another one
    #[arg(long, value_name = "QUEUE")]
    pub up_queue: Option<String>,
    /// Share of packets lost at random in each direction, such as 0.01
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = share)]
    pub loss: f64,
    /// A program at the near end, started first; the command finds its address in $JETTISON_FROM
    #[arg(long, value_name = "COMMAND")]
    pub server: Option<String>,
    /// Wait until something listens at that TCP port of the near end
    #[arg(long, value_name = "PORT", requires = "server")]
    pub ready: Option<u16>,
    /// Give the command a way to the world through this machine, and its name servers (root)
    #[arg(long, conflicts_with_all = ["server", "ready"])]
    pub nat: bool,
    /// Keep the results in that folder, as `live` does
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Replace a folder that does not hold our results
    #[arg(long, requires = "out")]
    pub force: bool,
    /// End the command after that time
    #[arg(long, value_name = "TIME", default_value = "1440 min")]
    pub duration: Duration,
    /// The command and its arguments [default: your shell]
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
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
    /// Controllers of the Octopus transport
    PathControllers,
    /// Applications
    Applications,
    /// Adaptation rules of players
    Abr,
    /// Encoders of real-time video
    Encoders,
    /// Link models
    Links,
    /// Reasons for which packets are dropped or marked
    Reasons,
    /// Metrics that results may have
    Metrics,
    /// Gauges: the internal state of components that can be sampled
    Gauges,
}

impl Listing {
    /// The word for the kind in catalogues; `None` for what is no kind of component.
    pub fn kind(self) -> Option<&'static str> {
        match self {
            Listing::Queues => Some("queue"),
            Listing::Transports => Some("transport"),
            Listing::Controllers => Some("controller"),
            Listing::PathControllers => Some("path-controller"),
            Listing::Applications => Some("application"),
            Listing::Abr => Some("abr"),
            Listing::Encoders => Some("encoder"),
            Listing::Links => Some("link"),
            Listing::Reasons | Listing::Metrics | Listing::Gauges => None,
        }
    }
}

#[derive(Debug, Subcommand)]
pub enum CcCommand {
    /// Register both names, until `unload` or the machine's restart
    Load {
        /// How long a window that is not validated is kept, at most 5 min (RFC 7661 section 4.4) [default: 300 s]
        #[arg(long)]
        validity: Option<Duration>,
    },
    /// Remove the names; sockets that use one keep it until they are closed
    Unload,
    /// What is loaded, and how many sockets use it
    Status,
}

#[derive(Debug, Subcommand)]
pub enum TraceCommand {
    /// What a trace offers: length, rates, outages
    Info {
        /// The trace: Mahimahi's opportunities, a base station's grants (srsRAN) or a drive test (CSV)
        file: PathBuf,
        #[command(flatten)]
        read: ReadArguments,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Write a trace, or a part of it, in another format
    Convert(ConvertArguments),
    /// Make a seeded cellular trace: Poisson, with a Brownian rate (Winstein et al., NSDI 2013, section 3.1)
    Synthesize(SynthesizeArguments),
}

/// How a trace is read.
#[derive(Debug, Clone, Args)]
pub struct ReadArguments {
    /// The format that it has [default: the one that it looks like]
    #[arg(long, value_name = "FORMAT")]
    pub from: Option<TraceInput>,
    /// The uplink of a drive test (UL_bitrate) in place of its downlink
    #[arg(long)]
    pub up: bool,
}

/// How a trace is written.
#[derive(Debug, Clone, Args)]
pub struct WriteArguments {
    /// Milliseconds of a batch of grants
    #[arg(long, value_name = "MS", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=60_000))]
    pub batch: u32,
    /// Replace a file that is there
    #[arg(long)]
    pub force: bool,
}

/// What `trace convert` takes.
#[derive(Debug, Args)]
pub struct ConvertArguments {
    /// The trace
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// Where it goes
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
    /// The format to write
    #[arg(long, value_name = "FORMAT")]
    pub to: TraceOutput,
    #[command(flatten)]
    pub read: ReadArguments,
    /// Begin there, such as "30 s" [default: at the beginning]
    #[arg(long, value_name = "TIME")]
    pub from_time: Option<Duration>,
    /// Take so much of it, such as "2 min" [default: up to the end]
    #[arg(long, value_name = "TIME")]
    pub duration: Option<Duration>,
    /// Bytes that an opportunity counts for
    #[arg(long, value_name = "SIZE", default_value = "1504 bytes")]
    pub opportunity: Bytes,
    #[command(flatten)]
    pub write: WriteArguments,
}

/// What `trace synthesize` takes. Rates count 1,504 bytes an opportunity.
#[derive(Debug, Args)]
pub struct SynthesizeArguments {
    /// Where it goes
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
    /// The seed: with the other values it decides every line
    #[arg(long, value_name = "N")]
    pub seed: u64,
    /// How long a round is [default: 120 s]
    #[arg(long, value_name = "TIME")]
    pub duration: Option<Duration>,
    /// The mean rate, towards which the rate is pulled [default: none; the rate is a Brownian motion]
    #[arg(long, value_name = "RATE")]
    pub mean: Option<Rate>,
    /// The largest rate [default: 1,000 opportunities a second, 12.032 Mbit/s]
    #[arg(long, value_name = "RATE")]
    pub max: Option<Rate>,
    /// The standard deviation of the rate after a second [default: 200 opportunities a second, 2.4064 Mbit/s]
    #[arg(long, value_name = "RATE")]
    pub volatility: Option<Rate>,
    /// With --mean: the time in which the pull takes away all but 1/e of a distance [default: 10 s]
    #[arg(long, value_name = "TIME")]
    pub pull: Option<Duration>,
    /// The mean length of an outage, which begins when the rate comes to zero [default: 1 s]
    #[arg(long, value_name = "TIME")]
    pub outage: Option<Duration>,
    /// The format to write
    #[arg(long, value_name = "FORMAT", default_value = "mahimahi")]
    pub to: TraceOutput,
    /// Bytes of grants that an opportunity counts for
    #[arg(long, value_name = "SIZE", default_value = "1504 bytes")]
    pub opportunity: Bytes,
    #[command(flatten)]
    pub write: WriteArguments,
}

#[derive(Debug, Subcommand)]
pub enum P4Command {
    /// Check P4 programs and run nothing
    Check {
        /// The programs (P4_16, v1model)
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// The control plane's commands, as simple_switch_CLI has them: they are checked too
        #[arg(long, value_name = "FILE")]
        commands: Option<PathBuf>,
        /// Print each program as it is elaborated: every type known, every call a statement
        #[arg(long)]
        dump: bool,
        #[command(flatten)]
        preprocessor: PreprocessorArguments,
    },
    /// Run packet tests (STF); exit 1 if one fails
    Test {
        /// A program and its tests: FILE.p4 FILE.stf...; or folders, whose programs are run with the tests of their names
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Write the results as JUnit XML
        #[arg(long, value_name = "FILE")]
        junit: Option<PathBuf>,
        #[command(flatten)]
        preprocessor: PreprocessorArguments,
    },
    /// Run the packets of a capture through a program, and say what became of them
    Run(P4RunArguments),
}

/// What `p4 run` takes.
#[derive(Debug, Args)]
pub struct P4RunArguments {
    /// The program (P4_16, v1model)
    pub file: PathBuf,
    /// The packets: a pcap or pcapng file of Ethernet frames
    #[arg(long, value_name = "FILE")]
    pub pcap: PathBuf,
    /// The port that they come in by
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=510))]
    pub port: u16,
    /// The control plane's commands, as simple_switch_CLI has them
    #[arg(long, value_name = "FILE")]
    pub commands: Option<PathBuf>,
    /// Write what leaves each port to <DIR>/port-<N>.pcapng
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub preprocessor: PreprocessorArguments,
}

/// What the preprocessor of P4 is told.
#[derive(Debug, Clone, Args)]
pub struct PreprocessorArguments {
    /// A folder in which includes are looked for; may be given several times
    #[arg(short = 'I', long = "include", value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// Define a macro (1 if there is no value); may be given several times
    #[arg(short = 'D', long = "define", value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
}

/// Formats that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TraceInput {
    /// A line an opportunity: its millisecond
    Mahimahi,
    /// A base station's grants: milliseconds of a batch, number of batches, bytes of each
    Srsran,
    /// A drive test: rows with Timestamp and DL_bitrate
    Csv,
}

/// Formats that are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TraceOutput {
    /// A line an opportunity: its millisecond
    Mahimahi,
    /// A base station's grants: milliseconds of a batch, number of batches, bytes of each
    Srsran,
}

impl From<TraceInput> for Format {
    fn from(input: TraceInput) -> Format {
        match input {
            TraceInput::Mahimahi => Format::Mahimahi,
            TraceInput::Srsran => Format::Srsran,
            TraceInput::Csv => Format::Csv,
        }
    }
}

/// A share of 1.
fn share(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| "write it as a share of 1, such as 0.05 for 5 %".to_owned())
}

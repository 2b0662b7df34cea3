//! Command-line arguments.

#![allow(rustdoc::invalid_html_tags, rustdoc::broken_intra_doc_links)] // the doc comments are the help texts

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use jettison_build_info::LONG_VERSION;
use jettison_core::{Bytes, Duration, Rate};
use jettison_link::trace::Format;
use jettison_p4_front::ir::TargetModel;

use crate::commands::media::MediaCommand;
use crate::listing::{Listing, ListingParser};
use jettison_report::ReportColumn;
use jettison_scenario::ColumnName;

/// Simulate congested networks; compare queue disciplines, transports and applications
#[derive(Debug, Parser)]
#[command(name = "jettison", version = LONG_VERSION, propagate_version = true, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a scenario: all variants with all seeds, in parallel on all cores
    Run {
        /// The scenario file, the name of a preset (`jettison list presets`), or the folder of a P4 project
        file: PathBuf,
        #[command(flatten)]
        options: RunArguments,
        #[command(flatten)]
        project: ProjectArguments,
    },
    /// Run a scenario with real packets: network namespaces, real programs, the kernel's TCP
    #[command(mut_arg("jobs", |jobs| jobs.hide(true)))]
    #[command(mut_arg("store", |store| store.hide(true)))]
    #[command(mut_arg("precision", |precision| precision.hide(true)))]
    #[command(mut_arg("of", |of| of.hide(true)))]
    #[command(mut_arg("max_seeds", |limit| limit.hide(true)))]
    #[command(mut_arg("out", |out| out.help("Write the results to this folder [default: out/live/<name>, with --quick out/live/<name>-quick]")))]
    Live {
        /// The scenario file, or the folder of a P4 project
        file: PathBuf,
        #[command(flatten)]
        options: RunArguments,
        #[command(flatten)]
        project: ProjectArguments,
        #[command(flatten)]
        live: LiveArguments,
    },
    /// Run a command behind an emulated bottleneck, in its own network namespaces
    Shell(ShellArguments),
    /// List components; with parameters, defaults, units and source documents on request; or reasons, metrics, gauges
    List {
        /// What to list [default: all components]
        #[arg(value_parser = ListingParser)]
        what: Option<Listing>,
        /// List this one in detail, such as `list queues codel`
        #[arg(requires = "what")]
        id: Option<String>,
        /// List all in detail
        #[arg(long, conflicts_with = "id")]
        all: bool,
        /// Print NDJSON records
        #[arg(long)]
        json: bool,
    },
    /// Check scenario files without running them
    Check {
        /// The scenario files, or folders of P4 projects
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Set any key of the scenario before the check: links.bottleneck.rate="20 Mbit/s"
        #[arg(long = "set", value_name = "PATH=VALUE")]
        set: Vec<String>,
        /// Check the short form, with the scenario's [quick] table applied
        #[arg(long)]
        quick: bool,
        /// Print an NDJSON record per file, with the estimate of each variant
        #[arg(long)]
        json: bool,
        /// Print everything [default: at most 60 lines]
        #[arg(long, alias = "full")]
        all: bool,
        #[command(flatten)]
        project: ProjectArguments,
        #[command(flatten)]
        data: DataArgument,
    },
    /// Write a commented scenario to start from: a home line, an LTE cell, a satellite, a data centre, a content network
    New {
        /// The situation [default: print the menu]
        situation: Option<String>,
        /// Write the scenario to this file [default: <SITUATION>.toml]; the traces that it names go to `traces/` beside it
        #[arg(requires = "situation")]
        file: Option<PathBuf>,
        /// Replace files that are there
        #[arg(long)]
        force: bool,
    },
    /// Print a scenario's queues for other programs: as commands of Linux's tc, or as OpenWrt's SQM configuration
    Export {
        #[command(subcommand)]
        command: ExportCommand,
    },
    /// Print the JSON Schema of scenario files
    Schema,
    /// Load congestion controls into this machine's kernel: newCWV, DCTCP, Prague (needs root)
    Cc {
        #[command(subcommand)]
        command: CcCommand,
    },
    /// Inspect, convert and synthesize link traces
    Trace {
        #[command(subcommand)]
        command: TraceCommand,
    },
    /// Make traces of video with real encoders, and inspect the labels of captures
    Media {
        #[command(subcommand)]
        command: MediaCommand,
    },
    /// Check P4 programs, test them with packets, run captures through them
    P4 {
        #[command(subcommand)]
        command: P4Command,
    },
    /// Run a paper's experiments and compare the results with its figures
    Reproduce {
        /// A paper or one of its experiments, PAPER or PAPER/EXPERIMENT [default: list all experiments]
        name: Option<String>,
        /// Read the papers' scenarios from this folder [default: the scenarios of the project]
        #[arg(long, value_name = "DIR")]
        scenarios: Option<PathBuf>,
        /// Draw the paper's figures from the results into <DIR>/figures (needs the Python package)
        #[arg(long, requires = "name")]
        figures: bool,
        /// Print the ledger of the paper's claims as Markdown, and run nothing
        #[arg(long, requires = "name", conflicts_with = "figures")]
        ledger: bool,
        #[command(flatten)]
        options: RunArguments,
    },
    /// Run a scenario at many points of a parameter space, locally or on a Dask cluster (needs the Python package)
    Sweep(SweepArguments),
    /// Check every file of stored results, or of a store of runs, against its hash
    Verify {
        /// The folder, from `run`, `live` or `reproduce`, or one given to `--store` or to `sweep --out`
        dir: PathBuf,
        /// Print NDJSON records
        #[arg(long)]
        json: bool,
    },
    /// Print the table of stored results and write report.html again
    Report {
        /// The folder of results, from `run`, `live` or `reproduce`
        dir: PathBuf,
        /// Print the summary as NDJSON records instead of the table
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        show: ShowArguments,
    },
    /// Compare two results side by side, such as a simulated and a live run of one scenario
    Compare {
        /// The first result: a folder from `run`, `live` or `reproduce`, or a file of flent's (`.flent.gz`)
        #[arg(value_name = "A")]
        a: PathBuf,
        /// The second result, likewise
        #[arg(value_name = "B")]
        b: PathBuf,
        /// Write <DIR>/compare.html, a page with both results' series in the same charts
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
        /// Print NDJSON records instead of the table
        #[arg(long)]
        json: bool,
        /// Print all values [default: those that tables show, in at most 60 lines]
        #[arg(long, alias = "full")]
        all: bool,
    },
    /// Continue a stored run with one thing changed: a drop reverted, a rule off, another queue; and show what it did to viewers
    #[command(name = "whatif")]
    WhatIf(WhatIfArguments),
    /// Explain viewers' events (stalls, freezes, late frames) by the drops and waits behind them
    Explain {
        /// A folder of results with accounts (`[record] accounts = true`), or a scenario file to run with them
        #[arg(value_name = "TARGET")]
        target: PathBuf,
        #[command(flatten)]
        options: RunArguments,
        #[command(flatten)]
        explain: ExplainArguments,
    },
    /// Print shell completions
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write man pages
    Man {
        /// Write the pages to this folder
        #[arg(long, value_name = "DIR", default_value = "man")]
        out: PathBuf,
    },
}

/// Arguments of `whatif`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("change").required(true).args(["flip", "flip_rule", "queue"]))]
pub struct WhatIfArguments {
    /// The folder of results, from `run` or `reproduce`
    pub dir: PathBuf,
    /// Revert this drop or mark: an id of drops.parquet
    #[arg(long, value_name = "ID")]
    pub flip: Option<u64>,
    /// Revert the drops and marks of this rule: a reason, or the id of a discipline for all its reasons
    #[arg(long, value_name = "RULE", requires = "from")]
    pub flip_rule: Option<String>,
    /// Exchange a queue's discipline: links.bottleneck.queue=fq-codel
    #[arg(long, value_name = "PATH=VALUE", requires = "at")]
    pub queue: Option<String>,
    /// With --flip-rule: from this instant on, such as 10s
    #[arg(long, value_name = "TIME", requires = "flip_rule")]
    pub from: Option<Duration>,
    /// With --flip-rule: up to this instant [default: the end]
    #[arg(long, value_name = "TIME", requires = "flip_rule")]
    pub to: Option<Duration>,
    /// With --flip-rule: at this queue only, such as bottleneck.forward
    #[arg(long, value_name = "NAME", requires = "flip_rule")]
    pub queue_name: Option<String>,
    /// With --queue: at this instant, such as 10s
    #[arg(long, value_name = "TIME", requires = "queue")]
    pub at: Option<Duration>,
    /// The run of this variant [default: the only one]
    #[arg(long, value_name = "NAME")]
    pub variant: Option<String>,
    /// The run with this seed [default: the only one]
    #[arg(long, value_name = "N", value_parser = seed)]
    pub seed: Option<u64>,
    /// End both runs at this instant [default: the end of the run]
    #[arg(long, value_name = "TIME")]
    pub until: Option<Duration>,
    /// End both runs this long after the change
    #[arg(long, value_name = "DURATION", conflicts_with = "until")]
    pub horizon: Option<Duration>,
    /// Repeat both with this many fresh draws of all random numbers after the change, and show means with intervals
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub draws: Option<u64>,
    /// Write both runs to this folder, as results with the variants `original` and `changed`
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Replace the folder even if it holds something else than results
    #[arg(long, requires = "out")]
    pub force: bool,
    /// Print NDJSON records
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub data: DataArgument,
}

/// Languages that a scenario's queues are printed in.
#[derive(Debug, Subcommand)]
pub enum ExportCommand {
    /// Print a shell script of tc commands; differences between the scenario's queues and Linux's are comments
    Tc {
        /// The scenario file
        file: PathBuf,
        #[command(flatten)]
        scenario: ScenarioArguments,
        /// Print the queues of this link only
        #[arg(long, value_name = "LINK")]
        link: Option<String>,
        /// Print the queues that this node sends through only
        #[arg(long, value_name = "NODE")]
        node: Option<String>,
        /// The device of the queue, if it is only one [default: a variable of the script's environment]
        #[arg(long = "dev", value_name = "NAME")]
        device: Option<String>,
        /// Print the links' delay and loss too, as netem on the devices of the receiving nodes
        #[arg(long)]
        with_netem: bool,
    },
    /// Print /etc/config/sqm of OpenWrt, for an access link with CAKE or FQ-CoDel in both directions
    Sqm {
        /// The scenario file
        file: PathBuf,
        #[command(flatten)]
        scenario: ScenarioArguments,
        /// The access link [default: the only link]
        #[arg(long, value_name = "LINK")]
        link: Option<String>,
        /// The node that sends the upload [default: the sender of the slower direction]
        #[arg(long, value_name = "NODE")]
        router: Option<String>,
        /// OpenWrt's interface
        #[arg(long, value_name = "NAME", default_value = "wan")]
        interface: String,
    },
}

/// What selects a variant of a scenario.
#[derive(Debug, Args)]
pub struct ScenarioArguments {
    /// Set any key of the scenario: links.bottleneck.rate="20 Mbit/s"
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// Use the short form, with the scenario's [quick] table applied
    #[arg(long)]
    pub quick: bool,
    /// The variant, if the scenario has several
    #[arg(long, value_name = "VARIANT")]
    pub variant: Option<String>,
    #[command(flatten)]
    pub data: DataArgument,
}

/// Arguments of `run` and `reproduce`.
#[derive(Debug, Clone, Args)]
pub struct RunArguments {
    /// Write the results to this folder [default: out/<name>, with --quick out/<name>-quick]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Replace the output folder even if it holds something other than our results, or those of exactly these runs; start even if
    /// memory or disk seem too small
    #[arg(long)]
    pub force: bool,
    /// Keep finished runs in this folder and use those that are there; several results and sweeps may share it
    /// [default: a folder beside the output folder, until the results are complete]
    #[arg(long, value_name = "DIR")]
    pub store: Option<PathBuf>,
    /// Add seeds until the 95 % interval of the metric `--of` is at most ± this share of the mean for every variant,
    /// such as 2%
    #[arg(long, value_name = "SHARE", requires = "of")]
    pub precision: Option<String>,
    /// The metric of `--precision`: "all flows:goodput", bulk:rtt, or "tcp.*:goodput" for each flow named so
    #[arg(long, value_name = "OBJECT:METRIC", requires = "precision")]
    pub of: Option<String>,
    /// The largest number of seeds for `--precision`
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(2..=100_000), requires = "precision")]
    pub max_seeds: u32,
    /// Use this first seed [default: 1, or the scenario's list]
    // TOML integers end at 2^63 - 1, and `runs` counts up from the first seed.
    #[arg(long, value_name = "N", value_parser = seed)]
    pub seed: Option<u64>,
    /// Number of seeds per variant [default: from the scenario]
    #[arg(long, alias = "seeds", value_name = "N", value_parser = number_of_seeds)]
    pub runs: Option<u32>,
    /// Number of parallel runs [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = jobs)]
    pub jobs: Option<u16>,
    /// Print NDJSON records instead of the table
    #[arg(long)]
    pub json: bool,
    /// Run the short form: with the scenario's [quick] table applied or, without one, a tenth of the time and two seeds
    #[arg(long)]
    pub quick: bool,
    /// Set any key of the scenario: links.bottleneck.rate="20 Mbit/s"
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// Sample gauges (internal state of components) along with the series: all gauges, or those named [default: from
    /// the scenario]
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        num_args = 0..,
        require_equals = true,
        default_missing_value = "all"
    )]
    pub gauges: Option<Vec<String>>,
    /// Capture the packets that leave each port to pcapng files
    #[arg(long)]
    pub pcap: bool,
    #[command(flatten)]
    pub show: ShowArguments,
    #[command(flatten)]
    pub data: DataArgument,
}

/// What tables show.
#[derive(Debug, Clone, Default, Args)]
pub struct ShowArguments {
    /// Show these columns: metrics with or without a statistic, such as goodput,rtt_mean,rtt_p99 [default: from the scenario, or
    /// those that suit the results]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = column)]
    pub columns: Vec<ReportColumn>,
    /// Show a row for each flow in place of each group of flows
    #[arg(long)]
    pub flows: bool,
    /// Print everything: all columns and rows, and the sizes of all differences [default: at most 60 lines]
    #[arg(long, alias = "full")]
    pub all: bool,
}

/// Arguments of `explain`.
#[derive(Debug, Clone, Args)]
pub struct ExplainArguments {
    /// Explain so many events, the most expensive ones [default: 5]
    #[arg(long, value_name = "N", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..))]
    pub worst: Option<usize>,
    /// Explain only events of this flow
    #[arg(long, value_name = "FLOW")]
    pub viewer: Option<String>,
    /// Explain only the event with this number (column `id` of events.parquet)
    #[arg(long, value_name = "ID")]
    pub event: Option<u64>,
    /// Explain only runs of this variant
    #[arg(long, value_name = "NAME")]
    pub variant: Option<String>,
    /// Believe the chains: do not run counterfactuals
    #[arg(long)]
    pub no_check: bool,
    /// Draw the most expensive of the explained events as a ladder of packets
    #[arg(long, value_name = "FILE.svg")]
    pub picture: Option<PathBuf>,
    /// Instead, judge the chains of so many random events, and print the share that is right
    #[arg(long, value_name = "N", conflicts_with_all = ["event", "no_check", "picture"])]
    pub check_sample: Option<usize>,
    /// Seed of the random choice of `--check-sample`
    #[arg(long, value_name = "N", default_value_t = 1, requires = "check_sample")]
    pub sample_seed: u64,
}

impl RunArguments {
    /// Settings from `--set` and `--gauges`.
    pub fn settings(&self) -> Vec<String> {
        let gauges = self.gauges.as_ref().map(|names| match names.as_slice() {
            [all] if all == "all" => "gauges=true".to_owned(),
            names => format!("gauges={names:?}"),
        });
        self.set.iter().cloned().chain(gauges).collect()
    }
}

/// Arguments of `sweep`. The texts are passed on unparsed: the Python package alone defines their syntax.
#[derive(Debug, Args)]
#[command(after_help = SWEEP_EXAMPLES)]
pub struct SweepArguments {
    /// The scenario file, or an experiment name as in `reproduce`
    pub file: PathBuf,
    /// The parameters to vary: a key with its values, PATH=1ms,5ms,20ms, or with a range, PATH=1ms..20ms
    #[arg(long, value_name = "PATH=VALUES", num_args = 1.., required = true)]
    pub axes: Vec<String>,
    /// The points to run: all combinations (grid) or a Latin hypercube of N points (lhs:N, lhs:N:SEED)
    #[arg(long, value_name = "SAMPLE", default_value = "grid")]
    pub sample: String,
    /// The seeds, the same at every point: a number of seeds (5) or a list (1-20, 1,4,7) [default: from the scenario]
    #[arg(long, value_name = "SEEDS")]
    pub seeds: Option<String>,
    /// Run on the Dask cluster of this scheduler, such as tcp://head:8786 [default: local processes]
    #[arg(long, value_name = "ADDRESS", conflicts_with = "jobs")]
    pub scheduler: Option<String>,
    /// Number of worker processes [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = jobs)]
    pub jobs: Option<u16>,
    /// Write the results to this folder, or resume the interrupted sweep there [default: out/sweeps/<name>]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Data to keep of each run: summary values only, or full results as well
    #[arg(long, value_name = "summary|all", default_value = "summary", hide_possible_values = true)]
    pub keep: KeepChoice,
    /// Number of runs per batch given to a worker [default: about 1 to 2 s of work]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub batch: Option<u32>,
    /// Print NDJSON records instead of the table
    #[arg(long)]
    pub json: bool,
    /// Run the short form: with the scenario's [quick] table applied or, without one, a tenth of the time and two seeds
    #[arg(long)]
    pub quick: bool,
    /// Set any key of the scenario: links.bottleneck.rate="20 Mbit/s"
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    #[command(flatten)]
    pub data: DataArgument,
}

const SWEEP_EXAMPLES: &str = "Examples:
  jettison sweep mine.toml --axes links.bottleneck.delay=5ms,20ms --seeds 1-20
  jettison sweep mine.toml --axes links.bottleneck.rate=5Mbit/s..50Mbit/s:log --sample lhs:100";

/// Data that a sweep keeps of each run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum KeepChoice {
    /// Summary values only
    Summary,
    /// Summary values, series, drops and distributions, as `run` writes them
    All,
}

impl KeepChoice {
    /// Name of the choice in the Python package.
    pub fn name(self) -> &'static str {
        match self {
            KeepChoice::Summary => "summary",
            KeepChoice::All => "all",
        }
    }
}

/// Additional arguments of `live`.
#[derive(Debug, Clone, Args)]
pub struct LiveArguments {
    /// Serve a page on this local port that shows the run in progress [default: any free port]
    #[arg(long, value_name = "PORT", num_args = 0..=1, require_equals = true, default_missing_value = "0")]
    pub watch: Option<u16>,
    /// Run the scenario's commands without asking
    #[arg(long, short = 'y')]
    pub yes: bool,
    /// Do not schedule the router, hosts and programs in real time, even if permitted
    #[arg(long)]
    pub no_real_time: bool,
    /// Open a shell on this host; the run ends with it
    #[arg(long, value_name = "HOST")]
    pub shell: Option<String>,
    /// P4 projects of p4-utils: write the topology.json that their controllers load
    #[arg(long, value_name = "FILE")]
    pub topology: Option<PathBuf>,
}

/// Arguments for folders of P4 projects: `topology.json` of the P4 tutorials, `p4app.json` of p4-utils.
#[derive(Debug, Clone, Default, Args)]
pub struct ProjectArguments {
    /// P4 projects: use this program, or the files of this folder in place of the project's of the same name
    #[arg(long, value_name = "PATH")]
    pub program: Option<PathBuf>,
    /// P4 projects: let this host ping that one; may be repeated [default: all pairs of hosts]
    #[arg(long, num_args = 2, value_names = ["FROM", "TO"])]
    pub ping: Vec<String>,
}

/// Arguments of `shell`. The command runs at the far end of the bottleneck; the near end is a host as well.
#[derive(Debug, Args)]
pub struct ShellArguments {
    /// The link towards the command: a rate, such as "12 Mbit/s", or a trace file in Mahimahi's format
    #[arg(long, value_name = "RATE|TRACE", default_value = "1 Gbit/s")]
    pub down: String,
    /// The link away from the command: a rate or a trace file
    #[arg(long, value_name = "RATE|TRACE", default_value = "1 Gbit/s")]
    pub up: String,
    /// One-way delay in each direction
    #[arg(long, value_name = "TIME", default_value = "0 ms")]
    pub delay: Duration,
    /// The queue discipline of both links: an id, or a table such as '{ kind = "codel", target = "5 ms" }'
    #[arg(long, value_name = "QUEUE", default_value = "tail-drop")]
    pub queue: String,
    /// The queue discipline of the link away from the command [default: as --queue]
    #[arg(long, value_name = "QUEUE")]
    pub up_queue: Option<String>,
    /// Fraction of packets lost at random in each direction, such as 0.01
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = share)]
    pub loss: f64,
    /// Start this program at the near end first; the command finds its address in $JETTISON_FROM
    #[arg(long, value_name = "COMMAND")]
    pub server: Option<String>,
    /// Wait until the server listens on this TCP port of the near end
    #[arg(long, value_name = "PORT", requires = "server")]
    pub ready: Option<u16>,
    /// Give the command access to this machine's network, through NAT, and its name servers (needs root)
    #[arg(long, conflicts_with_all = ["server", "ready"])]
    pub nat: bool,
    /// Keep the results in this folder, as `live` does
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Replace the output folder even if it holds something other than our results
    #[arg(long, requires = "out")]
    pub force: bool,
    /// End the command after this time
    #[arg(long, value_name = "TIME", default_value = "1440 min")]
    pub duration: Duration,
    /// The command and its arguments [default: your shell]
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

/// Location of input files outside the scenario's folder.
#[derive(Debug, Clone, Args)]
pub struct DataArgument {
    /// Look in this folder for files that are not in the scenario's folder
    #[arg(long = "data", value_name = "FOLDER", env = "JETTISON_DATA", hide_env_values = true)]
    pub folder: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub enum CcCommand {
    /// Register a congestion control until `unload` or a restart of the machine
    Load {
        /// newcwv (also registers newcwv_paced), dctcp or prague
        name: String,
        /// newcwv: keep a non-validated window for this time, at most 5 min (RFC 7661 section 4.4) [default: 300 s]
        #[arg(long)]
        validity: Option<Duration>,
        /// newcwv: release at most this many packets per ACK or write in the non-validated phase, unless paced; 0 for no
        /// limit (RFC 7661 section 4.4.2) [default: 10]
        #[arg(long, value_name = "PACKETS")]
        burst: Option<u32>,
        /// prague: the ECN codepoint of data, ect1 or ect0 [default: ect1]
        #[arg(long)]
        codepoint: Option<String>,
        /// prague: a network device whose packets get ECT(1) [default: all of this network namespace]
        #[arg(long, value_name = "NAME")]
        device: Vec<String>,
    },
    /// Remove a congestion control; open sockets that use it keep it until they are closed
    Unload {
        /// newcwv, dctcp or prague [default: all]
        name: Option<String>,
    },
    /// Print what is loaded and how many sockets use it
    Status {
        /// newcwv, dctcp or prague [default: all]
        name: Option<String>,
    },
}

#[derive(Debug, Subcommand)]
pub enum TraceCommand {
    /// Print a trace's length, rates and outages
    Info {
        /// The trace: Mahimahi's delivery opportunities, a base station's grants (srsRAN) or a drive test (CSV)
        file: PathBuf,
        #[command(flatten)]
        read: ReadArguments,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Convert a trace, or a part of it, to another format
    Convert(ConvertArguments),
    /// Generate a cellular trace from a seed: Poisson with a Brownian rate (Winstein et al., NSDI 2013, section 3.1)
    Synthesize(SynthesizeArguments),
}

/// Options for reading a trace.
#[derive(Debug, Clone, Args)]
pub struct ReadArguments {
    /// Format of the input [default: detected from its contents]
    #[arg(long, value_name = "FORMAT")]
    pub from: Option<TraceInput>,
    /// Read the uplink of a drive test (UL_bitrate) instead of the downlink
    #[arg(long)]
    pub up: bool,
    /// Keep restarts of a drive test's downloads as outages instead of interpolating them
    #[arg(long)]
    pub keep_restarts: bool,
}

/// Options for writing a trace.
#[derive(Debug, Clone, Args)]
pub struct WriteArguments {
    /// Duration of a batch of grants in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=60_000))]
    pub batch: u32,
    /// Replace the output file if it exists
    #[arg(long)]
    pub force: bool,
}

/// Arguments of `trace convert`.
#[derive(Debug, Args)]
pub struct ConvertArguments {
    /// The trace to convert
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// The file to write
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
    /// Format of the output
    #[arg(long, value_name = "FORMAT")]
    pub to: TraceOutput,
    #[command(flatten)]
    pub read: ReadArguments,
    /// Start at this time of the trace, such as "30 s" [default: at the beginning]
    #[arg(long, value_name = "TIME")]
    pub from_time: Option<Duration>,
    /// Convert only this much of the trace, such as "2 min" [default: to the end]
    #[arg(long, value_name = "TIME")]
    pub duration: Option<Duration>,
    /// Size of a delivery opportunity
    #[arg(long, value_name = "SIZE", default_value = "1504 bytes")]
    pub opportunity: Bytes,
    #[command(flatten)]
    pub write: WriteArguments,
}

/// Arguments of `trace synthesize`. Rates count 1,504 bytes per delivery opportunity.
#[derive(Debug, Args)]
pub struct SynthesizeArguments {
    /// The file to write
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
    /// Seed of the generator; the same options and seed give the same trace
    #[arg(long, value_name = "N")]
    pub seed: u64,
    /// Length of the trace [default: 120 s]
    #[arg(long, value_name = "TIME")]
    pub duration: Option<Duration>,
    /// Mean rate, towards which the rate reverts [default: none, so the rate is a plain Brownian motion]
    #[arg(long, value_name = "RATE")]
    pub mean: Option<Rate>,
    /// Maximum rate [default: 1,000 opportunities per second, 12.032 Mbit/s]
    #[arg(long, value_name = "RATE")]
    pub max: Option<Rate>,
    /// Standard deviation of the rate after one second [default: 200 opportunities per second, 2.4064 Mbit/s]
    #[arg(long, value_name = "RATE")]
    pub volatility: Option<Rate>,
    /// With --mean: time constant of the reversion, after which 1/e of a deviation remains [default: 10 s]
    #[arg(long, value_name = "TIME")]
    pub pull: Option<Duration>,
    /// Mean length of an outage, which begins when the rate reaches zero [default: 1 s]
    #[arg(long, value_name = "TIME")]
    pub outage: Option<Duration>,
    /// Format of the output
    #[arg(long, value_name = "FORMAT", default_value = "mahimahi")]
    pub to: TraceOutput,
    /// Size of a delivery opportunity, to convert to grants
    #[arg(long, value_name = "SIZE", default_value = "1504 bytes")]
    pub opportunity: Bytes,
    #[command(flatten)]
    pub write: WriteArguments,
}

#[derive(Debug, Subcommand)]
pub enum P4Command {
    /// Check P4 programs without running them
    Check {
        /// The programs (P4_16, v1model)
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// The control plane's commands in the syntax of simple_switch_CLI, to be checked as well
        #[arg(long, value_name = "FILE")]
        commands: Option<PathBuf>,
        /// Print each program after elaboration: every type known, every call a statement
        #[arg(long)]
        dump: bool,
        #[command(flatten)]
        preprocessor: PreprocessorArguments,
    },
    /// Run packet tests (STF); exit 1 if one fails
    Test {
        /// A program and its tests, FILE.p4 FILE.stf..., or folders, whose programs run with the tests of the same
        /// name
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Write the results as JUnit XML
        #[arg(long, value_name = "FILE")]
        junit: Option<PathBuf>,
        #[command(flatten)]
        preprocessor: PreprocessorArguments,
    },
    /// Run the packets of a capture through a program and print a summary
    Run(P4RunArguments),
    /// Describe a program to a P4Runtime controller: P4Info and a device configuration
    Compile(P4CompileArguments),
    /// Run a program as a switch that P4Runtime controllers control, until interrupted
    #[cfg(feature = "p4runtime")]
    Serve(P4ServeArguments),
}

/// Arguments of `p4 run`.
#[derive(Debug, Args)]
pub struct P4RunArguments {
    /// The program (P4_16, v1model)
    pub file: PathBuf,
    /// The packets: a pcap or pcapng file of Ethernet frames
    #[arg(long, value_name = "FILE")]
    pub pcap: PathBuf,
    /// The ingress port of the packets
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=510))]
    pub port: u16,
    /// The control plane's commands in the syntax of simple_switch_CLI
    #[arg(long, value_name = "FILE")]
    pub commands: Option<PathBuf>,
    /// Write the packets that leave each port to <DIR>/port-<N>.pcapng
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub preprocessor: PreprocessorArguments,
}

/// Arguments of `p4 compile`.
#[derive(Debug, Args)]
pub struct P4CompileArguments {
    /// The program (P4_16, v1model)
    pub file: PathBuf,
    /// Write the P4Info: binary if FILE ends in .bin or .pb, else in protobuf's text format
    #[arg(long, value_name = "FILE")]
    pub p4info: Option<PathBuf>,
    /// Write the device configuration, with which `p4 serve` compiles the program again
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    #[command(flatten)]
    pub preprocessor: PreprocessorArguments,
}

/// Arguments of `p4 serve`.
#[cfg(feature = "p4runtime")]
#[derive(Debug, Args)]
pub struct P4ServeArguments {
    /// The program (P4_16, v1model)
    pub file: PathBuf,
    /// Listen on this address, without TLS
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:9559")]
    pub listen: std::net::SocketAddr,
    /// The device id of this switch
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub device_id: u64,
    /// The port of packet-ins and packet-outs
    #[arg(long, value_name = "N", default_value_t = 510, value_parser = clap::value_parser!(u16).range(0..=510))]
    pub cpu_port: u16,
    /// Take the values of types with `@p4runtime_translation` from this TOML file: a table for each URI, with the number of each value
    #[arg(long, value_name = "FILE")]
    pub translation: Option<PathBuf>,
    #[command(flatten)]
    pub preprocessor: PreprocessorArguments,
}

/// Options of the P4 preprocessor.
#[derive(Debug, Clone, Args)]
pub struct PreprocessorArguments {
    /// Search this folder for include files (repeatable)
    #[arg(short = 'I', long = "include", value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// Define a macro, with value 1 by default (repeatable)
    #[arg(short = 'D', long = "define", value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// Behave as BMv2's simple_switch, or as the specification says where the two differ
    #[arg(long, value_name = "TARGET", default_value = "bmv2")]
    pub target: P4Target,
}

/// Whose behaviour a P4 program gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum P4Target {
    /// That of BMv2's simple_switch
    Bmv2,
    /// That of the P4_16 specification
    Spec,
}

impl From<P4Target> for TargetModel {
    fn from(target: P4Target) -> TargetModel {
        match target {
            P4Target::Bmv2 => TargetModel::Bmv2,
            P4Target::Spec => TargetModel::Spec,
        }
    }
}

/// Input formats of traces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TraceInput {
    /// One line per delivery opportunity: its millisecond
    Mahimahi,
    /// A base station's grants: milliseconds per batch, number of batches, bytes of each
    Srsran,
    /// A drive test: rows with Timestamp and DL_bitrate
    Csv,
}

/// Output formats of traces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TraceOutput {
    /// One line per delivery opportunity: its millisecond
    Mahimahi,
    /// A base station's grants: milliseconds per batch, number of batches, bytes of each
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

/// Parses the name of a column.
fn column(text: &str) -> Result<ReportColumn, String> {
    let parsed = ColumnName::parse(text.trim()).map_err(|error| format!("{error}; {}", error.help()))?;
    Ok(jettison_run::column(parsed))
}

fn seed(text: &str) -> Result<u64, String> {
    whole(text, 0, i64::MAX as u64 - 100_000)
}

fn number_of_seeds(text: &str) -> Result<u32, String> {
    whole(text, 1, 100_000).map(|number| number as u32)
}

fn jobs(text: &str) -> Result<u16, String> {
    whole(text, 1, 1024).map(|number| number as u16)
}

/// Parses a whole number in a range.
fn whole(text: &str, least: u64, most: u64) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| format!("must be a whole number from {least} to {most}"))
}

/// Parses a probability, such as 0.05.
fn share(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| "must be a fraction of 1, such as 0.05 for 5 %".to_owned())
}

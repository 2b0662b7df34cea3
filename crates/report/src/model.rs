//! Description of an experiment and of the runs in its results: plain data, as in `manifest.json`.

use std::collections::BTreeMap;
use std::fmt;

use indexmap::IndexMap;
use jettison_core::Duration;
use jettison_measure::Kind;
use serde::{Deserialize, Serialize};

use crate::style::Style;

/// An experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Experiment {
    /// Name of the scenario, such as `ired/ingress-vs-egress`.
    pub name: String,
    /// Description in a few sentences; may be empty.
    pub description: String,
    /// Simulated or live.
    #[serde(default)]
    pub mode: Mode,
    /// Virtual time of each run.
    pub duration: Duration,
    /// Start of the interval for summary values and distributions.
    pub warm_up: Duration,
    /// The variants of the comparison, in the order of tables and plots.
    pub variants: Vec<Variant>,
    /// Seeds; each variant has one run per seed.
    pub seeds: Vec<u64>,
    /// Files that the runs depend on.
    pub inputs: Vec<Input>,
    /// The queue that tables and plots show; the busiest if none is named.
    pub bottleneck: Option<String>,
    /// What tables show.
    #[serde(default, skip_serializing_if = "ReportSettings::is_default")]
    pub report: ReportSettings,
    /// Additional figures for the report.
    pub figures: Vec<Figure>,
    /// Styles in plots and names in legends, by label of the variants.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub styles: BTreeMap<String, Style>,
    /// The effective configuration as TOML, with defaults and overrides.
    pub configuration: String,
}

impl Experiment {
    /// The name of a variant that is given by its name, or by a label that no other variant has.
    pub fn variant_named(&self, given: &str) -> Option<&str> {
        let by_name = self.variants.iter().find(|variant| variant.name == given);
        let mut labelled =
            self.variants.iter().filter(|variant| variant.labels.values().any(|label| label == given));
        let only = labelled.next().filter(|_| labelled.next().is_none());
        by_name.or(only).map(|variant| variant.name.as_str())
    }
}

/// What tables show.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ReportSettings {
    /// The columns; those that suit the results if empty.
    pub columns: Vec<ReportColumn>,
    /// Whether each flow has values of its own; otherwise groups of flows have.
    pub flows: bool,
}

/// A column that tables are to show, for all that has such values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportColumn {
    /// Name of the metric.
    pub metric: String,
    /// The percentile: 50, 95 or 99; none for the mean or the count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percentile: Option<u8>,
}

impl ReportSettings {
    fn is_default(&self) -> bool {
        *self == ReportSettings::default()
    }
}

/// Execution mode of an experiment. Results without it are simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Mode {
    /// In the simulator's virtual time.
    #[default]
    #[serde(rename = "sim")]
    Simulated,
    /// In real time, between real programs.
    #[serde(rename = "live")]
    Live,
    /// Measured by flent in a network, read for a comparison.
    #[serde(rename = "flent")]
    Flent,
}

impl Mode {
    /// The name in tables: `sim` or `live`.
    pub const fn name(self) -> &'static str {
        match self {
            Mode::Simulated => "sim",
            Mode::Live => "live",
            Mode::Flent => "flent",
        }
    }

    /// The mode with a name, if there is one.
    pub fn of_name(name: &str) -> Option<Mode> {
        [Mode::Simulated, Mode::Live, Mode::Flent].into_iter().find(|mode| mode.name() == name)
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A variant of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Variant {
    /// Name, unique in the experiment.
    pub name: String,
    /// Its value on each axis, by the axis's name.
    pub labels: IndexMap<String, String>,
    /// Name of the variant that it is compared with; none for a baseline itself, and in results of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
}

impl Variant {
    /// The title in tables and plots: the labels alone, since the axes' names are the same for all.
    pub fn title(&self) -> String {
        match self.labels.is_empty() {
            true => self.name.clone(),
            false => self.labels.values().map(String::as_str).collect::<Vec<_>>().join(", "),
        }
    }
}

/// A file that the runs depend on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Input {
    /// Path in the scenario.
    pub path: String,
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
}

/// An additional figure: one metric of one object or of several combined, with one line per variant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// Heading.
    pub title: String,
    /// Explanation; may be empty.
    pub caption: String,
    /// Name of the queue or flow; `tcp.*` selects all whose names begin with `tcp.`.
    pub object: String,
    /// Name of the metric's series.
    pub metric: String,
    /// How values of several objects at one time are combined.
    #[serde(default)]
    pub combine: Combine,
    /// The variants to show, such as `window=whole`: those whose names contain all of these parts. Empty for all.
    #[serde(default)]
    pub variants: String,
    /// The view of the series.
    pub view: View,
}

impl Figure {
    /// Whether the figure shows a variant.
    pub fn shows_variant(&self, name: &str) -> bool {
        let mut wanted = self.variants.split(',').filter(|part| !part.is_empty());
        wanted.all(|part| name.split(',').any(|other| other == part))
    }
}

/// Whether `pattern` selects an object: `tcp.*` selects all whose names begin with `tcp.`.
pub fn names_object(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => pattern == name,
    }
}

/// Combination of the values of several objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Combine {
    /// Their mean.
    #[default]
    Mean,
    /// Their sum.
    Sum,
}

/// View of a series in a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum View {
    /// The values over time.
    Series,
    /// The mean of this many successive values over time.
    Rolling(usize),
    /// The cumulative distribution of the values after the warm-up, over all seeds.
    Cdf,
}

/// Key of a run: a variant with a seed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RunKey {
    /// Name of the variant.
    pub variant: String,
    /// The seed.
    pub seed: u64,
}

impl fmt::Display for RunKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (seed {})", self.variant, self.seed)
    }
}

/// Completeness of the results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// All runs finished.
    Complete,
    /// Some runs are missing: the experiment was interrupted.
    Interrupted,
    /// A run failed ([`Manifest::failures`]).
    Failed,
}

/// A failure in a run. The run may have measured something nevertheless.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// Time in seconds since the start of the run; `None` if it had not started or the time is unknown.
    pub at: Option<f64>,
    /// The event, in a sentence without a full stop: `the router was killed by SIGKILL`.
    pub what: String,
    /// Exit status of the program that owned the terminal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u8>,
}

/// A failure and its run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FailureEntry {
    /// The run.
    #[serde(flatten)]
    pub key: RunKey,
    /// The failure.
    #[serde(flatten)]
    pub failure: Failure,
}

impl fmt::Display for FailureEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.failure.at {
            Some(at) => write!(f, "{} after {at:.1} s: {}", self.key, self.failure.what),
            None => write!(f, "{}: {}", self.key, self.failure.what),
        }
    }
}

/// Conditions of a live run on its machine.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LiveFacts {
    /// Scheduling of the router's thread: `SCHED_FIFO 50`, or `normal` with the reason.
    pub scheduling: String,
    /// Offloads of the hosts' kernels to the router: `none`, `checksums`, or `checksums and segmentation`.
    pub offload: String,
    /// Release of the kernel.
    pub kernel: String,
    /// Scheduling of the built-in applications' thread, likewise; empty in results of earlier versions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub hosts_scheduling: String,
    /// Scheduling of the programs; empty without programs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub programs_scheduling: String,
    /// Settings of the hosts' kernels; hosts with the same values share an entry.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<HostSettings>,
    /// Lateness of the threads; none in results of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeliness: Option<Timeliness>,
    /// Flows of external programs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub external: Vec<String>,
    /// Further notes for the reader.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// Settings of one or more hosts of a live run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HostSettings {
    /// Names of the hosts.
    pub hosts: Vec<String>,
    /// Sysctls by name, and `congestion` (of sockets that choose none) and `txqueuelen` of the device.
    pub values: IndexMap<String, String>,
}

/// How late the threads of a live run were, and whether that is too late for what was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Timeliness {
    /// Whether a thread was later than the limit.
    pub late: bool,
    /// The limit for the 99th percentile, in microseconds.
    pub limit_us: f64,
    /// The threads.
    pub threads: Vec<ThreadLateness>,
    /// Time for which at least one task of the machine waited for a processor, in per cent; none if the kernel does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_pressure: Option<f64>,
    /// Time of the processors that the hypervisor gave to other machines, in per cent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steal: Option<f64>,
}

/// Lateness of a thread or a group of threads since the warm-up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ThreadLateness {
    /// `router`, `hosts` (the built-in applications) or `programs`.
    pub of: String,
    /// Median in microseconds.
    pub p50_us: f64,
    /// 99th percentile in microseconds.
    pub p99_us: f64,
    /// Maximum in microseconds.
    pub max_us: f64,
    /// Whether it exceeds the limit.
    pub late: bool,
}

/// Conditions of a live run, and its key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LiveEntry {
    /// The run.
    #[serde(flatten)]
    pub key: RunKey,
    /// The conditions.
    #[serde(flatten)]
    pub facts: LiveFacts,
}

/// A run in the results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunEntry {
    /// The run.
    #[serde(flatten)]
    pub key: RunKey,
    /// Number of drops beyond the drop log's capacity.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub drops_not_logged: u64,
    /// SHA-256 of everything that the run depends on; its name in a store of runs. Live runs have none.
    #[serde(default, rename = "key", skip_serializing_if = "Option::is_none")]
    pub content_key: Option<String>,
}

/// Length and hash of a file of the results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileHash {
    /// Length in bytes.
    pub bytes: u64,
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// `manifest.json`: contents and origin of a folder of results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Always [`Manifest::PROGRAM`]: identifies our folders.
    pub program: String,
    /// Version of the program.
    pub version: String,
    /// Git commit that the program was built from, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Version of the folder's layout.
    pub format: u32,
    /// Completeness.
    pub status: Status,
    /// The experiment.
    #[serde(flatten)]
    pub experiment: Experiment,
    /// The runs in the results, in order.
    pub runs: Vec<RunEntry>,
    /// Conditions of each live run, in the order of the runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub live: Vec<LiveEntry>,
    /// Failures, in the order of the runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<FailureEntry>,
    /// Queues and flows, with the table that holds each one's series.
    pub objects: IndexMap<String, String>,
    /// The unit of each metric.
    pub units: IndexMap<String, String>,
    /// Names of the groups of several flows, with their flows.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub groups: IndexMap<String, Vec<String>>,
    /// What the results say, in plain words; empty in results of earlier versions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub answer: String,
    /// Descriptions of the gauges among the series, by name; empty unless gauges were requested.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub gauges: IndexMap<String, String>,
    /// All other files in the folder by path, except `timing.json`. Both that file and this one end with a seal.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub files: IndexMap<String, FileHash>,
}

impl Manifest {
    /// The program's name.
    pub const PROGRAM: &str = "jettison";
    /// The layout's version.
    pub const FORMAT: u32 = 2;
    /// The first version of the layout with hashes of its files.
    pub const HASHED: u32 = 2;

    /// The unit of a metric; empty if unknown.
    pub fn unit(&self, metric: &str) -> &str {
        self.units.get(metric).map_or("", String::as_str)
    }
}

/// Name of the table with the series of objects of a kind.
pub(crate) fn table_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Queue => "queues",
        Kind::Flow => "flows",
    }
}

/// `timing.json`: durations and places, which differ between machines and runs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// Seconds from start to end.
    pub wall_seconds: f64,
    /// Number of parallel runs.
    pub jobs: usize,
    /// The runs, in the order of the experiment.
    pub runs: Vec<RunTiming>,
    /// The scenario's file, seen from the folder of the results; empty if it was none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub scenario: String,
}

/// Duration of one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunTiming {
    /// The run.
    #[serde(flatten)]
    pub key: RunKey,
    /// Seconds from start to end.
    pub wall_seconds: f64,
    /// CPU seconds of the event loop's thread.
    pub cpu_seconds: f64,
}

//! What an experiment is and which of its runs the results hold: plain data, as it stands in `manifest.json`.

use std::collections::BTreeMap;
use std::fmt;

use indexmap::IndexMap;
use jettison_core::Duration;
use jettison_measure::Kind;
use serde::{Deserialize, Serialize};

use crate::style::Style;

/// An experiment: what was to be run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Experiment {
    /// Name of the scenario, such as `ired/ingress-vs-egress`.
    pub name: String,
    /// What it is about, in a sentence or a few; may be empty.
    pub description: String,
    /// Where it is run.
    #[serde(default)]
    pub mode: Mode,
    /// Virtual time of each run.
    pub duration: Duration,
    /// Summary values and distributions count from here.
    pub warm_up: Duration,
    /// The arms of the comparison, in the order in which tables and plots show them.
    pub variants: Vec<Variant>,
    /// One run a variant each.
    pub seeds: Vec<u64>,
    /// Files that the runs depend on.
    pub inputs: Vec<Input>,
    /// The queue that tables and plots look at; the busiest if none is named.
    pub bottleneck: Option<String>,
    /// Figures that the report shows beside the usual ones.
    pub figures: Vec<Figure>,
    /// How plots draw what the variants' labels name, and what legends call it, by label.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub styles: BTreeMap<String, Style>,
    /// The configuration as it took effect, defaults and overrides included, as TOML.
    pub configuration: String,
}

/// Where an experiment is run. Results that do not say so are of the simulator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Mode {
    /// In the simulator's virtual time.
    #[default]
    #[serde(rename = "sim")]
    Simulated,
    /// In real time, between real programs.
    #[serde(rename = "live")]
    Live,
}

impl Mode {
    /// As tables have it: `sim` or `live`.
    pub const fn name(self) -> &'static str {
        match self {
            Mode::Simulated => "sim",
            Mode::Live => "live",
        }
    }

    /// The one of that name, if there is one.
    pub fn of_name(name: &str) -> Option<Mode> {
        [Mode::Simulated, Mode::Live].into_iter().find(|mode| mode.name() == name)
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One arm of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Variant {
    /// Its name, unique in the experiment.
    pub name: String,
    /// Its value on each axis that varies, by the axis's name.
    pub labels: IndexMap<String, String>,
}

impl Variant {
    /// What tables and plots call it: its labels alone, since the axes' names are the same for all.
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
    /// As the scenario names it.
    pub path: String,
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
}

/// A figure beside the usual ones: one metric of one object or of several together, a line a variant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// Its heading.
    pub title: String,
    /// What to see in it; may be empty.
    pub caption: String,
    /// Name of the queue or flow; `tcp.*` stands for all whose names begin with `tcp.`.
    pub object: String,
    /// Name of the metric's series.
    pub metric: String,
    /// What is made of the values that several objects have at one time.
    #[serde(default)]
    pub combine: Combine,
    /// Which variants it shows, such as `window=whole`: those whose names have all of these parts. Empty: all.
    #[serde(default)]
    pub variants: String,
    /// How the series is shown.
    pub view: View,
}

impl Figure {
    /// Whether it shows that variant.
    pub fn shows_variant(&self, name: &str) -> bool {
        let mut wanted = self.variants.split(',').filter(|part| !part.is_empty());
        wanted.all(|part| name.split(',').any(|other| other == part))
    }
}

/// Whether `pattern` names that object: `tcp.*` names all whose names begin with `tcp.`.
pub fn names_object(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => pattern == name,
    }
}

/// What is made of the values of several objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Combine {
    /// Their mean.
    #[default]
    Mean,
    /// Their sum.
    Sum,
}

/// How a figure shows a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum View {
    /// As it is, over time.
    Series,
    /// The mean of this many successive values, over time.
    Rolling(usize),
    /// The cumulative distribution of its values after the warm-up, over all seeds.
    Cdf,
}

/// Which run: a variant under a seed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
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

/// Whether all runs are there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Every run finished.
    Complete,
    /// Some runs are missing: the experiment was interrupted.
    Interrupted,
    /// Something went wrong in a run ([`Manifest::failures`]).
    Failed,
}

/// What went wrong in a run. It may have left measures nevertheless.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// When, in seconds since the run began; `None` if it had not begun, or if that is not known.
    pub at: Option<f64>,
    /// What happened, in a sentence without a full stop: `the router was killed by SIGKILL`.
    pub what: String,
    /// The exit status of a program that had the terminal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u8>,
}

/// What went wrong, and in which run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FailureEntry {
    /// Which run.
    #[serde(flatten)]
    pub key: RunKey,
    /// What went wrong.
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

/// How the machine carried a live run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LiveFacts {
    /// How the router's thread was scheduled: `SCHED_FIFO 50`, or `normal` and why.
    pub scheduling: String,
    /// What hosts' kernels left to the router: `none`, `checksums`, or `checksums and segmentation`.
    pub offload: String,
    /// Release of the kernel.
    pub kernel: String,
    /// What else a reader should know.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// How the machine carried a run, and which.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LiveEntry {
    /// Which run.
    #[serde(flatten)]
    pub key: RunKey,
    /// How.
    #[serde(flatten)]
    pub facts: LiveFacts,
}

/// A run that is in the results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunEntry {
    /// Which.
    #[serde(flatten)]
    pub key: RunKey,
    /// Drops that the drop log had no room for.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub drops_not_logged: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// `manifest.json`: what the folder holds and where it came from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Always [`Manifest::PROGRAM`]: it tells our folders from others.
    pub program: String,
    /// Version of the program.
    pub version: String,
    /// Git commit that the program was built from, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Version of the folder's layout.
    pub format: u32,
    /// Whether all runs are there.
    pub status: Status,
    /// What was to be run.
    #[serde(flatten)]
    pub experiment: Experiment,
    /// What is there, in order.
    pub runs: Vec<RunEntry>,
    /// How the machine carried each live run, in the order of the runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub live: Vec<LiveEntry>,
    /// What went wrong, in the order of the runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<FailureEntry>,
    /// Queues and flows, and the table that each one's series are in.
    pub objects: IndexMap<String, String>,
    /// The unit of each metric.
    pub units: IndexMap<String, String>,
    /// What each gauge among the series is, by its name; empty unless gauges were asked for.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub gauges: IndexMap<String, String>,
}

impl Manifest {
    /// The program's name.
    pub const PROGRAM: &str = "jettison";
    /// The layout's version.
    pub const FORMAT: u32 = 1;

    /// The unit of a metric; empty if it is not known.
    pub fn unit(&self, metric: &str) -> &str {
        self.units.get(metric).map_or("", String::as_str)
    }
}

/// Name of the table that holds the series of objects of that kind.
pub(crate) fn table_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Queue => "queues",
        Kind::Flow => "flows",
    }
}

/// `timing.json`: how long it took. It is no part of what is identical between two machines.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// Seconds from start to end.
    pub wall_seconds: f64,
    /// How many runs went in parallel.
    pub jobs: usize,
    /// Each run, in the order given.
    pub runs: Vec<RunTiming>,
}

/// How long one run took.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunTiming {
    /// Which.
    #[serde(flatten)]
    pub key: RunKey,
    /// Seconds from start to end.
    pub wall_seconds: f64,
    /// CPU seconds of the event loop's thread.
    pub cpu_seconds: f64,
}

//! The keys of scenario files. `jettison schema` prints these types as JSON Schema.

mod ethernet;
mod flow;
mod kinded;
mod link;
mod link_file;
mod live;
mod node;
mod p4_router;
mod record;
mod report;
mod vary;

use indexmap::IndexMap;
use jettison_core::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use ethernet::{HardwareAddress, Layer};
pub use flow::Flow;
pub use kinded::{ApplicationChoice, Kinded, QueueChoice, QueueTable, TransportChoice};
pub(crate) use link::MOST_PROFILE_STEPS;
pub use link::{Carrier, Change, DirectionSettings, Link, LossChoice, Reverse};
pub use link_file::{Cell, Profile, Trace};
pub use live::{Live, Offload};
pub use node::{Host, NatSettings, Node, PolicyRoute, Router, SysctlValue};
pub use p4_router::{Later, P4Router, P4RuntimeServer, ThriftServer};
pub use record::{EventSettings, IdentitySample, IdentitySettings, Record};
pub use report::Report;
pub(crate) use vary::{Alternative, Axis};

/// One variant of a scenario: all keys of the file except `vary` and `quick`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Name of the scenario and, by default, of the folder of its results: `ired/ingress-vs-egress`.
    pub name: String,
    /// Description of the experiment, for reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Duration of a run, including the warm-up.
    pub duration: Duration,
    /// Time at the start of a run that the summary excludes.
    #[serde(default)]
    pub warm_up: Duration,
    /// Number of runs, seeded 1, 2, …; or a list of seeds.
    #[serde(default)]
    pub seeds: Seeds,
    /// Sampling interval of the series.
    #[serde(default = "default_sample_interval")]
    pub sample_interval: Duration,
    /// Gauges of components to sample with the series: all (`true`), or a list of names. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gauges: Option<GaugeSettings>,
    /// Pairs of entries of `[flows]`: goodput per flow of the first over that of the second, and the RTTs of each entry's flows
    /// together. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rate_ratios: Vec<[String; 2]>,
    /// The queue that tables and the report show, a direction of a link: `dsl.forward`. Default: the busiest queue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bottleneck: Option<String>,
    /// What tables show.
    #[serde(default, skip_serializing_if = "Report::is_default")]
    pub report: Report,
    /// What to record beside the series.
    #[serde(default, skip_serializing_if = "Record::is_default")]
    pub record: Record,
    /// Hosts and routers, by name.
    #[serde(default)]
    pub nodes: IndexMap<String, Node>,
    /// Queue disciplines with parameters, by the name that links use.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub queues: IndexMap<String, QueueTable>,
    /// Duplex links, by name.
    #[serde(default)]
    pub links: IndexMap<String, Link>,
    /// Flows, by name.
    #[serde(default)]
    pub flows: IndexMap<String, Flow>,
    /// Settings of `jettison live` alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live: Option<Live>,
}

/// Seeds of the runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Seeds {
    /// A number of runs (at most 100,000), seeded 1, 2, ….
    Count(#[schemars(range(min = 1, max = 100_000))] u32),
    /// One run per seed.
    List(#[schemars(length(min = 1))] Vec<u64>),
}

/// The gauges to sample.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum GaugeSettings {
    /// All or none.
    All(bool),
    /// Gauges by name, such as `["red_average"]`.
    Named(Vec<String>),
}

fn default_sample_interval() -> Duration {
    Duration::from_millis(100)
}

impl Default for Seeds {
    fn default() -> Seeds {
        Seeds::Count(1)
    }
}

impl Seeds {
    /// The seeds, one per run.
    pub fn list(&self) -> Vec<u64> {
        match self {
            Seeds::Count(count) => (1..=u64::from(*count)).collect(),
            Seeds::List(list) => list.clone(),
        }
    }
}

impl Settings {
    /// Resolves the `queue` of a link or node: its own table, the `[queues]` entry of that name, or the discipline of that id
    /// with its defaults.
    pub fn queue(&self, choice: &QueueChoice) -> Kinded {
        match choice {
            QueueChoice::Table(kinded) => kinded.clone(),
            QueueChoice::Named(name) => match self.queues.get(name) {
                Some(QueueTable(kinded)) => kinded.clone(),
                None => Kinded::plain(name),
            },
        }
    }

    /// The listening port of a flow without `port`: from 5001 (iperf's) upwards in the order of the file; Octopus has its
    /// own.
    pub fn default_port(&self, flow: &str, transport: &str) -> u16 {
        const FIRST_PORT: u16 = 5001;
        if transport == "octopus" {
            return jettison_wire::OCTOPUS_PORT;
        }
        let before = self.flows.iter().take_while(|(other, _)| *other != flow);
        let taken: u32 = before.map(|(_, flow)| flow.count).sum();
        FIRST_PORT.wrapping_add(taken as u16)
    }

    /// Settings of one direction of a link, after `reverse`, the node's queue and the defaults. Forward is from the first end to
    /// the second.
    pub fn direction(&self, link: &Link, forward: bool) -> DirectionSettings {
        link.direction(self, forward)
    }
}

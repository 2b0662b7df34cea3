//! What a scenario file says, key by key. `jettison schema` prints these types as JSON Schema.

mod flow;
mod kinded;
mod link;
mod link_file;
mod live;
mod node;
mod p4_router;
mod vary;

use indexmap::IndexMap;
use jettison_core::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use flow::Flow;
pub use kinded::{ApplicationChoice, Kinded, QueueChoice, QueueTable, TransportChoice};
pub(crate) use link::MOST_PROFILE_STEPS;
pub use link::{Carrier, Change, DirectionSettings, Link, LossChoice, Reverse};
pub use link_file::{Cell, Profile, Trace};
pub use live::{Live, Offload};
pub use node::{Host, Node, PolicyRoute, Router, SysctlValue};
pub use p4_router::{Later, P4Router};
pub(crate) use vary::{Alternative, Axis};

/// One variant of a scenario: all keys of the file but `vary` and `quick`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Names the scenario and, by default, the folder of its results: `ired/ingress-vs-egress`.
    pub name: String,
    /// What the experiment is about, for reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// How long one run lasts, warm-up included.
    pub duration: Duration,
    /// How much of the start the summary leaves out.
    #[serde(default)]
    pub warm_up: Duration,
    /// How many runs, seeded 1, 2, …; or a list of seeds.
    #[serde(default)]
    pub seeds: Seeds,
    /// Time between two samples of each series.
    #[serde(default = "default_sample_interval")]
    pub sample_interval: Duration,
    /// Gauges of components that are sampled with the series: all (`true`), or those of these names. None by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gauges: Option<GaugeSettings>,
    /// Hosts and routers, by name.
    #[serde(default)]
    pub nodes: IndexMap<String, Node>,
    /// Queue disciplines with their parameters, by the name that links give them.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub queues: IndexMap<String, QueueTable>,
    /// Duplex links, by name.
    #[serde(default)]
    pub links: IndexMap<String, Link>,
    /// Flows, by name.
    #[serde(default)]
    pub flows: IndexMap<String, Flow>,
    /// What only `jettison live` heeds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live: Option<Live>,
}

/// The seeds of a scenario's runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Seeds {
    /// So many runs, with the seeds 1, 2, … (at most 100,000).
    Count(#[schemars(range(min = 1, max = 100_000))] u32),
    /// A run for each of these seeds.
    List(#[schemars(length(min = 1))] Vec<u64>),
}

/// Which gauges are sampled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum GaugeSettings {
    /// All, or none.
    All(bool),
    /// Those of these names, such as `["red_average"]`.
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
    /// The seeds, one a run.
    pub fn list(&self) -> Vec<u64> {
        match self {
            Seeds::Count(count) => (1..=u64::from(*count)).collect(),
            Seeds::List(list) => list.clone(),
        }
    }
}

impl Settings {
    /// What a link's or a node's `queue` means: its own table, or the `[queues]` entry of that name, or the
    /// discipline of that id with its defaults.
    pub fn queue(&self, choice: &QueueChoice) -> Kinded {
        match choice {
            QueueChoice::Table(kinded) => kinded.clone(),
            QueueChoice::Named(name) => match self.queues.get(name) {
                Some(QueueTable(kinded)) => kinded.clone(),
                None => Kinded::plain(name),
            },
        }
    }

    /// The port that the end of a flow without `port` that listens does so at: 5001, iperf's, and on from there in the order
    /// of the file.
    pub fn default_port(&self, flow: &str, transport: &str) -> u16 {
        const FIRST_PORT: u16 = 5001;
        if transport == "octopus" {
            return jettison_wire::OCTOPUS_PORT;
        }
        let before = self.flows.iter().take_while(|(other, _)| *other != flow);
        let taken: u32 = before.map(|(_, flow)| flow.count).sum();
        FIRST_PORT.wrapping_add(taken as u16)
    }

    /// One direction of a link with everything that `reverse`, the node's own queue and the defaults decide;
    /// forward is from the first end to the second.
    pub fn direction(&self, link: &Link, forward: bool) -> DirectionSettings {
        link.direction(self, forward)
    }
}

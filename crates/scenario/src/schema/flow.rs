//! Flows: ends, application, transport and times.

use jettison_core::{Duration, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ApplicationChoice, TransportChoice};

/// A flow, or several equal flows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Flow {
    /// The sending host (the server, if there is one).
    pub from: String,
    /// The receiving host.
    pub to: String,
    /// Application: an id, or a table with `kind`.
    pub app: ApplicationChoice,
    /// Transport: an id, or a table with `kind`. Default: that of the application.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transport: Option<TransportChoice>,
    /// Start time.
    #[serde(default)]
    pub start: Time,
    /// Stop time. Default: the end of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<Time>,
    /// Maximum random delay of the start, drawn uniformly from zero for each run and flow.
    #[serde(default)]
    pub start_jitter: Duration,
    /// Number of such flows: `bulk` becomes `bulk.1`, `bulk.2`, …. With 0 there is none.
    #[serde(default = "one")]
    #[schemars(range(max = 100_000))]
    pub count: u32,
    /// Time between the starts of successive flows.
    #[serde(default)]
    pub start_spacing: Duration,
    /// Listening port. Several flows take successive ports from here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub port: Option<u16>,
}

fn one() -> u32 {
    1
}

impl Flow {
    /// Names of the flows of the entry `name`: the name itself, or `name.1`, `name.2`, … for several flows.
    pub fn names(&self, name: &str) -> Vec<String> {
        match self.count {
            1 => vec![name.to_owned()],
            count => (1..=count).map(|number| format!("{name}.{number}")).collect(),
        }
    }
}

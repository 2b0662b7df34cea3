//! Flows: who sends what to whom, over what.

use jettison_core::{Duration, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ApplicationChoice, TransportChoice};

/// A flow, or several alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Flow {
    /// The host that sends (the server, where there is one).
    pub from: String,
    /// The host that receives.
    pub to: String,
    /// What runs over it: an id, or a table with `kind`.
    pub app: ApplicationChoice,
    /// What carries it: an id, or a table with `kind`. Without it, the application's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transport: Option<TransportChoice>,
    /// When it starts.
    #[serde(default)]
    pub start: Time,
    /// When it stops, if before the end of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<Time>,
    /// Each run and flow starts later by a span drawn evenly from zero to this.
    #[serde(default)]
    pub start_jitter: Duration,
    /// How many flows of this kind there are: `bulk` becomes `bulk.1`, `bulk.2`, …. Of 0 there is none.
    #[serde(default = "one")]
    #[schemars(range(max = 100_000))]
    pub count: u32,
    /// Time from the start of one of them to the start of the next.
    #[serde(default)]
    pub start_spacing: Duration,
    /// The port that the end which does not begin listens on; the first of several, each the next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub port: Option<u16>,
}

fn one() -> u32 {
    1
}

impl Flow {
    /// The names of the flows that the entry `name` makes: itself, or `name.1`, `name.2`, … of several, or
    /// nothing if there are none of them.
    pub fn names(&self, name: &str) -> Vec<String> {
        match self.count {
            1 => vec![name.to_owned()],
            count => (1..=count).map(|number| format!("{name}.{number}")).collect(),
        }
    }
}

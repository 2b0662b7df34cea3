//! What tables of results show.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What tables of results show. It does not affect runs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Report {
    /// The columns, by metric and statistic: `["goodput", "rtt_mean", "rtt_p99"]`. Default: those that suit the results.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// Whether tables have a row for each flow in place of each group of flows.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub flows: bool,
}

impl Report {
    /// Whether nothing is set.
    pub fn is_default(&self) -> bool {
        *self == Report::default()
    }
}

//! The packet that RED signals above its upper threshold.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The packet that RED signals above its upper threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Victim {
    /// The arrival (Floyd & Jacobson 1993 §4).
    Arrival,
    /// One of the queued packets and the arrival, drawn uniformly; the arrival is queued (ALTQ up to 1.1.2).
    Random,
}

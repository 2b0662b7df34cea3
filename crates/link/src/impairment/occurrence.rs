//! Events that happen to a share of the packets, with a correlation between neighbours.

use jettison_core::RandomStream;
use jettison_registry::ParameterError;
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use crate::Share;

/// An event that happens to a share of the packets: a share, `0.005` or `"0.5 %"`, or a table.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(title = "share of packets")]
pub enum OccurrenceChoice {
    /// A share of the packets, each independently of the others.
    Share(Share),
    /// A share and its correlation.
    Table(OccurrenceParameters),
}

/// A share of the packets, with a correlation from packet to packet.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OccurrenceParameters {
    /// Share of the packets.
    pub probability: Share,
    /// Correlation with the packet before, below 1. It makes runs longer and keeps the share.
    pub correlation: Share,
}

impl OccurrenceChoice {
    /// As a table.
    pub fn parameters(self) -> OccurrenceParameters {
        match self {
            OccurrenceChoice::Share(probability) => {
                OccurrenceParameters { probability, ..OccurrenceParameters::default() }
            }
            OccurrenceChoice::Table(parameters) => parameters,
        }
    }
}

impl<'de> Deserialize<'de> for OccurrenceChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<OccurrenceChoice, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        let read = match value.is_object() {
            true => serde_json::from_value(value).map(OccurrenceChoice::Table),
            false => serde_json::from_value(value).map(OccurrenceChoice::Share),
        };
        read.map_err(D::Error::custom)
    }
}

impl OccurrenceParameters {
    /// Checks constraints between fields.
    pub fn validate(&self) -> Result<(), ParameterError> {
        correlation_of(self.probability > Share::ZERO, self.correlation)
    }
}

/// Checks a correlation: it needs a share to correlate, and 1 would repeat the first packet's fate for ever.
pub(crate) fn correlation_of(has_probability: bool, correlation: Share) -> Result<(), ParameterError> {
    if correlation > Share::ZERO && !has_probability {
        let message = "requires a `probability` > 0, which it correlates from packet to packet";
        return Err(ParameterError::at("correlation", message));
    }
    if correlation >= Share::ONE {
        let message = format!("must be < 1, got {correlation}");
        return Err(ParameterError::at("correlation", message));
    }
    Ok(())
}

/// Two-state Markov chain of an event. Its stationary share is the probability whatever the correlation, which is the
/// correlation coefficient of neighbours.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Occurrence {
    pub(crate) correlation: f64,
    happened: bool,
}

impl Occurrence {
    pub fn new(correlation: Share) -> Occurrence {
        Occurrence { correlation: correlation.value(), happened: false }
    }

    /// Whether the event happens to the next packet.
    #[inline]
    pub fn happens(&mut self, probability: f64, stream: &mut RandomStream) -> bool {
        let base = probability * (1.0 - self.correlation);
        let probability = if self.happened { base + self.correlation } else { base };
        self.happened = stream.chance(probability);
        self.happened
    }
}

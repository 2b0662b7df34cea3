//! Links: two directions, alike unless `reverse` says otherwise.

use std::borrow::Cow;

use jettison_core::{Bytes, Duration, Rate, Time};
use jettison_link::{LossChange, LossParameters, Share};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use super::{Kinded, QueueChoice, Settings};

/// The discipline of a link that names none.
const DEFAULT_QUEUE: &str = "tail-drop";
/// Ethernet II's header: what a packet has on a link beside its IP length.
const ETHERNET_OVERHEAD: Bytes = Bytes::new(14);
/// What Mahimahi counts beside a packet's IP length: the header of its TUN device.
const MAHIMAHI_OVERHEAD: Bytes = Bytes::new(4);

/// A duplex link. Its keys hold for both directions; those in `reverse` for the second direction alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// The two nodes that it joins; forward is from the first to the second.
    pub between: [String; 2],
    /// A fixed rate (or else `trace`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// A Mahimahi trace of delivery opportunities (or else `rate`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
    /// Propagation delay, one way.
    #[serde(default)]
    pub delay: Duration,
    /// What queues for the link: a `[queues]` name, a discipline's id, or a table. By default the sending node's
    /// `queue`, or else `tail-drop`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueChoice>,
    /// What is lost on the way: a share of the packets at random, or a table with bursts, windows of time, and
    /// packets that are lost for certain.
    #[serde(default)]
    pub loss: LossChoice,
    /// Changes of rate, delay or loss at given times.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// Bytes that a packet has on the link beside its IP length: 14 by default (Ethernet II), 4 with a trace
    /// (Mahimahi).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overhead: Option<Bytes>,
    /// Whether to write what is sent to a pcapng file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pcap: bool,
    /// What is otherwise in the direction from the second node to the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverse: Option<Reverse>,
}

/// What is otherwise in a link's second direction; each key as in the link's own table.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reverse {
    /// A fixed rate, in place of the link's rate or trace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// A Mahimahi trace, in place of the link's rate or trace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
    /// Propagation delay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<Duration>,
    /// What queues for this direction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueChoice>,
    /// What is lost on the way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<LossChoice>,
    /// Changes at given times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<Vec<Change>>,
    /// Bytes beside the IP length.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overhead: Option<Bytes>,
    /// Whether to write a pcapng file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pcap: Option<bool>,
}

/// A trace of delivery opportunities: `"verizon.down"`, or `{ file = "verizon.down" }`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Trace {
    /// The file, from the scenario's folder.
    pub file: String,
}

/// A change at a given time; what is not given stays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// When, from the start of the run.
    pub at: Time,
    /// The new rate (not for a link with a trace); zero is an outage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// The new propagation delay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<Duration>,
    /// The new share of packets lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<Share>,
}

/// What a link loses: a share at random, `0.005` or `"0.5 %"`, or a table.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(title = "loss")]
pub enum LossChoice {
    /// That share of the packets, each independently of the others.
    Share(Share),
    /// More than one kind of loss, or other kinds.
    Table(LossParameters),
}

/// One direction of a link, with every default decided.
#[derive(Debug, Clone, PartialEq)]
pub struct DirectionSettings {
    /// The node that sends.
    pub from: String,
    /// The node that receives.
    pub to: String,
    /// What decides when packets leave.
    pub carrier: Carrier,
    /// Propagation delay.
    pub delay: Duration,
    /// The name under which the queue was chosen: a `[queues]` name, or its kind.
    pub queue_name: String,
    /// What queues for it.
    pub queue: Kinded,
    /// What is lost on the way, before the changes.
    pub loss: LossParameters,
    /// Changes, in order of time.
    pub changes: Vec<Change>,
    /// Bytes beside a packet's IP length.
    pub overhead: Bytes,
    /// Whether to write a pcapng file.
    pub pcap: bool,
}

/// What decides when packets leave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Carrier {
    /// A fixed rate.
    Rate(Rate),
    /// A Mahimahi trace.
    Trace(Trace),
}

impl Link {
    /// The node that sends in that direction.
    pub fn sender(&self, forward: bool) -> &str {
        &self.between[usize::from(!forward)]
    }

    pub(super) fn direction(&self, settings: &Settings, forward: bool) -> DirectionSettings {
        let none = Reverse::default();
        let own = self.reverse.as_ref().filter(|_| !forward).unwrap_or(&none);
        let (rate, trace) = match (&own.rate, &own.trace) {
            (None, None) => (self.rate, self.trace.as_ref()),
            (rate, trace) => (*rate, trace.as_ref()),
        };
        let carrier = match trace {
            Some(trace) => Carrier::Trace(trace.clone()),
            None => Carrier::Rate(rate.unwrap_or_default()),
        };
        let from = self.sender(forward);
        let node_queue = || settings.nodes.get(from).and_then(super::Node::queue);
        let choice = own.queue.as_ref().or(self.queue.as_ref()).or_else(node_queue).cloned();
        let choice = choice.unwrap_or_else(|| QueueChoice::Named(DEFAULT_QUEUE.to_owned()));
        let queue = settings.queue(&choice);
        let usual_overhead =
            if matches!(carrier, Carrier::Trace(_)) { MAHIMAHI_OVERHEAD } else { ETHERNET_OVERHEAD };
        DirectionSettings {
            from: from.to_owned(),
            to: self.sender(!forward).to_owned(),
            carrier,
            delay: own.delay.unwrap_or(self.delay),
            queue_name: match choice {
                QueueChoice::Named(name) => name,
                QueueChoice::Table(kinded) => kinded.kind,
            },
            queue,
            loss: own.loss.as_ref().unwrap_or(&self.loss).parameters(),
            changes: own.changes.as_ref().unwrap_or(&self.changes).clone(),
            overhead: own.overhead.or(self.overhead).unwrap_or(usual_overhead),
            pcap: own.pcap.unwrap_or(self.pcap),
        }
    }
}

impl DirectionSettings {
    /// What is lost on the way, the changes included.
    pub fn loss_parameters(&self) -> LossParameters {
        let changes = self
            .changes
            .iter()
            .filter_map(|change| Some(LossChange { at: change.at, probability: change.loss? }));
        let mut loss = self.loss.clone();
        loss.changes.extend(changes);
        loss
    }
}

impl LossChoice {
    /// The same as a table.
    pub fn parameters(&self) -> LossParameters {
        match self {
            LossChoice::Share(probability) => {
                LossParameters { probability: *probability, ..LossParameters::default() }
            }
            LossChoice::Table(parameters) => parameters.clone(),
        }
    }
}

impl Default for LossChoice {
    fn default() -> LossChoice {
        LossChoice::Share(Share::ZERO)
    }
}

impl<'de> Deserialize<'de> for LossChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<LossChoice, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        let read = match value.is_object() {
            true => serde_json::from_value(value).map(LossChoice::Table),
            false => serde_json::from_value(value).map(LossChoice::Share),
        };
        read.map_err(D::Error::custom)
    }
}

impl<'de> Deserialize<'de> for Trace {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Trace, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        let file = value.as_str().or_else(|| value.get("file").and_then(|file| file.as_str()));
        let file = file.ok_or_else(|| D::Error::custom("expected a file or a table with `file`"))?;
        Ok(Trace { file: file.to_owned() })
    }
}

impl JsonSchema for Trace {
    fn schema_name() -> Cow<'static, str> {
        "trace".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        // `format: trace-file` tells the checker to read the file from the scenario's folder.
        json_schema!({
            "title": "trace",
            "anyOf": [
                { "type": "string", "title": "file name", "format": "trace-file", "examples": ["verizon.down"] },
                {
                    "type": "object",
                    "properties": {
                        "file": {
                            "type": "string",
                            "format": "trace-file",
                            "description": "The file, from the scenario's folder.",
                        },
                    },
                    "required": ["file"],
                    "additionalProperties": false,
                },
            ],
        })
    }
}

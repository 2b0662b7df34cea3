//! Links: two directions, equal unless `reverse` overrides keys of the second.

use indexmap::IndexMap;
use jettison_core::{Bytes, Duration, Rate, Time};
use jettison_link::cellular::CellularParameters;
use jettison_link::{
    ImpairmentParameters, JitterChoice, JitterParameters, LossChange, LossParameters, OccurrenceChoice,
    ReorderChoice, Share,
};
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use super::link_file::{Cell, Profile, Trace};
use super::{Kinded, QueueChoice, Settings};

/// Default overhead per packet beside the IP length: the Ethernet II header.
const ETHERNET_OVERHEAD: Bytes = Bytes::new(14);
/// Overhead per packet with a Mahimahi trace: the header of its TUN device.
const MAHIMAHI_OVERHEAD: Bytes = Bytes::new(4);

/// Overhead per packet of a cell: PDCP.
const CELL_OVERHEAD: Bytes = Bytes::new(2);

/// Maximum number of profile steps in a run.
pub(crate) const MOST_PROFILE_STEPS: usize = 100_000;

/// A duplex link. Its keys apply to both directions, those in `reverse` to the second direction alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// The two nodes that it connects; forward is from the first to the second.
    pub between: [String; 2],
    /// Number of its port at P4 routers, by their names: `ports = { s1 = 3, s2 = 1 }`. Default: the lowest free number, in the
    /// order of links.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub ports: IndexMap<String, u16>,
    /// Fixed rate; alternatives: `trace`, `cell`, `profile`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Mahimahi trace of delivery opportunities; alternatives: `rate`, `cell`, `profile`. Grants of a base station and drive
    /// tests are converted to one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
    /// Grants of a cell, served with segmentation, from a base station, a Mahimahi trace or a drive test; alternatives:
    /// `rate`, `trace`, `profile`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cell: Option<Cell>,
    /// Cellular user plane over `rate`, `trace` or `cell`: PDCP, RLC, HARQ, a scheduler, uplink grants, DRX. A `reverse` with a
    /// capacity of its own has its own, or none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cellular: Option<CellularParameters>,
    /// Network profile in the format of the DASH Industry Forum: rate, delay and loss over time, in place of `delay`, `loss` and
    /// `changes`; alternatives: `rate`, `trace`, `cell`. The loss applies to the forward direction; each direction has half
    /// of the round-trip time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
    /// One-way propagation delay.
    #[serde(default)]
    pub delay: Duration,
    /// Queue: the name of a `[queues]` entry, the id of a discipline, or a table. Default: the `queue` of the sending node, or
    /// else `tail-drop` (`bmv2` if the sender is a P4 router).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueChoice>,
    /// Loss: a share of the packets at random, or a table with bursts, windows of time, and scheduled losses.
    #[serde(default)]
    pub loss: LossChoice,
    /// Jitter: random additions to the delay, normal with this deviation, or a table with another distribution, a
    /// correlation, or reordering.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jitter: Option<JitterChoice>,
    /// Reordering: the share of the packets that skip the delay and so overtake others, or a table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reorder: Option<ReorderChoice>,
    /// Duplication: the share of the packets that arrive twice, or a table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duplicate: Option<OccurrenceChoice>,
    /// Corruption: the share of the packets that arrive with a wrong bit, or a table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrupt: Option<OccurrenceChoice>,
    /// Scheduled changes of rate, delay or loss.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// Overhead per packet beside the IP length, in bytes. Default: 14 (Ethernet II), 4 with a trace (Mahimahi), 2 with a cell
    /// (PDCP), with `cellular` 2 or 3 by the length of its PDCP numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overhead: Option<Bytes>,
    /// Whether to write sent packets to a pcapng file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pcap: bool,
    /// Overrides for the direction from the second node to the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverse: Option<Reverse>,
}

/// Overrides for the second direction of a link, with the keys of the link's own table.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reverse {
    /// Fixed rate, in place of the link's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Mahimahi trace, in place of the link's rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
    /// Grants of a cell, in place of the link's rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cell: Option<Cell>,
    /// Cellular user plane of this direction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cellular: Option<CellularParameters>,
    /// Network profile: rate, half of the round-trip time, and loss of this direction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
    /// Propagation delay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<Duration>,
    /// Queue of this direction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueChoice>,
    /// Loss.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<LossChoice>,
    /// Jitter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jitter: Option<JitterChoice>,
    /// Reordering.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reorder: Option<ReorderChoice>,
    /// Duplication.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duplicate: Option<OccurrenceChoice>,
    /// Corruption.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrupt: Option<OccurrenceChoice>,
    /// Scheduled changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<Vec<Change>>,
    /// Overhead per packet beside the IP length, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overhead: Option<Bytes>,
    /// Whether to write a pcapng file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pcap: Option<bool>,
}

/// A scheduled change; omitted properties stay unchanged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// Time since the start of the run.
    pub at: Time,
    /// New rate (not for links with a trace or a cell); zero is an outage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// New propagation delay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<Duration>,
    /// New share of packets lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<Share>,
}

/// Loss of a link: a share at random, `0.005` or `"0.5 %"`, or a table.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(title = "loss")]
pub enum LossChoice {
    /// A share of the packets, lost independently.
    Share(Share),
    /// Other models of loss, or several.
    Table(LossParameters),
}

/// Settings of one direction of a link, with all defaults resolved.
#[derive(Debug, Clone, PartialEq)]
pub struct DirectionSettings {
    /// The node that sends.
    pub from: String,
    /// The node that receives.
    pub to: String,
    /// What serves the queue: rate, trace or cell.
    pub carrier: Carrier,
    /// Cellular user plane.
    pub cellular: Option<CellularParameters>,
    /// Propagation delay.
    pub delay: Duration,
    /// Name of the queue in messages: that of its `[queues]` entry, or its kind.
    pub queue_name: String,
    /// The queue discipline.
    pub queue: Kinded,
    /// Loss, without the changes.
    pub loss: LossParameters,
    /// Jitter, reordering, duplication and corruption.
    pub impairments: ImpairmentParameters,
    /// Changes, in order of time.
    pub changes: Vec<Change>,
    /// Overhead per packet beside the IP length.
    pub overhead: Bytes,
    /// Whether to write a pcapng file.
    pub pcap: bool,
}

/// What serves the queue of a direction.
#[derive(Debug, Clone, PartialEq)]
pub enum Carrier {
    /// A fixed rate.
    Rate(Rate),
    /// A Mahimahi trace.
    Trace(Trace),
    /// Grants of a cell.
    Cell(Cell),
}

impl Link {
    /// The sender of a direction.
    pub fn sender(&self, forward: bool) -> &str {
        &self.between[usize::from(!forward)]
    }

    /// The given numbers of its ports, in the order of its ends.
    pub fn port_numbers(&self) -> [Option<u16>; 2] {
        self.between.each_ref().map(|end| self.ports.get(end).copied())
    }

    /// The profile of a direction. Keys of `reverse` may override parts of it.
    pub fn profile_of(&self, forward: bool) -> Option<&Profile> {
        let own = self.reverse.as_ref().filter(|_| !forward).and_then(|reverse| reverse.profile.as_ref());
        own.or(self.profile.as_ref())
    }

    /// All cells.
    pub(crate) fn cells_mut(&mut self) -> impl Iterator<Item = &mut Cell> {
        let reverse = self.reverse.as_mut().and_then(|reverse| reverse.cell.as_mut());
        self.cell.as_mut().into_iter().chain(reverse)
    }

    /// All jitters that are written as a table.
    pub(crate) fn jitters_mut(&mut self) -> impl Iterator<Item = &mut JitterParameters> {
        let reverse = self.reverse.as_mut().and_then(|reverse| reverse.jitter.as_mut());
        self.jitter.as_mut().into_iter().chain(reverse).filter_map(JitterChoice::table_mut)
    }

    /// All profiles.
    pub(crate) fn profiles_mut(&mut self) -> impl Iterator<Item = &mut Profile> {
        let reverse = self.reverse.as_mut().and_then(|reverse| reverse.profile.as_mut());
        self.profile.as_mut().into_iter().chain(reverse)
    }

    pub(super) fn direction(&self, settings: &Settings, forward: bool) -> DirectionSettings {
        let none = Reverse::default();
        let own = self.reverse.as_ref().filter(|_| !forward).unwrap_or(&none);
        let has_own_carrier = own.rate.is_some() || own.trace.is_some() || own.cell.is_some();
        let (rate, trace, cell) = match has_own_carrier {
            true => (own.rate, &own.trace, &own.cell),
            false => (self.rate, &self.trace, &self.cell),
        };
        // Queue, in order of precedence: the direction, the link, the sending node, the default of that node's kind.
        let from = self.sender(forward);
        let node = settings.nodes.get(from);
        let node_queue = || node.and_then(super::Node::queue);
        let choice = own.queue.as_ref().or(self.queue.as_ref()).or_else(node_queue).cloned();
        let default = node.map_or("tail-drop", super::Node::default_queue);
        let choice = choice.unwrap_or_else(|| QueueChoice::Named(default.to_owned()));
        let queue = settings.queue(&choice);
        let mut direction = DirectionSettings {
            from: from.to_owned(),
            to: self.sender(!forward).to_owned(),
            carrier: match (trace, cell) {
                (Some(trace), _) => Carrier::Trace(trace.clone()),
                (None, Some(cell)) => Carrier::Cell(cell.clone()),
                (None, None) => Carrier::Rate(rate.unwrap_or_default()),
            },
            cellular: match (&own.cellular, has_own_carrier) {
                (Some(cellular), _) => Some(cellular.clone()),
                (None, true) => None,
                (None, false) => self.cellular.clone(),
            },
            delay: own.delay.unwrap_or(self.delay),
            queue_name: match choice {
                QueueChoice::Named(name) => name,
                QueueChoice::Table(kinded) => kinded.kind,
            },
            queue,
            loss: own.loss.as_ref().unwrap_or(&self.loss).parameters(),
            impairments: ImpairmentParameters {
                jitter: own.jitter.as_ref().or(self.jitter.as_ref()).map(JitterChoice::parameters),
                reorder: own.reorder.or(self.reorder).map(ReorderChoice::parameters),
                duplicate: own.duplicate.or(self.duplicate).map(OccurrenceChoice::parameters),
                corrupt: own.corrupt.or(self.corrupt).map(OccurrenceChoice::parameters),
            },
            changes: own.changes.as_ref().unwrap_or(&self.changes).clone(),
            overhead: Bytes::ZERO,
            pcap: own.pcap.unwrap_or(self.pcap),
        };
        if let Some(profile) = self.profile_of(forward) {
            // A profile in `reverse` is of this direction alone; the link's profile yields to keys of `reverse`, and its
            // loss applies forward only.
            let alone = own.profile.is_some();
            let parts = ProfileParts {
                rate: alone || !has_own_carrier,
                delay: alone || own.delay.is_none(),
                loss: alone || forward,
            };
            direction.apply_profile(profile, parts, forward, Time::ZERO + settings.duration);
        }
        let usual_overhead = match (&direction.cellular, &direction.carrier) {
            (Some(cellular), _) => cellular.header(),
            (None, Carrier::Rate(_)) => ETHERNET_OVERHEAD,
            (None, Carrier::Trace(_)) => MAHIMAHI_OVERHEAD,
            (None, Carrier::Cell(_)) => CELL_OVERHEAD,
        };
        direction.overhead = own.overhead.or(self.overhead).unwrap_or(usual_overhead);
        direction
    }
}

/// The parts of a profile that apply to a direction.
struct ProfileParts {
    rate: bool,
    delay: bool,
    loss: bool,
}

impl DirectionSettings {
    /// Applies the profile's rate, delay and loss from the start to `end`.
    fn apply_profile(&mut self, profile: &Profile, parts: ProfileParts, forward: bool, end: Time) {
        // A link with a profile has no changes of its own.
        self.changes.clear();
        let mut before: Option<Change> = None;
        for step in profile.read.iter().flat_map(|profile| profile.steps(end)).take(MOST_PROFILE_STEPS) {
            // The two delays add up to the round-trip time, to the nanosecond.
            let half = step.rtt / 2;
            let delay = if forward { half } else { step.rtt.saturating_sub(half) };
            let now = Change {
                at: step.at,
                rate: parts.rate.then_some(step.rate),
                delay: parts.delay.then_some(delay),
                loss: parts.loss.then_some(step.loss),
            };
            match before {
                None => {
                    self.carrier = now.rate.map_or(self.carrier.clone(), Carrier::Rate);
                    self.delay = now.delay.unwrap_or(self.delay);
                    if let Some(probability) = now.loss {
                        self.loss = LossParameters { probability, ..LossParameters::default() };
                    }
                }
                Some(before) => self.changes.extend(now.without(&before)),
            }
            before = Some(now);
        }
    }

    /// The shortest delay that is ever in force.
    pub fn least_delay(&self) -> Duration {
        let changes = self.changes.iter().filter_map(|change| change.delay);
        changes.fold(self.delay, Duration::min)
    }

    /// Loss, including the changes.
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

impl Change {
    /// This change without values equal to those before; `None` if none remains.
    fn without(&self, before: &Change) -> Option<Change> {
        let change = Change {
            at: self.at,
            rate: self.rate.filter(|rate| before.rate != Some(*rate)),
            delay: self.delay.filter(|delay| before.delay != Some(*delay)),
            loss: self.loss.filter(|loss| before.loss != Some(*loss)),
        };
        (change.rate.is_some() || change.delay.is_some() || change.loss.is_some()).then_some(change)
    }
}

impl LossChoice {
    /// The loss as a table.
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

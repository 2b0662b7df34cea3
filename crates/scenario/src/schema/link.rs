//! Links: two directions, alike unless `reverse` says otherwise.

use jettison_core::{Bytes, Duration, Rate, Time};
use jettison_link::{LossChange, LossParameters, Share};
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use super::link_file::{Cell, Profile, Trace};
use super::{Kinded, QueueChoice, Settings};

/// Ethernet II's header: what a packet has on a link beside its IP length.
const ETHERNET_OVERHEAD: Bytes = Bytes::new(14);
/// What Mahimahi counts beside a packet's IP length: the header of its TUN device.
const MAHIMAHI_OVERHEAD: Bytes = Bytes::new(4);

/// What a cell's PDCP adds to a packet's IP length.
const CELL_OVERHEAD: Bytes = Bytes::new(2);

/// More steps of a profile than this in one run are a slip.
pub(crate) const MOST_PROFILE_STEPS: usize = 100_000;

/// A duplex link. Its keys hold for both directions; those in `reverse` for the second direction alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// The two nodes that it joins; forward is from the first to the second.
    pub between: [String; 2],
    /// A fixed rate (or else `trace`, `cell` or `profile`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// A Mahimahi trace of delivery opportunities (or else `rate`, `cell` or `profile`). A base station's grants and a
    /// drive test are turned into one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
    /// Grants of a cell, served with segmentation (or else `rate`, `trace` or `profile`): a base station's, a Mahimahi
    /// trace or a drive test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cell: Option<Cell>,
    /// A network profile as the DASH Industry Forum writes it (or else `rate`, `trace` or `cell`): rate, delay and loss over
    /// time, in place of `delay`, `loss` and `changes`. Its loss is that of the forward direction, its round-trip time
    /// is shared by both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
    /// Propagation delay, one way.
    #[serde(default)]
    pub delay: Duration,
    /// What queues for the link: a `[queues]` name, a discipline's id, or a table. By default the sending node's
    /// `queue`, or else `tail-drop` (`bmv2` where a P4 router sends).
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
    /// (Mahimahi), 2 with a cell (PDCP).
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
    /// A fixed rate, in place of the link's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// A Mahimahi trace, in place of the link's rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
    /// Grants of a cell, in place of the link's rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cell: Option<Cell>,
    /// A network profile: rate, half of its round-trip time, and loss of this direction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
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

/// A change at a given time; what is not given stays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// When, from the start of the run.
    pub at: Time,
    /// The new rate (not for a link with a trace or a cell); zero is an outage.
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
    /// The node that sends in that direction.
    pub fn sender(&self, forward: bool) -> &str {
        &self.between[usize::from(!forward)]
    }

    /// The profile that a direction follows in what the link or `reverse` does not say otherwise.
    pub fn profile_of(&self, forward: bool) -> Option<&Profile> {
        let own = self.reverse.as_ref().filter(|_| !forward).and_then(|reverse| reverse.profile.as_ref());
        own.or(self.profile.as_ref())
    }

    /// All cells that it names.
    pub(crate) fn cells_mut(&mut self) -> impl Iterator<Item = &mut Cell> {
        let reverse = self.reverse.as_mut().and_then(|reverse| reverse.cell.as_mut());
        self.cell.as_mut().into_iter().chain(reverse)
    }

    /// All profiles that it names.
    pub(crate) fn profiles_mut(&mut self) -> impl Iterator<Item = &mut Profile> {
        let reverse = self.reverse.as_mut().and_then(|reverse| reverse.profile.as_mut());
        self.profile.as_mut().into_iter().chain(reverse)
    }

    pub(super) fn direction(&self, settings: &Settings, forward: bool) -> DirectionSettings {
        let none = Reverse::default();
        let own = self.reverse.as_ref().filter(|_| !forward).unwrap_or(&none);
        let of_its_own = own.rate.is_some() || own.trace.is_some() || own.cell.is_some();
        let (rate, trace, cell) = match of_its_own {
            true => (own.rate, &own.trace, &own.cell),
            false => (self.rate, &self.trace, &self.cell),
        };
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
            delay: own.delay.unwrap_or(self.delay),
            queue_name: match choice {
                QueueChoice::Named(name) => name,
                QueueChoice::Table(kinded) => kinded.kind,
            },
            queue,
            loss: own.loss.as_ref().unwrap_or(&self.loss).parameters(),
            changes: own.changes.as_ref().unwrap_or(&self.changes).clone(),
            overhead: Bytes::ZERO,
            pcap: own.pcap.unwrap_or(self.pcap),
        };
        if let Some(profile) = self.profile_of(forward) {
            let alone = own.profile.is_some();
            let followed = Followed {
                rate: alone || !of_its_own,
                delay: alone || own.delay.is_none(),
                loss: alone || forward,
            };
            direction.follow(profile, followed, forward, Time::ZERO + settings.duration);
        }
        let usual_overhead = match direction.carrier {
            Carrier::Rate(_) => ETHERNET_OVERHEAD,
            Carrier::Trace(_) => MAHIMAHI_OVERHEAD,
            Carrier::Cell(_) => CELL_OVERHEAD,
        };
        direction.overhead = own.overhead.or(self.overhead).unwrap_or(usual_overhead);
        direction
    }
}

/// What a direction takes from a profile.
struct Followed {
    rate: bool,
    delay: bool,
    loss: bool,
}

impl DirectionSettings {
    /// Takes the profile's rate, delay and loss from the start to `end`.
    fn follow(&mut self, profile: &Profile, followed: Followed, forward: bool, end: Time) {
        // A link that follows a profile has no changes of its own.
        self.changes.clear();
        let mut before: Option<Change> = None;
        for step in profile.read.iter().flat_map(|profile| profile.steps(end)).take(MOST_PROFILE_STEPS) {
            // Both ways together take the round-trip time, to the nanosecond.
            let half = step.rtt / 2;
            let delay = if forward { half } else { step.rtt.saturating_sub(half) };
            let now = Change {
                at: step.at,
                rate: followed.rate.then_some(step.rate),
                delay: followed.delay.then_some(delay),
                loss: followed.loss.then_some(step.loss),
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

impl Change {
    /// This change without what was so before; `None` if nothing is left.
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

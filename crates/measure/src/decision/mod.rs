//! Decisions: drops and marks of packets, with what the packets carried and the state of the queue.

pub(crate) mod encoding;
mod log;

use jettison_core::{DropReason, Duration, MarkReason, Time};
use jettison_wire::{FlowId, Instance};

pub(crate) use log::QueueScratch;
pub use log::{DecisionLog, GaugeKey};

use crate::{Content, DropRecord};

/// A drop or mark of a packet: a row of the table `drops`.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// Number of the drop or mark within the run, from 0.
    pub id: u64,
    /// Time of the decision.
    pub time: Time,
    /// The queue ([`crate::ObjectId::index`]), or [`DropRecord::NO_QUEUE`].
    pub queue: u32,
    /// Flow of the packet.
    pub flow: FlowId,
    /// What was decided, and by which rule.
    pub outcome: Outcome,
    /// IP length of the packet, in bytes.
    pub length: u16,
    /// What is known of the packet and the queue, if the run records it.
    pub identity: Option<Identity>,
}

impl Decision {
    /// The decision that a record without identity tells.
    pub(crate) fn of(id: u64, record: &DropRecord) -> Decision {
        let DropRecord { time, queue, flow, reason, length } = *record;
        Decision { id, time, queue, flow, outcome: Outcome::Dropped(reason), length, identity: None }
    }

    /// The reason, if the packet was dropped.
    pub fn drop_reason(&self) -> Option<DropReason> {
        match self.outcome {
            Outcome::Dropped(reason) | Outcome::Evicted(reason) => Some(reason),
            Outcome::Marked(_) | Outcome::Kept(_) | Outcome::Unmarked(_) => None,
        }
    }
}

/// What became of a packet, and by which rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// It was dropped.
    Dropped(DropReason),
    /// It waited, and was dropped when another packet arrived.
    Evicted(DropReason),
    /// It was marked.
    Marked(MarkReason),
    /// It would have been dropped, but for a script.
    Kept(DropReason),
    /// It would have been marked, but for a script.
    Unmarked(MarkReason),
}

impl Outcome {
    /// The name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Outcome::Dropped(_) => "drop",
            Outcome::Evicted(_) => "eviction",
            Outcome::Marked(_) => "mark",
            Outcome::Kept(_) => "kept",
            Outcome::Unmarked(_) => "unmarked",
        }
    }

    /// The name of the rule.
    pub const fn reason(self) -> &'static str {
        match self {
            Outcome::Dropped(reason) | Outcome::Evicted(reason) | Outcome::Kept(reason) => reason.name(),
            Outcome::Marked(reason) | Outcome::Unmarked(reason) => reason.name(),
        }
    }

    /// The outcome with these names.
    pub fn from_names(name: &str, reason: &str) -> Option<Outcome> {
        Some(match name {
            "drop" => Outcome::Dropped(DropReason::from_name(reason)?),
            "eviction" => Outcome::Evicted(DropReason::from_name(reason)?),
            "mark" => Outcome::Marked(MarkReason::from_name(reason)?),
            "kept" => Outcome::Kept(DropReason::from_name(reason)?),
            "unmarked" => Outcome::Unmarked(MarkReason::from_name(reason)?),
            _ => return None,
        })
    }
}

/// The packet of a decision, and its queue.
#[derive(Debug, Clone, PartialEq)]
pub struct Identity {
    /// Id of the packet within the run.
    pub packet: u32,
    /// Whether it is a clone, recirculated, ….
    pub instance: Instance,
    /// What it carried; `None` if that is not known, as for acknowledgements.
    pub content: Option<Content>,
    /// Time that it had waited in the queue; `None` if it was arriving, or not in the queue.
    pub waited: Option<Duration>,
    /// The queue right after the call in which it decided; `None` outside of queues.
    pub queue: Option<QueueState>,
}

/// The state of a queue.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct QueueState {
    /// Packets that wait.
    pub packets: u64,
    /// Bytes that wait.
    pub bytes: u64,
    /// The flows with most packets in the queue, and how many; at most [`QueueState::MOST_HOLDERS`].
    pub holders: Vec<(FlowId, u32)>,
    /// Packets of other flows.
    pub others: u64,
    /// Values of the discipline's gauges.
    pub gauges: Vec<(GaugeKey, f64)>,
}

impl QueueState {
    /// Most flows that are listed.
    pub const MOST_HOLDERS: usize = 8;
}

/// The name of an instance in results: empty for a normal packet.
pub const fn instance_name(instance: Instance) -> &'static str {
    match instance {
        Instance::Normal => "",
        Instance::IngressClone | Instance::EgressClone => "clone",
        Instance::Recirculated => "recirculated",
        Instance::Replica => "replica",
        Instance::Resubmitted => "resubmitted",
    }
}

#[cfg(test)]
mod tests;

//! `pdrop`: priority dropping on overflow, a baseline of Chen, Tahir & Mittal 2023 (Octopus).
//!
//! FIFO. When an arrival does not fit, all queued messages that are less important, those with a higher Octopus priority
//! number, are dropped (§7.2 of the paper). Messages are dropped as a whole, and never once they have begun to leave. Other
//! traffic counts as most important (priority 0). All other fields of the Octopus header are ignored, so the discipline
//! shows the effect of importance alone.

mod store;

use jettison_core::{DropReason, Gauge, Gauges, Time};
use jettison_labels::{Classifier, Classify, LabelSource, Labels, Missing};
use jettison_measure::Outcomes;
use jettison_registry::style::{Line::Dashed, MINT};
use jettison_registry::{Entry, ParameterError};
use jettison_wire::{OCTOPUS_PORT, OctopusHeader, Packet};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::entry::{BuildContext, Discipline};
use crate::octopus::{MAX_STREAMS, check_ports, check_streams};
use crate::{Backlog, InLinux, Limit, QueueDiscipline};
use jettison_octopus::{Fate, Fates, Streams};
use store::{Label, MessageStore, Popped};

/// Gauges of the internal state.
const GAUGES: &[Gauge] = &[MESSAGES, STREAMS, REFUSED];

const MESSAGES: Gauge = Gauge::new("pdrop_messages", "count", "Messages with packets in the buffer.");
const STREAMS: Gauge = Gauge::new("pdrop_streams", "count", "Streams in the table.");
const REFUSED: Gauge = Gauge::new(
    "pdrop_unlabelled",
    "packets",
    "Packets so far whose stream found the table full: they count as other traffic.",
);

/// Registry entry of the discipline.
pub fn entry() -> Entry<Discipline> {
    Entry::<Discipline>::new("pdrop", "PDrop", build)
        .style(MINT, Dashed)
        .summary("Drops the less important queued messages on overflow (Octopus priorities)")
        .source("Chen, Tahir & Mittal 2023 (a baseline)")
        .page("disciplines/pdrop.md")
        .gauges(GAUGES)
        .facts(InLinux::lacks(
            "no qdisc reads the labels of messages",
            "`prio` with a filter by DSCP, which knows no messages",
        ))
}

/// Which messages make room for an arrival that does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Eviction {
    /// All messages less important than the arrival: the paper (§7.2).
    #[default]
    AllLower,
    /// The least important message, among equals the one queued last, until the arrival fits.
    UntilFits,
}

/// Parameters of priority dropping.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PdropParameters {
    /// UDP ports, source or destination, that identify Octopus traffic.
    pub ports: Vec<u16>,
    /// What is seen of the labels: `own`, or what a standard carries of them: `dependency-descriptor`,
    /// `dependency-descriptor-allocation`, `frame-marking`, `pdu-set` or `moq`.
    pub labels: Labels,
    /// RTP packets with a header extension instead, such as `{ format = "dependency-descriptor", extension = 4 }`.
    pub classify: Option<Classify>,
    /// Values of a label for which the format has no field.
    pub missing: Missing,
    /// Messages that make room for an arrival that does not fit: `all-lower` (the paper) or `until-fits`.
    pub evict: Eviction,
    /// Maximum number of streams in the table. A new one replaces one that has no packet in the queue and has been silent; if
    /// there is none, its packets are treated as other traffic.
    pub max_streams: u32,
    /// Buffer limit in packets, bytes (IP length), or both, whichever is reached first.
    pub limit: Limit,
}

impl Default for PdropParameters {
    fn default() -> PdropParameters {
        PdropParameters {
            ports: vec![OCTOPUS_PORT],
            labels: Labels::Own,
            classify: None,
            missing: Missing::default(),
            evict: Eviction::AllLower,
            max_streams: MAX_STREAMS,
            limit: Limit::default(),
        }
    }
}

fn build(
    parameters: PdropParameters,
    context: &BuildContext<'_>,
) -> Result<Box<dyn QueueDiscipline>, ParameterError> {
    let seed = (context.random)("hash").uniform(0, u64::MAX);
    Ok(Box::new(Pdrop::new(parameters, seed)?))
}

/// One FIFO queue with priority dropping.
#[derive(Debug, Clone)]
pub struct Pdrop {
    evict: Eviction,
    limit: Limit,
    classifier: Classifier,
    streams: Streams<Fates>,
    store: MessageStore,
}

impl Pdrop {
    /// Creates an empty queue; `seed` seeds the hash of the stream table.
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn new(parameters: PdropParameters, seed: u64) -> Result<Pdrop, ParameterError> {
        check_ports(&parameters.ports)?;
        check_streams(parameters.max_streams)?;
        let most = parameters.max_streams as usize;
        let source = LabelSource {
            labels: parameters.labels,
            classify: parameters.classify,
            missing: parameters.missing,
        };
        Ok(Pdrop {
            evict: parameters.evict,
            limit: parameters.limit,
            classifier: Classifier::new(source, parameters.ports, seed, most)?,
            streams: Streams::new(seed, most),
            store: MessageStore::default(),
        })
    }

    /// Drops messages less important than `priority`; returns whether `length` bytes fit now.
    fn make_room(&mut self, priority: u8, length: u16, now: Time, out: &mut dyn Outcomes) -> bool {
        match self.evict {
            Eviction::AllLower => {
                self.drop_lower(priority, now, out);
                self.limit.admits(self.store.backlog(), length)
            }
            Eviction::UntilFits => self.drop_until_fits(priority, length, now, out),
        }
    }

    /// Drops all messages less important than `priority`, the least important first.
    fn drop_lower(&mut self, priority: u8, now: Time, out: &mut dyn Outcomes) {
        while let Some(least) = self.store.least_important().filter(|least| least.priority > priority) {
            self.drop_message(least, now, out);
        }
    }

    /// Drops messages less important than `priority` until `length` bytes fit. Drops nothing if that would not suffice.
    fn drop_until_fits(&mut self, priority: u8, length: u16, now: Time, out: &mut dyn Outcomes) -> bool {
        let (all, less) = (self.store.backlog(), self.store.droppable_below(priority));
        let at_best = Backlog { packets: all.packets - less.packets, bytes: all.bytes - less.bytes };
        if !self.limit.admits(at_best, length) {
            return false;
        }
        while !self.limit.admits(self.store.backlog(), length) {
            let Some(least) = self.store.least_important() else { return false };
            self.drop_message(least, now, out);
        }
        true
    }

    /// Drops the queued packets of a message and remembers to drop its later ones.
    fn drop_message(&mut self, label: Label, now: Time, out: &mut dyn Outcomes) {
        let Pdrop { store, streams, .. } = self;
        let reason = DropReason::LeastImportant;
        streams.state(label.slot).remember(label.message, Fate::Dropped(reason));
        store.remove(label.slot, label.message, |packet| {
            streams.dequeued(label.slot);
            out.dropped(packet, reason, now);
        });
    }

    /// Queues or drops a packet of a message.
    fn enqueue_labelled(
        &mut self,
        packet: Packet,
        header: &OctopusHeader,
        slot: u32,
        now: Time,
        out: &mut dyn Outcomes,
    ) {
        let (length, message) = (packet.meta.length, header.message);
        let label = match self.store.find(slot, message) {
            Some(label) => label,
            // No packet of the message is queued: it is new, has left in part, or was dropped before.
            None => {
                let fate = self.streams.state(slot).of(message);
                if let Some(Fate::Dropped(reason)) = fate {
                    return out.dropped(packet, reason, now);
                }
                Label { slot, message, priority: header.priority, begun: fate.is_some() }
            }
        };
        let fits = self.limit.admits(self.store.backlog(), length);
        if fits || self.make_room(label.priority, length, now, out) {
            self.streams.enqueued(slot);
            return self.store.push(packet, Some(label), now);
        }
        // The arrival is dropped alone, as with tail drop: a retransmission may find room. With `until-fits`, where it is the
        // least important itself and something more important is queued, its message is dropped as a whole.
        let is_least = self.evict == Eviction::UntilFits && self.store.holds_above(label.priority);
        if !label.begun && is_least {
            self.drop_message(label, now, out);
            out.dropped(packet, DropReason::LeastImportant, now);
        } else {
            out.dropped(packet, DropReason::BufferFull, now);
        }
    }
}

impl QueueDiscipline for Pdrop {
    fn enqueue(&mut self, packet: Packet, now: Time, out: &mut dyn Outcomes) {
        // A packet whose stream finds the table full is other traffic.
        if let Some(header) = self.classifier.label(&packet, now)
            && let Some(slot) = self.streams.touch(&packet, header.stream, now)
        {
            return self.enqueue_labelled(packet, &header, slot, now, out);
        }
        let length = packet.meta.length;
        if self.limit.admits(self.store.backlog(), length) || self.make_room(0, length, now, out) {
            self.store.push(packet, None, now);
        } else {
            out.dropped(packet, DropReason::BufferFull, now);
        }
    }

    fn dequeue(&mut self, _: Time, _: &mut dyn Outcomes) -> Option<Packet> {
        let Popped { packet, label } = self.store.pop()?;
        if let Some(label) = label {
            self.streams.dequeued(label.slot);
            if !label.begun {
                self.streams.state(label.slot).remember(label.message, Fate::Leaving);
            }
        }
        Some(packet)
    }

    fn uses_wakeups(&self) -> bool {
        false
    }

    fn gauges(&self, _: Time, out: &mut dyn Gauges) {
        out.set(&MESSAGES, self.store.messages() as f64);
        out.set(&STREAMS, self.streams.count() as f64);
        out.set(&REFUSED, self.streams.overflows().0 as f64);
    }

    fn backlog(&self) -> Backlog {
        self.store.backlog()
    }
}

#[cfg(test)]
mod tests;

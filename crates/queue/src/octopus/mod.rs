//! `octopus`: drops what the sender labelled as superfluous (Chen, Tahir, Mittal, Algorithm 1).
//!
//! First in, first out. Senders send a little too much and label each message of a stream with what makes it superfluous: a
//! newer message (a *dropper*), or too little bandwidth. When a message's head reaches the front, it goes or is dropped, and
//! the rest of it follows. Other traffic passes in its order. The verdict itself is [`Droppers::verdict`], which the
//! sender's buffer uses too; this file is the queue around it, its neighbours what it measures.

use std::collections::VecDeque;

use jettison_core::{DropReason, Duration, Gauge, Gauges, Rate, Time};
use jettison_measure::Outcomes;
use jettison_octopus::{
    ArrivalRate, ArrivalWindow, Bandwidth, BandwidthSettings, Droppers, Fate, Fates, Streams, VerdictOptions,
    max_min_share,
};
use jettison_registry::style::{FOREST, Line::Solid};
use jettison_registry::{Entry, ParameterError};
use jettison_wire::{OCTOPUS_PORT, OctopusHeader, Packet};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::entry::{BuildContext, Discipline};
use crate::{Backlog, Fifo, Limit, QueueDiscipline};

/// Gauges of the internal state.
const GAUGES: &[Gauge] = &[BANDWIDTH, STREAMS];

const BANDWIDTH: Gauge = Gauge::new(
    "octopus_bandwidth",
    "Mbit/s",
    "Bandwidth of the link as measured; none while it counts as unlimited.",
);
const STREAMS: Gauge = Gauge::new("octopus_streams", "count", "Streams in the table.");

/// Registry entry of the discipline.
pub fn entry() -> Entry<Discipline> {
    Entry::<Discipline>::new("octopus", "Octopus", build)
        .style(FOREST, Solid)
        .summary("Drops the messages that their senders labelled as superfluous, as the bandwidth demands")
        .source("Chen, Tahir & Mittal 2023, Algorithm 1")
        .page("disciplines/octopus.md")
        .gauges(GAUGES)
}

/// Parameters of Octopus.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OctopusParameters {
    /// UDP ports, of source or destination, by which Octopus traffic is known.
    pub ports: Vec<u16>,
    /// Drop a message only once it has waited its `slack`. In the authors' code, not in the paper.
    pub slack: bool,
    /// Drop a message only if its head and its tail are both queued. In the authors' code, not in the paper.
    pub whole_message_only: bool,
    /// Window in which the bandwidth is measured.
    pub window: Duration,
    /// Packets that must have left within the window; with fewer the bandwidth counts as unlimited.
    pub min_samples: u64,
    /// Look back further than `window` where it takes that to find `min_samples` packets, so that slow links have a
    /// bandwidth too. Not in the paper.
    pub stretch_window: bool,
    /// Window in which the streams' arrival rates are measured.
    pub arrival_window: Duration,
    /// Buffer limit in packets, bytes (IP length) or both; arrivals that exceed it are dropped.
    pub limit: Limit,
}

impl Default for OctopusParameters {
    fn default() -> OctopusParameters {
        OctopusParameters {
            ports: vec![OCTOPUS_PORT],
            slack: false,
            whole_message_only: false,
            window: Duration::from_millis(50),
            min_samples: 5,
            stretch_window: false,
            arrival_window: Duration::from_millis(100),
            limit: Limit::default(),
        }
    }
}

impl OctopusParameters {
    fn check(&self) -> Result<(), ParameterError> {
        check_ports(&self.ports)?;
        for (key, window) in [("window", self.window), ("arrival_window", self.arrival_window)] {
            ParameterError::unless(window >= Duration::from_micros(1), key, || {
                format!("`{window}` is too short: `{key}` is at least 1 us, such as \"50 ms\"")
            })?;
        }
        ParameterError::unless(self.min_samples > 0, "min_samples", || {
            "`min_samples` is at least 1, such as 5".to_owned()
        })
    }
}

/// Whether Octopus traffic can be known by these ports.
pub(crate) fn check_ports(ports: &[u16]) -> Result<(), ParameterError> {
    ParameterError::unless(!ports.is_empty() && !ports.contains(&0), "ports", || {
        format!(
            "`ports` names the UDP ports of Octopus traffic, each from 1 to 65,535, such as [{OCTOPUS_PORT}]"
        )
    })
}

fn build(
    parameters: OctopusParameters,
    context: &BuildContext<'_>,
) -> Result<Box<dyn QueueDiscipline>, ParameterError> {
    let seed = (context.random)("hash").uniform(0, u64::MAX);
    Ok(Box::new(Octopus::new(parameters, seed)?))
}

/// One FIFO queue under Octopus.
#[derive(Debug)]
pub struct Octopus {
    ports: Vec<u16>,
    options: VerdictOptions,
    arrivals: ArrivalWindow,
    limit: Limit,

    bandwidth: Bandwidth,
    streams: Streams<Stream>,
    /// What arrives that is not Octopus traffic: one more stream in the fair share.
    opaque: ArrivalRate,
    fifo: Fifo,
    /// The header of each packet in `fifo`, and its stream; `None` for other traffic.
    labels: VecDeque<Option<Label>>,
    /// Arrival rates of the others while a share is worked out; kept for its memory.
    others: Vec<Rate>,
}

/// What Octopus knows of a stream: constant state.
#[derive(Debug, Clone, Default)]
struct Stream {
    droppers: Droppers,
    fates: Fates,
    arrivals: ArrivalRate,
}

#[derive(Debug, Clone, Copy)]
struct Label {
    header: OctopusHeader,
    slot: u32,
}

impl Octopus {
    /// An empty queue whose table of streams is hashed with `seed`.
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn new(parameters: OctopusParameters, seed: u64) -> Result<Octopus, ParameterError> {
        parameters.check()?;
        Ok(Octopus {
            options: VerdictOptions {
                slack: parameters.slack,
                whole_message_only: parameters.whole_message_only,
            },
            arrivals: ArrivalWindow::new(parameters.arrival_window),
            limit: parameters.limit,
            bandwidth: Bandwidth::new(BandwidthSettings {
                window: parameters.window,
                samples: parameters.min_samples,
                stretch: parameters.stretch_window,
            }),
            streams: Streams::new(seed),
            opaque: ArrivalRate::default(),
            fifo: Fifo::default(),
            labels: VecDeque::new(),
            others: Vec::new(),
            ports: parameters.ports,
        })
    }

    /// The link's bandwidth as measured now; `None` while it counts as unlimited.
    pub fn bandwidth(&mut self, now: Time) -> Option<Rate> {
        self.bandwidth.rate(now)
    }

    /// What the stream in a slot has of the bandwidth: what it would get if it asked for all there is, given what arrives of
    /// the others.
    fn share(&mut self, slot: u32, now: Time) -> Option<Rate> {
        let bandwidth = self.bandwidth.rate(now)?;
        self.others.clear();
        let others = self.streams.others(slot).map(|stream| &mut stream.arrivals);
        for arrivals in others.chain([&mut self.opaque]) {
            let rate = arrivals.rate(self.arrivals, now);
            if !rate.is_zero() {
                self.others.push(rate);
            }
        }
        Some(max_min_share(bandwidth, &self.others))
    }

    /// Why a packet at the front of the queue is dropped, if it is: its message's fate, which is decided here with the first
    /// packet of it that comes to the front.
    #[inline]
    fn reason(&mut self, label: &Label, waited: Duration, now: Time) -> Option<DropReason> {
        let Label { header, slot } = label;
        let fate = match self.streams.state(*slot).fates.of(header.message) {
            Some(fate) => fate,
            None => self.decide(header, *slot, waited, now),
        };
        match fate {
            Fate::Leaving => None,
            Fate::Dropped(reason) => Some(reason),
        }
    }

    /// Algorithm 1 at the dequeue of a message's head; where the head was lost upstream, of its first packet that came.
    fn decide(&mut self, header: &OctopusHeader, slot: u32, waited: Duration, now: Time) -> Fate {
        // Without a threshold the bandwidth does not matter.
        let bandwidth = if header.bitrate_threshold > 0 { self.share(slot, now) } else { None };
        let stream = self.streams.state(slot);
        let fate = match stream.droppers.verdict(header, bandwidth, waited, self.options) {
            None => Fate::Leaving,
            Some(reason) => Fate::Dropped(reason),
        };
        stream.fates.remember(header.message, fate);
        fate
    }
}

impl QueueDiscipline for Octopus {
    fn enqueue(&mut self, packet: Packet, now: Time, out: &mut dyn Outcomes) {
        let length = packet.meta.length;
        let label = OctopusHeader::of_packet(&packet, &self.ports).map(|header| {
            let slot = self.streams.touch(&packet, header.stream, now);
            Label { header, slot }
        });
        // What arrives is what a stream asks for, whether it finds room or not.
        let arrivals = match label {
            Some(Label { slot, .. }) => &mut self.streams.state(slot).arrivals,
            None => &mut self.opaque,
        };
        arrivals.arrived(length, self.arrivals, now);
        if !self.limit.admits(self.fifo.backlog(), length) {
            return out.dropped(packet, DropReason::BufferFull, now);
        }
        if let Some(Label { header, slot }) = &label {
            self.streams.enqueued(*slot);
            self.streams.state(*slot).droppers.observe(header);
        }
        self.labels.push_back(label);
        self.fifo.push(packet, now);
    }

    fn dequeue(&mut self, now: Time, out: &mut dyn Outcomes) -> Option<Packet> {
        // A packet that came to an empty queue at this instant found the link free.
        if self.fifo.head().is_some_and(|head| head.meta.enq_qdepth == 0 && head.meta.enqueued_at == now) {
            self.bandwidth.clear();
        }
        while let (Some(packet), Some(label)) = (self.fifo.pop(), self.labels.pop_front()) {
            let reason = label.as_ref().and_then(|label| {
                self.streams.dequeued(label.slot);
                self.reason(label, now.since(packet.meta.enqueued_at), now)
            });
            match reason {
                Some(reason) => out.dropped(packet, reason, now),
                None => {
                    // What is dropped takes no capacity, so it says nothing of it.
                    self.bandwidth.departed(packet.meta.length, now);
                    return Some(packet);
                }
            }
        }
        self.bandwidth.clear();
        None
    }

    fn keeps_time(&self) -> bool {
        false
    }

    fn gauges(&self, now: Time, out: &mut dyn Gauges) {
        out.set(&BANDWIDTH, self.bandwidth.peek(now).map_or(f64::NAN, Rate::as_mbit_f64));
        out.set(&STREAMS, self.streams.count() as f64);
    }

    fn wants_idle_polls(&self) -> bool {
        true
    }

    fn backlog(&self) -> Backlog {
        self.fifo.backlog()
    }
}

#[cfg(test)]
mod tests;

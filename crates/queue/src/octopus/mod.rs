//! `octopus`: drops messages that their sender has labelled as superfluous (Chen, Tahir & Mittal 2023, Algorithm 1).
//!
//! FIFO. Senders transmit slightly more than the network can carry and label each message of a stream with the conditions
//! that make it superfluous: a newer message (a *dropper*) in the queue, or a bandwidth share below `bitrate_threshold`. The
//! decision is made when the head of a message reaches the front of the queue; the other packets of the message follow it.
//! Other traffic passes in order. The decision itself is [`Droppers::verdict`], shared with the sender's buffer; this file
//! is the queue around it and its measurements (bandwidth, arrival rates).
//!
//! Units: windows are times; rates in bit/s (gauge in Mbit/s).

use std::collections::VecDeque;

use jettison_core::{DropReason, Duration, Gauge, Gauges, Rate, Time};
use jettison_labels::{Classifier, Classify, LabelSource, Labels, Missing};
use jettison_measure::Outcomes;
use jettison_octopus::{
    ArrivalRate, ArrivalWindow, BandwidthSettings, DequeueRate, Droppers, Fate, Fates, IdleTime, Streams,
    VerdictOptions, max_min_share,
};
use jettison_registry::style::{FOREST, Line::Solid};
use jettison_registry::{Entry, ParameterError};
use jettison_wire::{OCTOPUS_PORT, OctopusHeader, Packet};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::entry::{BuildContext, Discipline};
use crate::{Backlog, Fifo, InLinux, Limit, QueueDiscipline};

/// Gauges of the internal state.
const GAUGES: &[Gauge] = &[BANDWIDTH, STREAMS, REFUSED];

const BANDWIDTH: Gauge = Gauge::new(
    "octopus_bandwidth",
    "Mbit/s",
    "Bandwidth of the link as measured; none while it counts as unlimited.",
);
const STREAMS: Gauge = Gauge::new("octopus_streams", "count", "Streams in the table.");
const REFUSED: Gauge = Gauge::new(
    "octopus_unlabelled",
    "packets",
    "Packets so far whose stream found the table full: they count as other traffic.",
);

/// Registry entry of the discipline.
pub fn entry() -> Entry<Discipline> {
    Entry::<Discipline>::new("octopus", "Octopus", build)
        .style(FOREST, Solid)
        .summary("Drops messages that their senders labelled as superfluous, according to the bandwidth")
        .source("Chen, Tahir & Mittal 2023, Algorithm 1")
        .page("disciplines/octopus.md")
        .gauges(GAUGES)
        .facts(InLinux::lacks(
            "no qdisc reads the labels of messages",
            "`prio` with a filter by DSCP, which knows no messages",
        ))
}

/// Parameters of Octopus.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OctopusParameters {
    /// UDP ports, source or destination, that identify Octopus traffic.
    pub ports: Vec<u16>,
    /// What is seen of the labels: `own`, or what a standard carries of them: `dependency-descriptor`,
    /// `dependency-descriptor-allocation`, `frame-marking`, `pdu-set` or `moq`.
    pub labels: Labels,
    /// RTP packets with a header extension instead, such as `{ format = "dependency-descriptor", extension = 4 }`.
    pub classify: Option<Classify>,
    /// Values of a label for which the format has no field.
    pub missing: Missing,
    /// Drop a message only after it has waited for its `slack`. In the authors' code, not in the paper.
    pub slack: bool,
    /// Drop a message only if its head and its tail are both queued. In the authors' code, not in the paper.
    pub whole_message_only: bool,
    /// Measure of the bandwidth when the queue is empty: `discounted` leaves idle time out of the window (the paper);
    /// `restarted` begins anew (the authors' code).
    pub bandwidth: IdleTime,
    /// Window in which the bandwidth is measured.
    pub window: Duration,
    /// Minimum departures within the window; with fewer, the bandwidth counts as unlimited, unless idle time is discounted and
    /// the whole window was busy. Unset: 1 with `discounted`, 5 with `restarted` (the authors' code).
    pub min_samples: Option<u64>,
    /// Extend the window beyond `window` until it contains `min_samples` packets, which gives slow links a bandwidth too. Not
    /// in the paper; only with `bandwidth = "restarted"`.
    pub stretch_window: bool,
    /// Window in which the streams' arrival rates are measured.
    pub arrival_window: Duration,
    /// Maximum number of streams in the table. A new one replaces one that has no packet in the queue and has been silent; if
    /// there is none, its packets are treated as other traffic.
    pub max_streams: u32,
    /// Buffer limit in packets, bytes (IP length) or both; arrivals that exceed it are dropped.
    pub limit: Limit,
}

/// Default of the table's size. The fair share looks at each stream, so this bounds the work for a packet, too.
pub(crate) const MAX_STREAMS: u32 = 4096;

/// Checks the size of the table of streams.
pub(crate) fn check_streams(most: u32) -> Result<(), ParameterError> {
    ParameterError::require((1..=1 << 20).contains(&most), "max_streams", "be 1 to 1048576", most)
}

impl Default for OctopusParameters {
    fn default() -> OctopusParameters {
        OctopusParameters {
            ports: vec![OCTOPUS_PORT],
            labels: Labels::Own,
            classify: None,
            missing: Missing::default(),
            slack: false,
            whole_message_only: false,
            bandwidth: IdleTime::Discounted,
            window: Duration::from_millis(50),
            min_samples: None,
            stretch_window: false,
            arrival_window: Duration::from_millis(100),
            max_streams: MAX_STREAMS,
            limit: Limit::default(),
        }
    }
}

impl OctopusParameters {
    fn check(&self) -> Result<(), ParameterError> {
        check_ports(&self.ports)?;
        for (key, window) in [("window", self.window), ("arrival_window", self.arrival_window)] {
            ParameterError::require(window >= Duration::from_micros(1), key, "be >= 1 us", window)?;
        }
        let samples = self.samples();
        ParameterError::require(samples > 0, "min_samples", "be >= 1", samples)?;
        ParameterError::unless(
            !self.stretch_window || self.bandwidth == IdleTime::Restarted,
            "stretch_window",
            || {
                "must be false unless bandwidth = \"restarted\"; discounted idle time needs no longer window"
                    .to_owned()
            },
        )?;
        check_streams(self.max_streams)
    }

    /// The minimum number of departures within the window.
    fn samples(&self) -> u64 {
        self.min_samples.unwrap_or(self.bandwidth.default_samples())
    }
}

/// Checks the ports that identify Octopus traffic.
pub(crate) fn check_ports(ports: &[u16]) -> Result<(), ParameterError> {
    ParameterError::unless(!ports.is_empty() && !ports.contains(&0), "ports", || {
        format!("must be one or more UDP ports in [1, 65535], such as [{OCTOPUS_PORT}], got {ports:?}")
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
#[derive(Debug, Clone)]
pub struct Octopus {
    classifier: Classifier,
    options: VerdictOptions,
    arrivals: ArrivalWindow,
    limit: Limit,

    bandwidth: DequeueRate,
    streams: Streams<Stream>,
    /// Arrival rate of other traffic, which counts as one stream in the fair share.
    opaque: ArrivalRate,
    fifo: Fifo,
    /// Header and stream of each packet in `fifo`; `None` for other traffic.
    labels: VecDeque<Option<Label>>,
    /// Scratch buffer for the arrival rates of the other streams.
    others: Vec<Rate>,
}

/// State of a stream, of constant size.
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
    /// Creates an empty queue; `seed` seeds the hash of the stream table.
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn new(parameters: OctopusParameters, seed: u64) -> Result<Octopus, ParameterError> {
        parameters.check()?;
        let (samples, most) = (parameters.samples(), parameters.max_streams as usize);
        let source = LabelSource {
            labels: parameters.labels,
            classify: parameters.classify,
            missing: parameters.missing,
        };
        Ok(Octopus {
            classifier: Classifier::new(source, parameters.ports, seed, most)?,
            options: VerdictOptions {
                slack: parameters.slack,
                whole_message_only: parameters.whole_message_only,
            },
            arrivals: ArrivalWindow::new(parameters.arrival_window),
            limit: parameters.limit,
            bandwidth: DequeueRate::new(
                parameters.bandwidth,
                BandwidthSettings { window: parameters.window, samples, stretch: parameters.stretch_window },
            ),
            streams: Streams::new(seed, most),
            opaque: ArrivalRate::default(),
            fifo: Fifo::default(),
            labels: VecDeque::new(),
            others: Vec::new(),
        })
    }

    /// The link's bandwidth as measured now; `None` while it counts as unlimited.
    pub fn bandwidth(&mut self, now: Time) -> Option<Rate> {
        self.bandwidth.rate(now)
    }

    /// Bandwidth share of the stream in `slot`: its max-min fair share if its demand were unlimited, given the arrival rates
    /// of the other streams.
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

    /// The reason to drop a packet at the front of the queue, if any. The message's fate is decided once, with its first
    /// packet that reaches the front.
    #[inline]
    fn drop_reason(&mut self, label: &Label, waited: Duration, now: Time) -> Option<DropReason> {
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

    /// Runs Algorithm 1 at the dequeue of a message's head or, if the head was lost upstream, of its first packet.
    fn decide(&mut self, header: &OctopusHeader, slot: u32, waited: Duration, now: Time) -> Fate {
        // Without a threshold the share is irrelevant, and it is expensive to compute.
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
        // No verdict applies to a packet whose stream finds the table full.
        let label = self.classifier.label(&packet, now).and_then(|header| {
            let slot = self.streams.touch(&packet, header.stream, now)?;
            Some(Label { header, slot })
        });
        // Arrivals measure a stream's demand, so packets that find the buffer full count too.
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
        self.bandwidth.arrived(now);
        self.labels.push_back(label);
        self.fifo.push(packet, now);
    }

    fn dequeue(&mut self, now: Time, out: &mut dyn Outcomes) -> Option<Packet> {
        // A packet that arrived at an empty queue at this instant found the link idle.
        if self.fifo.head().is_some_and(|head| head.meta.enq_qdepth == 0 && head.meta.enqueued_at == now) {
            self.bandwidth.found_free();
        }
        while let (Some(packet), Some(label)) = (self.fifo.pop(), self.labels.pop_front()) {
            let reason = label.as_ref().and_then(|label| {
                self.streams.dequeued(label.slot);
                self.drop_reason(label, now.since(packet.meta.enqueued_at), now)
            });
            match reason {
                Some(reason) => out.dropped(packet, reason, now),
                None => {
                    // Only sent packets measure the bandwidth: dropped packets use no capacity.
                    self.bandwidth.departed(packet.meta.length, now);
                    return Some(packet);
                }
            }
        }
        self.bandwidth.found_empty(now);
        None
    }

    fn uses_wakeups(&self) -> bool {
        false
    }

    fn gauges(&self, now: Time, out: &mut dyn Gauges) {
        out.set(&BANDWIDTH, self.bandwidth.peek(now).map_or(f64::NAN, Rate::as_mbit_f64));
        out.set(&STREAMS, self.streams.count() as f64);
        out.set(&REFUSED, self.streams.overflows().0 as f64);
    }

    fn wants_idle_polls(&self) -> bool {
        true
    }

    fn backlog(&self) -> Backlog {
        self.fifo.backlog()
    }
}

#[cfg(test)]
mod label_tests;
#[cfg(test)]
mod tests;

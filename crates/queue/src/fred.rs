//! `fred`: Flow Random Early Drop (Lin & Morris 1997).
//!
//! RED with per-flow accounting of *active* flows, those with packets in the queue. A flow can always queue `minq` packets,
//! which protects fragile flows, and never more than `maxq`. A flow that repeatedly exceeds its share (`strike`) is limited
//! to the average backlog per flow (`avgcq`). RED's random drops hit only flows above their share.
//!
//! Units: thresholds, averages and backlogs in packets; `w_q` and `max_p` in (0, 1].

use std::collections::VecDeque;

use jettison_core::{Bytes, DropReason, Duration, Gauge, Gauges, RandomStream, Rate, Time};
use jettison_measure::Outcomes;
use jettison_registry::style::{Line::Solid, OLIVE};
use jettison_registry::{Entry, ParameterError};
use jettison_wire::Packet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::entry::{BuildContext, Discipline};
use crate::{Backlog, Fifo, FlowTable, InLinux, Limit, QueueDiscipline, RedState, Threshold};

/// Gauges of the internal state.
const GAUGES: &[Gauge] = &[AVERAGE, FLOW_AVERAGE, FLOWS];

const AVERAGE: Gauge = Gauge::new("fred_average", "packets", "Average queue length avg.");
const FLOW_AVERAGE: Gauge =
    Gauge::new("fred_flow_average", "packets", "Average backlog of an active flow (avgcq), at least 1.");
const FLOWS: Gauge = Gauge::new("fred_flows", "count", "Flows with packets in the queue.");

/// Registry entry of the discipline.
pub fn entry() -> Entry<Discipline> {
    Entry::<Discipline>::new("fred", "FRED", build)
        .style(OLIVE, Solid)
        .summary("RED with a backlog limit per active flow; protects fragile flows")
        .source("Lin & Morris 1997")
        .page("disciplines/fred.md")
        .gauges(GAUGES)
        .facts(InLinux::lacks(
            "limits per active flow inside RED",
            "`fq_codel` for shares per flow, or `choke` for one RED queue that punishes unresponsive flows",
        ))
}

/// Parameters of FRED, with the paper's names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FredParameters {
    /// Average queue length below which nothing is dropped at random, in packets. The paper: a quarter of the buffer.
    pub min_th: Threshold,
    /// Average queue length from which on each flow is limited to two packets (`two_packets`) or every arrival is dropped, in
    /// packets. Unset: twice `min_th`, as in the paper.
    pub max_th: Option<Threshold>,
    /// Weight of a new sample in the average queue length, in (0, 1].
    pub w_q: f64,
    /// Probability of a random drop as the average reaches `max_th`, in (0, 1].
    pub max_p: f64,
    /// Backlog that every flow can have without random drops, in packets. The paper: 2 for small buffers, 4 for large ones.
    pub minq: Threshold,
    /// Limit of a flow's backlog, in packets. Unset: `min_th`, as in the paper.
    pub maxq: Option<Threshold>,
    /// From `max_th` on, accept up to two packets per flow (the paper's extension for many flows) instead of dropping every
    /// arrival.
    pub two_packets: bool,
    /// Typical transmission time of a small packet, the unit of the average's decay during idle periods. Unset: that of
    /// `mean_packet` at the link's rate.
    pub s: Option<Duration>,
    /// IP length of the typical small packet, used if `s` is unset.
    pub mean_packet: Bytes,
    /// Slots for the state of active flows, a power of two in [8, 65536]. Excess flows share slots.
    pub flows: u32,
    /// Buffer limit in packets, bytes (IP length) or both; arrivals that exceed it are dropped.
    pub limit: Limit,
}

impl Default for FredParameters {
    fn default() -> FredParameters {
        FredParameters {
            min_th: Threshold::Packets(16),
            max_th: None,
            w_q: 0.002,
            max_p: 0.02,
            minq: Threshold::Packets(2),
            maxq: None,
            two_packets: true,
            s: None,
            mean_packet: Bytes::new(500),
            flows: 1024,
            limit: Limit::default(),
        }
    }
}

impl FredParameters {
    fn check(&self) -> Result<(), ParameterError> {
        let counts = [("max_th", self.max_th), ("maxq", self.maxq)];
        let counts = counts.into_iter().filter_map(|(key, value)| Some((key, value?)));
        for (key, value) in counts.chain([("min_th", self.min_th), ("minq", self.minq)]) {
            let is_count = !value.is_bytes() && value.value() > 0;
            ParameterError::require(is_count, key, "be in packets and >= 1 packet", value)?;
        }
        let (min, max) = (self.min_th.value(), self.max_th.map(Threshold::value));
        ParameterError::unless(max.is_none_or(|max| max > min), "max_th", || {
            let found = max.unwrap_or_default();
            format!(
                "must be > `min_th` ({}), got {found} packets; the paper uses twice `min_th`",
                self.min_th
            )
        })?;
        for (key, value) in [("w_q", self.w_q), ("max_p", self.max_p)] {
            ParameterError::require(value > 0.0 && value <= 1.0, key, "be in (0, 1]", value)?;
        }
        ParameterError::require(self.s.is_none_or(|s| !s.is_zero()), "s", "be > 0", "0 s")?;
        ParameterError::require(self.mean_packet.get() > 0, "mean_packet", "be >= 1 byte", self.mean_packet)?;
        let in_range = self.flows.is_power_of_two() && (8..=65_536).contains(&self.flows);
        ParameterError::require(in_range, "flows", "be a power of two in [8, 65536]", self.flows)
    }
}

fn build(
    parameters: FredParameters,
    context: &BuildContext<'_>,
) -> Result<Box<dyn QueueDiscipline>, ParameterError> {
    Ok(Box::new(Fred::new(parameters, (context.random)("drop"), &mut (context.random)("hash"))?))
}

/// One FIFO queue under FRED.
#[derive(Debug, Clone)]
pub struct Fred {
    parameters: FredParameters,
    min_th: f64,
    max_th: f64,
    /// Limit of a flow's backlog while the average is below `max_th`, in packets.
    maxq: u64,
    random: RandomStream,

    /// RED's average queue length in packets. RED's own count is not used.
    average: RedState,
    /// The paper's count: arrivals since the last random drop; −1 while the average is below `min_th`.
    count: i64,
    /// Average backlog of an active flow in packets, at least 1.
    avgcq: f64,
    /// Flows with packets in the queue.
    active: u32,
    flows: FlowTable<Flow>,
    /// Typical transmission time of a small packet; `None` until the link's rate is known.
    s: Option<Duration>,

    fifo: Fifo,
    /// Slot of the flow of each packet in `fifo`.
    slots: VecDeque<u32>,
}

/// State of an active flow.
#[derive(Debug, Clone, Default)]
struct Flow {
    /// Packets in the queue.
    qlen: u64,
    /// Number of times that the flow exceeded its share.
    strike: u32,
}

impl Fred {
    /// Creates an empty queue that draws from `random`; `hash` seeds the flow table.
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn new(
        parameters: FredParameters,
        random: RandomStream,
        hash: &mut RandomStream,
    ) -> Result<Fred, ParameterError> {
        parameters.check()?;
        let min_th = parameters.min_th.value();
        Ok(Fred {
            min_th: min_th as f64,
            max_th: parameters.max_th.map_or(min_th.saturating_mul(2), Threshold::value) as f64,
            maxq: parameters.maxq.map_or(min_th, Threshold::value),
            random,
            average: RedState::default(),
            count: -1,
            avgcq: 1.0,
            active: 0,
            flows: FlowTable::new(parameters.flows, hash.uniform(0, u64::MAX)),
            s: parameters.s,
            fifo: Fifo::default(),
            slots: VecDeque::new(),
            parameters,
        })
    }

    /// The average queue length in packets.
    pub fn average(&self) -> f64 {
        self.average.average()
    }

    /// The average backlog of an active flow in packets, at least 1.
    pub fn avgcq(&self) -> f64 {
        self.avgcq
    }

    /// The paper's "calculate average queue length", on an arrival or, if `departed`, on a departure.
    #[inline]
    fn update_average(&mut self, departed: bool, now: Time) {
        let queue = self.fifo.backlog().packets;
        if queue > 0 || departed {
            self.average.sample(self.parameters.w_q, queue);
        } else {
            self.average.idle(self.parameters.w_q, self.s, now);
        }
        let share = self.average.average() / f64::from(self.active.max(1));
        self.avgcq = share.max(1.0);
        if queue == 0 {
            self.average.emptied(now);
        }
    }

    /// Decides on an arrival of the flow in `slot`; returns the reason if it is to be dropped. A drop for exceeding the
    /// flow's share is a strike.
    #[inline]
    fn drop_reason(&mut self, slot: u32) -> Option<DropReason> {
        let average = self.average.average();
        let congested = average >= self.max_th;
        // With more flows than buffers, two packets per flow keep TCP's fast retransmit working.
        let maxq = if congested && self.parameters.two_packets { 2 } else { self.maxq };
        let flow = self.flows.state_mut(slot);
        let qlen = flow.qlen as f64;
        // "Identify and manage non-adaptive flows."
        if flow.qlen >= maxq
            || (congested && qlen > 2.0 * self.avgcq)
            || (qlen >= self.avgcq && flow.strike > 1)
        {
            flow.strike = flow.strike.saturating_add(1);
            return Some(DropReason::FredFlow);
        }
        if congested {
            self.count = 0;
            return (!self.parameters.two_packets).then_some(DropReason::RedForced);
        }
        if average < self.min_th {
            self.count = -1;
            return None;
        }
        // "Operate in random drop mode", but on robust flows only.
        self.count += 1;
        if qlen < self.avgcq.max(self.parameters.minq.value() as f64) {
            return None;
        }
        let p_b = self.parameters.max_p * (average - self.min_th) / (self.max_th - self.min_th);
        let undropped = 1.0 - self.count as f64 * p_b;
        if undropped <= p_b || self.random.chance(p_b / undropped) {
            self.count = 0;
            return Some(DropReason::RedEarly);
        }
        None
    }
}

impl QueueDiscipline for Fred {
    fn enqueue(&mut self, packet: Packet, now: Time, out: &mut dyn Outcomes) {
        let found = self.flows.find(&packet, |flow| flow.qlen == 0);
        // The idle period must be in the average before the decision, also if the arrival is dropped.
        if self.fifo.is_empty() {
            self.update_average(false, now);
        }
        if let Some(reason) = self.drop_reason(found.slot) {
            return out.dropped(packet, reason, now);
        }
        if !self.parameters.limit.admits(self.fifo.backlog(), packet.meta.length) {
            return out.dropped(packet, DropReason::BufferFull, now);
        }
        let flow = self.flows.state_mut(found.slot);
        if flow.qlen == 0 {
            self.active += 1;
        }
        flow.qlen += 1;
        self.update_average(false, now);
        self.slots.push_back(found.slot);
        self.fifo.push(packet, now);
    }

    fn dequeue(&mut self, now: Time, _: &mut dyn Outcomes) -> Option<Packet> {
        let packet = self.fifo.pop()?;
        let slot = self.slots.pop_front().expect("each queued packet has a slot");
        let flow = self.flows.state_mut(slot);
        flow.qlen -= 1;
        if flow.qlen == 0 {
            // "Delete state table": the strikes expire with the flow's last packet.
            *flow = Flow::default();
            self.active -= 1;
        }
        self.update_average(true, now);
        Some(packet)
    }

    fn capacity_changed(&mut self, rate: Rate, _: Time) {
        if self.parameters.s.is_none() {
            self.s = (!rate.is_zero()).then(|| rate.time_for(self.parameters.mean_packet));
        }
    }

    fn uses_wakeups(&self) -> bool {
        false
    }

    fn gauges(&self, _: Time, out: &mut dyn Gauges) {
        out.set(&AVERAGE, self.average());
        out.set(&FLOW_AVERAGE, self.avgcq);
        out.set(&FLOWS, f64::from(self.active));
    }

    fn backlog(&self) -> Backlog {
        self.fifo.backlog()
    }
}

#[cfg(test)]
mod tests;

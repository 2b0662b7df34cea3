//! `fq`: fair queueing with pacing.
//!
//! Each flow has a queue. Flows take turns by deficit round robin with a credit of `quantum` bytes, those that have just become
//! active first, with `initial_quantum` for a flow that is new. With `maxrate`, a flow that has used up its credit waits
//! until the bytes of that credit have taken their time at this rate, so a flow never exceeds it beyond one quantum (and the
//! first). A flow whose rate is at most `low_rate_threshold` sends packet by packet instead.
//!
//! TCP connections of the simulator's hosts pace themselves: a packet reaches the queue when it is due. There are no departure
//! times in packets, so Linux's `horizon` has no counterpart.
//!
//! Reference: tc-fq(8); what it leaves open was measured with sch_fq of Linux 6.1. Units: sizes in bytes with `overhead`.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

mod flows;

use flows::{Flow, Flows};

use jettison_core::{Bytes, DropReason, Duration, Gauge, Gauges, MarkReason, Rate, Time};
use jettison_measure::Outcomes;
use jettison_registry::style::{Line::DashDot, NAVY};
use jettison_registry::{Entry, ParameterError};
use jettison_wire::{Ecn, Packet};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::entry::{BuildContext, Discipline};
use crate::tbf::require_rate;
use crate::{
    Backlog, Framing, InLinux, Limit, PacketPool, Qdisc, QdiscContext, QueueChange, QueueDiscipline,
    QueueSetting, tc_rate,
};

/// Gauges of the internal state.
const GAUGES: &[Gauge] = &[FLOWS, THROTTLED];

const FLOWS: Gauge = Gauge::new("fq_flows", "count", "Flows that are served in turn.");
const THROTTLED: Gauge = Gauge::new("fq_throttled", "count", "Flows that wait for their rate.");

/// Registry entry of the discipline.
pub fn entry() -> Entry<Discipline> {
    Entry::<Discipline>::new("fq", "FQ", build)
        .style(NAVY, DashDot)
        .summary("Fair queueing by flow, each flow paced to a maximum rate")
        .source("tc-fq(8)")
        .page("disciplines/fq.md")
        .gauges(GAUGES)
        .facts(InLinux::by(qdisc))
}

/// Parameters of fair queueing, with the names of tc-fq(8).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FqParameters {
    /// Maximum rate of each flow. Unset: none.
    pub maxrate: Option<Rate>,
    /// Credit of a flow in its turn.
    pub quantum: Bytes,
    /// Credit of a new flow.
    pub initial_quantum: Bytes,
    /// Up to this `maxrate`, a flow sends packet by packet, not by its credit.
    pub low_rate_threshold: Rate,
    /// Idle time after which a flow's credit is a `quantum` again.
    pub refill_delay: Duration,
    /// Sojourn time above which ECN-capable packets are marked. Unset: never.
    pub ce_threshold: Option<Duration>,
    /// Idle flows whose credit is remembered, at most 65,536. Of flows with a backlog there may be any number.
    pub flows: u32,
    /// Bytes that a packet costs beyond its IP length.
    pub overhead: Framing,
    /// Limit of each flow, in packets, bytes or both.
    pub flow_limit: Limit,
    /// Limit of all flows together, in packets, bytes or both.
    pub limit: Limit,
}

impl Default for FqParameters {
    fn default() -> FqParameters {
        FqParameters {
            maxrate: None,
            quantum: Bytes::new(3028),
            initial_quantum: Bytes::new(15_140),
            low_rate_threshold: Rate::from_kbit(550),
            refill_delay: Duration::from_millis(40),
            ce_threshold: None,
            flows: 1024,
            overhead: Framing::RAW,
            flow_limit: Limit::packets(100),
            limit: Limit::packets(10_000),
        }
    }
}

const MAX_FLOWS: u32 = 65_536;
const MAX_QUANTUM: u64 = 1_000_000_000;

impl FqParameters {
    fn check(&self) -> Result<(), ParameterError> {
        if let Some(maxrate) = self.maxrate {
            require_rate("maxrate", maxrate)?;
        }
        let in_range = (1..=MAX_QUANTUM).contains(&self.quantum.get());
        ParameterError::require(in_range, "quantum", "be in [1 byte, 1 GB]", self.quantum)?;
        let in_range = self.initial_quantum.get() <= MAX_QUANTUM;
        ParameterError::require(in_range, "initial_quantum", "be at most 1 GB", self.initial_quantum)?;
        let in_range = (1..=MAX_FLOWS).contains(&self.flows);
        ParameterError::require(in_range, "flows", "be in [1, 65536]", self.flows)
    }
}

fn build(
    parameters: FqParameters,
    context: &BuildContext<'_>,
) -> Result<Box<dyn QueueDiscipline>, ParameterError> {
    parameters.check()?;
    let seed = (context.random)("hash").uniform(0, u64::MAX);
    Ok(Box::new(Fq {
        flows: Flows::new(parameters.flows as usize, seed),
        parameters,
        pool: PacketPool::default(),
        new: VecDeque::new(),
        old: VecDeque::new(),
        throttled: BinaryHeap::new(),
        backlog: Backlog::default(),
        refused: None,
    }))
}

/// Linux's `fq`: tc-fq(8).
fn qdisc(parameters: FqParameters, context: &QdiscContext<'_>) -> Result<Qdisc, ParameterError> {
    let same = parameters.overhead == Framing { overhead: context.header.get() as i16, ..Framing::IP };
    let bytes_only = Limit { packets: u64::MAX, ..parameters.flow_limit } != Limit::UNLIMITED;
    ParameterError::unless(!bytes_only, "flow_limit", || {
        format!("must be in packets for `tc`, got {}", parameters.flow_limit)
    })?;
    let mut qdisc = Qdisc::new("fq").packet_limit(parameters.limit, context);
    if parameters.flow_limit != Limit::UNLIMITED {
        qdisc = qdisc.option("flow_limit", parameters.flow_limit.packets);
    }
    qdisc = qdisc
        .option("quantum", parameters.quantum.get())
        .option("initial_quantum", parameters.initial_quantum.get())
        .option("buckets", parameters.flows.next_power_of_two())
        .option("low_rate_threshold", tc_rate(parameters.low_rate_threshold))
        .time("refill_delay", "refill_delay", parameters.refill_delay)?;
    if let Some(maxrate) = parameters.maxrate {
        qdisc = qdisc.option("maxrate", tc_rate(maxrate));
    }
    if let Some(threshold) = parameters.ce_threshold {
        qdisc = qdisc.time("ce_threshold", "ce_threshold", threshold)?;
    }
    Ok(qdisc.note_if(!same, "overhead: Linux's fq counts the IP packet and the header of the device"))
}

/// Queues of flows that are served in turn, and of flows that wait.
#[derive(Debug, Clone)]
pub struct Fq {
    parameters: FqParameters,
    pool: PacketPool,
    flows: Flows,
    /// Flows that have just become active.
    new: VecDeque<u32>,
    old: VecDeque<u32>,
    /// Flows that wait until they are due: the earliest first, among equals the lowest slot.
    throttled: BinaryHeap<Reverse<(Time, u32)>>,
    backlog: Backlog,
    /// Time at which a flow is due, set when a dequeue came too early.
    refused: Option<Time>,
}

impl Fq {
    /// Sets the time at which a flow may send again that has just sent a packet of `cost` bytes.
    #[inline]
    fn pace(parameters: &FqParameters, flow: &mut Flow, cost: u64, now: Time) {
        let Some(maxrate) = parameters.maxrate else { return };
        let bytes = if maxrate <= parameters.low_rate_threshold {
            flow.credit = 0;
            cost
        } else {
            cost.max(parameters.quantum.get())
        };
        if flow.credit > 0 {
            return;
        }
        let gap = maxrate.time_for(Bytes::new(bytes));
        // A link that came late for a flow that waited does not slow it down: the schedule goes on, but the next gap is at
        // least half as long.
        let half = Duration::from_nanos(gap.as_nanos() / 2);
        let late = if flow.has_waited { now.since(flow.due) } else { Duration::ZERO };
        flow.due = now.saturating_add(gap.saturating_sub(late.min(half)));
        flow.has_waited = false;
    }

    /// Puts flows that are due back in turn.
    #[inline]
    fn release(&mut self, now: Time) {
        while let Some(Reverse((due, slot))) = self.throttled.peek().copied() {
            if due > now {
                break;
            }
            self.throttled.pop();
            self.old.push_back(slot);
        }
    }
}

impl QueueDiscipline for Fq {
    fn enqueue(&mut self, packet: Packet, now: Time, out: &mut dyn Outcomes) {
        let length = packet.meta.length;
        if !self.parameters.limit.admits(self.backlog, length) {
            return out.dropped(packet, DropReason::BufferFull, now);
        }
        let (slot, is_new) = self.flows.find(&packet);
        let flow = self.flows.at(slot);
        if is_new {
            flow.credit = self.parameters.initial_quantum.get() as i64;
        }
        let backlog = flow.packets.backlog();
        if !self.parameters.flow_limit.admits(backlog, length) {
            return out.dropped(packet, DropReason::FlowLimit, now);
        }
        if !flow.is_active {
            flow.is_active = true;
            flow.has_waited = false;
            if !is_new && now.since(flow.idle_since) > self.parameters.refill_delay {
                flow.credit = flow.credit.max(self.parameters.quantum.get() as i64);
            }
            self.new.push_back(slot);
        }
        self.backlog = self.backlog.with(length);
        self.pool.push(&mut flow.packets, packet, backlog.packets, now);
    }

    fn dequeue(&mut self, now: Time, out: &mut dyn Outcomes) -> Option<Packet> {
        self.refused = None;
        self.release(now);
        loop {
            let is_new = !self.new.is_empty();
            let list = if is_new { &mut self.new } else { &mut self.old };
            let Some(slot) = list.front().copied() else {
                self.refused = self.throttled.peek().map(|Reverse((due, _))| *due);
                return None;
            };
            let flow = self.flows.at(slot);
            if flow.credit <= 0 {
                flow.credit += self.parameters.quantum.get() as i64;
                list.pop_front();
                self.old.push_back(slot);
                continue;
            }
            if !flow.packets.is_empty() && flow.due > now {
                list.pop_front();
                flow.has_waited = true;
                self.throttled.push(Reverse((flow.due, slot)));
                continue;
            }
            let Some(mut packet) = self.pool.pop(&mut flow.packets) else {
                list.pop_front();
                if is_new && !self.old.is_empty() {
                    // Through the old flows once, so that one that sends a packet whenever it is idle starves none.
                    self.old.push_back(slot);
                } else {
                    flow.is_active = false;
                    flow.idle_since = now;
                    self.flows.idles(slot);
                }
                continue;
            };
            let length = packet.meta.length;
            self.backlog = self.backlog.without(length);
            let cost = u64::from(self.parameters.overhead.size(length));
            flow.credit -= cost as i64;
            Fq::pace(&self.parameters, flow, cost, now);
            let late = |threshold| now.since(packet.meta.enqueued_at) > threshold;
            if self.parameters.ce_threshold.is_some_and(late) && packet.ecn() != Ecn::Ce && packet.mark_ce() {
                out.marked(&packet, MarkReason::CeThreshold, now);
            }
            return Some(packet);
        }
    }

    fn handle_wakeup(&mut self, now: Time, _: &mut dyn Outcomes) {
        if self.refused.is_some_and(|at| at <= now) {
            self.refused = None;
        }
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.refused
    }

    fn uses_wakeups(&self) -> bool {
        self.parameters.maxrate.is_some()
    }

    fn gauges(&self, _: Time, out: &mut dyn Gauges) {
        out.set(&FLOWS, (self.new.len() + self.old.len()) as f64);
        out.set(&THROTTLED, self.throttled.len() as f64);
    }

    /// [`QueueSetting::Bandwidth`] is `maxrate`, if there is one; it holds from each flow's next packet.
    fn reconfigure(&mut self, change: &QueueChange) -> bool {
        match *change {
            QueueChange { class: None, setting: QueueSetting::Bandwidth(rate) } => {
                let has_rate = self.parameters.maxrate.is_some() && !rate.is_zero();
                if has_rate {
                    self.parameters.maxrate = Some(rate);
                }
                has_rate
            }
            _ => false,
        }
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }
}

#[cfg(test)]
mod tests;

//! `fq-codel`: FlowQueue-CoDel (RFC 8290).
//!
//! Flows are hashed into queues. A byte-based deficit round robin serves the queues, each under its own CoDel. Newly active
//! queues are served before queues with a backlog, so a sparse flow, one that sends less than a quantum per round (DNS,
//! SYNs, voice), does not wait behind bulk flows. If the buffer overflows, the queue with the largest backlog loses a batch
//! of packets at its head.
//!
//! Units: `quantum` in bytes per round; `target`, `interval` and `ce_threshold` are times.

use std::collections::VecDeque;

use jettison_core::{Bytes, DropReason, Duration, Gauge, Gauges, Time};
use jettison_measure::Outcomes;
use jettison_registry::style::{Line::Solid, SKY};
use jettison_registry::{Entry, ParameterError};
use jettison_wire::Packet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ce_threshold;
use crate::codel::CodelParameters;
use crate::entry::{BuildContext, Discipline};
use crate::{
    Backlog, CeSelector, Chain, CodelSettings, CodelState, Counted, InLinux, Limit, PacketPool, Qdisc,
    QdiscContext, QueueChange, QueueDiscipline, QueueSetting, Standing,
};

/// Gauges of the internal state.
const GAUGES: &[Gauge] = &[FLOWS, NEW_FLOWS, DROPPING, COUNT];

const FLOWS: Gauge = Gauge::new("fq_codel_flows", "count", "Active queues, new ones included.");
const NEW_FLOWS: Gauge = Gauge::new("fq_codel_new_flows", "count", "Queues in the list of new flows.");
const DROPPING: Gauge = Gauge::new("fq_codel_dropping", "count", "Queues whose CoDel is in dropping state.");
const COUNT: Gauge =
    Gauge::new("fq_codel_count", "count", "Largest `count` of the queues in dropping state; 0 without any.");

/// Registry entry of the discipline.
pub fn entry() -> Entry<Discipline> {
    Entry::<Discipline>::new("fq-codel", "FQ-CoDel", build)
        .style(SKY, Solid)
        .summary("One CoDel queue per flow, served by deficit round robin, new flows first")
        .source("RFC 8290")
        .page("disciplines/fq-codel.md")
        .gauges(GAUGES)
        .facts(InLinux::by(qdisc))
}

/// Parameters of FQ-CoDel, with RFC 8290's names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FqCodelParameters {
    /// Number of queues that flows are hashed into (RFC 8290 §5.2.5).
    pub flows: u32,
    /// Bytes per queue and round (RFC 8290 §5.2.4).
    pub quantum: Bytes,
    /// Acceptable standing sojourn time of each queue (RFC 8290 §5.2.2).
    pub target: Duration,
    /// Window of the sliding minimum: about the longest RTT (RFC 8290 §5.2.1).
    pub interval: Duration,
    /// A total backlog of at most this size is not a standing queue (MAXPACKET, RFC 8289 §4.4, §5.3).
    pub maxpacket: Bytes,
    /// Marks ECN-capable packets (RFC 3168) instead of dropping them (RFC 8290 §5.2.6).
    pub ecn: bool,
    /// Sojourn time above which every ECN-capable packet is marked, independent of CoDel (RFC 8290 §5.2.7). Unset: no such
    /// marks.
    pub ce_threshold: Option<Duration>,
    /// Packets that `ce_threshold` applies to, by DSCP and ECN: VALUE/MASK of the traffic class byte (tc-fq_codel(8)), such as
    /// "0x01/0x03" for ECT(1). Unset: all.
    pub ce_threshold_selector: Option<CeSelector>,
    /// Limit of all queues together, in packets, bytes or both; beyond it the queue with the largest backlog loses packets at
    /// its head (RFC 8290 §4.1, §5.2.3).
    pub limit: Limit,
    /// Most packets dropped from the queue with the largest backlog per overflow (RFC 8290 §4.1).
    pub drop_batch: u32,
}

impl Default for FqCodelParameters {
    fn default() -> FqCodelParameters {
        let codel = CodelParameters::default();
        FqCodelParameters {
            flows: 1024,
            quantum: Bytes::new(1514),
            target: codel.target,
            interval: codel.interval,
            maxpacket: codel.maxpacket,
            ecn: true,
            ce_threshold: None,
            ce_threshold_selector: None,
            limit: Limit::packets(10_240),
            drop_batch: 64,
        }
    }
}

impl FqCodelParameters {
    fn codel(&self) -> CodelParameters {
        CodelParameters {
            target: self.target,
            interval: self.interval,
            maxpacket: self.maxpacket,
            ecn: self.ecn,
            limit: self.limit,
            ..CodelParameters::default()
        }
    }
    fn check(&self) -> Result<(), ParameterError> {
        let in_range = (1..=MAX_FLOWS).contains(&self.flows);
        ParameterError::require(in_range, "flows", "be in [1, 65536]", self.flows)?;
        let in_range = (1..=MAX_QUANTUM).contains(&self.quantum.get());
        ParameterError::require(in_range, "quantum", "be in [1 byte, 1 GB]", self.quantum)?;
        ParameterError::require(self.drop_batch > 0, "drop_batch", "be >= 1", self.drop_batch)?;
        ce_threshold::check(self.ce_threshold)?;
        let stands_alone = self.ce_threshold.is_none() && self.ce_threshold_selector.is_some();
        ParameterError::unless(!stands_alone, "ce_threshold_selector", || {
            "requires `ce_threshold`: it selects the packets that the threshold applies to".to_owned()
        })
    }
}

/// Queue indices are 16 bits wide.
const MAX_FLOWS: u32 = 65_536;
const MAX_QUANTUM: u64 = 1_000_000_000;

fn build(
    parameters: FqCodelParameters,
    context: &BuildContext<'_>,
) -> Result<Box<dyn QueueDiscipline>, ParameterError> {
    let perturbation = (context.random)("hash").uniform(0, u64::MAX);
    Ok(Box::new(FqCodel::new(&parameters, perturbation)?))
}

/// Linux's `fq_codel`: tc-fq_codel(8).
fn qdisc(parameters: FqCodelParameters, context: &QdiscContext<'_>) -> Result<Qdisc, ParameterError> {
    let FqCodelParameters { flows, quantum, target, interval, maxpacket, ecn, limit, drop_batch, .. } =
        parameters;
    let (ce_threshold, ce_selector) = (parameters.ce_threshold, parameters.ce_threshold_selector);
    let mut qdisc = Qdisc::new("fq_codel")
        .packet_limit(limit, context)
        .option("flows", flows)
        .option("quantum", quantum.get())
        .time("target", "target", target)?
        .time("interval", "interval", interval)?
        .word(if ecn { "ecn" } else { "noecn" })
        .option("drop_batch", drop_batch)
        .note_if(maxpacket != FqCodelParameters::default().maxpacket, CodelParameters::MAXPACKET_NOTE);
    if let Some(threshold) = ce_threshold {
        qdisc = qdisc.time("ce_threshold", "ce_threshold", threshold)?;
    }
    if let Some(selector) = ce_selector {
        qdisc = qdisc.option("ce_threshold_selector", selector);
    }
    Ok(qdisc)
}

/// Flow queues, each under its own CoDel.
#[derive(Debug, Clone)]
pub struct FqCodel {
    settings: CodelSettings,
    ecn: bool,
    ce_threshold: Option<Duration>,
    ce_selector: Option<CeSelector>,
    quantum: i64,
    limit: Limit,
    drop_batch: u64,
    /// Seed of the flow hash, different in each run, so collisions vary between runs (RFC 8290 §1.3, §4.1).
    perturbation: u64,

    pool: PacketPool,
    queues: Vec<FlowQueue>,
    /// Backlog of each queue in bytes, contiguous for a fast search of the maximum.
    bytes: Vec<u64>,
    /// Newly active queues that have not used up their first quantum.
    new: VecDeque<u16>,
    /// Active queues that have used up a quantum.
    old: VecDeque<u16>,
    backlog: Backlog,
}

#[derive(Debug, Clone, Default)]
struct FlowQueue {
    packets: Chain,
    codel: CodelState,
    /// Bytes that the queue may still send in this round; negative after sending more than its quantum.
    credits: i64,
    /// Whether the queue is in `new` or `old`.
    active: bool,
}

impl FqCodel {
    /// Creates empty queues; `perturbation` seeds the flow hash.
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn new(parameters: &FqCodelParameters, perturbation: u64) -> Result<FqCodel, ParameterError> {
        parameters.check()?;
        let flows = parameters.flows as usize;
        Ok(FqCodel {
            settings: parameters.codel().settings()?,
            ecn: parameters.ecn,
            ce_threshold: parameters.ce_threshold,
            ce_selector: parameters.ce_threshold_selector,
            quantum: parameters.quantum.get() as i64,
            limit: parameters.limit,
            drop_batch: u64::from(parameters.drop_batch),
            perturbation,
            pool: PacketPool::default(),
            queues: (0..flows).map(|_| FlowQueue::default()).collect(),
            bytes: vec![0; flows],
            new: VecDeque::with_capacity(flows),
            old: VecDeque::with_capacity(flows),
            backlog: Backlog::default(),
        })
    }

    /// Index of the packet's queue: the hash of the five-tuple, scaled to the number of queues (RFC 8290 §4.1).
    #[inline]
    fn classify(&self, packet: &Packet) -> u16 {
        let hash = packet.flow_hash(self.perturbation);
        ((u128::from(hash) * self.queues.len() as u128) >> 64) as u16
    }

    /// Drops half the packets of the queue with the largest backlog in bytes, at its head and at most one batch (RFC 8290
    /// §4.1). Batches amortise the linear search for that queue.
    #[cold]
    fn drop_from_largest(&mut self, now: Time, out: &mut dyn Outcomes) {
        // Ties go to the lowest index: `max_by_key` returns the last maximum of the reversed range.
        let fattest = (0..self.bytes.len()).rev().max_by_key(|index| self.bytes[*index]).unwrap_or(0);
        let chain = &mut self.queues[fattest].packets;
        for _ in 0..(chain.backlog().packets / 2).clamp(1, self.drop_batch) {
            let Some(packet) = self.pool.pop(chain) else { break };
            self.backlog.packets -= 1;
            self.backlog.bytes -= u64::from(packet.meta.length);
            out.dropped(packet, DropReason::BufferFull, now);
        }
        self.bytes[fattest] = chain.backlog().bytes;
    }

    #[inline]
    fn over_limit(&self) -> bool {
        self.backlog.packets > self.limit.packets || self.backlog.bytes > self.limit.bytes
    }
}

impl QueueDiscipline for FqCodel {
    fn enqueue(&mut self, packet: Packet, now: Time, out: &mut dyn Outcomes) {
        let index = self.classify(&packet);
        self.backlog.packets += 1;
        self.backlog.bytes += u64::from(packet.meta.length);
        self.bytes[usize::from(index)] += u64::from(packet.meta.length);
        let queue = &mut self.queues[usize::from(index)];
        let depth = queue.packets.backlog().packets;
        self.pool.push(&mut queue.packets, packet, depth, now);
        if !queue.active {
            queue.active = true;
            queue.credits = self.quantum;
            self.new.push_back(index);
        }
        while self.over_limit() {
            self.drop_from_largest(now, out);
        }
    }

    /// Deficit round robin, new queues first (RFC 8290 §4.2).
    fn dequeue(&mut self, now: Time, out: &mut dyn Outcomes) -> Option<Packet> {
        loop {
            let is_new = !self.new.is_empty();
            let list = if is_new { &mut self.new } else { &mut self.old };
            let index = *list.front()?;
            let queue = &mut self.queues[usize::from(index)];
            if queue.credits <= 0 {
                // Its quantum is used up: on to the back of the old list with a fresh one.
                queue.credits += self.quantum;
                list.pop_front();
                self.old.push_back(index);
                continue;
            }
            let mut store = Counted {
                pool: &mut self.pool,
                chain: &mut queue.packets,
                total: &mut self.backlog,
                // RFC 8289 §4.4: "the total occupancy of all queues sharing the same output link SHOULD be used".
                standing: Standing::All,
            };
            let packet = queue.codel.dequeue(&self.settings, self.ecn, &mut store, now, out);
            self.bytes[usize::from(index)] = queue.packets.backlog().bytes;
            if let Some(mut packet) = packet {
                queue.credits -= i64::from(packet.meta.length);
                let threshold = self.ce_threshold;
                if threshold.is_some_and(|threshold| now.since(packet.meta.enqueued_at) > threshold)
                    && self.ce_selector.is_none_or(|selector| selector.selects(&packet))
                {
                    ce_threshold::mark(&mut packet, now, out);
                }
                return Some(packet);
            }
            list.pop_front();
            if is_new {
                // An emptied new queue must pass through the old list before it can be new again. Otherwise a flow that
                // sends one packet whenever its queue is empty would starve the old queues.
                self.old.push_back(index);
            } else {
                queue.active = false;
            }
        }
    }

    fn uses_wakeups(&self) -> bool {
        false
    }

    fn gauges(&self, _: Time, out: &mut dyn Gauges) {
        let of = |index: &u16| &self.queues[usize::from(*index)].codel;
        let dropping = || self.new.iter().chain(&self.old).map(of).filter(|codel| codel.is_dropping());
        out.set(&FLOWS, (self.new.len() + self.old.len()) as f64);
        out.set(&NEW_FLOWS, self.new.len() as f64);
        out.set(&DROPPING, dropping().count() as f64);
        out.set(&COUNT, f64::from(dropping().map(CodelState::count).max().unwrap_or(0)));
    }

    fn reconfigure(&mut self, change: &QueueChange) -> bool {
        match *change {
            QueueChange { class: None, setting: QueueSetting::Target(target) } if !target.is_zero() => {
                self.settings.target = target;
                true
            }
            QueueChange { class: None, setting: QueueSetting::Interval(interval) } if !interval.is_zero() => {
                self.settings.interval = interval;
                true
            }
            _ => false,
        }
    }

    fn settings(&self) -> Vec<QueueSetting> {
        vec![QueueSetting::Target(self.settings.target), QueueSetting::Interval(self.settings.interval)]
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }
}

#[cfg(test)]
mod tests;

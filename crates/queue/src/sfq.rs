//! `sfq`: Stochastic Fairness Queueing (McKenney 1990).
//!
//! Flows are hashed to a fixed number of queues, served round robin, one packet per turn. Colliding flows share the service
//! of one queue, so the hash seed is changed periodically (*perturbation*). On overflow, the longest queue loses a packet.
//!
//! Units: queue lengths in packets; `perturb` is a time.

use std::collections::VecDeque;

use jettison_core::{DropReason, Duration, Gauge, Gauges, RandomStream, Time};
use jettison_measure::Outcomes;
use jettison_registry::style::{Line::Dotted, STEEL};
use jettison_registry::{Entry, ParameterError};
use jettison_wire::Packet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::entry::{BuildContext, Discipline};
use crate::{Backlog, ByLength, Chain, InLinux, Limit, PacketPool, Qdisc, QdiscContext, QueueDiscipline};

/// Gauges of the internal state.
const GAUGES: &[Gauge] = &[FLOWS, LONGEST];

const FLOWS: Gauge = Gauge::new("sfq_flows", "count", "Queues with a backlog.");
const LONGEST: Gauge = Gauge::new("sfq_longest", "packets", "Packets in the longest queue.");

/// Registry entry of the discipline.
pub fn entry() -> Entry<Discipline> {
    Entry::<Discipline>::new("sfq", "SFQ", build)
        .style(STEEL, Dotted)
        .summary("Hashes flows to queues, serves them round robin, and drops from the longest")
        .source("McKenney 1990")
        .page("disciplines/sfq.md")
        .gauges(GAUGES)
        .facts(InLinux::by(qdisc))
}

/// Parameters of SFQ.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SfqParameters {
    /// Number of queues, in [1, 65536]. Recommended: several times the number of concurrently active flows.
    pub queues: u32,
    /// Time between two changes of the hash seed; "0 s" disables them.
    pub perturb: Duration,
    /// Packet of the longest queue to drop on overflow: the newest (tail) or the oldest (head).
    pub drop_from: DropFrom,
    /// Limit of all queues together, in packets, bytes (IP length) or both.
    pub limit: Limit,
}

/// Packet of the longest queue to drop on overflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum DropFrom {
    /// The newest.
    Tail,
    /// The oldest.
    Head,
}

impl Default for SfqParameters {
    fn default() -> SfqParameters {
        SfqParameters {
            queues: 1024,
            perturb: Duration::from_secs(10),
            drop_from: DropFrom::Tail,
            limit: Limit::default(),
        }
    }
}

fn build(
    parameters: SfqParameters,
    context: &BuildContext<'_>,
) -> Result<Box<dyn QueueDiscipline>, ParameterError> {
    Ok(Box::new(Sfq::new(parameters, (context.random)("hash"))?))
}

/// Linux's `sfq`: tc-sfq(8).
fn qdisc(parameters: SfqParameters, context: &QdiscContext<'_>) -> Result<Qdisc, ParameterError> {
    /// The most that tc-sfq(8) says for packets of one flow and of all.
    const DEPTH: u64 = 127;
    const FLOWS: u32 = 65_535;
    let SfqParameters { queues, perturb, drop_from, limit } = parameters;
    let power = queues.is_power_of_two();
    ParameterError::require(power, "queues", "be a power of two for `tc`", queues)?;
    let whole = perturb.as_nanos().is_multiple_of(1_000_000_000);
    ParameterError::require(whole, "perturb", "be whole seconds for `tc`", perturb)?;
    let qdisc = Qdisc::new("sfq")
        .packet_limit(limit, context)
        .option("quantum", context.mtu.get() + context.header.get())
        .option("depth", DEPTH)
        .option("flows", queues.min(FLOWS))
        .option("divisor", queues)
        .option("perturb", perturb.as_nanos() / 1_000_000_000)
        .note("a turn: Linux's SFQ serves a flow for a packet's worth of bytes, ours for one packet")
        .note("limit: Linux's SFQ holds at most 127 packets of a flow");
    Ok(match drop_from {
        DropFrom::Head => qdisc.word("headdrop"),
        DropFrom::Tail => qdisc,
    })
}

/// Hashed flow queues, served round robin.
#[derive(Debug, Clone)]
pub struct Sfq {
    parameters: SfqParameters,
    /// Source of the hash seeds.
    random: RandomStream,
    seed: u64,
    perturb_at: Time,

    queues: Vec<Queue>,
    by_length: ByLength,
    /// Round-robin order of the active queues. A queue emptied by a drop stays until its turn.
    turns: VecDeque<u32>,
    pool: PacketPool,
    backlog: Backlog,
}

#[derive(Debug, Clone, Default)]
struct Queue {
    chain: Chain,
    /// Whether the queue is in `turns`.
    has_turn: bool,
}

impl Sfq {
    /// Creates empty queues; `random` provides the hash seeds.
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn new(parameters: SfqParameters, mut random: RandomStream) -> Result<Sfq, ParameterError> {
        let in_range = (1..=65_536).contains(&parameters.queues);
        ParameterError::require(in_range, "queues", "be in [1, 65536]", parameters.queues)?;
        let count = parameters.queues;
        let perturb_at = next_perturbation(&parameters, Time::ZERO);
        Ok(Sfq {
            seed: random.uniform(0, u64::MAX),
            random,
            perturb_at,
            queues: vec![Queue::default(); count as usize],
            by_length: ByLength::new(count),
            turns: VecDeque::with_capacity(count as usize),
            pool: PacketPool::default(),
            backlog: Backlog::default(),
            parameters,
        })
    }

    #[inline]
    fn queue_of(&self, packet: &Packet) -> u32 {
        // Scales the upper half of the hash to the number of queues: uniform, and without a division.
        (((packet.flow_hash(self.seed) >> 32) * u64::from(self.parameters.queues)) >> 32) as u32
    }

    /// Changes the hash seed and rehashes all queued packets, queue by queue. No flow is reordered, because all packets of a
    /// flow are in one queue before and after.
    fn perturb(&mut self, now: Time) {
        self.perturb_at = next_perturbation(&self.parameters, now);
        self.seed = self.random.uniform(0, u64::MAX);
        let mut old: Vec<Chain> = Vec::with_capacity(self.turns.len());
        for number in std::mem::take(&mut self.turns) {
            old.push(std::mem::take(&mut self.queues[number as usize]).chain);
        }
        self.by_length = ByLength::new(self.parameters.queues);
        for mut chain in old {
            while let Some(packet) = self.pool.head(&chain) {
                let number = self.queue_of(packet);
                let queue = &mut self.queues[number as usize];
                self.pool.move_oldest(&mut chain, &mut queue.chain);
                self.by_length.grown(number, queue.chain.backlog().packets);
                if !queue.has_turn {
                    queue.has_turn = true;
                    self.turns.push_back(number);
                }
            }
        }
    }

    /// Drops a packet from the longest queue.
    fn drop_from_longest(&mut self, now: Time, out: &mut dyn Outcomes) {
        let number = self.by_length.longest().expect("there is a backlog if the limit is exceeded");
        let chain = &mut self.queues[number as usize].chain;
        let packet = match self.parameters.drop_from {
            DropFrom::Tail => self.pool.pop_newest(chain),
            DropFrom::Head => self.pool.pop(chain),
        };
        let packet = packet.expect("the longest queue has a packet");
        self.by_length.shrunk(number, chain.backlog().packets);
        self.left(&packet);
        out.dropped(packet, DropReason::BufferFull, now);
    }

    #[inline]
    fn left(&mut self, packet: &Packet) {
        self.backlog.packets -= 1;
        self.backlog.bytes -= u64::from(packet.meta.length);
    }
}

fn next_perturbation(parameters: &SfqParameters, now: Time) -> Time {
    match parameters.perturb.is_zero() {
        true => Time::MAX,
        false => now.saturating_add(parameters.perturb),
    }
}

impl QueueDiscipline for Sfq {
    fn enqueue(&mut self, packet: Packet, now: Time, out: &mut dyn Outcomes) {
        if now >= self.perturb_at && self.perturb_at < Time::MAX {
            self.perturb(now);
        }
        // A packet larger than the whole buffer: making room for it would drop everything in vain.
        let Limit { packets, bytes } = self.parameters.limit;
        if u64::from(packet.meta.length) > bytes {
            return out.dropped(packet, DropReason::BufferFull, now);
        }
        let number = self.queue_of(&packet);
        let depth = self.backlog.packets;
        self.backlog.packets += 1;
        self.backlog.bytes += u64::from(packet.meta.length);
        let queue = &mut self.queues[number as usize];
        self.pool.push(&mut queue.chain, packet, depth, now);
        self.by_length.grown(number, queue.chain.backlog().packets);
        if !queue.has_turn {
            queue.has_turn = true;
            self.turns.push_back(number);
        }
        // The arrival is queued first, so it can be the one to go if its queue is the longest.
        while self.backlog.packets > packets || self.backlog.bytes > bytes {
            self.drop_from_longest(now, out);
        }
    }

    fn dequeue(&mut self, _: Time, _: &mut dyn Outcomes) -> Option<Packet> {
        loop {
            let number = self.turns.pop_front()?;
            let queue = &mut self.queues[number as usize];
            let Some(packet) = self.pool.pop(&mut queue.chain) else {
                // Emptied by a drop while it waited for its turn.
                queue.has_turn = false;
                continue;
            };
            queue.has_turn = !queue.chain.is_empty();
            if queue.has_turn {
                self.turns.push_back(number);
            }
            self.by_length.shrunk(number, queue.chain.backlog().packets);
            self.left(&packet);
            return Some(packet);
        }
    }

    fn uses_wakeups(&self) -> bool {
        false
    }

    fn gauges(&self, _: Time, out: &mut dyn Gauges) {
        let length = |number: &u32| self.queues[*number as usize].chain.backlog().packets;
        // A queue emptied by a drop is still in `turns`.
        let busy = self.turns.iter().filter(|number| length(number) > 0);
        out.set(&FLOWS, busy.count() as f64);
        out.set(&LONGEST, self.by_length.longest().map_or(0, |number| length(&number)) as f64);
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }
}

#[cfg(test)]
mod tests;

//! `cake`: the queueing part of CAKE, *Common Applications Kept Enhanced* (Høiland-Jørgensen, Täht, Morton: *Piece of CAKE:
//! A Comprehensive Queue Management Solution for Home Gateways*, LANMAN 2018).
//!
//! Three levels of fairness. Four tins (classes by DSCP) share the link by weight. Within a tin, hosts share fairly, and the
//! flows of each host among themselves, by a deficit round robin that serves newly active flows first (DRR++). Flows and
//! hosts are found by 8-way set-associative hashing, which makes collisions rare. Each flow is managed by COBALT: CoDel, plus
//! BLUE for unresponsive senders.
//!
//! Not implemented: CAKE's shaper, ACK filter and overhead compensation.
//!
//! Units: `quantum` in bytes per round; `target` and `interval` are times; tin weights in sixteenths.

use jettison_core::{Bytes, Duration, Gauge, Gauges, RandomStream, Time};
use jettison_measure::Outcomes;
use jettison_registry::style::{Line::Dashed, SKY};
use jettison_registry::{Entry, ParameterError};
use jettison_wire::Packet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::codel::CodelParameters;
use crate::entry::{BuildContext, Discipline};
use crate::{Backlog, CodelSettings, CodelState, Limit, PacketPool, QueueDiscipline};

mod associative;
mod cobalt;
mod tin;

use associative::WAYS;
use cobalt::Cobalt;
use tin::Tin;

/// Gauges of the internal state. Each tin is a part: `bulk`, `best-effort`, `video`, `voice`.
const GAUGES: &[Gauge] = &[BACKLOG, FLOWS, DROPPING, COUNT, BLUE_PROBABILITY];

const BACKLOG: Gauge = Gauge::new("cake_backlog", "packets", "Packets in the tin.");
const FLOWS: Gauge = Gauge::new("cake_flows", "count", "Active flows of the tin.");
const DROPPING: Gauge = Gauge::new("cake_dropping", "count", "Flows of the tin in CoDel's dropping state.");
const COUNT: Gauge = Gauge::new(
    "cake_count",
    "count",
    "Largest `count` of CoDel among the flows in dropping state; 0 without any.",
);
const BLUE_PROBABILITY: Gauge =
    Gauge::new("cake_blue_probability", "1", "Largest drop probability of BLUE among the active flows.");

/// Registry entry of the discipline.
pub fn entry() -> Entry<Discipline> {
    Entry::<Discipline>::new("cake", "CAKE", build)
        .style(SKY, Dashed)
        .summary("Fair queueing by class, host and flow, with COBALT (CoDel and BLUE) per flow; no shaper")
        .source("Høiland-Jørgensen, Täht, Morton 2018 (LANMAN)")
        .page("disciplines/cake.md")
        .gauges(GAUGES)
}

/// Parameters of CAKE.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CakeParameters {
    /// Classification into tins.
    pub tins: Tins,
    /// Hosts among which a tin is shared before it is shared among flows.
    pub hosts: HostFairness,
    /// Slots per tin for flows, source hosts and destination hosts: a multiple of 8, at most 65,536.
    pub flows: u32,
    /// Bytes per round for a flow whose hosts have no other flow.
    pub quantum: Bytes,
    /// Acceptable standing sojourn time per flow (RFC 8289 §4.3).
    pub target: Duration,
    /// Window of the sliding minimum: about the longest RTT (RFC 8289 §4.2).
    pub interval: Duration,
    /// A flow's backlog of at most this size is not a standing queue (MAXPACKET, RFC 8289 §5.3).
    pub maxpacket: Bytes,
    /// Makes CoDel mark ECN-capable packets (RFC 3168) instead of dropping them. BLUE always drops.
    pub ecn: bool,
    /// Limit of all flows together, in packets, bytes or both; beyond it the flow with the largest backlog loses packets at
    /// its head.
    pub limit: Limit,
}

/// Classification of packets into tins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Tins {
    /// Bulk, best effort, video and voice, by DSCP.
    Diffserv4,
    /// One tin for all packets.
    BestEffort,
}

/// Hosts among which a tin is shared before it is shared among flows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum HostFairness {
    /// Source and destination hosts (triple isolation).
    Triple,
    /// Source hosts.
    Source,
    /// Destination hosts.
    Destination,
    /// No hosts: flows only.
    Flows,
}

impl Default for CakeParameters {
    fn default() -> CakeParameters {
        let codel = CodelParameters::default();
        CakeParameters {
            tins: Tins::Diffserv4,
            hosts: HostFairness::Triple,
            flows: 1024,
            quantum: Bytes::new(1514),
            target: codel.target,
            interval: codel.interval,
            maxpacket: codel.maxpacket,
            ecn: true,
            limit: Limit::packets(10_240),
        }
    }
}

/// Flow indices are 16 bits wide.
const MAX_FLOWS: u32 = 65_536;
const MAX_QUANTUM: u64 = 1_000_000_000;

fn build(
    parameters: CakeParameters,
    context: &BuildContext<'_>,
) -> Result<Box<dyn QueueDiscipline>, ParameterError> {
    let salt = (context.random)("hash").uniform(0, u64::MAX);
    Ok(Box::new(Cake::new(&parameters, salt, (context.random)("blue"))?))
}

/// Parameters shared by all tins.
#[derive(Debug)]
struct Settings {
    codel: CodelSettings,
    ecn: bool,
    quantum: u64,
    hosts: HostFairness,
    /// Seed of the hashes.
    salt: u64,
}

/// Weights of bulk, best effort, video and voice, in sixteenths: the shares of the link by the paper's thresholds.
const WEIGHTS: [u64; 4] = [1, 16, 8, 4];
const BEST_EFFORT: usize = 1;
/// Names of the tins, in the order of `WEIGHTS`.
const NAMES: [&str; 4] = ["bulk", "best-effort", "video", "voice"];

/// CAKE's tins and their common packet pool.
#[derive(Debug)]
pub struct Cake {
    settings: Settings,
    limit: Limit,
    /// Tin by DSCP.
    by_dscp: [u8; 64],
    random: RandomStream,

    pool: PacketPool,
    tins: Vec<Tin>,
    /// Index of the tin that is being served.
    turn: usize,
}

impl Cake {
    /// Creates empty tins; `salt` seeds the hashes, BLUE draws from `random`.
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn new(parameters: &CakeParameters, salt: u64, random: RandomStream) -> Result<Cake, ParameterError> {
        let whole_sets = parameters.flows.is_multiple_of(WAYS as u32);
        let in_range = whole_sets && (1..=MAX_FLOWS).contains(&parameters.flows);
        ParameterError::require(in_range, "flows", "be a multiple of 8 in [8, 65536]", parameters.flows)?;
        // The quantum is scaled by weights in sixteenths: below 16 bytes the smallest would be zero.
        let in_range = (WEIGHTS[1]..=MAX_QUANTUM).contains(&parameters.quantum.get());
        ParameterError::require(in_range, "quantum", "be in [16 bytes, 1 GB]", parameters.quantum)?;
        let codel = CodelParameters {
            target: parameters.target,
            interval: parameters.interval,
            maxpacket: parameters.maxpacket,
            ..CodelParameters::default()
        };
        let by_dscp = match parameters.tins {
            Tins::Diffserv4 => diffserv4(),
            Tins::BestEffort => [BEST_EFFORT as u8; 64],
        };
        Ok(Cake {
            settings: Settings {
                codel: codel.settings()?,
                ecn: parameters.ecn,
                quantum: parameters.quantum.get(),
                hosts: parameters.hosts,
                salt,
            },
            limit: parameters.limit,
            by_dscp,
            random,
            pool: PacketPool::default(),
            tins: WEIGHTS.iter().map(|_| Tin::new(parameters.flows as usize)).collect(),
            turn: 0,
        })
    }

    #[inline]
    fn quantum_of(&self, tin: usize) -> i64 {
        (self.settings.quantum * WEIGHTS[tin] / WEIGHTS[BEST_EFFORT]) as i64
    }

    fn over_limit(&self) -> bool {
        let backlog = self.backlog();
        backlog.packets > self.limit.packets || backlog.bytes > self.limit.bytes
    }

    /// Drops the oldest packet of the flow with the largest backlog in bytes, over all tins.
    #[cold]
    fn overflow(&mut self, now: Time, out: &mut dyn Outcomes) {
        let fattest = self.tins.iter().enumerate().map(|(tin, flows)| (flows.fattest(), tin)).max();
        let Some(((_, flow), tin)) = fattest else { return };
        self.tins[tin].overflow(flow, &self.settings, &mut self.pool, now, out);
    }
}

/// CAKE's `diffserv4` map. Voice: CS4 to CS7, EF, VA. Video: CS2, CS3, AF2x to AF4x, DSCP 4. Bulk: CS1, LE. Others: best
/// effort.
fn diffserv4() -> [u8; 64] {
    let mut tins = [BEST_EFFORT as u8; 64];
    let classes: [(u8, &[usize]); 3] =
        [(0, &[8, 1]), (2, &[16, 18, 20, 22, 24, 26, 28, 30, 34, 36, 38, 4]), (3, &[32, 40, 44, 46, 48, 56])];
    for (tin, dscps) in classes {
        dscps.iter().for_each(|dscp| tins[*dscp] = tin);
    }
    tins
}

impl QueueDiscipline for Cake {
    fn enqueue(&mut self, packet: Packet, now: Time, out: &mut dyn Outcomes) {
        let tin = usize::from(self.by_dscp[usize::from(packet.dscp())]);
        // A tin that becomes active starts with a full quantum.
        if self.tins[tin].backlog().packets == 0 {
            self.tins[tin].credits = self.quantum_of(tin);
        }
        self.tins[tin].push(packet, &self.settings, &mut self.pool, now);
        while self.over_limit() {
            self.overflow(now, out);
        }
    }

    /// Weighted deficit round robin over the tins.
    fn dequeue(&mut self, now: Time, out: &mut dyn Outcomes) -> Option<Packet> {
        // Ends once every tin has been found empty in a row.
        let mut empty = 0;
        while empty < self.tins.len() {
            let quantum = self.quantum_of(self.turn);
            let tin = &mut self.tins[self.turn];
            if tin.backlog().packets > 0 && tin.credits > 0 {
                empty = 0;
                if let Some(packet) = tin.pop(&self.settings, &mut self.pool, &mut self.random, now, out) {
                    tin.credits -= i64::from(packet.meta.length);
                    return Some(packet);
                }
                // COBALT has dropped the rest of the backlog.
                continue;
            }
            if tin.backlog().packets > 0 {
                tin.credits += quantum;
                empty = 0;
            } else {
                // Polls the empty tin, so that COBALT of each flow detects the empty queue and idle flows are released.
                tin.pop(&self.settings, &mut self.pool, &mut self.random, now, out);
                empty += 1;
            }
            self.turn = (self.turn + 1) % self.tins.len();
        }
        None
    }

    fn uses_wakeups(&self) -> bool {
        false
    }

    fn gauges(&self, _: Time, out: &mut dyn Gauges) {
        for (tin, name) in self.tins.iter().zip(NAMES) {
            let flows = || tin.active();
            let dropping = || flows().map(Cobalt::codel).filter(|codel| codel.is_dropping());
            let probability = flows().map(Cobalt::blue_probability).fold(0.0, f64::max);
            out.set_part(&BACKLOG, name, tin.backlog().packets as f64);
            out.set_part(&FLOWS, name, flows().count() as f64);
            out.set_part(&DROPPING, name, dropping().count() as f64);
            out.set_part(&COUNT, name, f64::from(dropping().map(CodelState::count).max().unwrap_or(0)));
            out.set_part(&BLUE_PROBABILITY, name, probability);
        }
    }

    fn backlog(&self) -> Backlog {
        self.tins.iter().map(Tin::backlog).fold(Backlog::default(), |sum, tin| Backlog {
            packets: sum.packets + tin.packets,
            bytes: sum.bytes + tin.bytes,
        })
    }
}

#[cfg(test)]
mod tests;

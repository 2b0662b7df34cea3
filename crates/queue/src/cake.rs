//! `cake`: the queue of CAKE, *Common Applications Kept Enhanced* (Høiland-Jørgensen, Täht, Morton: *Piece of CAKE: A
//! Comprehensive Queue Management Solution for Home Gateways*, LANMAN 2018).
//!
//! Four tins by DSCP share the link by weight. In a tin, hosts share fairly and then the flows of each host, by a
//! deficit round robin that serves flows first that have just become active. Flows and hosts are found by 8-way
//! set-associative hashing, so that they hardly ever collide. Each flow is under COBALT: CoDel, and BLUE against
//! senders that do not listen. CAKE's shaper and its filter of acknowledgements are not part of this.

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

/// What it reports of its state. Each tin is a part: `bulk`, `best-effort`, `video`, `voice`.
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
        .summary("Fair by class, host and flow, each flow under COBALT (CoDel and BLUE); no shaper")
        .source("Høiland-Jørgensen, Täht, Morton 2018 (LANMAN)")
        .page("disciplines/cake.md")
        .gauges(GAUGES)
}

/// Parameters of CAKE.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CakeParameters {
    /// Which classes have a tin of their own.
    pub tins: Tins,
    /// Among whom a tin is shared fairly before it is among flows.
    pub hosts: HostFairness,
    /// Flows of a tin, and hosts on each side: a multiple of 8.
    pub flows: u32,
    /// Bytes a flow that is alone on its hosts may send in its turn.
    pub quantum: Bytes,
    /// Acceptable standing sojourn time of each flow's queue.
    pub target: Duration,
    /// Window of the minimum: about the longest RTT.
    pub interval: Duration,
    /// A queue that holds at most this is not a standing queue (RFC 8289 §5.3: MAXPACKET).
    pub maxpacket: Bytes,
    /// Lets CoDel mark ECN-capable packets instead of dropping them. BLUE drops.
    pub ecn: bool,
    /// How much all flows hold together; beyond it the fattest loses packets at its head.
    pub limit: Limit,
}

/// The classes of CAKE.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Tins {
    /// Bulk, best effort, video and voice, by DSCP.
    Diffserv4,
    /// One tin for all.
    BestEffort,
}

/// Among whom a tin is shared before it is among flows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum HostFairness {
    /// Source and destination hosts both (triple isolation).
    Triple,
    /// Source hosts.
    Source,
    /// Destination hosts.
    Destination,
    /// Nobody: flows alone.
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

/// A flow's number is 16 bits.
const MAX_FLOWS: u32 = 65_536;
const MAX_QUANTUM: u64 = 1_000_000_000;

fn build(
    parameters: CakeParameters,
    context: &BuildContext<'_>,
) -> Result<Box<dyn QueueDiscipline>, ParameterError> {
    let salt = (context.random)("hash").uniform(0, u64::MAX);
    Ok(Box::new(Cake::new(&parameters, salt, (context.random)("blue"))?))
}

/// What every tin needs to know.
#[derive(Debug)]
struct Settings {
    codel: CodelSettings,
    ecn: bool,
    quantum: u64,
    hosts: HostFairness,
    /// Salts the hashes.
    salt: u64,
}

/// Weights of bulk, best effort, video and voice, in sixteenths: the shares of the link that the paper's thresholds
/// give them.
const WEIGHTS: [u64; 4] = [1, 16, 8, 4];
const BEST_EFFORT: usize = 1;
/// What the tins are called, in the same order.
const NAMES: [&str; 4] = ["bulk", "best-effort", "video", "voice"];

/// Tins of flows.
#[derive(Debug)]
pub struct Cake {
    settings: Settings,
    limit: Limit,
    /// Tin of each DSCP.
    by_dscp: [u8; 64],
    random: RandomStream,

    pool: PacketPool,
    tins: Vec<Tin>,
    /// The tin whose turn it is.
    turn: usize,
}

impl Cake {
    /// Empty tins; `salt` salts the hashes, BLUE draws from `random`.
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn new(parameters: &CakeParameters, salt: u64, random: RandomStream) -> Result<Cake, ParameterError> {
        let whole_sets = parameters.flows.is_multiple_of(WAYS as u32);
        ParameterError::unless(whole_sets && (1..=MAX_FLOWS).contains(&parameters.flows), "flows", || {
            format!("`{}` is not a multiple of 8 up to {MAX_FLOWS}, such as 1024", parameters.flows)
        })?;
        ParameterError::unless(
            (WEIGHTS[1]..=MAX_QUANTUM).contains(&parameters.quantum.get()),
            "quantum",
            || {
                let quantum = parameters.quantum;
                format!(
                    "`{quantum}` is out of range: `quantum` is from 16 bytes to 1 GB, such as \"1514 bytes\""
                )
            },
        )?;
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

    /// The fattest flow of all loses its oldest packet.
    #[cold]
    fn overflow(&mut self, now: Time, out: &mut dyn Outcomes) {
        let fattest = self.tins.iter().enumerate().map(|(tin, flows)| (flows.fattest(), tin)).max();
        let Some(((_, flow), tin)) = fattest else { return };
        self.tins[tin].overflow(flow, &self.settings, &mut self.pool, now, out);
    }
}

/// Voice: CS4 to CS7, EF, VA. Video: CS2, CS3, AF2x to AF4x, TOS 4. Bulk: CS1, LE. All others are best effort.
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
        if self.tins[tin].backlog().packets == 0 {
            self.tins[tin].credits = self.quantum_of(tin);
        }
        self.tins[tin].push(packet, &self.settings, &mut self.pool, now);
        while self.over_limit() {
            self.overflow(now, out);
        }
    }

    /// Deficit round robin over the tins, by weight.
    fn dequeue(&mut self, now: Time, out: &mut dyn Outcomes) -> Option<Packet> {
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
                continue;
            }
            if tin.backlog().packets > 0 {
                tin.credits += quantum;
                empty = 0;
            } else {
                // Its flows learn that they are empty.
                tin.pop(&self.settings, &mut self.pool, &mut self.random, now, out);
                empty += 1;
            }
            self.turn = (self.turn + 1) % self.tins.len();
        }
        None
    }

    fn keeps_time(&self) -> bool {
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

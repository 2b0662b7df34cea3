//! `cake`: *Common Applications Kept Enhanced* (Høiland-Jørgensen, Täht, Morton: *Piece of CAKE: A Comprehensive Queue
//! Management Solution for Home Gateways*, LANMAN 2018), as tc-cake(8) documents it.
//!
//! A shaper in deficit mode counts each packet's bytes on the wire. Tins (classes by DSCP) have priority up to a threshold
//! each; without a shaper they share the link by the thresholds as weights. Within a tin, hosts share fairly, and the flows of
//! each host among themselves, by a deficit round robin that serves newly active flows first (DRR++). Flows and hosts are
//! found by 8-way set-associative hashing, which makes collisions rare. Each flow is managed by COBALT: CoDel, plus BLUE for
//! unresponsive senders. An ACK filter thins out acknowledgements.
//!
//! One file per part: `classes` (tins), `clock` (shaper), `hosts` (isolation), `tin` (schedule of a tin), `cobalt`, `fattest`
//! (who loses a packet when memory is full), `ack_filter`, `autorate`, `parameters`.
//!
//! Units: `bandwidth` in bit/s on the wire; `quantum` in bytes on the wire per round; `rtt`, `target` and `interval` are times.

use jettison_core::{Gauge, Gauges, RandomStream, Rate, Time};
use jettison_measure::Outcomes;
use jettison_registry::style::{BROWN, Line::Dashed};
use jettison_registry::{Entry, ParameterError};
use jettison_wire::{Body, Packet};

use crate::entry::{BuildContext, Discipline};
use crate::{Backlog, Framing, InLinux, Limit, PacketPool, QueueChange, QueueDiscipline, QueueSetting};

mod ack_filter;
mod associative;
mod autorate;
mod classes;
mod clock;
mod cobalt;
mod fattest;
mod hosts;
mod in_linux;
mod parameters;
mod rtt;
mod tin;

pub use ack_filter::AckFilter;
use autorate::Autorate;
use classes::Classes;
pub use classes::Tins;
use clock::VirtualClock;
use cobalt::Cobalt;
use hosts::Identity;
pub use hosts::Isolation;
pub use parameters::{CakeParameters, HostFairness};
pub use rtt::Rtt;
use tin::{Shared, Tin};

/// Gauges of the internal state. Each tin is a part: `bulk`, `best-effort`, `video`, `voice`, or `tin-0` to `tin-7`.
const GAUGES: &[Gauge] = &[BACKLOG, FLOWS, DROPPING, COUNT, BLUE_PROBABILITY, RATE];

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
const RATE: Gauge = Gauge::new("cake_rate", "Mbit/s", "Rate of the shaper; NaN without one.");

/// Registry entry of the discipline.
pub fn entry() -> Entry<Discipline> {
    Entry::<Discipline>::new("cake", "CAKE", build)
        .style(BROWN, Dashed)
        .summary("Shaper and fair queueing by class, host and flow, with COBALT (CoDel and BLUE) per flow")
        .source("Høiland-Jørgensen, Täht, Morton 2018 (LANMAN); tc-cake(8)")
        .page("disciplines/cake.md")
        .gauges(GAUGES)
        .facts(InLinux::by(in_linux::qdisc))
}

fn build(
    parameters: CakeParameters,
    context: &BuildContext<'_>,
) -> Result<Box<dyn QueueDiscipline>, ParameterError> {
    let salt = (context.random)("hash").uniform(0, u64::MAX);
    Ok(Box::new(Cake::new(&parameters, salt, (context.random)("blue"))?))
}

/// Parameters shared by all tins.
#[derive(Debug, Clone)]
struct Settings {
    identity: Identity,
    overhead: Framing,
    ack_filter: AckFilter,
    ingress: bool,
    ecn: bool,
}

/// The shaper.
#[derive(Debug, Clone)]
struct Shaper {
    clock: VirtualClock,
    rate: Rate,
    autorate: Option<Autorate>,
    /// Time at which the next packet is due, set when a dequeue came too early.
    refused: Option<Time>,
}

/// CAKE's tins and their common packet pool.
#[derive(Debug, Clone)]
pub struct Cake {
    parameters: CakeParameters,
    settings: Settings,
    classes: Classes,
    memlimit: u64,
    random: RandomStream,

    shaper: Option<Shaper>,
    pool: PacketPool,
    tins: Vec<Tin>,
    /// Index of the tin that is being served, without a shaper.
    turn: usize,
}

impl Cake {
    /// Creates empty tins; `salt` seeds the hashes, BLUE draws from `random`.
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn new(parameters: &CakeParameters, salt: u64, random: RandomStream) -> Result<Cake, ParameterError> {
        parameters.check()?;
        let identity = Identity { isolation: parameters.isolation(), nat: parameters.nat, salt };
        let classes = parameters.tins.classes();
        let shaper = parameters.bandwidth.map(|rate| Shaper {
            clock: VirtualClock::new(rate),
            rate,
            autorate: parameters.autorate_ingress.then(|| Autorate::new(rate, parameters.rtt.0)),
            refused: None,
        });
        let tins = classes.shares.iter().map(|share| {
            let rate = parameters.bandwidth.map(|rate| threshold(rate, *share));
            let clock = rate.map(VirtualClock::new);
            Tin::new(parameters.flows as usize, parameters.aqm(rate), parameters.quantum(rate), clock)
        });
        Ok(Cake {
            settings: Settings {
                identity,
                overhead: parameters.overhead,
                ack_filter: parameters.ack_filter,
                ingress: parameters.ingress,
                ecn: parameters.ecn,
            },
            memlimit: parameters.memory(parameters.bandwidth),
            random,
            shaper,
            pool: PacketPool::default(),
            tins: tins.collect(),
            turn: 0,
            classes,
            parameters: parameters.clone(),
        })
    }

    /// Bytes per round of a tin, without a shaper.
    #[inline]
    fn tin_quantum(&self, tin: usize) -> i64 {
        ((self.tins[tin].quantum as f64 * self.classes.shares[tin]) as i64).max(1)
    }

    /// Sets the shaper's rate, and with it the tins' thresholds, targets and quanta.
    fn set_rate(&mut self, rate: Rate) {
        let Some(shaper) = &mut self.shaper else { return };
        shaper.rate = rate;
        shaper.clock.set_rate(rate);
        for (tin, share) in self.tins.iter_mut().zip(&self.classes.shares) {
            let rate = threshold(rate, *share);
            (tin.aqm, tin.quantum) = (self.parameters.aqm(Some(rate)), self.parameters.quantum(Some(rate)));
            if let Some(clock) = &mut tin.clock {
                clock.set_rate(rate);
            }
        }
        self.memlimit = self.parameters.memory(Some(rate));
    }

    fn over_limit(&self) -> bool {
        let memory: u64 = self.tins.iter().map(Tin::memory).sum();
        let Limit { packets, bytes } = self.parameters.limit;
        let backlog = self.backlog();
        memory > self.memlimit || backlog.packets > packets || backlog.bytes > bytes
    }

    /// Drops the oldest packet of the flow with the largest backlog in bytes, over all tins.
    #[cold]
    fn overflow(&mut self, now: Time, out: &mut dyn Outcomes) {
        let fattest = self.tins.iter_mut().enumerate().map(|(tin, flows)| (flows.fattest(), tin)).max();
        let Some(((_, flow), tin)) = fattest else { return };
        let mut shared = Shared { settings: &self.settings, pool: &mut self.pool, now, lost: 0 };
        self.tins[tin].overflow(flow, &mut shared, out);
        let lost = shared.lost;
        self.charge(tin, lost);
    }

    /// Counts bytes of packets that were lost here as carried by the bottleneck in front.
    #[inline]
    fn charge(&mut self, tin: usize, lost: u64) {
        if lost == 0 {
            return;
        }
        let bytes = u32::try_from(lost).unwrap_or(u32::MAX);
        self.tins[tin].credits -= lost as i64;
        if let (Some(shaper), Some(clock)) = (&mut self.shaper, &mut self.tins[tin].clock) {
            shaper.clock.charge(bytes);
            clock.charge(bytes);
        }
    }

    /// The next packet of a tin; charges what was dropped before it.
    #[inline]
    fn pop(&mut self, tin: usize, now: Time, out: &mut dyn Outcomes) -> Option<Packet> {
        let mut shared = Shared { settings: &self.settings, pool: &mut self.pool, now, lost: 0 };
        let packet = self.tins[tin].pop(&mut shared, &mut self.random, out);
        let lost = shared.lost;
        self.charge(tin, lost);
        packet
    }

    /// With a shaper: the tin of the highest priority among those below their thresholds. If all are above, the one that will
    /// be below first.
    #[inline]
    fn shaped_tin(&self, now: Time) -> Option<usize> {
        let backlogged = || {
            let order = self.classes.priority.iter().rev().map(|tin| usize::from(*tin));
            order.filter(|tin| self.tins[*tin].backlog().packets > 0)
        };
        let due = |tin: usize| self.tins[tin].clock.as_ref().map_or(now, VirtualClock::due);
        backlogged().find(|tin| due(*tin) <= now).or_else(|| backlogged().min_by_key(|tin| due(*tin)))
    }

    fn dequeue_shaped(&mut self, now: Time, out: &mut dyn Outcomes) -> Option<Packet> {
        loop {
            let due = self.shaper.as_ref().map_or(now, |shaper| shaper.clock.due());
            let tin = self.shaped_tin(now);
            if let Some(shaper) = &mut self.shaper {
                // A wakeup is only useful if a packet waits for it.
                shaper.refused = (tin.is_some() && now < due).then_some(due);
            }
            if now < due {
                return None;
            }
            let tin = match tin {
                Some(tin) => tin,
                None => {
                    // Polls the tins, so that COBALT of each flow detects the empty queue and idle flows are released.
                    for tin in 0..self.tins.len() {
                        self.pop(tin, now, out);
                    }
                    return None;
                }
            };
            let Some(packet) = self.pop(tin, now, out) else { continue };
            let bytes = self.settings.overhead.size(packet.meta.length);
            if let (Some(shaper), Some(clock)) = (&mut self.shaper, &mut self.tins[tin].clock) {
                shaper.clock.sent(bytes, now);
                clock.sent(bytes, now);
            }
            return Some(packet);
        }
    }

    /// Weighted deficit round robin over the tins.
    fn dequeue_by_weight(&mut self, now: Time, out: &mut dyn Outcomes) -> Option<Packet> {
        // Ends once every tin has been found empty in a row.
        let mut empty = 0;
        while empty < self.tins.len() {
            let at = self.turn;
            let is_backlogged = self.tins[at].backlog().packets > 0;
            if is_backlogged && self.tins[at].credits > 0 {
                empty = 0;
                if let Some(packet) = self.pop(at, now, out) {
                    self.tins[at].credits -= i64::from(self.settings.overhead.size(packet.meta.length));
                    return Some(packet);
                }
                // COBALT has dropped the rest of the backlog.
                continue;
            }
            if is_backlogged {
                self.tins[at].credits += self.tin_quantum(at);
                empty = 0;
            } else {
                // Polls the empty tin, so that COBALT of each flow detects the empty queue and idle flows are released.
                self.pop(at, now, out);
                empty += 1;
            }
            self.turn = (at + 1) % self.tins.len();
        }
        None
    }
}

fn threshold(rate: Rate, share: f64) -> Rate {
    Rate::from_bits(rate.mul_f64(share).as_bits().max(1))
}

impl QueueDiscipline for Cake {
    fn enqueue(&mut self, mut packet: Packet, now: Time, out: &mut dyn Outcomes) {
        let at = usize::from(self.classes.by_dscp[usize::from(packet.dscp())]);
        if self.parameters.wash && packet.dscp() != 0 {
            packet.meta.traffic_class &= 3;
            if let Body::Buffer(buffer) = &mut packet.body {
                buffer.set_traffic_class(packet.meta.traffic_class);
            }
        }
        if self.shaper.is_some() {
            self.arrived(at, packet.meta.length, now);
        } else if self.tins[at].backlog().packets == 0 {
            // A tin that becomes active starts with a full quantum.
            self.tins[at].credits = self.tin_quantum(at);
        }
        let mut shared = Shared { settings: &self.settings, pool: &mut self.pool, now, lost: 0 };
        self.tins[at].push(packet, &mut shared, out);
        let lost = shared.lost;
        self.charge(at, lost);
        while self.over_limit() {
            self.overflow(now, out);
        }
    }

    fn dequeue(&mut self, now: Time, out: &mut dyn Outcomes) -> Option<Packet> {
        match self.shaper {
            Some(_) => self.dequeue_shaped(now, out),
            None => self.dequeue_by_weight(now, out),
        }
    }

    fn handle_wakeup(&mut self, now: Time, _: &mut dyn Outcomes) {
        if let Some(shaper) = &mut self.shaper
            && shaper.refused.is_some_and(|at| at <= now)
        {
            shaper.refused = None;
        }
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.shaper.as_ref()?.refused
    }

    fn uses_wakeups(&self) -> bool {
        self.shaper.is_some()
    }

    fn reconfigure(&mut self, change: &QueueChange) -> bool {
        match change.setting {
            QueueSetting::Bandwidth(rate) if self.shaper.is_some() && !rate.is_zero() => {
                self.set_rate(rate);
                true
            }
            _ => false,
        }
    }

    fn gauges(&self, _: Time, out: &mut dyn Gauges) {
        for (tin, name) in self.tins.iter().zip(self.classes.names) {
            let flows = || tin.active();
            let dropping = || flows().filter(|cobalt| cobalt.is_dropping());
            let probability = flows().map(Cobalt::blue_probability).fold(0.0, f64::max);
            out.set_part(&BACKLOG, name, tin.backlog().packets as f64);
            out.set_part(&FLOWS, name, flows().count() as f64);
            out.set_part(&DROPPING, name, dropping().count() as f64);
            out.set_part(&COUNT, name, f64::from(dropping().map(Cobalt::count).max().unwrap_or(0)));
            out.set_part(&BLUE_PROBABILITY, name, probability);
        }
        out.set(&RATE, self.shaper.as_ref().map_or(f64::NAN, |shaper| shaper.rate.as_mbit_f64()));
    }

    fn backlog(&self) -> Backlog {
        self.tins.iter().map(Tin::backlog).fold(Backlog::default(), |sum, tin| Backlog {
            packets: sum.packets + tin.packets,
            bytes: sum.bytes + tin.bytes,
        })
    }
}

impl Cake {
    /// Prepares the schedules for an arrival at tin `at`.
    #[inline]
    fn arrived(&mut self, at: usize, length: u16, now: Time) {
        let is_empty = self.backlog().packets == 0;
        let Some(shaper) = &mut self.shaper else { return };
        if is_empty {
            shaper.clock.wake(now);
        }
        let tin = &mut self.tins[at];
        if tin.backlog().packets == 0
            && let Some(clock) = &mut tin.clock
        {
            clock.wake(now);
        }
        let bytes = self.settings.overhead.size(length);
        if let Some(rate) = shaper.autorate.as_mut().and_then(|autorate| autorate.arrived(bytes, now)) {
            self.set_rate(rate);
        }
    }
}

#[cfg(test)]
mod tests;

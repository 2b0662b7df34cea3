//! `abc`: the router side of ABC, Accel-Brake Control (Goyal et al., NSDI 2020, §3.1).
//!
//! Each packet carries one bit: *accelerate* (ECT(1)) or *brake* (ECT(0)). A sender answers an accelerate with two packets
//! and a brake with none. With a fraction `f` of accelerates, the arrival rate one RTT later is `2 f` times the dequeue
//! rate. The router chooses `f` so that this product equals its target rate. It only turns accelerates into brakes, never
//! the reverse, so the strictest router on a path decides.
//!
//! Units: rates in bit/s (gauges in Mbit/s), delays in seconds, `f` in [0, 1], tokens in accelerates.

use std::collections::VecDeque;

use jettison_core::{DropReason, Duration, Gauge, Gauges, MarkReason, Rate, Time};
use jettison_measure::Outcomes;
use jettison_registry::style::{BRICK, Line::Dashed};
use jettison_registry::{Entry, ParameterError};
use jettison_wire::{Body, Ecn, Packet};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::entry::{BuildContext, Discipline};
use crate::{Backlog, Fifo, InLinux, Limit, QueueDiscipline};
use jettison_octopus::{Bandwidth, BandwidthSettings, PARTS};

/// Gauges of the internal state.
const GAUGES: &[Gauge] = &[CAPACITY, TARGET_RATE, TOKENS];

const CAPACITY: Gauge = Gauge::new(
    "abc_capacity",
    "Mbit/s",
    "Capacity μ of the link, configured or measured; none while it is unknown.",
);
const TARGET_RATE: Gauge = Gauge::new(
    "abc_target_rate",
    "Mbit/s",
    "Target rate tr for a packet that has waited as long as the head of the queue; none while μ is unknown.",
);
const TOKENS: Gauge = Gauge::new("abc_tokens", "1", "Token balance; an accelerate takes one token.");

/// Registry entry of the discipline.
pub fn entry() -> Entry<Discipline> {
    Entry::<Discipline>::new("abc", "ABC", build)
        .style(BRICK, Dashed)
        .summary("Turns accelerates (ECT(1)) into brakes (ECT(0)) to bring senders to a target rate")
        .source("Goyal et al. 2020 §3.1")
        .page("disciplines/abc.md")
        .gauges(GAUGES)
        .facts(InLinux::lacks(
            "no qdisc turns accelerates into brakes, and no sender in Linux reads them",
            "`fq_codel` with `ce_threshold`, for senders that answer CE by its share",
        ))
}

/// Parameters of ABC's router, with the paper's names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AbcParameters {
    /// Target utilisation η, in (0, 1].
    pub eta: f64,
    /// Time δ in which to drain a standing queue. The control loop is stable for δ > 2/3 RTT.
    pub delta: Duration,
    /// Queueing delay that causes no reaction (d_t). Must exceed the time between two transmission grants of the link.
    pub dt: Duration,
    /// Sliding window T in which the dequeue rate is measured.
    pub window: Duration,
    /// Most tokens that can accumulate (tokenLimit), > 1. An accelerate takes one token.
    pub token_limit: f64,
    /// Source of the link capacity μ: the configured link rate, or the departure rate from a backlog.
    pub capacity: Capacity,
    /// Buffer limit in packets, bytes (IP length) or both; arrivals that exceed it are dropped.
    pub limit: Limit,
}

/// Source of the link capacity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Capacity {
    /// The link's configured rate, reported at the start and at each scheduled change.
    Told,
    /// The dequeue rate over `window`, idle time excluded. Unknown before five packets have left; until then no packet is
    /// turned into a brake.
    Departures,
}

impl Default for AbcParameters {
    fn default() -> AbcParameters {
        AbcParameters {
            eta: 0.98,
            delta: Duration::from_millis(133),
            dt: Duration::from_millis(20),
            window: Duration::from_millis(50),
            token_limit: 10.0,
            capacity: Capacity::Told,
            limit: Limit::default(),
        }
    }
}

impl AbcParameters {
    fn check(&self) -> Result<(), ParameterError> {
        let eta = self.eta;
        ParameterError::require(eta > 0.0 && eta <= 1.0, "eta", "be in (0, 1]", eta)?;
        for (key, span) in [("delta", self.delta), ("window", self.window)] {
            ParameterError::require(!span.is_zero(), key, "be > 0", span)?;
        }
        let tokens = self.token_limit;
        let in_range = tokens > 1.0 && tokens.is_finite();
        ParameterError::require(in_range, "token_limit", "be finite and > 1 (an accelerate takes 1)", tokens)
    }
}

fn build(
    parameters: AbcParameters,
    _: &BuildContext<'_>,
) -> Result<Box<dyn QueueDiscipline>, ParameterError> {
    Ok(Box::new(Abc::new(parameters)?))
}

/// One FIFO queue under ABC.
#[derive(Debug, Clone)]
pub struct Abc {
    parameters: AbcParameters,
    /// μ as reported by the link.
    told: Option<Rate>,
    /// μ measured from departures while a backlog exists.
    measured: Bandwidth,
    departures: Departures,
    /// Token balance: fractional accelerates that may be sent.
    tokens: f64,
    fifo: Fifo,
}

/// Departures within a sliding window.
#[derive(Debug, Clone, Default)]
struct Departures {
    /// Start time and bytes of each part of the window, oldest first.
    parts: VecDeque<(Time, u64)>,
    bytes: u64,
}

impl Abc {
    /// An empty queue.
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn new(parameters: AbcParameters) -> Result<Abc, ParameterError> {
        parameters.check()?;
        let settings = BandwidthSettings { window: parameters.window, samples: 5, stretch: false };
        Ok(Abc {
            parameters,
            told: None,
            measured: Bandwidth::new(settings),
            departures: Departures::default(),
            tokens: 0.0,
            fifo: Fifo::default(),
        })
    }

    /// The link capacity μ in bit/s. Falls back to the measured rate if the link reports none.
    fn capacity(&mut self, now: Time) -> Option<f64> {
        let rate = self.told_capacity().or_else(|| self.measured.rate(now));
        rate.map(|rate| rate.as_bits() as f64)
    }

    fn told_capacity(&self) -> Option<Rate> {
        self.told.filter(|_| self.parameters.capacity == Capacity::Told)
    }

    /// The target rate in bit/s: tr = max(η μ − μ/δ (x − d_t)⁺, 0), x being the queueing delay (§3.1, equation 1).
    fn target_rate(&self, mu: f64, queueing_delay: Duration) -> f64 {
        let excess = queueing_delay.saturating_sub(self.parameters.dt);
        let drain = mu * excess.as_secs_f64() / self.parameters.delta.as_secs_f64();
        (self.parameters.eta * mu - drain).max(0.0)
    }

    /// The fraction of accelerates: f = min(tr / (2 cr), 1), cr being the dequeue rate (§3.1, equation 2); 1 while μ is
    /// unknown.
    fn fraction(&mut self, queueing_delay: Duration, now: Time) -> f64 {
        let Some(mu) = self.capacity(now) else { return 1.0 };
        let target = self.target_rate(mu, queueing_delay);
        let dequeued = self.departures.bytes as f64 * 8.0 / self.parameters.window.as_secs_f64();
        if target >= 2.0 * dequeued { 1.0 } else { target / (2.0 * dequeued) }
    }
}

impl Departures {
    /// Counts a departure and forgets departures older than the window. Departures that are close in time share an entry.
    #[inline]
    fn departed(&mut self, length: u16, window: Duration, now: Time) {
        let length = u64::from(length);
        self.bytes += length;
        match self.parts.back_mut() {
            Some((at, bytes)) if now.since(*at).as_nanos() <= window.as_nanos() / PARTS => *bytes += length,
            _ => self.parts.push_back((now, length)),
        }
        while let Some((_, bytes)) = self.parts.front().filter(|(at, _)| now.since(*at) >= window) {
            self.bytes -= bytes;
            self.parts.pop_front();
        }
    }
}

/// Turns an accelerate into a brake, in the metadata and in the raw bytes of a captured packet.
fn brake(packet: &mut Packet) {
    let brake = packet.meta.traffic_class & !3 | Ecn::Ect0 as u8;
    packet.meta.traffic_class = brake;
    if let Body::Buffer(buffer) = &mut packet.body {
        buffer.set_traffic_class(brake);
    }
}

impl QueueDiscipline for Abc {
    fn enqueue(&mut self, packet: Packet, now: Time, out: &mut dyn Outcomes) {
        if self.parameters.limit.admits(self.fifo.backlog(), packet.meta.length) {
            self.fifo.push(packet, now);
        } else {
            out.dropped(packet, DropReason::BufferFull, now);
        }
    }

    /// Marks at dequeue: `f` is relative to the dequeue rate, and the sender clocks its packets by the ACKs of what departed.
    fn dequeue(&mut self, now: Time, out: &mut dyn Outcomes) -> Option<Packet> {
        let Some(mut packet) = self.fifo.pop() else {
            self.measured.clear();
            return None;
        };
        let meta = &packet.meta;
        if meta.enq_qdepth == 0 && meta.enqueued_at == now {
            // The link was idle when it arrived: the time before is not service time.
            self.measured.clear();
        }
        let (length, queueing_delay) = (meta.length, now.since(meta.enqueued_at));
        self.departures.departed(length, self.parameters.window, now);
        // §3.1.2: each ABC packet adds f tokens. An accelerate takes one token or, with a balance of at most 1, becomes a
        // brake.
        let ecn = packet.ecn();
        if matches!(ecn, Ecn::Ect0 | Ecn::Ect1) {
            let fraction = self.fraction(queueing_delay, now);
            self.tokens = (self.tokens + fraction).min(self.parameters.token_limit);
            if ecn == Ecn::Ect1 {
                if self.tokens > 1.0 {
                    self.tokens -= 1.0;
                } else {
                    brake(&mut packet);
                    out.marked(&packet, MarkReason::AbcBrake, now);
                }
            }
        }
        self.measured.departed(length, now);
        Some(packet)
    }

    fn capacity_changed(&mut self, rate: Rate, _: Time) {
        self.told = Some(rate);
    }

    fn uses_wakeups(&self) -> bool {
        false
    }

    fn gauges(&self, now: Time, out: &mut dyn Gauges) {
        let capacity = self.told_capacity().or_else(|| self.measured.peek(now));
        let mu = capacity.map_or(f64::NAN, |rate| rate.as_bits() as f64);
        let waited = self.fifo.head().map_or(Duration::ZERO, |head| now.since(head.meta.enqueued_at));
        out.set(&CAPACITY, mu / 1e6);
        out.set(&TARGET_RATE, if mu.is_nan() { f64::NAN } else { self.target_rate(mu, waited) / 1e6 });
        out.set(&TOKENS, self.tokens);
    }

    fn wants_idle_polls(&self) -> bool {
        self.parameters.capacity == Capacity::Departures
    }

    fn backlog(&self) -> Backlog {
        self.fifo.backlog()
    }
}

#[cfg(test)]
mod tests;

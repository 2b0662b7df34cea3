//! `abc`: the router of ABC, Accel-Brake Control (Goyal et al., NSDI 2020, §3.1).
//!
//! Each packet says *accelerate* (ECT(1)) or *brake* (ECT(0)); a sender sends two packets for an accelerate and none for a
//! brake. So with a fraction `f` of accelerates the senders' rate a round trip later is `2 f` times what leaves now, and the
//! router chooses `f` such that this is the target rate. It only ever turns accelerates into brakes, so of several routers
//! the strictest decides.

use std::collections::VecDeque;

use jettison_core::{DropReason, Duration, Gauge, Gauges, MarkReason, Rate, Time};
use jettison_measure::Outcomes;
use jettison_registry::style::{Line::Dashed, VERMILION};
use jettison_registry::{Entry, ParameterError};
use jettison_wire::{Body, Ecn, Packet};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::entry::{BuildContext, Discipline};
use crate::{Backlog, Fifo, Limit, QueueDiscipline};
use jettison_octopus::{Bandwidth, BandwidthSettings, PARTS};

/// What it reports of its state.
const GAUGES: &[Gauge] = &[CAPACITY, TARGET_RATE, TOKENS];

const CAPACITY: Gauge = Gauge::new(
    "abc_capacity",
    "Mbit/s",
    "Capacity μ of the link, as told or measured; none while it is unknown.",
);
const TARGET_RATE: Gauge = Gauge::new(
    "abc_target_rate",
    "Mbit/s",
    "Target rate tr for a packet that has waited as long as the head of the queue; none while μ is unknown.",
);
const TOKENS: Gauge = Gauge::new("abc_tokens", "1", "Accelerates that may go out.");

/// Its entry in the list of queue disciplines.
pub fn entry() -> Entry<Discipline> {
    Entry::<Discipline>::new("abc", "ABC", build)
        .style(VERMILION, Dashed)
        .summary("Turns accelerates (ECT(1)) into brakes (ECT(0)) so that senders come to a target rate")
        .source("Goyal et al. 2020 §3.1")
        .page("disciplines/abc.md")
        .gauges(GAUGES)
}

/// Parameters of ABC's router, with the paper's names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AbcParameters {
    /// Target utilisation η, above 0 and at most 1.
    pub eta: f64,
    /// Time δ in which a standing queue is to be drained. Stable from 2/3 of the round-trip time on.
    pub delta: Duration,
    /// Queueing delay that nothing is done about (d_t): above the time between two grants of the link.
    pub dt: Duration,
    /// Sliding window T in which the dequeue rate is measured.
    pub window: Duration,
    /// Accelerates that may be saved up (tokenLimit), above 1.
    pub token_limit: f64,
    /// Where the link's capacity μ is known from: what the link tells, or what departs from a backlog.
    pub capacity: Capacity,
    /// How much the buffer holds; arrivals beyond are dropped.
    pub limit: Limit,
}

/// Where ABC knows the link's capacity from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Capacity {
    /// The link tells its rate, at the start and at each scheduled change.
    Told,
    /// The dequeue rate over `window` without idle time; unknown, and no brake made, before five packets have left.
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
        ParameterError::unless(eta > 0.0 && eta <= 1.0, "eta", || {
            format!("`{eta}` is out of range: `eta` is above 0 and at most 1, such as 0.98")
        })?;
        for (key, span) in [("delta", self.delta), ("window", self.window)] {
            ParameterError::unless(!span.is_zero(), key, || {
                format!("`{span}` is too short: `{key}` is above zero")
            })?;
        }
        let tokens = self.token_limit;
        ParameterError::unless(tokens > 1.0 && tokens.is_finite(), "token_limit", || {
            format!(
                "`{tokens}` is out of range: `token_limit` is above 1, which an accelerate takes, such as 5"
            )
        })
    }
}

fn build(
    parameters: AbcParameters,
    _: &BuildContext<'_>,
) -> Result<Box<dyn QueueDiscipline>, ParameterError> {
    Ok(Box::new(Abc::new(parameters)?))
}

/// One FIFO queue under ABC.
#[derive(Debug)]
pub struct Abc {
    parameters: AbcParameters,
    /// μ, as the link told it.
    told: Option<Rate>,
    /// μ, as departures from a backlog show it.
    measured: Bandwidth,
    departures: Departures,
    /// Accelerates that may go out, with a fraction.
    tokens: f64,
    fifo: Fifo,
}

/// What left within a sliding window.
#[derive(Debug, Default)]
struct Departures {
    /// Bytes that left, from which instant on, oldest first.
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

    /// The link's capacity μ in bit/s. Where no link ever told it, the departures have to do.
    fn capacity(&mut self, now: Time) -> Option<f64> {
        let rate = self.told_capacity().or_else(|| self.measured.rate(now));
        rate.map(|rate| rate.as_bits() as f64)
    }

    fn told_capacity(&self) -> Option<Rate> {
        self.told.filter(|_| self.parameters.capacity == Capacity::Told)
    }

    /// The target rate in bit/s: tr = η μ − μ/δ (x − d_t)⁺, at least zero (§3.1, equation 1).
    fn target_rate(&self, mu: f64, queueing_delay: Duration) -> f64 {
        let excess = queueing_delay.saturating_sub(self.parameters.dt);
        let drain = mu * excess.as_secs_f64() / self.parameters.delta.as_secs_f64();
        (self.parameters.eta * mu - drain).max(0.0)
    }

    /// The fraction of accelerates: f = min(tr / 2 cr, 1), with tr = η μ − μ/δ (x − d_t)⁺ (§3.1, equations 1 and 2).
    fn fraction(&mut self, queueing_delay: Duration, now: Time) -> f64 {
        let Some(mu) = self.capacity(now) else { return 1.0 };
        let target = self.target_rate(mu, queueing_delay);
        let dequeued = self.departures.bytes as f64 * 8.0 / self.parameters.window.as_secs_f64();
        if target >= 2.0 * dequeued { 1.0 } else { target / (2.0 * dequeued) }
    }
}

impl Departures {
    /// A packet leaves; those that left before the window no longer count.
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

/// Turns an accelerate into a brake, in the bytes too where the packet has any.
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

    /// The marks are made as packets leave, from the dequeue rate: a sender reacts to what it is told of what left.
    fn dequeue(&mut self, now: Time, out: &mut dyn Outcomes) -> Option<Packet> {
        let Some(mut packet) = self.fifo.pop() else {
            self.measured.clear();
            return None;
        };
        let meta = &packet.meta;
        if meta.enq_qdepth == 0 && meta.enqueued_at == now {
            // It found the link free.
            self.measured.clear();
        }
        let (length, queueing_delay) = (meta.length, now.since(meta.enqueued_at));
        self.departures.departed(length, self.parameters.window, now);
        // §3.1.2: each packet of ABC's adds f to the tokens; an accelerate that finds none above 1 becomes a brake.
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

    fn keeps_time(&self) -> bool {
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

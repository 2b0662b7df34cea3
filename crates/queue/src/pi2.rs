//! `pi2`: PI with a squared output (De Schepper, Bondarenko, Tsang, Briscoe: *PI2: A Linearized AQM for both Classic and
//! Scalable TCP*, CoNEXT 2016).
//!
//! Every `t_update`, a proportional-integral controller computes p' from the queueing delay, to settle it at `target`. The
//! rate of a Classic flow is proportional to 1/√p, so Classic packets are signalled with p'², which linearises the loop and
//! replaces PIE's table of gains. The rate of a Scalable flow is proportional to 1/p: ECT(1) packets are marked with k · p'.
//!
//! Units: p' is a probability in [0, 1]; `alpha` and `beta` in Hz (probability per second of delay, per update); delays are
//! times.

use jettison_core::{DropReason, Duration, Gauge, Gauges, MarkReason, RandomStream, Time};
use jettison_measure::Outcomes;
use jettison_registry::style::{GREEN, Line::Solid};
use jettison_registry::{Entry, ParameterError};
use jettison_wire::{Ecn, Packet};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::entry::{BuildContext, Discipline};
use crate::{
    Backlog, DepartureRate, Fifo, Hertz, InLinux, Limit, QueueChange, QueueDiscipline, QueueSetting,
    UpdateTimer,
};

/// Gauges of the internal state.
const GAUGES: &[Gauge] = &[BASE_PROBABILITY, CLASSIC_PROBABILITY, SCALABLE_PROBABILITY];

const BASE_PROBABILITY: Gauge = Gauge::new("pi2_base_probability", "1", "p', the output of the controller.");
const CLASSIC_PROBABILITY: Gauge = Gauge::new(
    "pi2_classic_probability",
    "1",
    "Probability for Classic packets: p' squared, at most `p_cmax`.",
);
const SCALABLE_PROBABILITY: Gauge =
    Gauge::new("pi2_scalable_probability", "1", "Marking probability for ECT(1): `k` times p', at most 1.");

/// Registry entry of the discipline.
pub fn entry() -> Entry<Discipline> {
    Entry::<Discipline>::new("pi2", "PI2", build)
        .style(GREEN, Solid)
        .summary("Proportional-integral control of delay; p'^2 for Classic packets, 2p' for ECT(1)")
        .source("De Schepper et al. 2016 (CoNEXT); RFC 9332 appendix A")
        .page("disciplines/pi2.md")
        .gauges(GAUGES)
        .facts(InLinux::lacks(
            "the square of a linear PI controller, for one queue",
            "`pie`, or `dualpi2` where the kernel has it, whose Classic queue is PI2",
        ))
}

/// Parameters of PI2, with the paper's names. The discipline's page states the source of each default.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Pi2Parameters {
    /// Target queueing delay.
    pub target: Duration,
    /// Time between two updates of p' (T).
    pub t_update: Duration,
    /// Integral gain: change of p' per update and per second of delay above target.
    pub alpha: Hertz,
    /// Proportional gain: change of p' per update and per second of delay growth.
    pub beta: Hertz,
    /// Coupling factor, > 0: ECT(1) is marked with k · p'. 2 gives Scalable and Classic flows about the same rate.
    pub k: f64,
    /// Maximum probability for Classic packets, in [0, 1]. The default, 1/k² with k = 2, is the one at which the marking of
    /// ECT(1) saturates (RFC 9332 appendix A: p_Cmax).
    pub p_cmax: f64,
    /// Marks ECN-capable packets (RFC 3168) instead of dropping them. If false, every packet is Classic and is dropped.
    pub ecn: bool,
    /// Where the decision is made: on arrival, as in PIE and the paper's implementation, or on departure, as in RFC 9332.
    pub at: DecideAt,
    /// Estimate of the queueing delay: sojourn time of the head, or backlog over measured departure rate.
    pub delay: DelayFrom,
    /// Buffer limit in packets, bytes (IP length) or both; arrivals that exceed it are dropped.
    pub limit: Limit,
}

/// Where the decision on a packet is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum DecideAt {
    /// On arrival.
    Enqueue,
    /// On departure.
    Dequeue,
}

/// Estimate of the queueing delay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum DelayFrom {
    /// Sojourn time of the packet at the head (RFC 9332 appendix A).
    Sojourn,
    /// Backlog over the measured departure rate (RFC 8033 §5.2).
    Rate,
}

impl Default for Pi2Parameters {
    fn default() -> Pi2Parameters {
        Pi2Parameters {
            target: Duration::from_millis(20),
            t_update: Duration::from_millis(32),
            alpha: Hertz::new(0.3125),
            beta: Hertz::new(3.125),
            k: 2.0,
            p_cmax: 0.25,
            ecn: true,
            at: DecideAt::Enqueue,
            delay: DelayFrom::Sojourn,
            limit: Limit::default(),
        }
    }
}

impl Pi2Parameters {
    fn check(&self) -> Result<(), ParameterError> {
        ParameterError::require(!self.t_update.is_zero(), "t_update", "be > 0", self.t_update)?;
        let in_range = self.k.is_finite() && self.k > 0.0;
        ParameterError::require(in_range, "k", "be finite and > 0", self.k)?;
        ParameterError::require((0.0..=1.0).contains(&self.p_cmax), "p_cmax", "be in [0, 1]", self.p_cmax)
    }
}

fn build(
    parameters: Pi2Parameters,
    context: &BuildContext<'_>,
) -> Result<Box<dyn QueueDiscipline>, ParameterError> {
    Ok(Box::new(Pi2::new(parameters, (context.random)("drop"))?))
}

/// One FIFO queue under PI2.
#[derive(Debug, Clone)]
pub struct Pi2 {
    parameters: Pi2Parameters,
    /// √p_cmax: the cap on p' for Classic packets.
    p_prime_max: f64,
    random: RandomStream,

    /// p', the controlled variable, 0 to 1.
    p_prime: f64,
    /// Queueing delay at the last update.
    last_delay: Duration,
    updates: UpdateTimer,
    departures: DepartureRate,
    fifo: Fifo,
}

/// Decision on a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decision {
    Pass,
    Mark(MarkReason),
    Drop,
}

impl Pi2 {
    /// Creates an empty queue that draws from `random`; the first update is one `t_update` after time zero.
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn new(parameters: Pi2Parameters, random: RandomStream) -> Result<Pi2, ParameterError> {
        parameters.check()?;
        Ok(Pi2 {
            p_prime_max: libm::sqrt(parameters.p_cmax),
            random,
            p_prime: 0.0,
            last_delay: Duration::ZERO,
            updates: UpdateTimer::new(parameters.t_update),
            departures: DepartureRate::default(),
            fifo: Fifo::default(),
            parameters,
        })
    }

    /// p', the controlled variable, 0 to 1.
    pub fn p_prime(&self) -> f64 {
        self.p_prime
    }

    /// Controller update: p'(t) = p'(t - T) + α (τ(t) - τ₀) + β (τ(t) - τ(t - T)), clamped to [0, 1].
    fn update(&mut self, now: Time) {
        let delay = self.queueing_delay(now);
        let seconds = delay.as_secs_f64();
        let step = self.parameters.alpha.get() * (seconds - self.parameters.target.as_secs_f64())
            + self.parameters.beta.get() * (seconds - self.last_delay.as_secs_f64());
        self.p_prime = (self.p_prime + step).clamp(0.0, 1.0);
        self.last_delay = delay;
    }

    fn queueing_delay(&self, now: Time) -> Duration {
        match self.parameters.delay {
            DelayFrom::Sojourn => {
                self.fifo.head().map_or(Duration::ZERO, |head| now.since(head.meta.enqueued_at))
            }
            DelayFrom::Rate => self.departures.delay_of(self.fifo.backlog().bytes),
        }
    }

    fn decide(&mut self, packet: &Packet) -> Decision {
        let ecn = self.parameters.ecn;
        if ecn && packet.ecn() == Ecn::Ect1 {
            let marks = self.random.chance(self.parameters.k * self.p_prime);
            return if marks { Decision::Mark(MarkReason::Pi2Scalable) } else { Decision::Pass };
        }
        // "Think once to mark, think twice to drop": two independent tests against p' square the probability.
        let p_prime = self.p_prime.min(self.p_prime_max);
        if !(self.random.chance(p_prime) && self.random.chance(p_prime)) {
            Decision::Pass
        } else if ecn && packet.is_ecn_capable() {
            Decision::Mark(MarkReason::Pi2Classic)
        } else {
            Decision::Drop
        }
    }

    /// Applies the decision on a packet; returns the packet unless it is dropped.
    fn apply_aqm(&mut self, mut packet: Packet, now: Time, out: &mut dyn Outcomes) -> Option<Packet> {
        match self.decide(&packet) {
            Decision::Pass => {}
            Decision::Mark(reason) => {
                packet.mark_ce();
                out.marked(&packet, reason, now);
            }
            Decision::Drop => {
                out.dropped(packet, DropReason::Pi2, now);
                return None;
            }
        }
        Some(packet)
    }
}

impl QueueDiscipline for Pi2 {
    fn enqueue(&mut self, packet: Packet, now: Time, out: &mut dyn Outcomes) {
        if !self.parameters.limit.admits(self.fifo.backlog(), packet.meta.length) {
            return out.dropped(packet, DropReason::BufferFull, now);
        }
        match self.parameters.at {
            DecideAt::Dequeue => self.fifo.push(packet, now),
            DecideAt::Enqueue => {
                if let Some(packet) = self.apply_aqm(packet, now, out) {
                    self.fifo.push(packet, now);
                }
            }
        }
    }

    fn dequeue(&mut self, now: Time, out: &mut dyn Outcomes) -> Option<Packet> {
        loop {
            let packet = self.fifo.pop()?;
            let packet = match self.parameters.at {
                DecideAt::Enqueue => packet,
                DecideAt::Dequeue => match self.apply_aqm(packet, now, out) {
                    Some(packet) => packet,
                    None => continue,
                },
            };
            if self.parameters.delay == DelayFrom::Rate {
                self.departures.departed(packet.meta.length, self.fifo.backlog().bytes, now);
            }
            return Some(packet);
        }
    }

    fn handle_wakeup(&mut self, now: Time, _: &mut dyn Outcomes) {
        if self.updates.is_due(now) {
            self.update(now);
        }
    }

    fn next_wakeup(&self) -> Option<Time> {
        Some(self.updates.next())
    }

    fn gauges(&self, _: Time, out: &mut dyn Gauges) {
        let classic = self.p_prime.min(self.p_prime_max);
        out.set(&BASE_PROBABILITY, self.p_prime);
        out.set(&CLASSIC_PROBABILITY, classic * classic);
        out.set(&SCALABLE_PROBABILITY, (self.parameters.k * self.p_prime).min(1.0));
    }

    fn reconfigure(&mut self, change: &QueueChange) -> bool {
        match *change {
            QueueChange { class: None, setting: QueueSetting::Target(target) } if !target.is_zero() => {
                self.parameters.target = target;
                true
            }
            _ => false,
        }
    }

    fn settings(&self) -> Vec<QueueSetting> {
        vec![QueueSetting::Target(self.parameters.target)]
    }

    fn backlog(&self) -> Backlog {
        self.fifo.backlog()
    }
}

#[cfg(test)]
mod tests;

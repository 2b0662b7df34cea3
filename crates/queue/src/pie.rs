//! `pie`: Proportional Integral controller Enhanced (RFC 8033).
//!
//! Every `t_update`, a proportional-integral controller updates the drop probability, to settle the queueing delay at
//! `target`; arrivals are dropped (or CE-marked) with this probability. The step size scales with the probability itself
//! (auto-tuning), because a small probability needs small steps. Bursts shorter than `max_burst` are not dropped.
//!
//! Units: probabilities in [0, 1]; `alpha` and `beta` in Hz (probability per second of delay, per update); delays are times
//! (gauges in ms).

use jettison_core::{Bytes, DropReason, Duration, Gauge, Gauges, MarkReason, RandomStream, Time};
use jettison_measure::Outcomes;
use jettison_registry::style::{Line::Solid, ORANGE};
use jettison_registry::{Entry, ParameterError};
use jettison_wire::Packet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::entry::{BuildContext, Discipline};
use crate::pi2::DelayFrom;
use crate::{Backlog, DepartureRate, Fifo, Hertz, Limit, QueueDiscipline, UpdateTimer};

/// Gauges of the internal state.
const GAUGES: &[Gauge] = &[PROBABILITY, DELAY, BURST_ALLOWANCE];

const PROBABILITY: Gauge =
    Gauge::new("pie_probability", "1", "Drop probability; 0 while PIE is off (`on_off`).");
const DELAY: Gauge = Gauge::new("pie_delay", "ms", "Queueing delay at the last update.");
const BURST_ALLOWANCE: Gauge = Gauge::new("pie_burst_allowance", "ms", "Remaining burst allowance.");

/// Registry entry of the discipline.
pub fn entry() -> Entry<Discipline> {
    Entry::<Discipline>::new("pie", "PIE", build)
        .style(ORANGE, Solid)
        .summary("Proportional-integral control of delay by random drops on arrival, auto-tuned")
        .source("RFC 8033")
        .page("disciplines/pie.md")
        .gauges(GAUGES)
}

/// Parameters of PIE, with RFC 8033's names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PieParameters {
    /// Target queueing delay (QDELAY_REF, RFC 8033 §4.2).
    pub target: Duration,
    /// Time between two updates of the drop probability (T_UPDATE, RFC 8033 §4.2).
    pub t_update: Duration,
    /// Integral gain: change of the probability per update and per second of delay above target (RFC 8033 §4.2).
    pub alpha: Hertz,
    /// Proportional gain: change of the probability per update and per second of delay growth (RFC 8033 §4.2).
    pub beta: Hertz,
    /// Burst allowance: duration of a burst before the first drop (MAX_BURST, RFC 8033 §4.4).
    pub max_burst: Duration,
    /// No drops while the backlog is at most two packets of this size (MEAN_PKTSIZE, RFC 8033 §4.1).
    pub mean_pktsize: Bytes,
    /// Estimate of the queueing delay: sojourn time of the head, or backlog over measured departure rate (RFC 8033 §4.3,
    /// §5.2).
    pub delay: DelayFrom,
    /// Derandomisation: no drop before the probabilities since the last drop add up to 0.85, a certain drop at 8.5 (RFC 8033
    /// §5.4).
    pub derandomise: bool,
    /// Limits the rise of a probability >= 10 % to 2 percentage points per update (RFC 8033 §5.5).
    pub cap_adjustment: bool,
    /// Activates PIE when a third of `limit` is in use, and deactivates it when congestion ends (RFC 8033 §5.3).
    pub on_off: bool,
    /// Marks ECN-capable packets (RFC 3168) instead of dropping them, up to `mark_ecnth` (RFC 8033 §5.1).
    pub ecn: bool,
    /// Highest probability at which packets are marked, in [0, 1]; above it they are dropped (RFC 8033 §5.1).
    pub mark_ecnth: f64,
    /// Buffer limit in packets, bytes (IP length) or both; arrivals that exceed it are dropped.
    pub limit: Limit,
}

impl Default for PieParameters {
    fn default() -> PieParameters {
        PieParameters {
            target: Duration::from_millis(15),
            t_update: Duration::from_millis(15),
            alpha: Hertz::new(0.125),
            beta: Hertz::new(1.25),
            max_burst: Duration::from_millis(150),
            mean_pktsize: Bytes::new(1024),
            delay: DelayFrom::Sojourn,
            derandomise: true,
            cap_adjustment: true,
            on_off: false,
            ecn: false,
            mark_ecnth: 0.1,
            limit: Limit::default(),
        }
    }
}

impl PieParameters {
    fn check(&self) -> Result<(), ParameterError> {
        ParameterError::require(!self.t_update.is_zero(), "t_update", "be > 0", self.t_update)?;
        let in_range = (0.0..=1.0).contains(&self.mark_ecnth);
        ParameterError::require(in_range, "mark_ecnth", "be in [0, 1]", self.mark_ecnth)?;
        let bounded = !self.on_off || self.limit != Limit::UNLIMITED;
        ParameterError::require(bounded, "on_off", "be false if `limit` is unlimited", true)
    }
}

fn build(
    parameters: PieParameters,
    context: &BuildContext<'_>,
) -> Result<Box<dyn QueueDiscipline>, ParameterError> {
    Ok(Box::new(Pie::new(parameters, (context.random)("drop"))?))
}

/// One FIFO queue under PIE.
#[derive(Debug)]
pub struct Pie {
    parameters: PieParameters,
    random: RandomStream,

    /// Whether PIE is active (RFC 8033 §5.3); always true without `on_off`.
    active: bool,
    drop_prob: f64,
    /// Sum of the probabilities since the last drop (RFC 8033 §5.4).
    accu_prob: f64,
    burst_allowance: Duration,
    /// Queueing delay at the last update.
    qdelay_old: Duration,
    updates: UpdateTimer,
    departures: DepartureRate,
    fifo: Fifo,
}

impl Pie {
    /// Creates an empty queue that draws from `random`; the first update is one `t_update` after time zero.
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn new(parameters: PieParameters, random: RandomStream) -> Result<Pie, ParameterError> {
        parameters.check()?;
        Ok(Pie {
            random,
            active: !parameters.on_off,
            drop_prob: 0.0,
            accu_prob: 0.0,
            burst_allowance: parameters.max_burst,
            qdelay_old: Duration::ZERO,
            updates: UpdateTimer::new(parameters.t_update),
            departures: DepartureRate::default(),
            fifo: Fifo::default(),
            parameters,
        })
    }

    /// The drop probability, 0 to 1.
    pub fn drop_prob(&self) -> f64 {
        self.drop_prob
    }

    /// The remaining burst allowance.
    pub fn burst_allowance(&self) -> Duration {
        self.burst_allowance
    }

    /// Whether congestion has ended (RFC 8033 §4.4, §5.3): the probability is zero, and the delay is below half the target
    /// both at `qdelay` and at the last update.
    #[inline]
    fn congestion_is_over(&self, qdelay: Duration) -> bool {
        let half = half(self.parameters.target);
        self.drop_prob == 0.0 && self.qdelay_old < half && qdelay < half
    }

    /// Decides whether to drop or mark the current arrival (RFC 8033 §4.1, §4.4).
    #[inline]
    fn drop_early(&mut self) -> bool {
        let congested = self.qdelay_old >= half(self.parameters.target) || self.drop_prob >= 0.2;
        let few = self.fifo.backlog().bytes <= self.parameters.mean_pktsize.get().saturating_mul(2);
        if !self.active || !self.burst_allowance.is_zero() || !congested || few {
            return false;
        }
        if !self.parameters.derandomise {
            return self.random.chance(self.drop_prob);
        }
        // Derandomisation (RFC 8033 §5.4)
        if self.drop_prob == 0.0 {
            self.accu_prob = 0.0;
        }
        self.accu_prob += self.drop_prob;
        if self.accu_prob < 0.85 {
            return false;
        }
        let drops = self.accu_prob >= 8.5 || self.random.chance(self.drop_prob);
        if drops {
            self.accu_prob = 0.0;
        }
        drops
    }

    /// Updates the drop probability from the delays now and at the last update (RFC 8033 §4.2).
    fn calculate_drop_prob(&mut self, now: Time) {
        let (target, qdelay) = (self.parameters.target, self.queueing_delay(now));
        let seconds = qdelay.as_secs_f64();
        let mut p = self.parameters.alpha.get() * (seconds - target.as_secs_f64())
            + self.parameters.beta.get() * (seconds - self.qdelay_old.as_secs_f64());
        p *= tuning(self.drop_prob);
        if self.parameters.cap_adjustment && self.drop_prob >= 0.1 {
            p = p.min(0.02); // RFC 8033 §5.5
        }
        self.drop_prob += p;
        if qdelay.is_zero() && self.qdelay_old.is_zero() {
            self.drop_prob *= 0.98; // 1 - 1/64, RFC 8033 §4.2
        }
        self.drop_prob = self.drop_prob.clamp(0.0, 1.0);

        // RFC 8033 §4.4
        self.burst_allowance = self.burst_allowance.saturating_sub(self.parameters.t_update);
        // RFC 8033 §5.3. A delay that has not been measured yet does not count as low.
        let known = self.parameters.delay == DelayFrom::Sojourn || self.departures.is_measured();
        if self.parameters.on_off && known && self.congestion_is_over(qdelay) {
            self.active = false;
        }
        self.qdelay_old = qdelay;
    }

    fn queueing_delay(&self, now: Time) -> Duration {
        match self.parameters.delay {
            DelayFrom::Sojourn => {
                self.fifo.head().map_or(Duration::ZERO, |head| now.since(head.meta.enqueued_at))
            }
            DelayFrom::Rate => self.departures.delay_of(self.fifo.backlog().bytes),
        }
    }

    /// Activates PIE with reset state once a third of the buffer is in use (RFC 8033 §5.3).
    fn turn_on(&mut self) {
        let (Backlog { packets, bytes }, limit) = (self.fifo.backlog(), self.parameters.limit);
        if packets < limit.packets.div_ceil(3) && bytes < limit.bytes.div_ceil(3) {
            return;
        }
        self.active = true;
        self.drop_prob = 0.0;
        self.accu_prob = 0.0;
        self.qdelay_old = Duration::ZERO;
        self.burst_allowance = self.parameters.max_burst;
        self.departures = DepartureRate::default();
    }
}

/// Auto-tuning: scales the step with the magnitude of the probability (RFC 8033 §4.2).
fn tuning(drop_prob: f64) -> f64 {
    match drop_prob {
        p if p < 0.000_001 => 1.0 / 2048.0,
        p if p < 0.000_01 => 1.0 / 512.0,
        p if p < 0.000_1 => 1.0 / 128.0,
        p if p < 0.001 => 1.0 / 32.0,
        p if p < 0.01 => 1.0 / 8.0,
        p if p < 0.1 => 1.0 / 2.0,
        _ => 1.0,
    }
}

fn half(span: Duration) -> Duration {
    Duration::from_nanos(span.as_nanos() / 2)
}

impl QueueDiscipline for Pie {
    fn enqueue(&mut self, mut packet: Packet, now: Time, out: &mut dyn Outcomes) {
        if !self.parameters.limit.admits(self.fifo.backlog(), packet.meta.length) {
            // RFC 8033 §5.4, appendix B: reset after any drop.
            self.accu_prob = 0.0;
            return out.dropped(packet, DropReason::BufferFull, now);
        }
        // RFC 8033 §4.4, appendix A: checked at each arrival. The delay is computed only if the probability is zero.
        if self.drop_prob == 0.0 && self.congestion_is_over(self.queueing_delay(now)) {
            self.burst_allowance = self.parameters.max_burst;
        }
        if self.drop_early() {
            // RFC 8033 §5.1: above `mark_ecnth` packets are dropped, in case senders ignore marks.
            let marks = self.parameters.ecn && self.drop_prob <= self.parameters.mark_ecnth;
            if !(marks && packet.mark_ce()) {
                return out.dropped(packet, DropReason::Pie, now);
            }
            out.marked(&packet, MarkReason::Pie, now);
        }
        self.fifo.push(packet, now);
        if !self.active {
            self.turn_on();
        }
    }

    fn dequeue(&mut self, now: Time, _: &mut dyn Outcomes) -> Option<Packet> {
        let packet = self.fifo.pop()?;
        if self.parameters.delay == DelayFrom::Rate && self.active {
            self.departures.departed(packet.meta.length, self.fifo.backlog().bytes, now);
        }
        Some(packet)
    }

    fn handle_wakeup(&mut self, now: Time, _: &mut dyn Outcomes) {
        if self.updates.is_due(now) && self.active {
            self.calculate_drop_prob(now);
        }
    }

    fn next_wakeup(&self) -> Option<Time> {
        Some(self.updates.next())
    }

    fn gauges(&self, _: Time, out: &mut dyn Gauges) {
        out.set(&PROBABILITY, if self.active { self.drop_prob } else { 0.0 });
        out.set(&DELAY, self.qdelay_old.as_millis_f64());
        out.set(&BURST_ALLOWANCE, self.burst_allowance.as_millis_f64());
    }

    fn backlog(&self) -> Backlog {
        self.fifo.backlog()
    }
}

#[cfg(test)]
mod tests;

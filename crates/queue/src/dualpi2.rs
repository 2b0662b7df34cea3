//! `dualpi2`: the Dual-Queue Coupled AQM with PI2 (RFC 9332, appendix A).
//!
//! Scalable traffic (ECT(1) and CE) has its own queue, L, with a sub-millisecond delay target; all other traffic shares the
//! Classic queue, C. One proportional-integral controller computes the base probability p' from the queueing delay. C is
//! signalled with p'²; L is marked with k · p' or with the probability of its own delay ramp, whichever is greater. This
//! coupling gives a flow in L and a flow in C about the same rate, although L has priority.
//!
//! Classification, the place of the AQM and the policy under overload are parameters ([`DualPi2Parameters`]), as Linux's
//! `dualpi2` has them, with its defaults as a preset. DSCPs may be classified into L too (RFC 9331 §5.4.1.1), such as that
//! of non-queue-building traffic.
//!
//! Units: p' is a probability in [0, 1]; `alpha` and `beta` in Hz (probability per second of delay, per update); delays are
//! times; `th_len` in packets.

use crate::entry::{BuildContext, Discipline};
use crate::{Backlog, Fifo, InLinux, QueueChange, QueueDiscipline, QueueSetting, UpdateTimer};
use jettison_core::{DropReason, Duration, Gauge, Gauges, MarkReason, Time};
use jettison_measure::Outcomes;
use jettison_registry::style::{Line::Dashed, PERIWINKLE};
use jettison_registry::{Entry, ParameterError};
use jettison_wire::Packet;

mod exceptions;
mod parameters;
mod qdisc;

use exceptions::Exceptions;
pub use parameters::{AqmAt, DualPi2Parameters, Ect, Overload, Preset, Scheduler};

/// Gauges of the internal state.
const GAUGES: &[Gauge] =
    &[BASE_PROBABILITY, CLASSIC_PROBABILITY, COUPLED_PROBABILITY, CLASSIC_BACKLOG, L4S_BACKLOG];

const BASE_PROBABILITY: Gauge =
    Gauge::new("dualpi2_base_probability", "1", "p', the output of the controller.");
const CLASSIC_PROBABILITY: Gauge =
    Gauge::new("dualpi2_classic_probability", "1", "Probability for the Classic queue: p' squared.");
const COUPLED_PROBABILITY: Gauge = Gauge::new(
    "dualpi2_coupled_probability",
    "1",
    "Least marking probability of the L4S queue: `k` times p', at most 1.",
);
const CLASSIC_BACKLOG: Gauge =
    Gauge::new("dualpi2_classic_backlog", "packets", "Packets in the Classic queue.");
const L4S_BACKLOG: Gauge = Gauge::new("dualpi2_l4s_backlog", "packets", "Packets in the L4S queue.");

/// Registry entry of the discipline.
pub fn entry() -> Entry<Discipline> {
    Entry::<Discipline>::new("dualpi2", "DualPI2", build)
        .style(PERIWINKLE, Dashed)
        .summary("A low-latency queue for ECT(1) coupled to a Classic queue: L4S's dual-queue AQM")
        .source("RFC 9332 appendix A")
        .page("disciplines/dualpi2.md")
        .gauges(GAUGES)
        .facts(InLinux::by(qdisc::qdisc))
}

fn build(
    parameters: DualPi2Parameters,
    _: &BuildContext<'_>,
) -> Result<Box<dyn QueueDiscipline>, ParameterError> {
    Ok(Box::new(DualPi2::new(parameters)?))
}

/// The coupled L and C queues.
#[derive(Debug, Clone)]
pub struct DualPi2 {
    parameters: DualPi2Parameters,
    /// p_Cmax: from this probability on, the Classic queue drops instead of marking.
    p_cmax: f64,
    /// The largest p': 1, or that at which L's marking saturates.
    p_prime_max: f64,
    /// L's coupled probability from which on it drops (p_Lmax).
    p_lmax: f64,
    /// Treatment of a packet by its traffic class byte.
    treatment: [Treatment; 256],
    /// What the RFC's pseudocode does not do; `None` without any of it.
    exceptions: Option<Exceptions>,

    /// p', the base probability, 0 to 1.
    p_prime: f64,
    /// Queueing delay at the last update.
    last_delay: Duration,
    updates: UpdateTimer,
    l4s: Fifo,
    classic: Fifo,
    /// Credit of C in bytes, earned by bytes that L sent while C had a backlog (`wrr`).
    earned: f64,
    l4s_marks: Recurrence,
    l4s_drops: Recurrence,
    classic_signals: Recurrence,
}

/// Treatment of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Treatment {
    /// In the Classic queue, signalled with p'².
    Classic,
    /// In the L queue, with L's marking.
    Scalable,
    /// In the L queue by its DSCP, signalled as Classic.
    Guest,
}

/// Deterministic Bernoulli process (RFC 9332 appendix A.1, `recur`): events with a given likelihood, evenly spaced.
#[derive(Debug, Clone, Default)]
struct Recurrence(f64);

impl Recurrence {
    #[inline]
    fn recurs(&mut self, likelihood: f64) -> bool {
        self.0 += likelihood.min(1.0);
        let recurs = self.0 > 1.0;
        if recurs {
            self.0 -= 1.0;
        }
        recurs
    }
}

impl DualPi2 {
    /// Creates empty queues; the first update is one `t_update` after time zero.
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn new(parameters: DualPi2Parameters) -> Result<DualPi2, ParameterError> {
        parameters.check()?;
        let saturates_at = (1.0 / parameters.k).min(1.0);
        let (p_prime_max, p_cmax, p_lmax) = match parameters.overload {
            Overload::Drop => (1.0, saturates_at * saturates_at, 1.0),
            // RFC 9332 §4.2.3, delay on saturation: the probabilities are capped, and nothing capable is dropped.
            Overload::Overflow => (saturates_at, f64::INFINITY, f64::INFINITY),
        };
        Ok(DualPi2 {
            p_cmax,
            p_prime_max,
            p_lmax,
            treatment: std::array::from_fn(|byte| parameters.treatment(byte as u8)),
            exceptions: Exceptions::of(&parameters),
            p_prime: 0.0,
            last_delay: Duration::ZERO,
            updates: UpdateTimer::new(parameters.t_update),
            l4s: Fifo::default(),
            classic: Fifo::default(),
            earned: 0.0,
            l4s_marks: Recurrence::default(),
            l4s_drops: Recurrence::default(),
            classic_signals: Recurrence::default(),
            parameters,
        })
    }

    /// p', the base probability, 0 to 1.
    pub fn p_prime(&self) -> f64 {
        self.p_prime
    }

    /// Updates p' (RFC 9332 appendix A.2, `dualpi2_update`). The input is the greater of the two delays, so that overload of
    /// L raises p' too.
    fn update(&mut self, now: Time) {
        let delay = head_delay(&self.classic, now).max(head_delay(&self.l4s, now));
        let seconds = delay.as_secs_f64();
        let step = self.parameters.alpha.get() * (seconds - self.parameters.target.as_secs_f64())
            + self.parameters.beta.get() * (seconds - self.last_delay.as_secs_f64());
        self.p_prime = (self.p_prime + step).clamp(0.0, self.p_prime_max);
        self.last_delay = delay;
    }

    /// Puts an admitted packet into its queue.
    #[inline]
    fn admit(&mut self, packet: Packet, now: Time) {
        match self.treatment[usize::from(packet.meta.traffic_class)] {
            Treatment::Classic => self.classic.push(packet, now),
            Treatment::Scalable | Treatment::Guest => self.l4s.push(packet, now),
        }
    }

    /// Whether the L queue is served next.
    #[inline]
    fn serves_l4s_next(&mut self, now: Time) -> bool {
        let (Some(l4s), Some(classic)) = (self.l4s.head(), self.classic.head()) else {
            // Only one queue has a backlog: C keeps no credit for later.
            self.earned = 0.0;
            return !self.l4s.is_empty();
        };
        match self.parameters.scheduler {
            Scheduler::TsFifo => {
                let shifted = now.since(l4s.meta.enqueued_at).saturating_add(self.parameters.t_shift);
                shifted >= now.since(classic.meta.enqueued_at)
            }
            Scheduler::Wrr => {
                // Each byte sent from L earns C `share` bytes; C's head costs its length, less the share it earns itself.
                let share = self.parameters.classic_share;
                let price = f64::from(classic.meta.length) * (1.0 - share);
                let serves_classic = self.earned >= price;
                self.earned += if serves_classic { -price } else { f64::from(l4s.meta.length) * share };
                !serves_classic
            }
        }
    }

    /// Native marking probability of the L queue as a function of a packet's delay (RFC 9332 appendix A.1, `laqm`). Zero for a
    /// lone packet (A.2).
    #[inline]
    fn ramp(&self, delay: Duration) -> f64 {
        let above = delay.saturating_sub(self.parameters.min_th);
        // The departing packet counts for the queue length, but has left `l4s` already.
        let few = self.l4s.backlog().packets < self.parameters.th_len;
        if few || delay < self.parameters.min_th {
            0.0
        } else if above >= self.parameters.range {
            1.0
        } else {
            above.as_secs_f64() / self.parameters.range.as_secs_f64()
        }
    }

    /// Applies the AQM to a packet that leaves L; returns it unless it is dropped.
    #[inline]
    fn apply_l4s_aqm(&mut self, mut packet: Packet, now: Time, out: &mut dyn Outcomes) -> Option<Packet> {
        let coupled = self.parameters.k * self.p_prime;
        let probability = if coupled < self.p_lmax {
            coupled.max(self.ramp(now.since(packet.meta.enqueued_at)))
        } else {
            // RFC 9332 appendix A.2: marking is saturated, so L drops with the probability of C.
            if self.l4s_drops.recurs(self.p_prime * self.p_prime) {
                out.dropped(packet, DropReason::DualPi2, now);
                return None;
            }
            coupled
        };
        if self.l4s_marks.recurs(probability) && packet.mark_ce() {
            out.marked(&packet, MarkReason::DualPi2L4s, now);
        }
        Some(packet)
    }

    /// Applies the AQM to a packet that leaves C; returns it unless it is dropped.
    #[inline]
    fn apply_classic_aqm(&mut self, mut packet: Packet, now: Time, out: &mut dyn Outcomes) -> Option<Packet> {
        let probability = self.p_prime * self.p_prime;
        if self.classic_signals.recurs(probability) {
            // RFC 9332 appendix A.2: "Overload disables ECN"
            if probability >= self.p_cmax || !packet.mark_ce() {
                out.dropped(packet, DropReason::DualPi2, now);
                return None;
            }
            out.marked(&packet, MarkReason::DualPi2Classic, now);
        }
        Some(packet)
    }
}

/// Sojourn time of the oldest packet; zero for an empty queue.
#[inline]
fn head_delay(fifo: &Fifo, now: Time) -> Duration {
    fifo.head().map_or(Duration::ZERO, |head| now.since(head.meta.enqueued_at))
}

impl QueueDiscipline for DualPi2 {
    /// Classifies by ECN field: ECT(1) and CE to L, all others to C (RFC 9332 §2.3), unless parameters say otherwise. One
    /// buffer holds both (appendix A.1).
    fn enqueue(&mut self, packet: Packet, now: Time, out: &mut dyn Outcomes) {
        if !self.parameters.limit.admits(self.backlog(), packet.meta.length) {
            return out.dropped(packet, DropReason::BufferFull, now);
        }
        if self.exceptions.is_none() {
            self.admit(packet, now);
        } else if let Some(packet) = self.apply_aqm_at_arrival(packet, now, out) {
            self.admit(packet, now);
        }
    }

    fn dequeue(&mut self, now: Time, out: &mut dyn Outcomes) -> Option<Packet> {
        // A dropped packet uses no link capacity: continue with the next one.
        loop {
            let sent = if self.serves_l4s_next(now) {
                let packet = self.l4s.pop()?;
                match self.exceptions {
                    None => self.apply_l4s_aqm(packet, now, out),
                    Some(_) => self.apply_l4s_exceptions(packet, now, out),
                }
            } else {
                let packet = self.classic.pop()?;
                match self.exceptions {
                    None => self.apply_classic_aqm(packet, now, out),
                    Some(_) => self.apply_classic_exceptions(packet, now, out),
                }
            };
            if sent.is_some() {
                return sent;
            }
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
        out.set(&BASE_PROBABILITY, self.p_prime);
        out.set(&CLASSIC_PROBABILITY, self.p_prime * self.p_prime);
        out.set(&COUPLED_PROBABILITY, (self.parameters.k * self.p_prime).min(1.0));
        out.set(&CLASSIC_BACKLOG, self.classic.backlog().packets as f64);
        out.set(&L4S_BACKLOG, self.l4s.backlog().packets as f64);
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
        let (l4s, classic) = (self.l4s.backlog(), self.classic.backlog());
        Backlog { packets: l4s.packets + classic.packets, bytes: l4s.bytes + classic.bytes }
    }
}

#[cfg(test)]
mod tests;

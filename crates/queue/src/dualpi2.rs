//! `dualpi2`: the Dual-Queue Coupled AQM with PI2 (RFC 9332, appendix A).
//!
//! Scalable senders (ECT(1), CE) have a queue of their own, L, that is kept at a fraction of a millisecond; all others
//! share the Classic queue, C. One controller moves p' from the delay. C is signalled with p'², L is marked with k · p'
//! or, if that is more, by its own ramp: the coupling makes a flow in L and one in C take about the same rate, although
//! L is served first.

use jettison_core::{DropReason, Duration, Gauge, Gauges, MarkReason, Time};
use jettison_measure::Outcomes;
use jettison_registry::style::{GREEN, Line::Dashed};
use jettison_registry::{Entry, ParameterError};
use jettison_wire::{Ecn, Packet};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::entry::{BuildContext, Discipline};
use crate::{Backlog, Fifo, Hertz, Limit, QueueDiscipline, UpdateTimer};

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
        .style(GREEN, Dashed)
        .summary("A low-latency queue for ECT(1) coupled to a Classic queue: L4S's dual-queue AQM")
        .source("RFC 9332 appendix A")
        .page("disciplines/dualpi2.md")
        .gauges(GAUGES)
}

/// Parameters of DualPI2, with RFC 9332's names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DualPi2Parameters {
    /// Queueing delay of the Classic queue to settle at.
    pub target: Duration,
    /// Time between two updates of p' (Tupdate).
    pub t_update: Duration,
    /// Integral gain: change of p' an update for a second of delay above target.
    pub alpha: Hertz,
    /// Proportional gain: change of p' an update for a second by which the delay grew.
    pub beta: Hertz,
    /// Coupling factor: L is marked with at least k · p'.
    pub k: f64,
    /// Delay in the L queue from which its own ramp marks (minTh).
    pub min_th: Duration,
    /// How much further the ramp reaches until it marks every packet; zero makes it a step.
    pub range: Duration,
    /// The ramp marks only while more packets than this are in the L queue (Th_len).
    pub th_len: u64,
    /// Which queue is served.
    pub scheduler: Scheduler,
    /// Share of the bytes that `wrr` leaves to the Classic queue while both have a backlog, above 0 and below 1.
    pub classic_share: f64,
    /// Head start in time that `ts-fifo` gives the L queue.
    pub t_shift: Duration,
    /// How much both queues hold together; arrivals beyond are dropped.
    pub limit: Limit,
}

/// Which of the two queues is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Scheduler {
    /// Weighted round robin: L first, but C gets its share (a conditional priority).
    Wrr,
    /// Time-shifted FIFO: the packet that has waited longest, L's waiting counted as `t_shift` longer.
    TsFifo,
}

impl Default for DualPi2Parameters {
    fn default() -> DualPi2Parameters {
        DualPi2Parameters {
            target: Duration::from_millis(15),
            t_update: Duration::from_millis(15),
            alpha: Hertz::new(0.15),
            beta: Hertz::new(3.0),
            k: 2.0,
            min_th: Duration::from_micros(800),
            range: Duration::from_micros(400),
            th_len: 1,
            scheduler: Scheduler::Wrr,
            classic_share: 1.0 / 16.0,
            t_shift: Duration::from_millis(50),
            limit: Limit::packets(10_000),
        }
    }
}

impl DualPi2Parameters {
    fn check(&self) -> Result<(), ParameterError> {
        ParameterError::unless(!self.t_update.is_zero(), "t_update", || {
            "`t_update` is above zero, such as \"15 ms\"".into()
        })?;
        ParameterError::unless(self.k.is_finite() && self.k > 0.0, "k", || {
            format!("`{}` is out of range: `k` is above 0, such as 2", self.k)
        })?;
        ParameterError::unless(self.classic_share > 0.0 && self.classic_share < 1.0, "classic_share", || {
            let share = self.classic_share;
            format!("`{share}` is out of range: `classic_share` is above 0 and below 1, such as 0.0625")
        })
    }
}

fn build(
    parameters: DualPi2Parameters,
    _: &BuildContext<'_>,
) -> Result<Box<dyn QueueDiscipline>, ParameterError> {
    Ok(Box::new(DualPi2::new(parameters)?))
}

/// Two coupled queues.
#[derive(Debug)]
pub struct DualPi2 {
    parameters: DualPi2Parameters,
    /// p_Cmax: from this probability on the Classic queue drops what it would mark.
    p_cmax: f64,

    /// p', the base probability, 0 to 1.
    p_prime: f64,
    /// The delay at the last update.
    last_delay: Duration,
    updates: UpdateTimer,
    l4s: Fifo,
    classic: Fifo,
    /// Bytes that C has earned by what L sent while C waited (`wrr`).
    earned: f64,
    l4s_marks: Recurrence,
    l4s_drops: Recurrence,
    classic_signals: Recurrence,
}

/// RFC 9332 appendix A.1, `recur`: an event with a likelihood, evenly spaced instead of at random.
#[derive(Debug, Default)]
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
    /// Empty queues; the first update is one `t_update` after time zero.
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn new(parameters: DualPi2Parameters) -> Result<DualPi2, ParameterError> {
        parameters.check()?;
        Ok(DualPi2 {
            p_cmax: (1.0 / (parameters.k * parameters.k)).min(1.0),
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

    /// RFC 9332 appendix A.2, `dualpi2_update`: p' follows the greater of the two delays, so that an L queue in
    /// overload raises it too.
    fn update(&mut self, now: Time) {
        let delay = waiting(&self.classic, now).max(waiting(&self.l4s, now));
        let seconds = delay.as_secs_f64();
        let step = self.parameters.alpha.get() * (seconds - self.parameters.target.as_secs_f64())
            + self.parameters.beta.get() * (seconds - self.last_delay.as_secs_f64());
        self.p_prime = (self.p_prime + step).clamp(0.0, 1.0);
        self.last_delay = delay;
    }

    /// Whether the L queue is served next; not called while both are empty.
    #[inline]
    fn schedules_l4s(&mut self, now: Time) -> bool {
        let (Some(l4s), Some(classic)) = (self.l4s.head(), self.classic.head()) else {
            self.earned = 0.0;
            return !self.l4s.is_empty();
        };
        match self.parameters.scheduler {
            Scheduler::TsFifo => {
                let shifted = now.since(l4s.meta.enqueued_at).saturating_add(self.parameters.t_shift);
                shifted >= now.since(classic.meta.enqueued_at)
            }
            Scheduler::Wrr => {
                let share = self.parameters.classic_share;
                let price = f64::from(classic.meta.length) * (1.0 - share);
                let serves_classic = self.earned >= price;
                self.earned += if serves_classic { -price } else { f64::from(l4s.meta.length) * share };
                !serves_classic
            }
        }
    }

    /// RFC 9332 appendix A.1, `laqm`: the L queue's own probability by a packet's delay. None for a packet that is
    /// alone (A.2).
    #[inline]
    fn ramp(&self, delay: Duration) -> f64 {
        let above = delay.saturating_sub(self.parameters.min_th);
        // The packet that leaves is in the queue as well.
        let few = self.l4s.backlog().packets < self.parameters.th_len;
        if few || delay < self.parameters.min_th {
            0.0
        } else if above >= self.parameters.range {
            1.0
        } else {
            above.as_secs_f64() / self.parameters.range.as_secs_f64()
        }
    }

    /// Judges a packet that leaves L; gives it back unless it is dropped.
    #[inline]
    fn judged_l4s(&mut self, mut packet: Packet, now: Time, out: &mut dyn Outcomes) -> Option<Packet> {
        let coupled = self.parameters.k * self.p_prime;
        let probability = if coupled < 1.0 {
            coupled.max(self.ramp(now.since(packet.meta.enqueued_at)))
        } else {
            // RFC 9332 appendix A.2: marks can do no more, so L is dropped from as C is.
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

    /// Judges a packet that leaves C; gives it back unless it is dropped.
    #[inline]
    fn judged_classic(&mut self, mut packet: Packet, now: Time, out: &mut dyn Outcomes) -> Option<Packet> {
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

/// How long the oldest packet has waited; zero if there is none.
#[inline]
fn waiting(fifo: &Fifo, now: Time) -> Duration {
    fifo.head().map_or(Duration::ZERO, |head| now.since(head.meta.enqueued_at))
}

impl QueueDiscipline for DualPi2 {
    /// RFC 9332 §2.3, appendix A.1: ECT(1) and CE go to L, all others to C; one buffer for both.
    fn enqueue(&mut self, packet: Packet, now: Time, out: &mut dyn Outcomes) {
        if !self.parameters.limit.admits(self.backlog(), packet.meta.length) {
            return out.dropped(packet, DropReason::BufferFull, now);
        }
        match packet.ecn() {
            Ecn::Ect1 | Ecn::Ce => self.l4s.push(packet, now),
            Ecn::NotEct | Ecn::Ect0 => self.classic.push(packet, now),
        }
    }

    fn dequeue(&mut self, now: Time, out: &mut dyn Outcomes) -> Option<Packet> {
        loop {
            let sent = if self.schedules_l4s(now) {
                let packet = self.l4s.pop()?;
                self.judged_l4s(packet, now, out)
            } else {
                let packet = self.classic.pop()?;
                self.judged_classic(packet, now, out)
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

    fn backlog(&self) -> Backlog {
        let (l4s, classic) = (self.l4s.backlog(), self.classic.backlog());
        Backlog { packets: l4s.packets + classic.packets, bytes: l4s.bytes + classic.bytes }
    }
}

#[cfg(test)]
mod tests;

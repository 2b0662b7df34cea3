//! `red`: Random Early Detection (Floyd & Jacobson 1993).
//!
//! An arrival is signalled (dropped or CE-marked) with a probability that grows with the average queue length. The average
//! is an exponentially weighted moving average of the backlog at arrivals, so bursts pass and persistent queues do not. The
//! number of arrivals between two signals is uniform instead of geometric, which avoids both clusters of signals and long
//! gaps (§7).
//!
//! Above the upper threshold the arrival is signalled, or a random packet of the queue (`victim`).
//!
//! With `adaptive`, `max_p` follows the average: twice a second it grows while the average is above the middle of the thresholds
//! and shrinks while it is below (Floyd, Gummadi & Shenker 2001).
//!
//! Units: thresholds and average in packets or in bytes, as `min_th` is written; `w_q` and `max_p` in (0, 1].

use jettison_core::{Bytes, DropReason, Duration, Gauge, Gauges, MarkReason, RandomStream, Rate, Time};
use jettison_measure::Outcomes;
use jettison_registry::style::{Line::Solid, PINK};
use jettison_registry::{Entry, ParameterError};
use jettison_wire::Packet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::entry::{BuildContext, Discipline};
use crate::{
    Backlog, InLinux, Limit, QueueChange, QueueDiscipline, QueueSetting, RedDecision, RedSettings, RedState,
    SparseFifo, Threshold, UpdateTimer, Victim,
};

mod adaptive;
mod qdisc;

/// Gauges of the internal state.
const GAUGES: &[Gauge] = &[AVERAGE, AVERAGE_BYTES, PROBABILITY, MAX_P];

const AVERAGE: Gauge =
    Gauge::new("red_average", "packets", "Average queue length avg, if the thresholds are in packets.");
const AVERAGE_BYTES: Gauge =
    Gauge::new("red_average_bytes", "bytes", "Average queue length avg, if the thresholds are in bytes.");
const PROBABILITY: Gauge = Gauge::new(
    "red_probability",
    "1",
    "Signalling probability p_b at the current average, before the spacing by `count`.",
);
const MAX_P: Gauge =
    Gauge::new("red_max_p", "1", "Probability as the average reaches the upper threshold, max_p.");

/// Registry entry of the discipline.
pub fn entry() -> Entry<Discipline> {
    Entry::<Discipline>::new("red", "RED", build)
        .style(PINK, Solid)
        .summary("Drops or marks arrivals with a probability that grows with the average queue length")
        .source("Floyd & Jacobson 1993; gentle: Floyd 2000; adaptive: Floyd, Gummadi & Shenker 2001")
        .page("disciplines/red.md")
        .gauges(GAUGES)
        .facts(InLinux::by(qdisc::qdisc))
}

/// Parameters of RED, with the paper's names. The defaults of the first four are those of the paper's §5.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RedParameters {
    /// Average queue length below which nothing is signalled. Its unit, packets or bytes, selects the unit of the average.
    pub min_th: Threshold,
    /// Average queue length from which on every arrival is signalled (with `gentle`: with probability `max_p`). Recommended:
    /// at least twice `min_th` (§6.3).
    pub max_th: Threshold,
    /// Weight of a new sample in the average queue length, in (0, 1] (§6).
    pub w_q: f64,
    /// Signalling probability as the average reaches `max_th`, in (0, 1] (§4, §7).
    pub max_p: f64,
    /// Raises the probability linearly from `max_p` at `max_th` to 1 at twice `max_th`, instead of a step to 1 (Floyd 2000).
    pub gentle: bool,
    /// Adapts `max_p` within 0.01 and 0.5 so that the average stays near the middle of the thresholds (Adaptive RED).
    pub adaptive: bool,
    /// With `adaptive`: sets `min_th`, `max_th` and `w_q` from the link's rate, so that the average delay is near this value.
    /// Unset: as given.
    pub target_delay: Option<Duration>,
    /// The packet that is signalled above the upper threshold: the arrival (§4), or a random one of the queue and the arrival
    /// (ALTQ up to 1.1.2). The latter is dropped, or marked where it is, and the arrival is queued.
    pub victim: Victim,
    /// Marks ECN-capable packets (RFC 3168) instead of dropping them.
    pub ecn: bool,
    /// With `ecn`: marks packets above the upper threshold, as in the paper (§4: every arriving packet is marked). If
    /// false, drops them, as in later practice.
    pub mark_above_max: bool,
    /// Typical transmission time of a small packet. During an idle period the average decays as if one such packet per `s`
    /// had found the queue empty (§4). Unset: that of `mean_packet` at the link's rate.
    pub s: Option<Duration>,
    /// IP length of the typical small packet, used if `s` is unset.
    pub mean_packet: Bytes,
    /// MaximumPacketSize: with thresholds in bytes, the probability is scaled by packet size over this size (§7).
    pub maximum_packet_size: Bytes,
    /// Buffer limit in packets, bytes (IP length) or both; arrivals that exceed it are dropped.
    pub limit: Limit,
}

impl Default for RedParameters {
    fn default() -> RedParameters {
        RedParameters {
            min_th: Threshold::Packets(5),
            max_th: Threshold::Packets(15),
            w_q: 0.002,
            max_p: 0.02,
            gentle: false,
            adaptive: false,
            target_delay: None,
            victim: Victim::Arrival,
            ecn: false,
            mark_above_max: true,
            s: None,
            mean_packet: Bytes::new(500),
            maximum_packet_size: Bytes::new(1500),
            limit: Limit::default(),
        }
    }
}

impl RedParameters {
    fn settings(&self) -> RedSettings {
        RedSettings {
            min_th: self.min_th,
            max_th: self.max_th,
            w_q: self.w_q,
            max_p: self.max_p,
            gentle: self.gentle,
            maximum_packet_size: self.maximum_packet_size.get(),
        }
    }

    fn check(&self) -> Result<(), ParameterError> {
        let (min, max) = (self.min_th, self.max_th);
        ParameterError::unless(min.is_bytes() == max.is_bytes(), "max_th", || {
            format!(
                "must be in the unit of `min_th` ({min}), got {max}; write both in packets or both in bytes"
            )
        })?;
        ParameterError::unless(max.value() > min.value(), "max_th", || {
            format!("must be > `min_th` ({min}), got {max}; twice `min_th` or more is recommended")
        })?;
        for (key, value) in [("w_q", self.w_q), ("max_p", self.max_p)] {
            ParameterError::require(value > 0.0 && value <= 1.0, key, "be in (0, 1]", value)?;
        }
        if let Some(delay) = self.target_delay {
            ParameterError::require(!delay.is_zero(), "target_delay", "be > 0", delay)?;
            ParameterError::unless(self.adaptive, "target_delay", || {
                "must be unset unless `adaptive = true`: the thresholds are those of Adaptive RED".to_owned()
            })?;
        }
        ParameterError::require(self.s.is_none_or(|s| !s.is_zero()), "s", "be > 0", "0 s")?;
        for (key, size) in
            [("mean_packet", self.mean_packet), ("maximum_packet_size", self.maximum_packet_size)]
        {
            ParameterError::require(size.get() > 0, key, "be >= 1 byte", size)?;
        }
        Ok(())
    }
}

fn build(
    parameters: RedParameters,
    context: &BuildContext<'_>,
) -> Result<Box<dyn QueueDiscipline>, ParameterError> {
    Ok(Box::new(Red::new(parameters, (context.random)("drop"))?))
}

/// One FIFO queue under RED.
#[derive(Debug, Clone)]
pub struct Red {
    parameters: RedParameters,
    settings: RedSettings,
    random: RandomStream,

    state: RedState,
    /// Adapts `max_p`; `None` for RED.
    timer: Option<UpdateTimer>,
    /// Typical transmission time of a small packet; `None` until the link's rate is known.
    s: Option<Duration>,
    fifo: SparseFifo,
}

impl Red {
    /// Creates an empty queue that draws from `random`.
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn new(parameters: RedParameters, random: RandomStream) -> Result<Red, ParameterError> {
        parameters.check()?;
        let settings = parameters.settings();
        let (s, state) = (parameters.s, RedState::default());
        let timer = parameters.adaptive.then(|| UpdateTimer::new(adaptive::INTERVAL));
        Ok(Red { parameters, settings, random, state, timer, s, fifo: SparseFifo::default() })
    }

    /// The average queue length, in the unit of the thresholds.
    pub fn average(&self) -> f64 {
        self.state.average()
    }

    /// Signals a random packet of the queue and the arrival, and queues the arrival if it is another one's turn. The arrival is
    /// dropped if it does not fit even so.
    fn signal_random(&mut self, mut packet: Packet, now: Time, out: &mut dyn Outcomes) {
        let marks = self.parameters.ecn && self.parameters.mark_above_max;
        let (backlog, limit, length) = (self.fifo.backlog(), self.parameters.limit, packet.meta.length);
        let number = self.fifo.draw(&mut self.random);
        let Some(victim) = number.and_then(|number| self.fifo.drawn(number)) else {
            if !(marks && packet.is_ecn_capable()) {
                return out.dropped(packet, DropReason::RedForced, now);
            }
            if !limit.admits(backlog, length) {
                return out.dropped(packet, DropReason::BufferFull, now);
            }
            packet.mark_ce();
            out.marked(&packet, MarkReason::Red, now);
            return self.fifo.push(packet, now);
        };
        if marks && victim.is_ecn_capable() {
            victim.mark_ce();
            out.marked(victim, MarkReason::Red, now);
            if !limit.admits(backlog, length) {
                return out.dropped(packet, DropReason::BufferFull, now);
            }
        } else {
            let without = backlog.without(victim.meta.length);
            if !limit.admits(without, length) {
                return out.dropped(packet, DropReason::BufferFull, now);
            }
            if let Some(victim) = number.and_then(|number| self.fifo.remove(number)) {
                out.dropped(victim, DropReason::RedForced, now);
            }
        }
        self.fifo.push(packet, now);
    }

    #[inline]
    fn decide(&mut self, length: u16) -> RedDecision {
        self.state.decide(&self.settings, length, &mut self.random)
    }
}

impl QueueDiscipline for Red {
    fn enqueue(&mut self, mut packet: Packet, now: Time, out: &mut dyn Outcomes) {
        self.state.arrival(&self.settings, self.fifo.backlog(), self.s, now);
        let decision = self.decide(packet.meta.length);
        let ecn = self.parameters.ecn && packet.is_ecn_capable();
        // The mark itself is delayed until the packet is known to fit: a dropped packet must not count as marked.
        let marks = match decision {
            RedDecision::Pass => false,
            RedDecision::Forced if self.parameters.victim == Victim::Random => {
                return self.signal_random(packet, now, out);
            }
            RedDecision::Early if ecn => true,
            RedDecision::Forced if ecn && self.parameters.mark_above_max => true,
            RedDecision::Early => return out.dropped(packet, DropReason::RedEarly, now),
            RedDecision::Forced => return out.dropped(packet, DropReason::RedForced, now),
        };
        if !self.parameters.limit.admits(self.fifo.backlog(), packet.meta.length) {
            return out.dropped(packet, DropReason::BufferFull, now);
        }
        if marks {
            packet.mark_ce();
            out.marked(&packet, MarkReason::Red, now);
        }
        self.fifo.push(packet, now);
    }

    fn dequeue(&mut self, now: Time, _: &mut dyn Outcomes) -> Option<Packet> {
        let packet = self.fifo.pop();
        if packet.is_some() && self.fifo.is_empty() {
            self.state.emptied(now);
        }
        packet
    }

    fn handle_wakeup(&mut self, now: Time, _: &mut dyn Outcomes) {
        if self.timer.as_mut().is_some_and(|timer| timer.is_due(now)) {
            let idles = self.fifo.is_empty();
            let average = if idles {
                self.state.idle_average(self.settings.w_q, self.s, now)
            } else {
                self.state.average()
            };
            adaptive::adapt(&mut self.settings, average);
        }
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.timer.map(|timer| timer.next())
    }

    fn capacity_changed(&mut self, rate: Rate, _: Time) {
        if let (Some(delay), false) = (self.parameters.target_delay, rate.is_zero()) {
            adaptive::configure(&mut self.settings, delay, rate, self.parameters.mean_packet);
        }
        if self.parameters.s.is_none() {
            self.s = (!rate.is_zero()).then(|| rate.time_for(self.parameters.mean_packet));
        }
    }

    fn uses_wakeups(&self) -> bool {
        self.timer.is_some()
    }

    fn gauges(&self, _: Time, out: &mut dyn Gauges) {
        self.state.gauges(&self.settings, [&AVERAGE, &AVERAGE_BYTES, &PROBABILITY], out);
        out.set(&MAX_P, self.settings.max_p);
    }

    /// [`QueueSetting::MaxProbability`], which Adaptive RED sets itself.
    fn reconfigure(&mut self, change: &QueueChange) -> bool {
        match *change {
            QueueChange { class: None, setting: QueueSetting::MaxProbability(max_p) }
                if max_p > 0.0 && max_p <= 1.0 && !self.parameters.adaptive =>
            {
                self.settings.max_p = max_p;
                true
            }
            _ => false,
        }
    }

    fn settings(&self) -> Vec<QueueSetting> {
        let own = (!self.parameters.adaptive).then_some(QueueSetting::MaxProbability(self.settings.max_p));
        own.into_iter().collect()
    }

    fn backlog(&self) -> Backlog {
        self.fifo.backlog()
    }
}

#[cfg(test)]
mod tests;

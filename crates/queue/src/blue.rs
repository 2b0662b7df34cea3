//! `blue`: BLUE (Feng, Shin, Kandlur & Saha 2002).
//!
//! Control by events instead of queue length. A single drop or mark probability p_m rises by `d1` when the buffer overflows
//! (or the backlog exceeds `l`) and falls by `d2` when the link is idle, at most once per `freeze_time`. Neither the backlog
//! nor its average enters, so p_m converges to the rate of signals that the senders need.
//!
//! Units: p_m, `d1` and `d2` are probabilities in [0, 1]; `l` in packets or bytes.

use jettison_core::{Bytes, DropReason, Duration, Gauge, Gauges, MarkReason, RandomStream, Rate, Time};
use jettison_measure::Outcomes;
use jettison_registry::style::{COBALT, Line::Dashed};
use jettison_registry::{Entry, ParameterError};
use jettison_wire::Packet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::entry::{BuildContext, Discipline};
use crate::{Backlog, Fifo, InLinux, Limit, QueueDiscipline, Threshold};

/// Gauges of the internal state.
const GAUGES: &[Gauge] = &[PROBABILITY];

const PROBABILITY: Gauge =
    Gauge::new("blue_probability", "1", "Probability p_m with which arrivals are dropped or marked.");

/// Registry entry of the discipline.
pub fn entry() -> Entry<Discipline> {
    Entry::<Discipline>::new("blue", "BLUE", build)
        .style(COBALT, Dashed)
        .summary("Drops or marks with a probability that rises on losses and falls while the link is idle")
        .source("Feng, Shin, Kandlur & Saha 2002")
        .page("disciplines/blue.md")
        .gauges(GAUGES)
        .facts(InLinux::lacks(
            "BLUE for one queue",
            "`sfb` (Stochastic Fair BLUE), one BLUE per bin of flows",
        ))
}

/// Parameters of BLUE, with the paper's names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BlueParameters {
    /// Increment of the probability, in (0, 1].
    pub d1: f64,
    /// Decrement of the probability, in (0, 1]. The paper recommends at most a tenth of `d1`.
    pub d2: f64,
    /// Minimum time between two changes of the probability.
    pub freeze_time: Duration,
    /// Backlog above which an arrival counts as a loss (the paper's L), to leave room for bursts.
    pub l: Threshold,
    /// Marks ECN-capable packets (RFC 3168) instead of dropping them.
    pub ecn: bool,
    /// Buffer limit in packets, bytes (IP length) or both; arrivals that exceed it are dropped.
    pub limit: Limit,
}

impl Default for BlueParameters {
    fn default() -> BlueParameters {
        BlueParameters {
            d1: 0.02,
            d2: 0.002,
            freeze_time: Duration::from_millis(100),
            l: Threshold::Packets(500),
            ecn: false,
            limit: Limit::default(),
        }
    }
}

impl BlueParameters {
    fn check(&self) -> Result<(), ParameterError> {
        for (key, value) in [("d1", self.d1), ("d2", self.d2)] {
            ParameterError::require(value > 0.0 && value <= 1.0, key, "be in (0, 1]", value)?;
        }
        ParameterError::require(!self.freeze_time.is_zero(), "freeze_time", "be > 0", self.freeze_time)
    }
}

fn build(
    parameters: BlueParameters,
    context: &BuildContext<'_>,
) -> Result<Box<dyn QueueDiscipline>, ParameterError> {
    Ok(Box::new(Blue::new(parameters, (context.random)("drop"))?))
}

/// One FIFO queue under BLUE.
#[derive(Debug, Clone)]
pub struct Blue {
    parameters: BlueParameters,
    random: RandomStream,

    /// The paper's p_m.
    probability: f64,
    /// Time of the last change of the probability; `None` before the first.
    last_update: Option<Time>,
    rate: Rate,
    /// End of transmission of the packet that left the queue empty: the link is idle from then on.
    idle_from: Time,
    fifo: Fifo,
}

impl Blue {
    /// An empty queue that draws from `random`.
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn new(parameters: BlueParameters, random: RandomStream) -> Result<Blue, ParameterError> {
        parameters.check()?;
        Ok(Blue {
            parameters,
            random,
            probability: 0.0,
            last_update: None,
            rate: Rate::from_bits(0),
            idle_from: Time::ZERO,
            fifo: Fifo::default(),
        })
    }

    /// The probability with which arrivals are dropped or marked.
    pub fn probability(&self) -> f64 {
        self.probability
    }

    /// "Upon packet loss (or Qlen > L) event."
    fn on_loss(&mut self, now: Time) {
        let frozen = self.last_update.is_some_and(|last| now.since(last) <= self.parameters.freeze_time);
        if !frozen {
            self.probability = (self.probability + self.parameters.d1).min(1.0);
            self.last_update = Some(now);
        }
    }

    /// "Upon link idle event". Called when an idle period ends: applies one event per `freeze_time` of its duration.
    fn on_idle(&mut self, now: Time) {
        let freeze = self.parameters.freeze_time;
        let thawed = self.last_update.map_or(Time::ZERO, |last| last.saturating_add(freeze));
        let first = self.idle_from.max(thawed);
        if now <= first {
            return;
        }
        let further = now.since(first).as_nanos() / freeze.as_nanos();
        self.probability = (self.probability - (further + 1) as f64 * self.parameters.d2).max(0.0);
        self.last_update = Some(first.saturating_add(freeze.saturating_mul(further)));
    }
}

impl QueueDiscipline for Blue {
    fn enqueue(&mut self, mut packet: Packet, now: Time, out: &mut dyn Outcomes) {
        let backlog = self.fifo.backlog();
        if backlog.packets == 0 {
            self.on_idle(now);
            // If this arrival is dropped, the idle time up to now must not count twice.
            self.idle_from = self.idle_from.max(now);
        }
        // Early reaction, before the buffer overflows: leaves room for bursts.
        if self.parameters.l.measure(backlog) > self.parameters.l.value() {
            self.on_loss(now);
        }
        if !self.parameters.limit.admits(backlog, packet.meta.length) {
            self.on_loss(now);
            return out.dropped(packet, DropReason::BufferFull, now);
        }
        if self.random.chance(self.probability) {
            if !(self.parameters.ecn && packet.mark_ce()) {
                return out.dropped(packet, DropReason::Blue, now);
            }
            out.marked(&packet, MarkReason::Blue, now);
        }
        self.fifo.push(packet, now);
    }

    fn dequeue(&mut self, now: Time, _: &mut dyn Outcomes) -> Option<Packet> {
        let packet = self.fifo.pop()?;
        if self.fifo.is_empty() {
            // With an unknown rate, transmission is assumed to take no time.
            let sending = match self.rate.is_zero() {
                true => Duration::ZERO,
                false => self.rate.time_for(Bytes::new(u64::from(packet.meta.length))),
            };
            self.idle_from = now.saturating_add(sending);
        }
        Some(packet)
    }

    fn capacity_changed(&mut self, rate: Rate, _: Time) {
        self.rate = rate;
    }

    fn uses_wakeups(&self) -> bool {
        false
    }

    /// The probability of the last event: an idle period is applied when the next packet arrives.
    fn gauges(&self, _: Time, out: &mut dyn Gauges) {
        out.set(&PROBABILITY, self.probability);
    }

    fn backlog(&self) -> Backlog {
        self.fifo.backlog()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{build_error, packet, packet_with};
    use jettison_core::Seed;
    use jettison_measure::{NoOutcomes, Tally};
    use jettison_wire::Ecn;
    use serde_json::json;

    fn blue(parameters: BlueParameters) -> Blue {
        Blue::new(parameters, Seed(1).stream(&["blue"])).unwrap_or_else(|error| panic!("{error}"))
    }

    fn arrive(blue: &mut Blue, millis: u64) {
        blue.enqueue(packet(1, 1000), Time::from_millis(millis), &mut NoOutcomes);
    }

    /// A queue with a buffer of one packet, full.
    fn full() -> Blue {
        let mut blue = blue(BlueParameters { limit: Limit::packets(1), ..BlueParameters::default() });
        arrive(&mut blue, 0);
        blue
    }

    #[test]
    fn a_loss_raises_the_probability_at_most_once_each_freeze_time() {
        // "if ((now − last_update) > freeze_time) p_m += d1"
        let mut blue = full();
        for (millis, probability) in
            [(1, 0.02), (2, 0.02), (101, 0.02), (102, 0.04), (202, 0.04), (203, 0.06)]
        {
            arrive(&mut blue, millis);
            assert!((blue.probability() - probability).abs() < 1e-12, "{millis} ms: {}", blue.probability());
        }
    }

    #[test]
    fn a_backlog_above_l_raises_the_probability_as_a_loss_does() {
        let mut blue = blue(BlueParameters { l: Threshold::Packets(2), ..BlueParameters::default() });
        (0..3).for_each(|_| arrive(&mut blue, 0));
        assert_eq!(blue.probability(), 0.0, "2 is not above L");
        arrive(&mut blue, 0);
        assert_eq!(blue.probability(), 0.02);
    }

    #[test]
    fn an_idle_link_lowers_the_probability_once_each_freeze_time() {
        // "if ((now − last_update) > freeze_time) p_m −= d2"
        let lowered_by = |idle: u64| {
            let mut blue = full();
            (blue.probability, blue.last_update) = (0.5, Some(Time::ZERO));
            blue.dequeue(Time::from_millis(500), &mut NoOutcomes);
            arrive(&mut blue, 500 + idle);
            ((0.5 - blue.probability()) / 0.002).round()
        };
        assert_eq!([0, 1, 99, 101, 201, 100_000].map(lowered_by), [0.0, 1.0, 1.0, 2.0, 3.0, 250.0]);
    }

    #[test]
    fn a_change_freezes_idle_events_too() {
        let mut blue = full();
        (blue.probability, blue.last_update) = (0.5, Some(Time::from_millis(500)));
        blue.dequeue(Time::from_millis(510), &mut NoOutcomes);
        arrive(&mut blue, 590);
        assert_eq!(blue.probability(), 0.5);
        blue.dequeue(Time::from_millis(590), &mut NoOutcomes);
        arrive(&mut blue, 610);
        assert_eq!((blue.probability(), blue.last_update), (0.498, Some(Time::from_millis(600))));
    }

    #[test]
    fn a_link_that_still_sends_is_not_idle() {
        let mut blue = full();
        blue.capacity_changed(Rate::from_mbit(1), Time::ZERO);
        (blue.probability, blue.last_update) = (0.5, Some(Time::ZERO));
        // 1,000 bytes take 8 ms.
        blue.dequeue(Time::from_millis(500), &mut NoOutcomes);
        arrive(&mut blue, 508);
        assert_eq!(blue.probability(), 0.5);
        blue.dequeue(Time::from_millis(508), &mut NoOutcomes);
        arrive(&mut blue, 517);
        assert_eq!(blue.probability(), 0.498);
    }

    #[test]
    fn the_probability_stays_between_zero_and_one() {
        let mut blue = full();
        (1..200).for_each(|n| arrive(&mut blue, 101 * n));
        assert_eq!(blue.probability(), 1.0);
        blue.dequeue(Time::from_secs(30), &mut NoOutcomes);
        arrive(&mut blue, 1_000_000);
        assert_eq!(blue.probability(), 0.0);
    }

    #[test]
    fn arrivals_are_dropped_with_the_probability() {
        let mut blue = blue(BlueParameters { limit: Limit::UNLIMITED, ..BlueParameters::default() });
        (blue.probability, blue.last_update) = (0.25, Some(Time::MAX));
        let mut tally = Tally::default();
        arrive(&mut blue, 0);
        (0..40_000).for_each(|id| blue.enqueue(packet(id, 1000), Time::ZERO, &mut tally));
        assert!((9_700..10_300).contains(&tally.drops.len()), "{}", tally.drops.len());
        assert!(tally.drops.iter().all(|drop| drop.1 == DropReason::Blue));
    }

    #[test]
    fn ecn_capable_packets_are_marked_if_ecn_is_enabled() {
        for (ecn, capable, marks) in
            [(true, Ecn::Ect0, 5), (true, Ecn::Ect1, 5), (true, Ecn::NotEct, 0), (false, Ecn::Ect0, 0)]
        {
            let mut blue = blue(BlueParameters { ecn, ..BlueParameters::default() });
            (blue.probability, blue.last_update) = (1.0, Some(Time::MAX));
            let mut tally = Tally::default();
            (0..5).for_each(|id| blue.enqueue(packet_with(id, 1000, capable), Time::ZERO, &mut tally));
            assert_eq!((tally.marks.len(), tally.drops.len()), (marks, 5 - marks));
        }
    }

    #[test]
    fn after_convergence_a_persistent_overload_causes_no_overflow() {
        // Two arrive a millisecond, one leaves: the probability settles near one half.
        let mut blue = blue(BlueParameters { limit: Limit::packets(100), ..BlueParameters::default() });
        let mut tally = Tally::default();
        let mut last = Tally::default();
        for millis in 0..60_000u64 {
            let now = Time::from_millis(millis);
            let out = if millis < 50_000 { &mut tally } else { &mut last };
            (0..2).for_each(|_| blue.enqueue(packet(1, 1000), now, out));
            blue.dequeue(now, out);
        }
        assert!((0.4..0.65).contains(&blue.probability()), "{}", blue.probability());
        let overflows = |tally: &Tally| {
            tally.drops.iter().filter(|drop| drop.1 == DropReason::BufferFull).count() as f64
                / tally.drops.len() as f64
        };
        assert!(overflows(&tally) > 0.0 && overflows(&last) < 0.1, "{}", overflows(&last));
    }

    #[test]
    fn parameters_out_of_range_are_refused() {
        for (key, value, right) in [
            ("d1", json!(0.0), "(0, 1], got 0"),
            ("d2", json!(1.5), "(0, 1], got 1.5"),
            ("freeze_time", json!("0 ms"), "> 0"),
        ] {
            let (path, message) = build_error(json!({ "kind": "blue", key: value }));
            assert_eq!(path, key);
            assert!(message.contains(right), "{message}");
        }
    }
}

//! `codel`: Controlled Delay (RFC 8289).
//!
//! CoDel distinguishes a standing queue from a burst by the minimum of the sojourn time over a window: a queue whose
//! sojourn time stays at or above `target` for a whole `interval` is standing. It then drops (or CE-marks) at the head of
//! the queue, at times that approach each other as interval / √count, until the sojourn time is below `target`. A burst that
//! drains within one interval is not signalled.
//!
//! The state machine is [`crate::CodelState`]; this file is the FIFO queue around it.
//!
//! `ce_threshold` marks beside CoDel: every ECN-capable packet whose sojourn time is above it, at its departure. That is the
//! step marking that DCTCP and other scalable senders expect.
//!
//! `spare_below` is of this project (docs/src/appendix/value.md): a signal that would hit a flow that holds little of the queue waits for the next
//! packet of a flow that holds more.
//!
//! Units: `target`, `interval`, `ce_threshold` and `clock` are times; `maxpacket` is bytes of IP length.

use jettison_core::{Bytes, DropReason, Duration, Gauge, Gauges, MarkReason, Time};
use jettison_measure::Outcomes;
use jettison_registry::style::{BLUE, Line::Solid};
use jettison_registry::{Entry, ParameterError};
use jettison_wire::Packet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ce_threshold;
use crate::entry::{BuildContext, Discipline};
use crate::flow_counts::FlowCounts;
use crate::{
    Backlog, CodelSettings, CodelState, CodelStore, ControlLaw, Fifo, InLinux, Limit, Qdisc, QdiscContext,
    QueueChange, QueueDiscipline, QueueSetting,
};

/// Gauges of the internal state.
const GAUGES: &[Gauge] = &[COUNT, DROPPING];

const COUNT: Gauge = Gauge::new(
    "codel_count",
    "count",
    "`count` of the control law: signals since dropping state was entered; outside it, the last value.",
);
const DROPPING: Gauge = Gauge::new("codel_dropping", "1", "1 in dropping state, 0 outside.");

/// Registry entry of the discipline.
pub fn entry() -> Entry<Discipline> {
    Entry::<Discipline>::new("codel", "CoDel", build)
        .style(BLUE, Solid)
        .summary("Drops at the head while the sojourn time stays above target for an interval")
        .source("RFC 8289")
        .page("disciplines/codel.md")
        .gauges(GAUGES)
        .facts(InLinux::by(qdisc))
}

/// Parameters of CoDel, with RFC 8289's names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CodelParameters {
    /// Acceptable standing sojourn time (RFC 8289 §4.3): 5 to 10 % of `interval`.
    pub target: Duration,
    /// Window of the sliding minimum: about the longest RTT of the flows that share the queue (RFC 8289 §4.2).
    pub interval: Duration,
    /// A backlog of at most this size is not a standing queue (MAXPACKET, RFC 8289 §5.3: the interface's MTU). The
    /// default covers an MTU of 1500 bytes with an Ethernet header.
    pub maxpacket: Bytes,
    /// Marks ECN-capable packets (RFC 3168) instead of dropping them.
    pub ecn: bool,
    /// Sojourn time above which every ECN-capable packet is marked, whatever CoDel says, also without `ecn` (tc-codel(8)).
    /// Unset: no such marks.
    pub ce_threshold: Option<Duration>,
    /// Resolution of the clock, to which timestamps are truncated, such as "1 us" in a P4 switch. Unset: exact.
    pub clock: Option<Duration>,
    /// Control law: RFC 8289's, exact or by the lookup table of the P4 program, or P4-CoDel's, which does not use `maxpacket`.
    pub control_law: ControlLaw,
    /// A packet is not signalled if its flow holds less than this fraction of what the flows that wait hold on average; the
    /// signal goes to the next packet of a flow that holds as much. 0: every packet may be signalled, as the RFC says.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub spare_below: f64,
    /// Buffer limit in packets, bytes (IP length) or both; arrivals that exceed it are dropped.
    pub limit: Limit,
}

impl Default for CodelParameters {
    fn default() -> CodelParameters {
        CodelParameters {
            target: Duration::from_millis(5),
            interval: Duration::from_millis(100),
            maxpacket: Bytes::new(1514),
            ecn: false,
            ce_threshold: None,
            clock: None,
            control_law: ControlLaw::Exact,
            spare_below: 0.0,
            limit: Limit::default(),
        }
    }
}

impl CodelParameters {
    /// Returns the constants of the state machine.
    ///
    /// # Errors
    /// If the target, the interval or the clock resolution is zero.
    pub fn settings(&self) -> Result<CodelSettings, ParameterError> {
        let positive = |span: Duration, key| ParameterError::require(!span.is_zero(), key, "be > 0", span);
        positive(self.target, "target")?;
        positive(self.interval, "interval")?;
        if let Some(clock) = self.clock {
            positive(clock, "clock")?;
        }
        Ok(CodelSettings {
            target: self.target,
            interval: self.interval,
            maxpacket: self.maxpacket.get(),
            clock: self.clock,
            control_law: self.control_law,
        })
    }
}

fn build(
    parameters: CodelParameters,
    context: &BuildContext<'_>,
) -> Result<Box<dyn QueueDiscipline>, ParameterError> {
    let mut queue = Codel::new(&parameters)?;
    if let Some(sparing) = &mut queue.sparing {
        sparing.counts = FlowCounts::new((context.random)("hash").uniform(0, u64::MAX));
    }
    Ok(Box::new(queue))
}

/// Linux's `codel`: tc-codel(8).
fn qdisc(parameters: CodelParameters, context: &QdiscContext<'_>) -> Result<Qdisc, ParameterError> {
    parameters.only_in_linux()?;
    let CodelParameters { target, interval, maxpacket, ecn, ce_threshold, limit, .. } = parameters;
    let qdisc = Qdisc::new("codel")
        .packet_limit(limit, context)
        .time("target", "target", target)?
        .time("interval", "interval", interval)?
        .word(if ecn { "ecn" } else { "noecn" })
        .note_if(maxpacket != CodelParameters::default().maxpacket, CodelParameters::MAXPACKET_NOTE);
    match ce_threshold {
        Some(threshold) => qdisc.time("ce_threshold", "ce_threshold", threshold),
        None => Ok(qdisc),
    }
}

impl CodelParameters {
    /// What Linux has in place of `maxpacket`.
    pub(crate) const MAXPACKET_NOTE: &str = "maxpacket: Linux's CoDel takes the MTU of the device";

    /// Checks the parameters that Linux's CoDel does not have.
    fn only_in_linux(&self) -> Result<(), ParameterError> {
        ParameterError::unless(self.clock.is_none(), "clock", || {
            "must be unset for `tc`: Linux's CoDel has a clock of its own".to_owned()
        })?;
        ParameterError::unless(self.control_law == ControlLaw::Exact, "control_law", || {
            "must be \"exact\" for `tc`: Linux has only RFC 8289's control law".to_owned()
        })?;
        ParameterError::unless(self.spare_below == 0.0, "spare_below", || {
            "must be 0 for `tc`: Linux's CoDel spares no flow".to_owned()
        })
    }
}

/// One FIFO queue under CoDel.
#[derive(Debug, Clone)]
pub struct Codel {
    settings: CodelSettings,
    ecn: bool,
    ce_threshold: Option<Duration>,
    limit: Limit,

    state: CodelState,
    fifo: Fifo,
    /// Only with `spare_below`.
    sparing: Option<Box<Sparing>>,
}

/// State of `spare_below`.
#[derive(Debug, Clone)]
struct Sparing {
    below: f64,
    counts: FlowCounts,
    /// Signals that wait for a packet of a flow that holds enough.
    owed: u32,
}

impl Codel {
    /// An empty queue.
    ///
    /// # Errors
    /// If a parameter is out of range.
    pub fn new(parameters: &CodelParameters) -> Result<Codel, ParameterError> {
        ce_threshold::check(parameters.ce_threshold)?;
        let below = parameters.spare_below;
        ParameterError::require((0.0..=1.0).contains(&below), "spare_below", "be in [0, 1]", below)?;
        let sparing = || Box::new(Sparing { below, counts: FlowCounts::new(0), owed: 0 });
        Ok(Codel {
            settings: parameters.settings()?,
            ecn: parameters.ecn,
            ce_threshold: parameters.ce_threshold,
            limit: parameters.limit,
            state: CodelState::default(),
            fifo: Fifo::default(),
            sparing: (below > 0.0).then(sparing),
        })
    }

    /// The next packet to send where flows that hold little are spared. CoDel's state moves as if the packet that it judged were
    /// signalled. What is owed is forgotten with the standing queue.
    fn dequeue_sparing(&mut self, now: Time, out: &mut dyn Outcomes) -> Option<Packet> {
        let sparing = self.sparing.as_deref_mut()?;
        while let Some(mut packet) = self.fifo.pop() {
            let held = sparing.counts.remove(&packet);
            let sojourn = now.since(packet.meta.enqueued_at);
            let signals = self.state.judge(&self.settings, sojourn, self.fifo.backlog().bytes, now);
            if !self.state.is_dropping() {
                sparing.owed = 0;
            }
            sparing.owed += u32::from(signals);
            if sparing.owed == 0 || held < sparing.below {
                return Some(packet);
            }
            sparing.owed -= 1;
            if self.ecn && packet.mark_ce() {
                out.marked(&packet, MarkReason::CoDel, now);
                return Some(packet);
            }
            out.dropped(packet, DropReason::CoDel, now);
        }
        sparing.owed = 0;
        if self.settings.control_law != ControlLaw::P4Codel {
            self.state.emptied();
        }
        None
    }

    /// Marks a departing packet whose sojourn time, as CoDel sees it, is above the threshold.
    fn mark_late(&self, threshold: Duration, packet: &mut Packet, now: Time, out: &mut dyn Outcomes) {
        let (sojourn, _) = self.settings.quantise(now.since(packet.meta.enqueued_at), now);
        if sojourn > threshold {
            ce_threshold::mark(packet, now, out);
        }
    }
}

impl QueueDiscipline for Codel {
    /// Stamps the arrival time (RFC 8289 §5.4). Drops by a full buffer do not affect CoDel's state.
    fn enqueue(&mut self, packet: Packet, now: Time, out: &mut dyn Outcomes) {
        if self.limit.admits(self.fifo.backlog(), packet.meta.length) {
            if let Some(sparing) = &mut self.sparing {
                sparing.counts.add(&packet);
            }
            self.fifo.push(packet, now);
        } else {
            out.dropped(packet, DropReason::BufferFull, now);
        }
    }

    fn dequeue(&mut self, now: Time, out: &mut dyn Outcomes) -> Option<Packet> {
        let mut departing = match &self.sparing {
            None => self.state.dequeue(&self.settings, self.ecn, &mut self.fifo, now, out),
            Some(_) => self.dequeue_sparing(now, out),
        };
        if let (Some(threshold), Some(packet)) = (self.ce_threshold, &mut departing) {
            self.mark_late(threshold, packet, now, out);
        }
        departing
    }

    fn uses_wakeups(&self) -> bool {
        false
    }

    fn gauges(&self, _: Time, out: &mut dyn Gauges) {
        out.set(&COUNT, f64::from(self.state.count()));
        out.set(&DROPPING, f64::from(u8::from(self.state.is_dropping())));
    }

    fn reconfigure(&mut self, change: &QueueChange) -> bool {
        match *change {
            QueueChange { class: None, setting: QueueSetting::Target(target) } if !target.is_zero() => {
                self.settings.target = target;
                true
            }
            QueueChange { class: None, setting: QueueSetting::Interval(interval) } if !interval.is_zero() => {
                self.settings.interval = interval;
                true
            }
            _ => false,
        }
    }

    fn settings(&self) -> Vec<QueueSetting> {
        vec![QueueSetting::Target(self.settings.target), QueueSetting::Interval(self.settings.interval)]
    }

    fn backlog(&self) -> Backlog {
        self.fifo.backlog()
    }
}

impl CodelStore for Fifo {
    #[inline]
    fn pop(&mut self) -> Option<Packet> {
        Fifo::pop(self)
    }
    #[inline]
    fn bytes(&self) -> u64 {
        self.backlog().bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{build_error, built, packet_of, packet_with};
    use jettison_measure::Tally;
    use jettison_wire::Ecn;
    use serde_json::{Value, json};

    /// One packet of 1,500 bytes arrives per millisecond and every second one leaves, for two seconds.
    fn overload(parameters: Value, ecn: Ecn) -> (Tally, Vec<Packet>, Box<dyn QueueDiscipline>) {
        let (mut queue, mut tally, mut sent) = (built(parameters), Tally::default(), Vec::new());
        for id in 0..2000u32 {
            let now = Time::from_millis(u64::from(id));
            queue.enqueue(packet_with(id, 1500, ecn), now, &mut tally);
            if id % 2 == 1 {
                sent.extend(queue.dequeue(now, &mut tally));
            }
        }
        (tally, sent, queue)
    }

    #[test]
    fn drops_the_head_and_sends_the_next_packet() {
        // RFC 8289 §5.5: "drop(r.p); r = dodequeue(now)"
        let (tally, sent, _) = overload(json!("codel"), Ecn::NotEct);
        let (first_dropped, reason, at) = tally.drops[0];
        assert_eq!(reason, DropReason::CoDel);
        // Packet k leaves at 2k + 1 ms after k + 1 ms: 5 ms is reached at 9 ms, and an interval later is 109 ms.
        assert_eq!(at, Time::from_millis(109));
        assert!(sent.iter().any(|p| p.meta.id == first_dropped + 1));
        assert!(!sent.iter().any(|p| p.meta.id == first_dropped));
        assert!(tally.drops.len() > 20);
    }

    #[test]
    fn marks_ecn_capable_packets_instead_and_sends_them() {
        let parameters = json!({ "kind": "codel", "ecn": true, "limit": "unlimited" });
        let (tally, sent, queue) = overload(parameters, Ecn::Ect0);
        assert!(tally.drops.is_empty());
        assert!(tally.marks.len() > 20);
        assert!(tally.marks.iter().all(|mark| mark.1 == MarkReason::CoDel));
        assert_eq!(sent.iter().filter(|p| p.ecn() == Ecn::Ce).count(), tally.marks.len());
        assert_eq!(sent.len() as u64 + queue.backlog().packets, 2000);
    }

    #[test]
    fn drops_ecn_capable_packets_unless_told_to_mark() {
        let (tally, _, _) = overload(json!("codel"), Ecn::Ect0);
        assert!(tally.marks.is_empty() && !tally.drops.is_empty());
    }

    #[test]
    fn packets_above_the_ce_threshold_are_marked_at_their_departure() {
        // tc-codel(8), and Linux 6.1 and 7.2 as measured: ECT(0) as ECT(1), with `ecn` and without, never Not-ECT.
        let marks = |ecn, codel_marks: bool| {
            let parameters = json!({ "kind": "codel", "ce_threshold": "1 ms", "ecn": codel_marks });
            let (mut queue, mut tally) = (built(parameters), Tally::default());
            for (id, waits) in [(0, 999), (1, 1000), (2, 1001)] {
                queue.enqueue(packet_with(id, 1500, ecn), Time::ZERO, &mut tally);
                assert!(queue.dequeue(Time::from_micros(waits), &mut tally).is_some());
            }
            assert!(tally.drops.is_empty());
            tally.marks
        };
        let late = [(2, MarkReason::CeThreshold, Time::from_micros(1001))];
        for ecn in [Ecn::Ect0, Ecn::Ect1] {
            assert_eq!((marks(ecn, false), marks(ecn, true)), (late.to_vec(), late.to_vec()));
        }
        assert!(marks(Ecn::NotEct, true).is_empty() && marks(Ecn::Ce, true).is_empty());
    }

    #[test]
    fn a_packet_that_codel_marks_is_not_marked_a_second_time() {
        let parameters =
            json!({ "kind": "codel", "ecn": true, "ce_threshold": "20 ms", "limit": "unlimited" });
        let (tally, sent, _) = overload(parameters, Ecn::Ect0);
        let of = |reason| tally.marks.iter().filter(|mark| mark.1 == reason).count();
        assert!(of(MarkReason::CoDel) > 0 && of(MarkReason::CeThreshold) > 0);
        assert_eq!(sent.iter().filter(|packet| packet.ecn() == Ecn::Ce).count(), tally.marks.len());
    }

    #[test]
    fn a_coarse_clock_truncates_the_sojourn_time_of_the_threshold_too() {
        let parameters = json!({ "kind": "codel", "ce_threshold": "1 ms", "clock": "1 ms" });
        let (mut queue, mut tally) = (built(parameters), Tally::default());
        for (id, leaves) in [(0, 1999), (1, 2000)] {
            queue.enqueue(packet_with(id, 1500, Ecn::Ect0), Time::from_micros(900), &mut tally);
            queue.dequeue(Time::from_micros(leaves), &mut tally);
        }
        assert_eq!(tally.marks.iter().map(|mark| mark.0).collect::<Vec<_>>(), [1]);
    }

    /// Every tenth packet is of flow 2, the others of flow 1, twice as many as leave. Dropped packets by flow.
    fn two_flows(spare_below: f64) -> [usize; 2] {
        let parameters = json!({ "kind": "codel", "spare_below": spare_below, "limit": "unlimited" });
        let (mut queue, mut tally, mut sent) = (built(parameters), Tally::default(), 0);
        for id in 0..2000u32 {
            let now = Time::from_millis(u64::from(id));
            queue.enqueue(packet_of(if id % 10 == 0 { 2 } else { 1 }, id, 1500), now, &mut tally);
            if id % 2 == 1 {
                sent += usize::from(queue.dequeue(now, &mut tally).is_some());
            }
        }
        assert_eq!(sent + tally.drops.len() + queue.backlog().packets as usize, 2000);
        let of_second = tally.drops.iter().filter(|(id, ..)| id % 10 == 0).count();
        [tally.drops.len() - of_second, of_second]
    }

    #[test]
    fn flows_that_hold_little_are_spared_and_the_signals_go_to_others() {
        let [first, second] = two_flows(0.0);
        assert!(second > 0);
        let [instead, spared] = two_flows(0.5);
        // A tenth of the packets is a fifth of the mean of two flows.
        assert_eq!(spared, 0);
        let (all, now) = (first + second, instead);
        assert!(now.abs_diff(all) <= all / 20, "{now} of {all} signals");
        // Below a fifth the flow is not spared.
        assert!(two_flows(0.1)[1] > 0);
    }

    #[test]
    fn a_flow_alone_is_never_spared() {
        let of = |spare_below: f64| {
            let parameters = json!({ "kind": "codel", "spare_below": spare_below, "limit": "unlimited" });
            overload(parameters, Ecn::NotEct).0.drops
        };
        assert_eq!(of(1.0), of(0.0));
    }

    #[test]
    fn signals_are_marks_with_ecn_as_ever() {
        let parameters = json!({ "kind": "codel", "spare_below": 0.5, "ecn": true, "limit": "unlimited" });
        let (tally, sent, _) = overload(parameters, Ecn::Ect0);
        assert!(tally.drops.is_empty() && tally.marks.len() > 20);
        assert_eq!(sent.iter().filter(|p| p.ecn() == Ecn::Ce).count(), tally.marks.len());
        let (key, message) = build_error(json!({ "kind": "codel", "spare_below": 1.5 }));
        assert_eq!(key, "spare_below");
        assert!(message.contains("must be in [0, 1], got 1.5"), "{message}");
    }

    #[test]
    fn the_buffers_limit_drops_at_the_tail() {
        let parameters = json!({ "kind": "codel", "limit": "10 packets" });
        let (tally, ..) = overload(parameters, Ecn::NotEct);
        assert!(tally.drops.iter().any(|drop| drop.1 == DropReason::BufferFull));
    }

    #[test]
    fn defaults_are_those_of_the_rfc() {
        // RFC 8289 §5.3
        let defaults = CodelParameters::default();
        assert_eq!(
            (defaults.target, defaults.interval),
            (Duration::from_millis(5), Duration::from_millis(100))
        );
    }

    #[test]
    fn a_coarse_clock_and_the_table_drop_like_their_exact_forms() {
        let like_p4 = json!({ "kind": "codel", "clock": "1 us", "control_law": "table" });
        let (exact, ..) = overload(json!("codel"), Ecn::NotEct);
        let (coarse, ..) = overload(like_p4, Ecn::NotEct);
        // Up to the 63rd drop the table is exact to 1.6 µs, and packets leave every 2 ms.
        assert_eq!(coarse.drops[..40], exact.drops[..40]);
        assert!(coarse.drops.len().abs_diff(exact.drops.len()) <= exact.drops.len() / 100);
    }

    #[test]
    fn a_zero_target_interval_or_clock_is_refused() {
        assert_eq!(build_error(json!({ "kind": "codel", "clock": "0 ns" })).0, "clock");
        assert_eq!(build_error(json!({ "kind": "codel", "target": "0 ms" })).0, "target");
        assert_eq!(build_error(json!({ "kind": "codel", "interval": "0 s" })).0, "interval");
        let (key, message) = build_error(json!({ "kind": "codel", "ce_threshold": "0 us" }));
        assert_eq!(key, "ce_threshold");
        assert!(message.contains("must be > 0"), "{message}");
    }
}

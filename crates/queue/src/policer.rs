//! `policer`: drops or remarks packets that exceed a rate. It has no queue of its own.
//!
//! A token bucket as in `tbf`, but a packet that the tokens do not cover does not wait: it is dropped, or it gets another DSCP,
//! and takes no tokens. The packets that remain go to the inner discipline.
//!
//! Reference: tc-police(8) (`rate`, `burst`); RFC 4115 §1 names the same test with one bucket "policer". Units: rate in bit/s, sizes
//! in bytes with `overhead`.

use jettison_core::{Bytes, DropReason, Gauge, Gauges, Rate, Time};
use jettison_measure::Outcomes;
use jettison_registry::style::{Line::Dashed, PURPLE};
use jettison_registry::{Entry, ParameterError};
use jettison_wire::{Body, Packet};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::entry::{BuildContext, Discipline, any_discipline};
use crate::tbf::{require_burst, require_rate};
use crate::{
    Backlog, Classifier, Dscp, Framing, InLinux, Limit, Match, QueueChange, QueueDiscipline, QueueSetting,
    TokenBucket,
};

/// Gauges of the internal state, besides those of the inner discipline.
const GAUGES: &[Gauge] = &[TOKENS, EXCEEDING];

const TOKENS: Gauge = Gauge::new("policer_tokens", "bytes", "Bytes that the bucket covers.");
const EXCEEDING: Gauge =
    Gauge::new("policer_exceeding", "packets", "Packets so far that exceeded the rate: dropped or remarked.");

/// Registry entry of the discipline.
pub fn entry() -> Entry<Discipline> {
    Entry::<Discipline>::new("policer", "policer", build)
        .style(PURPLE, Dashed)
        .summary("Drops or remarks what exceeds a rate, in front of another discipline")
        .source("tc-police(8)")
        .page("disciplines/policer.md")
        .gauges(GAUGES)
        .facts(InLinux::lacks(
            "policing is an action of a filter there",
            "`tc filter add … matchall action police rate RATE burst BYTES conform-exceed drop`",
        ))
}

/// Parameters of a policer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PolicerParameters {
    /// Rate that packets may have. Unset, without `burst`: 1 Mbit/s.
    pub rate: Option<Rate>,
    /// Bytes that may exceed the rate at once. Required with `rate`. Unset, without `rate`: 100 kB.
    pub burst: Option<Bytes>,
    /// DSCP that packets get that exceed the rate. Unset: they are dropped.
    pub remark: Option<Dscp>,
    /// Packets that are policed: those that one of these matches. Without any, all.
    #[serde(rename = "match")]
    pub matches: Vec<Match>,
    /// The inner discipline: an id, or a table with its `kind`.
    #[schemars(schema_with = "any_discipline")]
    pub queue: Value,
    /// Bytes that a packet costs beyond its IP length.
    pub overhead: Framing,
    /// Limit in addition to that of the inner discipline.
    pub limit: Limit,
}

impl Default for PolicerParameters {
    fn default() -> PolicerParameters {
        PolicerParameters {
            rate: None,
            burst: None,
            remark: None,
            matches: Vec::new(),
            queue: Value::from("tail-drop"),
            overhead: Framing::RAW,
            limit: Limit::UNLIMITED,
        }
    }
}

/// The example of tc-police(8).
const EXAMPLE: (Rate, Bytes) = (Rate::from_mbit(1), Bytes::new(100_000));

fn build(
    parameters: PolicerParameters,
    context: &BuildContext<'_>,
) -> Result<Box<dyn QueueDiscipline>, ParameterError> {
    let (rate, burst) = match (parameters.rate, parameters.burst) {
        (Some(rate), Some(burst)) => (rate, burst),
        (None, None) => EXAMPLE,
        (Some(_), None) => {
            let message = "must be set, such as `burst = \"100 kB\"`: the bytes that may pass at once";
            return Err(ParameterError::at("burst", message));
        }
        (None, Some(_)) => {
            return Err(ParameterError::at("rate", "a policer needs a rate, such as `rate = \"1 Mbit/s\"`"));
        }
    };
    require_rate("rate", rate)?;
    require_burst("burst", burst)?;
    let mut policed = Classifier::default();
    for (number, found) in parameters.matches.iter().enumerate() {
        policed.push(found, 0).map_err(|error| error.under(&number.to_string()).under("match"))?;
    }
    let inner = context.registry.build(&parameters.queue, context).map_err(|error| error.under("queue"))?;
    Ok(Box::new(Policer {
        policed: (!policed.is_empty()).then_some(policed),
        remark: parameters.remark,
        overhead: parameters.overhead,
        limit: parameters.limit,
        inner,
        bucket: TokenBucket::new(rate, burst),
        exceeding: 0,
        seen: Time::ZERO,
    }))
}

/// A discipline behind a policer.
#[derive(Clone)]
pub struct Policer {
    // Parameters.
    policed: Option<Classifier>,
    remark: Option<Dscp>,
    overhead: Framing,
    limit: Limit,
    inner: Box<dyn QueueDiscipline>,
    // State.
    bucket: TokenBucket,
    exceeding: u64,
    /// The latest time that was reported.
    seen: Time,
}

impl Policer {
    /// Whether the packet exceeds the rate. One that does not takes its tokens.
    #[inline]
    fn exceeds(&mut self, packet: &Packet, now: Time) -> bool {
        if self.policed.as_ref().is_some_and(|policed| policed.find(packet).is_none()) {
            return false;
        }
        let cost = u64::from(self.overhead.size(packet.meta.length));
        self.bucket.refill(now);
        if self.bucket.covers(cost) {
            self.bucket.take(cost);
            return false;
        }
        self.exceeding += 1;
        true
    }
}

/// Changes a packet's DSCP; its ECN field stays.
fn remark(packet: &mut Packet, dscp: Dscp) {
    packet.meta.traffic_class = dscp.get() << 2 | packet.meta.traffic_class & 3;
    if let Body::Buffer(buffer) = &mut packet.body {
        buffer.set_traffic_class(packet.meta.traffic_class);
    }
}

impl QueueDiscipline for Policer {
    fn enqueue(&mut self, mut packet: Packet, now: Time, out: &mut dyn Outcomes) {
        self.seen = now;
        // A packet for which there is no room takes no tokens.
        if self.limit != Limit::UNLIMITED && !self.limit.admits(self.inner.backlog(), packet.meta.length) {
            return out.dropped(packet, DropReason::BufferFull, now);
        }
        if self.exceeds(&packet, now) {
            match self.remark {
                None => return out.dropped(packet, DropReason::Policed, now),
                Some(dscp) => remark(&mut packet, dscp),
            }
        }
        self.inner.enqueue(packet, now, out);
    }

    fn dequeue(&mut self, now: Time, out: &mut dyn Outcomes) -> Option<Packet> {
        self.inner.dequeue(now, out)
    }

    fn handle_wakeup(&mut self, now: Time, out: &mut dyn Outcomes) {
        self.inner.handle_wakeup(now, out);
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.inner.next_wakeup()
    }

    fn uses_wakeups(&self) -> bool {
        self.inner.uses_wakeups()
    }

    fn capacity_changed(&mut self, rate: Rate, now: Time) {
        self.inner.capacity_changed(rate, now);
    }

    fn wants_idle_polls(&self) -> bool {
        self.inner.wants_idle_polls()
    }

    fn gauges(&self, now: Time, out: &mut dyn Gauges) {
        out.set(&TOKENS, self.bucket.bytes(now));
        out.set(&EXCEEDING, self.exceeding as f64);
        self.inner.gauges(now, out);
    }

    fn classes(&self) -> Option<u16> {
        self.inner.classes()
    }

    /// [`QueueSetting::Bandwidth`] for all classes is the policer's own; all else goes to the inner discipline.
    fn reconfigure(&mut self, change: &QueueChange) -> bool {
        match *change {
            QueueChange { class: None, setting: QueueSetting::Bandwidth(rate) } => {
                if !rate.is_zero() {
                    self.bucket.refill(self.seen);
                    self.bucket.set(rate, self.bucket.depth());
                }
                !rate.is_zero()
            }
            _ => self.inner.reconfigure(change),
        }
    }

    fn settings(&self) -> Vec<QueueSetting> {
        self.inner.settings()
    }

    fn backlog(&self) -> Backlog {
        self.inner.backlog()
    }

    fn class_backlog(&self, class: u8) -> Backlog {
        self.inner.class_backlog(class)
    }
}

#[cfg(test)]
mod tests {
    use jettison_measure::{NoOutcomes, Tally};
    use serde_json::json;

    use super::*;
    use crate::testing::{build_error, built, packet, packet_with};
    use jettison_wire::Ecn;

    fn at(micros: u64) -> Time {
        Time::from_micros(micros)
    }

    /// 8 Mbit/s, a byte per microsecond, with a burst of 3,000 bytes.
    fn policer(more: Value) -> Box<dyn QueueDiscipline> {
        let mut value =
            json!({ "kind": "policer", "rate": "8 Mbit/s", "burst": "3 kB", "overhead": "0 bytes" });
        more.as_object().expect("a table").iter().for_each(|(key, given)| value[key] = given.clone());
        built(value)
    }

    #[test]
    fn what_exceeds_the_burst_is_dropped_and_takes_no_tokens() {
        let (mut queue, mut tally) = (policer(json!({})), Tally::default());
        for (id, length) in [(1, 1500), (2, 1400), (3, 1500), (4, 100), (5, 1)] {
            queue.enqueue(packet(id, length), at(0), &mut tally);
        }
        assert_eq!(tally.drops, [3, 5].map(|id| (id, DropReason::Policed, at(0))));
        assert_eq!(queue.backlog(), Backlog { packets: 3, bytes: 3000 });
        // 1,400 bytes have arrived.
        queue.enqueue(packet(6, 1401), at(1400), &mut tally);
        queue.enqueue(packet(7, 1400), at(1400), &mut tally);
        assert_eq!(tally.drops.last(), Some(&(6, DropReason::Policed, at(1400))));
    }

    #[test]
    fn the_rate_holds_over_time() {
        let mut queue = policer(json!({ "queue": { "kind": "tail-drop", "limit": "unlimited" } }));
        let mut tally = Tally::default();
        // 12 Mbit/s for a second.
        (0..1500).for_each(|id| queue.enqueue(packet(id, 1000), at(u64::from(id) * 667), &mut tally));
        let passed = 1500 - tally.drops.len();
        assert!((1000..=1003).contains(&passed), "{passed}");
    }

    #[test]
    fn with_a_dscp_packets_are_remarked_instead() {
        let (mut queue, mut tally) =
            (policer(json!({ "remark": "CS1", "burst": "100 bytes" })), Tally::default());
        for id in [1, 2] {
            let mut packet = packet_with(id, 100, Ecn::Ect0);
            packet.meta.traffic_class |= 46 << 2;
            queue.enqueue(packet, at(0), &mut tally);
        }
        let left: Vec<_> = std::iter::from_fn(|| queue.dequeue(at(0), &mut tally))
            .map(|packet| (packet.dscp(), packet.ecn()))
            .collect();
        assert_eq!(left, [(46, Ecn::Ect0), (8, Ecn::Ect0)]);
        assert!(tally.drops.is_empty() && tally.marks.is_empty());
        let mut taken = Vec::new();
        queue.gauges(at(0), &mut taken);
        assert_eq!(taken.iter().map(|taken: &(Gauge, String, f64)| taken.2).collect::<Vec<_>>(), [0.0, 1.0]);
    }

    #[test]
    fn only_what_matches_is_policed() {
        let (mut queue, mut tally) = (policer(json!({ "match": [{ "dscp": ["EF"] }] })), Tally::default());
        for id in 0..10 {
            let mut packet = packet(id, 1000);
            packet.meta.traffic_class = if id % 2 == 0 { 46 << 2 } else { 0 };
            queue.enqueue(packet, at(0), &mut tally);
        }
        assert_eq!(tally.drops.iter().map(|drop| drop.0).collect::<Vec<_>>(), [6, 8]);
    }

    #[test]
    fn a_control_plane_sets_the_rate() {
        let mut queue = policer(json!({}));
        queue.enqueue(packet(1, 3000), at(0), &mut NoOutcomes);
        let change = QueueChange { class: None, setting: QueueSetting::Bandwidth(Rate::from_mbit(80)) };
        assert!(queue.reconfigure(&change));
        let mut tally = Tally::default();
        queue.enqueue(packet(2, 1000), at(100), &mut tally);
        assert!(tally.drops.is_empty());
        assert!(
            !queue.reconfigure(&QueueChange { class: None, setting: QueueSetting::Bandwidth(Rate::ZERO) })
        );
        assert!(
            queue.reconfigure(&QueueChange { class: None, setting: QueueSetting::Depth(2) }),
            "tail drop's"
        );
    }

    #[test]
    fn a_policer_needs_a_rate_and_a_burst() {
        let error = |value: Value| build_error(value);
        let (path, message) = error(json!({ "kind": "policer", "rate": "1 Mbit/s" }));
        assert_eq!(path, "burst");
        assert!(message.starts_with("must be set, such as `burst = \"100 kB\"`"), "{message}");
        assert_eq!(error(json!({ "kind": "policer", "burst": "1 kB" })).0, "rate");
        assert_eq!(error(json!({ "kind": "policer", "rate": "0 bit/s", "burst": "1 kB" })).0, "rate");
        assert_eq!(error(json!({ "kind": "policer", "rate": "1 Mbit/s", "burst": "0 bytes" })).0, "burst");
        assert_eq!(error(json!({ "kind": "policer", "match": [{ "dscp": ["EF"] }, {}] })).0, "match.1");
        assert_eq!(error(json!({ "kind": "policer", "queue": "coddel" })).0, "queue");
    }
}

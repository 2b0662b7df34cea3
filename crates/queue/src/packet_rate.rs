//! `packet-rate`: serves another discipline's packets at so many a second.
//!
//! What limits a software switch is packets, not bits: BMv2's traffic manager lets a queue's packets go at a configured
//! rate, whatever their length. Each packet is due one period after the one before it, or when it came if that is
//! later; so a link that comes for a packet late does not slow the queue down, and an idle queue saves nothing up. A
//! packet that the inner discipline drops takes no turn.
//!
//! Around a `priority` scheduler the rate is the port's; around each of its bands every band has the full rate.

use jettison_core::{DropReason, Duration, Gauges, Rate, Time};
use jettison_measure::Outcomes;
use jettison_registry::style::{GREY, Line::Dotted};
use jettison_registry::{Entry, ParameterError};
use jettison_wire::Packet;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::entry::{BuildContext, Discipline};
use crate::{Backlog, Limit, PacketsPerSecond, QueueChange, QueueDiscipline};

/// Registry entry of the discipline.
pub fn entry() -> Entry<Discipline> {
    Entry::<Discipline>::new("packet-rate", "packet rate", build)
        .style(GREY, Dotted)
        .summary("Serves another discipline's packets at so many packets a second")
        .source("as BMv2's set_queue_rate")
        .page("disciplines/packet-rate.md")
}

/// Parameters of a packet rate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PacketRateParameters {
    /// Packets a second that may leave.
    pub rate: PacketsPerSecond,
    /// The discipline that holds them: an id, or a table with its `kind`.
    #[schemars(schema_with = "any_discipline")]
    pub queue: Value,
    /// Limit on top of the inner discipline's own.
    pub limit: Limit,
}

impl Default for PacketRateParameters {
    fn default() -> PacketRateParameters {
        PacketRateParameters {
            rate: PacketsPerSecond::new(1000).expect("1000 is in range"),
            queue: Value::from("tail-drop"),
            limit: Limit::UNLIMITED,
        }
    }
}

fn any_discipline(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "title": "discipline", "type": ["string", "object"], "examples": ["tail-drop"] })
}

fn build(
    parameters: PacketRateParameters,
    context: &BuildContext<'_>,
) -> Result<Box<dyn QueueDiscipline>, ParameterError> {
    let inner = context.registry.build(&parameters.queue, context).map_err(|error| error.under("queue"))?;
    Ok(Box::new(PacketRate { limit: parameters.limit, ..PacketRate::new(inner, parameters.rate) }))
}

/// A discipline whose packets leave at a rate.
pub struct PacketRate {
    // Parameters.
    inner: Box<dyn QueueDiscipline>,
    limit: Limit,
    /// Time between two packets: whole nanoseconds, and so many parts of `rate` of one.
    period: Duration,
    remainder: u64,
    rate: u64,
    // State.
    /// When the next packet is due at the earliest, with the parts of a nanosecond that carry over.
    due: Time,
    carried: u64,
    /// A packet was asked for in vain: when there will be one.
    refused: Option<Time>,
}

impl PacketRate {
    /// `inner`, served at `rate`.
    pub fn new(inner: Box<dyn QueueDiscipline>, rate: PacketsPerSecond) -> PacketRate {
        let rate = rate.get();
        PacketRate {
            inner,
            limit: Limit::UNLIMITED,
            period: Duration::from_nanos(1_000_000_000 / rate),
            remainder: 1_000_000_000 % rate,
            rate,
            due: Time::ZERO,
            carried: 0,
            refused: None,
        }
    }

    /// A packet that came at `enqueued_at` has left: when is the next one due?
    fn advance(&mut self, enqueued_at: Time) {
        if enqueued_at > self.due {
            (self.due, self.carried) = (enqueued_at, 0);
        }
        self.carried += self.remainder;
        let carry = u64::from(self.carried >= self.rate);
        self.carried -= carry * self.rate;
        self.due = self.due.saturating_add(self.period + Duration::from_nanos(carry));
    }
}

impl QueueDiscipline for PacketRate {
    fn enqueue(&mut self, packet: Packet, now: Time, out: &mut dyn Outcomes) {
        if self.limit != Limit::UNLIMITED && !self.limit.admits(self.backlog(), packet.meta.length) {
            return out.dropped(packet, DropReason::BufferFull, now);
        }
        self.inner.enqueue(packet, now, out);
    }

    fn dequeue(&mut self, now: Time, out: &mut dyn Outcomes) -> Option<Packet> {
        if now < self.due {
            self.refused = (self.inner.backlog().packets > 0).then_some(self.due);
            return None;
        }
        self.refused = None;
        let packet = self.inner.dequeue(now, out)?;
        self.advance(packet.meta.enqueued_at);
        Some(packet)
    }

    fn handle_wakeup(&mut self, now: Time, out: &mut dyn Outcomes) {
        if self.refused.is_some_and(|at| at <= now) {
            self.refused = None;
        }
        if self.inner.next_wakeup().is_some_and(|at| at <= now) {
            self.inner.handle_wakeup(now, out);
        }
    }

    fn next_wakeup(&self) -> Option<Time> {
        match (self.refused, self.inner.next_wakeup()) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// Those of the discipline within: the rate itself has no state worth a series.
    fn gauges(&self, now: Time, out: &mut dyn Gauges) {
        self.inner.gauges(now, out);
    }

    fn wants_idle_polls(&self) -> bool {
        self.inner.wants_idle_polls()
    }

    fn capacity_changed(&mut self, rate: Rate, now: Time) {
        self.inner.capacity_changed(rate, now);
    }

    fn classes(&self) -> Option<u16> {
        self.inner.classes()
    }

    fn reconfigure(&mut self, change: &QueueChange) -> bool {
        self.inner.reconfigure(change)
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
    use super::*;
    use crate::testing::{build_error, built, drain, packet};
    use jettison_measure::{NoOutcomes, Tally};
    use serde_json::json;

    fn at(micros: u64) -> Time {
        Time::from_micros(micros)
    }

    #[test]
    fn packets_leave_a_period_apart_whatever_their_length() {
        let mut queue = built(json!({ "kind": "packet-rate", "rate": "500 packets/s" }));
        for (id, length) in [(1, 40), (2, 1500), (3, 9000)] {
            queue.enqueue(packet(id, length), at(100), &mut NoOutcomes);
        }
        assert_eq!(drain(&mut *queue, at(100)), [(at(100), 1), (at(2_100), 2), (at(4_100), 3)]);
    }

    #[test]
    fn an_idle_queue_saves_nothing_up() {
        let mut queue = built(json!({ "kind": "packet-rate", "rate": "500 packets/s" }));
        queue.enqueue(packet(1, 100), at(0), &mut NoOutcomes);
        assert_eq!(drain(&mut *queue, at(0)), [(at(0), 1)]);
        for id in 2..=4 {
            queue.enqueue(packet(id, 100), at(50_000), &mut NoOutcomes);
        }
        assert_eq!(drain(&mut *queue, at(50_000)), [(at(50_000), 2), (at(52_000), 3), (at(54_000), 4)]);
    }

    #[test]
    fn a_link_that_comes_late_does_not_slow_it_down() {
        let mut queue = built(json!({ "kind": "packet-rate", "rate": "500 packets/s" }));
        for id in 1..=3 {
            queue.enqueue(packet(id, 100), at(0), &mut NoOutcomes);
        }
        assert!(queue.dequeue(at(0), &mut NoOutcomes).is_some());
        // Due at 2 ms and 4 ms, fetched at 5 ms: both.
        assert!(queue.dequeue(at(5_000), &mut NoOutcomes).is_some());
        assert!(queue.dequeue(at(5_000), &mut NoOutcomes).is_some());
        queue.enqueue(packet(4, 100), at(5_000), &mut NoOutcomes);
        // And the fourth keeps the rhythm: it was due at 6 ms.
        assert!(queue.dequeue(at(5_000), &mut NoOutcomes).is_none());
        assert_eq!(queue.next_wakeup(), Some(at(6_000)));
    }

    #[test]
    fn a_rate_that_does_not_divide_a_second_is_exact_in_the_long_run() {
        let mut queue = built(
            json!({ "kind": "packet-rate", "rate": "7 packets/s", "queue": { "kind": "tail-drop", "limit": "unlimited" } }),
        );
        for id in 0..=700 {
            queue.enqueue(packet(id, 100), at(0), &mut NoOutcomes);
        }
        assert_eq!(drain(&mut *queue, at(0)).last(), Some(&(Time::from_secs(100), 700)));
    }

    #[test]
    fn nothing_wakes_it_while_nobody_asks_or_nothing_waits() {
        let mut queue = built(json!({ "kind": "packet-rate", "rate": "500 packets/s" }));
        queue.enqueue(packet(1, 100), at(0), &mut NoOutcomes);
        assert!(queue.dequeue(at(0), &mut NoOutcomes).is_some());
        assert_eq!((queue.dequeue(at(1), &mut NoOutcomes), queue.next_wakeup()), (None, None));
        queue.enqueue(packet(2, 100), at(2), &mut NoOutcomes);
        assert_eq!(queue.next_wakeup(), None);
        assert_eq!((queue.dequeue(at(2), &mut NoOutcomes), queue.next_wakeup()), (None, Some(at(2_000))));
        // Once woken it does not ask again, although the link may be busy.
        queue.handle_wakeup(at(2_000), &mut NoOutcomes);
        assert_eq!(queue.next_wakeup(), None);
        assert!(queue.dequeue(at(2_500), &mut NoOutcomes).is_some());
    }

    #[test]
    fn a_packet_that_the_inner_discipline_drops_takes_no_turn() {
        let queue = json!({ "kind": "codel", "maxpacket": "0 bytes" });
        let mut queue = built(json!({ "kind": "packet-rate", "rate": "10 packets/s", "queue": queue }));
        let mut tally = Tally::default();
        for id in 0..20 {
            queue.enqueue(packet(id, 100), at(0), &mut tally);
        }
        let sent = drain(&mut *queue, at(0));
        assert!(sent.windows(2).all(|pair| pair[1].0.since(pair[0].0) == Duration::from_millis(100)));
        assert!(sent.len() < 20, "CoDel dropped none");
    }

    #[test]
    fn around_bands_each_has_the_full_rate_and_around_the_scheduler_all_share_it() {
        let band = json!({ "kind": "packet-rate", "rate": "500 packets/s" });
        let each = json!({ "kind": "priority", "bands": [band, band] });
        let all = json!({ "kind": "packet-rate", "rate": "500 packets/s", "queue": { "kind": "priority", "bands": 2 } });
        let times = |value: Value| {
            let mut queue = built(value);
            for id in 0..4 {
                let mut packet = packet(id, 100);
                packet.meta.class = (id % 2) as u8;
                queue.enqueue(packet, at(0), &mut NoOutcomes);
            }
            assert_eq!((queue.class_backlog(0).packets, queue.class_backlog(1).packets), (2, 2));
            drain(&mut *queue, at(0))
        };
        assert_eq!(times(each), [(at(0), 0), (at(0), 1), (at(2_000), 2), (at(2_000), 3)]);
        assert_eq!(times(all), [(at(0), 0), (at(2_000), 2), (at(4_000), 1), (at(6_000), 3)]);
    }

    #[test]
    fn errors_name_the_key() {
        let error = |value| build_error(value).0;
        assert_eq!(error(json!({ "kind": "packet-rate", "rate": "0 packets/s" })), "rate");
        assert_eq!(
            error(json!({ "kind": "packet-rate", "queue": { "kind": "codel", "target": "0 ms" } })),
            "queue.target"
        );
        assert_eq!(error(json!({ "kind": "packet-rate", "queue": "coddel" })), "queue");
    }
}

//! `packet-rate`: serves the packets of another discipline at a fixed rate in packets/s.
//!
//! Software switches are limited by packets, not bits: BMv2's traffic manager serves a queue at a configured packet rate,
//! independent of packet length. A packet is due one period after the previous one or at its arrival, whichever is later.
//! So a late poll by the link does not lower the rate, and an idle queue accumulates no credit. A packet that the inner
//! discipline drops uses no service time.
//!
//! Around a `priority` scheduler, the rate is that of the port; around each of its bands, each band has the full rate.
//!
//! Reference: BMv2's `set_queue_rate`. Units: packets/s; periods are exact in the long run (the remainder of a nanosecond
//! carries over).

use jettison_core::{DropReason, Duration, Gauges, Rate, Time};
use jettison_measure::Outcomes;
use jettison_registry::style::{Line::Dotted, SAND};
use jettison_registry::{Entry, ParameterError};
use jettison_wire::Packet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::entry::{BuildContext, Discipline, any_discipline};
use crate::{Backlog, InLinux, Limit, PacketsPerSecond, QueueChange, QueueDiscipline, QueueSetting};

/// Registry entry of the discipline.
pub fn entry() -> Entry<Discipline> {
    Entry::<Discipline>::new("packet-rate", "packet rate", build)
        .style(SAND, Dotted)
        .summary("Serves the packets of another discipline at a fixed rate in packets/s")
        .source("BMv2 set_queue_rate")
        .page("disciplines/packet-rate.md")
        .facts(InLinux::lacks("Linux's shapers count bytes", "`tbf` with a rate in bit/s; `police pkts_rate` counts packets, but drops them instead of queueing"))
}

/// Parameters of a packet rate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PacketRateParameters {
    /// Service rate in packets/s.
    pub rate: PacketsPerSecond,
    /// The inner discipline: an id, or a table with its `kind`.
    #[schemars(schema_with = "any_discipline")]
    pub queue: Value,
    /// Limit in addition to that of the inner discipline.
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

fn build(
    parameters: PacketRateParameters,
    context: &BuildContext<'_>,
) -> Result<Box<dyn QueueDiscipline>, ParameterError> {
    let inner = context.registry.build(&parameters.queue, context).map_err(|error| error.under("queue"))?;
    Ok(Box::new(PacketRate { limit: parameters.limit, ..PacketRate::new(inner, parameters.rate) }))
}

/// A discipline served at a packet rate.
#[derive(Clone)]
pub struct PacketRate {
    // Parameters.
    inner: Box<dyn QueueDiscipline>,
    limit: Limit,
    /// Time between two packets: `period` plus `remainder` / `rate` nanoseconds.
    period: Duration,
    remainder: u64,
    rate: u64,
    // State.
    /// Earliest time of the next departure; `carried` / `rate` nanoseconds carry over.
    due: Time,
    carried: u64,
    /// Time at which the next packet is due, set when a dequeue came too early.
    refused: Option<Time>,
}

impl PacketRate {
    /// Serves `inner` at `rate`.
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

    /// Sets the time of the next departure after that of a packet enqueued at `enqueued_at`.
    fn advance(&mut self, enqueued_at: Time) {
        // The packet arrived after it could have been due: the queue was idle, so the schedule starts anew.
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
            // Too early. A wakeup is only useful if a packet is waiting for it.
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

    /// Reports the gauges of the inner discipline; the rate has no state of interest.
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
    use super::*;
    use crate::testing::{build_error, built, drain, packet};
    use jettison_measure::{NoOutcomes, Tally};
    use serde_json::json;

    fn at(micros: u64) -> Time {
        Time::from_micros(micros)
    }

    #[test]
    fn packets_leave_one_period_apart_at_any_length() {
        let mut queue = built(json!({ "kind": "packet-rate", "rate": "500 packets/s" }));
        for (id, length) in [(1, 40), (2, 1500), (3, 9000)] {
            queue.enqueue(packet(id, length), at(100), &mut NoOutcomes);
        }
        assert_eq!(drain(&mut *queue, at(100)), [(at(100), 1), (at(2_100), 2), (at(4_100), 3)]);
    }

    #[test]
    fn an_idle_queue_accumulates_no_credit() {
        let mut queue = built(json!({ "kind": "packet-rate", "rate": "500 packets/s" }));
        queue.enqueue(packet(1, 100), at(0), &mut NoOutcomes);
        assert_eq!(drain(&mut *queue, at(0)), [(at(0), 1)]);
        for id in 2..=4 {
            queue.enqueue(packet(id, 100), at(50_000), &mut NoOutcomes);
        }
        assert_eq!(drain(&mut *queue, at(50_000)), [(at(50_000), 2), (at(52_000), 3), (at(54_000), 4)]);
    }

    #[test]
    fn a_late_poll_does_not_lower_the_rate() {
        let mut queue = built(json!({ "kind": "packet-rate", "rate": "500 packets/s" }));
        for id in 1..=3 {
            queue.enqueue(packet(id, 100), at(0), &mut NoOutcomes);
        }
        assert!(queue.dequeue(at(0), &mut NoOutcomes).is_some());
        // Due at 2 ms and 4 ms: at 5 ms both can leave.
        assert!(queue.dequeue(at(5_000), &mut NoOutcomes).is_some());
        assert!(queue.dequeue(at(5_000), &mut NoOutcomes).is_some());
        queue.enqueue(packet(4, 100), at(5_000), &mut NoOutcomes);
        // The fourth keeps the schedule: it is due at 6 ms.
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
    fn wakeups_only_follow_a_poll_that_came_too_early() {
        let mut queue = built(json!({ "kind": "packet-rate", "rate": "500 packets/s" }));
        queue.enqueue(packet(1, 100), at(0), &mut NoOutcomes);
        assert!(queue.dequeue(at(0), &mut NoOutcomes).is_some());
        assert_eq!((queue.dequeue(at(1), &mut NoOutcomes), queue.next_wakeup()), (None, None));
        queue.enqueue(packet(2, 100), at(2), &mut NoOutcomes);
        assert_eq!(queue.next_wakeup(), None);
        assert_eq!((queue.dequeue(at(2), &mut NoOutcomes), queue.next_wakeup()), (None, Some(at(2_000))));
        // The wakeup is not repeated, even if the link is busy then.
        queue.handle_wakeup(at(2_000), &mut NoOutcomes);
        assert_eq!(queue.next_wakeup(), None);
        assert!(queue.dequeue(at(2_500), &mut NoOutcomes).is_some());
    }

    #[test]
    fn a_packet_dropped_by_the_inner_discipline_uses_no_service_time() {
        let queue = json!({ "kind": "codel", "maxpacket": "0 bytes" });
        let mut queue = built(json!({ "kind": "packet-rate", "rate": "10 packets/s", "queue": queue }));
        let mut tally = Tally::default();
        for id in 0..20 {
            queue.enqueue(packet(id, 100), at(0), &mut tally);
        }
        let sent = drain(&mut *queue, at(0));
        assert!(sent.windows(2).all(|pair| pair[1].0.since(pair[0].0) == Duration::from_millis(100)));
        assert!(sent.len() < 20, "CoDel must drop");
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

//! `bmv2`: the output queues of one port of BMv2's `simple_switch`.
//!
//! A port has up to eight queues in strict priority, each with a depth in packets and a service rate in packets/s; the port
//! itself has no rate. The departure time of a packet is fixed on arrival: `max(now, last + 1 / rate)`, `last` being the
//! departure time of the previous packet of the same queue. An idle queue therefore sends at once, and a change of the rate
//! does not affect packets already queued. A full queue drops the arrival; `simple_switch` does so silently, here it is
//! counted.
//!
//! Reference: `simple_switch`, queueing logic with priorities and rate limits (`queueing.h`). As there, the period is
//! truncated to whole nanoseconds. Difference: the link's own rate applies as well if it is lower than the queue's.

use std::collections::VecDeque;

use jettison_core::{DropReason, Duration, Gauge, Gauges, Time};
use jettison_measure::Outcomes;
use jettison_registry::style::{IRIS, Line::Dashed};
use jettison_registry::{Entry, ParameterError};
use jettison_wire::Packet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::entry::{BuildContext, Discipline};
use crate::{Backlog, Fifo, InLinux, Limit, PacketsPerSecond, QueueChange, QueueDiscipline, QueueSetting};

/// Gauges of the internal state. Each queue is a part; `band.0` serves traffic class 0.
const GAUGES: &[Gauge] = &[BACKLOG];

const BACKLOG: Gauge =
    Gauge::new("bmv2_backlog", "packets", "Packets in the queue of each traffic class (the part).");

/// Registry entry of the discipline.
pub fn entry() -> Entry<Discipline> {
    Entry::<Discipline>::new("bmv2", "BMv2", build)
        .style(IRIS, Dashed)
        .summary("BMv2's queues: strict priority, a depth and a packet rate per queue, no port rate")
        .source("BMv2 simple_switch, queueing logic")
        .page("disciplines/bmv2.md")
        .gauges(GAUGES)
        .facts(InLinux::lacks(
            "it models the switch BMv2, which limits packets/s",
            "`prio` with one `pfifo` per band",
        ))
}

/// Parameters of a port's queues.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Bmv2Parameters {
    /// Number of queues, 1 to 8. A P4 program may write 0 to `priorities` − 1 to `standard_metadata.priority`; its highest
    /// number is traffic class 0, which is served first.
    pub priorities: u8,
    /// Limit of each queue in packets, bytes (IP length) or both.
    pub limit: Limit,
    /// Service rate of each queue in packets/s. Unset: limited by the link alone.
    pub rate: Option<PacketsPerSecond>,
}

impl Default for Bmv2Parameters {
    fn default() -> Bmv2Parameters {
        Bmv2Parameters { priorities: 1, limit: Limit::packets(64), rate: None }
    }
}

/// `standard_metadata.priority` has three bits.
const MAX_PRIORITIES: u8 = 8;

fn build(
    parameters: Bmv2Parameters,
    _context: &BuildContext<'_>,
) -> Result<Box<dyn QueueDiscipline>, ParameterError> {
    let in_range = (1..=MAX_PRIORITIES).contains(&parameters.priorities);
    ParameterError::require(in_range, "priorities", "be in [1, 8]", parameters.priorities)?;
    Ok(Box::new(Bmv2::new(&parameters)))
}

/// The queues of one port.
#[derive(Clone)]
pub struct Bmv2 {
    /// Highest priority first.
    queues: Vec<Queue>,
    /// Departure time of the next packet, set when a dequeue found none due.
    refused: Option<Time>,
}

#[derive(Clone)]
struct Queue {
    // Parameters.
    limit: Limit,
    /// Time between two departures; zero for no limit.
    period: Duration,
    // State.
    fifo: Fifo,
    /// Departure time of each packet in `fifo`.
    due: VecDeque<Time>,
    /// Departure time of the newest packet.
    last: Option<Time>,
}

impl Bmv2 {
    /// Creates `priorities` empty queues, at least one.
    pub fn new(parameters: &Bmv2Parameters) -> Bmv2 {
        let queue = || Queue {
            limit: parameters.limit,
            period: period(parameters.rate.map_or(0, PacketsPerSecond::get)),
            fifo: Fifo::default(),
            due: VecDeque::new(),
            last: None,
        };
        Bmv2 { queues: (0..parameters.priorities.max(1)).map(|_| queue()).collect(), refused: None }
    }

    /// Index of the queue of a class. Classes beyond the last queue use the last.
    #[inline]
    fn place(&self, class: u8) -> usize {
        usize::from(class).min(self.queues.len() - 1)
    }
}

/// Time between two departures at `rate` packets/s; zero if `rate` is 0 (no limit).
fn period(rate: u64) -> Duration {
    Duration::from_nanos(1_000_000_000u64.checked_div(rate).unwrap_or(0))
}

impl QueueDiscipline for Bmv2 {
    fn enqueue(&mut self, packet: Packet, now: Time, out: &mut dyn Outcomes) {
        let place = self.place(packet.meta.class);
        let queue = &mut self.queues[place];
        if !queue.limit.admits(queue.fifo.backlog(), packet.meta.length) {
            return out.dropped(packet, DropReason::BufferFull, now);
        }
        // Fixed now, as in `simple_switch`: a later change of the rate does not move it.
        let due = queue.last.map_or(now, |last| now.max(last.saturating_add(queue.period)));
        queue.last = Some(due);
        queue.due.push_back(due);
        queue.fifo.push(packet, now);
    }

    /// Strict priority among the queues whose head is due; a queue whose head is not due does not block lower ones.
    fn dequeue(&mut self, now: Time, _out: &mut dyn Outcomes) -> Option<Packet> {
        self.refused = None;
        for queue in &mut self.queues {
            match queue.due.front() {
                Some(due) if *due <= now => {
                    queue.due.pop_front();
                    return queue.fifo.pop();
                }
                Some(due) => self.refused = Some(self.refused.map_or(*due, |other| other.min(*due))),
                None => {}
            }
        }
        None
    }

    fn handle_wakeup(&mut self, now: Time, _out: &mut dyn Outcomes) {
        if self.refused.is_some_and(|at| at <= now) {
            self.refused = None;
        }
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.refused
    }

    fn gauges(&self, _: Time, out: &mut dyn Gauges) {
        for (class, queue) in self.queues.iter().enumerate() {
            out.set_part(&BACKLOG, &format!("band.{class}"), queue.fifo.backlog().packets as f64);
        }
    }

    fn classes(&self) -> Option<u16> {
        Some(self.queues.len() as u16)
    }

    fn reconfigure(&mut self, change: &QueueChange) -> bool {
        let all = 0..self.queues.len();
        let places = match change.class {
            None => all,
            Some(class) if all.contains(&usize::from(class)) => usize::from(class)..usize::from(class) + 1,
            Some(_) => return false,
        };
        for queue in &mut self.queues[places] {
            match change.setting {
                QueueSetting::Depth(packets) => queue.limit.packets = packets,
                QueueSetting::Rate(rate) => queue.period = period(rate),
                _ => return false,
            }
        }
        true
    }

    fn backlog(&self) -> Backlog {
        self.queues.iter().map(|queue| queue.fifo.backlog()).fold(Backlog::default(), |sum, one| Backlog {
            packets: sum.packets + one.packets,
            bytes: sum.bytes + one.bytes,
        })
    }

    fn class_backlog(&self, class: u8) -> Backlog {
        self.queues[self.place(class)].fifo.backlog()
    }
}

#[cfg(test)]
mod tests {
    use jettison_measure::{NoOutcomes, Tally};
    use serde_json::json;

    use super::*;
    use crate::testing::{build_error, built, drain, packet};

    fn at(micros: u64) -> Time {
        Time::from_micros(micros)
    }

    fn of_class(id: u32, class: u8) -> Packet {
        let mut packet = packet(id, 100);
        packet.meta.class = class;
        packet
    }

    #[test]
    fn a_queue_holds_64_packets_and_drops_the_tail_with_a_reason() {
        let mut queue = built(json!("bmv2"));
        let mut tally = Tally::default();
        for id in 0..66 {
            queue.enqueue(packet(id, 1500), at(0), &mut tally);
        }
        assert_eq!(tally.drops, [64, 65].map(|id| (id, DropReason::BufferFull, at(0))));
        assert_eq!(queue.backlog(), Backlog { packets: 64, bytes: 96_000 });
    }

    #[test]
    fn the_highest_class_goes_first_and_each_has_its_own_depth() {
        let mut queue = built(json!({ "kind": "bmv2", "priorities": 3, "limit": "2 packets" }));
        let mut tally = Tally::default();
        for (id, class) in [(1, 2), (2, 2), (3, 0), (4, 2), (5, 1), (6, 9)] {
            queue.enqueue(of_class(id, class), at(0), &mut tally);
        }
        assert_eq!(
            tally.drops.iter().map(|drop| drop.0).collect::<Vec<_>>(),
            [4, 6],
            "class 9 is beyond the last queue and uses it"
        );
        assert_eq!(queue.classes(), Some(3));
        assert_eq!([0, 1, 2].map(|class| queue.class_backlog(class).packets), [1, 1, 2]);
        assert_eq!(drain(&mut *queue, at(0)), [3, 5, 1, 2].map(|id| (at(0), id)));
    }

    #[test]
    fn a_packets_departure_time_is_fixed_on_arrival() {
        let mut queue = built(json!({ "kind": "bmv2", "rate": "500 packets/s" }));
        for id in 1..=3 {
            queue.enqueue(packet(id, 100), at(100), &mut NoOutcomes);
        }
        // A new rate applies to later arrivals only.
        let setting = QueueSetting::Rate(1000);
        assert!(queue.reconfigure(&QueueChange { class: None, setting }));
        queue.enqueue(packet(4, 100), at(100), &mut NoOutcomes);
        let left = drain(&mut *queue, at(100));
        assert_eq!(left, [(at(100), 1), (at(2_100), 2), (at(4_100), 3), (at(5_100), 4)]);
        // An idle queue accumulates no credit.
        for id in 5..=6 {
            queue.enqueue(packet(id, 100), at(50_000), &mut NoOutcomes);
        }
        assert_eq!(drain(&mut *queue, at(50_000)), [(at(50_000), 5), (at(51_000), 6)]);
    }

    #[test]
    fn each_priority_has_the_full_rate_and_a_waiting_one_blocks_none() {
        let mut queue = built(json!({ "kind": "bmv2", "priorities": 2, "rate": "500 packets/s" }));
        for id in 0..4 {
            queue.enqueue(of_class(id, (id % 2) as u8), at(0), &mut NoOutcomes);
        }
        assert_eq!(drain(&mut *queue, at(0)), [(at(0), 0), (at(0), 1), (at(2_000), 2), (at(2_000), 3)]);
    }

    #[test]
    fn without_a_rate_everything_may_leave_at_once() {
        let mut queue = built(json!({ "kind": "bmv2", "rate": "2 packets/s" }));
        let no_rate = QueueChange { class: Some(0), setting: QueueSetting::Rate(0) };
        assert!(queue.reconfigure(&no_rate));
        for id in 0..3 {
            queue.enqueue(packet(id, 100), at(7), &mut NoOutcomes);
        }
        assert_eq!(drain(&mut *queue, at(7)).len(), 3);
        assert_eq!(queue.next_wakeup(), None);
    }

    #[test]
    fn a_depth_below_the_backlog_drops_no_queued_packet() {
        let mut queue = built(json!({ "kind": "bmv2", "priorities": 2 }));
        (0..4).for_each(|id| queue.enqueue(of_class(id, 1), at(0), &mut NoOutcomes));
        assert!(queue.reconfigure(&QueueChange { class: Some(1), setting: QueueSetting::Depth(2) }));
        let mut tally = Tally::default();
        queue.enqueue(of_class(4, 1), at(0), &mut tally);
        queue.enqueue(of_class(5, 0), at(0), &mut tally);
        assert_eq!((tally.drops.len(), queue.backlog().packets), (1, 5));
        assert!(!queue.reconfigure(&QueueChange { class: Some(2), setting: QueueSetting::Depth(2) }));
    }

    #[test]
    fn errors_name_the_key() {
        for priorities in [0, 9] {
            assert_eq!(build_error(json!({ "kind": "bmv2", "priorities": priorities })).0, "priorities");
        }
        assert_eq!(build_error(json!({ "kind": "bmv2", "rate": "0 packets/s" })).0, "rate");
    }
}

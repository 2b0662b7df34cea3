//! `tail-drop`: first in, first out; an arrival that does not fit in the buffer is dropped.
//!
//! The baseline of comparisons. No standard defines it; RFC 7567 §1 describes it and its faults (full queues, lock-out).

use jettison_core::{DropReason, Time};
use jettison_measure::Outcomes;
use jettison_registry::style::{GREY, Line::Solid};
use jettison_registry::{Entry, ParameterError};
use jettison_wire::Packet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::entry::{BuildContext, Discipline};
use crate::{Backlog, Fifo, InLinux, Limit, Qdisc, QdiscContext, QueueChange, QueueDiscipline, QueueSetting};

/// Registry entry of the discipline.
pub fn entry() -> Entry<Discipline> {
    Entry::<Discipline>::new("tail-drop", "tail drop", build)
        .aliases(&["fifo", "baseline"])
        .style(GREY, Solid)
        .summary("First in, first out; drops arrivals when the buffer is full")
        .source("RFC 7567 §1")
        .page("disciplines/tail-drop.md")
        .facts(InLinux::by(qdisc))
}

/// Parameters of tail drop.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TailDropParameters {
    /// Buffer limit in packets, bytes (IP length), or both, whichever is reached first.
    pub limit: Limit,
}

fn build(
    parameters: TailDropParameters,
    _: &BuildContext<'_>,
) -> Result<Box<dyn QueueDiscipline>, ParameterError> {
    Ok(Box::new(TailDrop::new(parameters)))
}

/// Linux's `bfifo` for a limit in bytes, and `pfifo` for one in packets: tc-bfifo(8).
fn qdisc(parameters: TailDropParameters, context: &QdiscContext<'_>) -> Result<Qdisc, ParameterError> {
    let TailDropParameters { limit } = parameters;
    // The limit that full-size packets reach first.
    let in_bytes = limit.bytes != u64::MAX && limit.bytes / context.mtu.get().max(1) < limit.packets;
    let both = limit.bytes != u64::MAX && limit.packets != u64::MAX;
    let qdisc = match in_bytes {
        true => Qdisc::new("bfifo").byte_limit(limit.bytes, context),
        false => Qdisc::new("pfifo").packet_limit(Limit::packets(limit.packets), context),
    };
    Ok(qdisc.note_if(
        both,
        "limit: Linux counts packets (pfifo) or bytes (bfifo); the one that full-size packets reach first",
    ))
}

/// A FIFO queue with a limit.
#[derive(Debug, Clone, Default)]
pub struct TailDrop {
    parameters: TailDropParameters,
    fifo: Fifo,
}

impl TailDrop {
    /// Creates an empty queue.
    pub fn new(parameters: TailDropParameters) -> TailDrop {
        TailDrop { parameters, fifo: Fifo::default() }
    }
}

impl QueueDiscipline for TailDrop {
    fn enqueue(&mut self, packet: Packet, now: Time, out: &mut dyn Outcomes) {
        if self.parameters.limit.admits(self.fifo.backlog(), packet.meta.length) {
            self.fifo.push(packet, now);
        } else {
            out.dropped(packet, DropReason::BufferFull, now);
        }
    }

    fn dequeue(&mut self, _: Time, _: &mut dyn Outcomes) -> Option<Packet> {
        self.fifo.pop()
    }

    /// Skips the store if the queue is empty; sets the metadata that `Fifo::push` would.
    fn pass(&mut self, mut packet: Packet, now: Time, out: &mut dyn Outcomes) -> Option<Packet> {
        if self.fifo.is_empty() && self.parameters.limit.admits(Backlog::default(), packet.meta.length) {
            packet.meta.enqueued_at = now;
            packet.meta.enq_qdepth = 0;
            return Some(packet);
        }
        self.enqueue(packet, now, out);
        self.dequeue(now, out)
    }

    fn lets_through(&self, packet: &Packet) -> bool {
        self.fifo.is_empty() && self.parameters.limit.admits(Backlog::default(), packet.meta.length)
    }

    fn uses_wakeups(&self) -> bool {
        false
    }

    fn reconfigure(&mut self, change: &QueueChange) -> bool {
        let QueueSetting::Depth(packets) = change.setting else { return false };
        self.parameters.limit.packets = packets;
        true
    }

    fn backlog(&self) -> Backlog {
        self.fifo.backlog()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{built, packet};
    use jettison_measure::Tally;
    use serde_json::json;

    #[test]
    fn drops_the_arrival_when_the_packets_are_full() {
        let (mut queue, mut tally) =
            (built(json!({ "kind": "tail-drop", "limit": "2 packets" })), Tally::default());
        for id in 1..=3 {
            queue.enqueue(packet(id, 100), Time::ZERO, &mut tally);
        }
        assert_eq!(tally.drops, [(3, DropReason::BufferFull, Time::ZERO)]);
        let order: Vec<u32> =
            std::iter::from_fn(|| queue.dequeue(Time::ZERO, &mut tally)).map(|p| p.meta.id).collect();
        assert_eq!(order, [1, 2]);
    }

    #[test]
    fn a_small_packet_can_fit_after_a_large_one_was_dropped() {
        let (mut queue, mut tally) =
            (built(json!({ "kind": "tail-drop", "limit": "1600 bytes" })), Tally::default());
        for (id, length) in [(1, 1500), (2, 1500), (3, 100), (4, 40)] {
            queue.enqueue(packet(id, length), Time::ZERO, &mut tally);
        }
        assert_eq!(tally.drops.iter().map(|drop| drop.0).collect::<Vec<_>>(), [2, 4]);
        assert_eq!(queue.backlog(), Backlog { packets: 2, bytes: 1600 });
    }

    #[test]
    fn passing_is_queueing_and_dequeueing() {
        for (limit, waiting) in [("5 packets", 0), ("5 packets", 2), ("5 packets", 5), ("99 bytes", 0)] {
            let mut outcomes = Vec::new();
            for passes in [true, false] {
                let (mut queue, mut tally) =
                    (built(json!({ "kind": "tail-drop", "limit": limit })), Tally::default());
                for id in 0..waiting {
                    queue.enqueue(packet(id, 100), Time::ZERO, &mut tally);
                }
                let now = Time::from_millis(3);
                let out = if passes {
                    queue.pass(packet(9, 100), now, &mut tally)
                } else {
                    queue.enqueue(packet(9, 100), now, &mut tally);
                    queue.dequeue(now, &mut tally)
                };
                outcomes.push((out, queue.backlog(), tally.drops));
            }
            assert_eq!(outcomes[0], outcomes[1], "{limit} with {waiting} waiting");
            let (mut queue, mut tally) =
                (built(json!({ "kind": "tail-drop", "limit": limit })), Tally::default());
            for id in 0..waiting {
                queue.enqueue(packet(id, 100), Time::ZERO, &mut tally);
            }
            if queue.lets_through(&packet(9, 100)) {
                let mut through = packet(9, 100);
                through.meta.enqueued_at = Time::from_millis(3);
                assert_eq!(outcomes[0], (Some(through), queue.backlog(), tally.drops));
            } else {
                assert!(waiting > 0 || outcomes[0].0.is_none(), "{limit}");
            }
        }
    }

    #[test]
    fn holds_1000_packets_by_default() {
        let (mut queue, mut tally) = (built(json!("tail-drop")), Tally::default());
        for id in 0..1001 {
            queue.enqueue(packet(id, 1500), Time::ZERO, &mut tally);
        }
        assert_eq!((queue.backlog().packets, tally.drops.len()), (1000, 1));
    }
}

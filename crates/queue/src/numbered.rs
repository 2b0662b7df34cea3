//! PDCP's transmitting entity around a queue discipline: sequence numbers at arrival, discardTimer, and discarding of PDU sets (3GPP
//! TS 38.323 §5.2.1, §5.3).

mod pdu_sets;

use std::collections::VecDeque;

use jettison_core::{DropReason, Duration, Gauges, MarkReason, Rate, Time};
use jettison_measure::Outcomes;
use jettison_wire::{Instance, Packet};

use crate::{Backlog, QueueChange, QueueDiscipline, QueueSetting};
pub use pdu_sets::PduSetDiscard;
use pdu_sets::PduSets;

/// A discipline whose packets have numbers from their arrival on: 1, 2, …, in `meta.tag` when they leave, 0 of clones. What the
/// discipline drops has had its number, and so leaves a gap.
///
/// Timers act when a packet would leave: until then it occupies the buffer.
#[derive(Clone)]
pub struct Numbered {
    inner: Box<dyn QueueDiscipline>,
    discard_timer: Option<Duration>,
    /// Whether packets are numbered at arrival.
    at_arrival: bool,
    last: u32,
    /// Numbers of the packets in the queue, mostly in their order.
    numbers: VecDeque<(u32, u32)>,
    sets: Option<PduSets>,
}

impl Numbered {
    /// A discipline within PDCP, which numbers packets when they come to it if `at_arrival`.
    pub fn new(
        inner: Box<dyn QueueDiscipline>,
        at_arrival: bool,
        discard_timer: Option<Duration>,
    ) -> Numbered {
        Numbered { inner, discard_timer, at_arrival, last: 0, numbers: VecDeque::new(), sets: None }
    }

    /// As before, and discards PDU sets; `seed` seeds the hash of their streams.
    pub fn with_pdu_sets(self, discard: PduSetDiscard, seed: u64) -> Numbered {
        Numbered { sets: Some(PduSets::new(discard, seed)), ..self }
    }

    /// Numbers an arrival.
    fn number(&mut self, packet: &Packet) {
        if self.at_arrival && packet.meta.instance == Instance::Normal {
            self.last += 1;
            self.numbers.push_back((packet.meta.id, self.last));
        }
    }
}

/// Forgets the numbers of dropped packets, and remembers their sets.
struct Gaps<'a> {
    numbers: &'a mut VecDeque<(u32, u32)>,
    sets: &'a mut Option<PduSets>,
    out: &'a mut dyn Outcomes,
}

fn take(numbers: &mut VecDeque<(u32, u32)>, packet: &Packet) -> Option<u32> {
    let at = numbers.iter().position(|(id, _)| *id == packet.meta.id)?;
    numbers.remove(at).map(|(_, number)| number)
}

impl Outcomes for Gaps<'_> {
    fn dropped(&mut self, packet: Packet, reason: DropReason, now: Time) {
        if packet.meta.instance == Instance::Normal {
            take(self.numbers, &packet);
            if let Some(sets) = self.sets {
                sets.dropped(&packet);
            }
        }
        self.out.dropped(packet, reason, now);
    }
    fn marked(&mut self, packet: &Packet, reason: MarkReason, now: Time) {
        self.out.marked(packet, reason, now);
    }
}

impl QueueDiscipline for Numbered {
    fn enqueue(&mut self, packet: Packet, now: Time, out: &mut dyn Outcomes) {
        self.number(&packet);
        let Numbered { inner, numbers, sets, .. } = self;
        if let Some(sets) = sets
            && sets.is_useless(&packet)
        {
            take(numbers, &packet);
            return out.dropped(packet, DropReason::PduSetIncomplete, now);
        }
        inner.enqueue(packet, now, &mut Gaps { numbers, sets, out });
    }

    fn dequeue(&mut self, now: Time, out: &mut dyn Outcomes) -> Option<Packet> {
        let Numbered { inner, numbers, sets, .. } = self;
        loop {
            let mut packet = inner.dequeue(now, &mut Gaps { numbers, sets, out })?;
            let number = match packet.meta.instance {
                Instance::Normal => take(numbers, &packet),
                _ => return Some(packet),
            };
            let age = now.since(packet.meta.enqueued_at);
            let is_old = self.discard_timer.is_some_and(|timer| age >= timer);
            let reason = match sets {
                None => is_old.then_some(DropReason::PdcpDiscard),
                Some(sets) => sets.verdict(&packet, age, is_old),
            };
            if let Some(reason) = reason {
                out.dropped(packet, reason, now);
                continue;
            }
            packet.meta.tag = number.unwrap_or(0);
            return Some(packet);
        }
    }

    fn handle_wakeup(&mut self, now: Time, out: &mut dyn Outcomes) {
        let Numbered { inner, numbers, sets, .. } = self;
        inner.handle_wakeup(now, &mut Gaps { numbers, sets, out });
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
        self.inner.gauges(now, out);
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
    use jettison_measure::{NoOutcomes, Tally};
    use serde_json::json;

    use super::*;
    use crate::testing::{built, packet};

    fn numbered(queue: serde_json::Value, discard_timer: Option<u64>) -> Numbered {
        Numbered::new(built(queue), true, discard_timer.map(Duration::from_millis))
    }

    /// TS 38.323 §5.3 note 2: an SDU that is discarded with its number leaves a gap.
    #[test]
    fn what_the_queue_drops_leaves_a_gap_in_the_numbers() {
        let mut queue = numbered(json!({ "kind": "tail-drop", "limit": "2 packets" }), None);
        (0..3).for_each(|id| queue.enqueue(packet(id, 100), Time::ZERO, &mut NoOutcomes));
        assert_eq!(queue.dequeue(Time::ZERO, &mut NoOutcomes).map(|packet| packet.meta.tag), Some(1));
        queue.enqueue(packet(3, 100), Time::ZERO, &mut NoOutcomes);
        let rest: Vec<u32> = std::iter::from_fn(|| queue.dequeue(Time::ZERO, &mut NoOutcomes))
            .map(|packet| packet.meta.tag)
            .collect();
        assert_eq!(rest, [2, 4]);
        assert!(queue.numbers.is_empty());
    }

    /// TS 38.323 §5.3: when discardTimer expires, the SDU is discarded.
    #[test]
    fn packets_older_than_the_timer_are_discarded() {
        let mut queue = numbered(json!({ "kind": "tail-drop" }), Some(50));
        let mut tally = Tally::default();
        queue.enqueue(packet(1, 100), Time::ZERO, &mut tally);
        queue.enqueue(packet(2, 100), Time::from_millis(10), &mut tally);
        let next = queue.dequeue(Time::from_millis(50), &mut tally).unwrap();
        assert_eq!((next.meta.id, next.meta.tag), (2, 2));
        assert_eq!(tally.drops, [(1, DropReason::PdcpDiscard, Time::from_millis(50))]);
    }

    #[test]
    fn without_numbers_at_arrival_packets_have_none() {
        let mut queue = Numbered::new(built(json!({ "kind": "tail-drop" })), false, None);
        queue.enqueue(packet(1, 100), Time::ZERO, &mut NoOutcomes);
        assert_eq!(queue.dequeue(Time::ZERO, &mut NoOutcomes).map(|packet| packet.meta.tag), Some(0));
    }
}

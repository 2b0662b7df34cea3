//! PDU sets: messages whose packets are of no use without each other, and less important ones that wait less long (3GPP TS 23.501
//! §5.37.5, TS 38.323 §5.3).

use std::collections::VecDeque;

use jettison_core::{DropReason, Duration};
use jettison_wire::{MessageNumber, OCTOPUS_PORT, OctopusHeader, Packet};
use rustc_hash::FxHashSet;

/// How PDU sets are discarded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PduSetDiscard {
    /// Whether a set of which a packet was dropped is of no use (PSIHI).
    pub is_integrated: bool,
    /// Sets of this priority number or a higher one are of low importance.
    pub low_importance: u8,
    /// Discard timer of these while PSI-based discard is active.
    pub low_timer: Option<Duration>,
    /// PSI-based discard is active while the last packet to leave had waited for at least this.
    pub active_from: Duration,
}

/// Sets that are known to be of no use. Those that are dropped after this many others are forgotten: their packets have left
/// the queue by then, or are of no more use to it than to the receiver.
const REMEMBERED: usize = 1024;

/// A set: the hash of flow and stream, and its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Set {
    stream: u64,
    number: MessageNumber,
}

/// The sets that are of no use.
#[derive(Debug, Clone)]
pub(super) struct PduSets {
    discard: PduSetDiscard,
    seed: u64,
    useless: FxHashSet<Set>,
    /// The same, in the order in which they were dropped.
    order: VecDeque<Set>,
    is_active: bool,
}

impl PduSets {
    pub fn new(discard: PduSetDiscard, seed: u64) -> PduSets {
        PduSets { discard, seed, useless: FxHashSet::default(), order: VecDeque::new(), is_active: false }
    }

    /// The set of a packet, and its importance.
    fn set(&self, packet: &Packet) -> Option<(Set, u8)> {
        let header = OctopusHeader::of_packet(packet, &[OCTOPUS_PORT])?;
        let stream = u64::from(header.stream).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let stream = packet.flow_hash(self.seed.wrapping_add(stream));
        Some((Set { stream, number: header.message }, header.priority))
    }

    /// Whether a packet of its set was dropped before.
    pub fn is_useless(&self, packet: &Packet) -> bool {
        self.set(packet).is_some_and(|(set, _)| self.useless.contains(&set))
    }

    /// A packet is dropped, and its set with it.
    pub fn dropped(&mut self, packet: &Packet) {
        if !self.discard.is_integrated {
            return;
        }
        let Some((set, _)) = self.set(packet) else { return };
        if self.useless.insert(set) {
            if self.order.len() == REMEMBERED
                && let Some(oldest) = self.order.pop_front()
            {
                self.useless.remove(&oldest);
            }
            self.order.push_back(set);
        }
    }

    /// Why a packet of that age is discarded in place of its transmission, if it is; `is_old` says that discardTimer has expired.
    pub fn verdict(&mut self, packet: &Packet, age: Duration, is_old: bool) -> Option<DropReason> {
        let PduSetDiscard { low_importance, low_timer, active_from, .. } = self.discard;
        let is_active = self.is_active;
        let priority = self.set(packet).map(|(_, priority)| priority);
        let is_low = priority.is_some_and(|priority| priority >= low_importance);
        let is_late = is_low && is_active && low_timer.is_some_and(|timer| age >= timer);
        let reason = match (self.is_useless(packet), is_old, is_late) {
            (true, ..) => Some(DropReason::PduSetIncomplete),
            (_, true, _) => Some(DropReason::PdcpDiscard),
            (.., true) => Some(DropReason::PduSetImportance),
            _ => None,
        };
        // What is discarded for its timer has waited as well.
        self.is_active = age >= active_from;
        if reason.is_some() {
            self.dropped(packet);
        }
        reason
    }
}

#[cfg(test)]
mod tests {
    use jettison_core::Time;
    use jettison_measure::{NoOutcomes, Tally};
    use serde_json::json;

    use super::*;
    use crate::testing::{built, message, packet, solo};
    use crate::{Numbered, QueueDiscipline};

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn queue(limit: &str, is_integrated: bool) -> Numbered {
        let discard =
            PduSetDiscard { is_integrated, low_importance: 2, low_timer: Some(ms(20)), active_from: ms(10) };
        let inner = built(json!({ "kind": "tail-drop", "limit": limit }));
        Numbered::new(inner, true, Some(ms(100))).with_pdu_sets(discard, 1)
    }

    fn of_priority(number: u32, priority: u8) -> OctopusHeader {
        OctopusHeader { priority, ..solo(number) }
    }

    fn drain(queue: &mut Numbered, now: u64) -> (Vec<u32>, Vec<(u32, DropReason)>) {
        let mut tally = Tally::default();
        let left = std::iter::from_fn(|| queue.dequeue(Time::from_millis(now), &mut tally));
        let left = left.map(|packet| packet.meta.id).collect();
        (left, tally.drops.into_iter().map(|(id, reason, _)| (id, reason)).collect())
    }

    /// TS 23.501 §5.37.5: with PSIHI the rest of a set of which a packet was lost is of no use.
    #[test]
    fn the_rest_of_an_incomplete_set_is_discarded() {
        let mut queue = queue("2 packets", true);
        let mut tally = Tally::default();
        for packet in message(0, 4, 1000, of_priority(1, 0)) {
            queue.enqueue(packet, Time::ZERO, &mut tally);
        }
        let drops: Vec<_> = tally.drops.iter().map(|(id, reason, _)| (*id, *reason)).collect();
        assert_eq!(drops, [(2, DropReason::BufferFull), (3, DropReason::PduSetIncomplete)]);
        let incomplete = |id| (id, DropReason::PduSetIncomplete);
        assert_eq!(drain(&mut queue, 0), (vec![], vec![incomplete(0), incomplete(1)]));
    }

    #[test]
    fn without_psihi_packets_are_dropped_one_by_one() {
        let mut queue = queue("2 packets", false);
        for packet in message(0, 4, 1000, of_priority(1, 0)) {
            queue.enqueue(packet, Time::ZERO, &mut NoOutcomes);
        }
        assert_eq!(drain(&mut queue, 0), (vec![0, 1], vec![]));
    }

    /// TS 38.323 §5.3: the timer for low importance applies while PSI-based discard is active.
    #[test]
    fn sets_of_low_importance_have_a_shorter_timer_under_congestion() {
        let mut queue = queue("10 packets", true);
        for (id, priority) in [(0, 3), (1, 1), (2, 2), (3, 0)] {
            let set = message(id, 1, 1000, of_priority(id, priority));
            set.into_iter().for_each(|packet| queue.enqueue(packet, Time::ZERO, &mut NoOutcomes));
        }
        // The first one shows the congestion.
        assert_eq!(drain(&mut queue, 30), (vec![0, 1, 3], vec![(2, DropReason::PduSetImportance)]));
    }

    /// TS 38.323 §5.3: discardTimer applies to all, with or without a label.
    #[test]
    fn all_have_the_discard_timer() {
        let mut queue = queue("10 packets", true);
        for packet in message(0, 2, 1000, of_priority(1, 0)) {
            queue.enqueue(packet, Time::ZERO, &mut NoOutcomes);
        }
        queue.enqueue(packet(9, 100), Time::ZERO, &mut NoOutcomes);
        let (left, drops) = drain(&mut queue, 100);
        let (timer, set) = (DropReason::PdcpDiscard, DropReason::PduSetIncomplete);
        assert_eq!((left, drops), (vec![], vec![(0, timer), (1, set), (9, timer)]));
    }
}

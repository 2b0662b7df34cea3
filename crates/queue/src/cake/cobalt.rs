//! COBALT: CoDel and BLUE together.
//!
//! CoDel signals responsive senders. An unresponsive sender fills its queue until the buffer overflows; each overflow
//! raises BLUE's probability, which then drops packets, ECN-capable or not, until the queue runs empty.

use jettison_core::{DropReason, MarkReason, RandomStream, Time};
use jettison_measure::Outcomes;
use jettison_wire::Packet;

use crate::{CodelSettings, CodelState, CodelStore};

/// COBALT's state of one queue.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cobalt {
    codel: CodelState,
    /// BLUE's drop probability.
    p_drop: f64,
    /// Time of the last change of `p_drop`.
    changed: Option<Time>,
    /// Time at which the queue became empty, while its empty period has not been accounted for.
    empty_since: Option<Time>,
}

/// Increment of BLUE's probability at an overflow.
const RISE: f64 = 1.0 / 256.0;
/// Decrement of BLUE's probability while the queue is empty, once per `target`.
const FALL: f64 = 1.0 / 4096.0;

impl Cobalt {
    /// Returns the next packet to send from `store`, after the drops and marks that are due.
    #[inline]
    pub fn dequeue<S: CodelStore>(
        &mut self,
        settings: &CodelSettings,
        ecn: bool,
        store: &mut S,
        random: &mut RandomStream,
        now: Time,
        out: &mut dyn Outcomes,
    ) -> Option<Packet> {
        while let Some(mut packet) = store.pop() {
            if let Some(since) = self.empty_since.take() {
                self.decay_blue(settings, since, packet.meta.enqueued_at);
            }
            // The scheduler may not poll an empty queue again, so its empty period starts here.
            if store.bytes() == 0 {
                self.empty_since = Some(now);
            }
            let sojourn = now.since(packet.meta.enqueued_at);
            // CoDel sees every departure, including those that BLUE drops.
            let signals = self.codel.judge(settings, sojourn, store.bytes(), now);
            if random.chance(self.p_drop) {
                out.dropped(packet, DropReason::Blue, now);
                continue;
            }
            if !signals {
                return Some(packet);
            }
            if ecn && packet.mark_ce() {
                out.marked(&packet, MarkReason::CoDel, now);
                return Some(packet);
            }
            out.dropped(packet, DropReason::CoDel, now);
        }
        self.codel.emptied();
        let since = *self.empty_since.get_or_insert(now);
        self.decay_blue(settings, since, now);
        None
    }

    /// CoDel's state.
    pub fn codel(&self) -> &CodelState {
        &self.codel
    }

    /// BLUE's drop probability.
    pub fn blue_probability(&self) -> f64 {
        self.p_drop
    }

    /// Records a drop from this queue by a full buffer: raises BLUE's probability, at most once per `target`.
    pub fn overflowed(&mut self, settings: &CodelSettings, now: Time) {
        if let Some(since) = self.empty_since.take() {
            self.decay_blue(settings, since, now);
        }
        if self.changed.is_none_or(|at| now.since(at) >= settings.target) {
            self.p_drop = (self.p_drop + RISE).min(1.0);
            self.changed = Some(now);
        }
    }

    /// Lowers BLUE's probability for an empty period from `since` to `until`: once per `target`, as if the queue had been
    /// polled continuously.
    fn decay_blue(&mut self, settings: &CodelSettings, since: Time, until: Time) {
        let first = self.changed.map_or(since, |at| since.max(at.saturating_add(settings.target)));
        if self.p_drop == 0.0 || until < first {
            return;
        }
        let further = until.since(first).as_nanos() / settings.target.as_nanos().max(1);
        self.p_drop = (self.p_drop - FALL * (further + 1) as f64).max(0.0);
        self.changed = Some(first.saturating_add(settings.target.saturating_mul(further)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fifo;
    use crate::testing::packet_with;
    use jettison_core::{Duration, Seed};
    use jettison_measure::Tally;
    use jettison_wire::Ecn;

    const SETTINGS: CodelSettings = CodelSettings {
        target: Duration::from_millis(5),
        interval: Duration::from_millis(100),
        maxpacket: 1514,
        clock: None,
        control_law: crate::ControlLaw::Exact,
    };

    #[test]
    fn blue_rises_at_overflow_at_most_once_per_target() {
        let mut cobalt = Cobalt::default();
        for t in 0..100 {
            cobalt.overflowed(&SETTINGS, Time::from_millis(t));
        }
        assert!((cobalt.p_drop - 20.0 * RISE).abs() < 1e-12, "{}", cobalt.p_drop);
    }

    #[test]
    fn blue_falls_while_the_queue_is_empty() {
        let mut cobalt = Cobalt { p_drop: 3.0 * FALL, ..Cobalt::default() };
        let mut random = Seed(1).stream(&["blue"]);
        let mut empty = |cobalt: &mut Cobalt, t| {
            let now = Time::from_millis(t);
            cobalt.dequeue(&SETTINGS, true, &mut Fifo::default(), &mut random, now, &mut Tally::default())
        };
        for t in 0..10 {
            assert!(empty(&mut cobalt, t).is_none());
        }
        assert!((cobalt.p_drop - FALL).abs() < 1e-12, "{}", cobalt.p_drop);
        assert!(empty(&mut cobalt, 10).is_none());
        assert_eq!(cobalt.p_drop, 0.0);
    }

    #[test]
    fn blue_falls_as_long_as_the_queue_is_empty() {
        // A single overflow must not cost a flow packets for ever. Its queue is empty most of the time afterwards, but is
        // rarely polled while empty.
        let fallen = |empty_for: u64| {
            let mut cobalt = Cobalt { p_drop: 0.01, ..Cobalt::default() };
            let mut random = Seed(1).stream(&["blue"]);
            let mut fifo = Fifo::default();
            let mut at = |cobalt: &mut Cobalt, fifo: &mut Fifo, t| {
                cobalt.dequeue(
                    &SETTINGS,
                    true,
                    fifo,
                    &mut random,
                    Time::from_millis(t),
                    &mut Tally::default(),
                )
            };
            assert!(at(&mut cobalt, &mut fifo, 100).is_none());
            fifo.push(packet_with(1, 1000, Ecn::NotEct), Time::from_millis(100 + empty_for));
            // The sojourn time of the packet does not count as empty time.
            at(&mut cobalt, &mut fifo, 100 + empty_for + 50);
            ((0.01 - cobalt.p_drop) / FALL).round()
        };
        assert_eq!([0, 4, 5, 14, 100, 10_000].map(fallen), [1.0, 1.0, 2.0, 3.0, 21.0, 41.0]);
    }

    #[test]
    fn empty_time_counts_without_polls_of_the_empty_queue() {
        let mut cobalt = Cobalt { p_drop: 0.01, changed: Some(Time::ZERO), ..Cobalt::default() };
        let (mut random, mut fifo) = (Seed(1).stream(&["blue"]), Fifo::default());
        for t in [100, 120] {
            let now = Time::from_millis(t);
            fifo.push(packet_with(1, 1000, Ecn::NotEct), now);
            assert!(
                cobalt.dequeue(&SETTINGS, true, &mut fifo, &mut random, now, &mut Tally::default()).is_some()
            );
        }
        // Every 5 ms from 100 ms to 120 ms, both included.
        assert_eq!(((0.01 - cobalt.p_drop) / FALL).round(), 5.0);
    }

    #[test]
    fn blue_drops_ecn_capable_packets_too() {
        let mut cobalt = Cobalt { p_drop: 0.25, ..Cobalt::default() };
        let (mut random, mut tally, mut fifo) =
            (Seed(1).stream(&["blue"]), Tally::default(), Fifo::default());
        for id in 0..4000 {
            fifo.push(packet_with(id, 1000, Ecn::Ect0), Time::ZERO);
            cobalt.dequeue(&SETTINGS, true, &mut fifo, &mut random, Time::ZERO, &mut tally);
        }
        assert!((900..1100).contains(&tally.drops.len()), "{}", tally.drops.len());
        assert!(tally.drops.iter().all(|drop| drop.1 == DropReason::Blue) && tally.marks.is_empty());
    }
}

//! COBALT: CoDel and BLUE together.
//!
//! CoDel signals responsive senders. Its count of signals rises by one with each signal and falls by one each time a signal
//! would be due while the sojourn time is below the least that matters, so that a queue that returns soon is signalled at about
//! the rate that controlled it. An overflow starts signals at once. An unresponsive sender fills its queue until the buffer
//! overflows; each overflow raises BLUE's probability, which then drops packets, ECN-capable or not, until the queue runs empty.

use jettison_core::{DropReason, Duration, MarkReason, RandomStream, Time};
use jettison_measure::Outcomes;
use jettison_wire::Packet;

use crate::{CodelStore, ControlLaw};

/// COBALT's constants for one tin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Aqm {
    /// Acceptable standing sojourn time, and least time between two changes of BLUE's probability.
    pub target: Duration,
    /// Time to the second signal, divided by the square root of the count.
    pub interval: Duration,
    /// Time that the largest packet takes at the tin's rate; zero without a rate.
    pub mtu_time: Duration,
}

/// COBALT's state of one queue.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cobalt {
    /// Signals, less those that were due below target.
    count: u32,
    /// Time of the next signal, or of the next fall of `count` below target; `None` before the first queue above target.
    next: Option<Time>,
    /// Whether the sojourn time of the last packet was too long.
    dropping: bool,
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

impl Aqm {
    /// Sojourn time above which a queue is signalled. A queue of up to four of the largest packets is not, nor, if
    /// `flows` is given, one of up to two for each of so many flows.
    #[inline]
    pub fn least(&self, flows: Option<u32>) -> Duration {
        let packets = 2 * u64::from(flows.unwrap_or(0)).max(2);
        self.target.max(self.mtu_time.saturating_mul(packets))
    }

    #[inline]
    fn step(&self, count: u32) -> Duration {
        ControlLaw::Exact.step(self.interval, count.max(1), Duration::from_nanos(1))
    }
}

/// What a dequeue is to do.
pub struct Rules<'a> {
    /// The tin's constants.
    pub aqm: &'a Aqm,
    /// Sojourn time above which packets are signalled ([`Aqm::least`]).
    pub least: Duration,
    /// Whether ECN-capable packets are marked.
    pub ecn: bool,
    /// Called with each packet that is dropped.
    pub dropped: &'a mut dyn FnMut(&Packet),
}

impl Cobalt {
    /// Returns the next packet to send from `store`, after the drops and marks that are due.
    #[inline]
    pub fn dequeue<S: CodelStore>(
        &mut self,
        rules: &mut Rules<'_>,
        store: &mut S,
        random: &mut RandomStream,
        now: Time,
        out: &mut dyn Outcomes,
    ) -> Option<Packet> {
        while let Some(mut packet) = store.pop() {
            if let Some(since) = self.empty_since.take() {
                self.dropping &= packet.meta.enqueued_at <= since;
                self.decay_blue(rules.aqm, since, packet.meta.enqueued_at);
            }
            // The scheduler may not poll an empty queue again, so its empty period starts here.
            if store.bytes() == 0 {
                self.empty_since = Some(now);
            }
            let sojourn = now.since(packet.meta.enqueued_at);
            // CoDel sees every departure, including those that BLUE drops.
            let signals = self.signals(rules.aqm, sojourn > rules.least, now);
            let reason = if self.p_drop > 0.0 && random.chance(self.p_drop) {
                DropReason::Blue
            } else if !signals {
                return Some(packet);
            } else if rules.ecn && packet.mark_ce() {
                out.marked(&packet, MarkReason::CoDel, now);
                return Some(packet);
            } else {
                DropReason::CoDel
            };
            (rules.dropped)(&packet);
            out.dropped(packet, reason, now);
        }
        self.dropping = false;
        self.decay_count(rules.aqm, now);
        let since = *self.empty_since.get_or_insert(now);
        self.decay_blue(rules.aqm, since, now);
        None
    }

    /// Whether CoDel signals the packet that departs now, whose sojourn time is `above` the least that matters or not.
    #[inline]
    fn signals(&mut self, aqm: &Aqm, above: bool, now: Time) -> bool {
        if !above {
            self.dropping = false;
            self.decay_count(aqm, now);
            return false;
        }
        let next = if self.dropping {
            self.next.unwrap_or(now)
        } else {
            self.decay_count(aqm, now);
            self.dropping = true;
            // A queue that has never been above signals at once, as Linux's does.
            let wait = if self.next.is_some() { aqm.step(self.count) } else { Duration::ZERO };
            self.count = self.count.max(1);
            now.saturating_add(wait)
        };
        let signals = now >= next;
        self.next = Some(next);
        if signals {
            self.count = self.count.saturating_add(1);
            self.next = Some(next.saturating_add(aqm.step(self.count)));
        }
        signals
    }

    /// Lowers the count by one for each signal that would have been due.
    #[inline]
    fn decay_count(&mut self, aqm: &Aqm, now: Time) {
        while self.count > 0
            && let Some(next) = self.next
            && now >= next
        {
            self.count -= 1;
            self.next = Some(next.saturating_add(aqm.step(self.count)));
        }
    }

    /// Whether neither CoDel nor BLUE has anything left to do at `now`: the queue of an idle flow.
    pub fn is_at_rest(&mut self, aqm: &Aqm, now: Time) -> bool {
        self.decay_count(aqm, now);
        if let Some(since) = self.empty_since {
            self.decay_blue(aqm, since, now);
        }
        self.count == 0 && self.p_drop == 0.0
    }

    /// Whether it is in dropping state: the last packet's sojourn time was too long.
    pub fn is_dropping(&self) -> bool {
        self.dropping
    }

    /// CoDel's count of signals.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// BLUE's drop probability.
    pub fn blue_probability(&self) -> f64 {
        self.p_drop
    }

    /// Records a drop from this queue by a full buffer: raises BLUE's probability, at most once per `target`, and signals with
    /// the next packet.
    pub fn overflowed(&mut self, aqm: &Aqm, now: Time) {
        if let Some(since) = self.empty_since.take() {
            self.decay_blue(aqm, since, now);
        }
        if self.changed.is_none_or(|at| now.since(at) >= aqm.target) {
            self.p_drop = (self.p_drop + RISE).min(1.0);
            self.changed = Some(now);
        }
        self.dropping = true;
        self.count = self.count.max(1);
        self.next = Some(now);
    }

    /// Lowers BLUE's probability for an empty period from `since` to `until`: once per `target`, as if the queue had been
    /// polled continuously.
    fn decay_blue(&mut self, aqm: &Aqm, since: Time, until: Time) {
        let first = self.changed.map_or(since, |at| since.max(at.saturating_add(aqm.target)));
        if self.p_drop == 0.0 || until < first {
            return;
        }
        let further = until.since(first).as_nanos() / aqm.target.as_nanos().max(1);
        self.p_drop = (self.p_drop - FALL * (further + 1) as f64).max(0.0);
        self.changed = Some(first.saturating_add(aqm.target.saturating_mul(further)));
    }
}

#[cfg(test)]
mod tests;

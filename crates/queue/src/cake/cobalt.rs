//! COBALT: CoDel and BLUE together.
//!
//! CoDel (`ramp`) signals responsive senders. BLUE (`blue`) is for those that do not respond: such a sender fills its queue until
//! the buffer overflows, and each overflow raises a probability by which packets are dropped, ECN-capable or not, until the queue
//! runs empty. An overflow starts CoDel's signals too. The last packet of a queue may be marked, but is not dropped.
//!
//! The roles of the two parts, the exception for the last packet, and that the row of signals runs backwards below target, are as
//! its author describes them
//! (Morton, *Proposing COBALT*, May 2016, and on the Cake mailing list of 24 October 2018). Times were measured with Linux 6.1.

use jettison_core::{DropReason, Duration, MarkReason, RandomStream, Time};
use jettison_measure::Outcomes;
use jettison_wire::Packet;

use crate::{CodelStore, ControlLaw};

mod blue;
mod ramp;

use blue::Blue;
use ramp::Ramp;

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
    ramp: Ramp,
    blue: Blue,
}

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
        let pause = rules.aqm.target;
        while let Some(mut packet) = store.pop() {
            let arrival = packet.meta.enqueued_at;
            if self.blue.filled(pause, arrival).is_some_and(|since| arrival > since) {
                self.ramp.interrupted();
            }
            let is_last = store.bytes() == 0;
            if is_last {
                self.blue.emptied(now);
            }
            // CoDel sees every departure, including those that BLUE drops.
            let signals = self.ramp.departure(rules.aqm, now.since(arrival) > rules.least, now);
            let is_hit = !is_last && self.blue.probability > 0.0 && random.chance(self.blue.probability);
            if !is_hit && signals && rules.ecn && packet.mark_ce() {
                out.marked(&packet, MarkReason::CoDel, now);
                return Some(packet);
            }
            // The last packet of a queue is never dropped: its sender would notice only by a timeout.
            if is_last || !(is_hit || signals) {
                return Some(packet);
            }
            let reason = if is_hit { DropReason::Blue } else { DropReason::CoDel };
            (rules.dropped)(&packet);
            out.dropped(packet, reason, now);
        }
        self.ramp.rest(rules.aqm, now);
        self.blue.empty_since.get_or_insert(now);
        self.blue.polled(pause, now);
        None
    }

    /// Whether neither CoDel nor BLUE has anything left to do at `now`: the queue of an idle flow.
    pub fn is_at_rest(&mut self, aqm: &Aqm, now: Time) -> bool {
        self.ramp.fall(aqm, now);
        self.blue.polled(aqm.target, now);
        self.ramp.count() == 0 && self.blue.probability == 0.0
    }

    /// Records a drop from this queue by a full buffer: raises BLUE's probability, and signals with the next packet.
    pub fn overflowed(&mut self, aqm: &Aqm, now: Time) {
        self.blue.overflowed(aqm.target, now);
        self.ramp.start(now);
    }

    /// Whether it is in dropping state: the last packet's sojourn time was too long.
    pub fn is_dropping(&self) -> bool {
        self.ramp.is_rising()
    }

    /// CoDel's count of signals.
    pub fn count(&self) -> u32 {
        self.ramp.count()
    }

    /// BLUE's drop probability.
    pub fn blue_probability(&self) -> f64 {
        self.blue.probability
    }
}

#[cfg(test)]
mod tests;

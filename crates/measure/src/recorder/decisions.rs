//! Drops and marks: their numbers, the meters that count them, and their log.

use jettison_core::{DropReason, Gauges, MarkReason, Time};
use jettison_wire::Packet;
use rustc_hash::FxHashMap;

use super::Recorder;
use crate::decision::QueueScratch;
use crate::{Content, Decision, DecisionLog, DropRecord, Identities, Identity, Outcome, Place};

/// The log of decisions, and those that wait for the state of their queue.
#[derive(Debug, Clone, Default)]
pub(super) struct Decisions {
    /// Drops and marks so far, reverted ones included.
    count: u64,
    log: DecisionLog,
    /// Decisions of the call that is going on.
    pending: Vec<Decision>,
    /// Reused for their states.
    scratch: QueueScratch,
}

impl Decisions {
    /// All that has been decided so far.
    pub(super) fn of(log: DecisionLog) -> Decisions {
        Decisions { count: log.len(), log, ..Decisions::default() }
    }

    /// Sets what packets carried, by the number of the decision. What cannot be read back stays as it is.
    pub(super) fn set_contents(&mut self, contents: &FxHashMap<u64, Content>) {
        if contents.is_empty() || !self.pending.is_empty() {
            return;
        }
        let mut log = DecisionLog::default();
        for decision in self.log.iter() {
            let Ok(mut decision) = decision else { return };
            if let (Some(identity), Some(content)) = (&mut decision.identity, contents.get(&decision.id)) {
                // Of a segment the router knows more than its unit.
                let known = identity.content.unwrap_or(*content);
                identity.content = Some(Content { unit: content.unit, ..known });
            }
            log.push(&decision);
        }
        self.log = log;
    }

    fn add(&mut self, decision: Decision) {
        // In the order of their numbers: a decision outside of queues waits too, if one before it does.
        let has_queue = decision.identity.is_some() && decision.queue != DropRecord::NO_QUEUE;
        if has_queue || !self.pending.is_empty() {
            self.pending.push(decision);
        } else {
            self.log.push_at(&decision, None);
        }
    }

    /// Ends the log: of decisions that still wait the state is unknown.
    pub(super) fn finish(mut self) -> DecisionLog {
        for decision in &self.pending {
            self.log.push_at(decision, None);
        }
        self.log
    }
}

/// Whether a decision is in a sample of this share, by a hash of its number (the finaliser of SplitMix64).
fn is_sampled(id: u64, share: f64) -> bool {
    let mut hash = id.wrapping_add(0x9e37_79b9_7f4a_7c15);
    hash = (hash ^ hash >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ hash >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^= hash >> 31;
    ((hash >> 11) as f64) < share * (1_u64 << 53) as f64
}

impl Recorder {
    /// Number of drops and marks so far, reverted ones included, which is the number of the next one.
    #[inline]
    pub fn decisions(&self) -> u64 {
        self.decisions.count
    }

    fn is_logged(&self, id: u64) -> bool {
        match self.settings.identities {
            Identities::Off | Identities::All => true,
            Identities::Sample(share) => is_sampled(id, share),
        }
    }

    /// The next decision, about a packet; `None` if it is not to be logged.
    fn decision(&self, place: Place, packet: &Packet, outcome: Outcome, now: Time) -> Option<Decision> {
        let id = self.decisions.count;
        if !self.is_logged(id) {
            return None;
        }
        let Some(provenance) = &self.provenance else {
            // Without identities the log is that of drops.
            let is_drop = matches!(outcome, Outcome::Dropped(_) | Outcome::Kept(_));
            return is_drop.then(|| self.bare(place, packet, outcome, now));
        };
        let is_arriving = provenance.is_arriving(place, packet.meta.id);
        let waited = match (place, is_arriving) {
            (Place::Queue(_), Some(false) | None) => Some(now.since(packet.meta.enqueued_at)),
            _ => None,
        };
        let outcome = match outcome {
            Outcome::Dropped(reason) if is_arriving == Some(false) => Outcome::Evicted(reason),
            outcome => outcome,
        };
        let identity = Identity {
            packet: packet.meta.id,
            instance: packet.meta.instance,
            content: provenance.content(packet),
            waited,
            queue: None,
        };
        Some(Decision { identity: Some(identity), ..self.bare(place, packet, outcome, now) })
    }

    fn bare(&self, place: Place, packet: &Packet, outcome: Outcome, now: Time) -> Decision {
        Decision {
            id: self.decisions.count,
            time: now,
            queue: place.index(),
            flow: packet.meta.flow,
            outcome,
            length: packet.meta.length,
            identity: None,
        }
    }

    /// Logs the drop of a packet, and counts it at its queue, if any, and its flow.
    pub fn packet_dropped(&mut self, place: Place, packet: &Packet, reason: DropReason, now: Time) {
        let decision = self.decision(place, packet, Outcome::Dropped(reason), now);
        if let Some(provenance) = &mut self.provenance {
            provenance.dropped(self.decisions.count, place, packet, reason, now);
        }
        let (flow, length) = (packet.meta.flow, packet.meta.length);
        self.count_drop(&DropRecord { time: now, queue: place.index(), flow, reason, length });
        self.log(decision);
    }

    /// Logs the mark of a packet, and counts it at its queue.
    pub fn packet_marked(&mut self, place: Place, packet: &Packet, reason: MarkReason, now: Time) {
        let decision = self.decision(place, packet, Outcome::Marked(reason), now);
        if let Some(provenance) = &mut self.provenance {
            provenance.marked(self.decisions.count, packet, now);
        }
        if let Some(queue) = self.queues.get_mut(place.index() as usize) {
            queue.marked(reason);
        }
        self.log(decision);
    }

    /// Logs a drop of which no more is known, and counts it.
    pub fn dropped(&mut self, record: DropRecord) {
        let id = self.decisions.count;
        let decision = self.is_logged(id).then(|| Decision::of(id, &record));
        self.count_drop(&record);
        self.log(decision);
    }

    /// Logs a drop that a script reverts. It has a number like any other, and no meter counts it.
    pub fn reverted_drop(&mut self, place: Place, packet: &Packet, reason: DropReason, now: Time) {
        let decision = self.decision(place, packet, Outcome::Kept(reason), now);
        if let Some(provenance) = &mut self.provenance {
            provenance.kept(place, packet);
        }
        self.log(decision);
    }

    /// Logs a mark that a script reverts, likewise.
    pub fn reverted_mark(&mut self, place: Place, packet: &Packet, reason: MarkReason, now: Time) {
        let decision = self.decision(place, packet, Outcome::Unmarked(reason), now);
        self.log(decision);
    }

    fn log(&mut self, decision: Option<Decision>) {
        self.decisions.count += 1;
        if let Some(decision) = decision {
            self.decisions.add(decision);
        }
    }

    fn count_drop(&mut self, record: &DropRecord) {
        if let Some(queue) = self.queues.get_mut(record.queue as usize) {
            queue.dropped(record.reason);
        }
        if record.reason.is_loss()
            && let Some(flow) = self.flows.get_mut(record.flow.0 as usize)
        {
            flow.dropped(record.time);
        }
    }

    /// Ends a call of a queue or switch. Returns whether it made decisions that wait for [`Recorder::complete`].
    #[inline]
    pub fn ends_call(&mut self) -> bool {
        if let Some(provenance) = &mut self.provenance {
            provenance.ends_arrival();
        }
        !self.decisions.pending.is_empty()
    }

    /// Completes the decisions of a call with the state of their queues, which is that after the call. `state` reports a queue's
    /// gauges and returns the packets and bytes that wait there; `None` if it is not asked for that queue.
    #[cold]
    #[allow(clippy::type_complexity)] // spelt out, it says what it does
    pub fn complete(&mut self, state: &mut dyn FnMut(u32, &mut dyn Gauges) -> Option<(u64, u64)>) {
        let Decisions { log, pending, scratch, .. } = &mut self.decisions;
        let mut known = None;
        for decision in pending.drain(..) {
            if known.is_none_or(|(queue, _)| queue != decision.queue) {
                let backlog = match decision.queue {
                    DropRecord::NO_QUEUE => None,
                    queue => state(queue, &mut log.take_gauges(scratch)),
                };
                if let Some(backlog) = backlog {
                    (scratch.packets, scratch.bytes) = backlog;
                    let holders = self.provenance.as_ref().map(|own| own.holders(decision.queue));
                    scratch.set_holders(holders.into_iter().flatten());
                }
                known = Some((decision.queue, backlog.is_some()));
            }
            let is_known = known.is_some_and(|(_, is_known)| is_known);
            log.push_at(&decision, is_known.then_some(&*scratch));
        }
    }
}

#[cfg(test)]
mod tests;

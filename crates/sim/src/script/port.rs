//! The state of a script at one port: packets put aside, and packets that go out next.

use std::collections::VecDeque;

use jettison_core::{MarkReason, Time};
use jettison_queue::ecn_before;
use jettison_switch::Departure;
use jettison_wire::{Ecn, FiveTuple, FlowId, Packet};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Window;
use super::line::{Line, Waiting};

/// A port with a script.
#[derive(Debug, Clone, Default)]
pub(super) struct ScriptedPort {
    // Interventions.
    /// Packets to drop when they come to leave.
    pub(super) drops: FxHashSet<u32>,
    /// Packets to mark when they leave.
    pub(super) marks: FxHashSet<u32>,
    /// Flows that wait for none, and when.
    pub(super) bypasses: Vec<(FlowId, Window)>,
    /// Flows that need neither queue nor link, and when.
    pub(super) carries: Vec<(FlowId, Window)>,
    /// Whether the world has filled in the rest.
    pub(super) is_attached: bool,
    // Properties of the switch.
    /// By how much the hop limit decreases behind the queue: a switch may write to a packet at egress only, so that a dropped
    /// one is as it arrived.
    pub(super) hops: u8,
    /// Whether packets leave the queue before the link takes them, as with a service model.
    pub(super) takes_early: bool,
    // State.
    pub(super) line: Line,
    /// The ECN fields of packets whose marks were reverted.
    pub(super) unmarked: FxHashMap<u32, Ecn>,
    /// Packets whose copies went past the queue.
    ghosts: FxHashSet<u32>,
    /// Packets put aside, which wait for their place.
    kept: Vec<Kept>,
    /// What the link takes next, before it asks the queue.
    next: VecDeque<Next>,
    /// What goes past queue and link at once.
    carried: VecDeque<Packet>,
}

/// A packet put aside.
#[derive(Debug, Clone)]
struct Kept {
    /// Its place in the line; 0 if it came before the script.
    order: u64,
    tuple: Option<FiveTuple>,
    packet: Packet,
}

/// As [`Departure`].
#[derive(Debug, Clone)]
enum Next {
    Transmit(Packet),
    Service(u16),
}

/// What becomes of a packet that comes to leave.
pub(super) enum Leave {
    /// It is sent; its place in the line.
    Sent(u64),
    /// It is sent with a mark.
    Marked(u64),
    /// The script drops it.
    Dropped,
    /// It has gone past the queue already.
    Ghost,
}

impl ScriptedPort {
    /// Whether it takes part in every packet's way, and not only in drops and marks.
    pub(super) fn has_next(&self, is_empty: bool) -> bool {
        !self.next.is_empty() || self.due(is_empty).is_some()
    }

    /// Whether nothing is left to do.
    pub(super) fn is_idle(&self, now: Time) -> bool {
        self.kept.is_empty()
            && self.next.is_empty()
            && self.ghosts.is_empty()
            && self.unmarked.is_empty()
            && self.drops.is_empty()
            && self.marks.is_empty()
            && self.carried.is_empty()
            && self.bypasses.iter().chain(&self.carries).all(|(_, window)| window.to <= now)
    }

    /// Number of packets put aside or next to go, and their bytes.
    pub(super) fn backlog(&self) -> (u64, u64) {
        let next = self.next.iter().filter_map(|next| match next {
            Next::Transmit(packet) => Some(packet),
            Next::Service(_) => None,
        });
        let packets = self.kept.iter().map(|kept| &kept.packet).chain(next);
        packets.fold((0, 0), |(count, bytes), packet| (count + 1, bytes + u64::from(packet.meta.length)))
    }

    /// Takes a packet that is offered to the queue into the line. Returns whether a copy goes past the queue.
    pub(super) fn join(&mut self, packet: &Packet, now: Time) -> bool {
        let meta = &packet.meta;
        self.line.join(packet, now);
        let is_among = |list: &[(FlowId, Window)]| {
            list.iter().any(|(flow, window)| *flow == meta.flow && window.contains(now))
        };
        let is_carried = is_among(&self.carries);
        let bypasses = is_carried || is_among(&self.bypasses);
        if bypasses {
            let mut copy = packet.clone();
            self.make_ready(&mut copy);
            copy.meta.enqueued_at = now;
            copy.meta.enq_qdepth = 0;
            self.ghosts.insert(packet.meta.id);
            match is_carried {
                true => self.carried.push_back(copy),
                false => self.next.push_back(Next::Transmit(copy)),
            }
        }
        bypasses
    }

    /// Whether a dropped packet has gone past the queue already. It is then forgotten.
    pub(super) fn was_ghost(&mut self, packet: u32) -> bool {
        self.ghosts.remove(&packet)
    }

    /// Whether a waiting packet has gone past the queue already.
    pub(super) fn is_ghost(&self, packet: u32) -> bool {
        self.ghosts.contains(&packet)
    }

    /// Forgets a packet that is gone.
    pub(super) fn forget(&mut self, packet: u32) {
        self.unmarked.remove(&packet);
        self.drops.remove(&packet);
        self.marks.remove(&packet);
    }

    /// Puts a packet aside that the queue has dropped. `waiting` is what the line knew of it; `now` is given if the queue
    /// refused it on arrival; `was_next` says that it would have been sent at this instant.
    pub(super) fn keep(
        &mut self,
        mut packet: Packet,
        waiting: Option<Waiting>,
        refused: Option<Time>,
        was_next: bool,
    ) {
        self.make_ready(&mut packet);
        if let Some(ecn) = self.unmarked.remove(&packet.meta.id) {
            packet.set_ecn(ecn);
        }
        if let Some(now) = refused {
            packet.meta.enqueued_at = now;
            packet.meta.enq_qdepth = u32::try_from(self.line.len()).unwrap_or(u32::MAX);
        } else if let Some(waiting) = waiting.filter(|waiting| waiting.moved) {
            packet.meta.enqueued_at = waiting.since;
        }
        if was_next {
            return self.next.push_back(Next::Transmit(packet));
        }
        let order = waiting.map_or(0, |waiting| waiting.order);
        self.kept.push(Kept { order, tuple: packet.five_tuple(), packet });
    }

    /// Notes a reverted mark; the packet gets back the ECN field with which it came.
    pub(super) fn unmark(&mut self, packet: &Packet, reason: MarkReason) {
        let came = self.line.find(packet.meta.id).map(|waiting| waiting.ecn);
        let ecn = came.unwrap_or(ecn_before(reason));
        self.unmarked.entry(packet.meta.id).or_insert(ecn);
    }

    /// Decides about a packet that the queue sends.
    pub(super) fn leave(&mut self, packet: &mut Packet) -> Leave {
        let id = packet.meta.id;
        let waiting = self.line.leave(id);
        let order = waiting.map_or(0, |waiting| waiting.order);
        if let Some(waiting) = waiting {
            self.hops = waiting.hop_limit.saturating_sub(packet.meta.hop_limit);
        }
        let unmarked = self.unmarked.remove(&id);
        if self.ghosts.remove(&id) {
            return Leave::Ghost;
        }
        if self.drops.remove(&id) {
            return Leave::Dropped;
        }
        if let Some(waiting) = waiting.filter(|waiting| waiting.moved) {
            packet.meta.enqueued_at = waiting.since;
        }
        if let Some(ecn) = unmarked {
            packet.set_ecn(ecn);
        }
        match self.marks.remove(&id) && packet.mark_ce() {
            true => Leave::Marked(order),
            false => Leave::Sent(order),
        }
    }

    /// Lets a packet of the queue go next, behind the packets put aside that come before it: those of its five-tuple.
    pub(super) fn send(&mut self, order: u64, packet: Packet) {
        if !self.kept.is_empty() {
            let tuple = packet.five_tuple();
            while let Some(place) = self.earliest(|kept| kept.order < order && kept.tuple == tuple) {
                let kept = self.kept.remove(place);
                self.next.push_back(Next::Transmit(kept.packet));
            }
        }
        self.next.push_back(Next::Transmit(packet));
    }

    /// Lets the link be busy with a packet that is not sent.
    pub(super) fn occupy(&mut self, length: u16) {
        self.next.push_back(Next::Service(length));
    }

    /// Takes what goes past queue and link.
    pub(super) fn pop_carried(&mut self) -> Option<Packet> {
        self.carried.pop_front()
    }

    /// Takes what goes next, if anything does. `is_empty` says that the queue is.
    pub(super) fn pop(&mut self, is_empty: bool) -> Option<Departure> {
        if let Some(next) = self.next.pop_front() {
            return Some(match next {
                Next::Transmit(packet) => Departure::Transmit(packet),
                Next::Service(length) => Departure::Service(length),
            });
        }
        let place = self.due(is_empty)?;
        Some(Departure::Transmit(self.kept.remove(place).packet))
    }

    /// The first packet put aside, if all that came before it have gone.
    fn due(&self, is_empty: bool) -> Option<usize> {
        let place = self.earliest(|_| true)?;
        let order = self.kept[place].order;
        // Behind the queue of a software switch, packets may be on their way to the link.
        let is_empty = is_empty && !self.takes_early;
        (is_empty || order == 0 || self.line.is_first(order)).then_some(place)
    }

    fn earliest(&self, is_meant: impl Fn(&Kept) -> bool) -> Option<usize> {
        let meant = self.kept.iter().enumerate().filter(|(_, kept)| is_meant(kept));
        meant.min_by_key(|(_, kept)| kept.order).map(|(place, _)| place)
    }

    /// Makes a packet leave as the switch would send it.
    fn make_ready(&self, packet: &mut Packet) {
        packet.meta.tag = 0;
        if self.hops > 0 {
            packet.set_hop_limit(packet.meta.hop_limit.saturating_sub(self.hops).max(1));
        }
    }
}

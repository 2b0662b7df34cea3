//! The line at a port: which packets wait, in the order in which they came.

use std::collections::VecDeque;

use jettison_core::Time;
use jettison_wire::{Ecn, FlowId, Packet};
use rustc_hash::FxHashMap;

/// Packets that were offered to a queue and have neither left nor been dropped.
#[derive(Debug, Clone, Default)]
pub(super) struct Line {
    by_packet: FxHashMap<u32, Waiting>,
    /// Order and packet; may also hold packets that are gone.
    order: VecDeque<(u64, u32)>,
    /// Orders given so far; the first is 1.
    last: u64,
    /// Packets that waited when the script began, and may still.
    pub(super) unknown: u64,
}

/// A packet that waits in a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waiting {
    /// Its place in the order of arrival at the queue.
    pub(super) order: u64,
    /// Its flow.
    pub flow: FlowId,
    /// IP length in bytes.
    pub length: u16,
    /// The ECN field with which it came.
    pub(super) ecn: Ecn,
    /// The hop limit with which it came to the queue.
    pub(super) hop_limit: u8,
    /// Whether the queue's discipline was exchanged while it waited.
    pub(super) moved: bool,
    /// When it came.
    pub since: Time,
}

impl Line {
    /// Adds a packet at the end; returns its place.
    pub(super) fn join(&mut self, packet: &Packet, now: Time) -> u64 {
        self.last += 1;
        let meta = &packet.meta;
        let waiting = Waiting {
            order: self.last,
            flow: meta.flow,
            length: meta.length,
            ecn: packet.ecn(),
            hop_limit: meta.hop_limit,
            moved: false,
            since: now,
        };
        self.by_packet.insert(meta.id, waiting);
        self.order.push_back((self.last, meta.id));
        self.last
    }

    /// Removes a packet. `None` for one that came before the script.
    pub(super) fn leave(&mut self, packet: u32) -> Option<Waiting> {
        let waiting = self.by_packet.remove(&packet);
        if waiting.is_none() {
            self.unknown = self.unknown.saturating_sub(1);
        }
        // Those that are gone are removed from the front only, so each is removed once.
        self.drop_gone();
        waiting
    }

    /// A waiting packet.
    pub(super) fn find(&self, packet: u32) -> Option<&Waiting> {
        self.by_packet.get(&packet)
    }

    /// Whether no packet waits that came before place `order`.
    pub(super) fn is_first(&self, order: u64) -> bool {
        self.unknown == 0 && self.order.front().is_none_or(|(first, _)| *first > order)
    }

    /// Whether `order` is the place that was given last.
    pub(super) fn is_last(&self, order: u64) -> bool {
        self.last == order
    }

    /// Number of known packets that wait.
    pub(super) fn len(&self) -> usize {
        self.by_packet.len()
    }

    /// Notes that all waiting packets move to another discipline.
    pub(super) fn move_all(&mut self) {
        self.by_packet.values_mut().for_each(|waiting| waiting.moved = true);
    }

    /// The waiting packets with their numbers, in the order of arrival.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &Waiting)> {
        self.order.iter().filter_map(|(order, packet)| {
            let waiting = self.by_packet.get(packet)?;
            (waiting.order == *order).then_some((*packet, waiting))
        })
    }

    fn drop_gone(&mut self) {
        while let Some((order, packet)) = self.order.front()
            && self.by_packet.get(packet).is_none_or(|waiting| waiting.order != *order)
        {
            self.order.pop_front();
        }
    }
}

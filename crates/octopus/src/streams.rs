//! State per stream: a stream is a flow's five-tuple and a stream id.

use jettison_core::{Duration, Time};
use jettison_wire::Packet;
use rustc_hash::FxHashMap;

/// Idle time after which a stream without packets in the queue is removed.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(10);

/// Number of slots examined for one to be reused in a full table: constant work per packet.
const EXAMINED: usize = 32;

/// State of type `T` per stream. A stream keeps its slot while it is active or has packets in the queue. In a full table a new
/// stream takes the slot of one without packets in the queue, that which has been silent for longest of some; if all of these
/// have packets, the new one is refused.
///
/// The key is a seeded hash of 64 bits: two given streams collide with a probability of about 1 in 10^19.
#[derive(Debug, Clone)]
pub struct Streams<T> {
    seed: u64,
    slots: FxHashMap<u64, u32>,
    entries: Vec<Entry<T>>,
    /// Unused slots.
    free: Vec<u32>,
    /// The slot to be checked next for an idle stream.
    hand: usize,
    /// Maximum number of streams.
    most: usize,
    refused: u64,
    evicted: u64,
}

#[derive(Debug, Clone)]
struct Entry<T> {
    key: u64,
    in_use: bool,
    /// The stream's packets in the queue.
    queued: u64,
    heard: Time,
    state: T,
}

impl<T: Default> Streams<T> {
    /// Creates an empty table of at most `most` streams (at least one); `seed` varies the hash of the streams.
    pub fn new(seed: u64, most: usize) -> Streams<T> {
        Streams {
            seed,
            slots: FxHashMap::default(),
            entries: Vec::new(),
            free: Vec::new(),
            hand: 0,
            most: most.max(1),
            refused: 0,
            evicted: 0,
        }
    }

    /// Records activity of a packet's stream at `now`; returns its slot. `None`, counted, if the table is full.
    #[inline]
    pub fn touch(&mut self, packet: &Packet, stream: u16, now: Time) -> Option<u32> {
        let seed = self.seed.wrapping_add(u64::from(stream).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let key = packet.flow_hash(seed);
        let slot = match self.slots.get(&key) {
            Some(slot) => *slot,
            None => self.admit(key)?,
        };
        self.entries[slot as usize].heard = now;
        self.forget_one(now);
        Some(slot)
    }

    #[cold]
    fn admit(&mut self, key: u64) -> Option<u32> {
        if self.free.is_empty() && self.entries.len() >= self.most && !self.evict() {
            self.refused += 1;
            return None;
        }
        let entry = Entry { key, in_use: true, queued: 0, heard: Time::ZERO, state: T::default() };
        let slot = match self.free.pop() {
            Some(slot) => {
                self.entries[slot as usize] = entry;
                slot
            }
            None => {
                self.entries.push(entry);
                (self.entries.len() - 1) as u32
            }
        };
        self.slots.insert(key, slot);
        Some(slot)
    }

    /// Frees the slot that has been silent for longest of the next [`EXAMINED`] without packets in the queue.
    fn evict(&mut self) -> bool {
        let count = self.entries.len();
        let next = (1..=EXAMINED.min(count)).map(|step| (self.hand + step) % count);
        let idle = next.filter(|at| self.entries[*at].in_use && self.entries[*at].queued == 0);
        let Some(oldest) = idle.min_by_key(|at| self.entries[*at].heard) else { return false };
        self.evicted += 1;
        self.hand = oldest;
        self.forget(oldest);
        true
    }

    fn forget(&mut self, at: usize) {
        let entry = &mut self.entries[at];
        entry.in_use = false;
        entry.state = T::default();
        self.slots.remove(&entry.key);
        self.free.push(at as u32);
    }

    /// Checks one slot per arrival: constant work, and every slot is checked regularly.
    #[inline]
    fn forget_one(&mut self, now: Time) {
        self.hand = if self.hand + 1 < self.entries.len() { self.hand + 1 } else { 0 };
        let entry = &self.entries[self.hand];
        if entry.in_use && entry.queued == 0 && now.since(entry.heard) > FORGOTTEN_AFTER {
            self.forget(self.hand);
        }
    }
}

impl<T> Streams<T> {
    /// Records that a packet of the stream in `slot` was enqueued.
    #[inline]
    pub fn enqueued(&mut self, slot: u32) {
        self.entries[slot as usize].queued += 1;
    }

    /// Records that a packet of the stream in `slot` left the queue.
    #[inline]
    pub fn dequeued(&mut self, slot: u32) {
        self.entries[slot as usize].queued -= 1;
    }

    /// Number of streams with a slot.
    pub fn count(&self) -> usize {
        self.slots.len()
    }

    /// Number of packets whose stream was refused a slot, and of streams that lost theirs to another.
    pub fn overflows(&self) -> (u64, u64) {
        (self.refused, self.evicted)
    }

    /// The state of a stream.
    #[inline]
    pub fn state(&mut self, slot: u32) -> &mut T {
        &mut self.entries[slot as usize].state
    }

    /// The states of all streams except that in `slot`; an unused slot has the default state.
    pub fn others(&mut self, slot: u32) -> impl Iterator<Item = &mut T> {
        let (before, rest) = self.entries.split_at_mut(slot as usize);
        before.iter_mut().chain(rest.iter_mut().skip(1)).map(|entry| &mut entry.state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::packet_of;

    #[test]
    fn a_stream_is_a_flow_and_an_id() {
        let mut streams = Streams::<u32>::new(7, 100);
        let mut slots = Vec::new();
        for flow in 0..3 {
            for stream in 0..3 {
                slots.extend(streams.touch(&packet_of(flow, 0, 100), stream, Time::ZERO));
            }
        }
        assert_eq!(slots, (0..9).collect::<Vec<_>>());
        assert_eq!(streams.touch(&packet_of(1, 5, 999), 2, Time::ZERO), Some(5));
        assert_eq!(streams.others(5).count(), 8);
    }

    #[test]
    fn an_idle_stream_without_packets_in_the_queue_is_removed() {
        let mut streams = Streams::<u32>::new(7, 100);
        for stream in 0..4 {
            let slot = streams.touch(&packet_of(0, 0, 100), stream, Time::ZERO).expect("there is room");
            *streams.state(slot) = 1 + slot;
        }
        streams.enqueued(2);
        let late = Time::from_secs(11);
        (0..4).for_each(|_| {
            streams.touch(&packet_of(0, 0, 100), 0, late);
        });
        assert_eq!((streams.slots.len(), streams.free.len()), (2, 2));
        assert_eq!((*streams.state(0), *streams.state(2)), (1, 3), "active, and enqueued");
        // A new stream reuses a free slot with fresh state.
        let slot = streams.touch(&packet_of(9, 0, 100), 0, late).expect("there is room");
        assert!(slot == 1 || slot == 3);
        assert_eq!(*streams.state(slot), 0);
        streams.dequeued(2);
        (0..8).for_each(|_| {
            streams.touch(&packet_of(0, 0, 100), 0, late);
        });
        assert_eq!((streams.slots.len(), streams.entries.len()), (2, 4));
    }

    #[test]
    fn a_full_table_gives_the_slot_of_a_silent_stream_to_a_new_one() {
        let mut streams = Streams::<u32>::new(7, 4);
        let mut touch = |stream, at| streams.touch(&packet_of(0, 0, 100), stream, Time::from_millis(at));
        for stream in 0..4 {
            assert_eq!(touch(stream, 10 * u64::from(stream)), Some(u32::from(stream)));
        }
        touch(0, 100);
        assert_eq!(touch(9, 101), Some(1), "1 has been silent for longest");
        streams.enqueued(2);
        let slot = streams.touch(&packet_of(0, 0, 100), 10, Time::from_millis(102));
        assert_eq!(slot, Some(3), "2 has a packet in the queue");
        assert_eq!((streams.count(), streams.overflows()), (4, (0, 2)));
    }

    #[test]
    fn a_full_table_of_streams_with_packets_in_the_queue_refuses_a_new_one() {
        let mut streams = Streams::<u32>::new(7, 100);
        for stream in 0..=u16::MAX {
            if let Some(slot) = streams.touch(&packet_of(0, 0, 100), stream, Time::ZERO) {
                streams.enqueued(slot);
            }
        }
        assert_eq!((streams.count(), streams.entries.len()), (100, 100));
        assert_eq!(streams.overflows(), (65_536 - 100, 0));
        streams.dequeued(0);
        while streams.touch(&packet_of(9, 0, 100), 0, Time::ZERO).is_none() {
            streams.touch(&packet_of(0, 0, 100), 1, Time::ZERO);
        }
        assert_eq!(streams.overflows().1, 1, "the hand comes round");
    }
}

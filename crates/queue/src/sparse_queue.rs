//! A queue whose entries can leave from the middle.

use std::collections::VecDeque;

use jettison_core::{RandomStream, Time};
use jettison_wire::Packet;

use crate::Backlog;
use crate::fifo::stamp;

/// Number of gaps that a row may have beyond one per entry before it is compacted.
const SLACK: usize = 8;

/// Numbered entries in order. An entry that leaves from the middle leaves a gap, so that no other entry moves; the caller closes
/// the gaps once they are the majority ([`is_sparse`](SparseQueue::is_sparse)). All operations take constant time on average.
#[derive(Debug, Clone)]
pub(crate) struct SparseQueue<T> {
    /// Entries and gaps. The first one is an entry, unless all is empty.
    row: VecDeque<Option<T>>,
    /// Number of the first entry; the others are counted on from it, gaps included.
    first: u64,
    gaps: usize,
}

impl<T> Default for SparseQueue<T> {
    fn default() -> SparseQueue<T> {
        SparseQueue { row: VecDeque::new(), first: 0, gaps: 0 }
    }
}

impl<T> SparseQueue<T> {
    /// Number of entries.
    #[inline]
    pub fn len(&self) -> usize {
        self.row.len() - self.gaps
    }

    /// Whether there is no entry.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.row.is_empty()
    }

    /// Appends an entry and returns its number.
    #[inline]
    pub fn push(&mut self, entry: T) -> u64 {
        self.row.push_back(Some(entry));
        self.first + self.row.len() as u64 - 1
    }

    /// The entry appended last, if it is still there.
    #[inline]
    fn last_mut(&mut self) -> Option<&mut T> {
        self.row.back_mut()?.as_mut()
    }

    /// Removes the first entry.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        let entry = self.row.pop_front()?;
        self.first += 1;
        self.skip_gaps();
        entry
    }

    #[inline]
    fn skip_gaps(&mut self) {
        while let Some(None) = self.row.front() {
            self.row.pop_front();
            self.first += 1;
            self.gaps -= 1;
        }
    }

    #[inline]
    fn index(&self, number: u64) -> usize {
        (number - self.first) as usize
    }

    /// The entry of this number.
    #[inline]
    pub fn entry(&self, number: u64) -> Option<&T> {
        self.row.get(self.index(number))?.as_ref()
    }

    /// The mutable entry of this number.
    #[inline]
    pub fn entry_mut(&mut self, number: u64) -> Option<&mut T> {
        let index = self.index(number);
        self.row.get_mut(index)?.as_mut()
    }

    /// Removes the entry of this number.
    pub fn remove(&mut self, number: u64) -> Option<T> {
        let index = self.index(number);
        let entry = self.row.get_mut(index)?.take()?;
        self.gaps += 1;
        self.skip_gaps();
        Some(entry)
    }

    /// Draws one of the entries and an arrival, all equally likely: the entry's number, or `None` for the arrival.
    pub fn draw(&self, random: &mut RandomStream) -> Option<u64> {
        loop {
            // In a long row at most every second draw finds a gap.
            let index = random.uniform(0, self.row.len() as u64);
            match self.row.get(index as usize) {
                None => return None,
                Some(Some(_)) => return Some(self.first + index),
                Some(None) => {}
            }
        }
    }

    /// Whether at least `depth` entries stand before the entry of this number.
    pub fn is_behind(&self, number: u64, depth: u64) -> bool {
        let before = number - self.first;
        if before < depth || self.gaps == 0 {
            return before >= depth;
        }
        let entries = self.row.iter().take(before as usize).flatten();
        entries.take(usize::try_from(depth).unwrap_or(usize::MAX)).count() as u64 == depth
    }

    /// Whether gaps are the majority, so that [`compact`](SparseQueue::compact) is due. Its cost is shared by the removals that
    /// made the gaps.
    #[inline]
    pub fn is_sparse(&self) -> bool {
        self.gaps > self.len() + SLACK
    }

    /// Closes all gaps. The entries are numbered anew, from the first one's number on.
    pub fn compact(&mut self) {
        self.row.retain(Option::is_some);
        self.gaps = 0;
    }

    /// The entries in order.
    #[cfg(test)]
    pub fn entries(&self) -> impl Iterator<Item = &T> {
        self.row.iter().flatten()
    }

    /// Number of the first entry.
    #[inline]
    pub fn first(&self) -> u64 {
        self.first
    }
}

/// A [`Fifo`](crate::Fifo) whose packets can leave from the middle.
#[derive(Debug, Clone, Default)]
pub(crate) struct SparseFifo {
    packets: SparseQueue<Packet>,
    bytes: u64,
}

impl SparseFifo {
    /// Appends a packet; stamps its arrival time and the number of packets in front of it.
    #[inline]
    pub fn push(&mut self, packet: Packet, now: Time) {
        let depth = self.packets.len() as u32;
        self.bytes += u64::from(packet.meta.length);
        self.packets.push(packet);
        stamp(self.packets.last_mut(), now, depth);
    }

    /// Removes the oldest packet.
    #[inline]
    pub fn pop(&mut self) -> Option<Packet> {
        let packet = self.packets.pop()?;
        self.bytes -= u64::from(packet.meta.length);
        Some(packet)
    }

    /// Draws one of the packets, or `None` for an arrival.
    pub fn draw(&self, random: &mut RandomStream) -> Option<u64> {
        self.packets.draw(random)
    }

    /// The packet that was drawn.
    pub fn drawn(&mut self, number: u64) -> Option<&mut Packet> {
        self.packets.entry_mut(number)
    }

    /// Removes the packet that was drawn. Numbers drawn before are void afterwards.
    pub fn remove(&mut self, number: u64) -> Option<Packet> {
        let packet = self.packets.remove(number)?;
        self.bytes -= u64::from(packet.meta.length);
        if self.packets.is_sparse() {
            self.packets.compact();
        }
        Some(packet)
    }

    /// The current backlog.
    #[inline]
    pub fn backlog(&self) -> Backlog {
        Backlog { packets: self.packets.len() as u64, bytes: self.bytes }
    }

    /// Whether the store is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::packet;
    use jettison_core::Seed;
    use proptest::prelude::*;

    fn draws() -> RandomStream {
        Seed(1).stream(&["sparse"])
    }

    proptest! {
        /// A list of (number, entry) in order, from which entries are deleted in linear time.
        #[test]
        fn behaves_as_a_list(steps in prop::collection::vec((0u8..4, any::<u16>()), 1..500), depth in 0u64..9) {
            let (mut queue, mut list) = (SparseQueue::default(), Vec::<(u64, u16)>::new());
            for (step, value) in steps {
                match step {
                    0 | 1 => {
                        let number = queue.push(value);
                        list.push((number, value));
                    }
                    2 if list.is_empty() => prop_assert_eq!(queue.pop(), None),
                    2 => prop_assert_eq!(queue.pop(), Some(list.remove(0).1)),
                    _ if list.is_empty() => {}
                    _ => {
                        let at = usize::from(value) % list.len();
                        let (number, value) = list.remove(at);
                        prop_assert_eq!(queue.entry(number), Some(&value));
                        prop_assert_eq!(queue.remove(number), Some(value));
                    }
                }
                if queue.is_sparse() {
                    queue.compact();
                    for (number, entry) in (queue.first()..).zip(&mut list) {
                        entry.0 = number;
                    }
                }
                prop_assert_eq!((queue.len(), queue.is_empty()), (list.len(), list.is_empty()));
                prop_assert!(queue.row.len() <= 2 * list.len() + SLACK);
                for (before, (number, value)) in list.iter().enumerate() {
                    prop_assert_eq!(queue.entry(*number), Some(value));
                    prop_assert_eq!(queue.is_behind(*number, depth), before as u64 >= depth);
                }
            }
        }
    }

    #[test]
    fn the_arrival_and_each_entry_are_drawn_equally_often() {
        let mut queue = SparseQueue::default();
        let numbers: Vec<u64> = (0..9).map(|value| queue.push(value)).collect();
        for gap in [0, 2, 3, 7] {
            queue.remove(numbers[gap]);
        }
        let (mut random, mut arrival, mut entries) = (draws(), 0u32, [0u32; 9]);
        for _ in 0..60_000 {
            match queue.draw(&mut random) {
                None => arrival += 1,
                Some(number) => entries[*queue.entry(number).expect("an entry")] += 1,
            }
        }
        for (value, count) in entries.iter().enumerate() {
            let expected = if [0, 2, 3, 7].contains(&value) { 0..1 } else { 9_600..10_400 };
            assert!(expected.contains(count), "{entries:?}");
        }
        assert!((9_600..10_400).contains(&arrival), "{arrival}");
        assert_eq!(SparseQueue::<u32>::default().draw(&mut random), None);
    }

    #[test]
    fn a_removed_packet_leaves_bytes_and_order_of_the_others_right() {
        let mut fifo = SparseFifo::default();
        (1..=4).for_each(|id| fifo.push(packet(id, 100 * id as u16), Time::from_millis(3)));
        assert_eq!(fifo.remove(2).map(|packet| packet.meta.id), Some(3));
        fifo.push(packet(5, 500), Time::from_millis(4));
        assert_eq!(fifo.backlog(), Backlog { packets: 4, bytes: 1200 });
        let left: Vec<_> =
            std::iter::from_fn(|| fifo.pop()).map(|p| (p.meta.id, p.meta.enq_qdepth)).collect();
        assert_eq!(left, [(1, 0), (2, 1), (4, 3), (5, 3)]);
        assert!(fifo.is_empty() && fifo.backlog() == Backlog::default());
    }

    #[test]
    fn a_gap_costs_no_more_than_a_packet() {
        assert_eq!(size_of::<Option<Packet>>(), size_of::<Packet>());
    }
}

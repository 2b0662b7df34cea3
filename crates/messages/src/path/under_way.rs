//! A controller's per-packet data for packets in flight.

use std::collections::VecDeque;

/// Packets in flight by sequence number, each with a value.
#[derive(Debug, Clone)]
pub(super) struct UnderWay<T> {
    /// In order of sequence numbers; entries of packets that arrived out of order are empty until they are the oldest.
    packets: VecDeque<(u64, Option<T>)>,
}

impl<T> UnderWay<T> {
    /// Creates an empty list.
    pub(super) fn new() -> UnderWay<T> {
        UnderWay { packets: VecDeque::new() }
    }

    /// Adds a packet. Sequence numbers increase; others are ignored.
    pub(super) fn push(&mut self, sequence: u64, value: T) {
        if self.packets.back().is_none_or(|(last, _)| *last < sequence) {
            self.packets.push_back((sequence, Some(value)));
        }
    }

    /// Removes a packet and returns its value.
    pub(super) fn take(&mut self, sequence: u64) -> Option<T> {
        let index = match self.packets.front() {
            Some((first, _)) if *first == sequence => 0,
            _ => self.packets.binary_search_by_key(&sequence, |packet| packet.0).ok()?,
        };
        let value = self.packets[index].1.take();
        while self.packets.front().is_some_and(|(_, value)| value.is_none()) {
            self.packets.pop_front();
        }
        value
    }

    /// The oldest packet in flight.
    pub(super) fn oldest(&self) -> Option<&T> {
        self.packets.front().and_then(|(_, value)| value.as_ref())
    }

    /// Whether no packet is in flight.
    pub(super) fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_removed_in_any_order() {
        let mut packets = UnderWay::new();
        for sequence in [3, 4, 7, 9] {
            packets.push(sequence, sequence * 10);
        }
        assert_eq!(packets.take(7), Some(70));
        assert_eq!(packets.take(7), None);
        assert_eq!(packets.take(5), None);
        assert_eq!(packets.oldest(), Some(&30));
        assert_eq!(packets.take(3), Some(30));
        assert_eq!(packets.take(4), Some(40));
        assert_eq!(packets.oldest(), Some(&90));
        packets.push(8, 80); // older than the newest: ignored
        assert_eq!(packets.take(9), Some(90));
        assert!(packets.is_empty());
    }
}

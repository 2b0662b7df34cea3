//! First-in-first-out packet store, used by most disciplines.

use std::collections::VecDeque;

use jettison_core::Time;
use jettison_wire::Packet;

use crate::Backlog;

/// Packets in arrival order, with a byte count.
#[derive(Debug, Clone, Default)]
pub struct Fifo {
    packets: VecDeque<Packet>,
    bytes: u64,
}

impl Fifo {
    /// Appends a packet; stamps its arrival time and the number of packets in front of it.
    #[inline]
    pub fn push(&mut self, packet: Packet, now: Time) {
        let depth = self.packets.len() as u32;
        self.bytes += u64::from(packet.meta.length);
        self.packets.push_back(packet);
        stamp(self.packets.back_mut(), now, depth);
    }

    /// Removes the oldest packet.
    #[inline]
    pub fn pop(&mut self) -> Option<Packet> {
        let packet = self.packets.pop_front()?;
        self.bytes -= u64::from(packet.meta.length);
        Some(packet)
    }

    /// The oldest packet.
    #[inline]
    pub fn head(&self) -> Option<&Packet> {
        self.packets.front()
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

/// Stamps a packet that has joined a queue behind `depth` others. To be called after the move into the queue: a narrow store
/// followed by a wide load of the same bytes would stall.
#[inline]
pub(crate) fn stamp(packet: Option<&mut Packet>, now: Time, depth: u32) {
    if let Some(packet) = packet {
        packet.meta.enqueued_at = now;
        packet.meta.enq_qdepth = depth;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::packet;

    #[test]
    fn stamps_time_and_depth_and_counts_bytes() {
        let mut fifo = Fifo::default();
        fifo.push(packet(1, 1500), Time::from_millis(3));
        fifo.push(packet(2, 40), Time::from_millis(4));
        assert_eq!(fifo.backlog(), Backlog { packets: 2, bytes: 1540 });
        let (first, second) = (fifo.pop().unwrap(), fifo.pop().unwrap());
        assert_eq!(
            (first.meta.id, first.meta.enqueued_at, first.meta.enq_qdepth),
            (1, Time::from_millis(3), 0)
        );
        assert_eq!(
            (second.meta.id, second.meta.enqueued_at, second.meta.enq_qdepth),
            (2, Time::from_millis(4), 1)
        );
        assert!(fifo.pop().is_none() && fifo.is_empty());
        assert_eq!(fifo.backlog(), Backlog::default());
    }
}

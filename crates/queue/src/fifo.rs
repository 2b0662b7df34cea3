//! The plain first-in-first-out store that most disciplines keep their packets in.

use std::collections::VecDeque;

use jettison_core::Time;
use jettison_wire::Packet;

use crate::Backlog;

/// Packets in order of arrival, with their bytes counted.
#[derive(Debug, Default)]
pub struct Fifo {
    packets: VecDeque<Packet>,
    bytes: u64,
}

/// How much a buffer holds: packets, bytes (IP length), or both, whichever is reached first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// Most packets; `u64::MAX` for no limit.
    pub packets: u64,
    /// Most bytes; `u64::MAX` for no limit.
    pub bytes: u64,
}

impl Limit {
    /// Whether a packet of `length` bytes still fits beside `backlog`.
    #[inline]
    pub fn admits(&self, backlog: Backlog, length: u16) -> bool {
        backlog.packets < self.packets && backlog.bytes.saturating_add(u64::from(length)) <= self.bytes
    }
}

impl Fifo {
    /// Appends a packet and stamps when, and behind how many others, it was queued.
    #[inline]
    pub fn push(&mut self, mut packet: Packet, now: Time) {
        packet.meta.enqueued_at = now;
        packet.meta.enq_qdepth = self.packets.len() as u32;
        self.bytes += u64::from(packet.meta.length);
        self.packets.push_back(packet);
    }

    /// Takes the oldest packet.
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

    /// Packets and bytes that wait.
    #[inline]
    pub fn backlog(&self) -> Backlog {
        Backlog { packets: self.packets.len() as u64, bytes: self.bytes }
    }

    /// Whether nothing waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }
}

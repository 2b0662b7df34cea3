//! The packet numbers of one sender: which of them have arrived, and which are plausible.

use jettison_core::{Duration, Time};
use jettison_tcp::ranges::RangeSet;

use super::in_flight::SPAN;
use super::limits::Limits;
use super::serial::unwrap_32;

/// Added to all numbers, so that none is below zero.
const ORIGIN: u64 = 1 << 32;

/// Received packets of one sequence of numbers.
#[derive(Debug, Clone, Default)]
pub(super) struct NumberSpace {
    /// No number below is plausible.
    start: u64,
    /// All packets below have arrived, or are so old that their sender has settled them.
    pub floor: u64,
    /// One past the newest packet.
    newest: u64,
    /// Packets received beyond the floor.
    pub beyond: RangeSet,
    /// Time of the last new packet.
    heard: Time,
    /// Number of the sender's restart.
    pub epoch: u32,
}

impl NumberSpace {
    /// The numbers from `first` on.
    pub fn new(first: u32) -> NumberSpace {
        let first = ORIGIN + u64::from(first);
        NumberSpace { start: first, floor: first, newest: first, ..NumberSpace::default() }
    }

    /// Numbers around `wire` of a sender that began with `first`.
    pub fn around(wire: u32, first: u32, epoch: u32, now: Time) -> NumberSpace {
        let newest = ORIGIN + u64::from(wire);
        // A sender has at most this many unsettled packets: all older ones count as arrived. A sender that has just
        // begun must not hear of packets before its first.
        let floor = newest - SPAN.min(u64::from(wire.wrapping_sub(first)));
        NumberSpace { start: floor, floor, newest, heard: now, epoch, ..NumberSpace::default() }
    }

    /// The number of a packet, if it is plausible: among the last [`SPAN`] before the newest, or little beyond.
    #[inline]
    pub fn plausible(&self, wire: u32) -> Option<u64> {
        let sequence = unwrap_32(self.newest, wire)?;
        let oldest = self.newest.saturating_sub(SPAN).max(self.start);
        (oldest..self.newest + Limits::REACH).contains(&sequence).then_some(sequence)
    }

    /// Whether `wire` is ahead of the newest packet rather than behind it.
    pub fn is_ahead(&self, wire: u32) -> bool {
        wire.wrapping_sub(self.newest as u32) as i32 >= 0
    }

    #[inline]
    pub fn is_new(&self, sequence: u64) -> bool {
        sequence >= self.floor && self.beyond.containing(sequence).is_none()
    }

    /// Whether all packets have arrived in order, and `sequence` is the next one.
    #[inline]
    pub fn is_next(&self, sequence: u64) -> bool {
        sequence == self.newest && self.beyond.is_empty()
    }

    /// Whether no new packet has arrived for `time`.
    #[inline]
    pub fn is_quiet(&self, time: Duration, now: Time) -> bool {
        now.since(self.heard) >= time
    }

    pub fn heard(&self) -> Time {
        self.heard
    }

    /// Records a new packet.
    #[inline]
    pub fn record(&mut self, sequence: u64, now: Time) {
        self.heard = now;
        if sequence == self.floor && self.beyond.is_empty() {
            self.floor += 1;
            self.newest = self.newest.max(self.floor);
            return;
        }
        self.newest = self.newest.max(sequence + 1);
        self.beyond.insert(sequence, sequence + 1);
        // The sender has at most this many unsettled packets: it has settled all older ones as arrived or lost.
        self.floor = self.floor.max(self.newest.saturating_sub(SPAN));
        self.beyond.remove_below(self.floor);
        if let Some((_, end)) = self.beyond.first().filter(|(start, _)| *start == self.floor) {
            self.floor = end;
            self.beyond.remove_below(end);
        }
    }
}

//! Segmentation offload: the bursts in which a host hands new data to its device.
//!
//! A host with offload gives its device one large segment, which leaves as packets back to back. Linux makes it as large as a
//! millisecond of the pacing rate, and computes that rate whether it paces or not. Measured in Linux 6.1; see the book,
//! "TCP", for the figures. Units: bytes.

use jettison_core::{Rate, Time};

use super::sender::Sender;
use crate::congestion::Phase;

/// Least segments of a burst.
const LEAST: u64 = 2;

/// Most bytes of a burst: those of an IP packet.
const MOST: u64 = 65_535;

/// The bytes of a burst at a pacing rate: those of 1/1024 s, in whole segments.
fn burst_at(rate: Rate, mss: u64) -> u64 {
    let segments = rate.as_bits() / 8 / 1024 / mss;
    segments.min(MOST / mss).max(LEAST) * mss
}

impl Sender {
    /// Whether the next new segment, of `length` bytes, leaves now: as part of the present burst, or as the first of the next
    /// one. Pacing, if any, waits between bursts.
    pub(super) fn offloaded(&mut self, flight: u64, length: u64, now: Time) -> bool {
        let begins = self.offload_left == 0;
        let burst = if begins { self.next_burst(flight) } else { Some(self.offload_left) };
        let Some(burst) = burst else {
            self.limited_until = self.board.next();
            return false;
        };
        if (begins || !self.is_paced()) && !self.may_leave(length, now) {
            return false;
        }
        self.offload_left = burst;
        true
    }

    /// The bytes of the next burst. One that the window does not hold waits for ACKs (`None`), unless a third of the window is
    /// free, no ACK is due, or losses are being repaired. The last data waits for no more.
    fn next_burst(&self, flight: u64) -> Option<u64> {
        let burst = match self.reference_rate() {
            Some(rate) => burst_at(rate, self.mss),
            // Before the first RTT sample.
            None => MOST / self.mss * self.mss,
        };
        let whole = burst.min(self.unsent());
        let room = self.window.saturating_sub(flight);
        let waits = room < whole
            && room < self.window / 3
            && matches!(self.phase, Phase::Open | Phase::Cwr)
            && !self.board.is_empty();
        (!waits).then(|| whole.min(room))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bursts_are_as_large_as_those_of_a_kernel() {
        // Pacing rates in bytes/s and the segments of most bursts, Linux 6.1 with segments of 1,448 bytes.
        for (rate, segments) in
            [(4_971_000, 3), (47_600_000, 32), (12_450_000, 8), (1_250_000, 2), (7_274_343, 4)]
        {
            assert_eq!(burst_at(Rate::from_bits(rate * 8), 1448), segments * 1448, "{rate}");
        }
    }

    #[test]
    fn bursts_end_at_an_ip_packet() {
        assert_eq!(burst_at(Rate::from_mbit(10_000), 1448), 45 * 1448);
        assert_eq!(burst_at(Rate::from_bits(1_000), 1448), 2 * 1448);
    }
}

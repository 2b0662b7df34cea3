//! RTCP receiver reports (RFC 3550 §6.4.2): format and loss accounting.

use jettison_core::Duration;
use jettison_wire::InlineBytes;

/// A receiver report with one report block of 32 bytes.
///
/// A port has a single source here, so the source identifiers are zero. No sender reports are sent, so the two fields
/// that refer to them are zero too, as §6.4.1 requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReceiverReport {
    /// Fraction of packets lost since the previous report, in 256ths.
    pub fraction_lost: u8,
    /// Cumulative number of packets lost; negative after duplicates. 24 bits.
    pub cumulative_lost: i32,
    /// Extended highest sequence number received.
    pub highest: u32,
    /// Interarrival jitter in timestamp units of the 90 kHz video clock (RFC 3551 §5).
    pub jitter: u32,
}

/// Version 2, no padding, one report block.
const FIRST_BYTE: u8 = 0x81;
/// Packet type RR.
const PACKET_TYPE: u8 = 201;

impl ReceiverReport {
    /// Length in bytes.
    pub const LENGTH: usize = 32;

    /// Serializes the report.
    pub fn emit(self) -> InlineBytes {
        let mut bytes = [0; ReceiverReport::LENGTH];
        // The length field counts 32-bit words minus one.
        bytes[..4].copy_from_slice(&[FIRST_BYTE, PACKET_TYPE, 0, ReceiverReport::LENGTH as u8 / 4 - 1]);
        bytes[12..16].copy_from_slice(&self.cumulative_lost.to_be_bytes());
        bytes[12] = self.fraction_lost;
        bytes[16..20].copy_from_slice(&self.highest.to_be_bytes());
        bytes[20..24].copy_from_slice(&self.jitter.to_be_bytes());
        InlineBytes::new(&bytes).expect("32 bytes fit in 40")
    }

    /// Parses a report; `None` unless it is a receiver report with one block.
    pub fn parse(payload: &[u8]) -> Option<ReceiverReport> {
        let bytes: &[u8; ReceiverReport::LENGTH] = payload.first_chunk()?;
        if bytes[0] != FIRST_BYTE || bytes[1] != PACKET_TYPE || bytes[2..4] != [0, 7] {
            return None;
        }
        let word = |at: usize| u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        Some(ReceiverReport {
            fraction_lost: bytes[12],
            // Extend the sign of the 24-bit value.
            cumulative_lost: ((word(12) << 8) as i32) >> 8,
            highest: word(16),
            jitter: word(20),
        })
    }
}

/// Reception statistics for reports (RFC 3550 appendix A.3), from the first packet on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reception {
    first: u64,
    highest: u64,
    received: u64,
    expected_before: u64,
    received_before: u64,
}

impl Reception {
    /// Starts at the first packet.
    pub(crate) fn begin(sequence: u64) -> Reception {
        Reception { first: sequence, highest: sequence, received: 0, expected_before: 0, received_before: 0 }
    }

    /// Counts a packet, including the first one.
    #[inline]
    pub(crate) fn count(&mut self, sequence: u64) {
        self.received += 1;
        self.highest = self.highest.max(sequence);
    }

    /// Returns the next report; `None` if no packet arrived since the last one (§6.4: such a source gets no block).
    pub(crate) fn report(&mut self, jitter: Duration) -> Option<ReceiverReport> {
        if self.received == self.received_before {
            return None;
        }
        let expected = self.highest.saturating_sub(self.first) + 1;
        let expected_since = expected - self.expected_before;
        let received_since = self.received - self.received_before;
        (self.expected_before, self.received_before) = (expected, self.received);
        let lost_since = expected_since.saturating_sub(received_since);
        let fraction = (lost_since << 8).checked_div(expected_since).unwrap_or(0);
        let cumulative = expected as i64 - self.received as i64;
        Some(ReceiverReport {
            fraction_lost: fraction.min(255) as u8,
            cumulative_lost: cumulative.clamp(-0x80_0000, 0x7f_ffff) as i32,
            highest: self.highest as u32,
            jitter: (jitter.as_nanos() * 9 / 100_000) as u32,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_report_has_the_layout_of_rfc_3550_section_6_4_2() {
        let report =
            ReceiverReport { fraction_lost: 64, cumulative_lost: 258, highest: 0x0001_0203, jitter: 7 };
        let bytes = report.emit();
        let expected: [u8; 32] = [
            0x81, 201, 0, 7, 0, 0, 0, 0, // V=2, RC=1, RR, length; the reporter
            0, 0, 0, 0, 64, 0, 1, 2, // the source; fraction and cumulative number lost
            0, 1, 2, 3, 0, 0, 0, 7, // highest sequence number; jitter
            0, 0, 0, 0, 0, 0, 0, 0, // no sender report
        ];
        assert_eq!(bytes.as_slice(), expected);
        assert_eq!(ReceiverReport::parse(&expected), Some(report));
    }

    #[test]
    fn other_packets_are_refused() {
        let report = ReceiverReport { fraction_lost: 0, cumulative_lost: 0, highest: 0, jitter: 0 };
        let good = report.emit();
        assert_eq!(ReceiverReport::parse(&good.as_slice()[..31]), None);
        for (at, byte) in [(0, 0x80), (1, 200), (3, 6)] {
            let mut bytes: [u8; 32] = *good.as_slice().first_chunk().unwrap();
            bytes[at] = byte;
            assert_eq!(ReceiverReport::parse(&bytes), None);
        }
    }

    #[test]
    fn fractions_are_of_the_interval_and_cumulative_counts_of_all_appendix_a_3() {
        let mut reception = Reception::begin(10);
        [10, 11, 13].iter().for_each(|n| reception.count(*n));
        let first = reception.report(Duration::from_millis(1)).unwrap();
        // One of four packets; 1 ms is 90 ticks.
        assert_eq!(
            (first.fraction_lost, first.cumulative_lost, first.highest, first.jitter),
            (64, 1, 13, 90)
        );
        assert_eq!(reception.report(Duration::ZERO), None);
        [14, 15].iter().for_each(|n| reception.count(*n));
        let second = reception.report(Duration::ZERO).unwrap();
        assert_eq!((second.fraction_lost, second.cumulative_lost, second.highest), (0, 1, 15));
        // A late packet reduces the cumulative loss; a negative fraction is reported as zero (§6.4.1).
        [12, 16].iter().for_each(|n| reception.count(*n));
        let third = reception.report(Duration::ZERO).unwrap();
        assert_eq!((third.fraction_lost, third.cumulative_lost), (0, 0));
    }

    proptest! {
        #[test]
        fn reports_round_trip(fraction_lost: u8, cumulative_lost in -0x80_0000..0x80_0000, highest: u32, jitter: u32) {
            let report = ReceiverReport { fraction_lost, cumulative_lost, highest, jitter };
            prop_assert_eq!(ReceiverReport::parse(report.emit().as_slice()), Some(report));
        }

        #[test]
        fn any_bytes_are_read_or_refused(payload in prop::collection::vec(any::<u8>(), 0..40)) {
            let _ = ReceiverReport::parse(&payload);
        }
    }
}

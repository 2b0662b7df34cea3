//! Congestion control feedback for RTP (RFC 8888 §3.1): which packets came, when, and with which ECN field.
//!
//! The text of the RFC could not be obtained: the format is from memory. A report has at most ten packets here, which are the
//! 40 bytes that a modelled datagram can hold.

use jettison_core::Time;
use jettison_wire::{Ecn, InlineBytes};

/// Most packets of a report.
pub(in crate::realtime) const MOST: usize = 10;

/// When a packet arrived, and whether with Congestion Experienced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::realtime) struct Arrival {
    pub at: Time,
    pub is_marked: bool,
}

/// A report on consecutive sequence numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::realtime) struct Report {
    first: u16,
    count: u8,
    /// For each packet: received (bit 15), ECN (bits 13 and 14), age at the report's making (in 1/1,024 s).
    blocks: [u16; MOST],
    /// When it was made, in 1/65,536 s.
    made: u32,
}

// Version 2, FMT 11 (CCFB); packet type RTPFB.
const FIRST_BYTE: u8 = 0x80 | 11;
const PACKET_TYPE: u8 = 205;
/// RTCP header and SSRC of the sender, SSRC of the source, first number and count, time.
const FIXED: usize = 20;
/// The oldest age, and that of a packet that is older.
const OLDEST: u64 = 0x1ffd;
const OLDER: u64 = 0x1ffe;
const RECEIVED: u16 = 0x8000;

impl Report {
    /// A report of packets from number `first` on, at `now`.
    pub(in crate::realtime) fn new(first: u64, packets: &[Option<(Time, Ecn)>], now: Time) -> Report {
        let mut blocks = [0; MOST];
        for (block, packet) in blocks.iter_mut().zip(packets) {
            if let Some((at, ecn)) = packet {
                let age = (now.since(*at).as_nanos() << 10) / 1_000_000_000;
                let age = if age > OLDEST { OLDER } else { age };
                *block = RECEIVED | (*ecn as u16) << 13 | age as u16;
            }
        }
        let made = ((u128::from(now.as_nanos()) << 16) / 1_000_000_000) as u32;
        Report { first: first as u16, count: packets.len().min(MOST) as u8, blocks, made }
    }

    /// When it was made, by the receiver's clock; that starts anew every 65,536 s.
    pub(in crate::realtime) fn made_at(&self) -> Time {
        Time::from_nanos((u64::from(self.made) * 1_000_000_000) >> 16)
    }

    /// The packets by number, `None` for those that have not come. `near` is a number that is not far from them.
    pub(in crate::realtime) fn packets(
        &self,
        near: u64,
    ) -> impl Iterator<Item = (u64, Option<Arrival>)> + '_ {
        let ahead = i64::from(self.first.wrapping_sub(near as u16) as i16);
        let first = near.saturating_add_signed(ahead);
        (first..).zip(&self.blocks[..usize::from(self.count)]).map(|(number, block)| {
            let arrival = (block & RECEIVED != 0).then(|| {
                let age = (u64::from(block & 0x1fff) * 1_000_000_000) >> 10;
                let at = Time::from_nanos(self.made_at().as_nanos().saturating_sub(age));
                Arrival { at, is_marked: block >> 13 & 3 == Ecn::Ce as u16 }
            });
            (number, arrival)
        })
    }

    /// Length in bytes: blocks are padded to words.
    pub(in crate::realtime) fn length(&self) -> usize {
        FIXED + usize::from(self.count).next_multiple_of(2) * 2
    }

    /// Serializes the report. A port has a single source here, so the source identifiers are zero.
    pub(in crate::realtime) fn emit(&self) -> InlineBytes {
        let mut bytes = [0; InlineBytes::CAPACITY];
        let length = self.length();
        bytes[..4].copy_from_slice(&[FIRST_BYTE, PACKET_TYPE, 0, (length / 4 - 1) as u8]);
        bytes[12..14].copy_from_slice(&self.first.to_be_bytes());
        bytes[14..16].copy_from_slice(&u16::from(self.count).to_be_bytes());
        for (place, block) in bytes[16..length - 4].chunks_exact_mut(2).zip(self.blocks) {
            place.copy_from_slice(&block.to_be_bytes());
        }
        bytes[length - 4..length].copy_from_slice(&self.made.to_be_bytes());
        InlineBytes::new(&bytes[..length]).expect("20 bytes and ten blocks are 40")
    }

    /// Parses a report; `None` unless it is one of a single source.
    pub(in crate::realtime) fn parse(payload: &[u8]) -> Option<Report> {
        let fixed: &[u8; 16] = payload.first_chunk()?;
        let length = 4 * (usize::from(u16::from_be_bytes([fixed[2], fixed[3]])) + 1);
        let count = usize::from(u16::from_be_bytes([fixed[14], fixed[15]]));
        let is_report = fixed[0] == FIRST_BYTE && fixed[1] == PACKET_TYPE;
        if !is_report || count > MOST || length != FIXED + count.next_multiple_of(2) * 2 {
            return None;
        }
        let (rest, made) = payload.get(16..length)?.split_last_chunk::<4>()?;
        let mut blocks = [0; MOST];
        for (block, bytes) in blocks[..count].iter_mut().zip(rest.chunks_exact(2)) {
            *block = u16::from_be_bytes([bytes[0], bytes[1]]);
        }
        let first = u16::from_be_bytes([fixed[12], fixed[13]]);
        Some(Report { first, count: count as u8, blocks, made: u32::from_be_bytes(*made) })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_report_has_the_layout_of_rfc_8888_section_3_1() {
        let at = |ms| Time::from_millis(ms);
        let packets = [Some((at(1000), Ecn::Ect1)), None, Some((at(1500), Ecn::Ce))];
        let report = Report::new(0x10_0102, &packets, at(1500));
        let expected: [u8; 28] = [
            0x8b, 205, 0, 6, 0, 0, 0, 0, // version, FMT, RTPFB, length; the receiver
            0, 0, 0, 0, 1, 2, 0, 3, // the source, first number, number of packets
            0xa2, 0, 0, 0, 0xe0, 0, 0,
            0, // received, ECT(1), 512/1,024 s; not received; CE, 0 s; padding
            0, 1, 0x80, 0, // 1.5 s
        ];
        assert_eq!(report.emit().as_slice(), expected);
        assert_eq!(Report::parse(&expected), Some(report));
        let read: Vec<_> = report.packets(0x10_00ff).collect();
        assert_eq!(
            read.iter().map(|(number, _)| *number).collect::<Vec<_>>(),
            [0x10_0102, 0x10_0103, 0x10_0104]
        );
        let first = read[0].1.expect("received");
        assert_eq!((first.is_marked, first.at), (false, at(1000)));
        assert_eq!(read[1].1, None);
        assert!(read[2].1.expect("received").is_marked);
    }

    #[test]
    fn numbers_are_those_near_what_is_known() {
        let report = Report::new(65_540, &[Some((Time::ZERO, Ecn::NotEct))], Time::ZERO);
        for near in [65_000, 65_540, 70_000] {
            assert_eq!(report.packets(near).next().map(|(number, _)| number), Some(65_540));
        }
    }

    proptest! {
        #[test]
        fn reports_round_trip(first in 0u64..1 << 40, ages in prop::collection::vec(prop::option::of(0u64..20_000), 1..11)) {
            let now = Time::from_secs(30);
            let packets: Vec<_> = ages
                .iter()
                .map(|age| age.map(|ms| (Time::from_millis(30_000 - ms), Ecn::Ect1)))
                .collect();
            let report = Report::new(first, &packets, now);
            prop_assert_eq!(Report::parse(report.emit().as_slice()), Some(report));
            let numbers: Vec<_> = report.packets(first).map(|(number, arrival)| (number, arrival.is_some())).collect();
            let expected: Vec<_> = (first..).zip(packets.iter().map(Option::is_some)).collect();
            prop_assert_eq!(numbers, expected);
        }

        #[test]
        fn any_bytes_are_read_or_refused(payload in prop::collection::vec(any::<u8>(), 0..40)) {
            if let Some(report) = Report::parse(&payload) {
                let _ = report.packets(7).count();
            }
        }
    }
}

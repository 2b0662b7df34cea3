//! Acknowledgements on the wire.
//!
//! They follow the [`SequenceHeader`] (kind 2; `sequence` is the packet that triggered the ACK, `index` holds its ECN
//! field in the two low bits and a count of marked packets, modulo 2^14, above): the packet's arrival in microseconds
//! of the receiver's clock, the cumulative acknowledgement, and up to three blocks of packets beyond that, each from a
//! first sequence number to one past the last (RFC 2018 §3). 16 to 40 bytes, in network byte order.

use jettison_wire::{Ecn, InlineBytes, PacketKind, SequenceHeader};

/// An acknowledgement; numbers as on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ack {
    /// The packet that triggered it.
    pub sequence: u32,
    /// The ECN field of that packet on arrival.
    pub ecn: Ecn,
    /// Number of data packets received with Congestion Experienced, modulo 2^14.
    pub ce_count: u16,
    /// Arrival time of that packet, in microseconds.
    pub arrived_at: u32,
    /// All packets below have arrived, or are so old that the sender has settled them.
    pub cumulative: u32,
    /// Packets received beyond; the block with the triggering packet comes first.
    pub blocks: Blocks,
}

/// Up to three half-open ranges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Blocks {
    ranges: [(u32, u32); Blocks::MAX],
    count: usize,
}

impl Blocks {
    /// Maximum number of blocks.
    pub const MAX: usize = 3;
    const LENGTH: usize = 8;

    /// Adds a range; returns whether there was room.
    pub fn push(&mut self, start: u32, end: u32) -> bool {
        let Some(place) = self.ranges.get_mut(self.count) else { return false };
        *place = (start, end);
        self.count += 1;
        true
    }

    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.ranges[..self.count].iter().copied()
    }
}

impl Ack {
    /// Modulus of the count of marks.
    pub const CE_MODULUS: u16 = 1 << 14;
    const FIXED: usize = SequenceHeader::LENGTH + 8;

    /// Encodes the ACK.
    pub fn emit(&self) -> InlineBytes {
        let index = (self.ce_count % Ack::CE_MODULUS) << 2 | self.ecn as u16;
        let header = SequenceHeader { kind: PacketKind::Ack, flags: 0, index, sequence: self.sequence };
        let mut bytes = [0; InlineBytes::CAPACITY];
        let mut length = 0;
        let mut put = |field: &[u8]| {
            bytes[length..length + field.len()].copy_from_slice(field);
            length += field.len();
        };
        put(&header.emit());
        put(&self.arrived_at.to_be_bytes());
        put(&self.cumulative.to_be_bytes());
        for (start, end) in self.blocks.iter() {
            put(&start.to_be_bytes());
            put(&end.to_be_bytes());
        }
        InlineBytes::new(&bytes[..length]).unwrap_or_default()
    }

    /// Decodes an ACK from the whole datagram; `None` if its length is invalid.
    pub fn parse(header: &SequenceHeader, datagram: &[u8]) -> Option<Ack> {
        let word = |at: usize| datagram.get(at..)?.first_chunk().map(|bytes| u32::from_be_bytes(*bytes));
        let rest = datagram.len().checked_sub(Ack::FIXED)?;
        if rest % Blocks::LENGTH != 0 || rest > Blocks::MAX * Blocks::LENGTH {
            return None;
        }
        let mut blocks = Blocks::default();
        for at in (Ack::FIXED..datagram.len()).step_by(Blocks::LENGTH) {
            blocks.push(word(at)?, word(at + 4)?);
        }
        Some(Ack {
            sequence: header.sequence,
            ecn: ecn_of(header.index as u8),
            ce_count: header.index >> 2,
            arrived_at: word(SequenceHeader::LENGTH)?,
            cumulative: word(SequenceHeader::LENGTH + 4)?,
            blocks,
        })
    }
}

/// The ECN field in the two low bits of a traffic class (RFC 3168 §5).
pub(super) fn ecn_of(traffic_class: u8) -> Ecn {
    match traffic_class & 3 {
        0 => Ecn::NotEct,
        1 => Ecn::Ect1,
        2 => Ecn::Ect0,
        _ => Ecn::Ce,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn acks_survive_encoding(
            sequence: u32, ecn in 0u8..4, ce_count in 0u16..1 << 14, arrived_at: u32, cumulative: u32,
            ranges in prop::collection::vec(any::<(u32, u32)>(), 0..4),
        ) {
            let mut blocks = Blocks::default();
            for (start, end) in ranges {
                prop_assert!(blocks.push(start, end));
            }
            let ack = Ack { sequence, ecn: ecn_of(ecn), ce_count, arrived_at, cumulative, blocks };
            let bytes = ack.emit();
            prop_assert!(bytes.as_slice().len() <= 40);
            let header = SequenceHeader::parse(bytes.as_slice()).expect("it begins with one");
            prop_assert_eq!(header.kind, PacketKind::Ack);
            prop_assert_eq!(Ack::parse(&header, bytes.as_slice()), Some(ack));
        }

        #[test]
        fn any_bytes_are_read_or_not_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            if let Some(header) = SequenceHeader::parse(&bytes) {
                let read = Ack::parse(&header, &bytes);
                prop_assert_eq!(read.is_some(), [16, 24, 32, 40].contains(&bytes.len()));
            }
        }
    }

    #[test]
    fn a_fourth_block_does_not_fit() {
        let mut blocks = Blocks::default();
        assert!(blocks.push(1, 2) && blocks.push(3, 4) && blocks.push(5, 6) && !blocks.push(7, 8));
        assert_eq!(blocks.iter().count(), 3);
    }
}

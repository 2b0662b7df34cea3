//! PDU set marking (3GPP TS 26.522 §4.2, release 18): the PDU set of a packet, its importance, and the end of a burst.
//!
//! The fields and their widths are those of V18.1.0: E (1 bit), D (1), PSI (4), PSSN (10), PSN (6), then PSSize (24) and NPDS (16),
//! each of which the session may leave out; the length tells which are there. E, two reserved bits and D precede PSI here; where
//! the two reserved bits stand is from memory, not from the text.

use crate::LabelError;

/// A PDU set marking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PduSetMarking {
    /// E: last PDU of its PDU set.
    pub end_of_set: bool,
    /// D: last PDU of a data burst.
    pub end_of_burst: bool,
    /// PSI: importance, 1 (highest) to 15 (lowest); 0: the sender cannot tell.
    pub importance: u8,
    /// PSSN: number of the PDU set, 10 bits.
    pub set: u16,
    /// PSN: number of the PDU within its set, 6 bits, from 0.
    pub number: u8,
    /// PSSize: bytes of the PDU set with RTP, UDP and IP headers, 24 bits; 0: unknown.
    pub size: Option<u32>,
    /// NPDS: number of PDUs in the set; 0: unknown.
    pub count: Option<u16>,
}

/// Width of PSSN.
pub const SET_BITS: u32 = 10;

impl PduSetMarking {
    /// Reads the data of an extension element. Reserved bits are ignored.
    ///
    /// # Errors
    /// If the length is none of 3, 5, 6 and 8 bytes.
    pub fn parse(data: &[u8]) -> Result<PduSetMarking, LabelError> {
        let (size, count) = match *data {
            [_, _, _] => (None, None),
            [_, _, _, n0, n1] => (None, Some([n0, n1])),
            [_, _, _, s0, s1, s2] => (Some([0, s0, s1, s2]), None),
            [_, _, _, s0, s1, s2, n0, n1] => (Some([0, s0, s1, s2]), Some([n0, n1])),
            _ => return Err(LabelError::Malformed("a PDU set marking has 3, 5, 6 or 8 bytes")),
        };
        let numbers = u16::from_be_bytes([data[1], data[2]]);
        Ok(PduSetMarking {
            end_of_set: data[0] & 0x80 != 0,
            end_of_burst: data[0] & 0x10 != 0,
            importance: data[0] & 0x0f,
            set: numbers >> 6,
            number: (numbers & 0x3f) as u8,
            size: size.map(u32::from_be_bytes),
            count: count.map(u16::from_be_bytes),
        })
    }

    /// Writes the data of an extension element.
    ///
    /// # Errors
    /// If a value does not fit its field.
    pub fn emit(&self) -> Result<Vec<u8>, LabelError> {
        let fits = [
            (u32::from(self.importance) < 16, "the PDU set importance"),
            (self.set < 1 << SET_BITS, "the PDU set sequence number"),
            (self.number < 64, "the PDU sequence number"),
            (self.size.unwrap_or(0) < 1 << 24, "the PDU set size"),
        ];
        if let Some((_, field)) = fits.into_iter().find(|(fits, _)| !fits) {
            return Err(LabelError::TooLarge(field));
        }
        let mut out =
            vec![u8::from(self.end_of_set) << 7 | u8::from(self.end_of_burst) << 4 | self.importance];
        out.extend((self.set << 6 | u16::from(self.number)).to_be_bytes());
        if let Some(size) = self.size {
            out.extend_from_slice(&size.to_be_bytes()[1..]);
        }
        if let Some(count) = self.count {
            out.extend(count.to_be_bytes());
        }
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_fields_follow_each_other_with_their_widths() {
        let marking = PduSetMarking {
            end_of_set: true,
            importance: 5,
            set: 0x201,
            number: 0x3e,
            size: Some(0x01_02_03),
            count: Some(0x0405),
            ..PduSetMarking::default()
        };
        // 1 00 0 0101 | 10 0000 0001 | 11 1110 | PSSize | NPDS
        assert_eq!(marking.emit().unwrap(), [0x85, 0x80, 0x7e, 1, 2, 3, 4, 5]);
        let burst = PduSetMarking { end_of_burst: true, ..PduSetMarking::default() };
        assert_eq!(burst.emit().unwrap(), [0x10, 0, 0]);
    }

    #[test]
    fn reserved_bits_are_ignored() {
        assert_eq!(PduSetMarking::parse(&[0x60, 0, 0]), PduSetMarking::parse(&[0, 0, 0]));
    }

    #[test]
    fn values_above_their_fields_are_refused() {
        let wrong = PduSetMarking { number: 64, ..PduSetMarking::default() };
        assert_eq!(wrong.emit(), Err(LabelError::TooLarge("the PDU sequence number")));
    }

    proptest! {
        #[test]
        fn what_was_written_is_read(
            end_of_set: bool, end_of_burst: bool, importance in 0u8..16, set in 0u16..1024, number in 0u8..64,
            size in prop::option::of(0u32..1 << 24), count: Option<u16>,
        ) {
            let marking = PduSetMarking { end_of_set, end_of_burst, importance, set, number, size, count };
            prop_assert_eq!(PduSetMarking::parse(&marking.emit().unwrap()), Ok(marking));
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..12)) {
            if let Ok(marking) = PduSetMarking::parse(&bytes) {
                prop_assert_eq!(marking.emit().unwrap().len(), bytes.len());
            }
        }
    }
}

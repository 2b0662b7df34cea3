//! Requests of the receiver: NACK and PLI (RFC 4585 §6.2.1, §6.3.1).

use jettison_wire::InlineBytes;

const RTPFB: u8 = 205;
const PSFB: u8 = 206;
/// Header, and the two sources, which are zero: a port has a single one here.
const FIXED: usize = 12;
/// Entries that a modelled datagram can hold.
const MOST: usize = (InlineBytes::CAPACITY - FIXED) / 4;

/// A generic NACK of the first of these numbers, ascending, and of as many as fit; returns it and how many it asks for.
pub(super) fn nack(numbers: &[u64]) -> (InlineBytes, usize) {
    let mut bytes = [0; InlineBytes::CAPACITY];
    let (mut entries, mut used) = (0, 0);
    while used < numbers.len() && entries < MOST {
        // A packet and a mask of the sixteen that follow it.
        let first = numbers[used];
        let near = numbers[used + 1..].iter().take_while(|number| **number - first <= 16).count();
        let mask =
            numbers[used + 1..][..near].iter().fold(0u16, |mask, number| mask | 1 << (number - first - 1));
        let at = FIXED + 4 * entries;
        bytes[at..at + 2].copy_from_slice(&(first as u16).to_be_bytes());
        bytes[at + 2..at + 4].copy_from_slice(&mask.to_be_bytes());
        (entries, used) = (entries + 1, used + 1 + near);
    }
    let length = FIXED + 4 * entries;
    bytes[..4].copy_from_slice(&[0x80 | 1, RTPFB, 0, (length / 4 - 1) as u8]);
    (InlineBytes::new(&bytes[..length]).expect("at most 40 bytes"), used)
}

/// The numbers that a NACK asks for, low bits alone; none if it is something else.
pub(super) fn nacked(payload: &[u8]) -> impl Iterator<Item = u16> + '_ {
    let is_nack = payload.len() >= FIXED && payload[0] == 0x81 && payload[1] == RTPFB;
    let entries = if is_nack { &payload[FIXED..] } else { &[] };
    entries.chunks_exact(4).flat_map(|entry| {
        let first = u16::from_be_bytes([entry[0], entry[1]]);
        let mask = u16::from_be_bytes([entry[2], entry[3]]);
        let others = (0..16).filter(move |bit| mask >> bit & 1 == 1);
        std::iter::once(first).chain(others.map(move |bit| first.wrapping_add(bit + 1)))
    })
}

/// A picture loss indication.
pub(super) fn pli() -> InlineBytes {
    let mut bytes = [0; FIXED];
    bytes[..4].copy_from_slice(&[0x80 | 1, PSFB, 0, 2]);
    InlineBytes::new(&bytes).expect("twelve bytes fit")
}

/// Whether a message is a picture loss indication.
pub(super) fn is_pli(payload: &[u8]) -> bool {
    payload.len() >= FIXED && payload[0] == 0x81 && payload[1] == PSFB
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn rfc4585_6_2_1_a_nack_has_a_number_and_a_mask_of_those_behind() {
        let (bytes, used) = nack(&[10, 11, 26, 27, 65_546]);
        assert_eq!(used, 5);
        let entries = [0, 10, 0x80, 1, 0, 27, 0, 0, 0, 10, 0, 0];
        assert_eq!(bytes.as_slice()[..4], [0x81, 205, 0, 5]);
        assert_eq!(bytes.as_slice()[12..], entries);
        assert_eq!(nacked(bytes.as_slice()).collect::<Vec<u16>>(), [10, 11, 26, 27, 10]);
    }

    #[test]
    fn a_nack_asks_for_what_fits() {
        let numbers: Vec<u64> = (0..20).map(|n| 100 * n).collect();
        assert_eq!(nack(&numbers).1, 7);
    }

    #[test]
    fn rfc4585_6_3_1_a_pli_has_no_more_than_its_header() {
        assert_eq!(pli().as_slice(), [0x81, 206, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert!(is_pli(pli().as_slice()) && !is_pli(nack(&[1]).0.as_slice()));
        assert_eq!(nacked(pli().as_slice()).count(), 0);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(payload in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = (nacked(&payload).count(), is_pli(&payload));
        }
    }
}

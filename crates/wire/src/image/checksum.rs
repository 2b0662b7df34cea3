//! The Internet checksum (RFC 1071), computed in parts; virtual zeros cost nothing.

use crate::headers::Address;

/// A partial one's complement sum. Zeros do not change it, so virtual payload is left out.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Checksum {
    sum: u64,
}

impl Checksum {
    /// Adds `bytes`, which must start at an even offset of the covered data; an odd last byte is padded with zero
    /// (RFC 1071 §1).
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        let mut pairs = bytes.chunks_exact(2);
        self.sum += pairs.by_ref().map(|p| u64::from(u16::from_be_bytes([p[0], p[1]]))).sum::<u64>();
        if let [last] = pairs.remainder() {
            self.sum += u64::from(*last) << 8;
        }
    }

    /// Adds the pseudo-header of IPv4 (RFC 9293 §3.1, RFC 768) or IPv6 (RFC 8200 §8.1). Both give the same sum: the words
    /// of the addresses, the transport length and the protocol.
    pub(super) fn add_pseudo_header(&mut self, src: Address, dst: Address, protocol: u8, length: usize) {
        for address in [src, dst] {
            if src.is_v4() {
                self.add(&address.low_u32().to_be_bytes());
            } else {
                self.add(&address.to_u128().to_be_bytes());
            }
        }
        self.add(&(length as u32).to_be_bytes());
        self.sum += u64::from(protocol);
    }

    /// The value of the checksum field.
    pub(crate) fn finish(self) -> u16 {
        let mut sum = self.sum;
        while sum >> 16 != 0 {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        !(sum as u16)
    }
}

/// `checksum` after one covered 16-bit word changed from `old` to `new` (RFC 1624 eq. 3).
pub(super) fn update(checksum: u16, old: u16, new: u16) -> u16 {
    let mut sum = u32::from(!checksum) + u32::from(!old) + u32::from(new);
    while sum >> 16 != 0 {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rfc_1071_section_3_example() {
        let mut checksum = Checksum::default();
        checksum.add(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]);
        assert_eq!(checksum.finish(), !0xddf2);
    }

    #[test]
    fn an_odd_byte_is_padded_and_zeros_cost_nothing() {
        let (mut odd, mut padded) = (Checksum::default(), Checksum::default());
        odd.add(&[0x12, 0x34, 0x56]);
        padded.add(&[0x12, 0x34, 0x56, 0, 0, 0, 0, 0]);
        assert_eq!(odd.finish(), padded.finish());
    }

    #[test]
    fn rfc_1624_section_4_example() {
        assert_eq!(update(0xdd2f, 0x5555, 0x3285), 0x0000);
    }
}

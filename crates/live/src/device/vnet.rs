//! The virtio header of a packet on a TUN device: `struct virtio_net_hdr`.

use jettison_wire::PartialChecksum;

/// Virtio header (Virtual I/O Device specification 1.2 §5.1.6) in its short form and in the machine's byte order, the default
/// of the kernel's TUN driver (kernel documentation, networking/tuntap; linux/virtio_net.h).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VnetHeader {
    /// Flag bits: [`VnetHeader::NEEDS_CHECKSUM`].
    pub flags: u8,
    /// Super-packet type: one of the `GSO_*`, with [`VnetHeader::GSO_ECN`] if a TCP super-packet begins with CWR.
    pub gso_type: u8,
    /// Length of the IP and transport headers of a super-packet; a hint for other packets.
    pub header_length: u16,
    /// Payload bytes in each packet of a super-packet except the last.
    pub gso_size: u16,
    /// Offset at which checksumming starts.
    pub checksum_start: u16,
    /// Offset of the checksum field from `checksum_start`.
    pub checksum_offset: u16,
}

impl VnetHeader {
    /// Length in bytes.
    pub const LENGTH: usize = 10;
    /// The checksum is partial.
    pub const NEEDS_CHECKSUM: u8 = 1;
    /// Not a super-packet.
    pub const GSO_NONE: u8 = 0;
    /// TCP over IPv4.
    pub const GSO_TCP4: u8 = 1;
    /// TCP over IPv6.
    pub const GSO_TCP6: u8 = 4;
    /// UDP datagrams of equal size.
    pub const GSO_UDP: u8 = 5;
    /// The first packet of a TCP super-packet has CWR, the others do not.
    pub const GSO_ECN: u8 = 0x80;

    /// The header of a single packet, whose checksum may be partial.
    pub fn of(partial: Option<PartialChecksum>) -> VnetHeader {
        match partial {
            None => VnetHeader::default(),
            Some(PartialChecksum { start, offset }) => VnetHeader {
                flags: VnetHeader::NEEDS_CHECKSUM,
                checksum_start: start,
                checksum_offset: offset,
                ..VnetHeader::default()
            },
        }
    }

    /// Position of a partial checksum.
    pub fn partial(&self) -> Option<PartialChecksum> {
        let partial = PartialChecksum { start: self.checksum_start, offset: self.checksum_offset };
        (self.flags & VnetHeader::NEEDS_CHECKSUM != 0).then_some(partial)
    }

    /// Whether the packet is a super-packet.
    pub fn is_super(&self) -> bool {
        self.gso_type != VnetHeader::GSO_NONE
    }

    /// Serialises the header.
    pub fn emit(self) -> [u8; VnetHeader::LENGTH] {
        let mut bytes = [self.flags, self.gso_type, 0, 0, 0, 0, 0, 0, 0, 0];
        let words = [self.header_length, self.gso_size, self.checksum_start, self.checksum_offset];
        for (place, word) in bytes[2..].chunks_exact_mut(2).zip(words) {
            place.copy_from_slice(&word.to_ne_bytes());
        }
        bytes
    }

    /// Parses the header.
    pub fn parse(bytes: &[u8; VnetHeader::LENGTH]) -> VnetHeader {
        let word = |at: usize| u16::from_ne_bytes([bytes[at], bytes[at + 1]]);
        VnetHeader {
            flags: bytes[0],
            gso_type: bytes[1],
            header_length: word(2),
            gso_size: word(4),
            checksum_start: word(6),
            checksum_offset: word(8),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_survive_a_round_trip() {
        let header = VnetHeader {
            flags: 1,
            gso_type: 0x81,
            header_length: 52,
            gso_size: 1448,
            checksum_start: 20,
            checksum_offset: 16,
        };
        assert_eq!(VnetHeader::parse(&header.emit()), header);
        assert_eq!(header.partial(), Some(PartialChecksum { start: 20, offset: 16 }));
        assert_eq!(VnetHeader::of(None).partial(), None);
        assert_eq!(VnetHeader::of(header.partial()).partial(), header.partial());
    }
}

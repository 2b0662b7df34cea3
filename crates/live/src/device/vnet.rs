//! What goes with a packet over a TUN device: `struct virtio_net_hdr`.

use jettison_wire::PartialChecksum;

/// The header of virtio (Virtual I/O Device specification 1.2 §5.1.6), in its short form and in the machine's byte order, as
/// the kernel's TUN driver has it by default (kernel documentation, networking/tuntap; linux/virtio_net.h).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VnetHeader {
    /// Bits: [`VnetHeader::NEEDS_CHECKSUM`].
    pub flags: u8,
    /// What it is a super-packet of: one of the `GSO_*`, with [`VnetHeader::GSO_ECN`] where a TCP one begins with CWR.
    pub gso_type: u8,
    /// Bytes of IP and transport header of a super-packet; elsewhere a hint.
    pub header_length: u16,
    /// Bytes of payload in each packet of a super-packet but the last.
    pub gso_size: u16,
    /// Where summing starts.
    pub checksum_start: u16,
    /// Where the checksum stands behind that.
    pub checksum_offset: u16,
}

impl VnetHeader {
    /// Bytes that it takes.
    pub const LENGTH: usize = 10;
    /// The checksum is still to be summed.
    pub const NEEDS_CHECKSUM: u8 = 1;
    /// Not a super-packet.
    pub const GSO_NONE: u8 = 0;
    /// TCP over IPv4.
    pub const GSO_TCP4: u8 = 1;
    /// TCP over IPv6.
    pub const GSO_TCP6: u8 = 4;
    /// UDP datagrams of one size.
    pub const GSO_UDP: u8 = 5;
    /// The first packet of a TCP super-packet has CWR, the others have not.
    pub const GSO_ECN: u8 = 0x80;

    /// That of a packet by itself, whose checksum may be still to be summed.
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

    /// Where a checksum is still to be summed.
    pub fn partial(&self) -> Option<PartialChecksum> {
        let partial = PartialChecksum { start: self.checksum_start, offset: self.checksum_offset };
        (self.flags & VnetHeader::NEEDS_CHECKSUM != 0).then_some(partial)
    }

    /// Whether the packet stands for several.
    pub fn is_super(&self) -> bool {
        self.gso_type != VnetHeader::GSO_NONE
    }

    /// Its bytes.
    pub fn emit(self) -> [u8; VnetHeader::LENGTH] {
        let mut bytes = [self.flags, self.gso_type, 0, 0, 0, 0, 0, 0, 0, 0];
        let words = [self.header_length, self.gso_size, self.checksum_start, self.checksum_offset];
        for (place, word) in bytes[2..].chunks_exact_mut(2).zip(words) {
            place.copy_from_slice(&word.to_ne_bytes());
        }
        bytes
    }

    /// Reads it.
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
    fn what_is_written_is_read() {
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

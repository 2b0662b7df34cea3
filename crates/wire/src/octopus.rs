//! The Octopus header: drop rules of a packet's message, for senders and routers alike.
//!
//! A datagram of the Octopus transport begins with a [`SequenceHeader`] of fixed length; the [`OctopusHeader`] follows at
//! [`OctopusHeader::OFFSET`], so a router finds it without knowing the transport. Both are in network byte order;
//! `docs/octopus-wire.md` describes every bit. Unreadable datagrams are not Octopus traffic and pass unchanged.

use crate::Packet;

/// The default UDP port of Octopus traffic.
pub const OCTOPUS_PORT: u16 = 4433;

/// The first eight bytes of every datagram of the transport.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SequenceHeader {
    /// Data, acknowledgement or probe.
    pub kind: PacketKind,
    /// Bits `FLAG_*`.
    pub flags: u8,
    /// Data: the packet's index in its message, from 0. Parity packets continue the count after the last data packet.
    pub index: u16,
    /// Data and probe: the packet sequence number. Acknowledgement: the sequence number of the packet that triggered it.
    pub sequence: u32,
}

/// Type of a datagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum PacketKind {
    /// Part of a message; an Octopus header follows.
    Data = 1,
    /// An acknowledgement; no Octopus header follows.
    Ack = 2,
    /// A probe without payload, acknowledged like data. Without an Octopus header no verdict can drop it.
    Probe = 3,
}

impl SequenceHeader {
    /// Length in bytes.
    pub const LENGTH: usize = 8;
    /// A parity packet (forward error correction).
    pub const FLAG_PARITY: u8 = 0x01;
    /// A retransmitted data packet.
    pub const FLAG_RETRANSMISSION: u8 = 0x02;
    /// The last data packet of its message: only parity packets may follow it.
    pub const FLAG_END: u8 = 0x04;

    /// Encodes the header.
    pub fn emit(self) -> [u8; SequenceHeader::LENGTH] {
        let [i0, i1] = self.index.to_be_bytes();
        let [s0, s1, s2, s3] = self.sequence.to_be_bytes();
        [self.kind as u8, self.flags, i0, i1, s0, s1, s2, s3]
    }

    /// Decodes the header; `None` if there are too few bytes or the kind is unknown.
    pub fn parse(bytes: &[u8]) -> Option<SequenceHeader> {
        let &[kind, flags, i0, i1, s0, s1, s2, s3] = bytes.first_chunk::<8>()?;
        let kind = match kind {
            1 => PacketKind::Data,
            2 => PacketKind::Ack,
            3 => PacketKind::Probe,
            _ => return None,
        };
        let (index, sequence) = (u16::from_be_bytes([i0, i1]), u32::from_be_bytes([s0, s1, s2, s3]));
        Some(SequenceHeader { kind, flags, index, sequence })
    }
}

/// The number of a message within its stream: 29 bits, compared by serial arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct MessageNumber(u32);

impl MessageNumber {
    /// Width of a number in bits.
    pub const BITS: u32 = 29;
    const MASK: u32 = (1 << MessageNumber::BITS) - 1;

    /// The number `value`, modulo 2^29.
    #[inline]
    pub const fn new(value: u32) -> MessageNumber {
        MessageNumber(value & MessageNumber::MASK)
    }
    /// As an integer below 2^29.
    #[inline]
    pub const fn get(self) -> u32 {
        self.0
    }
    /// The successor.
    #[inline]
    pub const fn next(self) -> MessageNumber {
        MessageNumber::new(self.0.wrapping_add(1))
    }
    /// Whether this number precedes `other` (RFC 1982 §3.2 with SERIAL_BITS 29). Of two numbers exactly 2^28 apart, which the
    /// RFC leaves undefined, neither precedes the other.
    #[inline]
    pub const fn is_before(self, other: MessageNumber) -> bool {
        let ahead = other.0.wrapping_sub(self.0) & MessageNumber::MASK;
        ahead != 0 && ahead < 1 << (MessageNumber::BITS - 1)
    }
}

/// Position of a packet in its message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Position {
    /// The first of several.
    First = 0,
    /// Neither first nor last.
    Middle = 1,
    /// The last of several.
    Last = 2,
    /// The only one.
    Solo = 3,
}

impl Position {
    /// Whether the packet begins a message.
    #[inline]
    pub const fn is_head(self) -> bool {
        matches!(self, Position::First | Position::Solo)
    }
    /// Whether the packet ends a message.
    #[inline]
    pub const fn is_tail(self) -> bool {
        matches!(self, Position::Last | Position::Solo)
    }
}

/// Drop rules of a message, carried in each of its packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OctopusHeader {
    /// Position of the packet in its message.
    pub position: Position,
    /// The message's number within its stream.
    pub message: MessageNumber,
    /// Priority, 0 (highest) to 7 (lowest).
    pub priority: u8,
    /// Whether this message makes earlier messages with a priority number of at least `threshold` obsolete.
    pub drop_flag: bool,
    /// Threshold of `drop_flag`, 0 to 7.
    pub threshold: u8,
    /// The message is obsolete while its stream has less bandwidth than this, in kbit/s (24 bits); 0 disables the rule.
    pub bitrate_threshold: u32,
    /// Time that the message may wait before it may be dropped, in ms (9 bits).
    pub slack: u16,
    /// The stream within the flow.
    pub stream: u16,
}

impl OctopusHeader {
    /// Length in bytes.
    pub const LENGTH: usize = 12;
    /// Offset in the UDP payload.
    pub const OFFSET: usize = SequenceHeader::LENGTH;
    /// The supported version.
    pub const VERSION: u8 = 1;
    /// Number of priorities and thresholds.
    pub const LEVELS: usize = 8;
    /// The highest `bitrate_threshold`, in kbit/s.
    pub const MAX_BITRATE: u32 = (1 << 24) - 1;
    /// The longest `slack`, in ms.
    pub const MAX_SLACK: u16 = (1 << 9) - 1;

    /// Encodes the header. Values that exceed their bits are limited to the largest that fits.
    pub fn emit(self) -> [u8; OctopusHeader::LENGTH] {
        let mut bits: u128 = 0;
        let mut put = |value: u32, width: u32| bits = bits << width | u128::from(value.min((1 << width) - 1));
        put(u32::from(OctopusHeader::VERSION), 4);
        put(self.position as u32, 2);
        put(self.message.get(), MessageNumber::BITS);
        put(u32::from(self.priority), 3);
        put(u32::from(self.drop_flag), 1);
        put(u32::from(self.threshold), 3);
        put(self.bitrate_threshold, 24);
        put(u32::from(self.slack), 9);
        put(u32::from(self.stream), 16);
        put(0, 5);
        let bytes = bits.to_be_bytes();
        let mut header = [0; OctopusHeader::LENGTH];
        header.copy_from_slice(&bytes[bytes.len() - OctopusHeader::LENGTH..]);
        header
    }

    /// Decodes the header; `None` if there are too few bytes, the version differs, or a reserved bit is set.
    pub fn parse(bytes: &[u8]) -> Option<OctopusHeader> {
        let bytes = bytes.first_chunk::<{ OctopusHeader::LENGTH }>()?;
        let mut wide = [0; 16];
        wide[..OctopusHeader::LENGTH].copy_from_slice(bytes);
        let mut bits = u128::from_be_bytes(wide);
        let mut take = |width: u32| {
            let value = (bits >> (128 - width)) as u32;
            bits <<= width;
            value
        };
        let version = take(4);
        let position = match take(2) {
            0 => Position::First,
            1 => Position::Middle,
            2 => Position::Last,
            _ => Position::Solo,
        };
        let header = OctopusHeader {
            position,
            message: MessageNumber::new(take(MessageNumber::BITS)),
            priority: take(3) as u8,
            drop_flag: take(1) == 1,
            threshold: take(3) as u8,
            bitrate_threshold: take(24),
            slack: take(9) as u16,
            stream: take(16) as u16,
        };
        let reserved = take(5);
        (version == u32::from(OctopusHeader::VERSION) && reserved == 0).then_some(header)
    }

    /// Decodes the header of a UDP payload; `None` unless it is a data packet of the transport.
    pub fn of_payload(payload: &[u8]) -> Option<OctopusHeader> {
        let sequence = SequenceHeader::parse(payload)?;
        match sequence.kind {
            PacketKind::Data => OctopusHeader::parse(payload.get(OctopusHeader::OFFSET..)?),
            PacketKind::Ack | PacketKind::Probe => None,
        }
    }

    /// Decodes the header of a packet whose UDP source or destination port is one of `ports`.
    #[inline]
    pub fn of_packet(packet: &Packet, ports: &[u16]) -> Option<OctopusHeader> {
        let (src_port, dst_port, payload) = packet.udp()?;
        if !ports.contains(&dst_port) && !ports.contains(&src_port) {
            return None;
        }
        OctopusHeader::of_payload(payload)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Address, Headers, InlineBytes, Transport, UdpHeader};

    #[test]
    fn numbers_compare_by_serial_arithmetic() {
        // RFC 1982 §3.2
        let (low, high) = (MessageNumber::new(1), MessageNumber::new((1 << 29) - 1));
        assert!(high.is_before(low) && !low.is_before(high));
        assert_eq!(high.next(), MessageNumber::new(0));
        assert!(!low.is_before(low));
        let far = MessageNumber::new(1 + (1 << 28));
        assert!(!low.is_before(far) && !far.is_before(low), "undefined by the RFC: neither");
    }

    /// The example of `docs/octopus-wire.md`: decoded values and bytes.
    fn example() -> ([u8; 20], SequenceHeader, OctopusHeader) {
        let bytes = [
            0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x02, // sequence header
            0x10, 0x24, 0x68, 0xac, 0xea, 0x40, 0x00, 0xaf, 0x19, 0x00, 0x00, 0x60,
        ];
        let sequence = SequenceHeader { kind: PacketKind::Data, flags: 0, index: 0, sequence: 258 };
        let header = OctopusHeader {
            position: Position::First,
            message: MessageNumber::new(0x0123_4567),
            priority: 2,
            drop_flag: true,
            threshold: 1,
            bitrate_threshold: 700,
            slack: 200,
            stream: 3,
        };
        (bytes, sequence, header)
    }

    #[test]
    fn the_documents_example_is_these_bytes() {
        let (bytes, sequence, header) = example();
        assert_eq!([&sequence.emit()[..], &header.emit()].concat(), bytes);
        assert_eq!(SequenceHeader::parse(&bytes), Some(sequence));
        assert_eq!(OctopusHeader::of_payload(&bytes), Some(header));
        // The document prints exactly these bytes.
        let page = include_str!("../../../docs/octopus-wire.md");
        let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ");
        assert!(page.contains(&hex(&bytes[..8])) && page.contains(&hex(&bytes[8..])));
    }

    #[test]
    fn each_field_has_the_bits_that_the_document_gives() {
        // First bit, width, and a header in which only that field is non-zero.
        let zero = OctopusHeader {
            position: Position::First,
            message: MessageNumber::new(0),
            priority: 0,
            drop_flag: false,
            threshold: 0,
            bitrate_threshold: 0,
            slack: 0,
            stream: 0,
        };
        let fields = [
            (4, 2, OctopusHeader { position: Position::Solo, ..zero }),
            (6, 29, OctopusHeader { message: MessageNumber::new(u32::MAX), ..zero }),
            (35, 3, OctopusHeader { priority: 7, ..zero }),
            (38, 1, OctopusHeader { drop_flag: true, ..zero }),
            (39, 3, OctopusHeader { threshold: 7, ..zero }),
            (42, 24, OctopusHeader { bitrate_threshold: u32::MAX, ..zero }),
            (66, 9, OctopusHeader { slack: u16::MAX, ..zero }),
            (75, 16, OctopusHeader { stream: u16::MAX, ..zero }),
        ];
        let version = 1u128 << 92;
        for (first, width, header) in fields {
            let mut wide = [0; 16];
            wide[4..].copy_from_slice(&header.emit());
            let ones = ((1u128 << width) - 1) << (96 - first - width);
            assert_eq!(u128::from_be_bytes(wide), version | ones, "{header:?}");
        }
    }

    #[test]
    fn malformed_headers_and_other_versions_are_opaque() {
        let (bytes, ..) = example();
        for length in 0..bytes.len() {
            assert_eq!(OctopusHeader::of_payload(&bytes[..length]), None, "{length} bytes");
        }
        for (at, value) in [(0, 2), (0, 0), (0, 3), (8, 0x00), (8, 0x20), (8, 0xf0), (19, 0x61), (19, 0x70)] {
            let mut other = bytes;
            other[at] = value;
            assert_eq!(OctopusHeader::of_payload(&other), None, "byte {at} is {value:#04x}");
        }
    }

    #[test]
    fn a_packet_is_known_by_either_of_its_udp_ports() {
        let (bytes, _, header) = example();
        let packet = |src_port, dst_port| {
            let inline = InlineBytes::new(&bytes).expect("20 bytes fit");
            let transport = Transport::Udp(UdpHeader { src_port, dst_port, inline });
            Packet::model(
                Headers { src: Address::v4(10, 0, 0, 1), dst: Address::v4(10, 0, 0, 2), transport },
                100,
            )
        };
        assert_eq!(OctopusHeader::of_packet(&packet(5, OCTOPUS_PORT), &[OCTOPUS_PORT]), Some(header));
        assert_eq!(OctopusHeader::of_packet(&packet(OCTOPUS_PORT, 5), &[OCTOPUS_PORT]), Some(header));
        assert_eq!(OctopusHeader::of_packet(&packet(5, 6), &[OCTOPUS_PORT]), None);
        assert_eq!(OctopusHeader::of_packet(&packet(5, 6), &[OCTOPUS_PORT, 6]), Some(header));
    }

    #[test]
    fn a_captured_datagram_shows_its_header_too() {
        let (bytes, _, header) = example();
        for v4 in [true, false] {
            let address = |last| match v4 {
                true => Address::v4(10, 0, 0, last),
                false => Address::from(std::net::IpAddr::V6(std::net::Ipv6Addr::from(u128::from(last)))),
            };
            let udp = UdpHeader { src_port: 5, dst_port: OCTOPUS_PORT, inline: Default::default() };
            let headers = Headers { src: address(1), dst: address(2), transport: Transport::Udp(udp) };
            let typed = Packet::with_payload(headers, bytes.into());
            assert_eq!(OctopusHeader::of_packet(&typed, &[OCTOPUS_PORT]), Some(header));
            let mut image = Vec::new();
            typed.write_ip_image(&mut image, usize::MAX);
            let buffer = |bytes| Box::new(crate::Buffer { bytes, ..Default::default() });
            let captured = Packet::from_ip_buffer(buffer(image.clone())).unwrap();
            assert_eq!(OctopusHeader::of_packet(&captured, &[OCTOPUS_PORT]), Some(header));
            assert_eq!(OctopusHeader::of_packet(&captured, &[7]), None);
            if v4 {
                // A later fragment has no ports, whatever its bytes contain.
                image[7] = 1;
                let fragment = Packet::from_ip_buffer(buffer(image)).unwrap();
                assert_eq!(OctopusHeader::of_packet(&fragment, &[OCTOPUS_PORT]), None);
            }
        }
    }

    proptest! {
        #[test]
        fn headers_survive_encoding(
            position in 0u8..4, message in 0u32..1 << 29, priority in 0u8..8, drop_flag: bool,
            threshold in 0u8..8, bitrate_threshold in 0u32..1 << 24, slack in 0u16..512, stream: u16,
        ) {
            let position = [Position::First, Position::Middle, Position::Last, Position::Solo][position as usize];
            let message = MessageNumber::new(message);
            let header = OctopusHeader {
                position, message, priority, drop_flag, threshold, bitrate_threshold, slack, stream,
            };
            prop_assert_eq!(OctopusHeader::parse(&header.emit()), Some(header));
        }

        #[test]
        fn any_bytes_are_read_or_not_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            if let Some(header) = OctopusHeader::of_payload(&bytes) {
                prop_assert_eq!(&header.emit()[..], &bytes[OctopusHeader::OFFSET..][..OctopusHeader::LENGTH]);
            }
        }
    }
}

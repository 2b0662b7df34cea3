//! Address translation: rewrites one end of a packet, with its checksums.

use crate::headers::{Address, Headers, Transport};
use crate::packet::{Body, Buffer, Packet};

/// One of the two ends of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Where it comes from.
    Source,
    /// Where it goes.
    Destination,
}

impl Packet {
    /// Replaces the address and the port of an end; of an ICMP echo, the identifier takes the place of both ports. Returns false
    /// and changes nothing if the packet has no ports (fragments, other protocols, IPv6 extension headers) or `address` is of
    /// the other IP version.
    pub fn translate(&mut self, end: End, address: Address, port: u16) -> bool {
        match &mut self.body {
            Body::Model(headers) => headers.translate(end, address, port),
            Body::Payload(boxed) => boxed.headers.translate(end, address, port),
            Body::Corrupted(headers) => headers.translate(end, address, port),
            Body::Buffer(buffer) => buffer.translate(end, address, port),
        }
    }
}

impl Headers {
    fn translate(&mut self, end: End, address: Address, port: u16) -> bool {
        let old = if end == End::Source { &mut self.src } else { &mut self.dst };
        if old.is_v4() != address.is_v4() {
            return false;
        }
        *old = address;
        match (&mut self.transport, end) {
            (Transport::Tcp(tcp), End::Source) => tcp.src_port = port,
            (Transport::Tcp(tcp), End::Destination) => tcp.dst_port = port,
            (Transport::Udp(udp), End::Source) => udp.src_port = port,
            (Transport::Udp(udp), End::Destination) => udp.dst_port = port,
            (Transport::Icmp(echo), _) => echo.identifier = port,
        }
        true
    }
}

/// Positions of what a translation changes in the bytes of an IP packet.
struct Place {
    address: std::ops::Range<usize>,
    port: usize,
    checksum: usize,
    /// Whether the transport's checksum covers the addresses.
    has_pseudo_header: bool,
    /// Whether a checksum of zero means that there is none (UDP over IPv4).
    may_lack: bool,
}

impl Place {
    fn of(ip: &[u8], end: End) -> Option<Place> {
        let is_v4 = ip.first()? >> 4 == 4;
        let (protocol, start, first) = match ip.first()? >> 4 {
            4 if u16::from_be_bytes([*ip.get(6)?, *ip.get(7)?]) & 0x3fff == 0 => {
                (*ip.get(9)?, usize::from(ip[0] & 0xf) * 4, 12)
            }
            6 => (*ip.get(6)?, 40, 8),
            _ => return None,
        };
        let width = if is_v4 { 4 } else { 16 };
        let first = if end == End::Source { first } else { first + width };
        let side = if end == End::Source { 0 } else { 2 };
        let kind = *ip.get(start)?;
        let (port, checksum) = match (protocol, kind) {
            (6, _) => (side, 16),
            (17, _) => (side, 6),
            // Echo requests and replies.
            (1, 8 | 0) if is_v4 => (4, 2),
            (58, 128 | 129) if !is_v4 => (4, 2),
            _ => return None,
        };
        ip.get(start + port.max(checksum) + 1)?;
        Some(Place {
            address: first..first + width,
            port: start + port,
            checksum: start + checksum,
            has_pseudo_header: protocol != 1,
            may_lack: protocol == 17 && is_v4,
        })
    }
}

impl Buffer {
    fn translate(&mut self, end: End, address: Address, port: u16) -> bool {
        let is_v4 = self.ip().first().is_some_and(|byte| byte >> 4 == 4);
        if is_v4 != address.is_v4() || Place::of(self.ip(), end).is_none() {
            return false;
        }
        // The sum over the pseudo-header is about to change.
        self.complete_checksum();
        let ip = self.ip_mut();
        let Some(place) = Place::of(ip, end) else { return false };
        let mut bytes = [0; 16];
        let [high, low] = address.to_words();
        bytes[..8].copy_from_slice(&high.to_be_bytes());
        bytes[8..].copy_from_slice(&low.to_be_bytes());
        // IPv4 addresses are the last four of the sixteen bytes.
        let new = if is_v4 { &bytes[12..] } else { &bytes[..] };
        let lacks = place.may_lack && ip[place.checksum..place.checksum + 2] == [0, 0];
        for (at, word) in (place.address.clone()).step_by(2).zip(new.chunks(2)) {
            let old = [ip[at], ip[at + 1]];
            let word = [word[0], word[1]];
            if is_v4 {
                update(ip, 10, old, word);
            }
            if place.has_pseudo_header && !lacks {
                update(ip, place.checksum, old, word);
            }
            ip[at..at + 2].copy_from_slice(&word);
        }
        let old = [ip[place.port], ip[place.port + 1]];
        if !lacks {
            update(ip, place.checksum, old, port.to_be_bytes());
        }
        ip[place.port..place.port + 2].copy_from_slice(&port.to_be_bytes());
        true
    }
}

/// Updates a checksum for a word that changes (RFC 1624 eq. 3).
fn update(ip: &mut [u8], checksum: usize, old: [u8; 2], new: [u8; 2]) {
    let sum = u16::from_be_bytes([ip[checksum], ip[checksum + 1]]);
    let mut folded =
        u32::from(!sum) + u32::from(!u16::from_be_bytes(old)) + u32::from(u16::from_be_bytes(new));
    while folded >> 16 != 0 {
        folded = (folded & 0xffff) + (folded >> 16);
    }
    ip[checksum..checksum + 2].copy_from_slice(&(!(folded as u16)).to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::Zeros;
    use crate::{IcmpEcho, TcpHeader, UdpHeader};

    fn host(v4: bool, last: u8) -> Address {
        match v4 {
            true => Address::v4(10, 0, 0, last),
            false => std::net::IpAddr::from([0xfd00, 0, 0, 0, 0, 0, 0, u16::from(last)]).into(),
        }
    }

    fn packets(v4: bool) -> [Packet; 3] {
        let udp = UdpHeader { src_port: 5000, dst_port: 53, inline: Default::default() };
        let echo = IcmpEcho { reply: false, identifier: 9, sequence: 1, inline: Default::default() };
        let transports =
            [Transport::Tcp(TcpHeader::new(5000, 443)), Transport::Udp(udp), Transport::Icmp(echo)];
        transports
            .map(|transport| Packet::model(Headers { src: host(v4, 1), dst: host(v4, 2), transport }, 30))
    }

    fn image(packet: &Packet) -> Vec<u8> {
        let mut bytes = Vec::new();
        packet.write_ip_image(&mut bytes, usize::MAX);
        bytes
    }

    #[test]
    fn bytes_become_those_of_the_translated_headers() {
        for v4 in [true, false] {
            for mut model in packets(v4) {
                for end in [End::Source, End::Destination] {
                    let buffer = Box::new(Buffer { bytes: image(&model), ..Buffer::default() });
                    let mut bytes = Packet { meta: model.meta, body: Body::Buffer(buffer) };
                    assert!(model.translate(end, host(v4, 77), 40_000));
                    assert!(bytes.translate(end, host(v4, 77), 40_000));
                    let Body::Buffer(buffer) = &bytes.body else { panic!("still bytes") };
                    assert_eq!(buffer.bytes, image(&model), "{end:?}");
                    // It reads back into typed headers, which requires correct checksums.
                    let read = Packet::from_ip_image(&buffer.bytes, Zeros::Virtual).expect("a packet");
                    assert_eq!(read.five_tuple(), model.five_tuple());
                }
            }
        }
    }

    #[test]
    fn what_has_no_ports_stays_as_it_is() {
        let mut bytes = image(&packets(true)[1]);
        bytes[6] = 0x20;
        for (bytes, address) in [(bytes, host(true, 7)), (image(&packets(true)[0]), host(false, 7))] {
            let buffer = Box::new(Buffer { bytes: bytes.clone(), ..Buffer::default() });
            let mut packet = Packet { meta: Default::default(), body: Body::Buffer(buffer) };
            assert!(!packet.translate(End::Source, address, 1));
            assert!(matches!(&packet.body, Body::Buffer(buffer) if buffer.bytes == bytes));
        }
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes: Vec<u8>, version in 0u8..16, protocol in 0u8..20) {
            let mut bytes = bytes;
            if let Some(first) = bytes.first_mut() {
                *first = version << 4 | *first & 0xf;
            }
            if bytes.len() > 9 {
                (bytes[6], bytes[9]) = (protocol * u8::from(version == 6), protocol);
            }
            let buffer = Box::new(Buffer { bytes, ..Buffer::default() });
            let mut packet = Packet { meta: Default::default(), body: Body::Buffer(buffer) };
            packet.translate(End::Destination, Address::v4(1, 2, 3, 4), 5);
        }
    }
}

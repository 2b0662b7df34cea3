//! Five-tuples (source, destination, protocol, ports) of packets in any representation.

use std::net::{Ipv4Addr, Ipv6Addr};

use crate::headers::{Address, Headers, Transport};
use crate::packet::{Body, Buffer, Packet};

/// The identity of a flow on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FiveTuple {
    /// IP source.
    pub src: Address,
    /// IP destination.
    pub dst: Address,
    /// IP protocol number: 6 TCP, 17 UDP, 1 ICMP, 58 ICMPv6. In an IPv6 buffer: the first next-header field.
    pub protocol: u8,
    /// Source port; the identifier of an ICMP echo; 0 for packets without ports (later fragments, other protocols).
    pub src_port: u16,
    /// Destination port; 0 for packets without ports.
    pub dst_port: u16,
}

impl Packet {
    /// The five-tuple; `None` if the packet is a buffer without a complete IP header.
    #[inline]
    pub fn five_tuple(&self) -> Option<FiveTuple> {
        match &self.body {
            Body::Model(headers) => Some(headers.five_tuple()),
            Body::Payload(boxed) => Some(boxed.headers.five_tuple()),
            Body::Corrupted(headers) => Some(headers.five_tuple()),
            Body::Buffer(buffer) => FiveTuple::parse(buffer.ip()),
        }
    }

    /// The IP destination; `None` if the packet is a buffer without a complete IP header.
    #[inline]
    pub fn destination(&self) -> Option<Address> {
        match &self.body {
            Body::Model(headers) => Some(headers.dst),
            Body::Payload(boxed) => Some(boxed.headers.dst),
            Body::Corrupted(headers) => Some(headers.dst),
            Body::Buffer(buffer) => FiveTuple::parse(buffer.ip()).map(|tuple| tuple.dst),
        }
    }
}

impl Buffer {
    /// Source port, destination port and payload of a UDP datagram; `None` for other protocols, later fragments, and IPv6
    /// packets with extension headers.
    pub fn udp(&self) -> Option<(u16, u16, &[u8])> {
        let ip = self.ip();
        let udp = match ip.first()? >> 4 {
            4 => {
                let header: &[u8; 20] = ip.first_chunk()?;
                let is_later_fragment = u16::from_be_bytes([header[6], header[7]]) & 0x1fff != 0;
                if header[9] != 17 || is_later_fragment {
                    return None;
                }
                ip.get(usize::from(header[0] & 0xf) * 4..)?
            }
            6 if *ip.get(6)? == 17 => ip.get(40..)?,
            _ => return None,
        };
        let (header, payload) = udp.split_at_checked(8)?;
        let port = |at: usize| u16::from_be_bytes([header[at], header[at + 1]]);
        Some((port(0), port(2), payload))
    }
}

impl Headers {
    /// The five-tuple.
    #[inline]
    pub fn five_tuple(&self) -> FiveTuple {
        let (protocol, src_port, dst_port) = match &self.transport {
            Transport::Tcp(tcp) => (6, tcp.src_port, tcp.dst_port),
            Transport::Udp(udp) => (17, udp.src_port, udp.dst_port),
            Transport::Icmp(echo) => (if self.src.is_v4() { 1 } else { 58 }, echo.identifier, 0),
        };
        FiveTuple { src: self.src, dst: self.dst, protocol, src_port, dst_port }
    }
}

impl FiveTuple {
    /// Reads the five-tuple from the bytes of an IP packet.
    pub fn parse(bytes: &[u8]) -> Option<FiveTuple> {
        let (src, dst, protocol, transport) = match bytes.first()? >> 4 {
            4 => {
                let header: &[u8; 20] = bytes.first_chunk()?;
                let address = |at: usize| {
                    Address::from(Ipv4Addr::new(header[at], header[at + 1], header[at + 2], header[at + 3]))
                };
                let fragment_offset = u16::from_be_bytes([header[6], header[7]]) & 0x1fff;
                let length = usize::from(header[0] & 0xf) * 4;
                let transport = if fragment_offset == 0 && length >= 20 { bytes.get(length..) } else { None };
                (address(12), address(16), header[9], transport)
            }
            6 => {
                let header: &[u8; 40] = bytes.first_chunk()?;
                let address = |at: usize| {
                    let octets: [u8; 16] = header[at..at + 16].try_into().expect("the slice has 16 bytes");
                    Address::from(std::net::IpAddr::V6(Ipv6Addr::from(octets)))
                };
                (address(8), address(24), header[6], bytes.get(40..))
            }
            _ => return None,
        };
        let word =
            |at: usize| transport.and_then(|t| Some(u16::from_be_bytes([*t.get(at)?, *t.get(at + 1)?])));
        let (src_port, dst_port) = match protocol {
            // TCP, UDP, DCCP, SCTP and UDP-Lite headers begin with the two ports.
            6 | 17 | 33 | 132 | 136 => (word(0).unwrap_or(0), word(2).unwrap_or(0)),
            1 | 58 => (word(4).unwrap_or(0), 0),
            _ => (0, 0),
        };
        Some(FiveTuple { src, dst, protocol, src_port, dst_port })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::headers::UdpHeader;

    #[test]
    fn a_buffer_and_a_model_of_one_packet_agree() {
        let transport =
            Transport::Udp(UdpHeader { src_port: 5000, dst_port: 53, inline: Default::default() });
        let model = Headers { src: Address::v4(10, 0, 0, 1), dst: Address::v4(10, 0, 0, 2), transport };
        let bytes = [
            0x45, 0, 0, 28, 0, 1, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 0x13, 0x88, 0, 53, 0, 8, 0, 0,
        ];
        assert_eq!(FiveTuple::parse(&bytes), Some(model.five_tuple()));
    }

    #[test]
    fn a_later_fragment_has_no_ports() {
        let mut bytes = [
            0x45, 0, 0, 28, 0, 1, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 0x13, 0x88, 0, 53, 0, 8, 0, 0,
        ];
        bytes[7] = 3;
        let tuple = FiveTuple::parse(&bytes).unwrap();
        assert_eq!((tuple.src_port, tuple.dst_port, tuple.protocol), (0, 0, 17));
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes: Vec<u8>, version in 0u8..16) {
            let mut bytes = bytes;
            if let Some(first) = bytes.first_mut() {
                *first = version << 4 | *first & 0xf;
            }
            let _ = FiveTuple::parse(&bytes);
        }
    }
}

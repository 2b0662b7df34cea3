//! TCP segments of packets in any representation.

use crate::headers::{TcpHeader, Transport};
use crate::packet::{Body, Packet};

/// A packet as a TCP segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// The header.
    pub tcp: TcpHeader,
    /// Bytes of payload.
    pub payload: usize,
    /// Whether the header has options that [`TcpHeader`] lacks, or a layout other than [`TcpHeader::header_length`]'s.
    pub has_other_options: bool,
}

impl Packet {
    /// The packet as a TCP segment; `None` if it is none, a fragment, or an IPv6 packet with extension headers.
    #[inline]
    pub fn segment(&self) -> Option<Segment> {
        match &self.body {
            Body::Buffer(buffer) => Segment::parse(buffer.ip()),
            Body::Model(_) | Body::Payload(_) | Body::Corrupted(_) => match &self.headers()?.transport {
                Transport::Tcp(tcp) => {
                    Some(Segment { tcp: *tcp, payload: self.payload_length(), has_other_options: false })
                }
                Transport::Udp(_) | Transport::Icmp(_) => None,
            },
        }
    }
}

impl Segment {
    /// Reads the segment in the bytes of an IP packet.
    pub fn parse(ip: &[u8]) -> Option<Segment> {
        let half =
            |at: usize| ip.get(at..at + 2).map(|bytes| usize::from(bytes[0]) << 8 | usize::from(bytes[1]));
        let (header, length) = match ip.first()? >> 4 {
            4 if *ip.get(9)? == 6 && half(6)? & 0x3fff == 0 => (usize::from(ip[0] & 0xf) * 4, half(2)?),
            6 if *ip.get(6)? == 6 => (40, 40 + half(4)?),
            _ => return None,
        };
        let (tcp, options_end) = crate::image::tcp_header(ip.get(header..)?)?;
        Some(Segment {
            payload: length.checked_sub(header + options_end)?,
            has_other_options: tcp.header_length() != options_end,
            tcp,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Address, Buffer, Headers, TcpFlags};

    fn packet(sack: bool, payload: usize) -> Packet {
        let mut tcp = TcpHeader::new(5000, 443);
        (tcp.seq, tcp.ack, tcp.flags) = (7, 1_000, TcpFlags::ACK);
        (tcp.options, tcp.timestamps) = (TcpHeader::OPT_TIMESTAMPS, [3, 4]);
        if sack {
            tcp.sack.push(2_000, 3_000);
        }
        let (src, dst) = (Address::v4(10, 0, 0, 1), Address::v4(10, 0, 0, 2));
        Packet::model(Headers { src, dst, transport: Transport::Tcp(tcp) }, payload)
    }

    fn image(packet: &Packet) -> Vec<u8> {
        let mut bytes = Vec::new();
        packet.write_ip_image(&mut bytes, usize::MAX);
        bytes
    }

    #[test]
    fn a_buffer_and_a_model_of_one_segment_agree() {
        for (sack, payload) in [(false, 0), (true, 0), (false, 100)] {
            let model = packet(sack, payload);
            let buffer = Box::new(Buffer { bytes: image(&model), ..Buffer::default() });
            let captured = Packet { meta: model.meta, body: Body::Buffer(buffer) };
            assert_eq!(captured.segment(), model.segment());
            assert_eq!(model.segment().map(|segment| segment.payload), Some(payload));
        }
    }

    #[test]
    fn unknown_options_fragments_and_other_protocols_are_told_apart() {
        let mut bytes = image(&packet(false, 0));
        // The two NOPs before the timestamps become an option of two bytes, then the timestamps an unknown option.
        bytes[40..42].copy_from_slice(&[254, 2]);
        assert_eq!(Segment::parse(&bytes).map(|segment| segment.has_other_options), Some(false));
        bytes[42] = 172;
        assert_eq!(Segment::parse(&bytes).map(|segment| segment.has_other_options), Some(true));
        bytes[6] = 0x20;
        assert_eq!(Segment::parse(&bytes), None);
        (bytes[6], bytes[9]) = (0, 17);
        assert_eq!(Segment::parse(&bytes), None);
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes: Vec<u8>, version in 0u8..16) {
            let mut bytes = bytes;
            if let Some(first) = bytes.first_mut() {
                *first = version << 4 | *first & 0xf;
            }
            if bytes.len() > 9 {
                (bytes[6], bytes[9]) = (6 * u8::from(version == 6), 6);
            }
            let _ = Segment::parse(&bytes);
        }
    }
}

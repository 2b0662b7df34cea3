//! The packet type and its metadata.

use std::fmt;

use jettison_core::Time;

use crate::headers::{Headers, Transport};
use crate::partial::PartialChecksum;

/// A packet, moved by value from sender to receiver.
#[derive(Debug, Clone, PartialEq)]
pub struct Packet {
    /// Metadata that is not on the wire.
    pub meta: PacketMeta,
    /// The headers and the payload.
    pub body: Body,
}

/// Contents of a packet.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// Typed headers; the payload past any inline bytes is virtual zeros.
    Model(Headers),
    /// Typed headers and a real payload. Boxed because such packets are rare.
    Payload(Box<PayloadPacket>),
    /// Typed headers of a modelled packet with a wrong bit, which its transport checksum shows. Boxed because such packets
    /// are rare; real payload is not kept.
    Corrupted(Box<Headers>),
    /// Bytes without a typed form: of an IP packet, or of a whole Ethernet frame.
    Buffer(Box<Buffer>),
}

/// Typed headers followed by real payload bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct PayloadPacket {
    /// The headers.
    pub headers: Headers,
    /// The transport payload.
    pub payload: Box<[u8]>,
}

/// A packet as bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Buffer {
    /// The bytes from the start of the IP header; of a frame, from its first byte.
    pub bytes: Vec<u8>,
    /// Whether the bytes are a whole Ethernet frame: one that carries no IP, is shorter than an Ethernet header, or must keep
    /// its hardware addresses. Its image is exactly these bytes.
    pub frame: bool,
    /// A transport checksum to be completed; only of an IP packet. `None`: all checksums are as sent.
    pub partial: Option<PartialChecksum>,
    /// Whether a link has flipped one of the bits.
    pub corrupted: bool,
}

/// The accounting identity of a packet stream, dense from 0 within one run.
///
/// It identifies the scenario's flow in measurements. Disciplines that separate flows hash the five-tuple instead, as a
/// real router must ([`Packet::flow_hash`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowId(pub u32);

impl FlowId {
    /// Traffic outside the scenario's flows.
    pub const NONE: FlowId = FlowId(u32::MAX);
}

/// Origin of this instance of a packet, with the numbers of P4's v1model (`instance_type`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(u8)]
pub enum Instance {
    /// Arrived from a link.
    #[default]
    Normal = 0,
    /// Cloned at ingress.
    IngressClone = 1,
    /// Cloned at egress.
    EgressClone = 2,
    /// Recirculated from egress to ingress.
    Recirculated = 4,
    /// Created by the multicast engine.
    Replica = 5,
    /// Resubmitted to ingress.
    Resubmitted = 6,
}

/// Metadata that travels with the packet. None of it is on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PacketMeta {
    /// Send time at the socket (for one-way delay).
    pub sent_at: Time,
    /// Time of the last enqueue. Set by every discipline.
    pub enqueued_at: Time,
    /// Number of the packet within the run; the low 16 bits are the IPv4 identification.
    pub id: u32,
    /// The scenario's flow, for accounting.
    pub flow: FlowId,
    /// Queue length in packets at the last enqueue, excluding this packet. Set by every discipline.
    pub enq_qdepth: u32,
    /// IP length in bytes: IP header, transport header and payload.
    pub length: u16,
    /// Ingress port at the current node.
    pub ingress_port: u16,
    /// Index of the switch's own data for this packet (a hook's feedback, a P4 program's metadata), assigned by the program;
    /// 0 means none. Cleared on arrival at a switch.
    pub tag: u32,
    /// Traffic class assigned by the switch; 0 is the highest priority.
    pub class: u8,
    /// Normal, clone, recirculated, …
    pub instance: Instance,
    /// IPv4 TOS or IPv6 traffic class: DSCP in the upper six bits, ECN in the lower two.
    pub traffic_class: u8,
    /// IPv4 TTL or IPv6 hop limit.
    pub hop_limit: u8,
}

/// The ECN field (RFC 3168 §5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(u8)]
pub enum Ecn {
    /// Not ECN-capable.
    #[default]
    NotEct = 0,
    /// ECN-capable, ECT(1): a scalable (L4S) sender.
    Ect1 = 1,
    /// ECN-capable, ECT(0): a classic sender.
    Ect0 = 2,
    /// Congestion experienced.
    Ce = 3,
}

impl Default for PacketMeta {
    fn default() -> PacketMeta {
        PacketMeta {
            sent_at: Time::ZERO,
            enqueued_at: Time::ZERO,
            id: 0,
            flow: FlowId::NONE,
            enq_qdepth: 0,
            length: 0,
            ingress_port: 0,
            tag: 0,
            class: 0,
            instance: Instance::Normal,
            traffic_class: 0,
            hop_limit: 64,
        }
    }
}

impl Packet {
    /// A modelled packet of typed headers and `payload` virtual zeros (inline bytes included in the count).
    ///
    /// # Panics
    /// If the IP length exceeds 65,535 bytes; senders prevent this by their segment size.
    #[inline]
    pub fn model(headers: Headers, payload: usize) -> Packet {
        let length =
            u16::try_from(headers.header_length() + payload).expect("an IP packet is at most 65,535 bytes");
        Packet { meta: PacketMeta { length, ..PacketMeta::default() }, body: Body::Model(headers) }
    }

    /// A packet of typed headers and real payload bytes.
    pub fn with_payload(headers: Headers, payload: Box<[u8]>) -> Packet {
        let length = u16::try_from(headers.header_length() + payload.len())
            .expect("an IP packet is at most 65,535 bytes");
        Packet {
            meta: PacketMeta { length, ..PacketMeta::default() },
            body: Body::Payload(Box::new(PayloadPacket { headers, payload })),
        }
    }

    /// The typed headers; `None` for an opaque buffer.
    #[inline]
    pub fn headers(&self) -> Option<&Headers> {
        match &self.body {
            Body::Model(headers) => Some(headers),
            Body::Payload(boxed) => Some(&boxed.headers),
            Body::Corrupted(headers) => Some(headers),
            Body::Buffer(_) => None,
        }
    }

    /// The typed headers, mutable; `None` for an opaque buffer.
    #[inline]
    pub fn headers_mut(&mut self) -> Option<&mut Headers> {
        match &mut self.body {
            Body::Model(headers) => Some(headers),
            Body::Payload(boxed) => Some(&mut boxed.headers),
            Body::Corrupted(headers) => Some(headers),
            Body::Buffer(_) => None,
        }
    }

    /// Source port, destination port and payload of a UDP packet, as far as its bytes are known: of a modelled packet, its inline
    /// bytes. `None` for a packet of another protocol, a later fragment and a damaged packet.
    #[inline]
    pub fn udp(&self) -> Option<(u16, u16, &[u8])> {
        let (transport, payload) = match &self.body {
            Body::Buffer(buffer) => return buffer.udp(),
            Body::Model(headers) => (&headers.transport, None),
            Body::Payload(boxed) => (&boxed.headers.transport, Some(&*boxed.payload)),
            Body::Corrupted(_) => return None,
        };
        match transport {
            Transport::Udp(udp) => {
                Some((udp.src_port, udp.dst_port, payload.unwrap_or(udp.inline.as_slice())))
            }
            Transport::Tcp(_) | Transport::Icmp(_) => None,
        }
    }

    /// Flips one bit behind the IP header, where the transport checksum shows it; `bit` selects which, modulo their number.
    /// Of a modelled packet it is one of the checksum itself, since its payload is virtual.
    pub fn corrupt(&mut self, bit: u64) {
        match &mut self.body {
            Body::Model(headers) => self.body = Body::Corrupted(Box::new(*headers)),
            Body::Payload(boxed) => self.body = Body::Corrupted(Box::new(boxed.headers)),
            Body::Corrupted(_) => {}
            Body::Buffer(buffer) => buffer.flip(bit),
        }
    }

    /// Whether a link has corrupted the packet.
    #[inline]
    pub fn is_corrupted(&self) -> bool {
        match &self.body {
            Body::Model(_) | Body::Payload(_) => false,
            Body::Corrupted(_) => true,
            Body::Buffer(buffer) => buffer.corrupted,
        }
    }

    /// Transport payload in bytes, including virtual bytes; 0 for an opaque buffer.
    #[inline]
    pub fn payload_length(&self) -> usize {
        self.headers().map_or(0, |h| usize::from(self.meta.length).saturating_sub(h.header_length()))
    }

    /// The ECN field.
    #[inline]
    pub fn ecn(&self) -> Ecn {
        match self.meta.traffic_class & 3 {
            0 => Ecn::NotEct,
            1 => Ecn::Ect1,
            2 => Ecn::Ect0,
            _ => Ecn::Ce,
        }
    }

    /// Whether the packet is ECN-capable.
    #[inline]
    pub fn is_ecn_capable(&self) -> bool {
        self.meta.traffic_class & 3 != 0
    }

    /// Sets Congestion Experienced. Returns false and changes nothing if the packet is not ECN-capable.
    #[inline]
    pub fn mark_ce(&mut self) -> bool {
        if !self.is_ecn_capable() {
            return false;
        }
        self.meta.traffic_class |= 3;
        if let Body::Buffer(buffer) = &mut self.body {
            buffer.set_traffic_class(self.meta.traffic_class);
        }
        true
    }

    /// Sets the ECN field, whatever it was.
    pub fn set_ecn(&mut self, ecn: Ecn) {
        self.meta.traffic_class = self.meta.traffic_class & !3 | ecn as u8;
        if let Body::Buffer(buffer) = &mut self.body {
            buffer.set_traffic_class(self.meta.traffic_class);
        }
    }

    /// Sets the TTL or hop limit.
    #[inline]
    pub fn set_hop_limit(&mut self, value: u8) {
        self.meta.hop_limit = value;
        if let Body::Buffer(buffer) = &mut self.body {
            buffer.set_hop_limit(value);
        }
    }

    /// The Differentiated Services Code Point (DSCP).
    #[inline]
    pub fn dscp(&self) -> u8 {
        self.meta.traffic_class >> 2
    }

    /// A hash of the five-tuple, seeded so that collisions differ between runs. All bits are equally good: a table may take
    /// its index from the upper or the lower ones.
    pub fn flow_hash(&self, seed: u64) -> u64 {
        let mut hash = seed ^ 0x9e37_79b9_7f4a_7c15;
        let mut mix = |word: u64| {
            hash = (hash ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
            hash ^= hash >> 32;
        };
        match &self.body {
            Body::Buffer(buffer) => buffer.five_tuple_words().into_iter().for_each(&mut mix),
            Body::Model(_) | Body::Payload(_) | Body::Corrupted(_) => {
                if let Some(headers) = self.headers() {
                    let (src, dst) = (headers.src.to_words(), headers.dst.to_words());
                    mix(src[0] ^ dst[0].rotate_left(17));
                    mix(src[1]);
                    mix(dst[1]);
                    let (ports, protocol) = match &headers.transport {
                        Transport::Tcp(tcp) => ((tcp.src_port, tcp.dst_port), 6),
                        Transport::Udp(udp) => ((udp.src_port, udp.dst_port), 17),
                        Transport::Icmp(echo) => ((echo.identifier, 0), 1),
                    };
                    mix(u64::from(ports.0) << 32 | u64::from(ports.1) << 16 | protocol);
                }
            }
        }
        // The last word has been multiplied once, which carries its bits upwards only: adjacent ports would still spread too
        // evenly. Two more rounds let every bit affect every other.
        hash = hash.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        hash ^= hash >> 32;
        hash = hash.wrapping_mul(0xff51_afd7_ed55_8ccd);
        hash ^ hash >> 32
    }
}

impl Buffer {
    /// Completes a partial transport checksum, so the bytes are valid on any wire.
    pub fn complete_checksum(&mut self) {
        if let Some(partial) = self.partial.take() {
            partial.complete(&mut self.bytes);
        }
    }

    /// Flips a bit behind the IP header, or of the whole packet if there is nothing.
    fn flip(&mut self, bit: u64) {
        // The receiver must see a wrong checksum, not one that the device computes afresh.
        self.complete_checksum();
        self.corrupted = true;
        let ip = self.ip_mut();
        let header = match ip.first().map(|b| b >> 4) {
            Some(4) => usize::from(ip[0] & 0xf) * 4,
            Some(6) => 40,
            _ => 0,
        };
        let first = if header < ip.len() { header } else { 0 };
        let bits = (ip.len() - first) as u64 * 8;
        if bits > 0 {
            let place = bit % bits;
            ip[first + (place / 8) as usize] ^= 1 << (place % 8);
        }
    }

    /// The IP packet: all bytes, or those after the Ethernet header of a frame; empty if that frame carries no IP.
    pub fn ip(&self) -> &[u8] {
        &self.bytes[self.ip_start()..]
    }

    pub(crate) fn ip_mut(&mut self) -> &mut [u8] {
        let start = self.ip_start();
        &mut self.bytes[start..]
    }

    fn ip_start(&self) -> usize {
        match () {
            () if !self.frame => 0,
            () if crate::image::carries_ip(&self.bytes) => crate::image::ETHERNET_HEADER,
            () => self.bytes.len(),
        }
    }

    /// Rewrites the TOS or traffic class and updates the IPv4 header checksum (RFC 1624 eq. 3).
    pub fn set_traffic_class(&mut self, value: u8) {
        let ip = self.ip_mut();
        match ip.first().map(|b| b >> 4) {
            Some(4) if ip.len() >= 20 => rewrite_ipv4_word(ip, 0, [ip[0], value]),
            Some(6) if ip.len() >= 40 => {
                ip[0] = 0x60 | value >> 4;
                ip[1] = value << 4 | ip[1] & 0x0f;
            }
            _ => {}
        }
    }

    /// Rewrites the TTL or hop limit and updates the IPv4 header checksum (RFC 1624 eq. 3).
    pub fn set_hop_limit(&mut self, value: u8) {
        let ip = self.ip_mut();
        match ip.first().map(|b| b >> 4) {
            Some(4) if ip.len() >= 20 => rewrite_ipv4_word(ip, 8, [value, ip[9]]),
            Some(6) if ip.len() >= 40 => ip[7] = value,
            _ => {}
        }
    }

    fn five_tuple_words(&self) -> [u64; 5] {
        let ip = self.ip();
        let word = |range: std::ops::Range<usize>| {
            let mut bytes = [0; 8];
            let part = ip.get(range).unwrap_or(&[]);
            bytes[..part.len()].copy_from_slice(part);
            u64::from_be_bytes(bytes)
        };
        match ip.first().map(|b| b >> 4) {
            Some(4) => {
                let header = usize::from(ip[0] & 0xf) * 4;
                let protocol = ip.get(9).copied().map_or(0, u64::from);
                [word(12..20), word(header..header + 4), protocol, 0, 0]
            }
            Some(6) => [word(8..16), word(16..24), word(24..32), word(32..40), word(40..44) ^ word(6..7)],
            _ => [0; 5],
        }
    }
}

/// Replaces the 16-bit word at byte `at` of an IPv4 header of at least 20 bytes.
fn rewrite_ipv4_word(ip: &mut [u8], at: usize, word: [u8; 2]) {
    let old = u16::from_be_bytes([ip[at], ip[at + 1]]);
    ip[at..at + 2].copy_from_slice(&word);
    let sum = u16::from_be_bytes([ip[10], ip[11]]);
    let mut folded = u32::from(!sum) + u32::from(!old) + u32::from(u16::from_be_bytes(word));
    while folded >> 16 != 0 {
        folded = (folded & 0xffff) + (folded >> 16);
    }
    ip[10..12].copy_from_slice(&(!(folded as u16)).to_be_bytes());
}

impl fmt::Display for FlowId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::headers::{Address, TcpHeader, UdpHeader};

    fn udp(src_port: u16) -> Packet {
        let transport = Transport::Udp(UdpHeader { src_port, dst_port: 9, inline: Default::default() });
        Packet::model(
            Headers { src: Address::v4(10, 0, 0, 1), dst: Address::v4(10, 0, 0, 2), transport },
            100,
        )
    }

    #[test]
    fn fits_in_two_cache_lines() {
        // A larger packet is moved by a call of `memcpy`, which costs a sixth of the simulator's speed.
        assert!(size_of::<Packet>() <= 128, "{}", size_of::<Packet>());
    }

    #[test]
    fn marks_only_ecn_capable_packets() {
        let mut packet = udp(1);
        assert!(!packet.mark_ce());
        assert_eq!(packet.ecn(), Ecn::NotEct);
        packet.meta.traffic_class = Ecn::Ect0 as u8;
        assert!(packet.mark_ce());
        assert_eq!(packet.ecn(), Ecn::Ce);
    }

    #[test]
    fn rewriting_a_captured_header_keeps_its_checksum_right() {
        let mut bytes =
            vec![0x45, 0, 0, 28, 0, 1, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 0, 1, 0, 9, 0, 8, 0, 0];
        let sum = |bytes: &[u8]| {
            let total: u32 = bytes[..20].chunks(2).map(|w| u32::from(u16::from_be_bytes([w[0], w[1]]))).sum();
            (total & 0xffff) + (total >> 16)
        };
        let checksum = !(sum(&bytes) as u16);
        bytes[10..12].copy_from_slice(&checksum.to_be_bytes());
        let mut packet = Packet {
            meta: PacketMeta { length: 28, traffic_class: Ecn::Ect0 as u8, ..PacketMeta::default() },
            body: Body::Buffer(Box::new(Buffer { bytes, ..Buffer::default() })),
        };
        packet.set_hop_limit(63);
        assert!(packet.mark_ce());
        let Body::Buffer(buffer) = &packet.body else { panic!("still a buffer") };
        assert_eq!((buffer.bytes[8], buffer.bytes[9], buffer.bytes[1]), (63, 17, 3));
        assert_eq!(sum(&buffer.bytes), 0xffff);
    }

    #[test]
    fn a_corrupted_packet_keeps_its_flow_and_fails_its_checksum() {
        for zeros in [crate::image::Zeros::Virtual, crate::image::Zeros::Kept] {
            let mut sent = Vec::new();
            udp(7).write_ip_image(&mut sent, usize::MAX);
            let mut packet = match zeros {
                crate::image::Zeros::Virtual => udp(7),
                crate::image::Zeros::Kept => {
                    let buffer = Box::new(Buffer { bytes: sent.clone(), ..Buffer::default() });
                    Packet::from_ip_buffer(buffer).unwrap()
                }
            };
            assert!(!packet.is_corrupted());
            // A bit of the payload, so that the ports stay; of the modelled packet, one of the checksum.
            packet.corrupt(8 * 8 + 3);
            assert!(packet.is_corrupted());
            assert_eq!(packet.five_tuple(), udp(7).five_tuple());
            assert_eq!(packet.flow_hash(1), {
                let bytes = Box::new(Buffer { bytes: sent.clone(), ..Buffer::default() });
                match zeros {
                    crate::image::Zeros::Virtual => udp(7).flow_hash(1),
                    crate::image::Zeros::Kept => Packet::from_ip_buffer(bytes).unwrap().flow_hash(1),
                }
            });
            let mut image = Vec::new();
            packet.write_ip_image(&mut image, usize::MAX);
            let flipped: u32 = image.iter().zip(&sent).map(|(a, b)| (a ^ b).count_ones()).sum();
            assert_eq!((image.len(), flipped), (sent.len(), 1));
            // Bytes with a wrong checksum have no typed form.
            let read = Packet::from_ip_image(&image, crate::image::Zeros::Virtual).unwrap();
            assert!(matches!(read.body, Body::Buffer(_)));
        }
    }

    #[test]
    fn a_partial_checksum_is_completed_before_a_bit_is_flipped() {
        let mut bytes = Vec::new();
        udp(7).write_ip_image(&mut bytes, usize::MAX);
        let whole = bytes.clone();
        // The field holds the sum over the pseudo-header alone.
        let sum: u32 = bytes[12..20].chunks(2).map(|w| u32::from(u16::from_be_bytes([w[0], w[1]]))).sum();
        let sum = sum + 17 + (bytes.len() as u32 - 20);
        let folded = ((sum & 0xffff) + (sum >> 16)) as u16;
        bytes[26..28].copy_from_slice(&folded.to_be_bytes());
        let partial = Some(PartialChecksum { start: 20, offset: 6 });
        let mut packet =
            Packet::from_ip_buffer(Box::new(Buffer { bytes, partial, ..Buffer::default() })).unwrap();
        packet.corrupt(8 * 50);
        let Body::Buffer(buffer) = &packet.body else { panic!("still a buffer") };
        assert_eq!(buffer.partial, None);
        let wrong: Vec<usize> = (0..whole.len()).filter(|at| buffer.bytes[*at] != whole[*at]).collect();
        assert_eq!(wrong, [20 + 50]);
    }

    #[test]
    fn flows_hash_by_five_tuple_and_seed() {
        assert_eq!(udp(1).flow_hash(5), udp(1).flow_hash(5));
        assert_ne!(udp(1).flow_hash(5), udp(2).flow_hash(5));
        assert_ne!(udp(1).flow_hash(5), udp(1).flow_hash(6));
    }

    /// χ² of `counts` against equal ones.
    fn chi_square(counts: &[u32]) -> f64 {
        let expected = f64::from(counts.iter().sum::<u32>()) / counts.len() as f64;
        counts
            .iter()
            .map(|count| (f64::from(*count) - expected) * (f64::from(*count) - expected) / expected)
            .sum()
    }

    #[test]
    fn flows_that_differ_in_one_field_spread_at_random_by_any_eight_bits_of_the_hash() {
        let flow = |src, dst, ports: (u16, u16), is_tcp: bool| {
            let transport = match is_tcp {
                true => Transport::Tcp(TcpHeader::new(ports.0, ports.1)),
                false => Transport::Udp(UdpHeader {
                    src_port: ports.0,
                    dst_port: ports.1,
                    inline: Default::default(),
                }),
            };
            Packet::model(Headers { src, dst, transport }, 0)
        };
        let host = |n: u16| Address::v4(10, 0, (n >> 8) as u8, n as u8);
        let host6 = |n: u16| {
            Address::from(std::net::IpAddr::V6(std::net::Ipv6Addr::new(0x2001, 0xdb8, 0, n, 0, 0, 0, 1)))
        };
        let (a, b) = (host(1), host(2));
        let neighbours: [(&str, &dyn Fn(u16) -> Packet); 7] = [
            ("source port, UDP", &|n| flow(a, b, (n, 53), false)),
            ("source port, TCP", &|n| flow(a, b, (n, 443), true)),
            ("destination port", &|n| flow(a, b, (5000, n), false)),
            ("every eighth source port", &|n| flow(a, b, (n * 8, 53), false)),
            ("source", &|n| flow(host(n), b, (5000, 53), false)),
            ("destination", &|n| flow(a, host(n), (5000, 53), false)),
            ("IPv6 subnet of the source", &|n| flow(host6(n), host6(9999), (5000, 53), false)),
        ];
        for (field, packet) in neighbours {
            for seed in [1, 0x5eed] {
                for shift in [0, 4, 8, 24, 28, 32, 48, 56] {
                    let mut counts = [0; 256];
                    (0..4096).for_each(|n| counts[(packet(n).flow_hash(seed) >> shift) as usize & 255] += 1);
                    // 255 degrees of freedom: mean 255, standard deviation 22.6. Too even is as wrong as too uneven.
                    let spread = chi_square(&counts);
                    assert!(
                        (165.0..355.0).contains(&spread),
                        "{field}, bits from {shift}, seed {seed}: {spread}"
                    );
                }
            }
        }
    }
}

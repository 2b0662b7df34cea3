//! Generic receive offload: merges packets to one device into super-packets.
//!
//! Only packets that [`super::split`] would produce from the super-packet are merged: same flow, consecutive sequence
//! numbers and IPv4 identifications, all other header fields equal (traffic class with the ECN field, hop limit,
//! acknowledgement, window, options), and equal sizes except for the last. PSH and FIN end a super-packet. Therefore a mark
//! stays on its packet, and a receiver sees a gap where a packet was dropped.

use std::io::IoSlice;

use jettison_wire::{Body, Packet, TcpFlags};

use super::VnetHeader;
use super::sum::{put, put_ip_length, replaced, word};
use super::tun::MOST_PARTS;

/// Collects the packets of one device. The order within a flow is kept; packets of different flows may be reordered.
#[derive(Debug, Default)]
pub struct Merger {
    trains: Vec<Train>,
    /// Number of trains in use; the others are kept for reuse.
    used: usize,
    bytes: usize,
}

/// Packets that leave as one super-packet.
#[derive(Debug, Default)]
pub struct Train {
    /// The packets in order.
    parts: Vec<Packet>,
    /// Hash of the flow. A collision only prevents merging.
    key: u64,
    /// Expected next packet; `None` if the train is complete.
    next: Option<Continuation>,
    /// Length of the IP and transport headers in bytes.
    headers: usize,
    /// Offset of the transport header.
    transport: usize,
    /// Payload bytes of each part except the last.
    size: usize,
    /// Length of the merged IP packet in bytes.
    length: usize,
}

#[derive(Debug, Clone, Copy)]
struct Continuation {
    sequence: u32,
    id: u16,
}

/// Number of most recent trains that a packet is compared with: about the number of flows that alternate in a queue.
const LOOK_BACK: usize = 8;

impl Merger {
    /// Adds a packet.
    pub fn push(&mut self, packet: Packet) {
        self.bytes += usize::from(packet.meta.length);
        let Some(segment) = Segment::parse(&packet) else {
            // A packet that cannot be merged may belong to a flow with a train: it must not overtake that train.
            let key = packet
                .five_tuple()
                .map_or(0, |tuple| key_of(tuple.src_port, tuple.dst_port, tuple.dst.low_u32()));
            return self.start(packet, key, None);
        };
        let first = self.used.saturating_sub(LOOK_BACK);
        // Only the latest train of the flow qualifies: joining an older one would reorder packets.
        let found = self.trains[first..self.used].iter_mut().rev().find(|train| train.key == segment.key);
        match found {
            Some(train) if train.accepts(&packet, &segment) => train.add(packet, &segment),
            _ => self.start(packet, segment.key, Some(&segment)),
        }
    }

    /// Whether no packets wait.
    pub fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// Bytes of the waiting packets.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The waiting trains in the order in which to write them. The caller takes their packets out; the trains are then reused.
    pub fn trains(&mut self) -> impl Iterator<Item = &mut Train> {
        self.bytes = 0;
        self.trains[..std::mem::take(&mut self.used)].iter_mut()
    }

    fn start(&mut self, packet: Packet, key: u64, segment: Option<&Segment>) {
        if self.used == self.trains.len() {
            self.trains.push(Train::default());
        }
        let train = &mut self.trains[self.used];
        self.used += 1;
        train.parts.clear();
        train.key = key;
        train.length = usize::from(packet.meta.length);
        train.next = None;
        (train.headers, train.transport, train.size) = (0, 0, 0);
        match segment {
            None => train.parts.push(packet),
            Some(segment) => {
                (train.headers, train.transport) = (segment.headers, segment.transport);
                train.size = segment.payload;
                train.length = segment.headers;
                train.add(packet, segment);
            }
        }
    }
}

impl Train {
    /// Maximum number of packets in a train: packets of 576 bytes then fill a super-packet of 64 KiB.
    pub const MOST_PARTS: usize = MOST_PARTS;

    /// The packets, in order. Taking them out leaves the train empty.
    pub fn parts(&mut self) -> &mut Vec<Packet> {
        &mut self.parts
    }

    /// Turns the first packet's headers into those of the super-packet and returns its virtio header. `None` if the train is a
    /// single packet, which is written unchanged.
    pub fn seal(&mut self) -> Option<VnetHeader> {
        let count = self.parts.len();
        if count < 2 {
            return None;
        }
        let last_flags = bytes_of(&self.parts[count - 1])[self.transport + 13];
        let (transport, headers, length) = (self.transport, self.headers, self.length);
        let Body::Buffer(buffer) = &mut self.parts[0].body else { return None };
        let ip = &mut buffer.bytes;
        let before = ip.len() - transport;
        put_ip_length(ip, length);
        let above = &mut ip[transport..];
        above[13] |= last_flags & (TcpFlags::PSH.0 | TcpFlags::FIN.0);
        let sum = replaced(word(above, 16), before as u16, (length - transport) as u16);
        put(above, 16, sum);
        let is_cwr = above[13] & TcpFlags::CWR.0 != 0;
        let kind = if ip[0] >> 4 == 4 { VnetHeader::GSO_TCP4 } else { VnetHeader::GSO_TCP6 };
        Some(VnetHeader {
            flags: VnetHeader::NEEDS_CHECKSUM,
            gso_type: if is_cwr { kind | VnetHeader::GSO_ECN } else { kind },
            header_length: headers as u16,
            gso_size: self.size as u16,
            checksum_start: transport as u16,
            checksum_offset: 16,
        })
    }

    /// The bytes of a sealed super-packet: the first packet, then the payloads of the others. Returns the number of slices.
    pub fn slices<'a>(&'a self, into: &mut [IoSlice<'a>; MOST_PARTS]) -> usize {
        for (index, (place, part)) in into.iter_mut().zip(&self.parts).enumerate() {
            *place = IoSlice::new(&bytes_of(part)[if index == 0 { 0 } else { self.headers }..]);
        }
        self.parts.len()
    }

    fn accepts(&self, packet: &Packet, segment: &Segment) -> bool {
        let Some(next) = self.next else { return false };
        let first = bytes_of(&self.parts[0]);
        let other = bytes_of(packet);
        let transport = self.transport;
        let fits = segment.sequence == next.sequence
            && segment.id == next.id
            && segment.payload <= self.size
            && (segment.headers, segment.transport) == (self.headers, transport)
            && self.length + segment.payload <= usize::from(u16::MAX)
            && self.parts.len() < MOST_PARTS;
        if !fits {
            return false;
        }
        // All fields except length, identification and checksum (IPv4) or payload length (IPv6).
        let same = |range: std::ops::Range<usize>| first[range.clone()] == other[range];
        let same_ip = match first[0] >> 4 {
            4 => same(0..2) && same(6..10) && same(12..transport),
            _ => same(0..4) && same(6..transport),
        };
        let flags = |bytes: &[u8]| bytes[transport + 13];
        let (ends, cwr) = (TcpFlags::PSH.0 | TcpFlags::FIN.0, TcpFlags::CWR.0);
        same_ip
            && same(transport..transport + 4)
            // Sequence number (4..8) and checksum (16..18) differ by design; CWR is set on the first packet only.
            && same(transport + 8..transport + 13)
            && flags(first) & !cwr == flags(other) & !ends
            && same(transport + 14..transport + 16)
            && same(transport + 18..self.headers)
    }

    fn add(&mut self, packet: Packet, segment: &Segment) {
        self.length += segment.payload;
        let can_continue = segment.payload == self.size && !segment.ends;
        self.next = can_continue.then(|| Continuation {
            sequence: segment.sequence.wrapping_add(segment.payload as u32),
            id: if segment.is_v4 { segment.id.wrapping_add(1) } else { 0 },
        });
        self.parts.push(packet);
    }
}

/// A TCP packet with data that can be part of a super-packet.
#[derive(Debug)]
struct Segment {
    is_v4: bool,
    transport: usize,
    headers: usize,
    payload: usize,
    sequence: u32,
    id: u16,
    ends: bool,
    key: u64,
}

impl Segment {
    fn parse(packet: &Packet) -> Option<Segment> {
        let Body::Buffer(buffer) = &packet.body else { return None };
        let partial = buffer.partial.filter(|_| !buffer.frame)?;
        let bytes = &buffer.bytes;
        let transport = usize::from(partial.start);
        let is_v4 = bytes.first()? >> 4 == 4;
        let is_tcp = if is_v4 {
            // The "more fragments" bit or a fragment offset: not a whole packet.
            let is_whole = bytes.len() >= 40 && word(bytes, 6) & 0x3fff == 0;
            is_whole && bytes[9] == 6 && usize::from(bytes[0] & 0xf) * 4 == transport
        } else {
            bytes.len() >= 60 && bytes[6] == 6 && transport == 40
        };
        if !is_tcp || partial.offset != 16 || bytes.len() < transport + 20 {
            return None;
        }
        let above = &bytes[transport..];
        let headers = transport + usize::from(above[12] >> 4) * 4;
        let flags = above[13];
        let mergeable = [TcpFlags::ACK, TcpFlags::PSH, TcpFlags::FIN, TcpFlags::ECE, TcpFlags::CWR];
        // Segments with SYN, RST or URG are never merged.
        let unmergeable = !mergeable.iter().fold(0, |all, flag| all | flag.0);
        if headers < transport + 20
            || headers >= bytes.len()
            || flags & unmergeable != 0
            || flags & TcpFlags::ACK.0 == 0
        {
            return None;
        }
        let address = &bytes[if is_v4 { 16..20 } else { 36..40 }];
        let destination = u32::from_be_bytes([address[0], address[1], address[2], address[3]]);
        Some(Segment {
            is_v4,
            transport,
            headers,
            payload: bytes.len() - headers,
            sequence: u32::from_be_bytes([above[4], above[5], above[6], above[7]]),
            id: if is_v4 { word(bytes, 4) } else { 0 },
            ends: flags & (TcpFlags::PSH.0 | TcpFlags::FIN.0) != 0,
            key: key_of(word(above, 0), word(above, 2), destination),
        })
    }
}

fn key_of(src_port: u16, dst_port: u16, destination: u32) -> u64 {
    u64::from(src_port) << 48 | u64::from(dst_port) << 32 | u64::from(destination)
}

fn bytes_of(packet: &Packet) -> &[u8] {
    match &packet.body {
        Body::Buffer(buffer) => &buffer.bytes,
        Body::Model(_) | Body::Payload(_) | Body::Corrupted(_) => &[],
    }
}

#[cfg(test)]
#[path = "merge_tests.rs"]
mod tests;

//! Packets that go to one device together become super-packets again (generic receive offload).
//!
//! Only what [`super::split`] would make again of the super-packet is merged: one flow, consecutive sequence numbers and IPv4
//! identifications, all other fields of the headers alike (traffic class with the ECN field, hop limit, acknowledgement,
//! window, options), all but the last of one size. PSH and FIN end a super-packet. So a mark stays on the packet that
//! carries it, and a receiver sees a gap where a packet was dropped.

use std::io::IoSlice;

use jettison_wire::{Body, Packet, TcpFlags};

use super::VnetHeader;
use super::sum::{put, put_ip_length, replaced, word};
use super::tun::MOST_PARTS;

/// Gathers the packets of one device. The order within a flow is kept; a packet may come before those of other flows.
#[derive(Debug, Default)]
pub struct Merger {
    trains: Vec<Train>,
    /// How many of them are in use; the others wait to be used again.
    used: usize,
    bytes: usize,
}

/// Packets that leave as one.
#[derive(Debug, Default)]
pub struct Train {
    /// In order.
    parts: Vec<Packet>,
    /// What tells flows apart; a chance agreement only keeps two of them unmerged.
    key: u64,
    /// What would continue it; `None` if nothing can.
    next: Option<Continuation>,
    /// Bytes of IP and transport header.
    headers: usize,
    /// Where the transport header begins.
    transport: usize,
    /// Bytes of payload of each part but the last.
    size: usize,
    /// Bytes of the IP packet that it would make.
    length: usize,
}

#[derive(Debug, Clone, Copy)]
struct Continuation {
    sequence: u32,
    id: u16,
}

/// How many of the latest trains a packet is compared with: about as many flows as take turns in a queue.
const LOOK_BACK: usize = 8;

impl Merger {
    /// Takes a packet in.
    pub fn push(&mut self, packet: Packet) {
        self.bytes += usize::from(packet.meta.length);
        let Some(segment) = Segment::parse(&packet) else {
            // What is no segment with data may still be one of a flow that is: it must not overtake.
            let key = packet
                .five_tuple()
                .map_or(0, |tuple| key_of(tuple.src_port, tuple.dst_port, tuple.dst.low_u32()));
            return self.start(packet, key, None);
        };
        let first = self.used.saturating_sub(LOOK_BACK);
        // The latest train of a flow, or none: an older one would be overtaken.
        let found = self.trains[first..self.used].iter_mut().rev().find(|train| train.key == segment.key);
        match found {
            Some(train) if train.takes(&packet, &segment) => train.add(packet, &segment),
            _ => self.start(packet, segment.key, Some(&segment)),
        }
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// Bytes that wait.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// What waits, in the order in which it is to be written. It is left empty of packets by the caller, then forgotten.
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
    /// The most packets that one takes: with packets of 576 bytes, a super-packet of 64 KiB.
    pub const MOST_PARTS: usize = MOST_PARTS;

    /// The packets, in order. Taking them out leaves the train empty.
    pub fn parts(&mut self) -> &mut Vec<Packet> {
        &mut self.parts
    }

    /// Makes the first packet's header that of all together, if there are several; gives what goes with it. `None` if the
    /// train is a single packet, which is to be written as it is.
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

    /// The bytes of the super-packet, once sealed: the first packet, and the payload of the others.
    pub fn slices<'a>(&'a self, into: &mut [IoSlice<'a>; MOST_PARTS]) -> usize {
        for (index, (place, part)) in into.iter_mut().zip(&self.parts).enumerate() {
            *place = IoSlice::new(&bytes_of(part)[if index == 0 { 0 } else { self.headers }..]);
        }
        self.parts.len()
    }

    fn takes(&self, packet: &Packet, segment: &Segment) -> bool {
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
        // All but length, identification and checksum of IPv4; all but the length of IPv6.
        let same = |range: std::ops::Range<usize>| first[range.clone()] == other[range];
        let same_ip = match first[0] >> 4 {
            4 => same(0..2) && same(6..10) && same(12..transport),
            _ => same(0..4) && same(6..transport),
        };
        let flags = |bytes: &[u8]| bytes[transport + 13];
        let (ends, cwr) = (TcpFlags::PSH.0 | TcpFlags::FIN.0, TcpFlags::CWR.0);
        same_ip
            && same(transport..transport + 4)
            && same(transport + 8..transport + 13)
            && flags(first) & !cwr == flags(other) & !ends
            && same(transport + 14..transport + 16)
            && same(transport + 18..self.headers)
    }

    fn add(&mut self, packet: Packet, segment: &Segment) {
        self.length += segment.payload;
        let goes_on = segment.payload == self.size && !segment.ends;
        self.next = goes_on.then(|| Continuation {
            sequence: segment.sequence.wrapping_add(segment.payload as u32),
            id: if segment.is_v4 { segment.id.wrapping_add(1) } else { 0 },
        });
        self.parts.push(packet);
    }
}

/// A TCP packet with data that may be part of a super-packet.
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
            // "More fragments" or an offset: not a whole packet.
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
        let plain = [TcpFlags::ACK, TcpFlags::PSH, TcpFlags::FIN, TcpFlags::ECE, TcpFlags::CWR];
        let others = !plain.iter().fold(0, |all, flag| all | flag.0);
        if headers < transport + 20
            || headers >= bytes.len()
            || flags & others != 0
            || flags & TcpFlags::ACK.0 == 0
        {
            return None;
        }
        let addressee = &bytes[if is_v4 { 16..20 } else { 36..40 }];
        let destination = u32::from_be_bytes([addressee[0], addressee[1], addressee[2], addressee[3]]);
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
        Body::Model(_) | Body::Payload(_) => &[],
    }
}

#[cfg(test)]
#[path = "merge_tests.rs"]
mod tests;

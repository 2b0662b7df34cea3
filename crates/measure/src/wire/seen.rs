//! What a router sees of real packets: their headers, and their way through its queues.

use jettison_core::Time;
use jettison_wire::{Address, Body, FlowId, Packet, Segment, TcpFlags};
use rustc_hash::FxHashMap;

use super::log::{Sight, SightLog};
use super::{DatagramKey, Tells};
use crate::Place;
use crate::provenance::{Content, InFlight, StreamId, Streams};

/// Most directions of connections that are known. All are forgotten when there are more.
const DIRECTIONS: usize = 1 << 16;

/// Sender and receiver.
type Ends = [(Address, u16); 2];

/// What a router sees of packets.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    directions: FxHashMap<Ends, Direction>,
    /// Number of directions so far.
    count: u32,
    /// Flows whose packets' ways are logged.
    tells: Tells,
    log: SightLog,
    /// Packets whose ways are logged, as long as they are under way.
    on_their_way: InFlight<()>,
}

/// One direction of a TCP connection.
#[derive(Debug, Clone, Copy)]
struct Direction {
    stream: StreamId,
    number: u32,
    /// Sequence number of the first byte.
    first: u32,
    /// Place of the first byte without an acknowledgement.
    acknowledged: u64,
}

impl Seen {
    /// Logs the ways of packets whose flows' applications tell of units.
    pub(crate) fn with_log(tells: Tells) -> Seen {
        Seen { tells, ..Seen::default() }
    }

    /// The log.
    pub(crate) fn into_log(self) -> SightLog {
        self.log
    }

    /// A packet comes from its host. Returns what it carries, as far as its headers tell.
    #[inline]
    pub fn came(&mut self, packet: &Packet, streams: &mut Streams, now: Time) -> Option<Content> {
        let Body::Buffer(buffer) = &packet.body else { return None };
        if let Some(segment) = packet.segment() {
            let tuple = packet.five_tuple()?;
            let ends = [(tuple.src, segment.tcp.src_port), (tuple.dst, segment.tcp.dst_port)];
            return self.segment(packet, ends, &segment, streams, now);
        }
        if self.tells.has(packet.meta.flow)
            && let Some((source, destination, payload)) = buffer.udp()
        {
            let tuple = packet.five_tuple()?;
            let (length, id) = (payload.len() as u16, packet.meta.id);
            let key = DatagramKey::of((tuple.src, source), (tuple.dst, destination), payload, length);
            self.log.push(now, &Sight::Datagram { packet: id, key, length: length.into() });
            self.on_their_way.insert(id, ());
        }
        None
    }

    fn segment(
        &mut self,
        packet: &Packet,
        ends: Ends,
        segment: &Segment,
        streams: &mut Streams,
        now: Time,
    ) -> Option<Content> {
        let Segment { tcp, payload, .. } = segment;
        if tcp.flags.contains(TcpFlags::SYN) {
            self.open(packet.meta.flow, ends, tcp.seq.wrapping_add(1), streams, now);
            return None;
        }
        let [sender, receiver] = ends;
        if tcp.flags.contains(TcpFlags::ACK)
            && let Some(other) = self.directions.get_mut(&[receiver, sender])
            && let Some(place) = streams.offset(other.stream, tcp.ack)
        {
            other.acknowledged = other.acknowledged.max(place);
        }
        // What nobody saw begin has no place to count from.
        let Direction { stream, number, acknowledged, .. } = *self.directions.get(&ends)?;
        if tcp.flags.contains(TcpFlags::FIN) || tcp.flags.contains(TcpFlags::RST) {
            streams.close(stream, now);
        }
        if *payload == 0 {
            return None;
        }
        let (id, length) = (packet.meta.id, *payload as u32);
        let content = streams.sends(stream, tcp.seq, length, id, acknowledged)?;
        if self.tells.has(packet.meta.flow) {
            let (offset, is_repeated) = (content.offset, content.retransmission);
            self.log.push(now, &Sight::Segment { packet: id, stream: number, offset, length, is_repeated });
            self.on_their_way.insert(id, ());
        }
        Some(content)
    }

    /// A connection's direction begins, unless its SYN is one that was sent again.
    fn open(&mut self, flow: FlowId, ends: Ends, first: u32, streams: &mut Streams, now: Time) {
        if let Some(known) = self.directions.get(&ends) {
            if known.first == first {
                return;
            }
            streams.close(known.stream, now);
        }
        if self.directions.len() >= DIRECTIONS {
            self.directions.values().for_each(|own| streams.close(own.stream, now));
            self.directions.clear();
        }
        let stream = streams.open(ends[0], ends[1], flow, first, now);
        let number = self.count;
        self.count += 1;
        self.directions.insert(ends, Direction { stream, number, first, acknowledged: 0 });
        // Its application may tell later.
        if self.tells.is_known(flow) {
            self.log.push(now, &Sight::Opened(number, ends));
        }
    }

    // ---- ways ------------------------------------------------------------------------------------------------

    /// The link of a queue sends a packet ([`crate::Provenance::left`]).
    #[inline]
    pub fn left(&mut self, queue: u32, packet: u32, enqueued: Time, now: Time, left: Time) {
        if self.on_their_way.find(packet).is_some() {
            self.log.push(now, &Sight::Left { queue, packet, enqueued, left });
        }
    }

    /// A packet reaches the far end of a queue's link.
    #[inline]
    pub fn arrived(&mut self, queue: u32, packet: u32, now: Time) {
        if self.on_their_way.find(packet).is_some() {
            self.log.push(now, &Sight::Arrived { queue, packet });
        }
    }

    /// A packet is given to its host's kernel.
    #[inline]
    pub fn delivered(&mut self, packet: u32, now: Time) {
        // Of a copy only the first counts.
        if self.on_their_way.remove(packet).is_some() {
            self.log.push(now, &Sight::Delivered(packet));
        }
    }

    /// A link makes a copy of a packet.
    pub fn copied(&mut self, packet: u32, now: Time) {
        if self.on_their_way.find(packet).is_some() {
            self.log.push(now, &Sight::Copied(packet));
        }
    }

    /// A packet is dropped.
    pub fn dropped(&mut self, decision: u64, place: Place, packet: &Packet, now: Time) {
        if self.on_their_way.remove(packet.meta.id).is_some() {
            let (id, enqueued) = (packet.meta.id, packet.meta.enqueued_at);
            self.log.push(now, &Sight::Dropped { packet: id, place, enqueued, decision });
        }
    }

    /// A packet is marked.
    pub fn marked(&mut self, decision: u64, packet: u32, now: Time) {
        if self.on_their_way.find(packet).is_some() {
            self.log.push(now, &Sight::Marked { packet, decision });
        }
    }
}

//! TCP streams: what their segments carry.
//!
//! A segment names its place in the stream by its sequence number, so a packet needs no entry of its own. Only retransmissions have
//! one, in the table of packets in flight.

use std::collections::VecDeque;

use jettison_core::{Duration, Time};
use jettison_wire::{Address, FlowId, Headers, Packet, TcpFlags, Transport};
use rustc_hash::FxHashMap;

use super::{Content, Unit};

/// How long a stream is known after its connection: packets of it may still wait in queues. As long as TIME-WAIT in Linux.
const KEPT: Duration = Duration::from_secs(60);
/// Acknowledged units that are still known, for packets that repeat what has been acknowledged.
const UNITS_KEPT: usize = 16;

/// One direction of a TCP connection: what one end writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamId(pub(crate) u32);

impl StreamId {
    /// Its place in a list of all streams.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Address and port of a stream's sender, then of its receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Ends([(Address, u16); 2]);

impl Ends {
    fn of(headers: &Headers) -> Option<Ends> {
        let Transport::Tcp(tcp) = &headers.transport else { return None };
        Some(Ends([(headers.src, tcp.src_port), (headers.dst, tcp.dst_port)]))
    }
}

/// All streams of a run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Streams {
    streams: Vec<Option<Stream>>,
    free: Vec<u32>,
    by_ends: FxHashMap<Ends, u32>,
    /// Streams whose connection has ended, with the instant when they may be forgotten.
    ended: VecDeque<(Time, u32)>,
}

#[derive(Debug, Clone)]
struct Stream {
    ends: Ends,
    /// Its ends behind address translation.
    translated: Vec<Ends>,
    flow: FlowId,
    /// Sequence number of the first byte.
    first: u32,
    /// Offset after the last byte sent.
    next: u64,
    /// Offset after the last byte that a unit has.
    described: u64,
    /// Segments that are not acknowledged: offset, and the id of the last packet with it.
    sent: VecDeque<(u64, u32)>,
    units: VecDeque<Span>,
}

/// A unit's bytes in a stream.
#[derive(Debug, Clone, Copy)]
struct Span {
    start: u64,
    end: u64,
    unit: Unit,
}

impl Stream {
    /// The offset of a sequence number: the one closest to what was sent last.
    #[inline]
    fn offset(&self, sequence: u32) -> u64 {
        let ahead = sequence.wrapping_sub(self.first.wrapping_add(self.next as u32)) as i32;
        self.next.saturating_add_signed(i64::from(ahead))
    }

    fn unit_at(&self, offset: u64) -> Option<Unit> {
        let at = self.units.partition_point(|span| span.end <= offset);
        self.units.get(at).filter(|span| span.start <= offset).map(|span| span.unit)
    }

    /// Notes a transmission. Returns the packet that carried the same byte before, if this is a retransmission.
    #[inline]
    fn transmits(&mut self, offset: u64, length: u32, id: u32, acknowledged: u64) -> Option<Option<u32>> {
        while self.sent.front().is_some_and(|(start, _)| *start < acknowledged) {
            self.sent.pop_front();
        }
        if offset >= self.next {
            self.next = offset + u64::from(length);
            self.sent.push_back((offset, id));
            return None;
        }
        let at = self.sent.partition_point(|(start, _)| *start <= offset);
        let last = at.checked_sub(1).and_then(|at| self.sent.get_mut(at));
        // A segment that is acknowledged in part is no longer listed, and its repetition starts where it started.
        Some(last.filter(|(start, _)| *start == offset).map(|(_, last)| std::mem::replace(last, id)))
    }

    /// Forgets acknowledged units but for the last ones.
    fn release(&mut self, acknowledged: u64) {
        while self.units.len() > UNITS_KEPT && self.units[UNITS_KEPT].start < acknowledged {
            self.units.pop_front();
        }
    }
}

impl Streams {
    /// A new stream. `first` is the sequence number of its first byte.
    pub fn open(
        &mut self,
        sender: (Address, u16),
        receiver: (Address, u16),
        flow: FlowId,
        first: u32,
        now: Time,
    ) -> StreamId {
        self.forget(now);
        let ends = Ends([sender, receiver]);
        let stream = Stream {
            ends,
            translated: Vec::new(),
            flow,
            first,
            next: 0,
            described: 0,
            sent: VecDeque::new(),
            units: VecDeque::new(),
        };
        let index = match self.free.pop() {
            Some(index) => {
                self.streams[index as usize] = Some(stream);
                index
            }
            None => {
                self.streams.push(Some(stream));
                (self.streams.len() - 1) as u32
            }
        };
        self.by_ends.insert(ends, index);
        StreamId(index)
    }

    /// Notes that a stream's connection has ended: it is forgotten later.
    pub fn close(&mut self, stream: StreamId, now: Time) {
        self.ended.push_back((now.saturating_add(KEPT), stream.0));
    }

    fn forget(&mut self, now: Time) {
        while let Some((_, index)) = self.ended.pop_front_if(|(until, _)| *until <= now) {
            let Some(stream) = self.streams[index as usize].take() else { continue };
            // Another connection may have the same ends since.
            for ends in stream.translated.iter().chain([&stream.ends]) {
                if self.by_ends.get(ends) == Some(&index) {
                    self.by_ends.remove(ends);
                }
            }
            self.free.push(index);
        }
    }

    /// Notes the ends that a segment of a stream has where address translation has changed them.
    pub fn seen(&mut self, stream: StreamId, packet: &Packet) {
        let Some(ends) = packet.headers().and_then(Ends::of) else { return };
        let Some(Some(own)) = self.streams.get_mut(stream.0 as usize) else { return };
        if ends != own.ends && !own.translated.contains(&ends) {
            own.translated.push(ends);
            self.by_ends.insert(ends, stream.0);
        }
    }

    /// Says that the next `bytes` bytes, beyond those written so far and those described before, belong to a unit. Returns it as one of the
    /// stream's flow.
    pub fn describe(&mut self, stream: StreamId, unit: Unit, bytes: u64, written: u64) -> Option<Unit> {
        let stream = self.streams.get_mut(stream.0 as usize)?.as_mut()?;
        let start = stream.described.max(written);
        let end = start.saturating_add(bytes);
        stream.described = end;
        let unit = unit.of(stream.flow);
        match stream.units.back_mut() {
            Some(last) if last.unit == unit && last.end == start => last.end = end,
            _ => stream.units.push_back(Span { start, end, unit }),
        }
        Some(unit)
    }

    /// The unit that the other end of a stream's connection described last.
    pub fn asked(&self, stream: StreamId) -> Option<Unit> {
        let Ends([sender, receiver]) = self.streams.get(stream.0 as usize)?.as_ref()?.ends;
        // What comes from the other end has these ends here, translated or not.
        let other = self.by_ends.get(&Ends([receiver, sender]))?;
        self.streams.get(*other as usize)?.as_ref()?.units.back().map(|span| span.unit)
    }

    /// The place of a sequence number in a stream.
    pub fn offset(&self, stream: StreamId, sequence: u32) -> Option<u64> {
        Some(self.streams.get(stream.0 as usize)?.as_ref()?.offset(sequence))
    }

    /// Notes a segment that its host sends. Returns its content, if it carries data.
    #[inline]
    pub fn transmitted(&mut self, stream: StreamId, packet: &Packet, acknowledged: u64) -> Option<Content> {
        let headers = packet.headers()?;
        let Transport::Tcp(tcp) = &headers.transport else { return None };
        let length = usize::from(packet.meta.length).saturating_sub(headers.header_length()) as u32;
        if length == 0 {
            return None;
        }
        self.sends(stream, tcp.seq, length, packet.meta.id, acknowledged)
    }

    /// The content of a segment that a stream's host sends, from a sequence number on.
    #[inline]
    pub fn sends(
        &mut self,
        stream: StreamId,
        sequence: u32,
        length: u32,
        packet: u32,
        acknowledged: u64,
    ) -> Option<Content> {
        let stream = self.streams.get_mut(stream.0 as usize)?.as_mut()?;
        let offset = stream.offset(sequence);
        let repeated = stream.transmits(offset, length, packet, acknowledged);
        let mut unit = None;
        if !stream.units.is_empty() {
            stream.release(acknowledged);
            unit = stream.unit_at(offset);
        }
        let (retransmission, previous) = (repeated.is_some(), repeated.flatten());
        Some(Content { unit, offset, length, retransmission, previous })
    }

    /// The content of a packet of a stream that is not a retransmission, by its header.
    pub fn content(&self, packet: &Packet) -> Option<Content> {
        let headers = packet.headers()?;
        let Transport::Tcp(tcp) = &headers.transport else { return None };
        let length = packet.payload_length() as u32;
        if length == 0 || tcp.flags.contains(TcpFlags::SYN) {
            return None;
        }
        let index = self.by_ends.get(&Ends::of(headers)?)?;
        let stream = self.streams.get(*index as usize)?.as_ref()?;
        let offset = stream.offset(tcp.seq);
        Some(Content { unit: stream.unit_at(offset), offset, length, ..Content::default() })
    }

    /// The units with bytes in `offset..offset + length` of the stream of a packet, in order.
    pub fn units(&self, packet: &Packet, offset: u64, length: u64) -> impl Iterator<Item = Unit> + '_ {
        let ends = packet.headers().and_then(Ends::of);
        let index = ends.and_then(|ends| self.by_ends.get(&ends));
        let stream = index.and_then(|index| self.streams.get(*index as usize)?.as_ref());
        let spans = stream.into_iter().flat_map(|stream| &stream.units);
        spans.filter(move |span| span.start < offset + length && offset < span.end).map(|span| span.unit)
    }
}

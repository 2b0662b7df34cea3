//! Measurement of flows by the router, for programs that do not measure themselves.

use jettison_core::Time;
use jettison_measure::Recorder;
use jettison_sim::NodeId;
use jettison_tcp::ranges::RangeSet;
use jettison_wire::{Body, FiveTuple, FlowId, Packet, TcpFlags};
use rustc_hash::FxHashMap;

/// A flow measured where its packets are written to the hosts' devices.
///
/// Goodput is new data for the receiver: for TCP each byte of the stream when it is written for the first time, for UDP the
/// payload. The one-way delay is from device to device, of each packet with data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeasuredFlow {
    /// The flow.
    pub flow: FlowId,
    /// Hosts whose received data counts; usually only the flow's `to`.
    pub receivers: [Option<NodeId>; 2],
}

/// Measures packets as they are written.
#[derive(Debug, Default)]
pub(super) struct Meter {
    /// Receivers by flow.
    receivers: Vec<[Option<NodeId>; 2]>,
    connections: FxHashMap<FiveTuple, Stream>,
}

/// What was written of a connection's stream in one direction.
#[derive(Debug)]
struct Stream {
    /// One past the highest sequence number, and its offset.
    highest: u32,
    end: u64,
    /// Offsets written. Packets lost before the router leave gaps, which their retransmissions fill.
    written: RangeSet,
}

impl Stream {
    /// Offset of the sequence number at which a stream is first seen: retransmissions of what was before may follow.
    const START: u64 = 1 << 32;

    fn from(sequence: u32) -> Stream {
        Stream { highest: sequence, end: Stream::START, written: RangeSet::default() }
    }

    /// Adds `bytes` from sequence number `from` on; returns how many are new.
    fn add(&mut self, from: u32, bytes: u32) -> u64 {
        let start = self.end.saturating_add_signed(i64::from(from.wrapping_sub(self.highest) as i32));
        let end = start + u64::from(bytes);
        let (mut at, mut new) = (start, 0);
        while let Some((gap_start, gap_end)) = self.written.first_uncovered(at, end) {
            new += gap_end - gap_start;
            at = gap_end;
        }
        self.written.insert(start, end);
        if end > self.end {
            self.highest = from.wrapping_add(bytes);
            self.end = end;
        }
        new
    }
}

/// Maximum number of tracked connections. All are removed when it is reached, and continue from their next packet.
const MAX_CONNECTIONS: usize = 1 << 16;

impl Meter {
    pub fn new(flows: &[MeasuredFlow]) -> Meter {
        let length = flows.iter().map(|measured| measured.flow.0 as usize + 1).max().unwrap_or(0);
        let mut receivers = vec![[None; 2]; length];
        for measured in flows {
            receivers[measured.flow.0 as usize] = measured.receivers;
        }
        Meter { receivers, connections: FxHashMap::default() }
    }

    /// Measures a packet, read at `meta.sent_at`, that is written to `host`'s device.
    #[inline]
    pub fn written(&mut self, packet: &Packet, host: NodeId, now: Time, recorder: &mut Recorder) {
        if let Some(receivers) = self.receivers.get(packet.meta.flow.0 as usize)
            && receivers.contains(&Some(host))
        {
            self.measure(packet, now, recorder);
        }
    }

    fn measure(&mut self, packet: &Packet, now: Time, recorder: &mut Recorder) {
        let Some(meter) = recorder.flow(packet.meta.flow) else { return };
        let Some(data) = Data::of(packet) else { return };
        let bytes = match data.tcp {
            None => u64::from(data.bytes),
            Some((tuple, from)) => self.new_bytes(tuple, from, data),
        };
        if data.bytes > 0 {
            meter.one_way_delay(now.since(packet.meta.sent_at));
        }
        if bytes > 0 {
            meter.delivered(bytes);
        }
    }

    /// Adds a packet's data to its connection's stream. Returns the number of new bytes.
    fn new_bytes(&mut self, tuple: FiveTuple, from: u32, data: Data) -> u64 {
        if self.connections.len() >= MAX_CONNECTIONS {
            self.connections.clear();
        }
        if data.is_syn {
            // A SYN takes one sequence number and starts a new connection.
            let first = from.wrapping_add(1);
            let mut stream = Stream::from(first);
            let new = stream.add(first, data.bytes);
            self.connections.insert(tuple, stream);
            return new;
        }
        self.connections.entry(tuple).or_insert_with(|| Stream::from(from)).add(from, data.bytes)
    }
}

/// Data of a packet.
#[derive(Debug, Clone, Copy)]
struct Data {
    bytes: u32,
    tcp: Option<(FiveTuple, u32)>,
    is_syn: bool,
}

impl Data {
    /// Parses a packet. `None` unless it is TCP or UDP in its original bytes.
    fn of(packet: &Packet) -> Option<Data> {
        let Body::Buffer(buffer) = &packet.body else { return None };
        if let Some((_, _, payload)) = buffer.udp() {
            return Some(Data { bytes: payload.len() as u32, tcp: None, is_syn: false });
        }
        let tuple = packet.five_tuple().filter(|tuple| tuple.protocol == 6)?;
        let ip = buffer.ip();
        let transport = if ip[0] >> 4 == 4 { usize::from(ip[0] & 0xf) * 4 } else { 40 };
        let tcp: &[u8; 20] = ip.get(transport..)?.first_chunk()?;
        let headers = transport + usize::from(tcp[12] >> 4) * 4;
        let sequence = u32::from_be_bytes([tcp[4], tcp[5], tcp[6], tcp[7]]);
        let bytes = ip.len().saturating_sub(headers) as u32;
        Some(Data { bytes, tcp: Some((tuple, sequence)), is_syn: tcp[13] & TcpFlags::SYN.0 != 0 })
    }
}

#[cfg(test)]
#[path = "meter_tests.rs"]
mod tests;

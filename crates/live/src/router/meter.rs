//! What the router itself measures of flows whose programs are not ours.

use jettison_core::Time;
use jettison_measure::Recorder;
use jettison_sim::NodeId;
use jettison_wire::{Body, FiveTuple, FlowId, Packet, TcpFlags};
use rustc_hash::FxHashMap;

/// A flow that the router measures where its packets are written to hosts' devices.
///
/// Goodput is what is new to the receiver: of TCP, how far the highest sequence number advances; of UDP, the payload. The
/// one-way delay is from device to device, of each packet that carries data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeasuredFlow {
    /// The flow.
    pub flow: FlowId,
    /// Whose data counts: what is written to these hosts' devices. Usually the flow's `to` alone.
    pub receivers: [Option<NodeId>; 2],
}

/// Measures what is written.
#[derive(Debug, Default)]
pub(super) struct Meter {
    /// By flow.
    receivers: Vec<[Option<NodeId>; 2]>,
    connections: FxHashMap<FiveTuple, u32>,
}

/// Connections whose sequence numbers are kept; beyond, all are forgotten, and each goes on from its next packet.
const MOST_CONNECTIONS: usize = 1 << 16;

impl Meter {
    pub fn new(flows: &[MeasuredFlow]) -> Meter {
        let length = flows.iter().map(|measured| measured.flow.0 as usize + 1).max().unwrap_or(0);
        let mut receivers = vec![[None; 2]; length];
        for measured in flows {
            receivers[measured.flow.0 as usize] = measured.receivers;
        }
        Meter { receivers, connections: FxHashMap::default() }
    }

    /// A packet that was read at `meta.sent_at` is written to `host`'s device.
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
            None => data.bytes,
            Some((tuple, from)) => self.advance(tuple, from, data),
        };
        if data.bytes > 0 {
            meter.one_way_delay(now.since(packet.meta.sent_at));
        }
        if bytes > 0 {
            meter.delivered(u64::from(bytes));
        }
    }

    /// How far a segment takes its connection's highest sequence number.
    fn advance(&mut self, tuple: FiveTuple, from: u32, data: Data) -> u32 {
        let end = from.wrapping_add(data.bytes);
        if self.connections.len() >= MOST_CONNECTIONS {
            self.connections.clear();
        }
        // SYN takes a number itself, and begins a connection anew.
        if data.is_syn {
            self.connections.insert(tuple, end.wrapping_add(1));
            return data.bytes;
        }
        let highest = self.connections.entry(tuple).or_insert(from);
        let ahead = end.wrapping_sub(*highest);
        if ahead == 0 || ahead > u32::MAX / 2 {
            return 0;
        }
        // What a gap leaves out counts here, and no more when it comes.
        *highest = end;
        ahead
    }
}

/// What of a packet is data.
#[derive(Debug, Clone, Copy)]
struct Data {
    bytes: u32,
    tcp: Option<(FiveTuple, u32)>,
    is_syn: bool,
}

impl Data {
    /// `None` for what is neither TCP nor UDP, or has changed its form on the way.
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

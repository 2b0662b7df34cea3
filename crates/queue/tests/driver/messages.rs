//! Octopus traffic and the invariants of its messages.

use std::collections::BTreeMap;

use jettison_core::{DropReason, Duration, Time};
use jettison_wire::{
    Address, FlowId, Headers, InlineBytes, MessageNumber, OCTOPUS_PORT, OctopusHeader, Packet, PacketKind,
    Position, SequenceHeader, Transport, UdpHeader,
};

/// Number of flows with Octopus traffic.
pub const FLOWS: u8 = 4;
/// Streams per flow.
const STREAMS: u8 = 3;
/// A stream that is idle for longer may be forgotten; its sender then continues with much higher message numbers.
const PAUSE: Duration = Duration::from_secs(9);

/// A packet of a message. Most fields are arbitrary, so heads and tails can be missing.
#[derive(Debug, Clone, Copy)]
pub struct Labelled {
    /// Flow, stream and step: the current message, the next one, or one of the three before (a late packet).
    pub flow: u8,
    pub stream: u8,
    pub step: u8,
    /// Position, drop flag and threshold.
    pub position: u8,
    pub priority: u8,
    pub dropper: u8,
    pub kbit: u16,
    pub slack: u8,
    pub length: u16,
}

/// Record of the fate of all messages.
#[derive(Debug, Default)]
pub struct Messages {
    streams: BTreeMap<(u8, u8), Sender>,
    /// Message of each Octopus packet, by packet id.
    of_packet: BTreeMap<u32, Key>,
    fates: BTreeMap<Key, Fate>,
    /// Number of drops processed so far.
    seen: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    flow: u8,
    stream: u8,
    message: u32,
}

#[derive(Debug, Clone, Copy, Default)]
struct Sender {
    message: u32,
    /// Number of earlier messages that can still have late packets.
    sent: u32,
    at: Time,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Left,
    Dropped,
}

impl Messages {
    /// Builds the packet.
    pub fn packet(&mut self, id: u32, labelled: Labelled, now: Time) -> Packet {
        let Labelled { flow, stream, step, position, priority, dropper, kbit, slack, length } = labelled;
        let (flow, stream) = (flow % FLOWS, stream % STREAMS);
        let sender = self.streams.entry((flow, stream)).or_insert(Sender {
            // Starts close to the maximum, so message numbers wrap around.
            message: (1 << MessageNumber::BITS) - 5 * u32::from(stream),
            sent: 0,
            at: now,
        });
        if now.since(sender.at) > PAUSE {
            (sender.message, sender.sent) = (sender.message + 100, 0);
        }
        sender.at = now;
        let mut message = sender.message;
        match step % 8 {
            0..=3 => {}
            4..=6 => {
                sender.message += 1;
                sender.sent += 1;
                message = sender.message;
            }
            _ => message -= (1 + u32::from(step / 8) % 3).min(sender.sent),
        }
        self.of_packet.insert(id, Key { flow, stream, message });
        let header = OctopusHeader {
            position: [Position::First, Position::Middle, Position::Last, Position::Solo]
                [usize::from(position % 4)],
            message: MessageNumber::new(message),
            priority: priority % 8,
            drop_flag: dropper & 8 != 0,
            threshold: dropper % 8,
            bitrate_threshold: u32::from(kbit),
            slack: u16::from(slack),
            stream: u16::from(stream),
        };
        let sequence = SequenceHeader { kind: PacketKind::Data, flags: 0, index: 0, sequence: id };
        let bytes = [&sequence.emit()[..], &header.emit()].concat();
        let inline = InlineBytes::new(&bytes).expect("both headers are 20 bytes");
        let udp = UdpHeader { src_port: 1000 + u16::from(flow), dst_port: OCTOPUS_PORT, inline };
        let (src, dst) = (Address::v4(10, 0, 0, 1), Address::v4(10, 0, 0, 2));
        let mut packet = Packet::model(Headers { src, dst, transport: Transport::Udp(udp) }, bytes.len());
        packet.meta.id = id;
        packet.meta.flow = FlowId(512 + u32::from(flow));
        packet.meta.length = length.clamp(packet.meta.length, 9000);
        packet.meta.class = flow;
        // Every ECN field has a flow.
        packet.meta.traffic_class = flow & 3;
        packet
    }

    /// Processes new drops.
    ///
    /// # Panics
    /// If a packet is dropped by a verdict on its message after another packet of the message has left.
    pub fn dropped(&mut self, drops: &[(u32, DropReason, Time)]) {
        for (id, reason, _) in &drops[self.seen..] {
            let verdict = matches!(
                reason,
                DropReason::StaleMessage | DropReason::OverBitrate | DropReason::LeastImportant
            );
            let Some(key) = self.of_packet.get(id).filter(|_| verdict) else { continue };
            let before = self.fates.insert(*key, Fate::Dropped);
            assert_ne!(
                before,
                Some(Fate::Left),
                "packet {id} of {key:?} is dropped, although the message has begun to leave"
            );
        }
        self.seen = drops.len();
    }

    /// Records a departure.
    ///
    /// # Panics
    /// If the packet's message was dropped by a verdict.
    pub fn sent(&mut self, id: u32) {
        let Some(key) = self.of_packet.get(&id) else { return };
        let before = self.fates.insert(*key, Fate::Left);
        assert_ne!(
            before,
            Some(Fate::Dropped),
            "packet {id} of {key:?} leaves, although the message was dropped"
        );
    }
}

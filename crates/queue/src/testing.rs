//! Packets and builders for unit tests.

use jettison_core::{Seed, Time};
use jettison_measure::NoOutcomes;
use jettison_registry::ParameterError;
use jettison_wire::{
    Address, Ecn, Headers, InlineBytes, MessageNumber, OCTOPUS_PORT, OctopusHeader, Packet, PacketKind,
    Position, SequenceHeader, Transport, UdpHeader,
};
use serde_json::Value;

use crate::QueueDiscipline;
use crate::disciplines;
use crate::entry::BuildContext;

/// A packet that is not ECN-capable, of `length` bytes of IP length, from flow 0.
pub fn packet(id: u32, length: u16) -> Packet {
    packet_with(id, length, Ecn::NotEct)
}

/// A packet of flow `flow`, which is its UDP source port.
pub fn packet_of(flow: u16, id: u32, length: u16) -> Packet {
    let mut packet = packet(id, length);
    if let Some(Headers { transport: Transport::Udp(udp), .. }) = packet.headers_mut() {
        udp.src_port = flow;
    }
    packet
}

/// A packet with the given ECN field.
pub fn packet_with(id: u32, length: u16, ecn: Ecn) -> Packet {
    let transport = Transport::Udp(UdpHeader { src_port: 1, dst_port: 2, inline: Default::default() });
    let headers = Headers { src: Address::v4(10, 0, 0, 1), dst: Address::v4(10, 0, 0, 2), transport };
    let mut packet = Packet::model(headers, 0);
    packet.meta.id = id;
    packet.meta.length = length;
    packet.meta.traffic_class = ecn as u8;
    packet
}

/// The label of a message of one packet, of stream 0, without conditions for a drop.
pub fn solo(message: u32) -> OctopusHeader {
    OctopusHeader {
        position: Position::Solo,
        message: MessageNumber::new(message),
        priority: 0,
        drop_flag: false,
        threshold: 0,
        bitrate_threshold: 0,
        slack: 0,
        stream: 0,
    }
}

/// A packet of flow 0 with the given label.
pub fn labelled(id: u32, length: u16, header: OctopusHeader) -> Packet {
    let sequence = SequenceHeader { kind: PacketKind::Data, flags: 0, index: 0, sequence: id };
    let bytes = [&sequence.emit()[..], &header.emit()].concat();
    let mut packet = packet(id, length);
    if let Some(Headers { transport: Transport::Udp(udp), .. }) = packet.headers_mut() {
        udp.dst_port = OCTOPUS_PORT;
        udp.inline = InlineBytes::new(&bytes).expect("both headers are 20 bytes");
    }
    packet
}

/// The packets of a message of `count` packets, with ids from `id` on.
pub fn message(id: u32, count: u32, length: u16, header: OctopusHeader) -> Vec<Packet> {
    let position = |at: u32| match (at, count - 1 - at) {
        (0, 0) => Position::Solo,
        (0, _) => Position::First,
        (_, 0) => Position::Last,
        _ => Position::Middle,
    };
    (0..count)
        .map(|at| labelled(id + at, length, OctopusHeader { position: position(at), ..header }))
        .collect()
}

/// Builds a discipline from a scenario value, with seed 1.
pub fn try_build(value: Value) -> Result<Box<dyn QueueDiscipline>, ParameterError> {
    let registry = disciplines();
    let random = |name: &str| Seed(1).stream(&["queues", "test", name]);
    registry.build(&value, &BuildContext { random: &random, registry: &registry })
}

/// Builds a discipline; panics on an error.
pub fn built(value: Value) -> Box<dyn QueueDiscipline> {
    try_build(value).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the dotted path and the message of the error; panics if the discipline builds.
pub fn build_error(value: Value) -> (String, String) {
    match try_build(value.clone()) {
        Ok(_) => panic!("{value} should not build"),
        Err(error) => {
            let help = error.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
            (error.path.join("."), format!("{}{help}", error.message()))
        }
    }
}

/// Dequeues all packets at `now` and at each wakeup, as a link that is never busy; returns their times and ids.
pub fn drain(queue: &mut dyn QueueDiscipline, mut now: Time) -> Vec<(Time, u32)> {
    let mut left = Vec::new();
    while queue.backlog().packets > 0 {
        while let Some(packet) = queue.dequeue(now, &mut NoOutcomes) {
            left.push((now, packet.meta.id));
        }
        if let Some(next) = queue.next_wakeup() {
            now = next;
            queue.handle_wakeup(now, &mut NoOutcomes);
        }
    }
    left
}

//! Headers and packets for unit tests.

use jettison_wire::{Address, Headers, MessageNumber, OctopusHeader, Packet, Position, Transport, UdpHeader};

/// The header of a one-packet message of stream 0 without a drop flag.
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

/// A UDP packet of `length` bytes whose source port is `flow`.
pub fn packet_of(flow: u16, id: u32, length: u16) -> Packet {
    let transport = Transport::Udp(UdpHeader { src_port: flow, dst_port: 2, inline: Default::default() });
    let headers = Headers { src: Address::v4(10, 0, 0, 1), dst: Address::v4(10, 0, 0, 2), transport };
    let mut packet = Packet::model(headers, 0);
    packet.meta.id = id;
    packet.meta.length = length;
    packet
}

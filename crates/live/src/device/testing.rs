//! TCP packets for tests.

use std::net::{IpAddr, Ipv6Addr};

use jettison_wire::{
    Address, Body, Buffer, Headers, Packet, PacketMeta, PartialChecksum, TcpFlags, TcpHeader, Transport,
};

use super::VnetHeader;

/// A TCP packet as sent by a host with checksum offload.
#[derive(Debug, Clone)]
pub(crate) struct Tcp {
    pub v4: bool,
    pub id: u16,
    pub traffic_class: u8,
    pub sequence: u32,
    pub flags: TcpFlags,
    pub payload: Vec<u8>,
}

impl Default for Tcp {
    fn default() -> Tcp {
        let payload = (0..100).collect();
        Tcp { v4: true, id: 7, traffic_class: 0, sequence: 1000, flags: TcpFlags::ACK, payload }
    }
}

impl Tcp {
    pub fn address(&self, last: u8) -> Address {
        match self.v4 {
            true => Address::v4(198, 18, 0, last),
            false => Address::from(IpAddr::V6(Ipv6Addr::new(0xfd00, 0, 0, 0, 0, 0, 0, last.into()))),
        }
    }

    /// The packet with a complete checksum.
    pub fn complete(&self) -> Vec<u8> {
        let mut tcp = TcpHeader::new(5001, 80);
        (tcp.seq, tcp.ack, tcp.window) = (self.sequence, 77, 512);
        (tcp.flags, tcp.options, tcp.timestamps) = (self.flags, TcpHeader::OPT_TIMESTAMPS, [1, 2]);
        let headers = Headers { src: self.address(1), dst: self.address(2), transport: Transport::Tcp(tcp) };
        let mut packet = Packet::with_payload(headers, self.payload.clone().into());
        let PacketMeta { id, traffic_class, .. } = &mut packet.meta;
        (*id, *traffic_class) = (self.id.into(), self.traffic_class);
        let mut bytes = Vec::new();
        packet.write_ip_image(&mut bytes, usize::MAX);
        bytes
    }

    pub fn place(&self) -> PartialChecksum {
        PartialChecksum { start: if self.v4 { 20 } else { 40 }, offset: 16 }
    }

    /// The packet with a partial checksum: the sum of the pseudo-header in the checksum field.
    pub fn partial(&self) -> Vec<u8> {
        let mut bytes = self.complete();
        let start = usize::from(self.place().start);
        let addresses = if self.v4 { 12..20 } else { 8..40 };
        let words = bytes[addresses].chunks(2).map(|word| u32::from(u16::from_be_bytes([word[0], word[1]])));
        let mut sum = words.sum::<u32>() + 6 + (bytes.len() - start) as u32;
        while sum > 0xffff {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        bytes[start + 16..start + 18].copy_from_slice(&(sum as u16).to_be_bytes());
        bytes
    }

    pub fn packet(&self) -> Packet {
        packet(self.partial(), Some(self.place()))
    }

    /// The virtio header of a super-packet with segments of `size` bytes.
    pub fn super_header(&self, size: u16) -> VnetHeader {
        let kind = if self.v4 { VnetHeader::GSO_TCP4 } else { VnetHeader::GSO_TCP6 };
        let ecn = if self.flags.contains(TcpFlags::CWR) { VnetHeader::GSO_ECN } else { 0 };
        VnetHeader {
            gso_type: kind | ecn,
            gso_size: size,
            header_length: self.place().start + 32,
            ..VnetHeader::of(Some(self.place()))
        }
    }
}

pub(crate) fn packet(bytes: Vec<u8>, partial: Option<PartialChecksum>) -> Packet {
    Packet::from_ip_buffer(Box::new(Buffer { bytes, frame: false, partial, corrupted: false }))
        .expect("it is a whole packet")
}

/// A packet's bytes.
pub(crate) fn bytes_of(packet: &Packet) -> &[u8] {
    match &packet.body {
        Body::Buffer(buffer) => &buffer.bytes,
        other => panic!("bytes stay bytes: {other:?}"),
    }
}

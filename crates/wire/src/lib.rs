#![forbid(unsafe_code)]
//! The packet, and header codecs: bytes to typed fields and back.
//!
//! One [`Packet`] type travels everywhere, moved by value and at most 128 bytes. A packet that Jettison's own hosts
//! made carries typed [`Headers`] and a payload of virtual zeros ([`Body::Model`]); real payload bytes (an HTTP
//! head) ride boxed ([`Body::Payload`]); anything else (captured from a TUN device, or rewritten by a P4 program
//! into something that is not ours) is a [`Body::Buffer`]: the bytes of an IP packet, or a whole Ethernet frame.
//!
//! Parsing never panics, whatever the bytes.

mod headers;
pub mod image;
mod octopus;
mod packet;
mod partial;
mod tuple;

pub use headers::{
    Address, Headers, IcmpEcho, InlineBytes, SackBlocks, TcpFlags, TcpHeader, Transport, UdpHeader,
};
pub use octopus::{MessageNumber, OCTOPUS_PORT, OctopusHeader, PacketKind, Position, SequenceHeader};
pub use packet::{Body, Buffer, Ecn, FlowId, Instance, Packet, PacketMeta, PayloadPacket};
pub use partial::PartialChecksum;
pub use tuple::FiveTuple;

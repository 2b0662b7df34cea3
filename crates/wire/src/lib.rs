#![forbid(unsafe_code)]
//! The packet type and header codecs: bytes to typed fields and back.
//!
//! All components exchange one [`Packet`] type, moved by value, at most 128 bytes. Packets of Jettison's own hosts carry
//! typed [`Headers`] and a payload of virtual zeros ([`Body::Model`]); real payload bytes (such as an HTTP header) are
//! boxed ([`Body::Payload`]); all other packets (captured from a TUN device, or rewritten by a P4 program into another
//! format) are a [`Body::Buffer`]: the bytes of an IP packet, or a whole Ethernet frame.
//!
//! Parsing never panics on any input.

mod acc_ecn;
mod headers;
pub mod image;
mod inside;
mod octopus;
mod packet;
mod partial;
mod segment;
mod translate;
mod tuple;

pub use acc_ecn::{AccEcnOption, Order};
pub use headers::{
    Address, Headers, IcmpEcho, InlineBytes, SackBlocks, TcpFlags, TcpHeader, Transport, UdpHeader,
};
pub use inside::Inside;
pub use octopus::{MessageNumber, OCTOPUS_PORT, OctopusHeader, PacketKind, Position, SequenceHeader};
pub use packet::{Body, Buffer, Ecn, FlowId, Instance, Packet, PacketMeta, PayloadPacket};
pub use partial::PartialChecksum;
pub use segment::Segment;
pub use translate::End;
pub use tuple::FiveTuple;

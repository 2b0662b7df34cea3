//! One port: a host's device, and what goes on between it and the world.

use std::io::{self, IoSlice};

use jettison_core::Time;
use jettison_sim::NodeId;
use jettison_wire::{Body, Buffer, Packet};

use super::PortFacts;
use super::pool::Pool;
use crate::device::merge::Train;
use crate::device::{Device, Merger, Offload, SuperPacket, VnetHeader};

/// A port while the router runs.
pub(super) struct Port<D> {
    pub host: NodeId,
    pub device: D,
    pub facts: PortFacts,
    /// What is to be written together, and since when; nothing ever waits here unless packets are merged.
    pub merger: Merger,
    pub held_since: Option<Time>,
    /// Whether packets to the device are merged.
    pub merges: bool,
    mtu: usize,
    /// Of a packet that is no buffer any more, as it is written.
    image: Vec<u8>,
}

impl<D: Device> Port<D> {
    pub fn new(host: NodeId, device: D, name: String, mtu: usize, merge: bool) -> Port<D> {
        // Without a header in front of each packet, nobody would know what to make of a super-packet.
        let merges = merge && device.offload() != Offload::None;
        Port {
            host,
            device,
            facts: PortFacts { name, ..PortFacts::default() },
            merger: Merger::default(),
            held_since: None,
            merges,
            mtu,
            image: Vec::new(),
        }
    }

    /// Whether what is read may be super-packets.
    pub fn splits(&self) -> bool {
        self.device.offload() == Offload::Segmentation
    }

    /// Reads once; hands every packet to `each`. False if there was nothing to read.
    #[inline]
    pub fn read(&mut self, pool: &mut Pool, mut each: impl FnMut(Packet)) -> io::Result<bool> {
        let Some((header, bytes)) = self.device.read()? else { return Ok(false) };
        let facts = &mut self.facts;
        facts.reads += 1;
        let mut pass = |buffer: Box<Buffer>, pool: &mut Pool| match Packet::from_ip_buffer(buffer) {
            Ok(packet) => {
                facts.packets_in += 1;
                each(packet);
            }
            Err(buffer) => {
                facts.not_carried += 1;
                pool.give(buffer);
            }
        };
        if !header.is_super() && bytes.len() <= self.mtu {
            let mut buffer = pool.take();
            buffer.bytes.extend_from_slice(bytes);
            buffer.partial = header.partial();
            pass(buffer, pool);
            return Ok(true);
        }
        let Ok(mut parts) = SuperPacket::parse(&header, bytes) else {
            facts.not_carried += 1;
            return Ok(true);
        };
        loop {
            let mut buffer = pool.take();
            buffer.partial = parts.take_next(&mut buffer.bytes);
            if buffer.partial.is_none() {
                pool.give(buffer);
                return Ok(true);
            }
            pass(buffer, pool);
        }
    }

    /// Writes a packet.
    #[inline]
    pub fn write(&mut self, mut packet: Packet, pool: &mut Pool) {
        let written = match &mut packet.body {
            Body::Buffer(buffer) if !buffer.frame => {
                // A program in the world may have changed what stands beside the bytes.
                let bytes = &buffer.bytes;
                let (hop_limit, traffic_class) = match bytes[0] >> 4 {
                    4 => (bytes[8], bytes[1]),
                    _ => (bytes[7], bytes[0] << 4 | bytes[1] >> 4),
                };
                if hop_limit != packet.meta.hop_limit {
                    buffer.set_hop_limit(packet.meta.hop_limit);
                }
                if traffic_class != packet.meta.traffic_class {
                    buffer.set_traffic_class(packet.meta.traffic_class);
                }
                if self.device.offload() == Offload::None {
                    buffer.complete_checksum();
                }
                self.device.write(VnetHeader::of(buffer.partial), &[IoSlice::new(&buffer.bytes)])
            }
            Body::Buffer(_) | Body::Model(_) | Body::Payload(_) => {
                self.image.clear();
                packet.write_ip_image(&mut self.image, usize::MAX);
                self.device.write(VnetHeader::default(), &[IoSlice::new(&self.image)])
            }
        };
        self.note(written, 1);
        pool.recycle(packet);
    }

    /// What became of a write of so many packets.
    #[inline]
    pub fn note(&mut self, written: io::Result<()>, packets: u64) {
        match written {
            Ok(()) => {
                self.facts.packets_out += packets;
                self.facts.writes += 1;
            }
            Err(error) => {
                self.facts.refused += packets;
                self.facts.refusal.get_or_insert_with(|| error.to_string());
            }
        }
    }
}

/// Writes packets that leave as one.
pub(super) fn write_train<D: Device>(
    device: &mut D,
    train: &mut Train,
    header: VnetHeader,
) -> io::Result<()> {
    let mut slices = [IoSlice::new(&[]); Train::MOST_PARTS];
    let count = train.slices(&mut slices);
    device.write(header, &slices[..count])
}

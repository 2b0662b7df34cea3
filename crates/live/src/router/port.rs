//! Port: a host's device and its interface to the world.

use std::io::{self, IoSlice};

use jettison_core::Time;
use jettison_sim::NodeId;
use jettison_wire::{Body, Buffer, Packet};

use super::PortFacts;
use super::pool::Pool;
use crate::device::merge::Train;
use crate::device::{Device, Merger, Offload, SuperPacket, VnetHeader};

/// Ethernet header with two VLAN tags.
const LONGEST_HEADER: usize = 22;

/// A port while the router runs.
pub(super) struct Port<D> {
    pub host: NodeId,
    pub device: D,
    pub facts: PortFacts,
    /// Packets to write together, and the time of the oldest; only used when packets are merged.
    pub merger: Merger,
    pub held_since: Option<Time>,
    /// Whether packets to the device are merged.
    pub merges: bool,
    mtu: usize,
    /// Serialised form of a packet without a buffer.
    image: Vec<u8>,
}

impl<D: Device> Port<D> {
    pub fn new(host: NodeId, device: D, name: String, mtu: usize, merge: bool) -> Port<D> {
        // A device without virtio headers cannot describe a super-packet.
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

    /// Whether the device delivers super-packets.
    pub fn splits(&self) -> bool {
        self.device.offload() == Offload::Segmentation
    }

    /// Reads once and passes each packet to `each`. False if there was nothing to read.
    #[inline]
    pub fn read(&mut self, pool: &mut Pool, mut each: impl FnMut(Packet)) -> io::Result<bool> {
        let frames = self.device.carries_frames();
        let Some((header, bytes)) = self.device.read()? else { return Ok(false) };
        let facts = &mut self.facts;
        facts.reads += 1;
        if frames {
            // The MTU is that of the payload; a frame may have a VLAN tag as well.
            if bytes.len() <= self.mtu + LONGEST_HEADER {
                facts.packets_in += 1;
                each(Packet::from_frame(bytes.to_vec()));
            } else {
                facts.not_carried += 1;
            }
            return Ok(true);
        }
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
        let result = match &mut packet.body {
            _ if self.device.carries_frames() => {
                self.image.clear();
                packet.write_image(&mut self.image, usize::MAX);
                self.device.write(VnetHeader::default(), &[IoSlice::new(&self.image)])
            }
            Body::Buffer(buffer) if !buffer.frame => {
                // A program in the world may have changed the metadata, which the bytes must follow.
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
            Body::Buffer(_) | Body::Model(_) | Body::Payload(_) | Body::Corrupted(_) => {
                self.image.clear();
                packet.write_ip_image(&mut self.image, usize::MAX);
                self.device.write(VnetHeader::default(), &[IoSlice::new(&self.image)])
            }
        };
        self.record_write(result, 1);
        pool.recycle(packet);
    }

    /// Records the result of writing `packets` packets.
    #[inline]
    pub fn record_write(&mut self, result: io::Result<()>, packets: u64) {
        match result {
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

/// Writes the packets of a train as one super-packet.
pub(super) fn write_train<D: Device>(
    device: &mut D,
    train: &mut Train,
    header: VnetHeader,
) -> io::Result<()> {
    let mut slices = [IoSlice::new(&[]); Train::MOST_PARTS];
    let count = train.slices(&mut slices);
    device.write(header, &slices[..count])
}

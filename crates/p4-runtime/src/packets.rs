//! Packets between switch and controller: a header of metadata fields in front of the payload (§16.1).

use num_bigint::BigUint;

use crate::bytes;
use crate::catalogue::{Catalogue, HeaderField};
use crate::fault::{Code, Fault, invalid};
use crate::proto::runtime::{PacketIn, PacketMetadata, PacketOut};

impl Catalogue {
    /// The frame of a packet-out, as it enters the pipeline at the CPU port.
    ///
    /// # Errors
    /// If its metadata are not those of the header `packet_out`.
    pub fn frame(&self, packet: &PacketOut) -> Result<Vec<u8>, Fault> {
        let known = |id: u32| self.packet_out.iter().any(|field| field.id == Some(id));
        if let Some(unknown) = packet.metadata.iter().find(|metadata| !known(metadata.metadata_id)) {
            return Err(invalid(format!("unknown packet-out metadata id {}", unknown.metadata_id)));
        }
        let mut header = BigUint::default();
        for field in &self.packet_out {
            header = (header << field.value.bits) | self.metadata(field, packet)?;
        }
        let bits: u32 = self.packet_out.iter().map(|field| field.value.bits).sum();
        let length = bits.div_ceil(8) as usize;
        // A last byte that is not full is filled with zeros.
        let packed = (header << (8 * length - bits as usize)).to_bytes_be();
        let mut frame = vec![0; length.saturating_sub(packed.len())];
        if length > 0 {
            frame.extend(packed);
        }
        frame.extend_from_slice(&packet.payload);
        Ok(frame)
    }

    fn metadata(&self, field: &HeaderField, packet: &PacketOut) -> Result<BigUint, Fault> {
        let Some(id) = field.id else { return Ok(BigUint::default()) };
        let given = packet.metadata.iter().filter(|metadata| metadata.metadata_id == id);
        let given: Vec<&PacketMetadata> = given.collect();
        let [metadata] = given[..] else {
            let count = given.len();
            return Err(invalid(format!(
                "the packet-out must have `{}` once, got it {count} times",
                field.value.name
            )));
        };
        bytes::decode(&metadata.value, field.value.bits, false).ok_or_else(|| {
            Fault::new(
                Code::OutOfRange,
                format!("`{}` must fit in {} bits", field.value.name, field.value.bits),
            )
        })
    }

    /// The packet-in of a frame that leaves at the CPU port. A frame without the whole header is payload only.
    pub fn packet_in(&self, frame: &[u8]) -> PacketIn {
        let bits: u32 = self.packet_in.iter().map(|field| field.value.bits).sum();
        let Some((header, payload)) = frame.split_at_checked(bits.div_ceil(8) as usize) else {
            return PacketIn { payload: frame.to_vec(), metadata: Vec::new() };
        };
        let value = BigUint::from_bytes_be(header);
        let mut below = 8 * header.len() as u32;
        let mut metadata = Vec::new();
        for field in &self.packet_in {
            below -= field.value.bits;
            let mask = (BigUint::from(1u8) << field.value.bits) - 1u8;
            let value = (&value >> below) & mask;
            if let Some(id) = field.id {
                metadata.push(PacketMetadata {
                    metadata_id: id,
                    value: bytes::encode(&value, field.value.bits, false),
                });
            }
        }
        PacketIn { payload: payload.to_vec(), metadata }
    }
}

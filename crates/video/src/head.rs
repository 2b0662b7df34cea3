//! Head of a video message.

use jettison_core::Time;
use jettison_measure::{Unit, UnitKind};
use jettison_wire::InlineBytes;

/// The first bytes of each message: its position in the video and its capture time, in network byte order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageHead {
    /// Number of the frame within its flow, from 0; continues when the video repeats.
    pub frame: u32,
    /// Quality, temporal or density layer.
    pub layer: u8,
    /// Cell of a volumetric frame; without layers, the number of frames that the encoder skipped directly before this
    /// one; otherwise 0.
    pub cell: u8,
    /// Rung of the ladder, from 0; without a ladder, another choice of the encoder.
    pub rung: u16,
    /// Capture time of the frame.
    pub captured_at: Time,
}

impl MessageHead {
    /// Length in bytes.
    pub const LENGTH: usize = 16;

    /// The unit of its message.
    pub fn unit(&self) -> Unit {
        Unit::new(UnitKind::Message, u64::from(self.frame), MessageHead::part(self.layer, self.cell))
    }

    /// The part of the unit of a layer's message.
    pub fn part(layer: u8, cell: u8) -> u32 {
        u32::from(layer) | u32::from(cell) << 8
    }

    /// Serializes the head.
    pub fn emit(self) -> InlineBytes {
        let mut bytes = [0; MessageHead::LENGTH];
        bytes[..4].copy_from_slice(&self.frame.to_be_bytes());
        bytes[4] = self.layer;
        bytes[5] = self.cell;
        bytes[6..8].copy_from_slice(&self.rung.to_be_bytes());
        bytes[8..].copy_from_slice(&self.captured_at.as_nanos().to_be_bytes());
        InlineBytes::new(&bytes).expect("16 bytes fit in 40")
    }

    /// Parses a head; `None` if there are too few bytes.
    pub fn parse(bytes: &[u8]) -> Option<MessageHead> {
        let (frame, rest) = bytes.split_first_chunk::<4>()?;
        let (&[layer, cell, r0, r1], rest) = rest.split_first_chunk::<4>()?;
        let captured_at = Time::from_nanos(u64::from_be_bytes(*rest.first_chunk::<8>()?));
        let (frame, rung) = (u32::from_be_bytes(*frame), u16::from_be_bytes([r0, r1]));
        Some(MessageHead { frame, layer, cell, rung, captured_at })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_round_trip() {
        let head = MessageHead { frame: 7, layer: 2, cell: 1, rung: 9, captured_at: Time::from_millis(1234) };
        assert_eq!(MessageHead::parse(head.emit().as_slice()), Some(head));
        assert_eq!(MessageHead::parse(&head.emit().as_slice()[..15]), None);
    }
}

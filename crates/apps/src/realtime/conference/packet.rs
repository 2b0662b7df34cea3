//! Head of a conference packet.

use jettison_measure::{FramePart, Unit, UnitKind};
use jettison_wire::InlineBytes;

use crate::load::probe::ProbeHead;

/// A [`ProbeHead`], then the number of the frame, the packet's index in it and the frame's number of packets: 24 bytes
/// in network byte order at the start of the payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PacketHead {
    /// Sequence number of the packet within its flow, and its sending time.
    pub probe: ProbeHead,
    /// Frame of the packet, and its position there.
    pub part: FramePart,
}

impl PacketHead {
    /// Length in bytes.
    pub const LENGTH: usize = ProbeHead::LENGTH + 8;

    /// The unit of its frame.
    pub(crate) fn unit(&self) -> Unit {
        Unit::new(UnitKind::Frame, u64::from(self.part.frame), 0)
    }

    /// Serializes the head.
    pub fn emit(self) -> InlineBytes {
        let mut bytes = [0; PacketHead::LENGTH];
        bytes[..16].copy_from_slice(self.probe.emit().as_slice());
        bytes[16..20].copy_from_slice(&self.part.frame.to_be_bytes());
        bytes[20..22].copy_from_slice(&self.part.place.to_be_bytes());
        bytes[22..].copy_from_slice(&self.part.packets.to_be_bytes());
        InlineBytes::new(&bytes).expect("24 bytes fit in 40")
    }

    /// Parses a head; `None` if the payload is too short or the index is outside the frame.
    pub fn parse(payload: &[u8]) -> Option<PacketHead> {
        let probe = ProbeHead::parse(payload)?;
        let (frame, rest) = payload.get(ProbeHead::LENGTH..)?.split_first_chunk::<4>()?;
        let (place, rest) = rest.split_first_chunk::<2>()?;
        let (packets, _) = rest.split_first_chunk::<2>()?;
        let part = FramePart {
            frame: u32::from_be_bytes(*frame),
            place: u16::from_be_bytes(*place),
            packets: u16::from_be_bytes(*packets),
        };
        (part.place < part.packets).then_some(PacketHead { probe, part })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jettison_core::Time;
    use proptest::prelude::*;

    #[test]
    fn heads_round_trip_and_start_with_a_probe_head() {
        let probe = ProbeHead { sequence: 70_000, sent_at: Time::from_micros(9) };
        let head = PacketHead { probe, part: FramePart { frame: 9, place: 3, packets: 4 } };
        let bytes = head.emit();
        assert_eq!(bytes.as_slice().len(), PacketHead::LENGTH);
        assert_eq!(PacketHead::parse(bytes.as_slice()), Some(head));
        assert_eq!(ProbeHead::parse(bytes.as_slice()), Some(probe));
        assert_eq!(PacketHead::parse(&bytes.as_slice()[..23]), None);
    }

    #[test]
    fn an_index_outside_the_frame_is_refused() {
        let probe = ProbeHead { sequence: 0, sent_at: Time::ZERO };
        for (place, packets) in [(4, 4), (0, 0)] {
            let head = PacketHead { probe, part: FramePart { frame: 0, place, packets } };
            assert_eq!(PacketHead::parse(head.emit().as_slice()), None);
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(payload in prop::collection::vec(any::<u8>(), 0..40)) {
            if let Some(head) = PacketHead::parse(&payload) {
                let bytes = head.emit();
                prop_assert_eq!(bytes.as_slice(), &payload[..PacketHead::LENGTH]);
            }
        }
    }
}

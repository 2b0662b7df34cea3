//! Heads of a call's packets: RTP with two header extensions, and what the model needs of the payload.
//!
//! 40 bytes, all that a modelled datagram can hold: the fixed header (RFC 3550 §5.1), one-byte extensions (RFC 8285 §4.2) with
//! the transport-wide sequence number (draft-holmer-rmcat-transport-wide-cc-extensions-01 §2) and the absolute send time, and
//! sixteen bytes of payload: frame, reference, place, and the original number of a retransmission (RFC 4588 §4).
//!
//! A media packet may carry a label in a third extension, at the expense of the payload: what media does not need is left out, and
//! with a label of more than three bytes, which is that of a key frame's first packet, what the label and the datagram say too.

use jettison_core::Time;
use jettison_wire::InlineBytes;

use super::labels::LabelBytes;

/// What a packet is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A part of a frame.
    Media,
    /// A part of a frame that was asked for again (RFC 4588).
    Retransmission,
    /// The parity of a run of media packets (RFC 8627's row).
    Parity,
    /// Nothing, for probes.
    Padding,
}

impl Kind {
    const ALL: [Kind; 4] = [Kind::Media, Kind::Retransmission, Kind::Parity, Kind::Padding];

    /// Payload types 96 and on, which are dynamic (RFC 3551 §6).
    fn payload_type(self) -> u8 {
        96 + self as u8
    }
}

/// A part of a frame, or the parity of several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Part {
    /// Number of the frame.
    pub frame: u32,
    /// How many frames back its reference is; 0 of a key frame.
    pub back: u16,
    /// Index of the packet in the frame.
    pub place: u16,
    /// Number of packets of the frame.
    pub packets: u16,
    /// RTP timestamp: the time of capture, 90 kHz (RFC 3551 §5).
    pub timestamp: u32,
    /// Length of the packet, which parity recovers too.
    pub length: u16,
}

impl Part {
    /// The bitwise sum of two, as parity.
    pub(super) fn xor(self, other: Part) -> Part {
        Part {
            frame: self.frame ^ other.frame,
            back: self.back ^ other.back,
            place: self.place ^ other.place,
            packets: self.packets ^ other.packets,
            timestamp: self.timestamp ^ other.timestamp,
            length: self.length ^ other.length,
        }
    }
}

/// The head of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    pub kind: Kind,
    /// Number within its kind's stream.
    pub sequence: u16,
    /// Transport-wide number.
    pub transport: u16,
    /// Absolute send time, in 1/2^18 s, 24 bits.
    pub sent: u32,
    /// Of a retransmission, the number of the media packet; of parity, the first one that it protects.
    pub original: u16,
    /// Of parity, how many it protects.
    pub count: u16,
    pub part: Part,
    /// Of media, the label.
    pub label: LabelBytes,
}

/// Identifiers of the extensions.
const TRANSPORT: u8 = 1;
const SEND_TIME: u8 = 2;
/// Identifier of the label's extension.
pub(super) const LABEL: u8 = 3;
/// Bytes of the extensions without a label: two elements, and one of padding.
const UNLABELLED: usize = 8;
/// Place of the first extension.
const ELEMENTS: usize = 16;
/// Labels of at most so many bytes leave room for the frame and its reference.
const SHORT_LABEL: usize = 3;

impl Head {
    /// Length in bytes.
    pub const LENGTH: usize = 40;

    /// Serializes the head.
    pub fn emit(&self) -> InlineBytes {
        let Part { frame, back, place, packets, timestamp, length } = self.part;
        let is_parity = self.kind == Kind::Parity;
        let is_last = !is_parity && place + 1 == packets;
        let mut bytes = [0; Head::LENGTH];
        // Version 2, with an extension; the marker ends a frame.
        bytes[0] = 0x90;
        bytes[1] = self.kind.payload_type() | u8::from(is_last) << 7;
        bytes[2..4].copy_from_slice(&self.sequence.to_be_bytes());
        // Parity has no time of its own: its timestamp is that of the recovery.
        bytes[4..8].copy_from_slice(&timestamp.to_be_bytes());
        // One source per kind; parity's says how many packets it protects.
        bytes[8] = self.kind as u8;
        bytes[10..12].copy_from_slice(&self.count.to_be_bytes());
        // Words of one-byte extensions: two bytes, three bytes, those of the label, zeros.
        let payload = payload_at(self.label);
        bytes[12..16].copy_from_slice(&[0xbe, 0xde, 0, ((payload - ELEMENTS) / 4) as u8]);
        bytes[16] = TRANSPORT << 4 | 1;
        bytes[17..19].copy_from_slice(&self.transport.to_be_bytes());
        bytes[19] = SEND_TIME << 4 | 2;
        bytes[20..23].copy_from_slice(&self.sent.to_be_bytes()[1..]);
        let label = self.label.as_slice();
        if !label.is_empty() {
            bytes[23] = LABEL << 4 | (label.len() - 1) as u8;
            bytes[24..24 + label.len()].copy_from_slice(label);
        }
        let mut put = |at: usize, values: &[u16]| {
            for (at, value) in (payload + at..).step_by(2).zip(values) {
                bytes[at..at + 2].copy_from_slice(&value.to_be_bytes());
            }
        };
        let (high, low) = ((frame >> 16) as u16, frame as u16);
        match label.len() {
            0 => put(0, &[high, low, back, place, packets, self.original, length]),
            1..=SHORT_LABEL => put(0, &[high, low, back, place, packets, length]),
            _ => put(0, &[high, packets]),
        }
        InlineBytes::new(&bytes).expect("40 bytes fit")
    }

    /// Parses the head of a packet of `length` bytes; `None` unless it is one of a call's.
    pub fn parse(payload: &[u8], length: u16) -> Option<Head> {
        let bytes: &[u8; Head::LENGTH] = payload.first_chunk()?;
        let short = |at: usize| u16::from_be_bytes([bytes[at], bytes[at + 1]]);
        let word = |at: usize| u32::from(short(at)) << 16 | u32::from(short(at + 2));
        let kind = *Kind::ALL.iter().find(|kind| kind.payload_type() == bytes[1] & 0x7f)?;
        let is_known = bytes[0] == 0x90 && bytes[12..15] == [0xbe, 0xde, 0];
        if !is_known || bytes[16] != 0x11 || bytes[19] != 0x22 {
            return None;
        }
        let label = match bytes[23] {
            0 => LabelBytes::default(),
            head if head >> 4 == LABEL => LabelBytes::new(bytes.get(24..25 + usize::from(head & 15))?)?,
            _ => return None,
        };
        let at = payload_at(label);
        if usize::from(bytes[15]) * 4 != at - ELEMENTS || kind != Kind::Media && !label.as_slice().is_empty()
        {
            return None;
        }
        let timestamp = word(4);
        let part = if label.as_slice().len() > SHORT_LABEL {
            // The first packet of a key frame, whose label has the low bits of the frame's number.
            let frame = u32::from(short(at)) << 16 | u32::from(label.frame());
            Part { frame, back: 0, place: 0, packets: short(at + 2), timestamp, length }
        } else {
            let length = at + if label.as_slice().is_empty() { 12 } else { 10 };
            Part {
                frame: word(at),
                back: short(at + 4),
                place: short(at + 6),
                packets: short(at + 8),
                timestamp,
                length: short(length),
            }
        };
        let original = if label.as_slice().is_empty() { short(34) } else { 0 };
        let is_part = matches!(kind, Kind::Media | Kind::Retransmission);
        if is_part && !is_valid(part) {
            return None;
        }
        Some(Head {
            kind,
            sequence: short(2),
            transport: short(17),
            sent: word(19) & 0xff_ffff,
            original,
            count: short(10),
            part,
            label,
        })
    }
}

/// Place of the payload of a packet with this label.
fn payload_at(label: LabelBytes) -> usize {
    let label = label.as_slice().len();
    // The first byte of the label's element stands where the padding is without one.
    ELEMENTS + (UNLABELLED + label).next_multiple_of(4)
}

/// Whether a part can be one of a frame: what parity recovers may be anything.
pub(super) fn is_valid(part: Part) -> bool {
    part.place < part.packets && u32::from(part.back) <= part.frame
}

/// A time in the 24 bits of the absolute send time.
pub(super) fn send_time(at: Time) -> u32 {
    (((u128::from(at.as_nanos()) << 18) / 1_000_000_000) & 0xff_ffff) as u32
}

/// The time nearest before `now` that has such an absolute send time; it repeats every 64 s.
pub(super) fn sent_at(sent: u32, now: Time) -> Time {
    // A sender's clock may be ahead by a rounding.
    let ago = send_time(now).wrapping_sub(sent) & 0xff_ffff;
    let ago = if ago > 0xff_0000 { 0 } else { ago };
    Time::from_nanos(now.as_nanos().saturating_sub((u64::from(ago) * 1_000_000_000) >> 18))
}

/// The RTP timestamp of a time.
pub(super) fn timestamp(at: Time) -> u32 {
    (u128::from(at.as_nanos()) * 9 / 100_000) as u32
}

/// The time nearest before `now` that has such a timestamp; it repeats every 13 hours.
pub(super) fn captured_at(timestamp_of_frame: u32, now: Time) -> Time {
    let ago = timestamp(now).wrapping_sub(timestamp_of_frame);
    let ago = if ago > u32::MAX / 2 { 0 } else { ago };
    Time::from_nanos(now.as_nanos().saturating_sub(u64::from(ago) * 100_000 / 9))
}

/// The number nearest to `near` whose low bits are `low`.
pub(super) fn extend(low: u16, near: u64) -> u64 {
    near.saturating_add_signed(i64::from(low.wrapping_sub(near as u16) as i16))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn head(kind: Kind) -> Head {
        let part = Part { frame: 0x01020304, back: 2, place: 3, packets: 4, timestamp: 90_000, length: 1200 };
        let label = LabelBytes::default();
        Head { kind, sequence: 7, transport: 0xfffe, sent: 0x123456, original: 9, count: 5, part, label }
    }

    #[test]
    fn rfc3550_5_1_the_fixed_header_has_version_marker_type_and_number() {
        let bytes = head(Kind::Media).emit();
        assert_eq!(bytes.as_slice()[..8], [0x90, 0x80 | 96, 0, 7, 0, 1, 0x5f, 0x90]);
        let inner = Head { part: Part { place: 0, ..head(Kind::Media).part }, ..head(Kind::Media) };
        assert_eq!(inner.emit().as_slice()[1], 96, "only the last packet of a frame has the marker");
    }

    #[test]
    fn rfc8285_4_2_extensions_have_one_byte_of_id_and_length() {
        let bytes = head(Kind::Media).emit();
        let expected = [0xbe, 0xde, 0, 2, 0x11, 0xff, 0xfe, 0x22, 0x12, 0x34, 0x56, 0];
        assert_eq!(bytes.as_slice()[12..24], expected);
    }

    #[test]
    fn all_kinds_round_trip() {
        for kind in Kind::ALL {
            assert_eq!(Head::parse(head(kind).emit().as_slice(), 1200), Some(head(kind)));
        }
    }

    #[test]
    fn labels_of_each_length_round_trip() {
        let media = Head { original: 0, ..head(Kind::Media) };
        let first = Part { frame: 0x01020304, back: 0, place: 0, ..media.part };
        // A long label is a dependency descriptor, whose second and third bytes have the frame's number.
        let long = [0xc0, 3, 4, 0x80, 1, 2, 3, 4, 5, 6, 7, 8];
        for length in 1..=long.len() {
            let label = LabelBytes::new(&long[..length]).expect("it is short enough");
            let part = if length > SHORT_LABEL { first } else { media.part };
            let labelled = Head { label, part, ..media };
            let bytes = labelled.emit();
            assert_eq!(Head::parse(bytes.as_slice(), 1200), Some(labelled), "{length}");
            let (header, _) = jettison_labels::rtp::RtpHeader::parse(bytes.as_slice()).expect("it is RTP");
            assert_eq!(header.extensions.get(LABEL), Some(&long[..length]));
        }
    }

    #[test]
    fn only_media_has_a_label() {
        let label = LabelBytes::new(&[1, 2, 3]).expect("it is short enough");
        let bytes = Head { label, ..head(Kind::Retransmission) }.emit();
        assert_eq!(Head::parse(bytes.as_slice(), 1200), None);
    }

    #[test]
    fn times_are_the_nearest_in_the_past() {
        for now in [Time::from_secs(1), Time::from_secs(65), Time::from_secs(100_000)] {
            let at = Time::from_nanos(now.as_nanos() - 300_000_000);
            assert!(sent_at(send_time(at), now).since(at).as_nanos() < 8_000);
            assert!(captured_at(timestamp(at), now).since(at).as_nanos() < 25_000);
        }
    }

    #[test]
    fn numbers_are_extended_in_both_directions() {
        assert_eq!(extend(1, 65_535), 65_537);
        assert_eq!(extend(65_535, 65_537), 65_535);
        assert_eq!(extend(5, 0), 5);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(payload in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = Head::parse(&payload, 1200);
        }
    }
}

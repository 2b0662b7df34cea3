//! Division of a message into packets, and the header of parity packets.
//!
//! Data packets carry the message's bytes in sequence. With forward error correction, the size of a data packet is the
//! number of bytes that a parity packet covers; a parity packet's content begins with four bytes: the number of data
//! packets, and the number of bytes in the last of them.

use jettison_wire::{InlineBytes, OctopusHeader, Position};

use super::erasure::coefficient;
use super::field::add_multiple;
use super::message::{MessagePayload, SendError};
use super::parameters::HEADERS;
use jettison_tcp::Payload;

/// Inline bytes of a packet, excluding the headers.
const INLINE: usize = InlineBytes::CAPACITY - HEADERS;

/// The header of a parity packet's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ParityHeader {
    /// Number of data packets of the message.
    pub data: u16,
    /// Message bytes in the last of them.
    pub last: u16,
}

impl ParityHeader {
    /// Length in bytes.
    pub const LENGTH: usize = 4;

    pub fn emit(self) -> [u8; ParityHeader::LENGTH] {
        let ([d0, d1], [l0, l1]) = (self.data.to_be_bytes(), self.last.to_be_bytes());
        [d0, d1, l0, l1]
    }

    /// Decodes the header; `None` if there are too few bytes, or either number is zero.
    pub fn parse(content: &[u8]) -> Option<ParityHeader> {
        let &[d0, d1, l0, l1] = content.first_chunk::<{ ParityHeader::LENGTH }>()?;
        let (data, last) = (u16::from_be_bytes([d0, d1]), u16::from_be_bytes([l0, l1]));
        (data > 0 && last > 0).then_some(ParityHeader { data, last })
    }
}

/// The division of one message into packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    /// Length of the message in bytes.
    length: u64,
    /// Message bytes per data packet, except the last.
    size: u64,
    /// Number of data packets.
    pub data: u32,
    /// Number of parity packets.
    pub parity: u32,
}

/// The content of a packet after the headers: its first bytes, inline, and the rest.
pub(super) struct Content {
    pub inline: InlineBytes,
    pub rest: Payload,
}

impl Layout {
    /// Divides a message of `length` bytes, with `parity` parity packets per data packet, rounded up, but at most
    /// `most_parity`.
    pub fn new(length: u64, mss: u64, parity: f64, most_parity: u16) -> Result<Layout, SendError> {
        // Parity works on words of two bytes.
        let size = if parity > 0.0 { (mss - ParityHeader::LENGTH as u64) & !1 } else { mss };
        let data = length.div_ceil(size);
        let parity = if parity > 0.0 { libm::ceil(data as f64 * parity) as u64 } else { 0 };
        let parity = parity.min(u64::from(most_parity));
        match u32::try_from(data.saturating_add(parity)) {
            Ok(packets) if packets <= u32::from(u16::MAX) => {
                Ok(Layout { length, size, data: data as u32, parity: parity as u32 })
            }
            _ => Err(SendError::TooManyPackets(length)),
        }
    }

    /// Number of data and parity packets.
    #[inline]
    pub fn packets(&self) -> u32 {
        self.data + self.parity
    }

    /// Message bytes of packet `index`, or bytes covered by its parity.
    #[inline]
    fn covered(&self, index: u32) -> u64 {
        if index + 1 == self.data { self.length - self.size * u64::from(index) } else { self.size }
    }

    /// Content bytes of packet `index`, after the headers.
    #[inline]
    pub fn content_bytes(&self, index: u32) -> u64 {
        if index < self.data { self.covered(index) } else { self.size + ParityHeader::LENGTH as u64 }
    }

    /// Place of packet `index` in the message; parity is behind the message's end.
    #[inline]
    pub fn offset(&self, index: u32) -> u64 {
        match index.checked_sub(self.data) {
            None => self.size * u64::from(index),
            Some(parity) => self.length + self.size * u64::from(parity),
        }
    }

    /// Content bytes of packet `index` and all packets after it.
    #[inline]
    pub fn content_bytes_from(&self, index: u32) -> u64 {
        let parity = self.size + ParityHeader::LENGTH as u64;
        if index < self.data {
            self.length - self.size * u64::from(index) + parity * u64::from(self.parity)
        } else {
            parity * u64::from(self.packets() - index)
        }
    }

    /// Position of packet `index` in the transmitted message, parity included.
    #[inline]
    pub fn position(&self, index: u32) -> Position {
        match (index, index + 1 == self.packets()) {
            (0, true) => Position::Solo,
            (0, false) => Position::First,
            (_, true) => Position::Last,
            _ => Position::Middle,
        }
    }

    /// The content of packet `index`.
    pub fn content(&self, payload: &MessagePayload, index: u32) -> Content {
        if index >= self.data {
            self.parity_content(payload, index - self.data)
        } else {
            self.data_content(payload, index)
        }
    }

    fn data_content(&self, payload: &MessagePayload, index: u32) -> Content {
        let head = payload.head.as_slice();
        let (start, length) = (self.size * u64::from(index), self.covered(index));
        // The head fits the first packet and is wholly in it.
        let (inline, start, length) = if index == 0 {
            (payload.head, 0, length - head.len() as u64)
        } else {
            (InlineBytes::default(), start - head.len() as u64, length)
        };
        Content { inline, rest: slice(&payload.rest, start, length) }
    }

    fn parity_content(&self, payload: &MessagePayload, parity: u32) -> Content {
        let last = self.covered(self.data - 1);
        let header = ParityHeader { data: self.data as u16, last: last as u16 }.emit();
        let mut sum = vec![0; self.real_bytes(payload)];
        match &payload.rest {
            // Only the head is non-zero.
            Payload::Zeros(_) => {
                add_multiple(&mut sum, payload.head.as_slice(), coefficient(self.data, parity, 0))
            }
            Payload::Bytes(_) => {
                let mut packet = Vec::with_capacity(self.size as usize);
                for index in 0..self.data {
                    let content = self.data_content(payload, index);
                    packet.clear();
                    packet.extend_from_slice(content.inline.as_slice());
                    if let Payload::Bytes(bytes) = &content.rest {
                        packet.extend_from_slice(bytes);
                    }
                    add_multiple(&mut sum, &packet, coefficient(self.data, parity, index));
                }
            }
        }
        let mut content = header.to_vec();
        content.append(&mut sum);
        let virtual_bytes = ParityHeader::LENGTH as u64 + self.size - content.len() as u64;
        let inline = InlineBytes::new(&content[..content.len().min(INLINE)]).unwrap_or_default();
        let beyond = &content[inline.as_slice().len()..];
        let rest = if beyond.is_empty() {
            Payload::Zeros(virtual_bytes)
        } else {
            let mut bytes = beyond.to_vec();
            bytes.resize(beyond.len() + virtual_bytes as usize, 0);
            Payload::Bytes(bytes.into())
        };
        Content { inline, rest }
    }

    /// Bytes of a data packet that may be non-zero, rounded up to whole words.
    fn real_bytes(&self, payload: &MessagePayload) -> usize {
        match payload.rest {
            Payload::Bytes(_) => self.size as usize,
            Payload::Zeros(_) => payload.head.as_slice().len().next_multiple_of(2),
        }
    }
}

/// Returns `length` bytes of `payload` from `start`.
fn slice(payload: &Payload, start: u64, length: u64) -> Payload {
    match payload {
        Payload::Zeros(_) => Payload::Zeros(length),
        Payload::Bytes(bytes) => Payload::Bytes(bytes[start as usize..(start + length) as usize].into()),
    }
}

/// The flags of packet `index`.
pub(super) fn flags(layout: &Layout, index: u32, is_retransmission: bool) -> u8 {
    use jettison_wire::SequenceHeader as Header;
    let mut flags = 0;
    if index >= layout.data {
        flags |= Header::FLAG_PARITY;
    }
    if index + 1 == layout.data {
        flags |= Header::FLAG_END;
    }
    if is_retransmission {
        flags |= Header::FLAG_RETRANSMISSION;
    }
    flags
}

/// The inline bytes of a data packet: both headers, then the content's first bytes.
pub(super) fn inline(
    sequence: jettison_wire::SequenceHeader,
    label: OctopusHeader,
    content: &InlineBytes,
) -> InlineBytes {
    let mut bytes = [0; InlineBytes::CAPACITY];
    let content = content.as_slice();
    bytes[..OctopusHeader::OFFSET].copy_from_slice(&sequence.emit());
    bytes[OctopusHeader::OFFSET..HEADERS].copy_from_slice(&label.emit());
    bytes[HEADERS..HEADERS + content.len()].copy_from_slice(content);
    InlineBytes::new(&bytes[..HEADERS + content.len()]).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: u16 = u16::MAX;

    #[test]
    fn a_message_has_full_packets_and_a_last_one() {
        let layout = Layout::new(2500, 1000, 0.0, MOST).unwrap();
        assert_eq!((layout.data, layout.parity), (3, 0));
        let bytes: Vec<_> = (0..3).map(|i| layout.content_bytes(i)).collect();
        assert_eq!(bytes, [1000, 1000, 500]);
        assert_eq!([0, 2].map(|i| layout.offset(i)), [0, 2000]);
        let positions: Vec<_> = (0..3).map(|i| layout.position(i)).collect();
        assert_eq!(positions, [Position::First, Position::Middle, Position::Last]);
        assert_eq!(Layout::new(1000, 1000, 0.0, MOST).unwrap().position(0), Position::Solo);
    }

    #[test]
    fn parity_is_rounded_up_and_fits_its_packets() {
        let layout = Layout::new(10_000, 1000, 0.25, MOST).unwrap();
        assert_eq!((layout.data, layout.parity), (11, 3), "996 bytes each");
        assert!((0..layout.packets()).all(|i| layout.content_bytes(i) <= 1000));
        assert_eq!([10, 11, 13].map(|i| layout.offset(i)), [9_960, 10_000, 11_992]);
        for index in 0..layout.packets() {
            let rest: u64 = (index..layout.packets()).map(|i| layout.content_bytes(i)).sum();
            assert_eq!(layout.content_bytes_from(index), rest);
        }
        assert_eq!(layout.position(10), Position::Middle);
        assert_eq!(layout.position(13), Position::Last, "the message on the wire ends with its parity");
        assert_eq!(flags(&layout, 10, false), jettison_wire::SequenceHeader::FLAG_END);
        assert_eq!(flags(&layout, 11, true), 0x03);
    }

    #[test]
    fn messages_of_too_many_packets_are_refused() {
        assert_eq!(Layout::new(65_535 * 100, 100, 0.0, MOST).map(|layout| layout.data), Ok(65_535));
        assert_eq!(Layout::new(65_535 * 100 + 1, 100, 0.0, MOST), Err(SendError::TooManyPackets(6_553_501)));
        assert!(Layout::new(4_000_000, 100, 1.0, MOST).is_err(), "parity counts");
        assert!(Layout::new(u64::MAX, 64, 10.0, MOST).is_err());
    }

    #[test]
    fn virtual_parity_is_virtual() {
        let head = InlineBytes::new(&[7; 16]).expect("it fits");
        let payload = MessagePayload { head, rest: Payload::Zeros(5000) };
        let layout = Layout::new(payload.len(), 1000, 0.1, MOST).unwrap();
        let content = layout.content(&payload, layout.data);
        assert_eq!(content.inline.as_slice().len(), 20);
        assert_eq!(content.rest, Payload::Zeros(layout.content_bytes(layout.data) - 20));
        assert_eq!(ParityHeader::parse(content.inline.as_slice()), Some(ParityHeader { data: 6, last: 36 }));
    }
}

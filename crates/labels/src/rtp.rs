//! RTP headers (RFC 3550 §5.1) and their extensions (RFC 8285).

use crate::LabelError;

/// Length of the fixed header.
const FIXED: usize = 12;
/// Profile of one-byte extension headers (RFC 8285 §4.2).
const ONE_BYTE: u16 = 0xbede;
/// Profile of two-byte extension headers, whose low four bits are application bits (RFC 8285 §4.3).
const TWO_BYTE: u16 = 0x1000;

/// The header of an RTP packet.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RtpHeader<'a> {
    /// Whether padding follows the payload.
    pub padding: bool,
    /// The marker bit: of video, the last packet of a picture.
    pub marker: bool,
    /// Payload type, 7 bits.
    pub payload_type: u8,
    /// Sequence number.
    pub sequence: u16,
    /// Timestamp in units of the payload's clock.
    pub timestamp: u32,
    /// The synchronization source.
    pub ssrc: u32,
    /// Contributing sources, at most 15.
    pub csrcs: Vec<u32>,
    /// Extension elements; empty if there is none, or of another profile than RFC 8285.
    pub extensions: Extensions<'a>,
}

/// Elements of a header extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extensions<'a> {
    form: Form,
    bytes: &'a [u8],
}

/// Form of the elements' headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// One byte: identifiers 1 to 14, lengths 1 to 16.
    #[default]
    OneByte,
    /// Two bytes: identifiers 1 to 255, lengths 0 to 255.
    TwoByte,
}

/// One element of a header extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Element<'a> {
    /// The local identifier, which `a=extmap` of the session description gives its meaning.
    pub id: u8,
    /// The data.
    pub data: &'a [u8],
}

impl<'a> RtpHeader<'a> {
    /// Whether `payload` of a UDP datagram looks like RTP: version 2, and no payload type that RTCP takes (RFC 5761 §4). The
    /// first byte tells it from STUN, DTLS, TURN and QUIC on the same port (RFC 9443 §3).
    pub fn is_rtp(payload: &[u8]) -> bool {
        payload.len() >= FIXED && payload[0] >> 6 == 2 && !(64..96).contains(&(payload[1] & 0x7f))
    }

    /// Reads the header of `bytes`; returns it and its length.
    ///
    /// # Errors
    /// If the bytes end within the header, or the version is not 2.
    pub fn parse(bytes: &'a [u8]) -> Result<(RtpHeader<'a>, usize), LabelError> {
        let fixed: &[u8; FIXED] = bytes.first_chunk().ok_or(LabelError::Truncated("RTP header"))?;
        if fixed[0] >> 6 != 2 {
            return Err(LabelError::Malformed("the RTP version is not 2"));
        }
        let word = |at: usize| u32::from_be_bytes([fixed[at], fixed[at + 1], fixed[at + 2], fixed[at + 3]]);
        let mut length = FIXED + 4 * usize::from(fixed[0] & 0xf);
        let csrcs =
            bytes.get(FIXED..length).ok_or(LabelError::Truncated("list of RTP contributing sources"))?;
        let csrcs = csrcs.as_chunks::<4>().0.iter().map(|csrc| u32::from_be_bytes(*csrc)).collect();
        let mut extensions = Extensions::default();
        if fixed[0] & 0x10 != 0 {
            let rest = &bytes[length..];
            let &[p0, p1, l0, l1] =
                rest.first_chunk().ok_or(LabelError::Truncated("RTP header extension"))?;
            let end = 4 + 4 * usize::from(u16::from_be_bytes([l0, l1]));
            let data = rest.get(4..end).ok_or(LabelError::Truncated("RTP header extension"))?;
            match u16::from_be_bytes([p0, p1]) {
                ONE_BYTE => extensions = Extensions { form: Form::OneByte, bytes: data },
                profile if profile & 0xfff0 == TWO_BYTE => {
                    extensions = Extensions { form: Form::TwoByte, bytes: data };
                }
                _ => {}
            }
            length += end;
        }
        let header = RtpHeader {
            padding: fixed[0] & 0x20 != 0,
            marker: fixed[1] & 0x80 != 0,
            payload_type: fixed[1] & 0x7f,
            sequence: u16::from_be_bytes([fixed[2], fixed[3]]),
            timestamp: word(4),
            ssrc: word(8),
            csrcs,
            extensions,
        };
        Ok((header, length))
    }

    /// Writes the header with `elements` in place of its extensions: in the one-byte form if all fit it, else in the two-byte form.
    ///
    /// # Errors
    /// If a value does not fit.
    pub fn emit(&self, elements: &[Element<'_>]) -> Result<Vec<u8>, LabelError> {
        let count = u8::try_from(self.csrcs.len()).ok().filter(|count| *count < 16);
        let count = count.ok_or(LabelError::TooLarge("the number of contributing sources"))?;
        if self.payload_type > 0x7f {
            return Err(LabelError::TooLarge("the RTP payload type"));
        }
        let flags = u8::from(self.padding) << 5 | u8::from(!elements.is_empty()) << 4;
        let mut out = vec![0x80 | flags | count, u8::from(self.marker) << 7 | self.payload_type];
        out.extend(self.sequence.to_be_bytes());
        out.extend(self.timestamp.to_be_bytes());
        out.extend(self.ssrc.to_be_bytes());
        self.csrcs.iter().for_each(|csrc| out.extend(csrc.to_be_bytes()));
        if elements.is_empty() {
            return Ok(out);
        }
        let one_byte =
            |element: &Element<'_>| (1..15).contains(&element.id) && (1..=16).contains(&element.data.len());
        let form = if elements.iter().all(one_byte) { Form::OneByte } else { Form::TwoByte };
        let mut data = Vec::new();
        for Element { id, data: bytes } in elements {
            let length =
                u8::try_from(bytes.len()).map_err(|_| LabelError::TooLarge("an extension element"))?;
            match form {
                Form::OneByte => data.push(id << 4 | (length - 1)),
                Form::TwoByte if *id == 0 => {
                    return Err(LabelError::Malformed("extension identifier 0 is padding"));
                }
                Form::TwoByte => data.extend([*id, length]),
            }
            data.extend_from_slice(bytes);
        }
        data.resize(data.len().next_multiple_of(4), 0);
        let words =
            u16::try_from(data.len() / 4).map_err(|_| LabelError::TooLarge("the header extension"))?;
        out.extend(match form {
            Form::OneByte => ONE_BYTE.to_be_bytes(),
            Form::TwoByte => TWO_BYTE.to_be_bytes(),
        });
        out.extend(words.to_be_bytes());
        out.append(&mut data);
        Ok(out)
    }
}

impl<'a> Extensions<'a> {
    /// The form of the elements' headers.
    pub fn form(self) -> Form {
        self.form
    }

    /// The data of the first element with the identifier `id`.
    pub fn get(self, id: u8) -> Option<&'a [u8]> {
        self.iter().flatten().find(|element| element.id == id).map(|element| element.data)
    }

    /// The elements in their order. An error ends them.
    pub fn iter(self) -> impl Iterator<Item = Result<Element<'a>, LabelError>> {
        let Extensions { form, bytes: mut rest } = self;
        std::iter::from_fn(move || {
            // Identifier 0 is padding in both forms (RFC 8285 §4.1.1).
            while let Some((0, after)) = rest.split_first() {
                rest = after;
            }
            let (&first, after) = rest.split_first()?;
            let (id, length, after) = match form {
                // Identifier 15 ends the elements (RFC 8285 §4.2).
                Form::OneByte if first >> 4 == 15 => return None,
                // Identifier 0 with data: to be ignored up to the end (RFC 8285 §4.2).
                Form::OneByte if first >> 4 == 0 => return None,
                Form::OneByte => (first >> 4, usize::from(first & 0xf) + 1, after),
                Form::TwoByte => match after.split_first() {
                    Some((&length, after)) => (first, usize::from(length), after),
                    None => {
                        rest = &[];
                        return Some(Err(LabelError::Truncated("RTP extension element")));
                    }
                },
            };
            let Some((data, after)) = after.split_at_checked(length) else {
                rest = &[];
                return Some(Err(LabelError::Truncated("RTP extension element")));
            };
            rest = after;
            Some(Ok(Element { id, data }))
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn header() -> RtpHeader<'static> {
        RtpHeader {
            payload_type: 96,
            sequence: 7,
            timestamp: 3000,
            ssrc: 0xdead_beef,
            ..RtpHeader::default()
        }
    }

    fn ids(bytes: &[u8]) -> Vec<(u8, Vec<u8>)> {
        let (header, length) = RtpHeader::parse(bytes).unwrap();
        assert_eq!(length, bytes.len());
        header.extensions.iter().map(|e| e.map(|e| (e.id, e.data.to_vec())).unwrap()).collect()
    }

    #[test]
    fn the_example_of_rfc_8285_section_4_2_is_read() {
        // Three elements with lengths 1, 2 and 4, and two bytes of padding after the second.
        let mut bytes = vec![0x90, 96, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0xbe, 0xde, 0, 3];
        bytes.extend([0x10, 0xa1, 0x21, 0xb1, 0xb2, 0, 0, 0x33, 0xc1, 0xc2, 0xc3, 0xc4]);
        let expected = vec![(1, vec![0xa1]), (2, vec![0xb1, 0xb2]), (3, vec![0xc1, 0xc2, 0xc3, 0xc4])];
        assert_eq!(ids(&bytes), expected);
    }

    #[test]
    fn the_example_of_rfc_8285_section_4_3_is_read() {
        let mut bytes = vec![0x90, 96, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0x10, 0x05, 0, 3];
        bytes.extend([1, 0, 2, 1, 0xb1, 0, 3, 4, 0xc1, 0xc2, 0xc3, 0xc4]);
        assert_eq!(ids(&bytes), vec![(1, vec![]), (2, vec![0xb1]), (3, vec![0xc1, 0xc2, 0xc3, 0xc4])]);
    }

    #[test]
    fn identifier_15_of_the_one_byte_form_ends_the_elements() {
        let mut bytes = vec![0x90, 96, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0xbe, 0xde, 0, 1];
        bytes.extend([0x10, 0xa1, 0xf0, 0x55]);
        assert_eq!(ids(&bytes), vec![(1, vec![0xa1])]);
    }

    #[test]
    fn a_truncated_header_names_the_part_that_is_cut() {
        let element = Element { id: 4, data: &[1, 2, 3] };
        let whole = RtpHeader { csrcs: vec![1, 2], ..header() }.emit(&[element]).unwrap();
        for length in 0..whole.len() {
            let part = match length {
                0..12 => "RTP header",
                12..20 => "list of RTP contributing sources",
                _ => "RTP header extension",
            };
            assert_eq!(RtpHeader::parse(&whole[..length]), Err(LabelError::Truncated(part)), "{length}");
        }
    }

    #[test]
    fn an_element_longer_than_the_extension_is_an_error() {
        let mut bytes = header().emit(&[Element { id: 4, data: &[1, 2, 3] }]).unwrap();
        bytes[16] = 0x4f;
        let (header, _) = RtpHeader::parse(&bytes).unwrap();
        let read: Vec<_> = header.extensions.iter().collect();
        assert_eq!(read, [Err(LabelError::Truncated("RTP extension element"))]);
        assert_eq!(header.extensions.get(4), None);
    }

    #[test]
    fn rtcp_stun_and_dtls_are_not_rtp() {
        let rtp = header().emit(&[]).unwrap();
        assert!(RtpHeader::is_rtp(&rtp));
        let mut rtcp = rtp.clone();
        rtcp[1] = 200;
        let mut stun = rtp.clone();
        stun[0] = 0;
        let mut dtls = rtp.clone();
        dtls[0] = 22;
        assert!(!RtpHeader::is_rtp(&rtcp) && !RtpHeader::is_rtp(&stun) && !RtpHeader::is_rtp(&dtls));
        assert!(!RtpHeader::is_rtp(&rtp[..11]));
    }

    proptest! {
        #[test]
        fn what_was_written_is_read(
            padding: bool, marker: bool, payload_type in 0u8..128, sequence: u16, timestamp: u32, ssrc: u32,
            csrcs in prop::collection::vec(any::<u32>(), 0..16),
            elements in prop::collection::vec((1u8..=255, prop::collection::vec(any::<u8>(), 0..30)), 0..6),
        ) {
            let header = RtpHeader {
                padding, marker, payload_type, sequence, timestamp, ssrc, csrcs, extensions: Extensions::default(),
            };
            let written: Vec<_> = elements.iter().map(|(id, data)| Element { id: *id, data }).collect();
            let bytes = header.emit(&written).unwrap();
            let (read, length) = RtpHeader::parse(&bytes).unwrap();
            prop_assert_eq!(length, bytes.len());
            let found: Vec<_> = read.extensions.iter().map(|element| element.unwrap()).collect();
            prop_assert_eq!(found, written);
            prop_assert_eq!(RtpHeader { extensions: Extensions::default(), ..read }, header);
        }

        #[test]
        fn any_bytes_are_read_without_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..80), rtp: bool) {
            if rtp && !bytes.is_empty() {
                bytes[0] = bytes[0] & 0x3f | 0x80;
            }
            if let Ok((header, length)) = RtpHeader::parse(&bytes) {
                prop_assert!(length <= bytes.len());
                prop_assert!(header.extensions.iter().count() <= bytes.len());
            }
        }
    }
}

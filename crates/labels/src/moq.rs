//! Object headers of Media over QUIC Transport: subgroups, objects, datagrams (draft-ietf-moq-transport-19 §11).
//!
//! The version is 19: delivery timeouts of subgroups and of objects are two properties there (split in version 18), which the first
//! object of a subgroup may carry (since version 19, §12.1 and §12.2). Numbers are the draft's own variable-length integers
//! (§1.4.1). QUIC is not part of this: the bytes are those of a stream or of a datagram's payload.

use crate::LabelError;

/// Object property: milliseconds in which an object is worth sending (§12.2).
const OBJECT_DELIVERY_TIMEOUT: u64 = 0x02;
/// Object property: milliseconds in which a complete subgroup is worth sending (§12.1).
const SUBGROUP_DELIVERY_TIMEOUT: u64 = 0x06;
/// Publisher priority where neither header nor track gives one (§12.4).
pub const DEFAULT_PRIORITY: u8 = 128;

/// Header of a subgroup's stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SubgroupHeader {
    /// Whether each object has properties.
    pub has_properties: bool,
    /// Whether the subgroup has the last object of its group.
    pub end_of_group: bool,
    /// Whether the stream's first object is the first one that the original publisher published in the subgroup.
    pub first_object: bool,
    /// Track alias.
    pub track: u64,
    /// Group.
    pub group: u64,
    /// How the subgroup is numbered.
    pub subgroup: SubgroupId,
    /// Publisher priority, 0 (highest) to 255; `None`: the track's.
    pub priority: Option<u8>,
}

/// Number of a subgroup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SubgroupId {
    /// 0.
    #[default]
    Zero,
    /// That of the subgroup's first object.
    FirstObject,
    /// A number in the header.
    Number(u64),
}

/// Header of an object, on a subgroup's stream or in a datagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ObjectHeader {
    /// The object's number in its group.
    pub object: u64,
    /// Properties that concern delivery.
    pub properties: Properties,
    /// Bytes of the payload that follow.
    pub payload: u64,
    /// Status of an object without payload.
    pub status: Option<u64>,
}

/// Properties of an object that concern delivery; others are skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Properties {
    /// OBJECT_DELIVERY_TIMEOUT in ms; 0: none.
    pub object_timeout: Option<u64>,
    /// SUBGROUP_DELIVERY_TIMEOUT in ms; 0: none.
    pub subgroup_timeout: Option<u64>,
}

/// An object in a datagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ObjectDatagram {
    /// Track alias.
    pub track: u64,
    /// Group.
    pub group: u64,
    /// Whether it is the last object of its group.
    pub end_of_group: bool,
    /// Publisher priority, 0 (highest) to 255; `None`: the track's.
    pub priority: Option<u8>,
    /// The object; its payload is the rest of the datagram.
    pub header: ObjectHeader,
}

/// Reads integers and bytes from the front of a slice.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn byte(&mut self) -> Result<u8, LabelError> {
        let (first, rest) = self.0.split_first().ok_or(LabelError::Truncated("MoQ header"))?;
        self.0 = rest;
        Ok(*first)
    }

    fn bytes(&mut self, length: u64) -> Result<&'a [u8], LabelError> {
        let split = usize::try_from(length).ok().and_then(|length| self.0.split_at_checked(length));
        let (bytes, rest) = split.ok_or(LabelError::Truncated("MoQ header"))?;
        self.0 = rest;
        Ok(bytes)
    }

    /// A variable-length integer: the leading ones of its first byte are the number of bytes that follow.
    fn integer(&mut self) -> Result<u64, LabelError> {
        let first = self.byte()?;
        let ones = first.leading_ones();
        let own = u64::from(first) & (0x7f_u64 >> ones);
        Ok(self.bytes(u64::from(ones))?.iter().fold(own, |value, byte| value << 8 | u64::from(*byte)))
    }

    fn properties(&mut self) -> Result<Properties, LabelError> {
        let length = self.integer()?;
        let mut inner = Reader(self.bytes(length)?);
        let (mut read, mut kind) = (Properties::default(), 0u64);
        while !inner.0.is_empty() {
            let delta = inner.integer()?;
            kind = kind
                .checked_add(delta)
                .ok_or(LabelError::Malformed("a MoQ property type exceeds 64 bits"))?;
            if kind % 2 == 1 {
                let length = inner.integer()?;
                inner.bytes(length)?;
                continue;
            }
            let value = inner.integer()?;
            match kind {
                OBJECT_DELIVERY_TIMEOUT => read.object_timeout = Some(value),
                SUBGROUP_DELIVERY_TIMEOUT => read.subgroup_timeout = Some(value),
                _ => {}
            }
        }
        Ok(read)
    }
}

/// Appends a variable-length integer in as few bytes as possible.
fn write_integer(out: &mut Vec<u8>, value: u64) {
    // A length of n bytes has 7n bits, but 9 bytes have 64.
    let bits = u64::BITS - value.leading_zeros();
    let more = if bits > 56 { 8 } else { bits.max(1).div_ceil(7) - 1 };
    let bytes = value.to_be_bytes();
    let ones = (0xff00_u16 >> more) as u8;
    if more == 8 {
        out.push(0xff);
    } else {
        out.push(ones | bytes[7 - more as usize]);
    }
    out.extend_from_slice(&bytes[8 - more as usize..]);
}

impl Properties {
    fn emit(&self, out: &mut Vec<u8>) {
        let (mut inner, mut last) = (Vec::new(), 0);
        let known = [
            (OBJECT_DELIVERY_TIMEOUT, self.object_timeout),
            (SUBGROUP_DELIVERY_TIMEOUT, self.subgroup_timeout),
        ];
        for (kind, value) in known.into_iter().filter_map(|(kind, value)| Some((kind, value?))) {
            write_integer(&mut inner, kind - last);
            write_integer(&mut inner, value);
            last = kind;
        }
        write_integer(out, inner.len() as u64);
        out.append(&mut inner);
    }
}

impl SubgroupHeader {
    /// Reads the header at the start of a stream; returns it and its length.
    ///
    /// # Errors
    /// If the bytes end, or the type is not a subgroup's (§11.4.2).
    pub fn parse(bytes: &[u8]) -> Result<(SubgroupHeader, usize), LabelError> {
        let mut reader = Reader(bytes);
        let kind = reader.integer()?;
        // 0b0XX1XXXX
        if kind & !0x6f != 0x10 {
            return Err(LabelError::Malformed("the type is not that of a MoQ subgroup header"));
        }
        let (track, group) = (reader.integer()?, reader.integer()?);
        let subgroup = match kind >> 1 & 3 {
            0 => SubgroupId::Zero,
            1 => SubgroupId::FirstObject,
            2 => SubgroupId::Number(reader.integer()?),
            _ => {
                return Err(LabelError::Malformed(
                    "the subgroup id mode 0b11 of a MoQ subgroup header is reserved",
                ));
            }
        };
        let priority = if kind & 0x20 == 0 { Some(reader.byte()?) } else { None };
        let header = SubgroupHeader {
            has_properties: kind & 0x01 != 0,
            end_of_group: kind & 0x08 != 0,
            first_object: kind & 0x40 != 0,
            track,
            group,
            subgroup,
            priority,
        };
        Ok((header, bytes.len() - reader.0.len()))
    }

    /// Writes the header.
    pub fn emit(&self) -> Vec<u8> {
        let mode = match self.subgroup {
            SubgroupId::Zero => 0,
            SubgroupId::FirstObject => 1,
            SubgroupId::Number(_) => 2,
        };
        let flags = [
            (0x01, self.has_properties),
            (0x08, self.end_of_group),
            (0x20, self.priority.is_none()),
            (0x40, self.first_object),
        ];
        let flags = flags.iter().filter(|(_, set)| *set).fold(0x10, |bits, (bit, _)| bits | bit);
        let mut out = vec![flags | mode << 1];
        write_integer(&mut out, self.track);
        write_integer(&mut out, self.group);
        if let SubgroupId::Number(number) = self.subgroup {
            write_integer(&mut out, number);
        }
        out.extend(self.priority);
        out
    }
}

impl ObjectHeader {
    /// Reads the header of an object on the stream of `subgroup`, behind the object with the number `previous`; returns it and its
    /// length.
    ///
    /// # Errors
    /// If the bytes end, or a number exceeds 64 bits.
    pub fn parse(
        bytes: &[u8],
        subgroup: &SubgroupHeader,
        previous: Option<u64>,
    ) -> Result<(ObjectHeader, usize), LabelError> {
        let mut reader = Reader(bytes);
        let delta = reader.integer()?;
        let object = match previous {
            None => Some(delta),
            Some(previous) => previous.checked_add(delta).and_then(|number| number.checked_add(1)),
        };
        let object = object.ok_or(LabelError::Malformed("a MoQ object number exceeds 64 bits"))?;
        let properties = if subgroup.has_properties { reader.properties()? } else { Properties::default() };
        let payload = reader.integer()?;
        let status = if payload == 0 { Some(reader.integer()?) } else { None };
        Ok((ObjectHeader { object, properties, payload, status }, bytes.len() - reader.0.len()))
    }

    /// Writes the header of an object on the stream of `subgroup`, behind the object with the number `previous`.
    ///
    /// # Errors
    /// If the number is not above `previous`, properties are not announced, or a status stands beside a payload.
    pub fn emit(&self, subgroup: &SubgroupHeader, previous: Option<u64>) -> Result<Vec<u8>, LabelError> {
        let delta = match previous {
            None => Some(self.object),
            Some(previous) => {
                self.object.checked_sub(previous).and_then(|difference| difference.checked_sub(1))
            }
        };
        let mut out = Vec::new();
        write_integer(&mut out, delta.ok_or(LabelError::Malformed("MoQ objects of a subgroup ascend"))?);
        if subgroup.has_properties {
            self.properties.emit(&mut out);
        } else if self.properties != Properties::default() {
            return Err(LabelError::Malformed("the MoQ subgroup header announces no properties"));
        }
        write_integer(&mut out, self.payload);
        match (self.payload, self.status) {
            (0, status) => write_integer(&mut out, status.unwrap_or(0)),
            (_, Some(_)) => return Err(LabelError::Malformed("a MoQ object with a payload has no status")),
            (_, None) => {}
        }
        Ok(out)
    }
}

impl ObjectDatagram {
    /// Reads a datagram; returns it and the length of its header.
    ///
    /// # Errors
    /// If the bytes end, the type is not an object datagram's (§11.3.1), or the properties are empty.
    pub fn parse(bytes: &[u8]) -> Result<(ObjectDatagram, usize), LabelError> {
        let mut reader = Reader(bytes);
        let kind = reader.integer()?;
        // 0b00X0XXXX, and a status message cannot end a group.
        if kind & !0x2f != 0 || kind & 0x22 == 0x22 {
            return Err(LabelError::Malformed("the type is not that of a MoQ object datagram"));
        }
        let (track, group) = (reader.integer()?, reader.integer()?);
        let object = if kind & 0x04 == 0 { reader.integer()? } else { 0 };
        let priority = if kind & 0x08 == 0 { Some(reader.byte()?) } else { None };
        let properties = if kind & 0x01 != 0 {
            if reader.0.first() == Some(&0) {
                return Err(LabelError::Malformed("the properties of a MoQ object datagram are empty"));
            }
            reader.properties()?
        } else {
            Properties::default()
        };
        let status = if kind & 0x20 != 0 { Some(reader.integer()?) } else { None };
        if kind & 0x21 == 0x21 && status != Some(0) {
            return Err(LabelError::Malformed("a MoQ object with a status has no properties"));
        }
        let payload = if status.is_none() { reader.0.len() as u64 } else { 0 };
        let header = ObjectHeader { object, properties, payload, status };
        let datagram = ObjectDatagram { track, group, end_of_group: kind & 0x02 != 0, priority, header };
        Ok((datagram, bytes.len() - reader.0.len()))
    }

    /// Writes the header; the payload follows it.
    ///
    /// # Errors
    /// If an object with a status has properties or ends its group.
    pub fn emit(&self) -> Result<Vec<u8>, LabelError> {
        let ObjectHeader { object, properties, status, .. } = self.header;
        let has_properties = properties != Properties::default();
        if status.is_some() && (self.end_of_group || has_properties && status != Some(0)) {
            return Err(LabelError::Malformed(
                "a MoQ object with a status has no properties and ends no group",
            ));
        }
        let flags = [
            (0x01, has_properties),
            (0x02, self.end_of_group),
            (0x04, object == 0),
            (0x08, self.priority.is_none()),
            (0x20, status.is_some()),
        ];
        let mut out = vec![flags.iter().filter(|(_, set)| *set).fold(0, |bits, (bit, _)| bits | bit)];
        write_integer(&mut out, self.track);
        write_integer(&mut out, self.group);
        if object != 0 {
            write_integer(&mut out, object);
        }
        out.extend(self.priority);
        if has_properties {
            properties.emit(&mut out);
        }
        if let Some(status) = status {
            write_integer(&mut out, status);
        }
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_examples_of_section_1_4_1_are_read() {
        let examples: [(&[u8], u64); 8] = [
            (&[0x25], 37),
            (&[0x80, 0x25], 37),
            (&[0xbb, 0xbd], 15_293),
            (&[0xed, 0x7f, 0x3e, 0x7d], 226_442_877),
            (&[0xfa, 0xa1, 0xa0, 0xe4, 0x03, 0xd8], 2_893_212_287_960),
            (&[0xfc, 0x89, 0x98, 0xab, 0xc6, 0x6b, 0xc0], 151_288_809_941_952),
            (&[0xfe, 0xfa, 0x31, 0x8f, 0xa8, 0xe3, 0xca, 0x11], 70_423_237_261_249_041),
            (&[0xff; 9], u64::MAX),
        ];
        for (bytes, value) in examples {
            assert_eq!(Reader(bytes).integer(), Ok(value));
            let mut written = Vec::new();
            write_integer(&mut written, value);
            assert!(written.len() <= bytes.len());
            assert_eq!(Reader(&written).integer(), Ok(value));
        }
    }

    #[test]
    fn a_subgroup_header_has_the_bits_of_section_11_4_2() {
        let header = SubgroupHeader {
            has_properties: true,
            end_of_group: true,
            first_object: true,
            track: 5,
            group: 300,
            subgroup: SubgroupId::Number(2),
            priority: Some(9),
        };
        assert_eq!(header.emit(), [0x5d, 5, 0x81, 0x2c, 2, 9]);
        let least = SubgroupHeader { track: 5, group: 1, ..SubgroupHeader::default() };
        assert_eq!(least.emit(), [0x30, 5, 1]);
    }

    #[test]
    fn types_that_the_draft_calls_invalid_are_errors() {
        for kind in 0..0x80u8 {
            let bytes = [kind, 1, 1, 1, 1, 1, 1, 1];
            let is_subgroup = kind & 0x90 == 0x10 && kind & 0x06 != 0x06;
            assert_eq!(SubgroupHeader::parse(&bytes).is_ok(), is_subgroup, "{kind:#04x}");
            let is_datagram =
                matches!(kind, 0..=0x0f | 0x20..=0x21 | 0x24..=0x25 | 0x28..=0x29 | 0x2c..=0x2d);
            // With a status, properties require the status 0.
            // Read as properties, these are two bytes: type 2 with the value 2.
            let bytes = [&[kind][..], &[2; 10]].concat();
            if kind & 0x21 != 0x21 {
                assert_eq!(ObjectDatagram::parse(&bytes).is_ok(), is_datagram, "{kind:#04x}");
            }
        }
    }

    #[test]
    fn objects_carry_both_timeouts_as_properties_with_delta_types() {
        let subgroup = SubgroupHeader { has_properties: true, ..SubgroupHeader::default() };
        let properties = Properties { object_timeout: Some(50), subgroup_timeout: Some(100) };
        let header = ObjectHeader { object: 3, properties, payload: 7, status: None };
        let bytes = header.emit(&subgroup, Some(1)).unwrap();
        assert_eq!(bytes, [1, 4, 2, 50, 4, 100, 7]);
        assert_eq!(ObjectHeader::parse(&bytes, &subgroup, Some(1)), Ok((header, 7)));
        // A property with an odd type has a length, and is skipped.
        let foreign = [1, 5, 2, 50, 1, 1, 0xee, 7];
        let (read, _) = ObjectHeader::parse(&foreign, &subgroup, Some(1)).unwrap();
        assert_eq!(read.properties, Properties { object_timeout: Some(50), subgroup_timeout: None });
    }

    #[test]
    fn numbers_above_64_bits_are_errors() {
        let subgroup = SubgroupHeader::default();
        assert!(ObjectHeader::parse(&[0, 1], &subgroup, Some(u64::MAX)).is_err());
    }

    proptest! {
        #[test]
        fn integers_survive(value: u64, shift in 0u32..64) {
            let value = value >> shift;
            let mut bytes = Vec::new();
            write_integer(&mut bytes, value);
            prop_assert_eq!(Reader(&bytes).integer(), Ok(value));
        }

        #[test]
        fn subgroups_and_objects_survive(
            flags: [bool; 3], numbers: [u64; 4], mode in 0u8..3, priority: Option<u8>, object_timeout: Option<u64>,
            subgroup_timeout: Option<u64>, previous: Option<u32>, payload in 0u64..1000,
        ) {
            let subgroup = [SubgroupId::Zero, SubgroupId::FirstObject, SubgroupId::Number(numbers[2])];
            let header = SubgroupHeader {
                has_properties: flags[0], end_of_group: flags[1], first_object: flags[2],
                track: numbers[0], group: numbers[1], subgroup: subgroup[usize::from(mode)], priority,
            };
            let bytes = header.emit();
            prop_assert_eq!(SubgroupHeader::parse(&bytes), Ok((header, bytes.len())));
            let properties = Properties { object_timeout, subgroup_timeout };
            let properties = if flags[0] { properties } else { Properties::default() };
            let previous = previous.map(u64::from);
            let object = numbers[3].max(previous.map_or(0, |previous| previous + 1));
            let status = (payload == 0).then_some(0);
            let object = ObjectHeader { object, properties, payload, status };
            let bytes = object.emit(&header, previous).unwrap();
            prop_assert_eq!(ObjectHeader::parse(&bytes, &header, previous), Ok((object, bytes.len())));
        }

        #[test]
        fn datagrams_survive(
            numbers: [u64; 3], end_of_group: bool, priority: Option<u8>, object_timeout: Option<u64>, status: bool,
        ) {
            let properties = Properties { object_timeout, subgroup_timeout: None };
            let header = ObjectHeader { object: numbers[2], properties, payload: 0, status: status.then_some(0) };
            let datagram = ObjectDatagram {
                track: numbers[0], group: numbers[1], end_of_group: end_of_group && !status, priority, header,
            };
            let bytes = datagram.emit().unwrap();
            prop_assert_eq!(ObjectDatagram::parse(&bytes), Ok((datagram, bytes.len())));
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..60), previous: Option<u64>) {
            let _ = ObjectDatagram::parse(&bytes);
            if let Ok((header, length)) = SubgroupHeader::parse(&bytes) {
                prop_assert!(length <= bytes.len());
                let _ = ObjectHeader::parse(&bytes[length..], &header, previous);
            }
        }
    }
}

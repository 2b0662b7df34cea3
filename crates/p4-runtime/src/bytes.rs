//! Byte strings of numbers: big endian, two's complement if signed, the shortest that holds the number (§8.4).

use num_bigint::BigUint;

/// Canonical byte string of a value of `width` bits.
pub fn encode(value: &BigUint, width: u32, signed: bool) -> Vec<u8> {
    let negative = signed && width > 0 && value.bit(u64::from(width) - 1);
    if !negative {
        let mut bytes = value.to_bytes_be();
        // The highest bit of a signed number is its sign.
        if signed && bytes[0] & 0x80 != 0 {
            bytes.insert(0, 0);
        }
        return bytes;
    }
    let magnitude = (BigUint::from(1u8) << width) - value;
    let mut length: usize = 1;
    while magnitude > (BigUint::from(1u8) << (8 * length - 1)) {
        length += 1;
    }
    let mut bytes = ((BigUint::from(1u8) << (8 * length)) - magnitude).to_bytes_be();
    while bytes.len() < length {
        bytes.insert(0, 0);
    }
    bytes
}

/// Value of `width` bits of a byte string of any length; `None` if the string is empty or the number does not fit.
pub fn decode(bytes: &[u8], width: u32, signed: bool) -> Option<BigUint> {
    let first = bytes.first()?;
    let value = BigUint::from_bytes_be(bytes);
    if signed && width > 0 && first & 0x80 != 0 {
        let magnitude = (BigUint::from(1u8) << (8 * bytes.len())) - value;
        return (magnitude <= (BigUint::from(1u8) << (width - 1)))
            .then(|| (BigUint::from(1u8) << width) - magnitude);
    }
    let bits = if signed { width.saturating_sub(1) } else { width };
    // A value of no bits is written as one zero byte.
    (value.bits() <= u64::from(bits)).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], width: u32, signed: bool) -> Option<u64> {
        decode(bytes, width, signed).map(|value| u64::try_from(value).unwrap())
    }

    /// The valid encodings of the specification's table in §8.4, with their symmetric forms.
    #[test]
    fn byte_strings_are_read_in_any_length_and_written_in_the_shortest() {
        type Row = (&'static [u8], u32, bool, u64, &'static [u8]);
        let rows: [Row; 10] = [
            (&[0x63], 8, false, 99, &[0x63]),
            (&[0x00, 0x63], 16, false, 99, &[0x63]),
            (&[0x30, 0x64], 16, false, 12_388, &[0x30, 0x64]),
            (&[0x00, 0x00, 0x63], 12, false, 99, &[0x63]),
            (&[0x63], 8, true, 99, &[0x63]),
            (&[0x9d], 8, true, 0x9d, &[0x9d]),
            (&[0xff, 0x9d], 8, true, 0x9d, &[0x9d]),
            (&[0xfd, 0x1d], 12, true, 0xd1d, &[0xfd, 0x1d]),
            (&[0x00, 0x00], 16, true, 0, &[0x00]),
            (&[0x00, 0x80], 16, true, 128, &[0x00, 0x80]),
        ];
        for (bytes, width, signed, value, canonical) in rows {
            assert_eq!(read(bytes, width, signed), Some(value), "{bytes:x?}");
            assert_eq!(encode(&BigUint::from(value), width, signed), canonical, "{bytes:x?}");
        }
        assert_eq!(encode(&BigUint::from(0x8000u32), 16, true), [0x80, 0x00]);
    }

    /// The invalid encodings of the same section.
    #[test]
    fn a_byte_string_that_is_empty_or_too_large_is_refused() {
        let rows: [(&[u8], u32, bool); 9] = [
            (&[0x01, 0x63], 8, false),
            (&[], 8, false),
            (&[0x01, 0x00, 0x63], 16, false),
            (&[0x10, 0x63], 12, false),
            (&[0x01, 0x00, 0x63], 12, false),
            (&[0x00, 0x40, 0x63], 12, false),
            (&[0x00, 0x9d], 8, true),
            (&[0x8d, 0x1d], 12, true),
            (&[], 16, true),
        ];
        for (bytes, width, signed) in rows {
            assert_eq!(decode(bytes, width, signed), None, "{bytes:x?}");
        }
    }
}

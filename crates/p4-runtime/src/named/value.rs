//! Numbers as text: `0x1f`, or `-0x1` for a signed number.

use num_bigint::BigUint;

use crate::fault::{Fault, invalid};

/// P4Runtime's byte string of a number.
///
/// # Errors
/// If the text is no hexadecimal number.
pub fn to_bytes(text: &str) -> Result<Vec<u8>, Fault> {
    let wrong = || invalid(format!("a value must be a hexadecimal number such as 0x1f, got `{text}`"));
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let digits = digits.strip_prefix("0x").ok_or_else(wrong)?;
    let magnitude = BigUint::parse_bytes(digits.as_bytes(), 16).ok_or_else(wrong)?;
    let mut bytes = match negative && magnitude > BigUint::default() {
        false => magnitude.to_bytes_be(),
        true => {
            // Two's complement, in one byte more than needed: readers take any length.
            let bits = 8 * (magnitude.to_bytes_be().len() + 1);
            return Ok(((BigUint::from(1u8) << bits) - magnitude).to_bytes_be());
        }
    };
    // The highest bit of a signed number is its sign.
    if bytes[0] & 0x80 != 0 {
        bytes.insert(0, 0);
    }
    Ok(bytes)
}

/// The text of a byte string, as an unsigned number.
pub fn to_text(bytes: &[u8]) -> String {
    format!("{:#x}", BigUint::from_bytes_be(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_width_and_sign_become_byte_strings() {
        assert_eq!(to_bytes("0x0").unwrap(), [0]);
        assert_eq!(to_bytes("0x80").unwrap(), [0, 0x80]);
        assert_eq!(to_bytes("0x20010db8000000000000000000000001").unwrap().len(), 16);
        assert_eq!(to_bytes("-0x1").unwrap(), [0xff, 0xff]);
        assert_eq!(crate::bytes::decode(&to_bytes("-0x80").unwrap(), 8, true), Some(BigUint::from(0x80u8)));
        assert!(to_bytes("12").is_err() && to_bytes("0x").is_err() && to_bytes("0xg").is_err());
        assert_eq!(to_text(&[0, 0x1f]), "0x1f");
    }
}

//! Numbers with wildcard digits.

use num_bigint::BigUint;
use num_traits::Zero;

/// Maximum number of digits: enough for any field of a packet, and fast to parse.
const MAX_DIGITS: usize = 4096;

/// `42`, `0x1f*`, `0b10**`, `0o17`, `-3`, `10.0.0.1`, `true`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Number {
    /// Value, with zeros for `*`.
    pub value: BigUint,
    /// Whether the number has a minus sign.
    pub negative: bool,
    /// Number of bits of the written digits; `None` for decimal numbers.
    pub bits: Option<u32>,
    /// Mask of the `*` digits.
    pub any: BigUint,
}

impl Number {
    /// Parses a number.
    ///
    /// # Errors
    /// If the text is not a number.
    pub fn parse(text: &str) -> Result<Number, String> {
        if text.len() > MAX_DIGITS {
            return Err(format!("a number must have at most {MAX_DIGITS} digits"));
        }
        match text {
            "true" => return Ok(Number::plain(BigUint::from(1u8))),
            "false" => return Ok(Number::plain(BigUint::zero())),
            _ => {}
        }
        let lower = text.to_ascii_lowercase();
        for (prefix, digit_bits) in [("0x", 4), ("0b", 1), ("0o", 3)] {
            if let Some(digits) = lower.strip_prefix(prefix) {
                return Number::of_digits(digits, digit_bits, text);
            }
        }
        if let Some(address) = dotted(text) {
            return Ok(Number { bits: Some(32), ..Number::plain(BigUint::from(address)) });
        }
        let (negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text),
        };
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            let hint = if text.contains('*') {
                ": `*` is allowed only in hex (0x) and binary (0b) numbers"
            } else {
                ""
            };
            return Err(format!("invalid number `{text}`{hint}"));
        }
        let value = BigUint::parse_bytes(digits.as_bytes(), 10).unwrap_or_default();
        Ok(Number { negative: negative && !value.is_zero(), ..Number::plain(value) })
    }

    fn plain(value: BigUint) -> Number {
        Number { value, negative: false, bits: None, any: BigUint::zero() }
    }

    fn of_digits(digits: &str, digit_bits: u32, text: &str) -> Result<Number, String> {
        let digits: Vec<u8> = digits.bytes().filter(|digit| *digit != b'_').collect();
        if digits.is_empty() {
            return Err(format!("number `{text}` has no digits"));
        }
        let (mut values, mut anys) = (Vec::new(), Vec::new());
        let radix = 1 << digit_bits;
        for digit in &digits {
            let (value, any) = match digit {
                b'*' => (0, radix as u8 - 1),
                digit => match char::from(*digit).to_digit(radix) {
                    Some(value) => (value as u8, 0),
                    None => return Err(format!("invalid digit `{}` in `{text}`", char::from(*digit))),
                },
            };
            values.push(value);
            anys.push(any);
        }
        Ok(Number {
            value: BigUint::from_radix_be(&values, radix).unwrap_or_default(),
            negative: false,
            bits: Some(digits.len() as u32 * digit_bits),
            any: BigUint::from_radix_be(&anys, radix).unwrap_or_default(),
        })
    }

    /// Whether the number has no `*`.
    pub fn is_whole(&self) -> bool {
        self.any.is_zero()
    }

    /// Bit pattern of a given width. Bits above the width are truncated up to the end of its last byte, as in BMv2.
    ///
    /// # Errors
    /// If the number does not fit, or has `*`.
    pub fn to_pattern(&self, width: u32) -> Result<BigUint, String> {
        if !self.is_whole() {
            return Err("`*` is allowed only in ternary and lpm keys".to_owned());
        }
        if self.value.bits() > u64::from(width.div_ceil(8) * 8) {
            return Err(format!("the value must fit in {width} bits, got {}", self.value));
        }
        if self.negative {
            let modulus = BigUint::from(1u8) << width;
            if self.value > &modulus >> 1u8 {
                return Err(format!("the value must fit in {width} bits, got -{}", self.value));
            }
            return Ok((&modulus - &self.value) & ones(width));
        }
        Ok(&self.value & ones(width))
    }

    /// Converts to a count or index.
    ///
    /// # Errors
    /// If the number is negative, has `*`, or is too large.
    pub fn to_u32(&self) -> Result<u32, String> {
        let known = self.is_whole() && !self.negative;
        known
            .then(|| u32::try_from(&self.value).ok())
            .flatten()
            .ok_or_else(|| "expected a number below 2^32".to_owned())
    }
}

/// A number of `width` ones.
pub(super) fn ones(width: u32) -> BigUint {
    (BigUint::from(1u8) << width) - 1u8
}

/// Parses an IPv4 address.
fn dotted(text: &str) -> Option<u32> {
    text.parse::<std::net::Ipv4Addr>().ok().map(u32::from)
}

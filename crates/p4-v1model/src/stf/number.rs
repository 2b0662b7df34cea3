//! Numbers with digits that may be anything.

use num_bigint::BigUint;
use num_traits::Zero;

/// The most digits: more than any field of a packet needs, and few enough that reading them takes no time.
const MOST_DIGITS: usize = 4096;

/// `42`, `0x1f*`, `0b10**`, `0o17`, `-3`, `10.0.0.1`, `true`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Number {
    /// Its value, with zeros for `*`.
    pub value: BigUint,
    /// Whether it has a minus sign.
    pub negative: bool,
    /// The bits of the digits that were written; `None` for decimal numbers.
    pub bits: Option<u32>,
    /// The `*` among them, as ones.
    pub any: BigUint,
}

impl Number {
    /// Reads a number.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Number, String> {
        if text.len() > MOST_DIGITS {
            return Err(format!("a number has at most {MOST_DIGITS} digits"));
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
            let hint =
                if text.contains('*') { ": `*` stands in hex (0x) and binary (0b) numbers" } else { "" };
            return Err(format!("`{text}` is no number{hint}"));
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
            return Err(format!("`{text}` has no digits"));
        }
        let (mut values, mut anys) = (Vec::new(), Vec::new());
        let radix = 1 << digit_bits;
        for digit in &digits {
            let (value, any) = match digit {
                b'*' => (0, radix as u8 - 1),
                digit => match char::from(*digit).to_digit(radix) {
                    Some(value) => (value as u8, 0),
                    None => return Err(format!("`{}` in `{text}` is no digit", char::from(*digit))),
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

    /// Whether every digit is known.
    pub fn is_whole(&self) -> bool {
        self.any.is_zero()
    }

    /// As a bit pattern of that width. Bits above the width may be set up to the end of its last byte, as BMv2 takes
    /// them; they are cut off.
    ///
    /// # Errors
    /// If it needs more, or has `*`.
    pub fn to_pattern(&self, width: u32) -> Result<BigUint, String> {
        if !self.is_whole() {
            return Err("`*` stands only where not all bits are compared: in ternary and lpm keys".to_owned());
        }
        if self.value.bits() > u64::from(width.div_ceil(8) * 8) {
            return Err(format!("{} does not fit in {width} bits", self.value));
        }
        if self.negative {
            let modulus = BigUint::from(1u8) << width;
            if self.value > &modulus >> 1u8 {
                return Err(format!("-{} does not fit in {width} bits", self.value));
            }
            return Ok((&modulus - &self.value) & ones(width));
        }
        Ok(&self.value & ones(width))
    }

    /// As a value that counts something.
    ///
    /// # Errors
    /// If it is none, or too large.
    pub fn to_u32(&self) -> Result<u32, String> {
        let known = self.is_whole() && !self.negative;
        known
            .then(|| u32::try_from(&self.value).ok())
            .flatten()
            .ok_or_else(|| "not a number below 2^32".to_owned())
    }
}

/// So many ones.
pub(super) fn ones(width: u32) -> BigUint {
    (BigUint::from(1u8) << width) - 1u8
}

/// An IPv4 address.
fn dotted(text: &str) -> Option<u32> {
    text.parse::<std::net::Ipv4Addr>().ok().map(u32::from)
}

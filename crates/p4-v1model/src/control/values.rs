//! Values in the syntax of `simple_switch_CLI`.

use std::net::{Ipv4Addr, Ipv6Addr};

use num_bigint::BigUint;
use num_traits::{Num, Zero};

use jettison_p4_front::ir::{KeyMatch, MatchKind, Type, TypeId, Types};

/// Parses a value of a type: decimal, `0x…` or `0b…`, with a minus sign if the type is signed; `10.0.0.1` for 32 bits,
/// an IPv6 address for 128, `00:11:22:33:44:55` for 48; `true` and `false` for one bit.
///
/// # Errors
/// If the text is not a value or does not fit. The message states what is required.
pub fn parse_value(text: &str, ty: TypeId, types: &Types) -> Result<BigUint, String> {
    let width = types.bits(ty);
    let signed = matches!(types.get(ty), Type::Bits { signed: true, .. });
    let fits = |value: BigUint| {
        if value.bits() <= u64::from(width) {
            Ok(value)
        } else {
            Err(format!(
                "the value must fit in {width} bit{}, got `{text}`",
                if width == 1 { "" } else { "s" }
            ))
        }
    };
    match text {
        "true" if width == 1 => return Ok(BigUint::from(1u8)),
        "false" if width == 1 => return Ok(BigUint::zero()),
        _ => {}
    }
    if text.contains('.')
        && let Ok(address) = text.parse::<Ipv4Addr>()
    {
        return right_width(text, "an IPv4 address", 32, width).map(|()| BigUint::from(address.to_bits()));
    }
    if let Some(bytes) = hardware_address(text) {
        return right_width(text, "a hardware address", 48, width).map(|()| BigUint::from_bytes_be(&bytes));
    }
    if text.contains(':')
        && let Ok(address) = text.parse::<Ipv6Addr>()
    {
        return right_width(text, "an IPv6 address", 128, width).map(|()| BigUint::from(address.to_bits()));
    }
    if let Some(positive) = text.strip_prefix('-') {
        if !signed {
            return Err(format!("the value of an unsigned type must be >= 0, got `{text}`"));
        }
        let value = number(positive).ok_or_else(|| not_a_number(text))?;
        let half = BigUint::from(1u8) << width.saturating_sub(1);
        if value > half {
            return Err(format!("the value must fit in `int<{width}>`, got `{text}`"));
        }
        return Ok(((BigUint::from(1u8) << width) - value) % (BigUint::from(1u8) << width));
    }
    fits(number(text).ok_or_else(|| not_a_number(text))?)
}

fn right_width(text: &str, kind_name: &str, bits: u32, width: u32) -> Result<(), String> {
    if bits == width {
        return Ok(());
    }
    Err(format!("the value must have {width} bits, but {kind_name} has {bits}: `{text}`"))
}

fn not_a_number(text: &str) -> String {
    format!("invalid value `{text}`: write a number such as 10 or 0x0a, or an address such as 10.0.0.1")
}

/// Parses a number without a sign.
fn number(text: &str) -> Option<BigUint> {
    let (digits, radix) = match text.get(..2) {
        Some("0x" | "0X") => (&text[2..], 16),
        Some("0b" | "0B") => (&text[2..], 2),
        _ => (text, 10),
    };
    // Underscores between digits are part of P4's syntax; a sign here would be a second one.
    let first_is_digit = digits.chars().next().is_some_and(|first| first.is_digit(radix));
    if !first_is_digit || digits.len() > 4096 {
        return None;
    }
    BigUint::from_str_radix(digits, radix).ok()
}

fn hardware_address(text: &str) -> Option<[u8; 6]> {
    let mut bytes = [0; 6];
    let mut parts = text.split(':');
    for byte in &mut bytes {
        let part = parts.next()?;
        if !(1..=2).contains(&part.len()) || part.starts_with('+') {
            return None;
        }
        *byte = u8::from_str_radix(part, 16).ok()?;
    }
    parts.next().is_none().then_some(bytes)
}

/// Parses a match criterion: `value`, `value/length` for an `lpm` key, `value&&&mask` for a `ternary` or `optional`
/// key, `low->high` for a `range` key; `*` for any value.
///
/// # Errors
/// If the text is not a criterion for this kind. The message states what is required.
pub fn key_match(text: &str, kind: MatchKind, ty: TypeId, types: &Types) -> Result<KeyMatch, String> {
    let value = |text: &str| parse_value(text, ty, types);
    let width = types.bits(ty);
    let full = || (BigUint::from(1u8) << width) - 1u8;
    let any = matches!(text, "*" | "_");
    match kind {
        MatchKind::Exact => value(text).map(KeyMatch::Exact),
        MatchKind::Lpm if any => Ok(KeyMatch::Lpm(BigUint::zero(), 0)),
        MatchKind::Lpm => match text.rsplit_once('/') {
            None => Ok(KeyMatch::Lpm(value(text)?, width)),
            Some((prefix, length)) => {
                let right = length.bytes().all(|byte| byte.is_ascii_digit());
                let length = length.parse::<u32>().ok().filter(|length| right && *length <= width);
                let length = length
                    .ok_or_else(|| format!("the prefix length must be from 0 to {width}, got `{text}`"))?;
                Ok(KeyMatch::Lpm(value(prefix)?, length))
            }
        },
        MatchKind::Ternary | MatchKind::Optional if any => Ok(KeyMatch::Any),
        MatchKind::Ternary => match text.split_once("&&&") {
            None => Ok(KeyMatch::Ternary(value(text)?, full())),
            Some((wanted, mask)) => Ok(KeyMatch::Ternary(value(wanted)?, value(mask)?)),
        },
        MatchKind::Optional => match text.split_once("&&&") {
            None => value(text).map(KeyMatch::Exact),
            Some((wanted, mask)) => match value(mask)? {
                mask if mask.is_zero() => Ok(KeyMatch::Any),
                mask if mask == full() => value(wanted).map(KeyMatch::Exact),
                _ => Err(format!("the mask of an optional key must be 0 or all ones, got `{text}`")),
            },
        },
        MatchKind::Range if any => Ok(KeyMatch::Any),
        MatchKind::Range => match text.split_once("->").or_else(|| text.split_once("..")) {
            None => value(text).map(|value| KeyMatch::Range(value.clone(), value)),
            Some((low, high)) => Ok(KeyMatch::Range(value(low)?, value(high)?)),
        },
        MatchKind::Selector => Err("selector keys are not part of entries".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str, width: u32, signed: bool) -> Result<u128, String> {
        let mut types = Types::default();
        let ty = types.add(Type::Bits { width, signed });
        parse_value(text, ty, &types).map(|value| u128::try_from(value).expect("a test's value is small"))
    }

    fn key(text: &str, kind: MatchKind, width: u32) -> Result<KeyMatch, String> {
        let mut types = Types::default();
        let ty = types.add(Type::Bits { width, signed: false });
        key_match(text, kind, ty, &types)
    }

    fn big(value: u32) -> BigUint {
        BigUint::from(value)
    }

    #[test]
    fn values_are_numbers_or_addresses_of_the_right_width() {
        assert_eq!(parse("10", 8, false), Ok(10));
        assert_eq!(parse("0xfF", 8, false), Ok(255));
        assert_eq!(parse("0b101", 3, false), Ok(5));
        assert_eq!(parse("10.1.2.3", 32, false), Ok(0x0a01_0203));
        assert_eq!(parse("00:12:34:56:78:9a", 48, false), Ok(0x0012_3456_789a));
        assert_eq!(parse("1080::8:800:200C:417A", 128, false), Ok(0x1080_0000_0000_0000_0008_0800_200c_417a));
        assert_eq!((parse("true", 1, false), parse("0", 1, false)), (Ok(1), Ok(0)));
    }

    #[test]
    fn a_value_that_does_not_fit_is_rejected() {
        for (text, width) in [
            ("256", 8),
            ("10.0.0.1", 16),
            ("0:0:0:0:0:1", 32),
            ("::1", 48),
            ("", 8),
            ("0x", 8),
            ("1.5", 8),
            ("+1", 8),
            ("x", 8),
        ] {
            assert!(parse(text, width, false).is_err(), "{text}");
        }
    }

    #[test]
    fn a_negative_value_is_twos_complement_of_a_signed_type() {
        assert_eq!(parse("-1", 8, true), Ok(255));
        assert_eq!(parse("-128", 8, true), Ok(128));
        assert_eq!(parse("-0", 8, true), Ok(0));
        assert!(
            parse("-129", 8, true).is_err()
                && parse("-1", 8, false).is_err()
                && parse("--1", 8, true).is_err()
        );
    }

    #[test]
    fn keys_have_the_syntax_of_their_kind() {
        assert_eq!(key("10.0.0.0/8", MatchKind::Lpm, 32), Ok(KeyMatch::Lpm(big(0x0a00_0000), 8)));
        assert_eq!(key("0x0f&&&0xff", MatchKind::Ternary, 8), Ok(KeyMatch::Ternary(big(15), big(255))));
        assert_eq!(key("7", MatchKind::Ternary, 8), Ok(KeyMatch::Ternary(big(7), big(255))));
        assert_eq!(key("1->9", MatchKind::Range, 8), Ok(KeyMatch::Range(big(1), big(9))));
        assert_eq!(key("5&&&0xff", MatchKind::Optional, 8), Ok(KeyMatch::Exact(big(5))));
        assert_eq!(key("5&&&0", MatchKind::Optional, 8), Ok(KeyMatch::Any));
        assert_eq!(key("*", MatchKind::Range, 8), Ok(KeyMatch::Any));
        for (text, kind) in [
            ("1/9", MatchKind::Lpm),
            ("1/+3", MatchKind::Lpm),
            ("*", MatchKind::Exact),
            ("5&&&3", MatchKind::Optional),
        ] {
            assert!(key(text, kind, 8).is_err(), "{text}");
        }
    }
}

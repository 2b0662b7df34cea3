//! Exact parsing of `"<number> <unit>"`, without binary fractions.

#![allow(missing_docs)] // the messages of UnitError name its fields

use thiserror::Error;

/// A quantity that cannot be read. The message says what is required.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum UnitError {
    /// The number is missing or not a plain decimal.
    #[error("`{text}` is not a {quantity}; write a number and a unit, such as \"{example}\"")]
    NotANumber { text: String, quantity: &'static str, example: &'static str },
    /// The unit is missing.
    #[error("`{text}` has no unit; write one of {units}, such as \"{example}\"")]
    NoUnit { text: String, units: String, example: &'static str },
    /// The unit belongs to another quantity, or does not exist.
    #[error("`{unit}` is not a unit of a {quantity}; use one of {units}")]
    WrongUnit { unit: String, quantity: &'static str, units: String },
    /// The value is negative, not a share, or exceeds 64 bits.
    #[error("must be {range}, got `{text}`")]
    OutOfRange { text: String, range: String },
    /// The value is not a whole number of base units.
    #[error("`{text}` is finer than {base}, the resolution of a {quantity}")]
    TooFine { text: String, quantity: &'static str, base: &'static str },
}

/// Reads `"<decimal> <unit>"` into whole base units.
///
/// `units` lists each accepted unit with its size in base units. A fraction such as `"1.5 ms"` is either exact or an
/// error ([`UnitError::TooFine`]); there is no silent rounding.
pub fn parse_quantity(
    text: &str,
    quantity: &'static str,
    example: &'static str,
    base: &'static str,
    units: &[(&str, u64)],
) -> Result<u64, UnitError> {
    let not_a_number = || UnitError::NotANumber { text: text.to_owned(), quantity, example };
    let list = || units.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    let trimmed = text.trim();
    // The unit begins at the first character that cannot belong to a number.
    let split = trimmed
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '_' | ',' | '-' | '+')))
        .unwrap_or(trimmed.len());
    let (number, unit) = (trimmed[..split].trim(), trimmed[split..].trim());
    if number.starts_with('-') {
        return Err(UnitError::OutOfRange { text: text.to_owned(), range: ">= 0".to_owned() });
    }
    // Digit separators are allowed: 1_000 or 1,000.
    let number: String = number.chars().filter(|c| *c != '_' && *c != ',').collect();
    let (whole, fraction) = number.split_once('.').unwrap_or((&number, ""));
    let digits = |s: &str| s.chars().all(|c| c.is_ascii_digit());
    if (whole.is_empty() && fraction.is_empty()) || !digits(whole) || !digits(fraction) {
        return Err(not_a_number());
    }
    if unit.is_empty() {
        return Err(UnitError::NoUnit { text: text.to_owned(), units: list(), example });
    }
    let Some((_, worth)) = units.iter().find(|(name, _)| *name == unit) else {
        return Err(UnitError::WrongUnit { unit: unit.to_owned(), quantity, units: list() });
    };
    let out_of_range = || {
        let range = format!("<= {} {unit}", u64::MAX / worth);
        UnitError::OutOfRange { text: text.to_owned(), range }
    };
    // 128 bits hold every valid value, so an overflow means out of range.
    let whole: u128 = if whole.is_empty() { 0 } else { whole.parse().map_err(|_| out_of_range())? };
    let mut value = whole.checked_mul(u128::from(*worth)).ok_or_else(out_of_range)?;
    let fraction = fraction.trim_end_matches('0');
    if !fraction.is_empty() {
        // More decimals than any unit resolves; the limit also keeps the scale within 128 bits.
        if fraction.len() > 18 {
            return Err(UnitError::TooFine { text: text.to_owned(), quantity, base });
        }
        let numerator: u128 = fraction.parse().map_err(|_| not_a_number())?;
        let scale = 10u128.pow(fraction.len() as u32);
        let product = numerator * u128::from(*worth);
        if !product.is_multiple_of(scale) {
            return Err(UnitError::TooFine { text: text.to_owned(), quantity, base });
        }
        value = value.checked_add(product / scale).ok_or_else(out_of_range)?;
    }
    u64::try_from(value).map_err(|_| out_of_range())
}

/// Reads a share (a fraction of 1): `"0.5 %"` or a plain `"0.005"`.
pub fn parse_share(text: &str) -> Result<f64, UnitError> {
    let error = || UnitError::NotANumber { text: text.to_owned(), quantity: "share", example: "0.5 %" };
    let trimmed = text.trim();
    let (number, scale) = match trimmed.strip_suffix('%') {
        Some(number) => (number.trim(), 100.0),
        None => (trimmed, 1.0),
    };
    let value: f64 = number.parse().map_err(|_| error())?;
    let share = value / scale;
    if !(0.0..=1.0).contains(&share) {
        return Err(UnitError::OutOfRange { text: text.to_owned(), range: "in [0, 1]".to_owned() });
    }
    Ok(share)
}

/// Prints `value` in the largest unit that needs at most three decimals, or exactly in the base unit.
pub(crate) fn print_quantity(
    f: &mut std::fmt::Formatter<'_>,
    value: u64,
    units: &[(&str, u64)],
) -> std::fmt::Result {
    // Units are sorted ascending; the limit of three decimals keeps the text short and exact.
    for (name, worth) in units.iter().rev() {
        if value >= *worth && (u128::from(value) * 1000).is_multiple_of(u128::from(*worth)) {
            let thousandths = u128::from(value) * 1000 / u128::from(*worth);
            let (whole, rest) = (thousandths / 1000, thousandths % 1000);
            return if rest == 0 {
                write!(f, "{whole} {name}")
            } else {
                let fraction = format!("{rest:03}");
                write!(f, "{whole}.{} {name}", fraction.trim_end_matches('0'))
            };
        }
    }
    write!(f, "{value} {}", units[0].0)
}

#[cfg(test)]
mod tests {
    use crate::units::{Bytes, Duration, Rate};

    #[test]
    fn reads_fractions_exactly() {
        assert_eq!("1.5 ms".parse(), Ok(Duration::from_micros(1500)));
        assert_eq!("0.1 Mbit/s".parse(), Ok(Rate::from_kbit(100)));
        assert_eq!("10s".parse(), Ok(Duration::from_secs(10)));
        assert_eq!("1_000 bytes".parse(), Ok(Bytes::new(1000)));
    }

    #[test]
    fn rejects_ambiguous_input() {
        let duration = |text: &str| text.parse::<Duration>().unwrap_err().to_string();
        assert!(duration("10").contains("has no unit"));
        assert!(duration("10 Mbit/s").contains("not a unit of a duration"));
        assert_eq!(duration("-1 s"), "must be >= 0, got `-1 s`");
        assert!(duration("0.5 ns").contains("finer than"));
        assert!(duration("soon").contains("is not a duration"));
        assert_eq!(
            duration("99999999999999999999 s"),
            "must be <= 18446744073 s, got `99999999999999999999 s`"
        );
    }

    #[test]
    fn prints_what_it_reads() {
        for text in ["5 ms", "1.5 ms", "60 s", "33 ms", "20 us", "1 ns", "0 s"] {
            assert_eq!(text.parse::<Duration>().unwrap().to_string(), text);
        }
        for text in ["10 Mbit/s", "1.5 Gbit/s", "980 kbit/s", "1 bit/s"] {
            assert_eq!(text.parse::<Rate>().unwrap().to_string(), text);
        }
    }

    proptest::proptest! {
        #[test]
        fn every_duration_survives_its_own_text(nanos: u64) {
            let text = Duration::from_nanos(nanos).to_string();
            proptest::prop_assert_eq!(text.parse(), Ok(Duration::from_nanos(nanos)));
        }
    }
}

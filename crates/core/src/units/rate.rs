//! Rates in bits per second.

use std::fmt;
use std::str::FromStr;

use super::parse::{UnitError, parse_quantity, print_quantity};
use super::{Bytes, Duration, unit_as_string};

const UNITS: &[(&str, u64)] = &[
    ("bit/s", 1),
    ("kbit/s", 1_000),
    ("Mbit/s", 1_000_000),
    ("Gbit/s", 1_000_000_000),
    ("Tbit/s", 1_000_000_000_000),
];

/// A rate in whole bits per second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Rate(u64);

impl Rate {
    /// A rate of zero.
    pub const ZERO: Rate = Rate(0);

    /// `bits` bit/s.
    pub const fn from_bits(bits: u64) -> Rate {
        Rate(bits)
    }
    /// `kbit` kbit/s (1,000 bit/s each).
    pub const fn from_kbit(kbit: u64) -> Rate {
        Rate(kbit * 1_000)
    }
    /// `mbit` Mbit/s (1,000,000 bit/s each).
    pub const fn from_mbit(mbit: u64) -> Rate {
        Rate(mbit * 1_000_000)
    }
    /// In bits per second.
    pub const fn as_bits(self) -> u64 {
        self.0
    }
    /// In megabits per second.
    pub fn as_mbit_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }
    /// Whether the rate is zero.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }
    /// The rate at which `bytes` take `over`; zero if `over` is zero.
    pub fn of(bytes: Bytes, over: Duration) -> Rate {
        if over.is_zero() {
            return Rate::ZERO;
        }
        let bits = u128::from(bytes.get()) * 8 * 1_000_000_000 / u128::from(over.as_nanos());
        Rate(u64::try_from(bits).unwrap_or(u64::MAX))
    }
    /// Serialisation time of `bytes` at this rate, rounded up to a nanosecond; [`Duration::MAX`] at rate zero.
    pub fn time_for(self, bytes: Bytes) -> Duration {
        if self.0 == 0 {
            return Duration::MAX;
        }
        let bit_nanos = u128::from(bytes.get()) * 8 * 1_000_000_000;
        Duration::from_nanos(u64::try_from(bit_nanos.div_ceil(u128::from(self.0))).unwrap_or(u64::MAX))
    }
    /// Whole bytes carried at this rate in `span`, rounded down.
    pub fn bytes_in(self, span: Duration) -> Bytes {
        let bytes = u128::from(self.0) * u128::from(span.as_nanos()) / 8_000_000_000;
        Bytes::new(u64::try_from(bytes).unwrap_or(u64::MAX))
    }
    /// This rate times `factor`, rounded to the nearest bit per second.
    pub fn mul_f64(self, factor: f64) -> Rate {
        Rate(libm::round(self.0 as f64 * factor) as u64)
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print_quantity(f, self.0, UNITS)
    }
}
impl FromStr for Rate {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Rate, UnitError> {
        parse_quantity(text, "rate", "10 Mbit/s", "1 bit/s", UNITS).map(Rate)
    }
}
unit_as_string!(Rate, "rate", r"^\s*[0-9][0-9_,]*(\.[0-9]+)?\s*(bit|kbit|Mbit|Gbit|Tbit)/s\s*$", "10 Mbit/s");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serialisation_time_rounds_up() {
        assert_eq!(Rate::from_mbit(10).time_for(Bytes::new(1514)), Duration::from_nanos(1_211_200));
        assert_eq!(Rate::from_bits(3).time_for(Bytes::new(1)), Duration::from_nanos(2_666_666_667));
        assert_eq!(Rate::ZERO.time_for(Bytes::new(1)), Duration::MAX);
    }

    #[test]
    fn rate_of_bytes_over_time() {
        assert_eq!(Rate::of(Bytes::new(1250), Duration::from_millis(1)), Rate::from_mbit(10));
        assert_eq!(Rate::from_mbit(10).bytes_in(Duration::from_millis(1)), Bytes::new(1250));
    }
}

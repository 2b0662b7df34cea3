//! Sizes in bytes.

use std::fmt;
use std::ops::{Add, AddAssign, Sub};
use std::str::FromStr;

use super::parse::{UnitError, parse_quantity, print_quantity};
use super::unit_as_string;

const UNITS: &[(&str, u64)] = &[
    ("bytes", 1),
    ("byte", 1),
    ("B", 1),
    ("kB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
];
const BINARY: &[(&str, u64)] = &[("bytes", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)];
const PRINTED: &[(&str, u64)] = &[("bytes", 1), ("kB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000)];

/// A size in whole bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bytes(u64);

impl Bytes {
    /// Zero bytes.
    pub const ZERO: Bytes = Bytes(0);
    /// `bytes` bytes.
    pub const fn new(bytes: u64) -> Bytes {
        Bytes(bytes)
    }
    /// The number of bytes.
    pub const fn get(self) -> u64 {
        self.0
    }
    /// This minus `other`, at least zero.
    pub const fn saturating_sub(self, other: Bytes) -> Bytes {
        Bytes(self.0.saturating_sub(other.0))
    }
}

impl Add for Bytes {
    type Output = Bytes;
    fn add(self, other: Bytes) -> Bytes {
        Bytes(self.0 + other.0)
    }
}
impl AddAssign for Bytes {
    fn add_assign(&mut self, other: Bytes) {
        self.0 += other.0;
    }
}
impl Sub for Bytes {
    type Output = Bytes;
    fn sub(self, other: Bytes) -> Bytes {
        Bytes(self.0 - other.0)
    }
}
impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Multiples of 1,024 read better in binary units: 6 MiB, not 6291.456 kB.
        let is_binary = self.0.is_multiple_of(1024) && !self.0.is_multiple_of(1000);
        print_quantity(f, self.0, if is_binary { BINARY } else { PRINTED })
    }
}
impl FromStr for Bytes {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Bytes, UnitError> {
        parse_quantity(text, "size", "1500 bytes", "1 byte", UNITS).map(Bytes)
    }
}
unit_as_string!(
    Bytes,
    "size",
    r"^\s*[0-9][0-9_,]*(\.[0-9]+)?\s*(bytes?|B|kB|MB|GB|KiB|MiB|GiB)\s*$",
    "1500 bytes"
);

//! Differentiated-services code points.

use std::fmt;
use std::str::FromStr;

use crate::written::written_as_string;

/// A differentiated-services code point (RFC 2474): six bits, written as a number (`"46"`) or by its name (`"EF"`,
/// `"AF41"`, `"CS5"`, `"NQB"`, `"default"`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dscp(u8);

impl Dscp {
    /// Expedited forwarding (RFC 3246 §2.7).
    pub const EF: Dscp = Dscp(46);
    /// Non-queue-building (draft-ietf-tsvwg-nqb-33, published as RFC 9956): smooth, low-rate traffic.
    pub const NQB: Dscp = Dscp(45);

    /// The code point with this number; `None` if it exceeds six bits.
    pub const fn new(value: u8) -> Option<Dscp> {
        if value < 64 { Some(Dscp(value)) } else { None }
    }
    /// The number.
    pub const fn get(self) -> u8 {
        self.0
    }
}

impl fmt::Display for Dscp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (class, rest) = (self.0 >> 3, self.0 & 7);
        match (class, rest) {
            (0, 0) => f.write_str("default"),
            _ if *self == Dscp::EF => f.write_str("EF"),
            _ if *self == Dscp::NQB => f.write_str("NQB"),
            (_, 0) => write!(f, "CS{class}"),
            (1..=4, 2 | 4 | 6) => write!(f, "AF{class}{}", rest / 2),
            _ => write!(f, "{}", self.0),
        }
    }
}

impl FromStr for Dscp {
    type Err = String;
    fn from_str(text: &str) -> Result<Dscp, String> {
        let error =
            || format!("`{text}` is not a DSCP; write 0 to 63, EF, NQB, CS0 to CS7, AF11 to AF43 or default");
        let upper = text.trim().to_ascii_uppercase();
        let digits = |tail: &str| tail.bytes().map(|b| b.wrapping_sub(b'0')).collect::<Vec<u8>>();
        let value = match upper.as_str() {
            "EF" => Some(46),
            "NQB" => Some(45),
            "DEFAULT" | "DF" | "BE" => Some(0),
            name => match (name.strip_prefix("CS").map(digits), name.strip_prefix("AF").map(digits)) {
                (Some(tail), _) => match tail[..] {
                    [class @ 0..=7] => Some(class << 3),
                    _ => None,
                },
                // RFC 2597 §6: class 1 to 4, drop precedence 1 to 3.
                (_, Some(tail)) => match tail[..] {
                    [class @ 1..=4, precedence @ 1..=3] => Some(class << 3 | precedence << 1),
                    _ => None,
                },
                _ => name.parse().ok(),
            },
        };
        value.and_then(Dscp::new).ok_or_else(error)
    }
}

written_as_string!(
    Dscp,
    "DSCP",
    "a DSCP: 0 to 63, EF, NQB, CS0 to CS7, AF11 to AF43 or default",
    "EF",
    "AF41",
    "46"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_rfcs() {
        for (text, value) in
            [("EF", 46), ("NQB", 45), ("AF41", 34), ("AF11", 10), ("cs6", 48), ("default", 0), ("63", 63)]
        {
            assert_eq!(text.parse::<Dscp>().map(Dscp::get), Ok(value), "{text}");
        }
        for text in ["64", "AF51", "AF14", "CS8", "CS", "AF", "-1", "", "EFG"] {
            assert!(text.parse::<Dscp>().is_err(), "{text}");
        }
    }

    #[test]
    fn every_code_point_survives_its_own_text() {
        for dscp in (0..64).filter_map(Dscp::new) {
            assert_eq!(dscp.to_string().parse(), Ok(dscp));
        }
    }
}

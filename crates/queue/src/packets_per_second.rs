//! Packet rates.

use std::fmt;
use std::str::FromStr;

use crate::written::written_as_string;

/// A service rate in packets per second, > 0. Written `"500 packets/s"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PacketsPerSecond(u64);

impl PacketsPerSecond {
    /// The maximum: one packet per nanosecond.
    const MAX: u64 = 1_000_000_000;

    /// Creates a rate of `packets` packets/s; `None` outside [1, 10⁹].
    pub fn new(packets: u64) -> Option<PacketsPerSecond> {
        (1..=PacketsPerSecond::MAX).contains(&packets).then_some(PacketsPerSecond(packets))
    }

    /// The rate in packets/s.
    #[inline]
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for PacketsPerSecond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} packet{}/s", self.0, if self.0 == 1 { "" } else { "s" })
    }
}

impl FromStr for PacketsPerSecond {
    type Err = String;
    fn from_str(text: &str) -> Result<PacketsPerSecond, String> {
        let error = || {
            format!(
                "`{text}` is not a packet rate; write an integer in [1, {}] and `packets/s`, such as \
                 \"500 packets/s\"",
                PacketsPerSecond::MAX
            )
        };
        let trimmed = text.trim();
        let number = trimmed.strip_suffix("packets/s").or_else(|| trimmed.strip_suffix("packet/s"));
        let digits: String =
            number.ok_or_else(error)?.trim().chars().filter(|c| *c != ',' && *c != '_').collect();
        let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
        let count = digits.parse().ok().filter(|_| plain);
        count.and_then(PacketsPerSecond::new).ok_or_else(error)
    }
}

written_as_string!(
    PacketsPerSecond,
    "packet rate",
    "a packet rate with its unit, such as \"500 packets/s\"",
    "500 packets/s"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_only_positive_integers_with_unit() {
        for (text, packets) in
            [("500 packets/s", 500), ("1packet/s", 1), (" 1,000_000 packets/s ", 1_000_000)]
        {
            assert_eq!(text.parse::<PacketsPerSecond>().map(PacketsPerSecond::get), Ok(packets), "{text}");
        }
        for text in [
            "500",
            "0 packets/s",
            "-1 packets/s",
            "+1 packets/s",
            "1.5 packets/s",
            "packets/s",
            "1000000001 packets/s",
            "99999999999999999999 packets/s",
            "500 pps",
        ] {
            assert!(text.parse::<PacketsPerSecond>().unwrap_err().contains("500 packets/s"), "{text}");
        }
        let rate = PacketsPerSecond::new(7).unwrap();
        assert_eq!(rate.to_string().parse(), Ok(rate));
        assert_eq!(PacketsPerSecond::new(1).unwrap().to_string(), "1 packet/s");
    }
}

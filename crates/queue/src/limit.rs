//! Buffer limits.

use std::fmt;
use std::str::FromStr;

use jettison_core::Bytes;

use crate::Backlog;
use crate::written::{parse_packets, print_packets, written_as_string};

/// A buffer limit in packets, bytes (IP length), or both, whichever is reached first.
///
/// Written `"64 packets"`, `"96 kB"`, `"100 packets, 150 kB"` or `"unlimited"`. The default, 1,000 packets, is the
/// transmit queue length that Linux gives an Ethernet device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// Limit in packets; `u64::MAX` for none.
    pub packets: u64,
    /// Limit in bytes; `u64::MAX` for none.
    pub bytes: u64,
}

impl Limit {
    /// No limit.
    pub const UNLIMITED: Limit = Limit { packets: u64::MAX, bytes: u64::MAX };

    /// A limit of `packets` packets of any size.
    pub const fn packets(packets: u64) -> Limit {
        Limit { packets, bytes: u64::MAX }
    }

    /// A limit of `bytes` bytes of IP length.
    pub const fn bytes(bytes: u64) -> Limit {
        Limit { packets: u64::MAX, bytes }
    }

    /// Whether a packet of `length` bytes fits in addition to `backlog`.
    #[inline]
    pub fn admits(&self, backlog: Backlog, length: u16) -> bool {
        backlog.packets < self.packets && backlog.bytes.saturating_add(u64::from(length)) <= self.bytes
    }
}

impl Default for Limit {
    fn default() -> Limit {
        Limit::packets(1000)
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.packets, self.bytes) {
            (u64::MAX, u64::MAX) => f.write_str("unlimited"),
            (packets, u64::MAX) => print_packets(f, packets),
            (u64::MAX, bytes) => Bytes::new(bytes).fmt(f),
            (packets, bytes) => {
                print_packets(f, packets)?;
                write!(f, ", {}", Bytes::new(bytes))
            }
        }
    }
}

impl FromStr for Limit {
    type Err = String;
    fn from_str(text: &str) -> Result<Limit, String> {
        if text.trim() == "unlimited" {
            return Ok(Limit::UNLIMITED);
        }
        let mut limit = Limit::UNLIMITED;
        for part in parts(text) {
            let (slot, value) = match parse_packets(part) {
                Some(packets) => (&mut limit.packets, packets?),
                None => (
                    &mut limit.bytes,
                    part.parse::<Bytes>().map_err(|error| not_a_limit(part, &error))?.get(),
                ),
            };
            if *slot != u64::MAX {
                return Err(format!(
                    "`{text}` sets the same limit twice; write packets, a size, or one of each"
                ));
            }
            if value == 0 {
                return Err(format!("must be at least 1 packet or 1 byte, got `{text}`"));
            }
            *slot = value;
        }
        Ok(limit)
    }
}

fn not_a_limit(part: &str, error: &jettison_core::UnitError) -> String {
    let part = part.trim();
    match part.chars().any(char::is_alphabetic) {
        true => format!("{error}, or packets (\"64 packets\")"),
        false => format!("`{part}` has no unit; write packets (\"64 packets\"), a size (\"96 kB\"), or both"),
    }
}

/// Splits at commas that follow a unit; a comma inside a number (`1,000 packets`) is a digit separator.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut after_unit = false;
    text.split(move |c: char| {
        let splits = c == ',' && after_unit;
        if !c.is_whitespace() {
            after_unit = c.is_alphabetic();
        }
        splits
    })
}

written_as_string!(
    Limit,
    "packets, size or both",
    "a limit in packets, bytes or both, such as \"64 packets\", \"96 kB\" or \"100 packets, 150 kB\"",
    "1000 packets",
    "96 kB",
    "100 packets, 150 kB"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_packets_bytes_or_both() {
        assert_eq!("64 packets".parse(), Ok(Limit::packets(64)));
        assert_eq!("1 packet".parse(), Ok(Limit::packets(1)));
        assert_eq!("1,000 packets".parse(), Ok(Limit::packets(1000)));
        assert_eq!("96 kB".parse(), Ok(Limit::bytes(96_000)));
        assert_eq!("1,000 packets, 1,500 kB".parse(), Ok(Limit { packets: 1000, bytes: 1_500_000 }));
        assert_eq!("150 kB,100 packets".parse(), Ok(Limit { packets: 100, bytes: 150_000 }));
        assert_eq!("unlimited".parse(), Ok(Limit::UNLIMITED));
    }

    #[test]
    fn printed_limits_parse_back() {
        for text in ["64 packets", "1 packet", "96 kB", "100 packets, 150 kB", "unlimited"] {
            assert_eq!(text.parse::<Limit>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn errors_say_what_a_valid_limit_is() {
        let message = |text: &str| text.parse::<Limit>().unwrap_err();
        assert!(message("64").contains("has no unit"));
        assert!(message("").contains("has no unit"));
        assert!(message("0 packets").contains("at least"));
        assert!(message("1.5 packets").contains("whole number"));
        assert!(message("64 cells").contains("64 packets"));
        assert!(message("64 packets, 32 packets").contains("twice"));
    }

    #[test]
    fn a_packet_fits_only_inside_both_limits() {
        let limit = Limit { packets: 2, bytes: 3000 };
        assert!(limit.admits(Backlog { packets: 1, bytes: 1500 }, 1500));
        assert!(!limit.admits(Backlog { packets: 1, bytes: 1501 }, 1500));
        assert!(!limit.admits(Backlog { packets: 2, bytes: 80 }, 40));
    }
}

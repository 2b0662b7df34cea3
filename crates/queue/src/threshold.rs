//! Backlog thresholds.

use std::fmt;
use std::str::FromStr;

use jettison_core::Bytes;

use crate::Backlog;
use crate::written::{parse_packets, print_packets, written_as_string};

/// A backlog threshold in packets or in bytes (IP length), such as RED's.
///
/// Written `"5 packets"` or `"7500 bytes"`; its unit selects the unit in which the discipline measures its queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Threshold {
    /// A number of packets.
    Packets(u64),
    /// A number of bytes.
    Bytes(u64),
}

impl Threshold {
    /// The value in the threshold's unit.
    #[inline]
    pub fn value(self) -> u64 {
        match self {
            Threshold::Packets(value) | Threshold::Bytes(value) => value,
        }
    }

    /// Returns the backlog in the threshold's unit.
    #[inline]
    pub fn measure(self, backlog: Backlog) -> u64 {
        match self {
            Threshold::Packets(_) => backlog.packets,
            Threshold::Bytes(_) => backlog.bytes,
        }
    }

    /// Whether the unit is bytes.
    #[inline]
    pub fn is_bytes(self) -> bool {
        matches!(self, Threshold::Bytes(_))
    }
}

impl fmt::Display for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Threshold::Packets(count) => print_packets(f, count),
            Threshold::Bytes(bytes) => Bytes::new(bytes).fmt(f),
        }
    }
}

impl FromStr for Threshold {
    type Err = String;
    fn from_str(text: &str) -> Result<Threshold, String> {
        match parse_packets(text) {
            Some(count) => count.map(Threshold::Packets),
            None => text
                .parse::<Bytes>()
                .map(|size| Threshold::Bytes(size.get()))
                .map_err(|error| format!("{error}, or packets (\"5 packets\")")),
        }
    }
}

written_as_string!(
    Threshold,
    "packets or size",
    "a threshold in packets or bytes, such as \"5 packets\" or \"7500 bytes\"",
    "5 packets",
    "7500 bytes"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_selects_packets_or_bytes() {
        let backlog = Backlog { packets: 3, bytes: 4000 };
        assert_eq!("5 packets".parse::<Threshold>().map(|t| (t.value(), t.measure(backlog))), Ok((5, 3)));
        assert_eq!("6 kB".parse::<Threshold>().map(|t| (t.value(), t.measure(backlog))), Ok((6000, 4000)));
        assert!("5".parse::<Threshold>().unwrap_err().contains("5 packets"));
        assert_eq!(Threshold::Bytes(7500).to_string().parse(), Ok(Threshold::Bytes(7500)));
    }
}

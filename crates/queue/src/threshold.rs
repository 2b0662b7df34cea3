//! A level of backlog that a discipline compares with.

use std::fmt;
use std::str::FromStr;

use jettison_core::Bytes;

use crate::Backlog;
use crate::written::{parse_packets, print_packets, written_as_string};

/// A level of backlog in packets or in bytes (IP length), such as RED's thresholds.
///
/// Written `"5 packets"` or `"7500 bytes"`; the unit says in which unit the discipline measures its queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Threshold {
    /// So many packets.
    Packets(u64),
    /// So many bytes.
    Bytes(u64),
}

impl Threshold {
    /// The number, in the threshold's own unit.
    #[inline]
    pub fn value(self) -> u64 {
        match self {
            Threshold::Packets(value) | Threshold::Bytes(value) => value,
        }
    }

    /// The backlog in this threshold's unit.
    #[inline]
    pub fn measure(self, backlog: Backlog) -> u64 {
        match self {
            Threshold::Packets(_) => backlog.packets,
            Threshold::Bytes(_) => backlog.bytes,
        }
    }

    /// Whether it counts bytes.
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
    fn its_unit_says_what_is_measured() {
        let backlog = Backlog { packets: 3, bytes: 4000 };
        assert_eq!("5 packets".parse::<Threshold>().map(|t| (t.value(), t.measure(backlog))), Ok((5, 3)));
        assert_eq!("6 kB".parse::<Threshold>().map(|t| (t.value(), t.measure(backlog))), Ok((6000, 4000)));
        assert!("5".parse::<Threshold>().unwrap_err().contains("5 packets"));
        assert_eq!(Threshold::Bytes(7500).to_string().parse(), Ok(Threshold::Bytes(7500)));
    }
}

//! What a packet costs on the wire: its IP length and what the link layer adds.
//!
//! A shaper counts the bytes that the bottleneck behind it counts. `meta.length` is a packet's IP length. Linux counts the
//! header of the device too, 14 bytes on Ethernet, and so does a link of a scenario by default. [`Framing::RAW`] is that
//! count. Other values are bytes beyond the IP length, as the keywords of tc-cake(8) are.

use std::fmt;
use std::str::FromStr;

use jettison_registry::suggestion;

use crate::written::written_as_string;

/// Bytes that a packet occupies on the wire, computed from its IP length.
///
/// Written as terms whose bytes add up: bytes (`"44 bytes"`, `"-4 bytes"`), a minimum (`"mpu 64 bytes"`), an encoding (`"atm"`,
/// `"ptm"`) and keywords of tc-cake(8) (`"docsis"`, `"pppoe-vcmux"`), such as `"44 bytes, atm"` or `"docsis, ether-vlan"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Framing {
    /// Bytes added to the IP length, in [-64, 256].
    pub overhead: i16,
    /// Least size of a packet with its overhead, in bytes, in [0, 256].
    pub mpu: u16,
    /// Encoding of the sum.
    pub encoding: Encoding,
}

/// Encoding of packets below the link layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// Packets as they are.
    None,
    /// Cells of 53 bytes with 48 bytes of payload each (ADSL). The last cell is padded.
    Atm,
    /// One byte for each 64 bytes or part of them (64b/65b encoding, VDSL2).
    Ptm,
}

/// Keywords of tc-cake(8) with the terms that they stand for.
const KEYWORDS: [(&str, i16, u16, Option<Encoding>); 16] = {
    const ATM: Option<Encoding> = Some(Encoding::Atm);
    const PTM: Option<Encoding> = Some(Encoding::Ptm);
    const NONE: Option<Encoding> = Some(Encoding::None);
    [
        ("raw", 14, 0, None),
        ("conservative", 48, 0, ATM),
        ("pppoa-vcmux", 10, 0, ATM),
        ("pppoa-llc", 14, 0, ATM),
        ("pppoe-vcmux", 32, 0, ATM),
        ("pppoe-llcsnap", 40, 0, ATM),
        ("bridged-vcmux", 24, 0, ATM),
        ("bridged-llcsnap", 32, 0, ATM),
        ("ipoa-vcmux", 8, 0, ATM),
        ("ipoa-llcsnap", 16, 0, ATM),
        ("pppoe-ptm", 30, 0, PTM),
        ("bridged-ptm", 22, 0, PTM),
        ("docsis", 18, 64, NONE),
        ("ethernet", 38, 84, NONE),
        ("ether-vlan", 4, 0, None),
        ("noatm", 0, 0, NONE),
    ]
};
/// Words of a framing beside the keywords.
const WORDS: [&str; 5] = ["atm", "ptm", "overhead", "mpu", "bytes"];

const OVERHEAD: std::ops::RangeInclusive<i64> = -64..=256;
const MPU: std::ops::RangeInclusive<i64> = 0..=256;

impl Framing {
    /// The IP length alone.
    pub const IP: Framing = Framing { overhead: 0, mpu: 0, encoding: Encoding::None };
    /// The length that Linux reports on an Ethernet device: the IP length and 14 bytes of header.
    pub const RAW: Framing = Framing { overhead: 14, ..Framing::IP };

    /// Bytes on the wire of a packet of `length` bytes of IP length.
    #[inline]
    pub fn size(&self, length: u16) -> u32 {
        let bytes = (i32::from(length) + i32::from(self.overhead)).max(i32::from(self.mpu)) as u32;
        match self.encoding {
            Encoding::None => bytes,
            Encoding::Atm => bytes.div_ceil(48) * 53,
            Encoding::Ptm => bytes + bytes.div_ceil(64),
        }
    }
}

impl fmt::Display for Framing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.overhead, if self.overhead == 1 { "byte" } else { "bytes" })?;
        if self.mpu > 0 {
            write!(f, ", mpu {} {}", self.mpu, if self.mpu == 1 { "byte" } else { "bytes" })?;
        }
        f.write_str(match self.encoding {
            Encoding::None => "",
            Encoding::Atm => ", atm",
            Encoding::Ptm => ", ptm",
        })
    }
}

impl FromStr for Framing {
    type Err = String;
    fn from_str(text: &str) -> Result<Framing, String> {
        let (mut overhead, mut mpu, mut encoding) = (0i64, 0i64, Encoding::None);
        let separators = |c: char| c == ',' || c.is_whitespace();
        let mut words = text.split(separators).filter(|word| !word.is_empty()).peekable();
        if words.peek().is_none() {
            return Err(format!("`{text}` is no overhead; {EXPECTED}"));
        }
        while let Some(word) = words.next() {
            let (is_minimum, number) = match word {
                "atm" | "ptm" => {
                    encoding = if word == "atm" { Encoding::Atm } else { Encoding::Ptm };
                    continue;
                }
                "overhead" => (false, words.next()),
                "mpu" => (true, words.next()),
                _ => match KEYWORDS.iter().find(|keyword| keyword.0 == word) {
                    Some((_, bytes, minimum, encoded)) => {
                        overhead = overhead.saturating_add(i64::from(*bytes));
                        mpu = mpu.max(i64::from(*minimum));
                        encoding = encoded.unwrap_or(encoding);
                        continue;
                    }
                    None => (false, Some(word)),
                },
            };
            let value = number.and_then(bytes).ok_or_else(|| not_understood(text, number))?;
            match is_minimum {
                true => mpu = value,
                false => overhead = overhead.saturating_add(value),
            }
            words.next_if(|word| matches!(*word, "bytes" | "byte" | "B"));
        }
        let within =
            |name: &str, value: i64, range: &std::ops::RangeInclusive<i64>| match range.contains(&value) {
                true => Ok(value as i16),
                false => Err(format!(
                    "{name} must be in [{}, {}] bytes, got {value} bytes",
                    range.start(),
                    range.end()
                )),
            };
        let overhead = within("overhead", overhead, &OVERHEAD)?;
        Ok(Framing { overhead, mpu: within("mpu", mpu, &MPU)? as u16, encoding })
    }
}

const EXPECTED: &str =
    "write bytes (\"44 bytes, atm\"), a minimum (\"mpu 64 bytes\") or keywords (\"docsis\", \"pppoe-vcmux\")";

/// Reads a number of bytes, with or without the unit.
fn bytes(word: &str) -> Option<i64> {
    let digits = ["bytes", "byte", "B"].iter().find_map(|unit| word.strip_suffix(unit)).unwrap_or(word);
    digits.parse().ok()
}

fn not_understood(text: &str, word: Option<&str>) -> String {
    let Some(word) = word else { return format!("`{text}` lacks a number of bytes at its end; {EXPECTED}") };
    let known = KEYWORDS.iter().map(|keyword| keyword.0).chain(WORDS);
    format!("`{word}` is no overhead keyword; {}; {EXPECTED}", suggestion(word, known))
}

written_as_string!(
    Framing,
    "overhead",
    "bytes beyond the IP length, such as \"44 bytes, atm\", \"docsis\" or \"raw\"",
    "raw",
    "44 bytes, atm",
    "docsis",
    "18 bytes, mpu 64 bytes"
);

#[cfg(test)]
mod tests {
    use super::*;

    fn framing(text: &str) -> Framing {
        text.parse().unwrap_or_else(|error| panic!("{error}"))
    }

    fn refused(text: &str) -> String {
        text.parse::<Framing>().expect_err("it is wrong")
    }

    #[test]
    fn overhead_comes_first_then_the_minimum_then_the_encoding() {
        assert_eq!(Framing::IP.size(1500), 1500);
        assert_eq!(Framing::RAW.size(1500), 1514);
        assert_eq!([20, 46, 47, 1500].map(|ip| framing("docsis").size(ip)), [64, 64, 65, 1518]);
        assert_eq!([0, 46, 47].map(|ip| framing("ethernet").size(ip)), [84, 84, 85]);
        // A packet with its 8 bytes just fills two cells; one byte more takes a third.
        assert_eq!([40, 88, 89].map(|ip| framing("ipoa-vcmux").size(ip)), [53, 106, 159]);
        assert_eq!(framing("mpu 50 bytes, atm").size(1), 106);
        assert_eq!([34, 35, 1500].map(|ip| framing("pppoe-ptm").size(ip)), [65, 67, 1554]);
        assert_eq!([0, 40, 1500].map(|ip| framing("-64 bytes").size(ip)), [0, 0, 1436]);
        assert_eq!(framing("conservative").size(u16::MAX), 65_583u32.div_ceil(48) * 53);
    }

    /// IP lengths of the measurement.
    const LENGTHS: [u16; 7] = [28, 34, 35, 48, 128, 1028, 1500];

    #[test]
    fn sizes_are_those_of_linux() {
        // Linux 6.1: "overhead-adjusted size" of `tc -s qdisc show` after an ICMP echo of each length.
        for (notation, linux) in [
            ("raw", [42, 48, 49, 62, 142, 1042, 1514]),
            ("overhead 0", [28, 34, 35, 48, 128, 1028, 1500]),
            ("overhead 14", [42, 48, 49, 62, 142, 1042, 1514]),
            ("overhead -64", [0, 0, 0, 0, 64, 964, 1436]),
            ("overhead 18 mpu 64", [64, 64, 64, 66, 146, 1046, 1518]),
            ("atm overhead 8", [53, 53, 53, 106, 159, 1166, 1696]),
            ("ptm overhead 30", [59, 65, 67, 80, 161, 1075, 1554]),
            ("ptm overhead 22", [51, 57, 58, 72, 153, 1067, 1546]),
            ("ethernet", [84, 84, 84, 86, 166, 1066, 1538]),
            ("docsis", [64, 64, 64, 66, 146, 1046, 1518]),
            ("conservative", [106, 106, 106, 106, 212, 1219, 1749]),
            ("pppoe-vcmux", [106, 106, 106, 106, 212, 1219, 1696]),
            ("raw ethernet", [84, 86, 87, 100, 180, 1080, 1552]),
            ("raw overhead 4", [46, 52, 53, 66, 146, 1046, 1518]),
            ("ethernet ether-vlan", [84, 84, 84, 90, 170, 1070, 1542]),
        ] {
            assert_eq!(LENGTHS.map(|ip| framing(notation).size(ip)), linux, "{notation}");
        }
    }

    #[test]
    fn a_later_term_adds_here_and_replaces_in_linux() {
        // `atm` alone counts from the length that Linux reports there, which is "raw, atm" here.
        for (notation, linux, same) in [
            ("docsis overhead 4", [64, 64, 64, 64, 132, 1032, 1504], "overhead 4 mpu 64"),
            ("overhead 8 overhead 4", [32, 38, 39, 52, 132, 1032, 1504], "overhead 4"),
            ("mpu 80 docsis", [64, 64, 64, 66, 146, 1046, 1518], "docsis"),
            ("atm", [53, 53, 106, 106, 159, 1166, 1696], "raw atm"),
        ] {
            assert_ne!(LENGTHS.map(|ip| framing(notation).size(ip)), linux, "{notation}");
            assert_eq!(LENGTHS.map(|ip| framing(same).size(ip)), linux, "{same}");
        }
    }

    #[test]
    fn keywords_are_those_of_the_manual_page() {
        for (keyword, terms) in [
            ("raw", "14 bytes"),
            ("conservative", "48 bytes, atm"),
            ("pppoa-vcmux", "10 bytes, atm"),
            ("pppoa-llc", "14 bytes, atm"),
            ("pppoe-vcmux", "32 bytes, atm"),
            ("pppoe-llcsnap", "40 bytes, atm"),
            ("bridged-vcmux", "24 bytes, atm"),
            ("bridged-llcsnap", "32 bytes, atm"),
            ("ipoa-vcmux", "8 bytes, atm"),
            ("ipoa-llcsnap", "16 bytes, atm"),
            ("pppoe-ptm", "30 bytes, ptm"),
            ("bridged-ptm", "22 bytes, ptm"),
            ("docsis", "18 bytes, mpu 64 bytes"),
            ("ethernet", "38 bytes, mpu 84 bytes"),
            ("ether-vlan", "4 bytes"),
        ] {
            assert_eq!(framing(keyword).to_string(), terms);
            assert_eq!(framing(terms), framing(keyword));
        }
    }

    #[test]
    fn terms_add_up_in_the_notation_of_tc_too() {
        assert_eq!(framing("overhead 44 mpu 84 atm"), framing("44 bytes, mpu 84 bytes, atm"));
        assert_eq!(framing("pppoe-ptm ether-vlan ether-vlan").overhead, 38);
        assert_eq!(framing("docsis, mpu 80 bytes").mpu, 80);
        assert_eq!(framing("raw, 18B").overhead, 32);
        assert_eq!(framing("conservative noatm").to_string(), "48 bytes");
        assert_eq!(framing("pppoe-vcmux, ether-vlan").to_string(), "36 bytes, atm");
    }

    #[test]
    fn limits_are_those_of_the_manual_page() {
        assert_eq!((framing("-64 bytes").overhead, framing("256 bytes, mpu 256").mpu), (-64, 256));
        assert_eq!(refused("257 bytes"), "overhead must be in [-64, 256] bytes, got 257 bytes");
        assert_eq!(refused("overhead -65"), "overhead must be in [-64, 256] bytes, got -65 bytes");
        assert_eq!(refused("mpu -1"), "mpu must be in [0, 256] bytes, got -1 bytes");
        assert_eq!(refused("docsis, mpu 300 bytes"), "mpu must be in [0, 256] bytes, got 300 bytes");
    }

    #[test]
    fn a_wrong_word_is_answered_with_the_nearest_keyword() {
        for (text, meant) in [("docsys", "docsis"), ("44 bytes, amt", "atm"), ("pppoe-vcmx", "pppoe-vcmux")] {
            assert!(refused(text).contains(&format!("did you mean `{meant}`")), "{}", refused(text));
        }
        assert!(refused("mpu").contains("lacks a number"));
        assert!(refused("").contains("44 bytes, atm") && refused("14.5 bytes").contains("14.5"));
        assert!(refused("99999999999999999999").contains("99999999999999999999"));
    }
}

//! The round-trip time that CAKE assumes, as a time or by a keyword of tc-cake(8).

use std::fmt;
use std::str::FromStr;

use jettison_core::Duration;
use jettison_registry::suggestion;

use crate::written::written_as_string;

/// A round-trip time, written `"100 ms"` or by its keyword (`"internet"`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rtt(pub Duration);

/// Keywords with their times.
const KEYWORDS: [(&str, Duration); 8] = [
    ("datacentre", Duration::from_micros(100)),
    ("lan", Duration::from_millis(1)),
    ("metro", Duration::from_millis(10)),
    ("regional", Duration::from_millis(30)),
    ("internet", Duration::from_millis(100)),
    ("oceanic", Duration::from_millis(300)),
    ("satellite", Duration::from_millis(1_000)),
    ("interplanetary", Duration::from_secs(3_600)),
];

impl fmt::Display for Rtt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match KEYWORDS.iter().find(|keyword| keyword.1 == self.0) {
            Some((keyword, _)) => f.write_str(keyword),
            None => self.0.fmt(f),
        }
    }
}

impl FromStr for Rtt {
    type Err = String;
    fn from_str(text: &str) -> Result<Rtt, String> {
        let word = text.trim();
        if let Some((_, time)) = KEYWORDS.iter().find(|keyword| keyword.0 == word) {
            return Ok(Rtt(*time));
        }
        if word.starts_with(|c: char| c.is_ascii_alphabetic()) {
            let help = suggestion(word, KEYWORDS.iter().map(|keyword| keyword.0));
            return Err(format!(
                "`{word}` is no keyword of a round-trip time; {help}; or write a time (\"100 ms\")"
            ));
        }
        word.parse().map(Rtt).map_err(|error: jettison_core::UnitError| error.to_string())
    }
}

written_as_string!(
    Rtt,
    "round-trip time",
    "a round-trip time, such as \"100 ms\", or a keyword such as \"internet\"",
    "100 ms",
    "internet",
    "satellite"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_those_of_the_manual_page() {
        for (keyword, time) in [
            ("datacentre", "100 us"),
            ("lan", "1 ms"),
            ("metro", "10 ms"),
            ("regional", "30 ms"),
            ("internet", "100 ms"),
            ("oceanic", "300 ms"),
            ("satellite", "1000 ms"),
            ("interplanetary", "3600 s"),
        ] {
            assert_eq!(keyword.parse::<Rtt>(), time.parse());
            assert_eq!(keyword.parse::<Rtt>().map(|rtt| rtt.to_string()).as_deref(), Ok(keyword));
        }
        assert_eq!("25 ms".parse::<Rtt>().map(|rtt| rtt.to_string()).as_deref(), Ok("25 ms"));
    }

    #[test]
    fn a_wrong_keyword_is_answered_with_the_nearest() {
        let error = "internett".parse::<Rtt>().unwrap_err();
        assert!(error.contains("did you mean `internet`?"), "{error}");
        assert!("100".parse::<Rtt>().is_err());
    }
}

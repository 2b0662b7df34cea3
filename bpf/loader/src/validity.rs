//! Option for the non-validated period of RFC 7661 §4.4.

use std::fmt;
use std::str::FromStr;

use anyhow::{Context, Result, bail};

/// Non-validated period in milliseconds: the time for which a non-validated window is kept, > 0 and at most five minutes
/// (RFC 7661
/// §4.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Validity(u64);

impl Validity {
    pub const LONGEST_MS: u64 = 300_000;

    pub fn of_millis(millis: u64) -> Result<Validity> {
        if !(1..=Validity::LONGEST_MS).contains(&millis) {
            bail!("`--validity` must be from 1 ms to 5 min (RFC 7661 §4.4), got {millis} ms");
        }
        Ok(Validity(millis))
    }

    pub fn millis(self) -> u64 {
        self.0
    }
}

impl FromStr for Validity {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Validity> {
        let text = text.trim();
        let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
        let scale = match unit.trim() {
            "ms" => 1,
            "s" => 1000,
            "min" => 60_000,
            _ => bail!("`--validity` must be a duration such as 300s, 2000ms or 5min, got `{text}`"),
        };
        let number: u64 = number
            .parse()
            .with_context(|| format!("`--validity` must be a duration such as 300s, got `{text}`"))?;
        Validity::of_millis(number.saturating_mul(scale))
    }
}

impl fmt::Display for Validity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.is_multiple_of(1000) {
            true => write!(formatter, "{} s", self.0 / 1000),
            false => write!(formatter, "{} ms", self.0),
        }
    }
}

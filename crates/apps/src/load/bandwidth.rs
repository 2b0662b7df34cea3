//! Bandwidths as the command lines of load generators write them: `2M` is not the same rate in all of them.

use std::str::FromStr;

use jettison_core::Rate;
use jettison_registry::ParameterError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The program whose `-b` a bandwidth is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Tool {
    /// iPerf 2: upper-case suffixes are powers of 1,024 and lower-case ones of 1,000 (iperf(1) of 2.1.8: "1m = 1,000,000 and
    /// 1M = 1,048,576"). With `-b 2M` and 1,470 bytes that version announces gaps of 5607.60 µs.
    Iperf2,
    /// iPerf 3: all suffixes are powers of 1,000. iperf3 3.12 reports a `target_bitrate` of 2000000 for `-b 2M`.
    Iperf3,
}

impl Tool {
    const NAMES: &str = "\"iperf2\" (1M is 1048576 bit/s) or \"iperf3\" (1M is 1000000 bit/s)";

    /// Bit/s of one unit of a suffix; `None` if the tool does not have the suffix.
    fn unit(self, suffix: char) -> Option<u64> {
        let power = match suffix.to_ascii_lowercase() {
            'k' => 1,
            'm' => 2,
            'g' => 3,
            't' if self == Tool::Iperf3 => 4,
            _ => return None,
        };
        let base: u64 = if self == Tool::Iperf2 && suffix.is_ascii_uppercase() { 1024 } else { 1000 };
        Some(base.pow(power))
    }

    fn suffixes(self) -> &'static str {
        match self {
            Tool::Iperf2 => "k, m, g, K, M, G",
            Tool::Iperf3 => "k, m, g, t, K, M, G, T",
        }
    }

    /// Reads a number with an optional suffix; bits are rounded down, as the tools do.
    ///
    /// # Errors
    /// If the tool would not understand it: what is required.
    pub fn rate(self, text: &str) -> Result<Rate, String> {
        let format = || format!("be a number with an optional suffix of {}, such as \"2M\"", self.suffixes());
        let trimmed = text.trim();
        if trimmed.ends_with("pps") {
            return Err("be in bit/s; for packets/s use `interval`".to_owned());
        }
        let (number, unit) = match trimmed.char_indices().last() {
            Some((at, suffix)) if suffix.is_ascii_alphabetic() => {
                (&trimmed[..at], self.unit(suffix).ok_or_else(format)?)
            }
            _ => (trimmed, 1),
        };
        if number.is_empty() || !number.chars().all(|c| c.is_ascii_digit() || c == '.') {
            return Err(format());
        }
        let value = f64::from_str(number).map_err(|_| format())? * unit as f64;
        if value < 1.0 {
            return Err("be >= 1 bit/s".to_owned());
        }
        if value > 1e15 {
            return Err("be <= 1000T".to_owned());
        }
        Ok(Rate::from_bits(value as u64))
    }
}

/// The rate of a `bandwidth` such as `2M`, whose suffix `tool` defines.
///
/// # Errors
/// If one is given without the other, or the tool would not understand the bandwidth.
pub(crate) fn rate_of(bandwidth: Option<&str>, tool: Option<Tool>) -> Result<Option<Rate>, ParameterError> {
    match (bandwidth, tool) {
        (None, None) => Ok(None),
        (Some(bandwidth), None) => {
            let message = format!("`bandwidth = \"{bandwidth}\"` requires `tool`: {}", Tool::NAMES);
            Err(ParameterError::at("bandwidth", message))
        }
        (None, Some(_)) => Err(ParameterError::at("tool", "`tool` requires `bandwidth`, such as \"2M\"")),
        (Some(bandwidth), Some(tool)) => tool.rate(bandwidth).map(Some).map_err(|requirement| {
            ParameterError::must("bandwidth", &requirement, format!("\"{bandwidth}\""))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(bandwidth: &str, tool: Tool) -> u64 {
        rate_of(Some(bandwidth), Some(tool)).expect("it is right").expect("it is given").as_bits()
    }

    #[test]
    fn suffixes_are_those_of_the_tool() {
        let written = ["2M", "2m", "1.5M", "1K", "1k", "1G", "2097152"];
        let iperf2 = [2_097_152, 2_000_000, 1_572_864, 1_024, 1_000, 1_073_741_824, 2_097_152];
        let iperf3 = [2_000_000, 2_000_000, 1_500_000, 1_000, 1_000, 1_000_000_000, 2_097_152];
        assert_eq!(written.map(|text| bits(text, Tool::Iperf2)), iperf2);
        assert_eq!(written.map(|text| bits(text, Tool::Iperf3)), iperf3);
        assert_eq!(bits("1T", Tool::Iperf3), 1_000_000_000_000);
    }

    #[test]
    fn nonsense_is_refused_with_what_is_required() {
        let error = |bandwidth: Option<&str>, tool| {
            let error = rate_of(bandwidth, tool).expect_err("it is wrong");
            format!("{}: {error}", error.path.join("."))
        };
        assert!(error(Some("2M"), None).contains("requires `tool`: \"iperf2\" (1M is 1048576 bit/s)"));
        assert!(error(None, Some(Tool::Iperf2)).contains("`tool` requires `bandwidth`"));
        for text in ["", "M", "2 Mbit/s", "2X", "-2M", "1e6", "2MM", "1T", "2µ", "1.2.3M"] {
            let error = error(Some(text), Some(Tool::Iperf2));
            assert!(error.contains("suffix of k, m, g, K, M, G") && error.contains(text), "{error}");
        }
        assert!(error(Some("500pps"), Some(Tool::Iperf2)).contains("use `interval`"));
        assert!(error(Some("0M"), Some(Tool::Iperf3)).contains("must be >= 1 bit/s, got \"0M\""));
        assert!(error(Some("9999999T"), Some(Tool::Iperf3)).contains("must be <= 1000T"));
    }
}

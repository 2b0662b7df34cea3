//! Common parts of scalable controllers: the moving average of the share of marked bytes, and the ECN codepoint.

use jettison_registry::ParameterError;
use jettison_wire::Ecn;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The ECN-capable codepoint of a scalable controller's data.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Ect {
    /// ECT(0): for data centres whose switches mark all ECN-capable packets alike.
    Ect0,
    /// ECT(1): scalable (L4S, RFC 9331 §4.1); DualPI2 assigns it to its low-latency queue (RFC 9332).
    #[default]
    Ect1,
}

impl From<Ect> for Ecn {
    fn from(codepoint: Ect) -> Ecn {
        match codepoint {
            Ect::Ect0 => Ecn::Ect0,
            Ect::Ect1 => Ecn::Ect1,
        }
    }
}

/// The moving average of the share of marked bytes (RFC 8257 §3.3: DCTCP.Alpha), in floating point to avoid rounding
/// errors of small values.
#[derive(Debug, Clone, Copy)]
pub(super) struct MarkAverage {
    gain: f64,
    alpha: f64,
    /// Bytes acknowledged, and marked bytes among them, in the current observation window.
    acked: u64,
    marked: u64,
}

impl MarkAverage {
    pub fn new(gain: f64, alpha: f64) -> MarkAverage {
        MarkAverage { gain, alpha, acked: 0, marked: 0 }
    }

    /// Checks the ranges of the two parameters, `g` and `initial_alpha`.
    pub fn validate(gain: f64, alpha: f64) -> Result<(), ParameterError> {
        ParameterError::require(gain > 0.0 && gain < 1.0, "g", "be in (0, 1)", gain)?;
        ParameterError::require((0.0..=1.0).contains(&alpha), "initial_alpha", "be in [0, 1]", alpha)
    }

    /// The average.
    #[inline]
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// Counts the bytes that an ACK acknowledges.
    #[inline]
    pub fn count(&mut self, acked: u64, marked: u64) {
        self.acked += acked;
        self.marked += marked;
    }

    /// Ends the observation window: `alpha = (1 - g) * alpha + g * M`, M its share of marked bytes.
    pub fn end_window(&mut self) {
        if self.acked > 0 {
            let share = self.marked as f64 / self.acked as f64;
            self.alpha += self.gain * (share - self.alpha);
        }
        self.acked = 0;
        self.marked = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rfc8257_3_3_averages_the_shares_of_windows() {
        let mut marks = MarkAverage::new(1.0 / 16.0, 1.0);
        marks.count(8000, 2000);
        marks.count(2000, 500);
        assert_eq!(marks.alpha(), 1.0, "not before the window ends");
        marks.end_window();
        assert_eq!(marks.alpha(), 15.0 / 16.0 + 0.25 / 16.0);
        let before = marks.alpha();
        marks.end_window();
        assert_eq!(marks.alpha(), before, "a window without bytes says nothing");
    }

    #[test]
    fn a_small_share_is_not_rounded_away() {
        let mut marks = MarkAverage::new(1.0 / 16.0, 0.0);
        for _ in 0..1000 {
            marks.count(100_000_000, 1000);
            marks.end_window();
        }
        assert!((marks.alpha() / 1e-5 - 1.0).abs() < 1e-6, "{}", marks.alpha());
    }
}

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

/// The precision of alpha and of the reductions by it. RFC 8257 leaves it open.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Rounding {
    /// Floating point.
    #[default]
    None,
    /// Integers rounded down, as in Linux: alpha in steps of 1/1024, reductions in whole segments. A share of marks below
    /// 1/64 (at `g` = 1/16) then has no effect. The steps are remembered, not read; measured is the number of marks that
    /// follows from them.
    Linux,
}

/// Steps of alpha with [`Rounding::Linux`].
const STEPS: f64 = 1024.0;

/// The moving average of the share of marked bytes (RFC 8257 §3.3: DCTCP.Alpha).
#[derive(Debug, Clone, Copy)]
pub(super) struct MarkAverage {
    gain: f64,
    alpha: f64,
    rounding: Rounding,
    /// Bytes acknowledged, and marked bytes among them, in the current observation window.
    acked: u64,
    marked: u64,
}

impl MarkAverage {
    pub fn new(gain: f64, alpha: f64) -> MarkAverage {
        MarkAverage { gain, alpha, rounding: Rounding::None, acked: 0, marked: 0 }
    }

    /// The same average with another precision.
    pub fn with_rounding(self, rounding: Rounding) -> MarkAverage {
        MarkAverage { rounding, ..self }
    }

    /// The window after a reduction by half of alpha (RFC 8257 §3.3).
    pub fn reduced(&self, window: u64, mss: u64) -> u64 {
        match self.rounding {
            Rounding::None => (window as f64 * (1.0 - self.alpha / 2.0)) as u64,
            Rounding::Linux => {
                let segments = window / mss;
                let less = (segments as f64 * self.alpha / 2.0) as u64;
                (segments - less) * mss
            }
        }
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
            match self.rounding {
                Rounding::None => self.alpha += self.gain * (share - self.alpha),
                Rounding::Linux => {
                    let alpha = self.alpha * STEPS;
                    // A decay that rounds to nothing takes all that is left.
                    let decay = (alpha * self.gain).floor();
                    let kept = if decay > 0.0 { alpha - decay } else { 0.0 };
                    self.alpha = (kept + (share * STEPS * self.gain).floor()).min(STEPS) / STEPS;
                }
            }
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
    fn linux_rounds_small_shares_and_small_averages_to_nothing() {
        let mut marks = MarkAverage::new(1.0 / 16.0, 15.0 / 1024.0).with_rounding(Rounding::Linux);
        marks.count(65_000, 1000);
        marks.end_window();
        assert_eq!(marks.alpha(), 0.0, "15 of 1024 decay at once, and a share of 1/65 adds nothing");
        marks.count(64_000, 1000);
        marks.end_window();
        assert_eq!(marks.alpha(), 1.0 / 1024.0);
        // 100 segments at 1/8: 6.25 rounded down to 6.
        let marks = MarkAverage::new(1.0 / 16.0, 0.125).with_rounding(Rounding::Linux);
        assert_eq!(marks.reduced(100_500, 1000), 94_000);
        assert_eq!(MarkAverage::new(1.0 / 16.0, 0.125).reduced(100_000, 1000), 93_750);
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

//! Controller gains in hertz.

use std::fmt;
use std::str::FromStr;

use crate::written::written_as_string;

/// A controller gain in hertz: change of probability per second of delay (PIE, PI2). Written `"0.3125 Hz"`.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Hertz(f64);

impl Hertz {
    /// Creates a gain of `hertz` Hz.
    pub const fn new(hertz: f64) -> Hertz {
        Hertz(hertz)
    }
    /// The gain in Hz.
    #[inline]
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl fmt::Display for Hertz {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} Hz", self.0)
    }
}

impl FromStr for Hertz {
    type Err = String;
    fn from_str(text: &str) -> Result<Hertz, String> {
        let error =
            || format!("`{text}` is not a gain; write a finite number >= 0 and `Hz`, such as \"0.3125 Hz\"");
        let number = text.trim().strip_suffix("Hz").ok_or_else(error)?;
        let hertz: f64 = number.trim().parse().map_err(|_| error())?;
        if hertz.is_finite() && hertz >= 0.0 { Ok(Hertz(hertz)) } else { Err(error()) }
    }
}

written_as_string!(Hertz, "frequency", "a gain in hertz, such as \"0.3125 Hz\"", "0.3125 Hz");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_only_finite_non_negative_gains_with_unit() {
        assert_eq!("0.3125 Hz".parse(), Ok(Hertz(0.3125)));
        assert_eq!(Hertz(3.125).to_string().parse(), Ok(Hertz(3.125)));
        for text in ["0.3125", "-1 Hz", "inf Hz", "NaN Hz", "Hz"] {
            assert!(text.parse::<Hertz>().unwrap_err().contains("0.3125 Hz"), "{text}");
        }
    }
}

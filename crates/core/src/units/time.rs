//! Instants and durations of virtual time, in whole nanoseconds.

use std::fmt;
use std::ops::{Add, AddAssign, Div, Mul, Sub, SubAssign};
use std::str::FromStr;

use super::parse::{UnitError, parse_quantity, print_quantity};
use super::unit_as_string;

const UNITS: &[(&str, u64)] =
    &[("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000), ("min", 60_000_000_000)];
/// Units in which a duration prints (`min` is read but not printed: "90 s" is common usage).
const PRINTED: &[(&str, u64)] = &[("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000)];

/// An instant: nanoseconds since the start of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time(u64);

/// A non-negative duration in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Duration(u64);

impl Time {
    /// The start of the run.
    pub const ZERO: Time = Time(0);
    /// The latest representable instant; stands for "never".
    pub const MAX: Time = Time(u64::MAX);

    /// The instant `nanos` nanoseconds after the start.
    pub const fn from_nanos(nanos: u64) -> Time {
        Time(nanos)
    }
    /// The instant `micros` microseconds after the start.
    pub const fn from_micros(micros: u64) -> Time {
        Time(micros * 1_000)
    }
    /// The instant `millis` milliseconds after the start.
    pub const fn from_millis(millis: u64) -> Time {
        Time(millis * 1_000_000)
    }
    /// The instant `secs` seconds after the start.
    pub const fn from_secs(secs: u64) -> Time {
        Time(secs * 1_000_000_000)
    }
    /// Nanoseconds since the start.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }
    /// Whole microseconds since the start, rounded down.
    pub const fn as_micros(self) -> u64 {
        self.0 / 1_000
    }
    /// Seconds since the start.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }
    /// The duration since `earlier`; zero if `earlier` is later.
    pub const fn since(self, earlier: Time) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }
    /// This instant plus `by`, at most [`Time::MAX`].
    pub const fn saturating_add(self, by: Duration) -> Time {
        Time(self.0.saturating_add(by.0))
    }
}

impl Duration {
    /// Zero.
    pub const ZERO: Duration = Duration(0);
    /// The longest representable duration; stands for "for ever".
    pub const MAX: Duration = Duration(u64::MAX);

    /// `nanos` nanoseconds.
    pub const fn from_nanos(nanos: u64) -> Duration {
        Duration(nanos)
    }
    /// `micros` microseconds.
    pub const fn from_micros(micros: u64) -> Duration {
        Duration(micros * 1_000)
    }
    /// `millis` milliseconds.
    pub const fn from_millis(millis: u64) -> Duration {
        Duration(millis * 1_000_000)
    }
    /// `secs` seconds.
    pub const fn from_secs(secs: u64) -> Duration {
        Duration(secs * 1_000_000_000)
    }
    /// `secs` seconds, rounded to the nearest nanosecond; zero if negative or NaN.
    pub fn from_secs_f64(secs: f64) -> Duration {
        Duration(libm::round(secs * 1e9) as u64)
    }
    /// In nanoseconds.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }
    /// In whole microseconds, rounded down.
    pub const fn as_micros(self) -> u64 {
        self.0 / 1_000
    }
    /// In whole milliseconds, rounded down.
    pub const fn as_millis(self) -> u64 {
        self.0 / 1_000_000
    }
    /// In seconds.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }
    /// In milliseconds.
    pub fn as_millis_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }
    /// Whether the duration is zero.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }
    /// This minus `other`, at least zero.
    pub const fn saturating_sub(self, other: Duration) -> Duration {
        Duration(self.0.saturating_sub(other.0))
    }
    /// This plus `other`, at most [`Duration::MAX`].
    pub const fn saturating_add(self, other: Duration) -> Duration {
        Duration(self.0.saturating_add(other.0))
    }
    /// This times `factor`, at most [`Duration::MAX`].
    pub const fn saturating_mul(self, factor: u64) -> Duration {
        Duration(self.0.saturating_mul(factor))
    }
    /// This times `factor`, rounded to the nearest nanosecond.
    pub fn mul_f64(self, factor: f64) -> Duration {
        Duration(libm::round(self.0 as f64 * factor) as u64)
    }
}

impl Add<Duration> for Time {
    type Output = Time;
    fn add(self, by: Duration) -> Time {
        Time(self.0 + by.0)
    }
}
impl AddAssign<Duration> for Time {
    fn add_assign(&mut self, by: Duration) {
        self.0 += by.0;
    }
}
impl Sub<Duration> for Time {
    type Output = Time;
    fn sub(self, by: Duration) -> Time {
        Time(self.0 - by.0)
    }
}
impl Add for Duration {
    type Output = Duration;
    fn add(self, other: Duration) -> Duration {
        Duration(self.0 + other.0)
    }
}
impl AddAssign for Duration {
    fn add_assign(&mut self, other: Duration) {
        self.0 += other.0;
    }
}
impl Sub for Duration {
    type Output = Duration;
    fn sub(self, other: Duration) -> Duration {
        Duration(self.0 - other.0)
    }
}
impl SubAssign for Duration {
    fn sub_assign(&mut self, other: Duration) {
        self.0 -= other.0;
    }
}
impl Mul<u64> for Duration {
    type Output = Duration;
    fn mul(self, factor: u64) -> Duration {
        Duration(self.0 * factor)
    }
}
impl Div<u64> for Duration {
    type Output = Duration;
    fn div(self, divisor: u64) -> Duration {
        Duration(self.0 / divisor)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print_quantity(f, self.0, PRINTED)
    }
}
impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_zero() {
            // Zero has no natural unit: print seconds.
            return f.write_str("0 s");
        }
        print_quantity(f, self.0, PRINTED)
    }
}
impl FromStr for Time {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Time, UnitError> {
        text.parse::<Duration>().map(|since_start| Time(since_start.0))
    }
}
impl FromStr for Duration {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Duration, UnitError> {
        parse_quantity(text, "duration", "20 ms", "1 ns", UNITS).map(Duration)
    }
}
unit_as_string!(Time, "time", r"^\s*[0-9][0-9_,]*(\.[0-9]+)?\s*(ns|us|ms|s|min)\s*$", "5 s");
unit_as_string!(Duration, "duration", r"^\s*[0-9][0-9_,]*(\.[0-9]+)?\s*(ns|us|ms|s|min)\s*$", "20 ms");

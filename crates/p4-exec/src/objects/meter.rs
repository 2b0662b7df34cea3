//! `meter` and `direct_meter`: two-rate three-colour marker (RFC 2698), colour-blind, as in BMv2; PSA's `Meter` and
//! `DirectMeter` are colour-aware too.
//!
//! A packet is red if the peak bucket has too few tokens; it then takes none. Else it is yellow if the committed bucket
//! has too few tokens, and takes tokens from the peak bucket. Else it is green, and takes tokens from both (RFC 2698
//! §3). Tokens are integers. The tokens earned are computed from the start of the run, to avoid accumulated rounding
//! errors.

use std::str::FromStr;

use jettison_core::Time;
use thiserror::Error;

use jettison_p4_front::ir::MeterUnit;

/// Rate and burst of a meter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeterRate {
    /// Rate in 10^-9 packets (or bytes) per microsecond; 1000 of these are one per second.
    pub per_microsecond: u64,
    /// Burst: maximum number of packets (or bytes) at once.
    pub burst: u64,
}

/// Error of parsing a [`MeterRate`].
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "a meter rate must be RATE:BURST, in packets or bytes per microsecond and packets or bytes, such as `0.125:1500`; got `{0}`"
)]
pub struct MeterRateError(pub String);

/// An array of meters, each with a committed and a peak rate. A meter without rates is always green.
#[derive(Debug, Clone)]
pub struct Meter {
    meters: Vec<Option<[Bucket; 2]>>,
    unit: MeterUnit,
    grows: bool,
    last: u8,
    /// PSA: the entry that matched, or `None` for the default action.
    selected: Option<u64>,
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    rate: MeterRate,
    tokens: u64,
    /// Tokens earned from the start of the run to the last packet.
    earned: u128,
}

impl Meter {
    /// Colour of packets within the committed rate.
    pub const GREEN: u8 = 0;
    /// Colour of packets within the peak rate only.
    pub const YELLOW: u8 = 1;
    /// Colour of packets beyond both rates.
    pub const RED: u8 = 2;

    /// Creates `len` meters without rates.
    pub fn new(len: usize, unit: MeterUnit) -> Meter {
        Meter { meters: vec![None; len], unit, grows: false, last: Meter::GREEN, selected: None }
    }

    /// Creates a direct meter, with one meter per table entry.
    pub fn direct(unit: MeterUnit) -> Meter {
        Meter { meters: Vec::new(), unit, grows: true, last: Meter::GREEN, selected: None }
    }

    /// Whether another array has as many meters of the same unit.
    pub fn is_like(&self, other: &Meter) -> bool {
        (self.meters.len(), self.unit) == (other.meters.len(), other.unit)
    }

    /// Sets the committed and peak rates of a meter and fills its buckets. Returns false if the index is out of range.
    pub fn set_rates(&mut self, index: u64, rates: [MeterRate; 2]) -> bool {
        let Ok(index) = usize::try_from(index) else { return false };
        // Handles are 32 bits wide, so larger indices are invalid.
        if index >= self.meters.len() && self.grows && u32::try_from(index).is_ok() {
            self.meters.resize(index + 1, None);
        }
        let Some(meter) = self.meters.get_mut(index) else { return false };
        *meter = Some(rates.map(|rate| Bucket { rate, tokens: rate.burst, earned: 0 }));
        true
    }

    /// Removes a meter's rates, so that it is always green.
    pub fn unset_rates(&mut self, index: u64) {
        if let Some(meter) = usize::try_from(index).ok().and_then(|index| self.meters.get_mut(index)) {
            *meter = None;
        }
    }

    /// Committed and peak rates of a meter.
    pub fn rates(&self, index: u64) -> Option<[MeterRate; 2]> {
        let buckets = self.meters.get(usize::try_from(index).ok()?)?.as_ref()?;
        Some(buckets.map(|bucket| bucket.rate))
    }

    /// Meters a packet of a given size: 0 green, 1 yellow, 2 red; `None` if the index is out of range.
    #[inline]
    pub fn execute(&mut self, index: u64, now: Time, bytes: u64) -> Option<u8> {
        self.mark(index, Meter::GREEN, now, bytes)
    }

    /// Selects the meter of an entry, or of the default action.
    pub fn select(&mut self, entry: Option<u64>) {
        self.selected = entry;
    }

    /// Meters a packet at the selected meter. A default action is as good as the packet's colour.
    pub fn mark_selected(&mut self, colour: u8, now: Time, bytes: u64) -> u8 {
        self.selected.and_then(|entry| self.mark(entry, colour, now, bytes)).unwrap_or(colour)
    }

    /// Meters a packet that has a colour already, which does not improve (RFC 2698 §3, colour-aware mode). Green is
    /// colour-blind. `None` if the index is out of range.
    #[inline]
    pub fn mark(&mut self, index: u64, colour: u8, now: Time, bytes: u64) -> Option<u8> {
        let size = match self.unit {
            MeterUnit::Packets => 1,
            MeterUnit::Bytes => bytes,
        };
        let meter = usize::try_from(index).ok().and_then(|index| self.meters.get_mut(index));
        // A direct meter has no element for an entry before its rates are set.
        let grows = self.grows;
        self.last = match meter {
            None if !grows => return None,
            Some(Some([committed, peak])) => {
                if colour == Meter::RED || !peak.take(now, size) {
                    Meter::RED
                } else if colour == Meter::YELLOW || !committed.take(now, size) {
                    Meter::YELLOW
                } else {
                    Meter::GREEN
                }
            }
            _ => colour,
        };
        Some(self.last)
    }

    /// Latest colour; for a direct meter, that of the latest application of its table.
    #[inline]
    pub fn last(&self) -> u8 {
        self.last
    }

    /// Records a miss in a direct meter's table: the latest colour becomes green.
    #[inline]
    pub fn miss(&mut self) {
        self.last = Meter::GREEN;
    }

    /// Number of meters; for a direct meter, up to the last one with rates.
    pub fn len(&self) -> usize {
        self.meters.len()
    }

    /// Whether there are no meters.
    pub fn is_empty(&self) -> bool {
        self.meters.is_empty()
    }

    /// Removes all rates.
    pub fn reset(&mut self) {
        self.meters.fill(None);
        self.last = Meter::GREEN;
    }
}

impl Bucket {
    #[inline]
    fn take(&mut self, now: Time, size: u64) -> bool {
        // Nanoseconds times 10^-9 tokens per microsecond: 10^12 of these are one token.
        let earned = u128::from(now.as_nanos()) * u128::from(self.rate.per_microsecond) / 1_000_000_000_000;
        let fresh = u64::try_from(earned.saturating_sub(self.earned)).unwrap_or(u64::MAX);
        self.earned = earned;
        self.tokens = self.tokens.saturating_add(fresh).min(self.rate.burst);
        let enough = self.tokens >= size;
        if enough {
            self.tokens -= size;
        }
        enough
    }
}

impl FromStr for MeterRate {
    type Err = MeterRateError;

    /// Parses `RATE:BURST` as in `simple_switch_CLI`: units per microsecond (a decimal number, optionally with an
    /// exponent such as `1e-3`), and units. Digits of the rate below 10^-9 are truncated.
    fn from_str(text: &str) -> Result<MeterRate, MeterRateError> {
        let parsed = text.split_once(':').and_then(|(rate, burst)| {
            Some(MeterRate { per_microsecond: billionths(rate)?, burst: burst.parse().ok()? })
        });
        parsed.ok_or_else(|| MeterRateError(text.to_string()))
    }
}

/// Parses a decimal number in units of 10^-9.
fn billionths(text: &str) -> Option<u64> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = whole.bytes().chain(fraction.bytes());
    if whole.is_empty() && fraction.is_empty() || !(-64..=64).contains(&exponent) {
        return None;
    }
    let mut value: u128 = 0;
    for digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        value = value.checked_mul(10)?.checked_add(u128::from(digit - b'0'))?;
    }
    let mut shift = 9 + exponent - i32::try_from(fraction.len()).ok()?;
    while shift < 0 && value > 0 {
        value /= 10;
        shift += 1;
    }
    while shift > 0 && value > 0 {
        value = value.checked_mul(10)?;
        shift -= 1;
    }
    u64::try_from(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(text: &str) -> MeterRate {
        text.parse().expect("a rate in a test")
    }

    #[test]
    fn a_meter_without_rates_is_green() {
        let mut meter = Meter::new(1, MeterUnit::Packets);
        assert_eq!(meter.execute(0, Time::ZERO, 1), Some(Meter::GREEN));
        assert_eq!(meter.execute(7, Time::ZERO, 1), None);
        assert!(!meter.set_rates(1, [rate("1:1"); 2]));
    }

    /// RFC 2698 §3, colour-blind mode.
    #[test]
    fn red_beyond_the_peak_bucket_yellow_beyond_the_committed_one() {
        let mut meter = Meter::new(1, MeterUnit::Packets);
        assert!(meter.set_rates(0, [rate("0.001:1"), rate("0.002:3")]));
        let at =
            |meter: &mut Meter, micros| meter.execute(0, Time::from_micros(micros), 1500).expect("in range");
        assert_eq!([0, 0, 0, 0].map(|now| at(&mut meter, now)), [0, 1, 1, 2]);
        // At 500 µs, only the peak bucket has a token; at 1000 µs, both have one.
        assert_eq!([499, 500, 500].map(|now| at(&mut meter, now)), [2, 1, 2]);
        assert_eq!([1000, 1000].map(|now| at(&mut meter, now)), [0, 2]);
    }

    /// RFC 2698 §3, colour-aware mode: a red packet takes no tokens, a yellow one none of the committed bucket.
    #[test]
    fn a_coloured_packet_does_not_improve() {
        let mut meter = Meter::new(1, MeterUnit::Packets);
        assert!(meter.set_rates(0, [rate("0.001:1"), rate("0.002:3")]));
        let at = |meter: &mut Meter, colour| meter.mark(0, colour, Time::ZERO, 1500).expect("in range");
        let colours = [Meter::RED, Meter::YELLOW, Meter::YELLOW, Meter::GREEN, Meter::GREEN];
        assert_eq!(colours.map(|colour| at(&mut meter, colour)), [2, 1, 1, 0, 2]);
        let mut unset = Meter::direct(MeterUnit::Packets);
        unset.select(Some(3));
        assert_eq!(unset.mark_selected(Meter::YELLOW, Time::ZERO, 1), Meter::YELLOW);
        unset.select(None);
        assert_eq!(unset.mark_selected(Meter::GREEN, Time::ZERO, 1), Meter::GREEN);
    }

    #[test]
    fn bytes_are_metered_by_the_packets_length() {
        let mut meter = Meter::new(1, MeterUnit::Bytes);
        meter.set_rates(0, [rate("1:1000"), rate("2:2000")]);
        assert_eq!(meter.execute(0, Time::ZERO, 1000), Some(Meter::GREEN));
        assert_eq!(meter.execute(0, Time::ZERO, 1000), Some(Meter::YELLOW));
        assert_eq!(meter.execute(0, Time::ZERO, 1), Some(Meter::RED));
        assert_eq!(meter.execute(0, Time::from_micros(500), 500), Some(Meter::GREEN));
        assert_eq!(meter.last(), Meter::GREEN);
    }

    #[test]
    fn a_direct_meter_grows_and_a_miss_is_green() {
        let mut meter = Meter::direct(MeterUnit::Packets);
        assert!(meter.set_rates(4, [rate("0:0"), rate("0:0")]));
        assert_eq!((meter.execute(4, Time::ZERO, 1), meter.last()), (Some(Meter::RED), Meter::RED));
        meter.miss();
        assert_eq!(meter.last(), Meter::GREEN);
        meter.unset_rates(4);
        assert_eq!(meter.execute(4, Time::ZERO, 1), Some(Meter::GREEN));
    }

    #[test]
    fn rates_are_read_exactly() {
        assert_eq!(rate("0.125:1500"), MeterRate { per_microsecond: 125_000_000, burst: 1500 });
        assert_eq!(rate("1e-3:2").per_microsecond, 1_000_000);
        assert_eq!(rate("3:0").per_microsecond, 3_000_000_000);
        assert_eq!(rate(".5:0").per_microsecond, 500_000_000);
        for bad in ["", ":", "1", "1:", "x:1", "1:x", "1e99:1", "-1:1", "99999999999999:1"] {
            assert!(bad.parse::<MeterRate>().is_err(), "{bad}");
        }
    }
}

//! Durations in the format of XML Schema (XML Schema Part 2 §3.2.6), such as `PT1H2M3.5S`.

use jettison_core::Duration;

/// Reason why a text is not a duration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DurationError {
    /// Wrong syntax.
    Malformed,
    /// Negative.
    Negative,
    /// More nanoseconds than fit into 64 bits.
    OutOfRange,
}

const DAY: u64 = 24 * 3600;
/// Designators before `T` in their required order, each with its seconds. ISO/IEC 23009-1 does not define the length
/// of months and years; no stream needs them. Weeks are defined by ISO 8601 only, and some packagers write them.
const DATE: [(char, u64); 4] = [('Y', 365 * DAY), ('M', 30 * DAY), ('W', 7 * DAY), ('D', DAY)];
/// Designators after `T`.
const TIME: [(char, u64); 3] = [('H', 3600), ('M', 60), ('S', 1)];

const NANOS: u64 = 1_000_000_000;

/// Parses an `xs:duration`; digits beyond the nanosecond are truncated.
pub(super) fn parse_duration(text: &str) -> Result<Duration, DurationError> {
    let text = text.trim();
    let (is_negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let text = text.strip_prefix('P').ok_or(DurationError::Malformed)?;
    let (date, time) = match text.split_once('T') {
        // `T` must be followed by at least one of hours, minutes and seconds.
        Some((_, "")) => return Err(DurationError::Malformed),
        Some(parts) => parts,
        None if text.is_empty() => return Err(DurationError::Malformed),
        None => (text, ""),
    };
    let nanos = match (sum(date, &DATE), sum(time, &TIME)) {
        (Ok(date), Ok(time)) => date.checked_add(time).ok_or(DurationError::OutOfRange),
        (Err(DurationError::Malformed), _) | (_, Err(DurationError::Malformed)) => {
            Err(DurationError::Malformed)
        }
        (Err(error), _) | (_, Err(error)) => Err(error),
    };
    match nanos {
        Ok(1..) | Err(DurationError::OutOfRange) if is_negative => Err(DurationError::Negative),
        nanos => nanos.map(Duration::from_nanos),
    }
}

/// Sums the nanoseconds of counts with their designators, each at most once and in the order of `units`.
fn sum(mut text: &str, units: &[(char, u64)]) -> Result<u64, DurationError> {
    let mut units = units.iter();
    let mut total = Ok(0u64);
    while !text.is_empty() {
        let end = text.find(|c: char| c.is_ascii_uppercase()).ok_or(DurationError::Malformed)?;
        let (count, rest) = text.split_at(end);
        let (designator, seconds) =
            units.find(|(designator, _)| rest.starts_with(*designator)).ok_or(DurationError::Malformed)?;
        text = rest.get(1..).unwrap_or_default();
        // Only seconds may have a fraction.
        let (whole, fraction) = match count.split_once(['.', ',']) {
            Some((whole, fraction)) if *designator == 'S' => (whole, fraction),
            Some(_) => return Err(DurationError::Malformed),
            None => (count, "0"),
        };
        if [whole, fraction].iter().any(|digits| digits.is_empty() || !is_digits(digits)) {
            return Err(DurationError::Malformed);
        }
        let nanos = whole.parse::<u64>().ok();
        let nanos = nanos.and_then(|whole| whole.checked_mul(*seconds)?.checked_mul(NANOS));
        let nanos = nanos.and_then(|nanos| nanos.checked_add(nanos_of(fraction)));
        // The rest may be malformed, which is the better message.
        total = total.and_then(|total: u64| {
            nanos.and_then(|nanos| total.checked_add(nanos)).ok_or(DurationError::OutOfRange)
        });
    }
    total
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Converts the digits after the decimal point to nanoseconds.
fn nanos_of(fraction: &str) -> u64 {
    let digits = fraction.bytes().chain(std::iter::repeat(b'0')).take(9);
    digits.fold(0, |nanos, digit| nanos * 10 + u64::from(digit - b'0'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn counts_add_up() {
        for (text, seconds) in [
            ("PT0S", 0),
            ("PT344S", 344),
            ("PT72H", 72 * 3600),
            ("PT1H2M3S", 3723),
            ("P1DT1S", DAY + 1),
            ("P1D", DAY),
            ("P2W", 14 * DAY),
            ("P1Y2M3D", 365 * DAY + 60 * DAY + 3 * DAY),
            ("P0Y0M0DT0H3M30.000S", 210),
            ("PT90M", 5400),
            ("PT007S", 7),
            (" PT5S\n", 5),
            ("-PT0S", 0),
        ] {
            assert_eq!(parse_duration(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
    }

    #[test]
    fn seconds_have_a_fraction() {
        for (text, nanos) in [
            ("PT0.5S", 500_000_000),
            ("PT0,5S", 500_000_000),
            ("PT1M0.000000001S", 60_000_000_001),
            ("PT0.1234567899S", 123_456_789),
            ("PT10.50S", 10_500_000_000),
        ] {
            assert_eq!(parse_duration(text), Ok(Duration::from_nanos(nanos)), "{text}");
        }
    }

    #[test]
    fn other_forms_are_malformed() {
        for text in [
            "",
            "P",
            "PT",
            "P1DT",
            "T5S",
            "5S",
            "PT5",
            "P5",
            "PT5s",
            "pt5s",
            "P5S",
            "PT5D",
            "PT5M5H",
            "PT5S5S",
            "P1M1Y",
            "PT.5S",
            "PT5.S",
            "PT1.5H",
            "P1.5D",
            "PT1.2.3S",
            "PTS",
            "PT+5S",
            "PT-5S",
            "+PT5S",
            "--PT5S",
            "PT 5S",
            "PT5ST5S",
            "PT٥S",
            "PT5é",
            "PT99999999999999999999HX",
            "P99999999999999999999YT5",
        ] {
            assert_eq!(parse_duration(text), Err(DurationError::Malformed), "{text}");
        }
    }

    #[test]
    fn durations_below_zero_are_refused() {
        for text in ["-PT5S", "-P1D", "-PT0.000000001S", "-P99999999999Y"] {
            assert_eq!(parse_duration(text), Err(DurationError::Negative), "{text}");
        }
    }

    #[test]
    fn durations_of_too_many_nanoseconds_are_refused() {
        for text in [
            "P999999999999999999999Y",
            "P585Y",
            "PT18446744074S",
            "PT18446744073.709551616S",
            "P584YT9999999H9999M",
        ] {
            assert_eq!(parse_duration(text), Err(DurationError::OutOfRange), "{text}");
        }
        let most = Duration::from_nanos(u64::MAX);
        assert_eq!(parse_duration("PT18446744073.709551615S"), Ok(most));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[-+]?P?[0-9YMWDTHS.,é]{0,24}") {
            let _ = parse_duration(&text);
        }

        #[test]
        fn parts_are_read_back(days in 0u64..1000, hours in 0u64..1000, minutes in 0u64..1000, nanos: u32) {
            let seconds = u64::from(nanos) / NANOS;
            let text = format!("P{days}DT{hours}H{minutes}M{seconds}.{:09}S", u64::from(nanos) % NANOS);
            let wanted = (days * DAY + hours * 3600 + minutes * 60) * NANOS + u64::from(nanos);
            prop_assert_eq!(parse_duration(&text), Ok(Duration::from_nanos(wanted)));
        }
    }
}

//! Formats numbers for tables and plots.

/// Greatest deviation of an interval's sides from half its width, as a fraction, that `±` may hide.
const LOPSIDED: f64 = 0.1;

/// `value` with about three significant digits; whole numbers from 1,000 on.
pub fn plain(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let decimals = significant_decimals(value, 3);
    if decimals > 6 {
        return format!("{value:.1e}");
    }
    grouped(value, decimals)
}

/// A mean with its interval: `96.44 ± 0.13`, or `0.16 [0.03, 0.73]` where the two sides differ so much that `±` would
/// mislead. Equal values have no interval: `± 0` would say that chance is excluded, and nothing was random. The interval has two significant digits and the mean as many decimals.
pub(crate) fn with_interval(mean: f64, interval: Option<[f64; 2]>) -> String {
    let Some([low, high]) = interval.filter(|_| mean.is_finite()) else { return plain(mean) };
    let half = (high - low) / 2.0;
    if half == 0.0 || !half.is_finite() {
        return plain(mean);
    }
    let decimals = significant_decimals(half, 2).min(significant_decimals(mean, 4).max(1)).min(6);
    // `± 0.00` would say that nothing is left to chance.
    if !grouped(half, decimals).contains(|c: char| matches!(c, '1'..='9')) {
        return grouped(mean, decimals);
    }
    let sides = [mean - low, high - mean];
    match sides.iter().all(|side| (side - half).abs() <= LOPSIDED * half) {
        true => format!("{} ± {}", grouped(mean, decimals), grouped(half, decimals)),
        false => {
            let [mean, low, high] = [mean, low, high].map(|value| grouped(value, decimals));
            format!("{mean} [{low}, {high}]")
        }
    }
}

/// A difference with its interval and its sign: `+0.44 ± 0.13`.
pub fn signed(mean: f64, interval: Option<[f64; 2]>) -> String {
    let text = with_interval(mean, interval);
    if mean > 0.0 { format!("+{text}") } else { text }
}

/// A count: without decimals if it is whole.
pub(crate) fn count(value: f64) -> String {
    if value.is_finite() && value == value.trunc() { grouped(value, 0) } else { plain(value) }
}

/// An axis label: no more decimals than needed.
pub(crate) fn tick(value: f64) -> String {
    // Ticks are multiples of 1, 2 or 5 times a power of ten; rounding errors of their sums are cut.
    let text = grouped(value, 4);
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Decimals that show `digits` significant digits of `value`.
fn significant_decimals(value: f64, digits: usize) -> usize {
    let (mut value, mut decimals) = (value.abs(), digits.saturating_sub(1));
    while value >= 10.0 && decimals > 0 {
        value /= 10.0;
        decimals -= 1;
    }
    while value < 1.0 && value > 0.0 && decimals < 12 {
        value *= 10.0;
        decimals += 1;
    }
    decimals
}

/// Groups digits before the point by three with commas.
fn grouped(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let (whole, fraction) = text.split_once('.').map_or((text.as_str(), ""), |(w, f)| (w, f));
    let (sign, digits) = whole.strip_prefix('-').map_or(("", whole), |d| ("-", d));
    let sign = if text.contains(|c: char| matches!(c, '1'..='9')) { sign } else { "" }; // no negative zero
    let mut out = String::with_capacity(text.len() + digits.len() / 3);
    out.push_str(sign);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if !fraction.is_empty() {
        out.push('.');
        out.push_str(fraction);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_are_enough() {
        let cases = [
            (0.0, "0"),
            (1234567.8, "1,234,568"),
            (96.44, "96.4"),
            (9.6451, "9.65"),
            (0.005, "0.00500"),
            (123.4, "123"),
            (-1500.0, "-1,500"),
            (1.5e-7, "1.5e-7"),
            (f64::NAN, "–"),
        ];
        for (value, text) in cases {
            assert_eq!(plain(value), text);
        }
        assert_eq!((count(12345.0), count(2.5)), ("12,345".to_owned(), "2.50".to_owned()));
    }

    #[test]
    fn an_interval_sets_the_decimals_of_its_mean() {
        let around = |mean: f64, half: f64| with_interval(mean, Some([mean - half, mean + half]));
        assert_eq!(around(96.437, 0.128), "96.44 ± 0.13");
        assert_eq!(around(12345.6, 321.0), "12,346 ± 321");
        assert_eq!(with_interval(5.0, None), "5.00");
        assert_eq!(around(5.0, 0.0), "5.00");
        assert_eq!(around(0.0, 0.0), "0");
        assert_eq!(around(43.2, 0.00001), "43.20");
    }

    #[test]
    fn a_lopsided_interval_shows_its_ends() {
        assert_eq!(with_interval(0.2, Some([0.033770, 0.730461])), "0.20 [0.03, 0.73]");
        assert_eq!(with_interval(4.667, Some([0.0, 20.77])), "5 [0, 21]");
        assert_eq!(with_interval(10.0, Some([9.05, 11.05])), "10.0 ± 1.0");
        assert_eq!(with_interval(10.0, Some([9.2, 11.2])), "10.0 [9.2, 11.2]");
    }

    #[test]
    fn a_difference_has_a_sign() {
        assert_eq!(signed(0.437, Some([0.309, 0.565])), "+0.44 ± 0.13");
        assert_eq!(signed(-83.4, None), "-83.4");
        assert_eq!(signed(0.0, Some([0.0, 0.0])), "0");
    }

    #[test]
    fn ticks_carry_no_trailing_zeros() {
        assert_eq!([0.30000000000000004, 20.0, 1500.0, -0.0].map(tick), ["0.3", "20", "1,500", "0"]);
    }
}

//! Numbers in tables.

use serde::Serialize;

/// A number and, in a lighter colour, its interval.
#[derive(Debug, Clone, Serialize, PartialEq)]
pub(super) struct Number {
    mean: String,
    interval: String,
    /// Sign and size of a difference from the baseline.
    mark: Option<(&'static str, String)>,
}

impl Number {
    /// The parts of `96.44 ± 0.13` or `0.16 [0.03, 0.73]`.
    pub(super) fn of(text: &str) -> Number {
        let at = text.find(" ± ").or_else(|| text.find(" ["));
        let (mean, interval) = at.map_or((text, ""), |at| text.split_at(at));
        Number { mean: mean.to_owned(), interval: interval.to_owned(), mark: None }
    }

    /// With a mark and its tooltip.
    pub(super) fn marked(self, sign: &'static str, tooltip: String) -> Number {
        Number { mark: Some((sign, tooltip)), ..self }
    }

    /// The number, or a dash.
    pub(super) fn or_dash(text: Option<String>) -> Number {
        Number::of(text.as_deref().unwrap_or("–"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_set_apart() {
        let parts = |text| {
            let number = Number::of(text);
            (number.mean, number.interval)
        };
        let cases =
            [("96.44 ± 0.13", "96.44", " ± 0.13"), ("0.2 [0.1, 0.7]", "0.2", " [0.1, 0.7]"), ("–", "–", "")];
        for (text, mean, interval) in cases {
            assert_eq!(parts(text), (mean.to_owned(), interval.to_owned()));
        }
    }
}

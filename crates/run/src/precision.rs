//! Seeds added until the confidence interval of a metric is narrow enough.

use jettison_measure::{Declared, metrics};
use jettison_registry::nearest;
use jettison_report::{RunSummary, Summary, SummaryRow, names_object};
use thiserror::Error;

/// Number of seeds below which an interval says little.
const FEWEST: usize = 3;

/// A required width of the 95 % confidence interval of one metric, for every variant.
#[derive(Debug, Clone, PartialEq)]
pub struct Precision {
    /// The largest half width of the interval, relative to the mean.
    pub share: f64,
    /// The object; `tcp.*` stands for all whose names begin with `tcp.`.
    pub object: String,
    /// The metric, with its part: `goodput`, `drops:codel`.
    pub metric: String,
    /// The largest number of seeds.
    pub most: usize,
}

/// The widest interval of a precision's metric.
#[derive(Debug, Clone, PartialEq)]
pub struct Widest {
    /// The variant.
    pub variant: String,
    /// The object.
    pub object: String,
    /// Half the interval's width, relative to the mean; infinite without an interval.
    pub share: f64,
}

/// An error in a required precision.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum PrecisionError {
    /// The share cannot be used.
    #[error("--precision must be a percentage in (0, 100), such as 2%, got `{0}`")]
    Share(String),
    /// The metric cannot be read.
    #[error("--of must be OBJECT:METRIC, such as \"all flows:goodput\" or \"bulk:rtt\", got `{0}`")]
    Metric(String),
    /// There is no such metric.
    #[error("unknown metric `{name}` in --of; {help}")]
    Undeclared {
        /// The name.
        name: String,
        /// The nearest names.
        help: String,
    },
    /// No run has measured the metric.
    #[error("no run has measured `{wanted}`{help}")]
    Unknown {
        /// The object and metric.
        wanted: String,
        /// The nearest names.
        help: String,
    },
    /// Some variant has not measured the metric.
    #[error("`{wanted}` was not measured under `{variant}`, so no number of seeds gives it that precision")]
    Unmeasured {
        /// The object and metric.
        wanted: String,
        /// The variant.
        variant: String,
    },
}

impl Precision {
    /// Reads `2%` and `all flows:goodput`.
    ///
    /// # Errors
    /// If one of them is malformed.
    pub fn parse(share: &str, of: &str, most: usize) -> Result<Precision, PrecisionError> {
        let number = share.strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
        let percent = number.filter(|percent| *percent > 0.0 && *percent < 100.0);
        let percent = percent.ok_or_else(|| PrecisionError::Share(share.to_owned()))?;
        let parts = of.split_once(':').filter(|(object, metric)| !object.is_empty() && !metric.is_empty());
        let (object, metric) = parts.ok_or_else(|| PrecisionError::Metric(of.to_owned()))?;
        // Before the first run, as far as it can be known.
        let stem = metric.split(':').next().unwrap_or(metric);
        if Declared::named(stem).is_none() {
            let known = metrics::DECLARED.iter().map(|declared| declared.metric.name);
            return Err(PrecisionError::Undeclared {
                name: stem.to_owned(),
                help: jettison_registry::suggestion(stem, known),
            });
        }
        Ok(Precision { share: percent / 100.0, object: object.to_owned(), metric: metric.to_owned(), most })
    }

    /// The object and metric, as they were given.
    pub fn name(&self) -> String {
        format!("{}:{}", self.object, self.metric)
    }

    /// The seeds to begin with: the scenario's, and at least three.
    pub fn first(&self, seeds: &[u64]) -> Vec<u64> {
        self.extended(seeds, FEWEST)
    }

    /// The seeds to continue with; `None` if the interval is narrow enough or the limit is reached.
    ///
    /// The number depends on the runs alone, so that a repetition adds the same seeds.
    pub fn next(&self, seeds: &[u64], widest: &Widest) -> Option<Vec<u64>> {
        if widest.share <= self.share || seeds.len() >= self.most {
            return None;
        }
        // The width falls with the square root of the number; the estimate is rough for few seeds, so at most twice.
        let now = seeds.len() as f64;
        let ratio = widest.share / self.share;
        let wanted = (now * ratio * ratio).ceil().clamp(now + 1.0, 2.0 * now);
        Some(self.extended(seeds, wanted as usize))
    }

    /// `seeds`, continued to that number, within the limit.
    fn extended(&self, seeds: &[u64], number: usize) -> Vec<u64> {
        let mut seeds = seeds.to_vec();
        let mut last = seeds.last().copied().unwrap_or(0);
        while seeds.len() < number.min(self.most) {
            last = last.wrapping_add(1);
            if !seeds.contains(&last) {
                seeds.push(last);
            }
        }
        seeds
    }

    /// Whether `seeds` are what [`Precision::next`] may have made of a scenario's.
    pub fn may_have_made(&self, seeds: &[u64], of: &[u64]) -> bool {
        seeds.len() >= of.len() && self.extended(of, seeds.len()) == seeds
    }

    /// The widest interval over all variants and objects.
    ///
    /// # Errors
    /// If a variant has not measured the metric.
    pub fn widest(&self, runs: &[RunSummary], variants: &[&str]) -> Result<Widest, PrecisionError> {
        let summary = Summary::of(runs);
        let is_wanted =
            |row: &&SummaryRow| names_object(&self.object, &row.object) && row.full_metric() == self.metric;
        let rows: Vec<&SummaryRow> = summary.rows.iter().filter(is_wanted).collect();
        if rows.is_empty() {
            return Err(PrecisionError::Unknown { wanted: self.name(), help: self.help(&summary) });
        }
        if let Some(variant) = variants.iter().find(|variant| rows.iter().all(|row| row.variant != **variant))
        {
            let variant = (*variant).to_owned();
            return Err(PrecisionError::Unmeasured { wanted: self.name(), variant });
        }
        let mut widest: Option<Widest> = None;
        for row in rows {
            let share = match row.estimate.half_width() {
                Some(0.0) => 0.0,
                Some(half) => half / row.estimate.mean.abs(),
                None => f64::INFINITY,
            };
            if widest.as_ref().is_none_or(|widest| share > widest.share) {
                widest = Some(Widest { variant: row.variant.clone(), object: row.object.clone(), share });
            }
        }
        Ok(widest.expect("there is a row"))
    }

    fn help(&self, summary: &Summary) -> String {
        let objects: Vec<&str> = summary.rows.iter().map(|row| row.object.as_str()).collect();
        let metrics: Vec<(String, &str)> =
            summary.rows.iter().map(|row| (row.full_metric(), row.object.as_str())).collect();
        let is_there = |object: &str| names_object(&self.object, object);
        if !objects.iter().any(|object| is_there(object)) {
            let mut known: Vec<&str> = Vec::new();
            objects.iter().for_each(|object| {
                if !known.contains(object) {
                    known.push(object)
                }
            });
            return match nearest(&self.object, known.iter().copied()) {
                Some(name) => format!("; did you mean `{name}:{}`?", self.metric),
                None => format!("; objects are {}", known.join(", ")),
            };
        }
        let mut known: Vec<&str> = Vec::new();
        for (metric, _) in metrics.iter().filter(|(_, object)| is_there(object)) {
            if !known.contains(&metric.as_str()) {
                known.push(metric);
            }
        }
        match nearest(&self.metric, known.iter().copied()) {
            Some(name) => format!("; did you mean `{}:{name}`?", self.object),
            None => format!("; metrics of `{}` are {}", self.object, known.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use jettison_report::{RunKey, RunValue};

    use super::*;

    fn runs(values: &[f64]) -> Vec<RunSummary> {
        let value = |mean: f64| RunValue {
            object: "all flows".to_owned(),
            metric: "goodput".to_owned(),
            unit: "Mbit/s".to_owned(),
            part: String::new(),
            mean,
            percentiles: None,
        };
        let run = |(seed, mean): (usize, &f64)| {
            let key = RunKey { variant: "v".to_owned(), seed: seed as u64 + 1 };
            RunSummary::new(key, vec![value(*mean)])
        };
        values.iter().enumerate().map(run).collect()
    }

    fn two_percent() -> Precision {
        Precision::parse("2%", "all flows:goodput", 20).unwrap()
    }

    #[test]
    fn options_are_read_or_refused_with_an_example() {
        let read = two_percent();
        assert_eq!((read.share, read.name().as_str()), (0.02, "all flows:goodput"));
        let unknown = Precision::parse("2%", "bulk:gooput", 9).unwrap_err().to_string();
        assert!(unknown.contains("unknown metric `gooput`") && unknown.contains("`goodput`"), "{unknown}");
        assert_eq!(Precision::parse("1 %", "q:drops:codel", 9).unwrap().metric, "drops:codel");
        for share in ["2", "0%", "100%", "-1%", "x%", "nan%"] {
            assert_eq!(Precision::parse(share, "a:b", 9), Err(PrecisionError::Share(share.to_owned())));
        }
        for of in ["goodput", ":goodput", "bulk:"] {
            assert_eq!(Precision::parse("2%", of, 9), Err(PrecisionError::Metric(of.to_owned())));
        }
    }

    #[test]
    fn seeds_continue_the_sequence_within_the_limit() {
        let precision = two_percent();
        assert_eq!(precision.first(&[1]), [1, 2, 3]);
        assert_eq!(precision.first(&[5, 6, 7, 8]), [5, 6, 7, 8]);
        assert_eq!(precision.first(&[9, 2]), [9, 2, 3]);
        let wide = |share| Widest { variant: String::new(), object: String::new(), share };
        assert_eq!(precision.next(&[1, 2, 3], &wide(0.02)), None);
        assert_eq!(precision.next(&[1, 2, 3], &wide(0.0201)), Some(vec![1, 2, 3, 4]));
        assert_eq!(precision.next(&[1, 2, 3], &wide(f64::INFINITY)), Some((1..=6).collect()));
        let most: Vec<u64> = (1..=20).collect();
        assert_eq!(precision.next(&most[..15], &wide(1.0)), Some(most.clone()));
        assert_eq!(precision.next(&most, &wide(1.0)), None);
        assert!(!precision.may_have_made(&[9, 2, 3], &[9]) && precision.may_have_made(&[9, 10, 11], &[9]));
    }

    #[test]
    fn the_widest_interval_decides() {
        let precision = two_percent();
        // Mean 6, half width 3.926486: see `Estimate`.
        let widest = precision.widest(&runs(&[2.0, 4.0, 6.0, 8.0, 10.0]), &["v"]).unwrap();
        assert!(widest.share > 0.0 && widest.share.is_finite(), "{widest:?}");
        assert_eq!(precision.widest(&runs(&[2.0, 2.0]), &["v"]).unwrap().share, 0.0);
        assert_eq!(precision.widest(&runs(&[2.0]), &["v"]).unwrap().share, f64::INFINITY);
    }

    #[test]
    fn unknown_names_get_the_nearest_one() {
        let message = |of: &str| {
            let precision = Precision::parse("2%", of, 9).unwrap();
            precision.widest(&runs(&[1.0, 2.0]), &["v"]).unwrap_err().to_string()
        };
        assert_eq!(
            message("al flows:goodput"),
            "no run has measured `al flows:goodput`; did you mean `all flows:goodput`?"
        );
        assert_eq!(
            message("all*:sojourn"),
            "no run has measured `all*:sojourn`; metrics of `all*` are goodput"
        );
        let error = two_percent().widest(&runs(&[1.0, 2.0]), &["v", "w"]).unwrap_err().to_string();
        assert!(error.contains("was not measured under `w`"), "{error}");
    }
}

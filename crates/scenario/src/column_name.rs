//! Names of columns in tables of results: a metric, and which statistic of its distribution.

use jettison_measure::{Declared, Kept, metrics};
use jettison_registry::nearest;
use thiserror::Error;

/// A column of a table: `goodput`, `rtt_mean`, `rtt_p99`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColumnName {
    /// The metric.
    pub metric: &'static Declared,
    /// The percentile: 50, 95 or 99; none for the mean or the count.
    pub percentile: Option<u8>,
}

/// A name that no column has.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown column `{0}`")]
pub struct UnknownColumn(String);

/// Endings of names with their percentiles.
const ENDINGS: [(&str, Option<u8>); 5] =
    [("_mean", None), ("_median", Some(50)), ("_p50", Some(50)), ("_p95", Some(95)), ("_p99", Some(99))];

/// Heads of columns in tables that are not the metric's name, with blanks as underscores.
const HEADS: [(&str, &str); 14] = [
    ("freezes", "freeze_rate"),
    ("time_frozen", "freeze_ratio"),
    ("time_stalled", "stall_ratio"),
    ("in_time", "frames_in_time"),
    ("in_time_at", "frames_in_time"),
    ("frames/s", "frames_per_second"),
    ("representation", "representation_rate"),
    ("start-up", "start_up_delay"),
    ("p.1203_score", "p1203_parametric"),
    ("sqi-ssim", "sqi_ssim"),
    ("sqi-ssim_at", "sqi_at_deadline"),
    ("aoi", "age_of_information"),
    ("decoded", "frames_decoded"),
    ("refused", "refused_messages"),
];

impl ColumnName {
    /// The column of that name, or with that head in a table: `rtt_p99`, `RTT p99`.
    ///
    /// # Errors
    /// If no metric in summaries has it, or the metric has no percentiles.
    pub fn parse(name: &str) -> Result<ColumnName, UnknownColumn> {
        ColumnName::exact(name).or_else(|unknown| {
            let head = name.split(" (").next().unwrap_or(name).trim().to_lowercase().replace(' ', "_");
            let of_head = |(stem, metric): &(&str, &str)| {
                let ending = head.strip_prefix(stem)?;
                ColumnName::exact(&format!("{metric}{ending}")).ok()
            };
            ColumnName::exact(&head).ok().or_else(|| HEADS.iter().find_map(of_head)).ok_or(unknown)
        })
    }

    /// The column of exactly that name.
    fn exact(name: &str) -> Result<ColumnName, UnknownColumn> {
        let whole = summed(name).map(|metric| ColumnName { metric, percentile: None });
        let ending = || {
            ENDINGS.into_iter().find_map(|(ending, percentile)| {
                let metric = summed(name.strip_suffix(ending)?)?;
                let is_there = percentile.is_none() || metric.kept.contains(&Kept::Distribution);
                is_there.then_some(ColumnName { metric, percentile })
            })
        };
        whole.or_else(ending).ok_or_else(|| UnknownColumn(name.to_owned()))
    }

    /// All names, without their synonyms.
    pub fn all() -> impl Iterator<Item = String> {
        let summed = metrics::DECLARED.iter().filter(|declared| declared.kept.contains(&Kept::Summary));
        summed.flat_map(|declared| {
            let endings: &[&str] = match declared.kept.contains(&Kept::Distribution) {
                true => &["_mean", "_median", "_p95", "_p99"],
                false => &[""],
            };
            endings.iter().map(move |ending| format!("{}{ending}", declared.metric.name))
        })
    }
}

/// The metric of that name, if summaries have it.
fn summed(name: &str) -> Option<&'static Declared> {
    Declared::named(name).filter(|declared| declared.kept.contains(&Kept::Summary))
}

impl UnknownColumn {
    /// The nearest name, or where the names are listed.
    pub fn help(&self) -> String {
        let names: Vec<String> = ColumnName::all().collect();
        match nearest(&self.0, names.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "columns are metrics, as `goodput`, or with a statistic, as `rtt_mean` and `rtt_p99`; \
                     `jettison list metrics` has all"
                .to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_of_tables_are_names_too() {
        let metric = |name: &str| ColumnName::parse(name).map(|own| (own.metric.metric.name, own.percentile));
        assert_eq!(metric("RTT p99"), Ok(("rtt", Some(99))));
        assert_eq!(metric("freezes"), Ok(("freeze_rate", None)));
        assert_eq!(metric("time frozen"), Ok(("freeze_ratio", None)));
        assert_eq!(metric("in time at"), Ok(("frames_in_time", None)));
        assert_eq!(metric("P.1203 score"), Ok(("p1203_parametric", None)));
        assert_eq!(metric("AoI p99"), Ok(("age_of_information", Some(99))));
        assert_eq!(metric("frame latency p99 (shown)"), Ok(("frame_latency", Some(99))));
        assert!(metric("freezing").is_err() && metric("").is_err());
    }

    #[test]
    fn every_name_of_the_list_is_a_column() {
        for name in ColumnName::all() {
            assert!(ColumnName::parse(&name).is_ok(), "{name}");
        }
        assert!(["rtt_p99", "goodput"].iter().all(|name| ColumnName::all().any(|other| other == *name)));
    }

    #[test]
    fn percentiles_need_a_distribution() {
        let percentile = |name| ColumnName::parse(name).map(|column| column.percentile).ok();
        assert_eq!(percentile("rtt_p99"), Some(Some(99)));
        assert_eq!(percentile("rtt"), Some(None));
        assert_eq!(percentile("goodput_mean"), Some(None));
        for wrong in ["goodput_p99", "cwnd", "rtt_p98", "rtts", ""] {
            assert_eq!(percentile(wrong), None, "{wrong}");
        }
        assert_eq!(ColumnName::parse("godput").unwrap_err().help(), "did you mean `goodput`?");
    }
}

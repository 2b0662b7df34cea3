//! One unit per metric on the whole page.

use std::collections::HashMap;

use super::data::PlotData;
use super::series::scaled;
use crate::columns::{Column, ColumnValue};
use crate::number;
use crate::store::Results;

/// The unit of each metric, and its divisor.
#[derive(Debug, Default)]
pub(super) struct Units {
    by_metric: HashMap<String, Unit>,
}

#[derive(Debug)]
struct Unit {
    /// The unit of the stored values.
    stored: String,
    shown: String,
    scale: f64,
}

impl Units {
    /// Units with short numbers for the largest means of the summary and, of metrics without one, for the largest samples.
    pub(super) fn of(results: &Results, data: &PlotData) -> Units {
        let mut largest: HashMap<&str, f64> = HashMap::new();
        for row in results.summary.rows.iter().filter(|row| row.part.is_empty()) {
            let value = largest.entry(&row.metric).or_default();
            *value = value.max(row.estimate.mean.abs());
        }
        for (metric, value) in data.largest() {
            largest.entry(metric).or_insert(value);
        }
        let mut units = Units::default();
        for (metric, largest) in largest {
            units.add(metric, results.manifest.unit(metric), largest);
        }
        units
    }

    /// Chooses the unit of a metric by its largest value.
    pub(super) fn add(&mut self, metric: &str, stored: &str, largest: f64) {
        let (shown, scale) = scaled(stored, largest);
        let unit = Unit { stored: stored.to_owned(), shown: shown.to_owned(), scale };
        self.by_metric.insert(metric.to_owned(), unit);
    }

    /// A metric's unit and its divisor.
    pub(super) fn unit(&self, metric: &str) -> (&str, f64) {
        self.by_metric.get(metric).map_or(("", 1.0), |unit| (unit.shown.as_str(), unit.scale))
    }

    /// The unit and the divisor for a value of the summary. Some metrics have parts in other units, such as counts.
    pub(super) fn of_row<'a>(&'a self, metric: &str, stored: &'a str) -> (&'a str, f64) {
        match self.by_metric.get(metric).filter(|unit| unit.stored == stored) {
            Some(unit) => (&unit.shown, unit.scale),
            None => (stored, 1.0),
        }
    }

    /// The unit for headings of a column; empty if there is none or the title implies it.
    pub(super) fn heading<'a>(&'a self, column: &'a Column) -> &'a str {
        match self.of_row(&column.metric, &column.unit).0 {
            unit if unit == column.unit => column.shown_unit(),
            unit => unit,
        }
    }

    /// The divisor for a column's values.
    pub(super) fn divisor(&self, column: &Column) -> f64 {
        self.of_row(&column.metric, &column.unit).1
    }

    /// A column's value as tables print it.
    pub(super) fn text(&self, column: &Column, value: &ColumnValue) -> String {
        let scale = self.divisor(column);
        match scale {
            1.0 => value.text(),
            _ => number::with_interval(
                value.estimate.mean / scale,
                value.estimate.ci95.map(|ends| ends.map(|end| end / scale)),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::Statistic;
    use crate::estimate::Estimate;

    #[test]
    fn tables_and_plots_have_the_same_unit() {
        let mut units = Units::default();
        units.add("burst_time", "ms", 45_000.0);
        units.add("rtt", "ms", 90.0);
        assert_eq!((units.unit("burst_time"), units.unit("rtt")), (("s", 1e3), ("ms", 1.0)));
        let column = |metric: &str, unit: &str| Column {
            title: String::new(),
            unit: unit.to_owned(),
            subject: String::new(),
            objects: Vec::new(),
            metric: metric.to_owned(),
            part: String::new(),
            statistic: Statistic::P99,
        };
        let estimate = Estimate { mean: 1_500.0, ci95: Some([1_400.0, 1_600.0]), n: 5 };
        let value = ColumnValue { estimate, is_count: false };
        assert_eq!(units.heading(&column("burst_time", "ms")), "s");
        assert_eq!(units.text(&column("burst_time", "ms"), &value), "1.50 ± 0.10");
        assert_eq!(units.text(&column("rtt", "ms"), &value), value.text());
        // A metric that is also counted keeps the counts.
        assert_eq!(units.of_row("burst_time", "count"), ("count", 1.0));
        assert_eq!(units.of_row("burst_time", "ms"), ("s", 1e3));
    }
}

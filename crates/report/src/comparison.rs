//! The values of the comparison's columns for all variants, and their differences from the baselines.

use std::collections::HashMap;

use crate::columns::{Column, ColumnValue, comparison_columns};
use crate::difference::{Paired, paired};
use crate::model::Variant;
use crate::samples::by_variant;
use crate::store::Results;

/// All columns with the values of all runs.
pub(crate) struct Comparison<'a> {
    /// The variants, in the order of the experiment.
    pub variants: &'a [Variant],
    /// The columns.
    pub columns: Vec<Column>,
    /// Index of each variant's baseline.
    baselines: Vec<Option<usize>>,
    /// Number of runs of each variant.
    runs: Vec<usize>,
    /// Values by column, variant and seed.
    values: Vec<Vec<Vec<(u64, f64)>>>,
}

/// A difference from a baseline as tables mark it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// The interval of the difference lies above zero.
    Above,
    /// It lies below zero.
    Below,
    /// It contains zero, or there is none.
    Unclear,
}

impl Mark {
    /// The mark of a difference.
    pub fn of(paired: &Paired) -> Mark {
        match paired.estimate.excludes(0.0) {
            true if paired.estimate.mean > 0.0 => Mark::Above,
            true => Mark::Below,
            false => Mark::Unclear,
        }
    }

    /// The sign in tables.
    pub fn sign(self) -> &'static str {
        match self {
            Mark::Above => "▲",
            Mark::Below => "▼",
            Mark::Unclear => "",
        }
    }
}

impl<'a> Comparison<'a> {
    /// The comparison of stored results.
    pub fn of(results: &'a Results) -> Comparison<'a> {
        Comparison::with(results, comparison_columns(results))
    }

    /// The comparison of stored results in these columns.
    pub fn with(results: &'a Results, columns: Vec<Column>) -> Comparison<'a> {
        let variants = results.manifest.experiment.variants.as_slice();
        let runs = by_variant(&results.runs);
        let places: HashMap<&str, usize> =
            variants.iter().enumerate().map(|(place, variant)| (variant.name.as_str(), place)).collect();
        let baseline = |(place, variant): (usize, &Variant)| {
            let baseline = places.get(variant.baseline.as_deref()?)?;
            (*baseline != place).then_some(*baseline)
        };
        let baselines = variants.iter().enumerate().map(baseline).collect();
        let of_variant = |variant: &Variant| runs.get(variant.name.as_str()).map_or(&[][..], Vec::as_slice);
        let values = columns.iter().map(|column| {
            variants.iter().map(|variant| column.by_seed(of_variant(variant).iter().copied())).collect()
        });
        let values = values.collect();
        let runs = variants.iter().map(|variant| of_variant(variant).len()).collect();
        Comparison { variants, columns, baselines, runs, values }
    }

    /// The value of a column for a variant.
    pub fn value(&self, column: usize, variant: usize) -> Option<ColumnValue> {
        self.columns[column].of(&self.values[column][variant])
    }

    /// The values of a column for a variant, by seed.
    pub fn by_seed(&self, column: usize, variant: usize) -> &[(u64, f64)] {
        &self.values[column][variant]
    }

    /// Index of a variant's baseline.
    pub fn baseline(&self, variant: usize) -> Option<usize> {
        self.baselines[variant]
    }

    /// Whether any variant has a baseline.
    pub fn has_baselines(&self) -> bool {
        self.baselines.iter().any(Option::is_some)
    }

    /// Title of the baseline that all variants with a baseline share, if they do.
    pub fn common_baseline(&self) -> Option<String> {
        let mut found = self.baselines.iter().flatten();
        let first = found.next()?;
        found.all(|other| other == first).then(|| self.variants[*first].title())
    }

    /// A variant's difference from its baseline over the seeds that both have; `None` without a common seed.
    pub fn difference(&self, column: usize, variant: usize) -> Option<Paired> {
        let (values, baseline) = (&self.values[column], self.baselines[variant]?);
        paired(self.columns[column].domain(), &values[baseline], &values[variant])
    }

    /// The mark of that difference, if there is one.
    pub fn mark(&self, column: usize, variant: usize) -> Option<Mark> {
        self.difference(column, variant).map(|paired| Mark::of(&paired))
    }

    /// The numbers of seeds behind the values: `5 seeds`, and `; fewer: …`, empty if nothing has fewer. `title` names a column.
    pub fn seeds(&self, title: &dyn Fn(&Column) -> String) -> (String, String) {
        let most = self.runs.iter().copied().max().unwrap_or(0);
        let mut fewer = Vec::new();
        for (variant, runs) in self.variants.iter().zip(&self.runs).filter(|(_, runs)| **runs < most) {
            fewer.push(format!("{} {runs}", variant.title()));
        }
        for (at, column) in self.columns.iter().enumerate() {
            let counts = self.values[at].iter().zip(&self.runs);
            // A variant without any value has none to explain: its cell says so.
            let is_short = |values: &[(u64, f64)], runs: usize| !values.is_empty() && values.len() < runs;
            let short: Vec<usize> = counts
                .filter(|(values, runs)| is_short(values, **runs))
                .map(|(values, _)| values.len())
                .collect();
            if let (Some(least), Some(greatest)) = (short.iter().min(), short.iter().max()) {
                let count =
                    if least == greatest { least.to_string() } else { format!("{least} to {greatest}") };
                // Without a variant's name if all of them have as few.
                let of = match short.len() == self.runs.iter().filter(|runs| **runs > 0).count() {
                    true => String::new(),
                    false => {
                        let names = self.values[at].iter().zip(&self.runs).zip(self.variants);
                        let names = names.filter(|((values, runs), _)| is_short(values, **runs));
                        let names: Vec<String> = names.map(|(_, variant)| variant.title()).collect();
                        format!(" of {}", listed(&names, LISTED))
                    }
                };
                fewer.push(format!("{}{of} {count}", title(column)));
            }
        }
        let seeds = format!("{most} {}", if most == 1 { "seed" } else { "seeds" });
        match fewer.is_empty() {
            true => (seeds, String::new()),
            false => (seeds, format!("; fewer: {}", listed(&fewer, 2 * LISTED))),
        }
    }
}

/// Number of names in lists within a sentence.
const LISTED: usize = 4;

/// `a, b and 3 more`.
pub(crate) fn listed(names: &[String], most: usize) -> String {
    match names.len() > most {
        true => format!("{} and {} more", names[..most - 1].join(", "), names.len() + 1 - most),
        false => names.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    fn place(comparison: &Comparison<'_>, title: &str) -> usize {
        comparison.columns.iter().position(|column| column.title == title).unwrap()
    }

    #[test]
    fn columns_are_compared_with_the_baseline_seed_by_seed() {
        let folder = tempfile::tempdir().unwrap();
        let results = testing::results(&folder.path().join("out"));
        let comparison = Comparison::of(&results);
        let sojourn = place(&comparison, "sojourn mean");
        assert_eq!(comparison.baseline(0), None);
        assert_eq!(comparison.common_baseline().as_deref(), Some("tail-drop"));
        let found = comparison.difference(sojourn, 1).unwrap();
        let value = |variant: &str, seed: u64| {
            let mut runs = results.runs.iter();
            let run = runs.find(|run| run.key.variant == variant && run.key.seed == seed).unwrap();
            run.value("bottleneck.forward", "sojourn", "").unwrap().mean
        };
        let differences: Vec<f64> =
            (1..=3).map(|seed| value("codel", seed) - value("tail-drop", seed)).collect();
        assert!((found.estimate.mean - differences.iter().sum::<f64>() / 3.0).abs() < 1e-9);
        assert_eq!(comparison.mark(sojourn, 1), Some(Mark::Above));
        assert_eq!(comparison.mark(sojourn, 0), None);
    }

    #[test]
    fn seeds_are_counted_by_variant_and_column() {
        let folder = tempfile::tempdir().unwrap();
        let mut results = testing::results(&folder.path().join("out"));
        let told = |results: &Results| {
            let (seeds, fewer) = Comparison::of(results).seeds(&|column: &Column| column.title.clone());
            seeds + &fewer
        };
        assert_eq!(told(&results), "3 seeds");
        results.runs.retain(|run| run.key.variant != "codel" || run.key.seed == 1);
        assert_eq!(told(&results), "3 seeds; fewer: codel 1");
        for run in results.runs.iter_mut().filter(|run| run.key.variant == "tail-drop" && run.key.seed == 2) {
            let values = run.values.iter().filter(|value| value.metric != "rtt").cloned().collect();
            *run = crate::summary::RunSummary::new(run.key.clone(), values);
        }
        let told = told(&results);
        assert!(told.starts_with("3 seeds; fewer: codel 1, RTT mean of tail-drop 2, "), "{told}");
    }
}

//! The extreme of several comparisons: what "1.6 to 18 times lower" and "under all schemes" say.
//!
//! A row with `among` stands for one comparison per combination of its values. Each `{name}` in the names of variants and
//! objects takes them in turn, and the row's value is the smallest or largest of our means.

use std::collections::BTreeMap;

use jettison_report::RunSummary;
use serde::Deserialize;

use super::paper::{Pick, Row};

/// Which of the comparisons a row with `among` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Extreme {
    /// The one with the smallest mean.
    Smallest,
    /// The one with the largest mean.
    Largest,
}

/// One comparison: our value, and the one to divide by.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// Our value.
    pub ours: Pick,
    /// Our value to divide by.
    pub over: Option<Pick>,
}

impl Comparison {
    /// Its values by seed, for each seed that has all parts of it.
    pub fn samples(&self, row: &Row, runs: &[RunSummary]) -> BTreeMap<u64, f64> {
        let over = self.over.as_ref().map(|over| over.values(runs));
        self.ours
            .values(runs)
            .into_iter()
            .filter_map(|(seed, ours)| match &over {
                None => Some((seed, ours)),
                Some(over) => over.get(&seed).filter(|over| **over != 0.0).map(|over| (seed, ours / over)),
            })
            .map(|(seed, ours)| (seed, ours * row.scale + row.offset))
            .collect()
    }

    /// The variants, as tables name them.
    pub fn variants(&self) -> String {
        match &self.over {
            Some(over) => format!("{} / {}", self.ours.variant, over.variant),
            None => self.ours.variant.clone(),
        }
    }

    fn with(&self, name: &str, value: &str) -> Comparison {
        let place = format!("{{{name}}}");
        let filled = |pick: &Pick| Pick {
            variant: pick.variant.replace(&place, value),
            object: pick.object.replace(&place, value),
            ..pick.clone()
        };
        Comparison { ours: filled(&self.ours), over: self.over.as_ref().map(filled) }
    }

    /// Texts that can have places for values.
    fn texts(&self) -> impl Iterator<Item = &str> {
        [Some(&self.ours), self.over.as_ref()]
            .into_iter()
            .flatten()
            .flat_map(|pick| [pick.variant.as_str(), pick.object.as_str()])
    }
}

impl Row {
    /// All comparisons of the row: one, or one per combination of the values of `among`.
    pub fn comparisons(&self) -> Vec<Comparison> {
        let own = vec![Comparison { ours: self.ours.clone(), over: self.over.clone() }];
        self.among.iter().fold(own, |comparisons, (name, values)| {
            comparisons.iter().flat_map(|c| values.iter().map(|value| c.with(name, value))).collect()
        })
    }

    /// The comparison that the row takes, with its values by seed. If one of them has no value, it is that one: the
    /// extreme of the others would say less than the row.
    pub(super) fn taken(&self, runs: &[RunSummary]) -> (Comparison, BTreeMap<u64, f64>) {
        let mut taken: Option<(Comparison, BTreeMap<u64, f64>, f64)> = None;
        for comparison in self.comparisons() {
            let samples = comparison.samples(self, runs);
            if samples.is_empty() {
                return (comparison, samples);
            }
            let mean = samples.values().sum::<f64>() / samples.len() as f64;
            let is_further = taken.as_ref().is_none_or(|(_, _, other)| match self.extreme {
                Some(Extreme::Smallest) => mean < *other,
                Some(Extreme::Largest) | None => mean > *other,
            });
            if is_further {
                taken = Some((comparison, samples, mean));
            }
        }
        taken.map_or_else(
            || (Comparison { ours: self.ours.clone(), over: self.over.clone() }, BTreeMap::new()),
            |(comparison, samples, _)| (comparison, samples),
        )
    }

    /// Checks `among` and `extreme`.
    pub(super) fn check_among(&self) -> Result<(), String> {
        match (self.among.is_empty(), self.extreme) {
            (false, None) => return Err("`among` requires `extreme`, `smallest` or `largest`".to_owned()),
            (true, Some(_)) => return Err("`extreme` requires `among`".to_owned()),
            _ => {}
        }
        if self.extreme.is_some() && self.series.is_some() {
            return Err("`among` and `series` exclude each other".to_owned());
        }
        let own = Comparison { ours: self.ours.clone(), over: self.over.clone() };
        for (name, values) in &self.among {
            if values.is_empty() {
                return Err(format!("`among.{name}` must have at least one value"));
            }
            let place = format!("{{{name}}}");
            if !own.texts().any(|text| text.contains(&place)) {
                return Err(format!(
                    "`among.{name}` requires {place} in a variant or object of `ours` or `over`"
                ));
            }
        }
        let open = self
            .comparisons()
            .iter()
            .flat_map(|c| c.texts().map(str::to_owned).collect::<Vec<_>>())
            .find(|text| text.contains('{'));
        match open {
            Some(text) => Err(format!("`{text}` has a place in braces that `among` does not name")),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use jettison_report::{RunKey, RunValue, Verdict};

    use super::super::paper::Paper;
    use super::super::verdict::rows;
    use super::*;

    const ROW: &str = "paper='p'\nexperiment='e'\n[[row]]\nfigure='f'\nmetric='m'\nunit='x'\nvalue=2.0\nexact='text'\n\
        neutral=1.0\nours={variant='a={x}',object='o',metric='m'}\nover={variant='b={x},{y}',object='o',metric='m'}\n";

    fn run(variant: &str, seed: u64, mean: f64) -> RunSummary {
        let (object, metric, unit) = ("o".to_owned(), "m".to_owned(), "x".to_owned());
        let value = RunValue { object, metric, unit, part: String::new(), mean, percentiles: None };
        RunSummary::new(RunKey { variant: variant.to_owned(), seed }, vec![value])
    }

    /// Ratios of 2, 4, 3 and 6 in the mean.
    fn runs() -> Vec<RunSummary> {
        [("a=1", 6.0), ("a=2", 12.0), ("b=1,p", 3.0), ("b=1,q", 1.5), ("b=2,p", 4.0), ("b=2,q", 2.0)]
            .iter()
            .flat_map(|(variant, mean)| [1, 2].map(|seed| run(variant, seed, *mean)))
            .collect()
    }

    fn judged(more: &str, runs: &[RunSummary]) -> jettison_report::ReproductionRow {
        let paper = Paper::parse("test", &format!("{ROW}{more}")).unwrap();
        rows(&paper, runs).remove(0)
    }

    fn error(more: &str) -> String {
        Paper::parse("test", &format!("{ROW}{more}")).unwrap_err().message
    }

    #[test]
    fn a_row_takes_the_extreme_of_all_combinations() {
        let smallest = judged("extreme='smallest'\namong={x=['1','2'],y=['p','q']}", &runs());
        assert_eq!((smallest.ours, smallest.verdict), (Some(2.0), Verdict::Agrees));
        assert_eq!(smallest.variant, "a=1 / b=1,p");
        let largest = judged("extreme='largest'\namong={x=['1','2'],y=['p','q']}", &runs());
        assert_eq!((largest.ours, largest.variant.as_str()), (Some(6.0), "a=2 / b=2,q"));
    }

    #[test]
    fn without_one_of_the_values_there_is_no_extreme() {
        let outcome = judged("extreme='largest'\namong={x=['1','2','3'],y=['p','q']}", &runs());
        assert_eq!((outcome.ours, outcome.verdict), (None, Verdict::NotRun));
        assert_eq!(outcome.note, "no value of ours: variant `a=3` did not run");
    }

    #[test]
    fn keys_must_fit_each_other() {
        assert!(
            error("among={x=['1'],y=['p']}").ends_with("`among` requires `extreme`, `smallest` or `largest`")
        );
        assert!(error("extreme='largest'").ends_with("`extreme` requires `among`"));
        assert!(error("extreme='largest'\namong={x=[],y=['p']}").ends_with("must have at least one value"));
        assert!(
            error("extreme='largest'\namong={x=['1'],y=['p'],z=['q']}")
                .ends_with("`among.z` requires {z} in a variant or object of `ours` or `over`")
        );
        assert!(
            error("extreme='largest'\namong={x=['1']}")
                .ends_with("`b=1,{y}` has a place in braces that `among` does not name")
        );
    }
}

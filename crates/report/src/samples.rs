//! The values of a variant's runs, by what was measured.

use indexmap::IndexMap;
use indexmap::map::Entry;
use jettison_measure::Domain;

use crate::summary::{RunSummary, RunValue};

/// The values of one object, metric and part in the runs of a variant.
pub(crate) struct Sample<'a> {
    /// The value of the first run that has one: names and unit.
    pub first: &'a RunValue,
    /// The values that the metric can take.
    pub domain: Domain,
    /// Seed and value of each run that has one, in the order of the runs.
    pub by_run: Vec<(u64, f64)>,
    percentiles: Vec<(u64, [f64; 3])>,
    /// Number of runs seen so far, counted from one.
    seen: usize,
}

/// Object, metric and part.
pub(crate) fn name(value: &RunValue) -> (&str, &str, &str) {
    (&value.object, &value.metric, &value.part)
}

/// All samples of a variant.
pub(crate) struct Samples<'a> {
    by_name: IndexMap<(&'a str, &'a str, &'a str), Sample<'a>>,
}

impl<'a> Samples<'a> {
    /// The samples of the runs of one variant, in the recorder's order.
    ///
    /// A recorder omits events that did not happen: a count or rate that only some of the runs have is 0 in the others, if
    /// they measured the object at all. A time that was not measured has no value.
    pub fn of(runs: &[&'a RunSummary]) -> Samples<'a> {
        let mut by_name: IndexMap<_, Sample<'a>> = IndexMap::new();
        let mut domains: IndexMap<(&str, &str), Domain> = IndexMap::new();
        for (index, run) in runs.iter().enumerate() {
            for value in &run.values {
                let sample = match by_name.entry(name(value)) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(vacant) => {
                        let of = (value.metric.as_str(), value.unit.as_str());
                        let domain = *domains.entry(of).or_insert_with(|| Domain::of(of.0, of.1));
                        let (by_run, percentiles) = (Vec::with_capacity(runs.len()), Vec::new());
                        vacant.insert(Sample { first: value, domain, by_run, percentiles, seen: 0 })
                    }
                };
                if sample.seen > index {
                    continue; // the first value counts
                }
                sample.fill(runs, index);
                sample.by_run.push((run.key.seed, value.mean));
                sample.percentiles.extend(value.percentiles.map(|found| (run.key.seed, found)));
                sample.seen = index + 1;
            }
        }
        for sample in by_name.values_mut() {
            sample.fill(runs, runs.len());
        }
        Samples { by_name }
    }

    /// The samples, in the recorder's order.
    pub fn iter(&self) -> impl Iterator<Item = &Sample<'a>> {
        self.by_name.values()
    }

    /// The sample of the same object, metric and part as a value.
    pub fn like(&self, value: &'a RunValue) -> Option<&Sample<'a>> {
        self.by_name.get(&name(value))
    }
}

impl Sample<'_> {
    /// Adds zeros for the runs up to `end` in which the event did not happen.
    fn fill(&mut self, runs: &[&RunSummary], end: usize) {
        if is_additive(&self.first.unit) {
            let silent = runs[self.seen..end].iter().filter(|run| run.has_object(&self.first.object));
            self.by_run.extend(silent.map(|run| (run.key.seed, 0.0)));
        }
        self.seen = end;
    }

    /// Means over the runs of the median, 95th and 99th percentile; `None` without a distribution.
    pub fn mean_percentiles(&self) -> Option<[f64; 3]> {
        let found = &self.percentiles;
        let mean = |i: usize| found.iter().map(|(_, p)| p[i]).sum::<f64>() / found.len() as f64;
        (!found.is_empty()).then(|| [mean(0), mean(1), mean(2)])
    }
}

impl Sample<'_> {
    /// Seed and percentile of each run that has one: 0 for the median, 1 for the 95th, 2 for the 99th.
    pub fn percentile_by_run(&self, which: usize) -> Vec<(u64, f64)> {
        self.percentiles.iter().map(|(seed, found)| (*seed, found[which])).collect()
    }
}

/// Whether a missing value of this unit means zero, as for counts and rates but not for times.
pub(crate) fn is_additive(unit: &str) -> bool {
    matches!(unit, "packets" | "count" | "bytes" | "Mbit/s")
}

/// The runs of each variant, in the order of their first runs.
pub(crate) fn by_variant(runs: &[RunSummary]) -> IndexMap<&str, Vec<&RunSummary>> {
    let mut by_variant: IndexMap<&str, Vec<&RunSummary>> = IndexMap::new();
    for run in runs {
        by_variant.entry(&run.key.variant).or_default().push(run);
    }
    by_variant
}

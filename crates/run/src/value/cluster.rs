//! Means and intervals over runs.
//!
//! Trials of one run share its past, so their number says little of the precision. Each seed counts as one value, the mean
//! of its trials, and the interval is Student's over these ([`Estimate`]).

use std::collections::BTreeMap;

use jettison_report::Estimate;

/// The mean over seeds of the means within each seed, with its interval; `None` for no values.
pub fn by_seed(values: impl IntoIterator<Item = (u64, f64)>) -> Option<Estimate> {
    let mut seeds: BTreeMap<u64, (f64, u32)> = BTreeMap::new();
    for (seed, value) in values {
        let (sum, n) = seeds.entry(seed).or_default();
        *sum += value;
        *n += 1;
    }
    let means: Vec<f64> = seeds.values().map(|(sum, n)| sum / f64::from(*n)).collect();
    Estimate::of(&means)
}

/// The half of the runs that a seed belongs to: 0 or 1, alternating in the order of `seeds`.
pub fn half_of(seeds: &[u64], seed: u64) -> usize {
    seeds.iter().position(|own| *own == seed).unwrap_or_default() % 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_counts_once_however_many_trials_it_has() {
        let estimate = by_seed([(1, 0.0), (1, 2.0), (1, 4.0), (2, 8.0)]).expect("there are values");
        // Means of the runs: 2 and 8. Student's quantile with one degree of freedom is 12.706, the standard error 3.
        assert_eq!((estimate.mean, estimate.n), (5.0, 2));
        let [low, high] = estimate.ci95.expect("two runs have an interval");
        assert!((low - (5.0 - 38.12)).abs() < 0.01 && (high - 43.12).abs() < 0.01, "{low} {high}");
        assert_eq!(by_seed([]), None);
    }

    #[test]
    fn seeds_alternate_between_the_halves() {
        assert_eq!([5, 7, 9].map(|seed| half_of(&[5, 7, 9], seed)), [0, 1, 0]);
    }
}

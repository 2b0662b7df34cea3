//! Who leads in a measure, beyond chance.

use jettison_measure::{Domain, statistics};

use super::measures::{Better, Measure, Measures};
use crate::comparison::Comparison;
use crate::difference::{Paired, paired};
use crate::number;

/// The result of a comparison in one measure.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Verdict {
    /// The leaders, the best mean first, are all better than the others beyond chance, and no two of them differ. Chance leaves open
    /// where the rest stands: it is not worse than the best, nor better than all others, or is worse than another leader.
    Leaders { leaders: Vec<usize>, others: Vec<usize>, open: Vec<usize> },
    /// No variant is better than another beyond chance: those with values, best first.
    Tie(Vec<usize>),
    /// Chance cannot be judged: one seed, or seeds that gave equal values. Those with values, best first.
    Unknown(Vec<usize>),
    /// Fewer than two variants have values.
    Nothing,
}

impl Verdict {
    /// The verdict on some variants.
    pub fn of(
        comparison: &Comparison<'_>,
        measures: &Measures,
        measure: &Measure,
        variants: &[usize],
    ) -> Verdict {
        let column = &comparison.columns[measure.at];
        let values = |variant: usize| comparison.by_seed(measure.at, variant);
        let mean = |variant: usize| {
            let values: Vec<f64> = values(variant).iter().map(|(_, value)| *value).collect();
            statistics::mean(&values)
        };
        let sound = variants.iter().filter(|variant| measures.is_sound(column, **variant));
        let mut ranked: Vec<(usize, f64)> =
            sound.filter_map(|variant| Some((*variant, mean(*variant)?))).collect();
        match measure.better {
            Better::Low => ranked.sort_by(|one, other| one.1.total_cmp(&other.1)),
            Better::High => ranked.sort_by(|one, other| other.1.total_cmp(&one.1)),
        }
        let Some(((best, best_mean), others)) = ranked.split_first() else { return Verdict::Nothing };
        let places: Vec<usize> = ranked.iter().map(|(place, _)| *place).collect();
        if others.is_empty() {
            return Verdict::Nothing;
        }
        let is_unknown =
            |(place, _): &(usize, f64)| values(*place).len() < 2 || measures.repeated.contains(place);
        if ranked.iter().any(is_unknown) {
            return Verdict::Unknown(places);
        }
        let differ = |one: usize, other: usize| {
            paired(Domain::Real, values(one), values(other))
                .is_some_and(|difference| difference.estimate.excludes(0.0))
        };
        // Values that print alike are not worth a winner.
        let is_behind = |(place, mean): &&(usize, f64)| {
            number::plain(*mean) != number::plain(*best_mean) && differ(*best, *place)
        };
        let behind: Vec<usize> = others.iter().filter(is_behind).map(|(place, _)| *place).collect();
        if behind.is_empty() {
            return Verdict::Tie(places);
        }
        let (mut leaders, mut open) = (vec![*best], Vec::new());
        for place in places.into_iter().filter(|place| place != best && !behind.contains(place)) {
            // As good as the best, but perhaps too uncertain to be better than the others, or worse than another leader.
            let leads = behind.iter().all(|other| differ(place, *other))
                && leaders.iter().skip(1).all(|other| !differ(place, *other));
            if leads { leaders.push(place) } else { open.push(place) }
        }
        Verdict::Leaders { leaders, others: behind, open }
    }
}

/// How a variant differs from another, in words: `-91.6 ± 0.1 %`.
pub(super) fn difference(comparison: &Comparison<'_>, at: usize, from: usize, to: usize) -> Option<String> {
    paired_of(comparison, at, from, to)
        .map(|paired| difference_text(&paired, comparison.columns[at].shown_unit()))
}

/// The paired difference of two variants.
pub(super) fn paired_of(comparison: &Comparison<'_>, at: usize, from: usize, to: usize) -> Option<Paired> {
    let column = &comparison.columns[at];
    paired(column.domain(), comparison.by_seed(at, from), comparison.by_seed(at, to))
}

/// A difference with its interval: in points of a percentage, in per cent where that means something, else in the unit.
pub(crate) fn difference_text(paired: &Paired, unit: &str) -> String {
    match paired.in_per_cent() {
        // Per cents of a percentage would be ambiguous.
        _ if unit == "%" => format!("{} points", number::signed(paired.estimate.mean, paired.estimate.ci95)),
        // Beyond a few times, per cents are hard to read.
        Some(percent) if percent.mean < 900.0 => format!("{} %", number::signed(percent.mean, percent.ci95)),
        _ => {
            let size = number::signed(paired.estimate.mean, paired.estimate.ci95);
            format!("{size} {unit}").trim_end().to_owned()
        }
    }
}

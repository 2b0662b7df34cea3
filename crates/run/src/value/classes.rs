//! Rules that could be learned: which arm is better for which class of decisions.
//!
//! A rule reads one feature of a decision and names an arm, or none, for each of its values. It is learned on one half of
//! the seeds and judged on the other, and the other way about, so every trial is judged by a rule that has not seen its
//! run.

use std::collections::{BTreeMap, BTreeSet};

use jettison_report::Estimate;

use super::cluster::{by_seed, half_of};
use super::trial::{Arm, Feature, Measure, Trial};

/// Trials of a class in a half of the seeds from which on a rule may name an arm for it.
const ENOUGH: usize = 5;

/// The mean gain of an arm over the decisions of a class.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassGain {
    /// The feature.
    pub feature: Feature,
    /// Its value.
    pub value: String,
    /// The arm.
    pub arm: Arm,
    /// Mean gain per decision of the class.
    pub gain: Estimate,
    /// Number of trials.
    pub trials: usize,
}

/// A learned rule, judged where it was not learned.
#[derive(Debug, Clone, PartialEq)]
pub struct Learned {
    /// The feature that each half of the seeds chose.
    pub features: [Feature; 2],
    /// The rules learned on each half: an arm by value of the feature.
    pub rules: [BTreeMap<String, Arm>; 2],
    /// Gain per decision, over all decisions, of the rule of the other half.
    pub gain: Estimate,
}

/// The mean gains of all classes, in the order of features, values and arms.
pub fn class_gains(trials: &[Trial], measure: Measure) -> Vec<ClassGain> {
    let mut found = Vec::new();
    for feature in Feature::ALL {
        let values: BTreeSet<&str> = trials.iter().map(|trial| trial.feature(feature)).collect();
        for value in values.into_iter().filter(|value| !value.is_empty()) {
            for arm in Arm::CHOICES {
                let gains: Vec<(u64, f64)> = trials
                    .iter()
                    .filter(|trial| trial.feature(feature) == value)
                    .filter_map(|trial| Some((trial.seed, trial.gains(arm)?.mean(measure))))
                    .collect();
                let trials = gains.len();
                if let Some(gain) = by_seed(gains) {
                    found.push(ClassGain { feature, value: value.to_owned(), arm, gain, trials });
                }
            }
        }
    }
    found
}

/// Learns a rule on each half of the seeds, over the best of `features`, and judges it on the other; `None` if a half has no
/// trials.
pub fn learn(trials: &[Trial], seeds: &[u64], measure: Measure, features: &[Feature]) -> Option<Learned> {
    let halves = [0, 1].map(|half| {
        trials.iter().filter(|trial| half_of(seeds, trial.seed) == half).collect::<Vec<&Trial>>()
    });
    if halves.iter().any(Vec::is_empty) {
        return None;
    }
    let learned = halves.each_ref().map(|half| best_rule(half, measure, features));
    let [Some(first), Some(second)] = learned else { return None };
    let judged = halves.iter().zip([&second, &first]).flat_map(|(half, (feature, rule))| {
        half.iter().map(|trial| (trial.seed, gain_under(rule, *feature, trial, measure)))
    });
    Some(Learned { features: [first.0, second.0], gain: by_seed(judged)?, rules: [first.1, second.1] })
}

/// The rule over one feature that gains most on the trials that it is learned from.
fn best_rule(
    trials: &[&Trial],
    measure: Measure,
    features: &[Feature],
) -> Option<(Feature, BTreeMap<String, Arm>)> {
    let rules = features.iter().map(|feature| (*feature, rule(trials, measure, *feature)));
    let valued = rules.map(|(feature, rule)| {
        let sum: f64 = trials.iter().map(|trial| gain_under(&rule, feature, trial, measure)).sum();
        (sum, feature, rule)
    });
    // Of equals the first.
    valued
        .reduce(|best, next| if next.0 > best.0 { next } else { best })
        .map(|(_, feature, rule)| (feature, rule))
}

/// For each value of the feature the arm with the highest mean gain, if that is beyond its standard error.
fn rule(trials: &[&Trial], measure: Measure, feature: Feature) -> BTreeMap<String, Arm> {
    let mut gains: BTreeMap<(&str, Arm), Vec<f64>> = BTreeMap::new();
    for trial in trials {
        for arm in Arm::CHOICES {
            if let Some(own) = trial.gains(arm) {
                gains.entry((trial.feature(feature), arm)).or_default().push(own.mean(measure));
            }
        }
    }
    let mut best: BTreeMap<String, (Arm, f64)> = BTreeMap::new();
    for ((value, arm), gains) in gains {
        if gains.len() < ENOUGH {
            continue;
        }
        let n = gains.len() as f64;
        let mean = gains.iter().sum::<f64>() / n;
        let squares: f64 = gains.iter().map(|gain| (gain - mean) * (gain - mean)).sum();
        let error = (squares / (n - 1.0) / n).sqrt();
        if mean > error && best.get(value).is_none_or(|(_, other)| mean > *other) {
            best.insert(value.to_owned(), (arm, mean));
        }
    }
    best.into_iter().map(|(value, (arm, _))| (value, arm)).collect()
}

/// What a trial gains under a rule; nothing where the rule names no arm, or one that the trial has not.
fn gain_under(rule: &BTreeMap<String, Arm>, feature: Feature, trial: &Trial, measure: Measure) -> f64 {
    let arm = rule.get(trial.feature(feature));
    arm.and_then(|arm| trial.gains(*arm)).map_or(0.0, |gains| gains.mean(measure))
}

#[cfg(test)]
mod tests {
    use super::super::trial::tests::trial;
    use super::*;

    fn owned(seed: u64, owner: &str, spare: f64, noise: f64) -> Trial {
        let features = vec![(Feature::Owner, owner.to_owned()), (Feature::Backlog, format!("{noise}"))];
        Trial { features, ..trial(seed, &[(Arm::Spare, &[spare + noise]), (Arm::SwapOther, &[noise])]) }
    }

    fn cell() -> Vec<Trial> {
        let mut trials = Vec::new();
        for seed in 1..=4 {
            for place in 0..10 {
                let noise = f64::from(place % 2) - 0.5;
                let (owner, spare) = if place < 5 { ("viewer", 10.0) } else { ("other", -10.0) };
                trials.push(owned(seed, owner, spare, noise));
            }
        }
        trials
    }

    #[test]
    fn a_rule_spares_the_class_that_gains_and_leaves_the_other() {
        let learned = learn(&cell(), &[1, 2, 3, 4], Measure::Picture, &[Feature::Backlog, Feature::Owner]);
        let learned = learned.expect("both halves have trials");
        assert_eq!(learned.features, [Feature::Owner; 2]);
        let rule = BTreeMap::from([("viewer".to_owned(), Arm::Spare)]);
        // Of the others' packets sparing loses, and a swap gains 0.1 on average, which is less than its error.
        assert_eq!(learned.rules, [rule.clone(), rule]);
        // Five in ten decisions gain 10 and the noise of places 0 to 4, -0.1 on average.
        assert!((learned.gain.mean - 4.95).abs() < 1e-9, "{learned:?}");
    }

    #[test]
    fn what_one_half_shows_by_chance_the_other_does_not_confirm() {
        // Odd seeds gain by sparing, even ones lose as much.
        let trials: Vec<Trial> = (1..=4)
            .flat_map(|seed| {
                (0..6).map(move |_| owned(seed, "viewer", if seed % 2 == 1 { 4.0 } else { -4.0 }, 0.0))
            })
            .collect();
        let learned = learn(&trials, &[1, 2, 3, 4], Measure::Picture, &[Feature::Owner]).expect("two halves");
        assert_eq!(learned.rules[0].len(), 1);
        assert!(learned.rules[1].is_empty());
        // The rule of the odd seeds loses 4 on the even ones; the even ones have none for the odd.
        assert!((learned.gain.mean - -2.0).abs() < 1e-9, "{learned:?}");
    }

    #[test]
    fn classes_have_their_mean_gains() {
        let gains = class_gains(&cell(), Measure::Picture);
        let of =
            |value: &str| gains.iter().find(|g| g.value == value && g.arm == Arm::Spare).expect("the class");
        assert_eq!((of("viewer").trials, of("other").trials), (20, 20));
        assert!((of("viewer").gain.mean - 9.9).abs() < 1e-9 && (of("other").gain.mean + 9.9).abs() < 1e-9);
    }
}

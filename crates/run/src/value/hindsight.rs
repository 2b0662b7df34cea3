//! Regret: what a policy with hindsight gains, decision by decision.
//!
//! The best of several noisy gains is too good: its noise was chosen, too. Here the arm is chosen by its mean gain over
//! one half of the draws, or none if no arm gained, and what counts is its mean gain over the other half, which the choice
//! has not seen. That is repeated with the halves exchanged. The result is an unbiased estimate of what this policy
//! gains, and a lower bound of what one with exact knowledge of the expected gains would: with few draws it chooses badly.
//!
//! An upper bound is the root of the mean square of the true gains of the most telling arm. Noise of the two halves is
//! independent, so the product of their means has the square of the true gain as its expectation.

use jettison_report::Estimate;

use super::cluster::by_seed;
use super::trial::{Arm, Gains, Measure, Trial};

/// What hindsight is worth in a cell, per decision.
#[derive(Debug, Clone, PartialEq)]
pub struct Hindsight {
    /// Gain of the policy that chooses on one half of the draws.
    pub regret: Estimate,
    /// The same with a redraw as the only choice, whose true gain is zero: what the method makes of noise.
    pub of_noise: Option<Estimate>,
    /// Mean square of the true gain of sparing the packet.
    pub square: Estimate,
    /// Mean gain of each arm that a policy can choose, over the trials that have it.
    pub means: Vec<(Arm, Estimate)>,
}

impl Hindsight {
    /// Root of the mean square of the true gain of sparing; 0 where chance makes the square negative.
    pub fn size(&self) -> f64 {
        self.square.mean.max(0.0).sqrt()
    }
}

/// The worth of hindsight in a cell; `None` without trials.
pub fn hindsight(trials: &[Trial], measure: Measure) -> Option<Hindsight> {
    let regret = |choices: &[Arm]| {
        by_seed(trials.iter().map(|trial| (trial.seed, regret_of(trial, measure, choices))))
    };
    let (of_noise, regret) = (regret(&[Arm::Redraw]), regret(&Arm::CHOICES)?);
    let square = by_seed(trials.iter().filter_map(|trial| {
        let [one, other] = trial.gains(Arm::Spare)?.halves(measure);
        Some((trial.seed, one * other))
    }))?;
    let means = Arm::CHOICES.into_iter().filter_map(|arm| {
        let gains = trials.iter().filter_map(|trial| Some((trial.seed, trial.gains(arm)?.mean(measure))));
        Some((arm, by_seed(gains)?))
    });
    Some(Hindsight { regret, of_noise, square, means: means.collect() })
}

/// The gain of the arm chosen on each half of the draws over the other one, on average.
fn regret_of(trial: &Trial, measure: Measure, arms: &[Arm]) -> f64 {
    let choices: Vec<[f64; 2]> = trial
        .arms
        .iter()
        .filter(|gains| arms.contains(&gains.arm) && gains.draws.len() > 1)
        .map(|gains: &Gains| gains.halves(measure))
        .collect();
    let of = |chosen_on: usize| {
        let best = choices.iter().max_by(|a, b| a[chosen_on].total_cmp(&b[chosen_on]));
        best.filter(|best| best[chosen_on] > 0.0).map_or(0.0, |best| best[1 - chosen_on])
    };
    (of(0) + of(1)) / 2.0
}

#[cfg(test)]
mod tests {
    use super::super::trial::tests::trial;
    use super::*;

    #[test]
    fn an_arm_is_chosen_on_one_half_and_counted_on_the_other() {
        // First half: 4 and 6. Second half: 2 and 8. Chosen on the first: the swap, 8; on the second: the swap, 6.
        let one = trial(1, &[(Arm::Spare, &[4.0, 2.0]), (Arm::SwapOther, &[6.0, 8.0])]);
        assert_eq!(regret_of(&one, Measure::Picture, &Arm::CHOICES), 7.0);
        // Chosen on the first half: spare, which loses 2 on the second; on the second: the decision stands.
        let noise = trial(1, &[(Arm::Spare, &[4.0, -2.0])]);
        assert_eq!(regret_of(&noise, Measure::Picture, &Arm::CHOICES), -1.0);
        // Redraws are no choice.
        let none = trial(1, &[(Arm::Redraw, &[4.0, 4.0])]);
        assert_eq!(regret_of(&none, Measure::Picture, &Arm::CHOICES), 0.0);
    }

    #[test]
    fn noise_alone_has_no_regret() {
        // All sixteen combinations of ±1 over two arms and two draws, once each.
        let signs = [-1.0, 1.0];
        let mut trials = Vec::new();
        for a in signs {
            for b in signs {
                for c in signs {
                    for d in signs {
                        trials.push(trial(1, &[(Arm::Spare, &[a, b]), (Arm::SwapOther, &[c, d])]));
                    }
                }
            }
        }
        let found = hindsight(&trials, Measure::Picture).expect("there are trials");
        assert!(found.regret.mean.abs() < 1e-12, "{found:?}");
        assert!(found.square.mean.abs() < 1e-12 && found.size() == 0.0, "{found:?}");
        // The best arm by all draws would have had a gain.
        let naive: f64 =
            trials.iter().map(|t| t.arms.iter().map(|a| a.mean(Measure::Picture)).fold(0.0, f64::max)).sum();
        assert!(naive > 0.0);
    }

    #[test]
    fn the_square_is_that_of_the_true_gain() {
        // True gains 3 and -3 with noise ±1 that differs between the halves.
        let gain = |seed, true_gain: f64| {
            [(1.0, -1.0), (-1.0, 1.0), (1.0, 1.0), (-1.0, -1.0)]
                .map(|(a, b)| trial(seed, &[(Arm::Spare, &[true_gain + a, true_gain + b])]))
        };
        let trials: Vec<Trial> = gain(1, 3.0).into_iter().chain(gain(2, -3.0)).collect();
        let found = hindsight(&trials, Measure::Picture).expect("there are trials");
        assert!((found.size() - 3.0).abs() < 1e-12, "{found:?}");
        // Whichever half chooses, its sign is right: half of the trials gain 3 by sparing, the others stand.
        assert!((found.regret.mean - 1.5).abs() < 1e-12, "{found:?}");
    }
}

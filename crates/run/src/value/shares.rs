//! Shares of drops that helped, hurt or did nothing.

use jettison_report::Estimate;

use super::cluster::{by_seed, half_of};
use super::null::Null;
use super::trial::{Arm, Measure, Trial};

/// Shares of drops, in per cent, beyond what the null has.
///
/// A drop hurt if sparing its packet gained more than the null's width, and helped if that lost more. The width comes from
/// the other half of the seeds. By chance some 5 % of drops without any effect are beyond it, half on each side; what the
/// null's own gains do is therefore taken off. A share below zero is chance. What is left of 100 % did nothing that this
/// number of draws can see.
#[derive(Debug, Clone, PartialEq)]
pub struct Shares {
    /// Drops whose packet the viewers needed.
    pub hurt: Estimate,
    /// Drops that did the viewers good.
    pub helped: Estimate,
    /// Drops without an effect that could be seen.
    pub nothing: Estimate,
    /// Number of drops.
    pub trials: usize,
}

/// The shares of the drops of a cell; `None` without trials.
pub fn shares(trials: &[Trial], seeds: &[u64], measure: Measure, null: &Null) -> Option<Shares> {
    let side = |seed: u64, gain: f64| {
        let width = null.widths[1 - half_of(seeds, seed)];
        if gain > width {
            1
        } else if gain < -width {
            -1
        } else {
            0
        }
    };
    let spared: Vec<(u64, i32)> = trials
        .iter()
        .filter_map(|trial| {
            let gain = trial.gains(Arm::Spare)?.mean(measure);
            Some((trial.seed, side(trial.seed, gain)))
        })
        .collect();
    let chance: Vec<(u64, i32)> = null.gains.iter().map(|(seed, gain)| (*seed, side(*seed, *gain))).collect();
    // By chance on average over all seeds: of a single seed there are few.
    let by_chance = |of: fn(i32) -> bool| {
        by_seed(chance.iter().map(|(seed, side)| (*seed, f64::from(of(*side))))).map_or(0.0, |e| e.mean)
    };
    let beyond = |of: fn(i32) -> bool| {
        let expected = by_chance(of);
        by_seed(spared.iter().map(|(seed, side)| (*seed, 100.0 * (f64::from(of(*side)) - expected))))
    };
    let effect = |side: &i32| f64::from(*side != 0) - by_chance(|side| side > 0) - by_chance(|side| side < 0);
    Some(Shares {
        hurt: beyond(|side| side > 0)?,
        helped: beyond(|side| side < 0)?,
        nothing: by_seed(spared.iter().map(|(seed, side)| (*seed, 100.0 * (1.0 - effect(side)))))?,
        trials: spared.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::null::{NullKind, of_kind};
    use super::super::trial::tests::trial;
    use super::*;

    /// Two seeds with twenty trials each: `hurt` and `helped` of them by 100, the others by nothing; redraws from -9 to 10.
    fn cell(hurt: usize, helped: usize) -> Vec<Trial> {
        (0..40)
            .map(|n| {
                let (seed, place) = (n as u64 % 2, n / 2);
                let gain = match place {
                    place if place < hurt => 100.0,
                    place if place < hurt + helped => -100.0,
                    _ => 0.0,
                };
                trial(seed, &[(Arm::Spare, &[gain]), (Arm::Redraw, &[place as f64 - 9.0])])
            })
            .collect()
    }

    #[test]
    fn a_drop_hurt_if_sparing_it_gains_more_than_the_null() {
        let trials = cell(5, 2);
        let null = of_kind(NullKind::Redraw, &trials, &[0, 1], Measure::Picture);
        assert_eq!(null.widths, [9.0, 9.0], "of -9 to 10 one in twenty is beyond");
        let shares = shares(&trials, &[0, 1], Measure::Picture, &null).expect("there are trials");
        // One in twenty of the null is above its width and none below.
        assert!((shares.hurt.mean - (25.0 - 5.0)).abs() < 1e-9, "{shares:?}");
        assert!((shares.helped.mean - 10.0).abs() < 1e-9, "{shares:?}");
        assert!((shares.nothing.mean - 70.0).abs() < 1e-9, "{shares:?}");
        assert_eq!(shares.trials, 40);
    }

    #[test]
    fn the_null_itself_has_no_share() {
        let mut trials = cell(0, 0);
        for trial in &mut trials {
            trial.arms[0].draws = trial.arms[1].draws.clone();
        }
        let null = of_kind(NullKind::Redraw, &trials, &[0, 1], Measure::Picture);
        let shares = shares(&trials, &[0, 1], Measure::Picture, &null).expect("there are trials");
        assert!(shares.hurt.mean.abs() < 1e-9 && shares.helped.mean.abs() < 1e-9, "{shares:?}");
        assert!((shares.nothing.mean - 100.0).abs() < 1e-9, "{shares:?}");
    }
}

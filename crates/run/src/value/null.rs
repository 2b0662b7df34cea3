//! Gains of arms that have no effect: what chance alone does.

use super::cluster::half_of;
use super::trial::{Arm, Measure, Trial};

/// Share of the null's gains within its width.
pub(super) const COVERAGE: f64 = 0.95;
/// Number of placebos in a half of the seeds from which on they are the null.
const ENOUGH: usize = 20;

/// The arms that make up a null.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NullKind {
    /// Swaps of the dropped packet with a waiting one, both of flows without a viewer. They share the base's draws, as the
    /// arms that they are compared with.
    Placebo,
    /// Other draws and nothing else. Without the pairing they scatter at least as much.
    Redraw,
}

impl NullKind {
    /// Name in results.
    pub const fn name(self) -> &'static str {
        match self {
            NullKind::Placebo => "placebo",
            NullKind::Redraw => "redraw",
        }
    }

    fn gain(self, trial: &Trial, measure: Measure) -> Option<f64> {
        let gains = match self {
            NullKind::Placebo if trial.of_viewer => None,
            NullKind::Placebo => trial.gains(Arm::SwapOther),
            NullKind::Redraw => trial.gains(Arm::Redraw),
        };
        gains.map(|gains| gains.mean(measure))
    }
}

/// A null distribution.
#[derive(Debug, Clone, PartialEq)]
pub struct Null {
    /// The arms.
    pub kind: NullKind,
    /// Seed and gain of each trial that has such an arm.
    pub gains: Vec<(u64, f64)>,
    /// Width by half of the seeds: 95 % of the gains of that half are at most so far from 0.
    pub widths: [f64; 2],
}

impl Null {
    /// Mean of the two widths.
    pub fn width(&self) -> f64 {
        self.widths.iter().sum::<f64>() / 2.0
    }
}

/// The null of a cell: its placebos if there are enough of them in both halves of the seeds, else the redraws.
pub fn null_of(trials: &[Trial], seeds: &[u64], measure: Measure) -> Null {
    let placebo = of_kind(NullKind::Placebo, trials, seeds, measure);
    let in_half = |half| placebo.gains.iter().filter(|(seed, _)| half_of(seeds, *seed) == half).count();
    if in_half(0) >= ENOUGH && in_half(1) >= ENOUGH {
        return placebo;
    }
    of_kind(NullKind::Redraw, trials, seeds, measure)
}

pub(super) fn of_kind(kind: NullKind, trials: &[Trial], seeds: &[u64], measure: Measure) -> Null {
    let gains: Vec<(u64, f64)> =
        trials.iter().filter_map(|trial| Some((trial.seed, kind.gain(trial, measure)?))).collect();
    let widths = [0, 1].map(|half| {
        width(gains.iter().filter(|(seed, _)| half_of(seeds, *seed) == half).map(|(_, gain)| *gain))
    });
    Null { kind, gains, widths }
}

/// The distance from 0 that 95 % of the gains do not exceed; infinite for no gains, so that nothing is found.
fn width(gains: impl Iterator<Item = f64>) -> f64 {
    let mut sizes: Vec<f64> = gains.map(f64::abs).collect();
    sizes.sort_by(f64::total_cmp);
    let rank = (COVERAGE * sizes.len() as f64).ceil() as usize;
    sizes.get(rank.saturating_sub(1)).copied().unwrap_or(f64::INFINITY)
}

#[cfg(test)]
mod tests {
    use super::super::trial::tests::trial;
    use super::*;

    #[test]
    fn the_width_holds_95_per_cent_of_the_gains() {
        let gains = (1..=20).map(|n| f64::from(n) * if n % 2 == 0 { -1.0 } else { 1.0 });
        assert_eq!(width(gains), 19.0, "of 1 to 20 only 20 is beyond");
        assert_eq!(width([].into_iter()), f64::INFINITY);
    }

    #[test]
    fn placebos_are_swaps_between_flows_without_viewers() {
        let placebo = |seed, gain| Trial {
            of_viewer: false,
            ..trial(seed, &[(Arm::SwapOther, &[gain]), (Arm::Redraw, &[100.0])])
        };
        let swap = |seed| trial(seed, &[(Arm::SwapOther, &[50.0]), (Arm::Redraw, &[7.0])]);
        let few: Vec<Trial> = (0..38).map(|n| placebo(n % 2, 1.0)).chain([swap(0), swap(1)]).collect();
        let null = null_of(&few, &[0, 1], Measure::Picture);
        assert_eq!((null.kind, null.gains.len(), null.width()), (NullKind::Redraw, 40, 100.0));
        let enough: Vec<Trial> = (0..40).map(|n| placebo(n % 2, 1.0)).chain([swap(0), swap(1)]).collect();
        let null = null_of(&enough, &[0, 1], Measure::Picture);
        assert_eq!((null.kind, null.gains.len(), null.width()), (NullKind::Placebo, 40, 1.0));
    }
}

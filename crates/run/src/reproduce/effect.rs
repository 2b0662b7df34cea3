//! The effect that a row of a paper is about: how far a value is from "no effect".

use std::collections::BTreeMap;

use jettison_report::{Estimate, Sentence};

use super::paper::Row;

/// An effect in units in which 0 means "no effect": a log ratio, or a difference.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Effect {
    /// The paper's effect; `None` without values of the paper.
    paper: Option<f64>,
    /// The mean of ours.
    ours: f64,
    /// Our 95 % confidence interval; the mean twice without one.
    interval: [f64; 2],
    /// The largest effect that still counts as none.
    margin: f64,
    /// Our effect from row to row of a series, up to this one.
    steps: Vec<f64>,
}

impl Effect {
    /// The effect of a row with a value that means "no effect": for a ratio of two of our values the log ratio, for
    /// others the difference.
    pub(super) fn from_neutral(row: &Row, neutral: f64, ours: &Estimate) -> Effect {
        let is_ratio = neutral == 1.0 && row.over.is_some() && row.value.is_none_or(|value| value > 0.0);
        let of = |value: f64| if is_ratio { log(value) } else { value - neutral };
        let interval = ours.ci95.unwrap_or([ours.mean; 2]).map(of);
        let margin = match is_ratio {
            true => libm::log1p(row.tolerance),
            false => row.tolerance * row.value.unwrap_or(neutral).abs(),
        };
        Effect { paper: row.value.map(of), ours: of(ours.mean), interval, margin, steps: Vec::new() }
    }

    /// The effect of a plain quantity, which is compared with nothing: its distance from zero. That our interval
    /// includes zero says nothing of a quantity that is positive by nature, so the mean stands alone.
    pub(super) fn of_quantity(row: &Row, ours: &Estimate) -> Effect {
        let margin = row.tolerance * row.value.unwrap_or_default().abs();
        Effect { paper: row.value, ours: ours.mean, interval: [ours.mean; 2], margin, steps: Vec::new() }
    }

    /// The change along rows of a series, from its reference row (the first of `path`) to the row in question (the
    /// last): as log ratio if all values are positive. Ours is taken seed by seed. `None` if no seed has both rows.
    pub(super) fn along(path: &[(&Row, &BTreeMap<u64, f64>)]) -> Option<Effect> {
        let ((first, _), (last, ours)) = (path.first()?, path.last()?);
        let papers = first.value.zip(last.value);
        let positive = |samples: &BTreeMap<u64, f64>| samples.values().all(|value| *value > 0.0);
        let is_ratio = papers.is_none_or(|(a, b)| a > 0.0 && b > 0.0)
            && path.iter().all(|(_, samples)| positive(samples));
        let change = |a: f64, b: f64| if is_ratio { log(b / a) } else { b - a };
        let changes = |from: &BTreeMap<u64, f64>, to: &BTreeMap<u64, f64>| {
            let paired = to.iter().filter_map(|(seed, b)| Some(change(*from.get(seed)?, *b)));
            Estimate::of(&paired.collect::<Vec<f64>>())
        };
        let total = changes(path.first()?.1, ours)?;
        let steps = path.windows(2).filter_map(|pair| Some(changes(pair[0].1, pair[1].1)?.mean)).collect();
        let margin = match is_ratio {
            true => libm::log1p(last.tolerance),
            false => last.tolerance * last.value.unwrap_or_default().abs(),
        };
        Some(Effect {
            paper: papers.map(|(a, b)| change(a, b)),
            ours: total.mean,
            interval: total.ci95.unwrap_or([total.mean; 2]),
            margin,
            steps,
        })
    }

    /// What the paper's numbers say by themselves.
    pub(super) fn sentence(&self) -> Option<Sentence> {
        self.paper.map(|paper| match paper {
            paper if paper > 0.0 => Sentence::Greater,
            paper if paper < 0.0 => Sentence::Less,
            _ => Sentence::Equal,
        })
    }

    /// Checks that the sentence holds in ours; otherwise the reason why it does not.
    pub(super) fn check(&self, sentence: Sentence) -> Result<(), &'static str> {
        let upward = match sentence {
            Sentence::Equal => return self.check_equal(),
            Sentence::Greater => true,
            Sentence::Less => false,
            Sentence::Monotone => self.paper.is_some_and(|paper| paper > 0.0),
        };
        let along = |effect: f64| if upward { effect } else { -effect };
        // From the end nearest to the paper's side to the farthest.
        let mut ends = self.interval.map(along);
        ends.sort_by(|a, b| b.total_cmp(a));
        match ends {
            [_, worst] if worst > 0.0 => {
                let goes_back = |step: &f64| along(*step) < 0.0;
                match sentence == Sentence::Monotone && self.steps.iter().any(goes_back) {
                    true => Err("a step of the series goes in the other direction"),
                    false => Ok(()),
                }
            }
            [best, _] if best < 0.0 => Err("other direction"),
            _ if self.interval[0] == self.interval[1] => Err("no effect in ours"),
            _ => Err("our interval includes no effect"),
        }
    }

    /// Whether our interval, which has a width, includes no effect.
    pub(super) fn is_undecided(&self) -> bool {
        let [low, high] = self.interval;
        low < high && low <= 0.0 && high >= 0.0
    }

    fn check_equal(&self) -> Result<(), &'static str> {
        let [low, high] = self.interval;
        let includes_none = low <= 0.0 && high >= 0.0;
        let is_small = low >= -self.margin && high <= self.margin;
        match includes_none || is_small {
            true => Ok(()),
            false => Err("an effect in ours where the paper has none"),
        }
    }

    /// Our effect as a multiple of the paper's; infinite if ours has no logarithm, `None` if the paper's effect is
    /// none or unknown.
    pub(super) fn size(&self) -> Option<f64> {
        self.paper.filter(|paper| *paper != 0.0).map(|paper| self.ours / paper)
    }
}

/// The logarithm; that of nothing is further down than any.
fn log(value: f64) -> f64 {
    if value > 0.0 { libm::log(value) } else { f64::NEG_INFINITY }
}

//! What the trials of a cell say, in numbers.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use jettison_report::Estimate;
use serde::Serialize;

use super::classes::{ClassGain, class_gains, learn};
use super::cluster::by_seed;
use super::hindsight::hindsight;
use super::null::null_of;
use super::shares::shares;
use super::study::Cell;
use super::trial::{Arm, Feature, Measure, Trial};

/// A mean over seeds with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    /// The mean.
    pub mean: f64,
    /// Lower end; the mean with one seed.
    pub low: f64,
    /// Upper end; the mean with one seed.
    pub high: f64,
}

impl Interval {
    /// Half of its width; 0 with one seed.
    pub fn half(self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// Whether the mean differs from zero beyond chance.
    pub fn excludes_zero(self) -> bool {
        self.half() > 0.0 && (self.low > 0.0 || self.high < 0.0)
    }
}

impl From<Estimate> for Interval {
    fn from(estimate: Estimate) -> Interval {
        let [low, high] = estimate.ci95.unwrap_or([estimate.mean; 2]);
        Interval { mean: estimate.mean, low, high }
    }
}

/// What the trials of a cell say of one measure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Judged {
    /// The measure.
    pub measure: &'static str,
    /// The arms of the null.
    pub null: &'static str,
    /// Number of these.
    pub null_trials: usize,
    /// 95 % of the null's gains are at most so far from 0.
    pub width: f64,
    /// Drops that hurt beyond chance, in per cent.
    pub hurt: Interval,
    /// Drops that helped beyond chance, in per cent.
    pub helped: Interval,
    /// Drops without an effect that could be seen, in per cent.
    pub nothing: Interval,
    /// Mean gain of each arm.
    pub gains: BTreeMap<&'static str, Interval>,
    /// Root mean square of the true gain of sparing.
    pub size: f64,
    /// Gain per drop of the policy with hindsight.
    pub regret: Interval,
    /// The same for redraws, whose true gain is zero.
    pub regret_of_noise: Option<Interval>,
    /// Gain per drop of the best rule over one feature, judged where it was not learned.
    pub learned: Option<Interval>,
    /// The rule of each half of the seeds in words.
    pub rules: Vec<String>,
    /// Mean gains by class of decisions.
    pub classes: Vec<Class>,
}

/// The mean gain of an arm over a class of decisions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Class {
    /// The feature.
    pub feature: &'static str,
    /// Its value.
    pub value: String,
    /// The arm.
    pub arm: &'static str,
    /// Number of trials.
    pub trials: usize,
    /// Mean gain.
    pub gain: Interval,
}

/// What the trials of a cell say.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// Name of the variant.
    pub variant: String,
    /// Its labels by axis.
    pub labels: IndexMap<String, String>,
    /// Number of runs.
    pub runs: usize,
    /// Number of drops tried.
    pub trials: usize,
    /// Draws per arm.
    pub draws: usize,
    /// Length of each continuation, in seconds.
    pub horizon: f64,
    /// Drops that could have been tried, per second.
    pub drops_per_second: f64,
    /// By measure of the viewers.
    pub judged: Vec<Judged>,
    /// Effect of sparing on the others' goodput, in kbit.
    pub goodput: Option<Interval>,
    /// Effect of sparing on the mean sojourn time, in ms.
    pub latency: Option<Interval>,
}

/// Summarises a cell; `None` without trials.
pub fn summarise(cell: &Cell) -> Option<Summary> {
    let trials = &cell.trials;
    let spared = |measure: Measure| {
        let gains =
            trials.iter().filter_map(|trial| Some((trial.seed, trial.gains(Arm::Spare)?.mean(measure))));
        by_seed(gains).map(Interval::from)
    };
    let judged = [Measure::Picture, Measure::Quality];
    let judged: Vec<Judged> =
        judged.into_iter().filter_map(|measure| judge(trials, &cell.seeds, measure)).collect();
    if judged.is_empty() {
        return None;
    }
    Some(Summary {
        variant: cell.variant.clone(),
        labels: cell.labels.clone(),
        runs: cell.seeds.len(),
        trials: trials.len(),
        draws: trials[0].arms.first().map_or(0, |gains| gains.draws.len()),
        horizon: cell.horizon.as_secs_f64(),
        drops_per_second: cell.drops_per_second,
        judged,
        goodput: spared(Measure::Goodput),
        latency: spared(Measure::Latency),
    })
}

fn judge(trials: &[Trial], seeds: &[u64], measure: Measure) -> Option<Judged> {
    let null = null_of(trials, seeds, measure);
    let shares = shares(trials, seeds, measure, &null)?;
    let hindsight = hindsight(trials, measure)?;
    let learned = learn(trials, seeds, measure, &Feature::ALL);
    let rules = learned.iter().flat_map(|learned| {
        learned.features.iter().zip(&learned.rules).map(|(feature, rule)| in_words(*feature, rule))
    });
    Some(Judged {
        measure: measure.name(),
        null: null.kind.name(),
        null_trials: null.gains.len(),
        width: null.width(),
        hurt: shares.hurt.into(),
        helped: shares.helped.into(),
        nothing: shares.nothing.into(),
        gains: hindsight.means.iter().map(|(arm, gain)| (arm.name(), (*gain).into())).collect(),
        size: hindsight.size(),
        regret: hindsight.regret.into(),
        regret_of_noise: hindsight.of_noise.map(Interval::from),
        rules: rules.collect(),
        learned: learned.map(|learned| learned.gain.into()),
        classes: class_gains(trials, measure).into_iter().map(Class::from).collect(),
    })
}

/// A rule in words: `owner: viewer → swap-other`.
fn in_words(feature: Feature, rule: &BTreeMap<String, Arm>) -> String {
    if rule.is_empty() {
        return "none".to_owned();
    }
    let parts: Vec<String> = rule.iter().map(|(value, arm)| format!("{value} → {arm}")).collect();
    format!("{}: {}", feature.name(), parts.join("; "))
}

impl From<ClassGain> for Class {
    fn from(class: ClassGain) -> Class {
        let ClassGain { feature, value, arm, gain, trials } = class;
        Class { feature: feature.name(), value, arm: arm.name(), trials, gain: gain.into() }
    }
}

//! Comparison of our values with the paper's, and the verdict on each.

use std::collections::BTreeMap;

use jettison_report::{Estimate, ReproductionRow, RunSummary, Sentence, Verdict, names_object};

use super::among::Comparison;
use super::effect::Effect;
use super::paper::{Exactness, Paper, Pick, Row, Statistic};

/// Sizes of effects, as multiples of the paper's, that count as the same.
const SAME_SIZE: std::ops::RangeInclusive<f64> = 0.5..=2.0;

/// Compares each of the paper's figures with the runs that finished.
pub fn rows(paper: &Paper, runs: &[RunSummary]) -> Vec<ReproductionRow> {
    let (compared, samples): (Vec<Comparison>, Vec<BTreeMap<u64, f64>>) =
        paper.rows.iter().map(|row| row.taken(runs)).unzip();
    paper
        .rows
        .iter()
        .enumerate()
        .map(|(index, row)| {
            let values: Vec<f64> = samples[index].values().copied().collect();
            let ours = Estimate::of(&values);
            let judged = match &ours {
                None => Judgement::with_reason(Verdict::NotRun, &missing(&compared[index], runs)),
                Some(ours) => judge(paper, &samples, index, ours),
            };
            let note = match (&ours, judged.reason) {
                (None, reason) => reason.unwrap_or_default(),
                (Some(_), None) => row.note.clone(),
                (Some(_), Some(reason)) => {
                    format!("{}. {}", capitalised(&reason), row.note).trim_end().to_owned()
                }
            };
            let nominal = row.exact == Exactness::Direction;
            let mean = ours.as_ref().map(|ours| ours.mean);
            ReproductionRow {
                paper: paper.paper.clone(),
                experiment: paper.experiment.clone(),
                figure: row.figure.clone(),
                variant: compared[index].variants(),
                metric: row.metric.clone(),
                unit: row.unit.clone(),
                paper_value: row.value,
                nominal,
                sentence: judged.sentence,
                neutral: row.neutral,
                ours: mean,
                ci95: ours.as_ref().and_then(|ours| ours.ci95),
                ratio: mean
                    .zip(row.value)
                    .filter(|(_, value)| *value != 0.0 && !nominal)
                    .map(|(ours, value)| ours / value),
                effect: judged.effect.filter(|effect| effect.is_finite() && !nominal),
                verdict: judged.verdict,
                note,
            }
        })
        .collect()
}

/// A verdict with its grounds.
struct Judgement {
    verdict: Verdict,
    reason: Option<String>,
    sentence: Option<Sentence>,
    effect: Option<f64>,
}

impl Judgement {
    fn with_reason(verdict: Verdict, reason: &str) -> Judgement {
        Judgement { verdict, reason: Some(reason.to_owned()), sentence: None, effect: None }
    }
}

/// The verdict on the row at `index`, of which there is a value of ours.
fn judge(paper: &Paper, samples: &[BTreeMap<u64, f64>], index: usize, ours: &Estimate) -> Judgement {
    let row = &paper.rows[index];
    let path = path(paper, index);
    let effect = match (row.exact, row.neutral, row.value) {
        (Exactness::None, ..) => None,
        (_, Some(neutral), _) => Some(Effect::from_neutral(row, neutral, ours)),
        _ if path.len() > 1 => {
            let rows: Vec<(&Row, &BTreeMap<u64, f64>)> =
                path.iter().map(|i| (&paper.rows[*i], &samples[*i])).collect();
            match Effect::along(&rows) {
                Some(effect) => Some(effect),
                // The number can still agree; the change along the series is unknown.
                None if agrees(row, ours) => None,
                None => {
                    return Judgement::with_reason(
                        Verdict::NotRun,
                        "the reference row of the series did not run",
                    );
                }
            }
        }
        // The first row of a series of directions is what the others are compared with.
        (Exactness::Direction, ..) => None,
        (_, None, Some(value)) if value == 0.0 || row.sentence == Some(Sentence::Equal) => {
            Some(Effect::from_neutral(row, value, ours))
        }
        _ => Some(Effect::of_quantity(row, ours)),
    };
    let Some(effect) = effect else {
        let verdict = if agrees(row, ours) { Verdict::Agrees } else { Verdict::NoValue };
        let reason = (row.exact == Exactness::Direction)
            .then(|| "the row that its series is compared with".to_owned());
        return Judgement { verdict, reason, sentence: None, effect: None };
    };
    let sentence = row.sentence.or_else(|| effect.sentence());
    let size = effect.size().filter(|_| sentence != Some(Sentence::Equal));
    let judged = |verdict, reason: Option<&str>| Judgement {
        verdict,
        reason: reason.map(str::to_owned),
        sentence,
        effect: size,
    };
    // A number agrees by itself, unless the paper makes a statement with it.
    let is_statement = row.neutral.is_some() || row.sentence.is_some();
    if agrees(row, ours) && !is_statement {
        return judged(Verdict::Agrees, None);
    }
    if let Some(Err(reason)) = sentence.map(|sentence| effect.check(sentence)) {
        // Values that include what the paper found cannot contradict it. A claim in words allows any value on its side.
        let is_open = sentence != Some(Sentence::Equal) && effect.is_undecided();
        return match row.exact {
            Exactness::Direction if is_open => judged(Verdict::Unclear, Some(reason)),
            _ if is_open && contains(row, ours) => {
                judged(Verdict::Unclear, Some("our interval includes no effect and the paper's value"))
            }
            _ => judged(Verdict::Contradicts, Some(reason)),
        };
    }
    if agrees(row, ours) {
        return judged(Verdict::Agrees, None);
    }
    let vague = (row.exact != Exactness::Direction && is_vague(row, ours))
        .then_some("our interval is wider than the paper's value");
    match size {
        Some(size) if row.exact != Exactness::Direction && size < *SAME_SIZE.start() => {
            judged(Verdict::Weaker, vague)
        }
        Some(size) if row.exact != Exactness::Direction && size > *SAME_SIZE.end() => {
            judged(Verdict::Stronger, vague)
        }
        _ => judged(Verdict::SameDirection, vague),
    }
}

/// Indices of the rows of the series from its reference row to the one at `index`, both included; that row alone if it
/// is the reference or in no series.
fn path(paper: &Paper, index: usize) -> Vec<usize> {
    let Some(series) = &paper.rows[index].series else { return vec![index] };
    let rows: Vec<usize> =
        (0..paper.rows.len()).filter(|i| paper.rows[*i].series.as_ref() == Some(series)).collect();
    let place = |wanted: &dyn Fn(usize) -> bool| rows.iter().position(|i| wanted(*i)).unwrap_or(0);
    let (from, to) = (place(&|i| paper.rows[i].reference), place(&|i| i == index));
    match from <= to {
        true => rows[from..=to].to_vec(),
        false => rows[to..=from].iter().rev().copied().collect(),
    }
}

/// Whether the paper's number is ours: within tolerance of our mean or in our interval, which must not be so wide that
/// it holds nearly any value.
fn agrees(row: &Row, ours: &Estimate) -> bool {
    let Some(value) = row.value.filter(|_| row.exact != Exactness::Direction) else { return false };
    let is_near = (ours.mean - value).abs() <= row.tolerance * value.abs();
    (is_near || contains(row, ours)) && !is_vague(row, ours)
}

/// Whether the paper gives a number and our interval contains it.
fn contains(row: &Row, ours: &Estimate) -> bool {
    let value = row.value.filter(|_| row.exact != Exactness::Direction);
    value.zip(ours.ci95).is_some_and(|(value, [low, high])| (low..=high).contains(&value))
}

/// Whether our interval is wider than the paper's value.
fn is_vague(row: &Row, ours: &Estimate) -> bool {
    ours.ci95.zip(row.value).is_some_and(|([low, high], value)| high - low > value.abs())
}

/// Why there is no value of ours.
fn missing(compared: &Comparison, runs: &[RunSummary]) -> String {
    let picks = || [Some(&compared.ours), compared.over.as_ref()].into_iter().flatten();
    let why = if let Some(pick) = picks().find(|pick| !runs.iter().any(|run| run.key.variant == pick.variant))
    {
        format!("variant `{}` did not run", pick.variant)
    } else if let Some(pick) = picks().find(|pick| pick.values(runs).is_empty()) {
        format!("`{}` of `{}` was not measured in variant `{}`", pick.metric, pick.object, pick.variant)
    } else if compared.over.as_ref().is_some_and(|over| over.values(runs).values().all(|value| *value == 0.0))
    {
        "the value to divide by is 0".to_owned()
    } else {
        "no seed ran in both variants".to_owned()
    };
    format!("no value of ours: {why}")
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

impl Pick {
    /// The pick's value in each run of its variant that has one, by seed.
    pub(super) fn values(&self, runs: &[RunSummary]) -> BTreeMap<u64, f64> {
        runs.iter()
            .filter(|run| run.key.variant == self.variant)
            .filter_map(|run| Some((run.key.seed, self.value_in(run)?)))
            .collect()
    }

    /// The pick's value in one run: of one object, or the mean of all objects that have it.
    pub fn value_in(&self, run: &RunSummary) -> Option<f64> {
        let (metric, part) = self.metric.split_once(':').unwrap_or((&self.metric, ""));
        let found = run
            .values
            .iter()
            .filter(|v| v.metric == metric && v.part == part && names_object(&self.object, &v.object))
            .filter_map(|v| self.number(v.mean, v.percentiles));
        let (sum, count) = found.fold((0.0, 0u32), |(sum, count), number| (sum + number, count + 1));
        (count > 0).then(|| sum / f64::from(count))
    }

    /// The number for this pick's statistic.
    fn number(&self, mean: f64, percentiles: Option<[f64; 3]>) -> Option<f64> {
        match self.statistic {
            Statistic::Mean => Some(mean),
            Statistic::P50 => percentiles.map(|p| p[0]),
            Statistic::P95 => percentiles.map(|p| p[1]),
            Statistic::P99 => percentiles.map(|p| p[2]),
        }
    }
}

#[cfg(test)]
mod tests;

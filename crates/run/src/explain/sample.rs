//! How often chains are right: a random sample of events, each held to a counterfactual.

use std::collections::BTreeMap;
use std::path::Path;

use jettison_core::Seed;
use jettison_report::explain::{Check, Event, Explanation, explain};
use jettison_report::{Mode, RunKey, stored_evidence};
use jettison_scenario::build::Builder;
use serde::Serialize;

use super::check::Again;
use super::runs::{Fitting, fitting_runs};
use super::{ExplainError, ExplainOptions};
use crate::program::Program;
use crate::rebuild::{RebuildError, Which, rebuild};

/// Share of chains that are right among a sample.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Judgement {
    /// `judgement`.
    #[serde(rename = "type")]
    pub record: &'static str,
    /// Name of the scenario.
    pub scenario: String,
    /// Number of events to choose from.
    pub events: usize,
    /// Events in the sample.
    pub judged: usize,
    /// Those whose chain names a drop or a wait that a run can do without; the others are `other` without a run.
    pub named: usize,
    /// Those whose chain is right.
    pub confirmed: usize,
    /// Cost of the events in the sample, and of those that remain `other`, in seconds.
    pub cost: f64,
    /// Cost of the events whose chain is not right.
    pub other_cost: f64,
    /// By kind of event and main cause.
    pub causes: Vec<Cause>,
    /// The events whose chain is not right.
    pub failed: Vec<Judged>,
}

/// Judged chains of one kind of event with one main cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Cause {
    /// Kind of event.
    pub event: String,
    /// Kind of the main cause; `none` without one.
    pub cause: String,
    /// Judged chains.
    pub judged: usize,
    /// Those that are right.
    pub confirmed: usize,
}

/// An event of the sample.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Judged {
    /// The variant.
    pub variant: String,
    /// The seed.
    pub seed: u64,
    /// Number of the event.
    pub event: u64,
    /// Kind of event.
    pub kind: String,
    /// Kind of the main cause.
    pub cause: String,
    /// Its cost.
    pub cost: f64,
    /// The cost without what the chain names.
    pub left: f64,
}

/// Judges the chains of `count` events, drawn from all that fit with the seed `seed`.
///
/// # Errors
/// As of [`super::explain_results`].
pub fn judge(
    folder: &Path,
    (count, seed): (usize, u64),
    options: &ExplainOptions<'_>,
    builder: &Builder,
    program: &Program,
) -> Result<Judgement, ExplainError> {
    let Fitting { scenario, runs: fitting, unseen, .. } =
        fitting_runs(folder, options.variant, options.seed)?;
    if !unseen.is_empty() {
        return Err(RebuildError::NotSimulated { folder: folder.to_owned(), mode: Mode::Live }.into());
    }
    let is_wanted = |event: &&Event| options.viewer.is_none_or(|viewer| event.flow == viewer);
    let mut events: Vec<(&RunKey, u64)> = fitting
        .iter()
        .flat_map(|(key, events)| events.iter().filter(is_wanted).map(move |event| (key, event.id)))
        .collect();
    let all = events.len();
    draw(&mut events, count, seed);
    let mut by_run: Vec<(&RunKey, Vec<u64>)> = Vec::new();
    for (key, id) in events {
        match by_run.iter_mut().find(|(own, _)| *own == key) {
            Some((_, ids)) => ids.push(id),
            None => by_run.push((key, vec![id])),
        }
    }
    let mut judgement = Judgement {
        record: "judgement",
        scenario,
        events: all,
        judged: 0,
        named: 0,
        confirmed: 0,
        cost: 0.0,
        other_cost: 0.0,
        causes: Vec::new(),
        failed: Vec::new(),
    };
    let mut causes: BTreeMap<(String, String), (usize, usize)> = BTreeMap::new();
    for (key, ids) in by_run {
        let which = Which { variant: Some(&key.variant), seed: Some(key.seed), data: options.data };
        let rebuilt = rebuild(folder, &which, builder, &Default::default(), program)?;
        let evidence = stored_evidence(folder, key)?.unwrap_or_default();
        let wanted = evidence.events.iter().filter(|own| ids.contains(&own.id));
        let mut explanations: Vec<Explanation> = wanted.map(|own| explain(own, &evidence)).collect();
        let again = Again { rebuilt: &rebuilt, builder };
        let checks = again.check(&mut explanations, false, options.cancel)?;
        for (explanation, check) in explanations.iter().zip(&checks) {
            judgement.take(key, explanation, check, &mut causes);
        }
    }
    judgement.causes = causes
        .into_iter()
        .map(|((event, cause), (judged, confirmed))| Cause { event, cause, judged, confirmed })
        .collect();
    Ok(judgement)
}

impl Judgement {
    fn take(
        &mut self,
        key: &RunKey,
        explanation: &Explanation,
        check: &Check,
        causes: &mut BTreeMap<(String, String), (usize, usize)>,
    ) {
        let event = &explanation.event;
        let main = explanation.causes.first().map_or("none", |cause| cause.kind.name());
        let is_confirmed = check.is_confirmed(event) == Some(true);
        self.judged += 1;
        self.named += usize::from(explanation.is_revertible());
        self.cost += event.cost;
        let counts = causes.entry((event.kind.name().to_owned(), main.to_owned())).or_default();
        counts.0 += 1;
        if is_confirmed {
            self.confirmed += 1;
            counts.1 += 1;
            return;
        }
        self.other_cost += event.cost;
        self.failed.push(Judged {
            variant: key.variant.clone(),
            seed: key.seed,
            event: event.id,
            kind: event.kind.name().to_owned(),
            cause: main.to_owned(),
            cost: event.cost,
            left: match check {
                Check::Left { all, .. } => *all,
                _ => event.cost,
            },
        });
    }
}

/// Draws `count` of the items without repetition, and keeps their order.
fn draw<T>(items: &mut Vec<T>, count: usize, seed: u64) {
    let mut random = Seed(seed).stream(&["explain", "sample"]);
    let total = items.len();
    let mut wanted = count.min(total);
    let mut place = 0;
    // Selection sampling (Knuth, The Art of Computer Programming 2, algorithm S).
    items.retain(|_| {
        let left = total - place;
        place += 1;
        let is_taken = random.uniform(1, left as u64) <= wanted as u64;
        wanted -= usize::from(is_taken);
        is_taken
    });
}

#[cfg(test)]
mod tests {
    use super::draw;

    #[test]
    fn a_sample_has_its_size_and_is_the_same_again() {
        for count in [0, 1, 7, 20, 30] {
            let [one, two]: [Vec<u32>; 2] = [0, 1].map(|_| {
                let mut items: Vec<u32> = (0..20).collect();
                draw(&mut items, count, 3);
                items
            });
            assert_eq!((one.len(), one.is_sorted()), (count.min(20), true));
            assert_eq!(one, two);
        }
        let chosen = |seed| {
            let mut items: Vec<u32> = (0..1000).collect();
            draw(&mut items, 5, seed);
            items
        };
        assert_ne!(chosen(1), chosen(2));
    }
}

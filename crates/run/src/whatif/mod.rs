//! Counterfactuals: a stored run goes on from an instant with one thing changed, beside itself.
//!
//! The run is made again up to that instant ([`crate::rebuild`]) and forked. Both halves then go on with the same random
//! numbers, so that what differs in the end is due to the change, and to what followed from it.

mod question;
mod records;
mod rows;
mod table;
mod words;
mod write;

use std::sync::atomic::{AtomicBool, Ordering};

use jettison_core::{Duration, Time};
use jettison_measure::{Identities, RunRecord};
use jettison_report::ReportError;
use jettison_scenario::CheckError;
use jettison_scenario::build::Builder;
use jettison_sim::{ForkError, Intervention, Script, World};
use thiserror::Error;

use crate::rebuild::{RebuildError, Rebuilt};

pub use jettison_sim::{Decided, Effects, Reverted, Window};
pub use question::Change;
pub use records::Record;
pub use rows::Row;
pub use table::table;
pub use write::{CHANGED, ORIGINAL, write};

#[cfg(test)]
mod tests;

/// Steps in which a run is searched for a decision, and shows its progress.
const STEPS: u64 = 64;

/// A question about a stored run.
#[derive(Debug, Clone)]
pub struct Question {
    /// What is changed.
    pub change: Change,
    /// Where both halves end. `None`: at the end of the run.
    pub until: Option<Time>,
    /// How long both halves go on after the change. `None`: to the end.
    pub horizon: Option<Duration>,
    /// Number of repetitions with fresh random numbers after the fork; 0 for the run's own.
    pub draws: u64,
}

/// The two halves of a run.
#[derive(Debug, Clone)]
pub struct Answer {
    /// What was asked, to complete "What if".
    pub words: String,
    /// The instant of the change.
    pub from: Time,
    /// The end of both halves.
    pub until: Time,
    /// What the change did.
    pub effects: Effects,
    /// The decisions that were reverted, the first ones.
    pub reverted: Vec<Reverted>,
    /// The run without and with the change; one pair for each draw.
    pub pairs: Vec<[RunRecord; 2]>,
}

/// An error that prevents an answer.
#[derive(Debug, Error)]
pub enum WhatIfError {
    /// The run cannot be made again.
    #[error(transparent)]
    Rebuild(#[from] RebuildError),
    /// The results have no identities of decisions.
    #[error(
        "{folder} has no identities of drops: the scenario turns them off (`[record] identities = false`); run it again with \
         --set record.identities=true"
    )]
    NoIdentities {
        /// The folder.
        folder: String,
    },
    /// No such decision.
    #[error(
        "unknown drop id {decision}: {}; they are the column `id` of {folder}/drops.parquet",
        range(*count)
    )]
    UnknownDecision {
        /// The number that was asked for.
        decision: u64,
        /// The number of decisions in the run.
        count: u64,
        /// The folder.
        folder: String,
    },
    /// A decision that is no queue's or link's.
    #[error(
        "decision {0} cannot be reverted: it was not made by a queue or link, but says that a node could not forward or take the \
         packet, or that a clone ended"
    )]
    NotOfAQueue(u64),
    /// No such rule.
    #[error("unknown rule `{rule}`; {help}")]
    UnknownRule {
        /// The name.
        rule: String,
        /// The nearest or all names.
        help: String,
    },
    /// No such queue.
    #[error("unknown queue `{name}`; {help}")]
    UnknownQueue {
        /// The name.
        name: String,
        /// The nearest or all names.
        help: String,
    },
    /// A setting of something else than a queue.
    #[error(
        "`{0}`: only queues can be exchanged in a run; write a path such as links.bottleneck.queue=fq-codel"
    )]
    NoQueue(String),
    /// A setting that changes nothing.
    #[error("`{0}` changes no queue of this run")]
    SameQueue(String),
    /// A wrong setting.
    #[error(transparent)]
    Setting(CheckError),
    /// A change outside of the run.
    #[error("the change at {at} must be before the end of the run, {end}")]
    TooLate {
        /// The instant of the change.
        at: Time,
        /// The end.
        end: Time,
    },
    /// The end of both halves is not after the change.
    #[error("--until must be after the change at {from} and at most the end of the run, {end}, got {until}")]
    NoTime {
        /// The instant of the change.
        from: Time,
        /// The end of the run.
        end: Time,
        /// The end that was asked for.
        until: Time,
    },
    /// A world that cannot be copied.
    #[error(transparent)]
    Fork(#[from] ForkError),
    /// The results cannot be written.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// Cancelled.
    #[error("interrupted")]
    Cancelled,
}

fn range(count: u64) -> String {
    match count {
        0 => "the run has no drops or marks".to_owned(),
        1 => "the only id of this run is 0".to_owned(),
        count => format!("those of this run are 0 to {}", count - 1),
    }
}

/// Answers a question about a stored run.
///
/// # Errors
/// If the question does not fit the run, or the run cannot be made again.
pub fn ask(
    rebuilt: &Rebuilt,
    question: &Question,
    builder: &Builder,
    cancel: &AtomicBool,
) -> Result<Answer, WhatIfError> {
    ask_showing(rebuilt, question, builder, cancel, &|_| {})
}

/// [`ask`], with the share of the simulated time that is over.
///
/// # Errors
/// As of [`ask`].
pub fn ask_showing(
    rebuilt: &Rebuilt,
    question: &Question,
    builder: &Builder,
    cancel: &AtomicBool,
    progress: &dyn Fn(f64),
) -> Result<Answer, WhatIfError> {
    if matches!(question.change, Change::Flip { .. }) {
        check_identities(rebuilt)?;
    }
    let mut world = rebuilt.world(builder)?;
    let plan = question.change.plan(rebuilt, builder, &world)?;
    let end = rebuilt.end();
    if let Some(at) = plan.from.filter(|at| *at >= end) {
        return Err(WhatIfError::TooLate { at, end });
    }
    world.set_script(Script::watching(plan.queues));
    // Until the instant of the change is known, it may be the last.
    let mut clock = Clock { done: Duration::ZERO, all: end.since(Time::ZERO), cancel, progress };
    let (world, from) = match (plan.from, &question.change) {
        (Some(from), _) => {
            clock.run(&mut world, Time::from_nanos(from.as_nanos().saturating_sub(1)));
            world.run_before(from, cancel);
            (world, from)
        }
        (None, Change::Flip { decision }) => find(world, *decision, end, rebuilt, &mut clock)?,
        (None, _) => (world, Time::ZERO),
    };
    stop_if(cancel)?;
    let until =
        question.until.unwrap_or(end).min(question.horizon.map_or(end, |span| from.saturating_add(span)));
    if until <= from || until > end {
        return Err(WhatIfError::NoTime { from, end, until });
    }
    let halves = until.since(from).saturating_mul(2 * question.draws.max(1));
    clock.all = clock.done.saturating_add(halves);
    let mut pairs = Vec::new();
    let (mut effects, mut reverted) = (Effects::default(), Vec::new());
    let draws = if question.draws == 0 { 0..=0 } else { 1..=question.draws };
    for draw in draws {
        let mut original = world.fork_with_fresh_draws(draw)?;
        let mut changed = world.fork_with_fresh_draws(draw)?;
        original.take_script();
        for intervention in &plan.interventions {
            changed.intervene(intervention.clone());
        }
        if let Some(script) = changed.script_mut() {
            script.stop_watching();
        }
        clock.run(&mut original, until);
        clock.run(&mut changed, until);
        stop_if(cancel)?;
        if let Some(script) = changed.script().filter(|_| pairs.is_empty()) {
            (effects, reverted) = (script.effects(), script.reverted().to_vec());
        }
        pairs.push([original.finish(), changed.finish()]);
    }
    Ok(Answer { words: question.change.words(), from, until, effects, reverted, pairs })
}

/// Whether drops have ids in the results.
fn check_identities(rebuilt: &Rebuilt) -> Result<(), WhatIfError> {
    match rebuilt.variant().settings.record.identities() {
        Identities::Off => Err(WhatIfError::NoIdentities { folder: rebuilt.folder.display().to_string() }),
        Identities::All | Identities::Sample(_) => Ok(()),
    }
}

/// Runs a world to right before the instant of a decision of a queue or link.
fn find(
    mut world: World,
    decision: u64,
    end: Time,
    rebuilt: &Rebuilt,
    clock: &mut Clock<'_>,
) -> Result<(World, Time), WhatIfError> {
    let cancel = clock.cancel;
    let step = Duration::from_nanos((end.as_nanos() / STEPS).max(1));
    while world.now() < end {
        let mut before = world.fork()?;
        let next = world.now().saturating_add(step).min(end);
        world.run(next, cancel);
        clock.pass(step);
        stop_if(cancel)?;
        if world.decisions() <= decision {
            continue;
        }
        // The script says when it reverts it.
        let mut probe = before.fork()?;
        probe.intervene(Intervention::Flip { decision });
        probe.run(next, cancel);
        let reverted = probe.script().and_then(|script| script.reverted().first().copied());
        let at = reverted.ok_or(WhatIfError::NotOfAQueue(decision))?.at;
        before.run_before(at, cancel);
        return Ok((before, at));
    }
    let (count, folder) = (world.decisions(), rebuilt.folder.display().to_string());
    Err(WhatIfError::UnknownDecision { decision, count, folder })
}

/// The simulated time that is over, of all that is to be simulated.
struct Clock<'a> {
    done: Duration,
    all: Duration,
    cancel: &'a AtomicBool,
    progress: &'a dyn Fn(f64),
}

impl Clock<'_> {
    /// Runs a world to `end`, in steps.
    fn run(&mut self, world: &mut World, end: Time) {
        let begin = world.now();
        let span = end.since(begin);
        let part = Duration::from_nanos(span.as_nanos() / STEPS);
        for step in 1..=STEPS {
            let next = if step == STEPS { end } else { begin.saturating_add(part.saturating_mul(step)) };
            world.run(next, self.cancel);
            self.pass(part);
        }
    }

    fn pass(&mut self, time: Duration) {
        self.done = self.done.saturating_add(time);
        (self.progress)((self.done.as_secs_f64() / self.all.as_secs_f64().max(1e-9)).min(1.0));
    }
}

fn stop_if(cancel: &AtomicBool) -> Result<(), WhatIfError> {
    match cancel.load(Ordering::Relaxed) {
        true => Err(WhatIfError::Cancelled),
        false => Ok(()),
    }
}

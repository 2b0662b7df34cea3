//! The trials of an experiment: its runs are made once to see what their queue drops, and again to take drops back.

use std::collections::BTreeSet;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, mpsc};

use indexmap::IndexMap;
use jettison_core::{Duration, RandomStream, Seed, Time};
use jettison_measure::{Content, Kind, ObjectId, RunRecord, Unit};
use jettison_scenario::Scenario;
use jettison_scenario::build::{BuildFailure, BuildOptions, Builder};
use jettison_sim::{ForkError, Intervention, Script, World, can_revert};
use jettison_wire::FlowId;
use thiserror::Error;

use super::features::{Candidate, Seen, features};
use super::plan::{Plan, PlanError, Viewers};
use super::quality::{Reading, Sojourns};
use super::trial::{Arm, Gains, Trial, Values};

/// The trials of one variant.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// Name of the variant.
    pub variant: String,
    /// Its labels by axis.
    pub labels: IndexMap<String, String>,
    /// The seeds, in the order of the experiment.
    pub seeds: Vec<u64>,
    /// How long each continuation was.
    pub horizon: Duration,
    /// Drops that could have been tried, per second, all runs together.
    pub drops_per_second: f64,
    /// The trials, by seed and time.
    pub trials: Vec<Trial>,
}

/// An error that prevents a study.
#[derive(Debug, Error)]
pub enum ValueError {
    /// The plan.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A variant whose network cannot be built.
    #[error("variant `{variant}`: {failure}")]
    Build {
        /// The variant's name.
        variant: String,
        /// The cause.
        failure: BuildFailure,
    },
    /// A queue that the network does not have.
    #[error(
        "variant `{variant}`: unknown queue `{queue}`; name a direction of a link, such as `bottleneck.forward`"
    )]
    UnknownQueue {
        /// The variant's name.
        variant: String,
        /// The queue.
        queue: String,
    },
    /// A world that cannot be copied.
    #[error("variant `{variant}`: {error}")]
    Fork {
        /// The variant's name.
        variant: String,
        /// The cause.
        error: ForkError,
    },
    /// The log of a run's drops cannot be read back.
    #[error("variant `{variant}`: the log of drops: {error}")]
    Log {
        /// The variant's name.
        variant: String,
        /// The cause.
        error: io::Error,
    },
    /// Cancelled.
    #[error("interrupted; the value of drops was not measured")]
    Interrupted,
}

/// What a study needs.
pub struct Study<'a> {
    /// The experiment.
    pub scenario: &'a Scenario,
    /// Builder of its worlds.
    pub builder: &'a Builder,
    /// What is tried.
    pub plan: &'a Plan,
    /// Number of threads.
    pub threads: usize,
    /// Cancellation flag.
    pub cancel: &'a AtomicBool,
    /// Called with the number of finished and of all runs.
    pub progress: &'a (dyn Fn(usize, usize) + Sync),
}

/// One drop of a run.
#[derive(Debug, Clone, Copy)]
struct Drop {
    /// Number of the decision within the run.
    decision: u64,
    at: Time,
    flow: FlowId,
    length: u16,
    content: Option<Content>,
}

/// The drops of a run.
struct Drops {
    /// Those that can be tried.
    tried: Vec<Drop>,
    /// All units that lost a packet, with the number of the decision.
    lost: Vec<(u64, Unit)>,
}

/// The trials of a run, and its drops per second.
struct Tried {
    trials: Vec<Trial>,
    drops_per_second: f64,
}

impl Study<'_> {
    /// Runs all trials. Their results do not depend on the number of threads.
    ///
    /// # Errors
    /// If a network cannot be built or copied, or the study was cancelled.
    pub fn run(&self) -> Result<Vec<Cell>, ValueError> {
        let variants = &self.scenario.variants;
        let seeds = &self.scenario.seeds;
        let jobs: Vec<(usize, u64)> = (0..variants.len())
            .filter(|variant| self.plan.viewers_of(&variants[*variant].settings).is_some())
            .flat_map(|variant| seeds.iter().map(move |seed| (variant, *seed)))
            .collect();
        let (next, finished) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let failed: Mutex<Option<ValueError>> = Mutex::new(None);
        let (sender, receiver) = mpsc::channel();
        let mut results: Vec<Option<Tried>> = std::iter::repeat_with(|| None).take(jobs.len()).collect();
        std::thread::scope(|scope| {
            for _ in 0..self.threads.clamp(1, jobs.len().max(1)) {
                let (sender, jobs, next, finished, failed) =
                    (sender.clone(), &jobs, &next, &finished, &failed);
                scope.spawn(move || {
                    loop {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        let Some((variant, seed)) = jobs.get(index) else { return };
                        match self.one(*variant, *seed) {
                            Ok(tried) => drop(sender.send((index, tried))),
                            Err(error) => {
                                next.store(jobs.len(), Ordering::Relaxed);
                                let mut failed = failed.lock().unwrap_or_else(|lock| lock.into_inner());
                                failed.get_or_insert(error);
                            }
                        }
                        (self.progress)(finished.fetch_add(1, Ordering::Relaxed) + 1, jobs.len());
                    }
                });
            }
            drop(sender);
            for (index, tried) in receiver {
                results[index] = Some(tried);
            }
        });
        if let Some(error) = failed.into_inner().unwrap_or_else(|lock| lock.into_inner()) {
            return Err(error);
        }
        let mut cells: Vec<Cell> = Vec::new();
        for ((variant, _), tried) in jobs.iter().zip(results.into_iter().flatten()) {
            let own = &variants[*variant];
            let horizon = self.plan.viewers_of(&own.settings).map_or(Duration::ZERO, |own| own.horizon);
            if cells.last().is_none_or(|cell| cell.variant != own.name) {
                cells.push(Cell {
                    variant: own.name.clone(),
                    labels: own.labels.clone(),
                    seeds: seeds.clone(),
                    horizon,
                    drops_per_second: 0.0,
                    trials: Vec::new(),
                });
            }
            if let Some(cell) = cells.last_mut() {
                cell.drops_per_second += tried.drops_per_second / seeds.len() as f64;
                cell.trials.extend(tried.trials);
            }
        }
        Ok(cells)
    }

    /// The trials of one run.
    fn one(&self, variant: usize, seed: u64) -> Result<Tried, ValueError> {
        let own = &self.scenario.variants[variant];
        let Some(Viewers { flows, horizon }) = self.plan.viewers_of(&own.settings) else {
            return Ok(Tried { trials: Vec::new(), drops_per_second: 0.0 });
        };
        let run = Run {
            study: self,
            variant: &own.name,
            seed,
            reading: Reading {
                viewers: flows,
                queue: self.plan.queue.clone(),
                warm_up: Time::ZERO + own.settings.warm_up,
                from: Time::ZERO,
                until: Time::ZERO,
            },
            horizon,
        };
        let build = || {
            let world =
                self.builder.build(&own.settings, &self.scenario.contents, seed, &BuildOptions::default());
            world.map_err(|failure| ValueError::Build { variant: own.name.clone(), failure })
        };
        let end = Time::ZERO + own.settings.duration;
        let mut world = build()?;
        let queue = world.queue_named(&self.plan.queue).ok_or_else(|| ValueError::UnknownQueue {
            variant: own.name.clone(),
            queue: self.plan.queue.clone(),
        })?;
        run.advance(&mut world, end)?;
        let record = world.finish();
        let last = Time::ZERO + own.settings.duration.saturating_sub(horizon);
        let drops = run.drops(&record, queue, last)?;
        let measured = last.since(run.reading.warm_up).as_secs_f64();
        let drops_per_second = if measured > 0.0 { drops.tried.len() as f64 / measured } else { 0.0 };
        let Drops { tried, lost } = drops;
        let chosen = sample(tried, self.plan.decisions, &mut run.stream("decisions"));
        let mut world = build()?;
        world.set_script(Script::watching(Some(vec![queue])));
        let mut trials = Vec::new();
        for drop in chosen {
            run.advance(&mut world, Time::from_nanos(drop.at.as_nanos().saturating_sub(1)))?;
            let before = lost.iter().take_while(|(decision, _)| *decision < drop.decision);
            let lost: BTreeSet<Unit> = before.map(|(_, unit)| *unit).collect();
            trials.push(run.trial(&world, queue, &record, drop, &lost)?);
        }
        Ok(Tried { trials, drops_per_second })
    }
}

/// A run whose drops are tried.
struct Run<'a> {
    study: &'a Study<'a>,
    variant: &'a str,
    seed: u64,
    reading: Reading,
    horizon: Duration,
}

impl Run<'_> {
    fn stream(&self, name: &str) -> RandomStream {
        Seed(self.seed).stream(&["value", self.variant, name])
    }

    fn advance(&self, world: &mut World, until: Time) -> Result<(), ValueError> {
        world.run(until, self.study.cancel);
        if self.study.cancel.load(Ordering::Relaxed) { Err(ValueError::Interrupted) } else { Ok(()) }
    }

    fn fork(&self, world: &World, draw: u64) -> Result<World, ValueError> {
        let forked = world.fork_with_fresh_draws(draw);
        forked.map_err(|error| ValueError::Fork { variant: self.variant.to_owned(), error })
    }

    fn has_viewer(&self, record: &RunRecord, flow: FlowId) -> bool {
        self.reading.viewers.iter().any(|(viewer, _)| *viewer == flow_name(record, flow))
    }

    /// The drops of the run. Those of the queue can be tried from the end of the warm-up to `last`.
    fn drops(&self, record: &RunRecord, queue: u32, last: Time) -> Result<Drops, ValueError> {
        let within = |at: Time| at > self.reading.warm_up && at <= last;
        let mut drops = Drops { tried: Vec::new(), lost: Vec::new() };
        for decision in record.drops.iter() {
            let decision =
                decision.map_err(|error| ValueError::Log { variant: self.variant.to_owned(), error })?;
            let Some(reason) = decision.drop_reason().filter(|reason| can_revert(*reason)) else { continue };
            let content = decision.identity.as_ref().and_then(|identity| identity.content);
            drops.lost.extend(content.and_then(|content| content.unit).map(|unit| (decision.id, unit)));
            if decision.queue == queue && within(decision.time) && reason.is_loss() {
                let (decision, at, flow, length) =
                    (decision.id, decision.time, decision.flow, decision.length);
                drops.tried.push(Drop { decision, at, flow, length, content });
            }
        }
        Ok(drops)
    }

    /// Tries one drop, in a world that stands right before its instant.
    fn trial(
        &self,
        world: &World,
        queue: u32,
        record: &RunRecord,
        drop: Drop,
        lost: &BTreeSet<Unit>,
    ) -> Result<Trial, ValueError> {
        let plan = self.study.plan;
        let reading = Reading { from: drop.at, until: drop.at + self.horizon, ..self.reading.clone() };
        let before = Sojourns::of(&self.fork(world, 0)?.finish(), &reading.queue);
        let mut stream = self.stream(&format!("drop {}", drop.decision));
        let script = world.script().into_iter();
        let waiting: Vec<Waits> = script
            .flat_map(|script| script.waiting(queue))
            .map(|(packet, own)| Waits { packet, flow: own.flow, length: own.length })
            .collect();
        let mut pick = |of_viewer: bool| {
            let of_kind = |own: &&Waits| self.has_viewer(record, own.flow) == of_viewer;
            let own: Vec<&Waits> = waiting.iter().filter(of_kind).collect();
            let last = own.len().checked_sub(1)?;
            own.get(stream.uniform(0, last as u64) as usize).map(|own| **own)
        };
        let victims = [pick(true), pick(false)];
        let spare = Intervention::Flip { decision: drop.decision };
        let instead = |victim: Waits| {
            vec![spare.clone(), Intervention::Drop { queue, packet: victim.packet, on_arrival: false }]
        };
        // Draws of a decision are its own; those of the redraw are others.
        let draws = plan.draws as u64;
        let first = 1 + drop.decision * 2 * draws;
        let values = |interventions: Vec<Intervention>, first: u64| {
            let mut decided = self.fork(world, 0)?;
            interventions.into_iter().for_each(|intervention| decided.intervene(intervention));
            // Nothing more is asked of the script in this arm.
            decided.script_mut().into_iter().for_each(Script::stop_watching);
            // What happens at the instant itself keeps the draws of the run: coins of the discipline are part of the decision.
            self.advance(&mut decided, drop.at)?;
            let each = (first..first + draws).map(|draw| {
                let mut own = self.fork(&decided, draw)?;
                self.advance(&mut own, reading.until)?;
                Ok(reading.values(&own.finish(), before))
            });
            each.collect::<Result<Vec<Values>, ValueError>>()
        };
        let base = values(Vec::new(), first)?;
        let mut arms = Vec::new();
        for arm in Arm::ALL {
            let own = match (arm, victims) {
                (Arm::Spare, _) => values(vec![spare.clone()], first)?,
                (Arm::SwapViewer, [Some(victim), _]) | (Arm::SwapOther, [_, Some(victim)]) => {
                    values(instead(victim), first)?
                }
                (Arm::Redraw, _) => values(Vec::new(), first + draws)?,
                _ => continue,
            };
            let draws = own.iter().zip(&base).map(|(own, base)| own.less(base)).collect();
            arms.push(Gains { arm, draws });
        }
        let of_viewer = self.has_viewer(record, drop.flow);
        let seen = Seen {
            dropped: Candidate { of_viewer, content: drop.content, length: drop.length },
            victim: victims[0].map(|own| Candidate {
                of_viewer: true,
                content: world.content(own.packet),
                length: own.length,
            }),
            waiting: waiting.len(),
            own: waiting.iter().filter(|own| own.flow == drop.flow).count(),
            flows: waiting.iter().map(|own| own.flow).collect::<BTreeSet<FlowId>>().len(),
        };
        let features = features(&seen, lost);
        Ok(Trial { seed: self.seed, decision: drop.decision, of_viewer, features, arms })
    }
}

/// A packet that waits.
#[derive(Debug, Clone, Copy)]
struct Waits {
    packet: u32,
    flow: FlowId,
    length: u16,
}

fn flow_name(record: &RunRecord, flow: FlowId) -> &str {
    let id = ObjectId { kind: Kind::Flow, index: flow.0 };
    if flow == FlowId::NONE { "" } else { record.name(id) }
}

/// At most `count` of the drops, each with the same probability, in order.
fn sample(mut drops: Vec<Drop>, count: usize, stream: &mut RandomStream) -> Vec<Drop> {
    // The first `count` places of a Fisher-Yates shuffle.
    for place in 0..count.min(drops.len()) {
        let other = stream.uniform(place as u64, drops.len() as u64 - 1) as usize;
        drops.swap(place, other);
    }
    drops.truncate(count);
    drops.sort_by_key(|drop| (drop.at, drop.decision));
    drops
}

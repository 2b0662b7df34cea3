//! Runs in steps, for programs that learn: an [`Episode`] goes on to the next decision, says what is seen there, and takes the
//! decision.
//!
//! A [`Task`] says what is decided: the representations of a player (`abr`), window or pacing rate of a TCP flow (`congestion`), or
//! parameters of a queue discipline (`aqm`). [`Steps`] joins it with a scenario, whose variants are the networks that
//! episodes may be of; [`Fleet`] steps many episodes at once on all cores. An episode is as deterministic as a run: the same variant,
//! seed and actions give the same steps, and actions that a built-in rule would have chosen give the record of a run with that rule.

mod abr;
mod aqm;
mod congestion;
mod fleet;
mod spaces;

use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use jettison_core::{Duration, Time};
use jettison_measure::RunRecord;
use jettison_scenario::build::{BuildFailure, BuildOptions, Builder};
use jettison_scenario::schema::Flow;
use jettison_scenario::{Scenario, Settings};
use jettison_sim::{RunOutcome, SteerError, World};
use serde::Deserialize;
use thiserror::Error;

pub use abr::AbrTask;
pub use aqm::AqmTask;
pub use congestion::{CongestionTask, Control};
pub use fleet::{Fleet, Order, Slot};
pub use spaces::{Action, Axis, Spaces};

/// What is decided in an episode.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Task {
    /// The representation of each video segment.
    Abr(AbrTask),
    /// Congestion window or pacing rate of a TCP flow, at intervals.
    Congestion(CongestionTask),
    /// Parameters of a queue discipline, at intervals.
    Aqm(AqmTask),
}

/// An episode that cannot begin or go on.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum StepError {
    /// A variant that cannot be built.
    #[error("variant `{variant}`: {failure}")]
    Build {
        /// The variant.
        variant: String,
        /// The reason.
        failure: BuildFailure,
    },
    /// Something that cannot be steered.
    #[error(transparent)]
    Steer(#[from] SteerError),
    /// A task that does not fit the scenario, or an action that does not fit the task.
    #[error("{0}")]
    Task(String),
    /// Ended by a queue discipline in Python.
    #[error("the run was cancelled")]
    Cancelled,
}

/// What a step led to.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Outcome {
    /// The reward.
    pub reward: f64,
    /// Whether the task is over: the title was played, the flow has ended.
    pub terminated: bool,
    /// Whether the scenario's duration is over.
    pub truncated: bool,
}

/// What is seen at a decision.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct View {
    /// The observation, in the order of [`Spaces::observation`].
    pub observation: Vec<f32>,
    /// Raw measures, in the order of [`Spaces::measures`].
    pub measures: Vec<f64>,
}

/// A task in a scenario.
pub struct Steps {
    scenario: Arc<Scenario>,
    builder: Builder,
    task: Task,
    spaces: Spaces,
    /// Ends runs early; set by queue disciplines in Python that fail.
    cancel: Arc<AtomicBool>,
}

/// The part of an episode that knows its task.
trait Pilot: Send {
    /// Runs to the first decision.
    fn begin(&mut self, settings: &Settings, run: &mut Running, view: &mut View) -> Result<(), StepError>;
    /// Takes a decision, and runs to the next one.
    fn step(&mut self, run: &mut Running, action: &[f64], view: &mut View) -> Result<Outcome, StepError>;
    /// What observations and actions are.
    fn spaces(&self) -> Spaces;
}

/// The run of an episode.
struct Running {
    world: World,
    end: Time,
    warm_up: Time,
    cancel: Arc<AtomicBool>,
}

impl Running {
    /// Runs to an instant, at most to the end; returns whether the world waits for a decision.
    fn to(&mut self, instant: Time) -> Result<bool, StepError> {
        match self.world.run(instant.min(self.end), &self.cancel) {
            RunOutcome::Complete => Ok(false),
            RunOutcome::Waiting => Ok(true),
            RunOutcome::Cancelled => Err(StepError::Cancelled),
        }
    }

    fn is_over(&self) -> bool {
        self.world.now() >= self.end
    }

    /// The direction, of those on the paths of a flow (or of all flows) that `fits` takes, that can carry least in the first second.
    fn slowest(
        &mut self,
        settings: &Settings,
        flow: Option<&str>,
        fits: impl Fn(&World, usize) -> bool,
    ) -> Result<Option<usize>, StepError> {
        let is_meant = |entry: &str, own: &Flow| {
            flow.is_none_or(|flow| own.names(entry).iter().any(|name| name == flow))
        };
        let flows = settings.flows.iter().filter(|(entry, own)| is_meant(entry, own));
        let hops = flows.filter_map(|(_, own)| settings.path(&own.from, &own.to)).flatten();
        let mut slowest: Option<(u64, usize)> = None;
        for hop in hops {
            let direction = self.world.direction_named(&hop.name())?;
            let carries = self.world.capacity(direction, Time::ZERO, Time::from_secs(1)).get();
            if fits(&self.world, direction) && slowest.is_none_or(|(least, _)| carries < least) {
                slowest = Some((carries, direction));
            }
        }
        Ok(slowest.map(|(_, direction)| direction))
    }
}

impl Task {
    fn pilot(&self) -> Result<Box<dyn Pilot>, StepError> {
        Ok(match self {
            Task::Abr(task) => Box::new(abr::Abr::new(task.clone())?),
            Task::Congestion(task) => Box::new(congestion::Congestion::new(task.clone())?),
            Task::Aqm(task) => Box::new(aqm::Aqm::new(task.clone())?),
        })
    }
}

impl Steps {
    /// Joins a task and a scenario. It begins an episode of the first variant, to see what the task's spaces are.
    ///
    /// # Errors
    /// If the task does not fit the scenario.
    pub fn new(
        scenario: Arc<Scenario>,
        builder: Builder,
        task: Task,
        cancel: Arc<AtomicBool>,
    ) -> Result<Arc<Steps>, StepError> {
        let mut steps = Steps { scenario, builder, task, spaces: Spaces::default(), cancel };
        steps.spaces = steps.begin(0, 1)?.pilot.spaces();
        Ok(Arc::new(steps))
    }

    /// What observations, actions and measures are.
    pub fn spaces(&self) -> &Spaces {
        &self.spaces
    }

    /// Begins the episode of a variant, by its index, and seed.
    ///
    /// # Errors
    /// If the task does not fit the variant.
    pub fn episode(&self, variant: usize, seed: u64) -> Result<Episode, StepError> {
        let episode = self.begin(variant, seed)?;
        let (own, first) = (episode.pilot.spaces(), &self.spaces);
        if own.shape() != first.shape() {
            let name = &self.scenario.variants[variant].name;
            let [(observed, acted), (before, acted_before)] = [own.shape(), first.shape()];
            return Err(StepError::Task(format!(
                "variant `{name}` has {observed} observed values and {acted} actions, the first variant has {before} and \
                 {acted_before}; all variants must have the same"
            )));
        }
        Ok(episode)
    }

    fn begin(&self, variant: usize, seed: u64) -> Result<Episode, StepError> {
        let Some(variant) = self.scenario.variants.get(variant) else {
            let count = self.scenario.variants.len();
            return Err(StepError::Task(format!("the scenario has {count} variants, got number {variant}")));
        };
        let settings = &variant.settings;
        let world = self.builder.build(settings, &self.scenario.contents, seed, &BuildOptions::default());
        let world = world.map_err(|failure| StepError::Build { variant: variant.name.clone(), failure })?;
        let run = Running {
            world,
            end: Time::ZERO + settings.duration,
            warm_up: Time::ZERO + settings.warm_up,
            cancel: Arc::clone(&self.cancel),
        };
        let mut episode = Episode { run, pilot: self.task.pilot()?, view: View::default(), is_over: false };
        episode.pilot.begin(settings, &mut episode.run, &mut episode.view)?;
        Ok(episode)
    }
}

/// One run, from decision to decision.
pub struct Episode {
    run: Running,
    pilot: Box<dyn Pilot>,
    view: View,
    is_over: bool,
}

impl Episode {
    /// What is seen now.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// Takes a decision, and goes on to the next one.
    ///
    /// # Errors
    /// If the episode is over, or the action does not fit.
    pub fn step(&mut self, action: &[f64]) -> Result<Outcome, StepError> {
        if self.is_over {
            return Err(StepError::Task("the episode is over; call reset()".to_owned()));
        }
        let outcome = self.pilot.step(&mut self.run, action, &mut self.view)?;
        self.is_over = outcome.terminated || outcome.truncated;
        Ok(outcome)
    }

    /// Time of the run.
    pub fn now(&self) -> Time {
        self.run.world.now()
    }

    /// Events of the run so far.
    pub fn events(&self) -> u64 {
        self.run.world.events()
    }

    /// Runs to the end of the scenario, with the same action at each further decision, and returns the record.
    ///
    /// # Errors
    /// As [`Episode::step`].
    pub fn finish(mut self, action: &[f64]) -> Result<RunRecord, StepError> {
        while !self.is_over {
            self.step(action)?;
        }
        let end = self.run.end;
        self.run.to(end)?;
        Ok(self.run.world.finish())
    }
}

/// A number in the unit that a space has it in.
fn millis(span: Duration) -> f64 {
    span.as_nanos() as f64 / 1e6
}

/// Bits per nanosecond interval as Mbit/s.
fn mbit(bytes: u64, span: Duration) -> f64 {
    if span.is_zero() { 0.0 } else { 8e3 * bytes as f64 / span.as_nanos() as f64 }
}

/// The part of `of` in a whole; 0 of nothing.
fn share(of: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { of as f64 / whole as f64 }
}

/// A value changed by a factor to the power of an action in [-1, 1], within bounds.
fn scaled(value: f64, factor: f64, action: f64, [low, high]: [f64; 2]) -> f64 {
    // An action of 0 leaves the very bits.
    if action == 0.0 { value } else { (value * libm::pow(factor, action)).clamp(low, high) }
}

/// Checks that an action has so many numbers, each in [-1, 1].
fn levels(action: &[f64], count: usize) -> Result<(), StepError> {
    let is_sound = action.len() == count && action.iter().all(|level| (-1.0..=1.0).contains(level));
    match is_sound {
        true => Ok(()),
        false => Err(StepError::Task(format!(
            "an action must be {count} number{} in [-1, 1], got {action:?}",
            if count == 1 { "" } else { "s" }
        ))),
    }
}

/// Checks parameters that all tasks at intervals have.
fn positive(key: &str, is_sound: bool, found: &dyn Debug) -> Result<(), StepError> {
    match is_sound {
        true => Ok(()),
        false => Err(StepError::Task(format!("`{key}` must be > 0, got {found:?}"))),
    }
}

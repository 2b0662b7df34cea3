//! A run made again, with forks that continue without what a chain names.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use jettison_core::{Duration, Time};
use jettison_measure::EventKind;
use jettison_report::explain::{Cause, CauseKind, Check, Event, Evidenced, Explanation, events_of};
use jettison_scenario::build::Builder;
use jettison_sim::{Intervention, RunOutcome, Script, Window, World};
use jettison_wire::FlowId;

use super::ExplainError;
use crate::rebuild::Rebuilt;

/// Least time for which a fork continues after its event: frames are scored a second after their capture.
const AFTER: Duration = Duration::from_secs(2);

/// A stored run that is made again for its counterfactuals.
pub(super) struct Again<'a> {
    pub rebuilt: &'a Rebuilt,
    pub builder: &'a Builder,
}

/// A point at which the run is forked, or its queues are looked at.
struct Stop {
    at: Time,
    explanation: usize,
    task: Task,
}

enum Task {
    /// Fork without all of these causes.
    Without(Vec<usize>),
    /// Note who holds the queue of a cause.
    Look(usize),
}

impl Again<'_> {
    /// Holds explanations to counterfactuals, and looks who held the queues that they name. With `alone`, also says what remains
    /// without each cause by itself.
    pub fn check(
        &self,
        explanations: &mut [Explanation],
        alone: bool,
        cancel: &AtomicBool,
    ) -> Result<Vec<Check>, ExplainError> {
        let stops = self.stops(explanations, alone);
        let mut checks: Vec<Check> = explanations
            .iter()
            .map(|own| match own.is_revertible() {
                true => Check::Left { all: own.event.cost, each: Vec::new() },
                false => Check::Nothing,
            })
            .collect();
        let mut world = self.rebuilt.world(self.builder)?;
        let flows = flows_of(&mut world);
        let named = explanations.iter().flat_map(|own| &own.causes).filter(|cause| cause.is_revertible());
        let mut queues: Vec<u32> = named.filter_map(|cause| world.queue_named(&cause.place)).collect();
        queues.sort_unstable();
        queues.dedup();
        world.set_script(Script::watching(Some(queues)));
        for stop in stops {
            complete(world.run_before(stop.at, cancel))?;
            let explanation = &mut explanations[stop.explanation];
            match stop.task {
                Task::Look(cause) => look(&world, &mut explanation.causes[cause], stop.at, &flows),
                Task::Without(causes) => {
                    let left = self.left(&world, explanation, &causes, &flows, cancel)?;
                    let revertible = explanation.causes.iter().filter(|cause| cause.is_revertible()).count();
                    if let Check::Left { all, each } = &mut checks[stop.explanation] {
                        if causes.len() == revertible {
                            *all = left;
                        }
                        if let [only] = causes.as_slice() {
                            each.push((*only, left));
                        }
                    }
                }
            }
        }
        Ok(checks)
    }

    fn stops(&self, explanations: &[Explanation], alone: bool) -> Vec<Stop> {
        let mut stops = Vec::new();
        for (place, explanation) in explanations.iter().enumerate() {
            let revertible = |cause: &&(usize, &Cause)| cause.1.is_revertible();
            let causes: Vec<(usize, &Cause)> = explanation.causes.iter().enumerate().collect();
            let named: Vec<&(usize, &Cause)> = causes.iter().filter(revertible).collect();
            let begin = |subset: &[usize]| subset.iter().map(|cause| explanation.causes[*cause].from).min();
            let all: Vec<usize> = named.iter().map(|(cause, _)| *cause).collect();
            let mut subsets = vec![all.clone()];
            if alone && all.len() > 1 {
                subsets.extend(all.iter().map(|cause| vec![*cause]));
            }
            for subset in subsets {
                if let Some(at) = begin(&subset) {
                    stops.push(Stop { at, explanation: place, task: Task::Without(subset) });
                }
            }
            let waits = named.iter().filter(|(_, own)| own.kind == CauseKind::Waits && own.state.is_none());
            stops.extend(waits.map(|(cause, own)| Stop {
                at: own.worst,
                explanation: place,
                task: Task::Look(*cause),
            }));
        }
        stops.sort_by_key(|stop| stop.at); // stable
        stops
    }

    /// The cost that remains of an event without some of its causes.
    fn left(
        &self,
        world: &World,
        explanation: &Explanation,
        causes: &[usize],
        flows: &Flows,
        cancel: &AtomicBool,
    ) -> Result<f64, ExplainError> {
        let event = &explanation.event;
        let mut fork = world.fork()?;
        for cause in causes.iter().map(|cause| &explanation.causes[*cause]) {
            let (Some(queue), Some(flow)) = (fork.queue_named(&cause.place), flows.get(&event.flow)) else {
                continue;
            };
            let to = Time::from_nanos(cause.to.as_nanos().saturating_add(1));
            let (flow, window) = (*flow, Window { from: cause.from, to });
            let is_own = cause.is_own(&event.flow).unwrap_or_else(|| holds(world, queue, flow));
            fork.intervene(match cause.kind {
                // Packets that wait for those before them of the same flow wait for the link.
                _ if is_own => Intervention::Carry { queue, flow, window },
                // Without the drops alone its packets would wait for those of others.
                _ if cause.is_share => Intervention::Bypass { queue, flow, window },
                CauseKind::Waits => Intervention::Bypass { queue, flow, window },
                _ => Intervention::Spare { queue, flow, window },
            });
        }
        let horizon = event.end().saturating_add(event.duration.max(AFTER)).min(self.rebuilt.end());
        complete(fork.run(horizon, cancel))?;
        let record = fork.finish();
        let others = events_of(&record, &record.events);
        Ok(remaining(event, &others))
    }
}

/// Whether most of the packets in a queue are of a flow, or it is empty, so that no other flow's are.
fn holds(world: &World, queue: u32, flow: FlowId) -> bool {
    let waiting = world.script().into_iter().flat_map(|script| script.waiting(queue));
    let (own, all) =
        waiting.fold((0, 0), |(own, all), (_, waiting)| (own + usize::from(waiting.flow == flow), all + 1));
    2 * own >= all
}

/// What remains of an event among those of another run, as a cost.
fn remaining(event: &Event, others: &[Event]) -> f64 {
    let kin = others.iter().filter(|own| own.flow == event.flow && are_kin(own.kind, event.kind));
    kin.map(|own| match event.is_of_frames() || event.kind == EventKind::LateSample {
        true => own.cost * overlap(cover(event), cover(own)),
        // A switch to a better representation than that of the event is no remainder of it.
        false if is_switch(event.kind) => {
            let is_left = own.unit.zip(event.unit).is_some_and(|(one, other)| {
                one.kind == other.kind
                    && one.number.abs_diff(other.number) <= 1
                    && (event.kind == EventKind::Abandoned || one.part <= other.part)
            });
            if is_left { own.cost } else { 0.0 }
        }
        false => {
            let is_same = own
                .unit
                .zip(event.unit)
                .is_some_and(|(one, other)| (one.kind, one.number) == (other.kind, other.number));
            let (from, to) = (own.at.max(event.at), own.end().min(event.end()));
            if is_same || from < to { own.cost } else { 0.0 }
        }
    })
    .sum()
}

fn is_switch(kind: EventKind) -> bool {
    matches!(kind, EventKind::SwitchDown | EventKind::Abandoned)
}

/// Whether an event of one kind may be what remains of another.
fn are_kin(one: EventKind, other: EventKind) -> bool {
    use EventKind::{
        Abandoned, Freeze, LateFrame, LongStart, MissingLayers, SkippedFrame, Stall, SwitchDown,
    };
    let families: [&[EventKind]; 3] =
        [&[Freeze, LateFrame, SkippedFrame, MissingLayers], &[Stall, LongStart], &[SwitchDown, Abandoned]];
    one == other || families.iter().any(|family| family.contains(&one) && family.contains(&other))
}

/// The time that an event of frames covers, as captured.
fn cover(event: &Event) -> (Time, Time) {
    (event.since, event.since.saturating_add(event.duration))
}

/// Share of the second span that lies in the first.
fn overlap(one: (Time, Time), own: (Time, Time)) -> f64 {
    let (from, to) = (one.0.max(own.0), one.1.min(own.1));
    let whole = own.1.since(own.0).as_nanos();
    if to <= from || whole == 0 { 0.0 } else { to.since(from).as_nanos() as f64 / whole as f64 }
}

/// Notes who holds the queue of a cause.
fn look(world: &World, cause: &mut Cause, at: Time, flows: &Flows) {
    let (Some(queue), Some(script)) = (world.queue_named(&cause.place), world.script()) else { return };
    let mut counts: BTreeMap<FlowId, usize> = BTreeMap::new();
    for (_, waiting) in script.waiting(queue) {
        *counts.entry(waiting.flow).or_default() += 1;
    }
    let backlog: usize = counts.values().sum();
    let mut holders: Vec<(&str, usize)> =
        counts.into_iter().map(|(flow, own)| (flows.name(flow), own)).collect();
    holders.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), *name));
    let holders: Vec<String> =
        holders.iter().take(8).map(|(name, count)| format!("{name} {count}")).collect();
    cause.state = Some(Evidenced {
        at,
        decision: None,
        backlog: Some(backlog as u64),
        holders: holders.join(", "),
        gauges: String::new(),
    });
}

/// Flows by name.
struct Flows(BTreeMap<String, FlowId>);

impl Flows {
    fn get(&self, name: &str) -> Option<&FlowId> {
        self.0.get(name)
    }

    fn name(&self, flow: FlowId) -> &str {
        self.0.iter().find(|(_, own)| **own == flow).map_or("others", |(name, _)| name)
    }
}

fn flows_of(world: &mut World) -> Flows {
    let recorder = world.recorder();
    let flows = (0..recorder.flow_count() as u32).map(FlowId);
    Flows(flows.map(|flow| (recorder.flow_name(flow).to_owned(), flow)).collect())
}

fn complete(outcome: RunOutcome) -> Result<(), ExplainError> {
    match outcome {
        RunOutcome::Complete => Ok(()),
        // No program of a stored run is steered.
        RunOutcome::Cancelled | RunOutcome::Waiting => Err(ExplainError::Interrupted),
    }
}

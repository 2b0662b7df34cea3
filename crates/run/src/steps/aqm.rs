//! Queue management: parameters of a queue discipline, at intervals.

use jettison_core::{Duration, Time};
use jettison_scenario::Settings;
use jettison_sim::{QueueSeen, QueueSetting};
use serde::Deserialize;

use super::{
    Action, Axis, Outcome, Pilot, Running, Spaces, StepError, View, levels, mbit, millis, positive, scaled,
    share,
};

/// The error of a queue, or of all, without parameters that can be changed.
fn none(whose: &str) -> StepError {
    StepError::Task(format!(
        "no queue discipline {whose} has a parameter that can be changed in a run; use codel, fq-codel, pie, fq-pie, pi2, dualpi2 \
         or red"
    ))
}

/// Parameters of `aqm`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AqmTask {
    /// The direction of a link in front of which the queue is: `bottleneck.forward`. Unset: of the slowest link on the flows' paths
    /// whose discipline has such parameters.
    pub queue: Option<String>,
    /// The parameters that actions change, by their keys in scenarios; empty for all that the discipline has.
    pub parameters: Vec<String>,
    /// Time between two decisions.
    pub interval: Duration,
    /// By how much an action of 1 multiplies.
    pub factor: f64,
    /// A parameter stays between its value in the scenario divided and multiplied by this.
    pub range: f64,
    /// The mean sojourn time that takes away the reward of a link that is used fully.
    pub delay_cost: Duration,
}

/// An episode of one queue.
pub(super) struct Aqm {
    task: AqmTask,
    direction: usize,
    parameters: Vec<Parameter>,
    seen: QueueSeen,
    axes: Vec<Axis>,
}

/// A parameter that is changed.
struct Parameter {
    setting: QueueSetting,
    /// Nanoseconds, or a share.
    value: f64,
    bounds: [f64; 2],
}

impl Parameter {
    fn of(setting: QueueSetting, range: f64) -> Parameter {
        let value = match setting {
            QueueSetting::Target(span) | QueueSetting::Interval(span) => span.as_nanos() as f64,
            QueueSetting::MaxProbability(share) => share,
            _ => 0.0,
        };
        let highest = if matches!(setting, QueueSetting::MaxProbability(_)) { 1.0 } else { 1e15 };
        let lowest = if highest == 1.0 { 1e-9 } else { 1.0 };
        let bounds = [(value / range).max(lowest), (value * range).min(highest)];
        Parameter { setting, value, bounds }
    }

    /// The setting with the present value.
    fn setting(&self) -> QueueSetting {
        let span = Duration::from_nanos(self.value as u64);
        match self.setting {
            QueueSetting::Target(_) => QueueSetting::Target(span),
            QueueSetting::Interval(_) => QueueSetting::Interval(span),
            QueueSetting::MaxProbability(_) => QueueSetting::MaxProbability(self.value),
            other => other,
        }
    }

    /// Its value and its bound in the unit of observations, with the unit.
    fn shown(&self) -> (f64, f64, &'static str) {
        match self.setting {
            QueueSetting::MaxProbability(_) => (self.value, self.bounds[1], "1"),
            _ => (self.value / 1e6, self.bounds[1] / 1e6, "ms"),
        }
    }
}

impl Aqm {
    pub(super) fn new(task: AqmTask) -> Result<Aqm, StepError> {
        positive("interval", !task.interval.is_zero(), &task.interval)?;
        positive("delay_cost", !task.delay_cost.is_zero(), &task.delay_cost)?;
        for (key, value) in [("factor", task.factor), ("range", task.range)] {
            if !(value > 1.0 && value <= 1000.0) {
                return Err(StepError::Task(format!("`{key}` must be in (1, 1000], got {value}")));
            }
        }
        Ok(Aqm { task, direction: 0, parameters: Vec::new(), seen: QueueSeen::default(), axes: Vec::new() })
    }

    /// The parameters to change, with their values in the scenario.
    fn find(&self, queue: &str, settings: Vec<QueueSetting>) -> Result<Vec<Parameter>, StepError> {
        let known = settings.iter().map(QueueSetting::key).collect::<Vec<_>>().join(", ");
        if settings.is_empty() {
            return Err(none(&format!("of `{queue}`")));
        }
        let wanted = &self.task.parameters;
        let unknown = wanted.iter().find(|key| !settings.iter().any(|setting| setting.key() == **key));
        if let Some(unknown) = unknown {
            return Err(StepError::Task(format!(
                "the queue discipline of `{queue}` has no parameter `{unknown}` that can be changed in a run; known are {known}"
            )));
        }
        let is_wanted =
            |setting: &QueueSetting| wanted.is_empty() || wanted.iter().any(|key| key == setting.key());
        Ok(settings.into_iter().filter(is_wanted).map(|one| Parameter::of(one, self.task.range)).collect())
    }

    /// Runs for an interval, and looks; returns the reward.
    fn interval(&mut self, run: &mut Running, view: &mut View) -> Result<f64, StepError> {
        let since = run.world.now();
        run.to(since + self.task.interval)?;
        let (now, seen) = (run.world.now(), run.world.queue_seen(self.direction));
        let before = std::mem::replace(&mut self.seen, seen);
        Ok(self.see(&before, &seen, [since, now], run, view))
    }

    fn see(
        &self,
        before: &QueueSeen,
        seen: &QueueSeen,
        [since, now]: [Time; 2],
        run: &mut Running,
        view: &mut View,
    ) -> f64 {
        let departed = seen.departed - before.departed;
        let bytes = seen.departed_bytes - before.departed_bytes;
        let (drops, marks) = (seen.drops - before.drops, seen.marks - before.marks);
        let capacity = run.world.capacity(self.direction, since, now).get();
        let nanos = seen.sojourn_nanos - before.sojourn_nanos;
        let sojourn = if departed == 0 { 0.0 } else { nanos as f64 / departed as f64 / 1e6 };
        let used = share(bytes, capacity).min(1.0);
        let values = [
            used,
            sojourn,
            seen.backlog.packets as f64,
            seen.backlog.bytes as f64 / 1e3,
            share(drops, drops + departed),
            share(marks, departed),
        ];
        let set = || self.parameters.iter().map(|parameter| parameter.shown().0);
        Spaces::write(&self.axes, values.into_iter().chain(set()), &mut view.observation);
        view.measures.clear();
        view.measures.push(now.as_nanos() as f64 / 1e9);
        view.measures.extend(values.into_iter().chain(set()));
        let span = now.since(since);
        view.measures.extend([mbit(bytes, span), mbit(capacity, span), drops as f64, marks as f64]);
        used - sojourn / millis(self.task.delay_cost)
    }
}

impl Pilot for Aqm {
    fn begin(&mut self, settings: &Settings, run: &mut Running, view: &mut View) -> Result<(), StepError> {
        self.direction = match &self.task.queue {
            Some(queue) => run.world.direction_named(queue)?,
            None => {
                let slowest = run
                    .slowest(settings, None, |world, direction| !world.queue_settings(direction).is_empty());
                slowest?.ok_or_else(|| none("of a link that a flow crosses"))?
            }
        };
        let name = run.world.direction_names().nth(self.direction).unwrap_or_default().to_owned();
        self.parameters = self.find(&name, run.world.queue_settings(self.direction))?;
        self.axes = vec![
            Axis::new("utilisation", "1", 1.0),
            Axis::new("sojourn", "ms", 1e5),
            Axis::new("backlog_packets", "packets", 1e6),
            Axis::new("backlog", "kB", 1e6),
            Axis::new("drops", "1", 1.0),
            Axis::new("marks", "1", 1.0),
        ];
        self.axes.extend(self.parameters.iter().map(|parameter| {
            let (_, high, unit) = parameter.shown();
            Axis::new(parameter.setting.key(), unit, high)
        }));
        run.to(run.warm_up)?;
        self.seen = run.world.queue_seen(self.direction);
        self.interval(run, view)?;
        match run.is_over() {
            true => {
                let interval = self.task.interval;
                let wrong =
                    format!("the scenario ends within the first interval of {interval} after its warm-up");
                Err(StepError::Task(wrong))
            }
            false => Ok(()),
        }
    }

    fn step(&mut self, run: &mut Running, action: &[f64], view: &mut View) -> Result<Outcome, StepError> {
        levels(action, self.parameters.len())?;
        for (parameter, level) in self.parameters.iter_mut().zip(action) {
            let value = scaled(parameter.value, self.task.factor, *level, parameter.bounds);
            if value != parameter.value {
                parameter.value = value;
                run.world.set_queue(self.direction, parameter.setting());
            }
        }
        let reward = self.interval(run, view)?;
        Ok(Outcome { reward, terminated: false, truncated: run.is_over() })
    }

    fn spaces(&self) -> Spaces {
        let measure = |name: &str, unit| Axis::new(name, unit, f64::INFINITY);
        let mut measures = vec![measure("time", "s")];
        measures.extend(self.axes.iter().cloned());
        measures.extend([
            measure("throughput", "Mbit/s"),
            measure("capacity", "Mbit/s"),
            measure("dropped", "packets"),
            measure("marked", "packets"),
        ]);
        let names = self.parameters.iter().map(|parameter| parameter.setting.key()).collect();
        Spaces { observation: self.axes.clone(), action: Action::Levels(names), measures }
    }
}

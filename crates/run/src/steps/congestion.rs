//! Congestion control: window or pacing rate of a flow whose controller is `constant`, at intervals.

use jettison_core::{Bytes, Duration, Rate, Time};
use jettison_scenario::Settings;
use jettison_sim::Seen;
use jettison_wire::FlowId;
use serde::Deserialize;

use super::{
    Action, Axis, Outcome, Pilot, Running, Spaces, StepError, View, levels, mbit, millis, positive, scaled,
    share,
};

/// What an action sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Control {
    /// The pacing rate; the window stays as it is.
    Rate,
    /// The window; the transport paces if it paces anyway.
    Window,
}

/// Parameters of `congestion`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CongestionTask {
    /// The flow, whose congestion controller is `constant`.
    pub flow: String,
    /// What an action sets.
    pub control: Control,
    /// Time between two decisions.
    pub interval: Duration,
    /// The direction of a link whose capacity rewards refer to; unset: the slowest on the flow's path.
    pub bottleneck: Option<String>,
    /// By how much an action of 1 multiplies.
    pub factor: f64,
    /// The window at the start, as in the scenario.
    pub window: Bytes,
    /// The pacing rate at the start, as in the scenario; set to steer the rate.
    pub rate: Option<Rate>,
    /// Least and highest rate.
    pub rates: [Rate; 2],
    /// Least and highest window.
    pub windows: [Bytes; 2],
    /// The queueing delay that takes away the reward of a link that is used fully.
    pub delay_cost: Duration,
    /// What a loss of everything takes away.
    pub loss_cost: f64,
}

/// An episode of one flow.
pub(super) struct Congestion {
    task: CongestionTask,
    flow: FlowId,
    bottleneck: usize,
    /// Bit/s or bytes.
    value: f64,
    bounds: [f64; 2],
    /// Lowest RTT so far.
    base: Duration,
    rtt: [Duration; 2],
    axes: Vec<Axis>,
}

impl Congestion {
    pub(super) fn new(task: CongestionTask) -> Result<Congestion, StepError> {
        positive("interval", !task.interval.is_zero(), &task.interval)?;
        positive("delay_cost", !task.delay_cost.is_zero(), &task.delay_cost)?;
        if !(task.factor > 1.0 && task.factor <= 100.0) {
            return Err(StepError::Task(format!("`factor` must be in (1, 100], got {}", task.factor)));
        }
        let rate = |rate: Rate| rate.as_bits() as f64;
        let window = |window: Bytes| window.get() as f64;
        let (key, value, bounds) = match (task.control, task.rate) {
            (Control::Rate, Some(own)) => ("rates", rate(own), task.rates.map(rate)),
            (Control::Rate, None) => {
                return Err(StepError::Task(
                    "to steer the rate, it must have a value at the start".to_owned(),
                ));
            }
            (Control::Window, _) => ("windows", window(task.window), task.windows.map(window)),
        };
        if !(bounds[0] >= 1.0 && bounds[0] <= value && value <= bounds[1]) {
            return Err(StepError::Task(format!(
                "`{key}` must be > 0, ascending, and enclose the value at the start, got {bounds:?} around {value}"
            )));
        }
        let second = if task.control == Control::Rate {
            Axis::new("rate", "Mbit/s", bounds[1] / 1e6)
        } else {
            Axis::new("window", "kB", bounds[1] / 1e3)
        };
        let axes = vec![
            Axis::new("throughput", "Mbit/s", 1e6),
            Axis::new("rtt", "ms", 1e5),
            Axis::new("rtt_min", "ms", 1e5),
            Axis::new("base_rtt", "ms", 1e5),
            Axis::new("loss", "1", 1.0),
            Axis::new("marks", "1", 1.0),
            Axis::new("in_flight", "kB", 1e6),
            second,
        ];
        Ok(Congestion {
            task,
            flow: FlowId(0),
            bottleneck: 0,
            value,
            bounds,
            base: Duration::ZERO,
            rtt: [Duration::ZERO; 2],
            axes,
        })
    }

    /// Sets window and rate; returns what was seen since the last call.
    fn set(&self, run: &mut Running) -> Option<Seen> {
        let (window, rate) = match self.task.control {
            Control::Rate => (self.task.window.get(), Some(Rate::from_bits(self.value as u64))),
            Control::Window => (self.value as u64, self.task.rate),
        };
        run.world.steer_connections(self.flow, window, rate)
    }

    /// Runs for an interval, and looks. Returns the reward; `None` if the flow has no connection any more.
    fn interval(&mut self, run: &mut Running, view: &mut View) -> Result<Option<f64>, StepError> {
        let since = run.world.now();
        run.to(since + self.task.interval)?;
        let now = run.world.now();
        let Some(seen) = self.set(run) else { return Ok(None) };
        Ok(Some(self.see(&seen, [since, now], run, view)))
    }

    fn see(&mut self, seen: &Seen, [since, now]: [Time; 2], run: &mut Running, view: &mut View) -> f64 {
        if seen.samples > 0 {
            self.rtt = [seen.rtt_sum / seen.samples, seen.rtt_min];
            if self.base.is_zero() || seen.rtt_min < self.base {
                self.base = seen.rtt_min;
            }
        }
        let [rtt, rtt_min] = self.rtt;
        let span = now.since(since);
        let capacity = run.world.capacity(self.bottleneck, since, now).get();
        let throughput = mbit(seen.delivered, span);
        let loss = share(seen.lost, seen.lost + seen.delivered);
        let queueing = rtt.saturating_sub(self.base);
        let used = share(seen.delivered, capacity).min(1.0);
        let cost = queueing.as_secs_f64() / self.task.delay_cost.as_secs_f64();
        let reward = used - cost - self.task.loss_cost * loss;
        let unit = if self.task.control == Control::Rate { 1e6 } else { 1e3 };
        let values = [
            throughput,
            millis(rtt),
            millis(rtt_min),
            millis(self.base),
            loss,
            share(seen.marked, seen.delivered),
            seen.in_flight as f64 / 1e3,
            self.value / unit,
        ];
        Spaces::write(&self.axes, values.into_iter(), &mut view.observation);
        view.measures.clear();
        view.measures.push(now.as_nanos() as f64 / 1e9);
        view.measures.extend(values);
        view.measures.extend([used, millis(queueing), mbit(capacity, span), seen.timeouts as f64]);
        reward
    }
}

impl Pilot for Congestion {
    fn begin(&mut self, settings: &Settings, run: &mut Running, view: &mut View) -> Result<(), StepError> {
        self.flow = run.world.flow_named(&self.task.flow)?;
        self.bottleneck = match &self.task.bottleneck {
            Some(direction) => run.world.direction_named(direction)?,
            // A flow in a world has a path.
            None => run.slowest(settings, Some(&self.task.flow), |_, _| true)?.unwrap_or_default(),
        };
        run.to(run.warm_up)?;
        while !run.is_over() {
            if self.interval(run, view)?.is_some() {
                return Ok(());
            }
        }
        let flow = &self.task.flow;
        Err(StepError::Task(format!(
            "flow `{flow}` has no TCP connection with the congestion controller `constant` within the scenario's duration"
        )))
    }

    fn step(&mut self, run: &mut Running, action: &[f64], view: &mut View) -> Result<Outcome, StepError> {
        levels(action, 1)?;
        self.value = scaled(self.value, self.task.factor, action[0], self.bounds);
        self.set(run);
        let reward = self.interval(run, view)?;
        let terminated = reward.is_none();
        Ok(Outcome {
            reward: reward.unwrap_or_default(),
            terminated,
            truncated: !terminated && run.is_over(),
        })
    }

    fn spaces(&self) -> Spaces {
        let measure = |name: &str, unit| Axis::new(name, unit, f64::INFINITY);
        let mut measures = vec![measure("time", "s")];
        measures.extend(self.axes.iter().cloned());
        measures.extend([
            measure("utilisation", "1"),
            measure("queueing", "ms"),
            measure("capacity", "Mbit/s"),
            measure("timeouts", "1"),
        ]);
        let name = if self.task.control == Control::Rate { "rate" } else { "window" };
        Spaces { observation: self.axes.clone(), action: Action::Levels(vec![name]), measures }
    }
}

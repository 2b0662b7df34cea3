//! Adaptation: the representation of each video segment of a player.

use jettison_core::{Duration, Time};
use jettison_scenario::Settings;
use jettison_sim::{Fetched, Question};
use jettison_wire::FlowId;
use serde::Deserialize;

use super::{Action, Axis, Outcome, Pilot, Running, Spaces, StepError, View, mbit};

/// How often is looked whether the title has ended.
const LOOK: Duration = Duration::from_secs(1);

/// Parameters of `abr`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AbrTask {
    /// The flow of `dash` whose player is steered.
    pub flow: String,
    /// Number of past segments in the observation.
    pub history: usize,
}

/// An episode of one player.
pub(super) struct Abr {
    task: AbrTask,
    flow: FlowId,
    question: Question,
    /// Throughput in Mbit/s and time in seconds of the latest downloads, the newest last.
    history: Vec<[f64; 2]>,
    axes: Vec<Axis>,
    /// Bitrate in kbit/s of the previous decision.
    before: Option<f64>,
    chosen: Option<usize>,
    /// Times stalled and of the start that rewards have counted.
    counted: [Duration; 2],
}

impl Abr {
    pub(super) fn new(task: AbrTask) -> Result<Abr, StepError> {
        if task.history == 0 || task.history > 1000 {
            let found = task.history;
            return Err(StepError::Task(format!("`history` must be in 1..1000, got {found}")));
        }
        Ok(Abr {
            history: vec![[0.0; 2]; task.history],
            task,
            flow: FlowId(0),
            question: Question::default(),
            axes: Vec::new(),
            before: None,
            chosen: None,
            counted: [Duration::ZERO; 2],
        })
    }

    /// Runs to the next question, to the end of the title, or to that of the run. Returns whether the title has ended.
    fn advance(&mut self, run: &mut Running) -> Result<bool, StepError> {
        let downloads = self.question.downloads;
        let ended = loop {
            let is_asked = run.to(run.world.now() + LOOK)?;
            let is_running = run.world.question(self.flow, &mut self.question);
            if is_asked {
                break false;
            }
            // The player stopped at the flow's `stop`, or has played everything.
            if (is_running && self.question.is_ended) || (!is_running && self.chosen.is_some()) {
                break true;
            }
            if run.is_over() {
                break false;
            }
        };
        if self.question.downloads != downloads
            && let Some(Fetched { bytes, requested_at, finished_at, .. }) = self.question.latest
        {
            let took = finished_at.since(requested_at);
            self.history.remove(0);
            self.history.push([mbit(bytes, took), took.as_secs_f64()]);
        }
        Ok(ended)
    }

    fn see(&self, now: Time, view: &mut View) {
        let question = &self.question;
        let throughputs = self.history.iter().map(|[throughput, _]| *throughput);
        let times = self.history.iter().map(|[_, time]| *time);
        let mega = |bits: u64| bits as f64 / 1e6;
        let last = question.latest.map_or(0.0, |latest| mega(question.bitrates[latest.representation]));
        let own = [
            question.buffer.as_secs_f64(),
            last,
            question.left as f64 / question.segments.max(1) as f64,
            question.media.as_secs_f64(),
        ];
        let rest = question.bitrates.len() - question.sizes.len();
        let sizes =
            question.sizes.iter().map(|bytes| *bytes as f64 / 1e6).chain(std::iter::repeat_n(0.0, rest));
        let values = throughputs.chain(times).chain(own).chain(sizes);
        Spaces::write(&self.axes, values, &mut view.observation);
        let [throughput, time] = self.history.last().copied().unwrap_or_default();
        view.measures.clear();
        view.measures.extend([
            now.as_nanos() as f64 / 1e9,
            self.chosen.map_or(-1.0, |chosen| chosen as f64),
            self.before.unwrap_or_default() / 1e3,
            question.buffer.as_secs_f64(),
            question.stalled.as_secs_f64(),
            question.start_up.as_secs_f64(),
            throughput,
            time,
            question.left as f64,
        ]);
    }
}

impl Pilot for Abr {
    fn begin(&mut self, _: &Settings, run: &mut Running, view: &mut View) -> Result<(), StepError> {
        self.flow = run.world.flow_named(&self.task.flow)?;
        run.world.steer(self.flow)?;
        self.advance(run)?;
        if !self.question.is_open {
            let flow = &self.task.flow;
            return Err(StepError::Task(format!(
                "the player of flow `{flow}` asks for no segment within the scenario's duration"
            )));
        }
        let of_each = |name: &str, unit, high| {
            (0..self.task.history)
                .map(|place| Axis::new(format!("{name}[{place}]"), unit, high))
                .collect::<Vec<_>>()
        };
        self.axes = of_each("throughput", "Mbit/s", 1e4);
        self.axes.extend(of_each("download_time", "s", 1e3));
        self.axes.extend([
            Axis::new("buffer", "s", 1e4),
            Axis::new("bitrate", "Mbit/s", 1e3),
            Axis::new("left", "1", 1.0),
            Axis::new("media", "s", 1e3),
        ]);
        let sizes = 0..self.question.bitrates.len();
        self.axes.extend(sizes.map(|place| Axis::new(format!("size[{place}]"), "MB", 1e3)));
        self.see(run.world.now(), view);
        Ok(())
    }

    fn step(&mut self, run: &mut Running, action: &[f64], view: &mut View) -> Result<Outcome, StepError> {
        let count = self.question.bitrates.len();
        let chosen = match action {
            [choice] if *choice >= 0.0 && *choice < count as f64 && *choice == choice.trunc() => {
                *choice as usize
            }
            _ => {
                let highest = count - 1;
                let wrong = format!("an action must be an integer in 0..{highest}, got {action:?}");
                return Err(StepError::Task(wrong));
            }
        };
        let bitrate = self.question.bitrates[chosen] as f64 / 1e3;
        let before = self.before.replace(bitrate).unwrap_or(bitrate);
        self.chosen = Some(chosen);
        run.world.decide(chosen);
        let terminated = self.advance(run)?;
        let [switching, rebuffering, of_start] = self.question.weights;
        let now = [self.question.stalled, self.question.start_up];
        let before_now = std::mem::replace(&mut self.counted, now);
        let [stalled, start_up] =
            [0, 1].map(|place| now[place].saturating_sub(before_now[place]).as_secs_f64());
        let score =
            bitrate - switching * (bitrate - before).abs() - rebuffering * stalled - of_start * start_up;
        self.see(run.world.now(), view);
        let truncated = !terminated && run.is_over() && !self.question.is_open;
        Ok(Outcome { reward: score / 1e3, terminated, truncated })
    }

    fn spaces(&self) -> Spaces {
        let measure = |name: &str, unit| Axis::new(name, unit, f64::INFINITY);
        Spaces {
            observation: self.axes.clone(),
            action: Action::Choice(self.question.bitrates.len()),
            measures: vec![
                measure("time", "s"),
                measure("representation", "1"),
                measure("bitrate", "Mbit/s"),
                measure("buffer", "s"),
                measure("stalled", "s"),
                measure("start_up", "s"),
                measure("throughput", "Mbit/s"),
                measure("download_time", "s"),
                measure("left", "segments"),
            ],
        }
    }
}

//! Made-up viewers: a link whose rate drops at times, players that fetch segments over it, and loads.

use std::path::Path;

use indexmap::IndexMap;
use jettison_core::{DropReason, Duration, Time};
use jettison_measure::{
    DropRecord, Metric, ObjectId, Recorder, RecorderSettings, RunRecord, SessionScore, metrics,
};
use jettison_wire::FlowId;

use crate::model::{Experiment, RunKey, Variant};
use crate::store::{Closing, Results, Writer, WriterOptions};

/// The flows of a scene.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scene {
    /// Number of flows of one player each: `client`, or `client-1` and so on.
    pub players: u64,
    /// Number of flows of many players: `load`, or `load-1` and so on.
    pub loads: u64,
    /// Whether there is a flow `web` without viewers.
    pub web: bool,
    /// Duration of the run in seconds.
    pub seconds: u64,
    /// Depth of the rate's drops in tenths.
    pub harshness: u64,
}

impl Default for Scene {
    fn default() -> Scene {
        Scene { players: 1, loads: 0, web: false, seconds: 80, harshness: 9 }
    }
}

const TICK: u64 = 100;
/// Start time of the players.
const BEGIN: Time = Time::from_secs(3);
const SEGMENT: f64 = 4.0;
const MOST_BUFFER: f64 = 12.0;
/// Bitrates of the representations in kbit/s, with their frames per second.
const LADDER: [(f64, f64); 3] = [(280.0, 18.0), (980.0, 24.0), (2080.0, 30.0)];

/// Stored results of these variants.
pub(crate) fn stored(target: &Path, scene: Scene, variants: &[&str], seeds: u64) -> Results {
    let experiment =
        Experiment { duration: Duration::from_secs(scene.seconds), ..super::experiment(variants, seeds) };
    let arms = variants.iter().enumerate();
    let runs = arms.flat_map(|(arm, variant)| {
        (1..=seeds).map(move |seed| {
            (RunKey { variant: (*variant).to_owned(), seed }, record(scene, arm as u64, seed))
        })
    });
    written(target, Experiment { figures: Vec::new(), ..experiment }, runs)
}

/// Stored results of one player for numbers of transports, queues and profiles, with one seed.
pub(crate) fn of_three_axes(target: &Path, [transports, queues, profiles]: [u64; 3]) -> Results {
    let mut experiment = Experiment { figures: Vec::new(), ..super::experiment(&[], 1) };
    let mut runs = Vec::new();
    for place in 0..transports * queues * profiles {
        let (transport, queue, profile) =
            (place / profiles / queues, place / profiles % queues, place % profiles);
        let labels = [
            ("transport", format!("transport-{transport}")),
            ("queue", format!("queue-{queue}")),
            ("profile", format!("profile-{profile}")),
        ];
        let labels: IndexMap<String, String> =
            labels.into_iter().map(|(axis, label)| (axis.to_owned(), label)).collect();
        let name = labels.values().cloned().collect::<Vec<_>>().join(",");
        let scene = Scene { seconds: 40, harshness: 3 + profile % 7, ..Scene::default() };
        runs.push((
            RunKey { variant: name.clone(), seed: 1 },
            record(scene, transport * 3 % 5 + queue * 5 % 8, 1),
        ));
        experiment.variants.push(Variant { name, labels, baseline: None });
    }
    written(target, experiment, runs.into_iter())
}

pub(crate) fn written(
    target: &Path,
    experiment: Experiment,
    runs: impl Iterator<Item = (RunKey, RunRecord)>,
) -> Results {
    let mut writer = Writer::create(target, experiment, WriterOptions::default()).expect("a new folder");
    for (key, record) in runs {
        writer.add_run(&key, &record).expect("a run of the experiment");
    }
    writer.finish(Closing::default()).expect("all runs are there")
}

/// A run whose values depend on its arguments. The window collapses after idle times in even arms.
pub(crate) fn record(scene: Scene, arm: u64, seed: u64) -> RunRecord {
    let warm_up = Time::from_secs(2);
    let mut recorder = Recorder::new(RecorderSettings { warm_up, ..RecorderSettings::default() });
    let queue = recorder.add_queue("bottleneck.forward").index;
    let numbered = |name: &str, count: u64, i: u64| {
        if count == 1 { name.to_owned() } else { format!("{name}-{}", i + 1) }
    };
    let mut players: Vec<Player> = (0..scene.players)
        .map(|i| Player::new(recorder.add_flow(numbered("client", scene.players, i)), i))
        .collect();
    let loads: Vec<ObjectId> =
        (0..scene.loads).map(|i| recorder.add_flow(numbered("load", scene.loads, i))).collect();
    let web = scene.web.then(|| recorder.add_flow("web"));
    for tick in 1..=scene.seconds * 1000 / TICK {
        let now = Time::from_millis(TICK * tick);
        if now == warm_up {
            recorder.start_measuring();
        }
        // Low for ten seconds of forty.
        let is_down = (tick / 10 + seed * 3) % 40 >= 30;
        let rate = if is_down { 1800.0 - 180.0 * scene.harshness as f64 } else { 1800.0 } - 20.0 * arm as f64;
        let mut backlog = 0;
        for player in &mut players {
            backlog += player.step(&mut recorder, now, rate, arm.is_multiple_of(2));
        }
        for load in &loads {
            if tick.is_multiple_of(10) {
                load_second(&mut recorder, *load, now, is_down);
            }
        }
        if let Some(meter) = web.and_then(|web| recorder.flow(FlowId(web.index))) {
            meter.completed(Duration::from_millis(200 + tick % 50));
        }
        recorder.queue(queue).offered();
        recorder.queue(queue).departed(Duration::from_micros(300 + backlog * 400), 1514);
        if backlog > 25 {
            recorder.queue(queue).offered();
            let (flow, reason) = (FlowId(0), DropReason::BufferFull);
            recorder.dropped(DropRecord { time: now, queue, flow, reason, length: 1500 });
        }
        recorder.sample_queue(queue, backlog, backlog * 1500, now);
        recorder.sample_flows(now);
        recorder.end_sample(now);
    }
    for player in players {
        player.end(&mut recorder);
    }
    for load in loads {
        for rate in [300.0, 900.0] {
            if let Some(meter) = recorder.flow(FlowId(load.index)) {
                meter.streaming().session_ended(SessionScore {
                    rate,
                    linear: rate - 200.0,
                    p1203: Some(2.5),
                    start_up: Some(Duration::from_millis(1300)),
                    segments: 50,
                });
            }
        }
    }
    recorder.finish(Time::from_secs(scene.seconds))
}

/// One second of a load, whose number of players follows a wave.
fn load_second(recorder: &mut Recorder, load: ObjectId, now: Time, is_down: bool) {
    let second = now.as_nanos() / 1_000_000_000;
    let wave = (second % 120).min(120 - second % 120);
    let (buffer, frames) = if is_down { (1.5, 11.0) } else { (6.0 + (second % 5) as f64, 23.0) };
    recorder.point(load, metrics::ACTIVE_PLAYERS, now, (15 + wave / 3) as f64);
    recorder.point(load, metrics::BUFFER, now, buffer);
    recorder.point(load, metrics::FRAMES_PER_SECOND, now, frames);
    if let Some(meter) = recorder.flow(FlowId(load.index)) {
        meter.delivered(100_000);
        let streaming = meter.streaming();
        streaming.sampled(Duration::from_millis((buffer * 1e3) as u64), Some(frames));
        streaming.segment(980e3, Duration::from_secs(4), 1.4e6, Duration::from_millis(900));
        streaming.played(Duration::from_millis(if is_down { 600 } else { 1000 }));
        streaming.stalled(Duration::from_millis(if is_down { 400 } else { 0 }));
    }
}

/// A player and its connection.
struct Player {
    flow: ObjectId,
    /// Remaining kbit of the current segment, and the time of its request.
    lacks: f64,
    since: Option<Time>,
    rung: usize,
    buffer: f64,
    is_playing: bool,
    has_started: bool,
    frames: f64,
    window: f64,
    idle: u64,
}

impl Player {
    fn new(flow: ObjectId, place: u64) -> Player {
        Player {
            flow,
            lacks: 0.0,
            since: None,
            rung: 0,
            buffer: 0.0,
            is_playing: false,
            has_started: false,
            frames: 0.0,
            window: 14_480.0 + 1_448.0 * place as f64,
            idle: 0,
        }
    }

    /// Advances a tick over a link of `rate` kbit/s; returns the packets that wait there.
    fn step(&mut self, recorder: &mut Recorder, now: Time, rate: f64, collapses: bool) -> u64 {
        let seconds = TICK as f64 / 1e3;
        let mut in_flight = 0.0;
        if self.since.is_none() && self.buffer + SEGMENT <= MOST_BUFFER && now >= BEGIN {
            self.since = Some(now);
            self.lacks = LADDER[self.rung].0 * SEGMENT;
            if self.idle > 2 && collapses {
                self.window = 14_480.0;
            }
        }
        if let Some(since) = self.since {
            self.idle = 0;
            in_flight = self.window.min(rate * 25.0 + 12_000.0);
            self.window = (self.window * 1.15).min(70_000.0);
            let came = (rate * seconds).min(self.window * 8.0 / 200.0 * seconds);
            self.lacks -= came;
            self.meter(recorder, |meter| meter.delivered((came * 125.0) as u64));
            if self.lacks <= 0.0 {
                self.fetched(recorder, now, now.since(since) + Duration::from_millis(TICK));
            }
        } else {
            self.idle += 1;
        }
        self.play(recorder, seconds);
        recorder.point(self.flow, metrics::CWND, now, self.window);
        recorder.point(self.flow, metrics::IN_FLIGHT, now, in_flight);
        let backlog = ((in_flight - rate * 25.0).max(0.0) / 400.0) as u64;
        let rtt = Duration::from_millis(200) + Duration::from_micros(backlog * 400);
        self.meter(recorder, |meter| meter.round_trip(rtt));
        recorder.point(self.flow, metrics::SRTT, now, rtt.as_secs_f64() * 1e3);
        if now.as_nanos().is_multiple_of(1_000_000_000) {
            let (buffer, frames) = (self.buffer, std::mem::take(&mut self.frames));
            recorder.point(self.flow, metrics::BUFFER, now, buffer);
            recorder.point(self.flow, metrics::FRAMES_PER_SECOND, now, frames);
            let buffer = Duration::from_millis((buffer * 1e3) as u64);
            self.meter(recorder, |meter| meter.streaming().sampled(buffer, Some(frames)));
        }
        backlog
    }

    fn fetched(&mut self, recorder: &mut Recorder, now: Time, took: Duration) {
        let bitrate = LADDER[self.rung].0;
        let came_at = bitrate * SEGMENT / took.as_secs_f64();
        let mut point = |metric: Metric, value: f64| recorder.point(self.flow, metric, now, value);
        point(metrics::REPRESENTATION_RATE, bitrate);
        point(metrics::SEGMENT_RATE, came_at);
        let next = LADDER.iter().rposition(|(rate, _)| *rate < came_at * 1.1).unwrap_or(0);
        let is_switch = next != self.rung;
        self.meter(recorder, |meter| {
            meter.completed(took);
            let streaming = meter.streaming();
            streaming.segment(bitrate * 1e3, Duration::from_secs(4), came_at * 1e3, took);
            if is_switch {
                streaming.switched();
            }
        });
        self.buffer += SEGMENT;
        self.since = None;
        self.rung = next;
    }

    fn play(&mut self, recorder: &mut Recorder, seconds: f64) {
        let tick = Duration::from_millis(TICK);
        if !self.is_playing && self.buffer >= SEGMENT {
            self.is_playing = true;
            if !self.has_started {
                self.has_started = true;
            }
        }
        if self.is_playing && self.buffer < seconds {
            self.is_playing = false;
            self.buffer = 0.0;
            self.meter(recorder, |meter| meter.streaming().stall_began());
        }
        if self.is_playing {
            self.buffer -= seconds;
            self.frames += LADDER[self.rung].1 * seconds;
            self.meter(recorder, |meter| meter.streaming().played(tick));
        } else if self.has_started {
            self.meter(recorder, |meter| meter.streaming().stalled(tick));
        }
    }

    fn end(&self, recorder: &mut Recorder) {
        self.meter(recorder, |meter| {
            let rate = meter.streaming().representation_rate().unwrap_or(0.0);
            let score = SessionScore {
                rate,
                linear: rate - 700.0,
                p1203: Some(1.0 + rate / 600.0),
                start_up: Some(Duration::from_millis(1300)),
                segments: 50,
            };
            meter.streaming().session_ended(score);
        });
    }

    fn meter(&self, recorder: &mut Recorder, tell: impl FnOnce(&mut jettison_measure::FlowMeter)) {
        if let Some(meter) = recorder.flow(FlowId(self.flow.index)) {
            tell(meter);
        }
    }
}

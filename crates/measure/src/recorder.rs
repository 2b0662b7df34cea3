//! Recorder of a run: objects, series, points, drop log, summary.

mod adopt;
mod gauges;

use std::borrow::Cow;

use jettison_core::{DropReason, Duration, Gauge, MarkReason, Time};
use jettison_wire::FlowId;

pub use gauges::{GaugeChoice, GaugeSampler};

use crate::queue::mbit;
use crate::{Distribution, FlowMeter, FrameScore, Metric, QueueMeter, metrics, statistics};

/// Kind of object, which also selects the results table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A queue and its link: table `queues`.
    Queue,
    /// A flow of the scenario: table `flows`.
    Flow,
}

/// Identifier of an object of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId {
    /// Queue or flow.
    pub kind: Kind,
    /// Index among its kind, in the order of registration.
    pub index: u32,
}

/// Settings of the recorder.
#[derive(Debug, Clone)]
pub struct RecorderSettings {
    /// Sampling interval of the series.
    pub interval: Duration,
    /// End of the warm-up, where summary values begin.
    pub warm_up: Time,
    /// Maximum number of drops in the log; further ones are only counted.
    pub drop_log_limit: usize,
    /// Gauges to sample with the series.
    pub gauges: GaugeChoice,
}

impl Default for RecorderSettings {
    fn default() -> RecorderSettings {
        RecorderSettings {
            interval: Duration::from_millis(100),
            warm_up: Time::ZERO,
            drop_log_limit: 1_000_000,
            gauges: GaugeChoice::None,
        }
    }
}

/// An entry of the drop log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DropRecord {
    /// Time of the drop.
    pub time: Time,
    /// The queue ([`ObjectId::index`]), or [`DropRecord::NO_QUEUE`].
    pub queue: u32,
    /// Flow of the packet.
    pub flow: FlowId,
    /// Reason.
    pub reason: DropReason,
    /// IP length of the packet, in bytes.
    pub length: u16,
}

impl DropRecord {
    /// Marks a drop outside queues: at a host, or in a router before any queue.
    pub const NO_QUEUE: u32 = u32::MAX;
}

/// One metric of one object over time.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// The object.
    pub object: ObjectId,
    /// The metric.
    pub metric: Metric,
    /// Part of the metric, such as the reason of drops; empty for the whole.
    pub part: &'static str,
    /// Times, ascending.
    pub times: Vec<Time>,
    /// One value per time.
    pub values: Vec<f64>,
}

/// One value of a run's summary.
#[derive(Debug, Clone, PartialEq)]
pub struct SummaryValue {
    /// Name of the object.
    pub object: String,
    /// The metric.
    pub metric: Metric,
    /// Part of the metric, such as the reason of drops or a deadline; empty for the whole.
    pub part: Cow<'static, str>,
    /// The mean, or the count.
    pub mean: f64,
    /// Median, 95th and 99th percentile, if the metric has a distribution.
    pub percentiles: Option<[f64; 3]>,
}

/// An object with its name and distributions.
#[derive(Debug, Clone, PartialEq)]
pub struct ObjectRecord {
    /// The object.
    pub id: ObjectId,
    /// Name in the scenario.
    pub name: String,
    /// Distributions since the warm-up, by metric.
    pub distributions: Vec<(Metric, Distribution)>,
}

/// Outcome of the frames of a flow's video.
#[derive(Debug, Clone, PartialEq)]
pub struct VideoFrames {
    /// The flow.
    pub flow: FlowId,
    /// Scores in ascending order of frames, including the warm-up.
    pub scores: Vec<FrameScore>,
}

/// The complete record of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRecord {
    /// Queues, then flows.
    pub objects: Vec<ObjectRecord>,
    /// All series, by object and then in the order of first sampling.
    pub series: Vec<Series>,
    /// The drop log.
    pub drops: Vec<DropRecord>,
    /// Number of drops beyond the limit of the log.
    pub drops_not_logged: u64,
    /// Outcome of frames, for each flow with a real-time video.
    pub frames: Vec<VideoFrames>,
    /// Summary values since the warm-up.
    pub summary: Vec<SummaryValue>,
    /// Gauges among the series, in the order of first sampling.
    pub gauges: Vec<Gauge>,
}

impl RunRecord {
    /// The name of an object.
    pub fn name(&self, id: ObjectId) -> &str {
        self.objects.iter().find(|o| o.id == id).map_or("", |o| &o.name)
    }
    /// The summary value of an object and metric.
    pub fn summary_value(&self, object: &str, metric: Metric) -> Option<&SummaryValue> {
        self.summary_part(object, metric, "")
    }
    /// The summary value of a part of a metric.
    pub fn summary_part(&self, object: &str, metric: Metric, part: &str) -> Option<&SummaryValue> {
        self.summary.iter().find(|v| v.object == object && v.metric == metric && v.part == part)
    }
}

/// Collects the measurements of a world.
#[derive(Debug)]
pub struct Recorder {
    settings: RecorderSettings,
    queues: Vec<QueueMeter>,
    queue_names: Vec<String>,
    flows: Vec<FlowMeter>,
    flow_names: Vec<String>,
    // Each series with the index of the same object's previous one: linked lists per object, headed by `cursors`.
    series: Vec<(Series, u32)>,
    cursors: [Vec<u32>; 2],
    drops: Vec<DropRecord>,
    drops_not_logged: u64,
    extra: Vec<SummaryValue>,
    // Gauges with at least one point.
    gauges: Vec<Gauge>,
    last_sample: Time,
}

impl Recorder {
    /// An empty recorder.
    pub fn new(settings: RecorderSettings) -> Recorder {
        Recorder {
            settings,
            queues: Vec::new(),
            queue_names: Vec::new(),
            flows: Vec::new(),
            flow_names: Vec::new(),
            series: Vec::new(),
            cursors: [Vec::new(), Vec::new()],
            drops: Vec::new(),
            drops_not_logged: 0,
            extra: Vec::new(),
            gauges: Vec::new(),
            last_sample: Time::ZERO,
        }
    }

    /// Registers a queue.
    pub fn add_queue(&mut self, name: impl Into<String>) -> ObjectId {
        self.queue_names.push(name.into());
        self.queues.push(QueueMeter::default());
        ObjectId { kind: Kind::Queue, index: (self.queues.len() - 1) as u32 }
    }

    /// Registers a flow. Its index is the [`FlowId`] that its packets carry.
    pub fn add_flow(&mut self, name: impl Into<String>) -> ObjectId {
        self.flow_names.push(name.into());
        self.flows.push(FlowMeter::default());
        ObjectId { kind: Kind::Flow, index: (self.flows.len() - 1) as u32 }
    }

    /// Declares that a flow delivers nothing to an application (a ping), so it has no goodput.
    pub fn carries_no_data(&mut self, flow: FlowId) {
        if let Some(meter) = self.flow(flow) {
            meter.carries_data = false;
        }
    }

    /// Sampling interval.
    pub fn interval(&self) -> Duration {
        self.settings.interval
    }

    /// End of the warm-up, where measuring starts.
    pub fn warm_up(&self) -> Time {
        self.settings.warm_up
    }

    /// Number of flows.
    pub fn flow_count(&self) -> usize {
        self.flows.len()
    }

    /// The meter of a queue.
    #[inline]
    pub fn queue(&mut self, index: u32) -> &mut QueueMeter {
        &mut self.queues[index as usize]
    }

    /// The meter of a flow; `None` for [`FlowId::NONE`].
    #[inline]
    pub fn flow(&mut self, flow: FlowId) -> Option<&mut FlowMeter> {
        self.flows.get_mut(flow.0 as usize)
    }

    /// The name of a flow; empty for [`FlowId::NONE`].
    pub fn flow_name(&self, flow: FlowId) -> &str {
        self.flow_names.get(flow.0 as usize).map_or("", String::as_str)
    }

    /// Logs a drop, and counts it at its queue, if any, and its flow.
    #[inline]
    pub fn dropped(&mut self, record: DropRecord) {
        if let Some(queue) = self.queues.get_mut(record.queue as usize) {
            queue.dropped(record.reason);
        }
        if record.reason.is_loss()
            && let Some(flow) = self.flows.get_mut(record.flow.0 as usize)
        {
            flow.dropped();
        }
        if self.drops.len() < self.settings.drop_log_limit {
            self.drops.push(record);
        } else {
            self.drops_not_logged += 1;
        }
    }

    /// Adds a value to a series, on the sampling grid or off it.
    pub fn point(&mut self, object: ObjectId, metric: Metric, now: Time, value: f64) {
        self.part_point(object, metric, "", now, value);
    }

    /// Adds a value of a part (a reason, a layer) of a metric to a series.
    pub fn part_point(
        &mut self,
        object: ObjectId,
        metric: Metric,
        part: &'static str,
        now: Time,
        value: f64,
    ) {
        // With few series per object, a short search is faster than a map.
        let cursors = &self.cursors[object.kind as usize];
        let mut at = cursors.get(object.index as usize).copied().unwrap_or(u32::MAX);
        while at != u32::MAX {
            let series = &mut self.series[at as usize].0;
            if series.metric == metric && series.part == part {
                series.times.push(now);
                series.values.push(value);
                return;
            }
            at = self.series[at as usize].1;
        }
        self.add_series(Series { object, metric, part, times: vec![now], values: vec![value] });
    }

    /// The newest value of a series, with its time.
    pub fn latest(&self, object: ObjectId, metric: Metric) -> Option<(Time, f64)> {
        let mut at = *self.cursors[object.kind as usize].get(object.index as usize)?;
        while at != u32::MAX {
            let (series, previous) = &self.series[at as usize];
            if series.metric == metric && series.part.is_empty() {
                return Some((*series.times.last()?, *series.values.last()?));
            }
            at = *previous;
        }
        None
    }

    /// Adds a new series of its object.
    fn add_series(&mut self, series: Series) {
        let ObjectId { kind, index } = series.object;
        let cursors = &mut self.cursors[kind as usize];
        if cursors.len() <= index as usize {
            cursors.resize(index as usize + 1, u32::MAX);
        }
        let previous = std::mem::replace(&mut cursors[index as usize], self.series.len() as u32);
        self.series.push((series, previous));
    }

    /// Adds a summary value that no meter holds, such as the clones of a switch.
    pub fn summarise(
        &mut self,
        object: impl Into<String>,
        metric: Metric,
        mean: f64,
        percentiles: Option<[f64; 3]>,
    ) {
        let part = Cow::Borrowed("");
        self.extra.push(SummaryValue { object: object.into(), metric, part, mean, percentiles });
    }

    /// Ends a sampling interval of a queue, given its backlog, and writes its series.
    pub fn sample_queue(&mut self, index: u32, backlog_packets: u64, backlog_bytes: u64, now: Time) {
        let span = now.since(self.last_sample);
        let id = ObjectId { kind: Kind::Queue, index };
        let meter = &mut self.queues[index as usize];
        let departed = meter.interval_departed;
        let sojourn =
            if departed == 0 { 0.0 } else { meter.interval_sojourn_sum as f64 / departed as f64 / 1e6 };
        let sojourn_max = meter.interval_sojourn_max as f64 / 1e6;
        let throughput = mbit(meter.interval_bytes, span);
        let (drops, marks) = (meter.interval_drops, meter.interval_marks);
        meter.end_interval();
        self.point(id, metrics::BACKLOG, now, backlog_packets as f64);
        self.point(id, metrics::BACKLOG_BYTES, now, backlog_bytes as f64);
        self.point(id, metrics::THROUGHPUT, now, throughput);
        if departed > 0 {
            self.point(id, metrics::SOJOURN, now, sojourn);
            self.point(id, metrics::SOJOURN_MAX, now, sojourn_max);
        }
        for (reason, count) in DropReason::ALL.iter().zip(drops).filter(|(_, count)| *count > 0) {
            self.part_point(id, metrics::DROPS, reason.name(), now, f64::from(count));
        }
        for (reason, count) in MarkReason::ALL.iter().zip(marks).filter(|(_, count)| *count > 0) {
            self.part_point(id, metrics::MARKS, reason.name(), now, f64::from(count));
        }
    }

    /// Ends a sampling interval of all flows.
    pub fn sample_flows(&mut self, now: Time) {
        for index in 0..self.flows.len() {
            self.sample_flow(FlowId(index as u32), now);
        }
    }

    /// Ends a sampling interval of a flow and writes its goodput; also its one-way delay, loss and age of information, if
    /// arrivals carry send times and sequence numbers.
    pub fn sample_flow(&mut self, flow: FlowId, now: Time) {
        let span = now.since(self.last_sample);
        let Some(meter) = self.flows.get_mut(flow.0 as usize) else { return };
        if !meter.carries_data {
            return;
        }
        let goodput = mbit(std::mem::take(&mut meter.interval_bytes), span);
        let owd = meter.take_interval_owd();
        let loss = meter.take_interval_loss();
        let age = meter.video.as_mut().and_then(|video| video.take_interval_age());
        let id = ObjectId { kind: Kind::Flow, index: flow.0 };
        self.point(id, metrics::GOODPUT, now, goodput);
        if let Some(owd) = owd {
            self.point(id, metrics::OWD, now, owd.as_nanos() as f64 / 1e6);
        }
        if let Some(loss) = loss {
            self.point(id, metrics::LOSS, now, 100.0 * loss);
        }
        if let Some(age) = age {
            self.point(id, metrics::AGE_OF_INFORMATION, now, age.as_nanos() as f64 / 1e6);
        }
    }

    /// Starts the next sampling interval, after all objects have been sampled.
    pub fn end_sample(&mut self, now: Time) {
        self.last_sample = now;
    }

    /// Adds the series of videos. The outcome of a frame is known only after its interval, so these series are made at the end.
    fn add_video_series(&mut self, end: Time) {
        for index in 0..self.flows.len() {
            let id = ObjectId { kind: Kind::Flow, index: index as u32 };
            let Some(video) = &self.flows[index].video else { continue };
            for (metric, points) in video.series(self.settings.interval, end) {
                points.into_iter().for_each(|(at, value)| self.point(id, metric, at, value));
            }
        }
    }

    /// Ends the warm-up: resets counters and distributions; series continue.
    pub fn start_measuring(&mut self) {
        self.queues.iter_mut().for_each(QueueMeter::start_measuring);
        self.flows.iter_mut().for_each(FlowMeter::start_measuring);
    }

    /// Completes the record of a run that ended at `end`.
    pub fn finish(mut self, end: Time) -> RunRecord {
        self.add_video_series(end);
        let start = self.settings.warm_up;
        let mut series: Vec<Series> = self.series.into_iter().map(|(series, _)| series).collect();
        series.sort_by_key(|s| s.object); // stable: metrics keep the order of their first sample
        let mut summary = Vec::new();
        let mut objects = Vec::new();
        for (index, (meter, name)) in self.queues.iter().zip(&self.queue_names).enumerate() {
            let id = ObjectId { kind: Kind::Queue, index: index as u32 };
            summarise_queue(&mut summary, name, id, meter, &series, start, end);
            gauges::summarise(&mut summary, name, id, &series, &self.gauges, start);
            let mut distributions = vec![(metrics::SOJOURN, meter.sojourn.clone())];
            distributions.extend(meter.more.distributions().map(|(metric, own)| (metric, own.clone())));
            objects.push(ObjectRecord { id, name: name.clone(), distributions });
        }
        let mut goodputs = Vec::new();
        // Mean bitrate fetched in each session.
        let mut sessions = Vec::new();
        for (index, (meter, name)) in self.flows.iter().zip(&self.flow_names).enumerate() {
            let id = ObjectId { kind: Kind::Flow, index: index as u32 };
            // Starved flows count in the fairness index with a goodput of zero.
            if meter.carries_data {
                goodputs.push(mbit(meter.goodput_bytes, end.since(start)));
            }
            summarise_flow(&mut summary, name, id, meter, &series, start, end);
            gauges::summarise(&mut summary, name, id, &series, &self.gauges, start);
            let mut distributions = vec![
                (metrics::RTT, &meter.rtt),
                (metrics::OWD, &meter.owd),
                (metrics::COMPLETION, &meter.completion),
            ];
            distributions.extend(meter.frames.as_ref().map(|f| (metrics::FRAME_DELAY, f.delay())));
            distributions.extend(meter.streaming.as_ref().map(|s| (metrics::BURST_TIME, s.burst())));
            if let Some(video) = &meter.video {
                let latency = (metrics::FRAME_LATENCY, video.latency());
                distributions.extend([(metrics::AGE_OF_INFORMATION, video.age()), latency]);
            }
            distributions.extend(meter.more.distributions());
            if let Some(streaming) = &meter.streaming {
                sessions.extend(streaming.sessions().iter().map(|session| session.rate));
            }
            let distributions = distributions
                .into_iter()
                .filter(|(_, d)| d.count() > 0)
                .map(|(m, d)| (m, d.clone()))
                .collect();
            objects.push(ObjectRecord { id, name: name.clone(), distributions });
        }
        // The sum exists for a single flow too, to compare variants with one and with several flows.
        if !goodputs.is_empty() {
            summary.push(plain("all flows", metrics::GOODPUT, goodputs.iter().sum()));
        }
        if goodputs.len() > 1
            && let Some(index) = statistics::jain_index(&goodputs)
        {
            summary.push(plain("all flows", metrics::FAIRNESS, index));
        }
        if sessions.len() > 1
            && let Some(index) = statistics::jain_index(&sessions)
        {
            summary.push(plain("all flows", metrics::RATE_FAIRNESS, index));
        }
        summary.extend(self.extra);
        let frames = self.flows.iter_mut().enumerate().filter_map(|(index, meter)| {
            let scores = meter.video.as_mut()?.take_scores();
            Some(VideoFrames { flow: FlowId(index as u32), scores })
        });
        let frames = frames.collect();
        let (drops, drops_not_logged, gauges) = (self.drops, self.drops_not_logged, self.gauges);
        RunRecord { objects, series, drops, drops_not_logged, frames, summary, gauges }
    }
}

pub(crate) fn plain(object: &str, metric: Metric, mean: f64) -> SummaryValue {
    SummaryValue { object: object.to_owned(), metric, part: Cow::Borrowed(""), mean, percentiles: None }
}

pub(crate) fn of_distribution(
    object: &str,
    metric: Metric,
    distribution: &Distribution,
) -> Option<SummaryValue> {
    (distribution.count() > 0).then(|| SummaryValue {
        object: object.to_owned(),
        metric,
        part: Cow::Borrowed(""),
        mean: metric.of_duration(distribution.mean()),
        percentiles: Some([0.5, 0.95, 0.99].map(|share| metric.of_duration(distribution.quantile(share)))),
    })
}

/// The value as one of a part of its metric.
pub(crate) fn part_of(value: SummaryValue, part: impl Into<Cow<'static, str>>) -> SummaryValue {
    SummaryValue { part: part.into(), ..value }
}

/// Percentiles of the samples of a metric after the warm-up.
fn of_series(series: &[Series], id: ObjectId, metric: Metric, start: Time) -> Option<[f64; 3]> {
    let found = of_object(series, id).find(|own| own.metric == metric)?;
    of_samples("", found, start)?.percentiles
}

/// The series of an object; `series` is sorted by object.
fn of_object(series: &[Series], id: ObjectId) -> impl Iterator<Item = &Series> {
    let first = series.partition_point(|series| series.object < id);
    series[first..].iter().take_while(move |series| series.object == id)
}

/// Mean and percentiles of a series after the warm-up.
fn of_samples(name: &str, series: &Series, start: Time) -> Option<SummaryValue> {
    let mut values = series.values[series.times.partition_point(|time| *time <= start)..].to_vec();
    let mean = statistics::mean(&values)?;
    values.sort_by(f64::total_cmp);
    let at = |share| statistics::quantile(&values, share);
    let percentiles = Some([at(0.5)?, at(0.95)?, at(0.99)?]);
    Some(SummaryValue { percentiles, ..part_of(plain(name, series.metric, mean), series.part) })
}

fn summarise_queue(
    summary: &mut Vec<SummaryValue>,
    name: &str,
    id: ObjectId,
    meter: &QueueMeter,
    series: &[Series],
    start: Time,
    end: Time,
) {
    summary.extend(of_distribution(name, metrics::SOJOURN, &meter.sojourn));
    let mut throughput = plain(name, metrics::THROUGHPUT, meter.throughput(start, end));
    throughput.percentiles = of_series(series, id, metrics::THROUGHPUT, start);
    summary.push(throughput);
    let own = of_object(series, id).find(|own| own.metric == metrics::BACKLOG);
    summary.extend(own.and_then(|own| of_samples(name, own, start)));
    summary.push(plain(name, metrics::PACKETS, meter.departed as f64));
    summary.push(plain(name, metrics::DROPS, meter.total_drops() as f64));
    for (reason, count) in DropReason::ALL.iter().zip(meter.drops).filter(|(_, count)| *count > 0) {
        summary.push(part_of(plain(name, metrics::DROPS, count as f64), reason.name()));
    }
    if meter.enqueued > 0 {
        let rate = 100.0 * meter.total_drops() as f64 / meter.enqueued as f64;
        summary.push(plain(name, metrics::DROP_RATE, rate));
    }
    if meter.total_marks() > 0 {
        summary.push(plain(name, metrics::MARKS, meter.total_marks() as f64));
        for (reason, count) in MarkReason::ALL.iter().zip(meter.marks).filter(|(_, count)| *count > 0) {
            summary.push(part_of(plain(name, metrics::MARKS, count as f64), reason.name()));
        }
    }
    meter.more.summarise(name, summary);
}

fn summarise_flow(
    summary: &mut Vec<SummaryValue>,
    name: &str,
    id: ObjectId,
    meter: &FlowMeter,
    series: &[Series],
    start: Time,
    end: Time,
) {
    if meter.carries_data {
        let mut goodput = plain(name, metrics::GOODPUT, mbit(meter.goodput_bytes, end.since(start)));
        goodput.percentiles = of_series(series, id, metrics::GOODPUT, start);
        summary.push(goodput);
    }
    summary.extend(of_distribution(name, metrics::RTT, &meter.rtt));
    summary.extend(of_distribution(name, metrics::OWD, &meter.owd));
    summary.extend(of_distribution(name, metrics::COMPLETION, &meter.completion));
    if meter.sent > 0 {
        summary.push(plain(name, metrics::SENT, meter.sent as f64));
        summary.push(plain(name, metrics::RECEIVED, meter.received as f64));
        summary.extend(meter.loss().map(|loss| plain(name, metrics::LOSS, 100.0 * loss)));
    }
    if meter.completion.count() > 0 {
        summary.push(plain(name, metrics::TRANSFERS, meter.completion.count() as f64));
    }
    if meter.failed > 0 {
        summary.push(plain(name, metrics::FAILED_TRANSFERS, meter.failed as f64));
    }
    if meter.jitter_count > 0 {
        summary.push(plain(name, metrics::JITTER, meter.jitter_sum / meter.jitter_count as f64 / 1e6));
    }
    if let Some((retransmits, timeouts)) = meter.repairs {
        summary.push(plain(name, metrics::RETRANSMITS, retransmits as f64));
        summary.push(plain(name, metrics::TIMEOUTS, timeouts as f64));
    }
    if let Some(timeliness) = &meter.timeliness {
        let sent = meter.expected().unwrap_or(meter.sent);
        timeliness.summarise(name, sent, summary);
    }
    if let Some(frames) = &meter.frames {
        frames.summarise(name, summary);
    }
    if let Some(streaming) = &meter.streaming {
        streaming.summarise(name, summary);
    }
    if let Some(video) = &meter.video {
        video.summarise(name, summary);
    }
    meter.more.summarise(name, summary);
}

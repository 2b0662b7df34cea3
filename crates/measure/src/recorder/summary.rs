//! Completes the record of a run, with its summary.

use std::borrow::Cow;

use jettison_core::{DropReason, MarkReason, Time};
use jettison_wire::FlowId;

use super::{Recorder, gauges};
use crate::queue::mbit;
use crate::{
    Distribution, FlowMeter, Kind, Metric, ObjectId, ObjectRecord, QueueMeter, RunRecord, Series,
    SummaryValue, VideoFrames, ViewerEvent, metrics, statistics,
};

impl Recorder {
    /// Completes the record of a run that ended at `end`.
    pub fn finish(mut self, end: Time) -> RunRecord {
        self.add_video_series(end);
        let accounts = self.finish_accounts(end);
        let start = self.settings.warm_up;
        let rate_ratios = self.rate_ratios(end);
        let mut series = self.series.into_series();
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
        summary.extend(rate_ratios);
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
        let of_flow = |(index, meter): (usize, &mut FlowMeter)| meter.take_events(FlowId(index as u32), end);
        let mut events: Vec<ViewerEvent> = self.flows.iter_mut().enumerate().flat_map(of_flow).collect();
        events.sort_by_key(|event| (event.at, event.flow)); // stable: a flow's are in order
        let (drops, gauges) = (self.decisions.finish(), self.gauges);
        let ends = if accounts.is_empty() { Vec::new() } else { self.ends };
        RunRecord { objects, series, drops, frames, events, summary, gauges, accounts, ends }
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
pub(super) fn of_object(series: &[Series], id: ObjectId) -> impl Iterator<Item = &Series> {
    let first = series.partition_point(|series| series.object < id);
    series[first..].iter().take_while(move |series| series.object == id)
}

/// Mean and percentiles of a series after the warm-up.
///
/// `None` also if the series cannot be read back: later reads fail as well, and storing the series reports the error.
pub(super) fn of_samples(name: &str, series: &Series, start: Time) -> Option<SummaryValue> {
    let (mean, percentiles) = series.statistics(start, [0.5, 0.95, 0.99]).ok()??;
    let percentiles = Some(percentiles);
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
    for (reason, count) in DropReason::ALL.iter().zip(*meter.drops).filter(|(_, count)| *count > 0) {
        summary.push(part_of(plain(name, metrics::DROPS, count as f64), reason.name()));
    }
    if meter.enqueued > 0 {
        let rate = 100.0 * meter.total_drops() as f64 / meter.enqueued as f64;
        summary.push(plain(name, metrics::DROP_RATE, rate));
    }
    if meter.total_marks() > 0 {
        summary.push(plain(name, metrics::MARKS, meter.total_marks() as f64));
        for (reason, count) in MarkReason::ALL.iter().zip(*meter.marks).filter(|(_, count)| *count > 0) {
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
    let owd = of_distribution(name, metrics::OWD, &meter.owd);
    let deviation = owd.as_ref().and_then(|owd| meter.owd_deviation(owd.mean));
    summary.extend(owd);
    summary.extend(deviation.map(|deviation| plain(name, metrics::OWD_DEVIATION, deviation)));
    if let Some(receiving) = meter.receiving().filter(|receiving| !receiving.is_zero()) {
        summary.push(plain(name, metrics::RECEIVE_RATE, mbit(meter.goodput_bytes, receiving)));
    }
    summary.extend(of_distribution(name, metrics::COMPLETION, &meter.completion));
    if meter.sent > 0 {
        summary.push(plain(name, metrics::SENT, meter.sent as f64));
        summary.push(plain(name, metrics::RECEIVED, meter.received as f64));
        let (reordered, duplicates) = (meter.order.reordered, meter.order.duplicates);
        if reordered > 0 {
            let of = (meter.received - duplicates).max(1) as f64;
            summary.push(plain(name, metrics::REORDERED, 100.0 * reordered as f64 / of));
        }
        if duplicates > 0 {
            summary.push(plain(name, metrics::DUPLICATES, duplicates as f64));
        }
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

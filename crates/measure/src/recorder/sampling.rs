//! Points of series, and the samples of queues and flows at the end of each interval.

use jettison_core::{DropReason, MarkReason, Time};
use jettison_wire::FlowId;

use super::Recorder;
use crate::queue::mbit;
use crate::{Kind, Metric, ObjectId, metrics};

impl Recorder {
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
        self.series.push(object, metric, part, now, value);
    }

    /// The newest value of a series, with its time.
    pub fn latest(&self, object: ObjectId, metric: Metric) -> Option<(Time, f64)> {
        self.series.of_object(object).find(|own| own.metric == metric && own.part.is_empty())?.latest()
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
        for (reason, count) in DropReason::ALL.iter().zip(*drops).filter(|(_, count)| *count > 0) {
            self.part_point(id, metrics::DROPS, reason.name(), now, f64::from(count));
        }
        for (reason, count) in MarkReason::ALL.iter().zip(*marks).filter(|(_, count)| *count > 0) {
            self.part_point(id, metrics::MARKS, reason.name(), now, f64::from(count));
        }
    }

    /// Ends a sampling interval of all flows.
    pub fn sample_flows(&mut self, now: Time) {
        self.end_all_units(now, false);
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
    pub(super) fn add_video_series(&mut self, end: Time) {
        for index in 0..self.flows.len() {
            let id = ObjectId { kind: Kind::Flow, index: index as u32 };
            let Some(video) = &self.flows[index].video else { continue };
            for (metric, points) in video.series(self.settings.interval, end) {
                points.into_iter().for_each(|(at, value)| self.point(id, metric, at, value));
            }
        }
    }
}

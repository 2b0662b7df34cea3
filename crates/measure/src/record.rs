//! What a run leaves: objects, series, drop log, summary.

use std::borrow::Cow;

use jettison_core::{DropReason, Gauge, Time};
use jettison_wire::FlowId;

use crate::{AccountLog, DecisionLog, Distribution, FrameScore, Metric, Series, ViewerEvent};

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

/// A drop of which no more is known.
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
    /// Drops and marks, in order.
    pub drops: DecisionLog,
    /// Outcome of frames, for each flow with a real-time video.
    pub frames: Vec<VideoFrames>,
    /// Viewers' events, if they were kept, in the order of their beginnings; an event's id is its place.
    pub events: Vec<ViewerEvent>,
    /// Summary values since the warm-up.
    pub summary: Vec<SummaryValue>,
    /// Gauges among the series, in the order of first sampling.
    pub gauges: Vec<Gauge>,
    /// Delays of units.
    pub accounts: AccountLog,
    /// Nodes at both ends of each queue's link, by queue: the one that sends, and the one at the far end.
    pub ends: Vec<[String; 2]>,
}

impl RunRecord {
    /// The name of an object.
    pub fn name(&self, id: ObjectId) -> &str {
        // A run's objects are in order. A record from elsewhere may have any order.
        let found = self.objects.binary_search_by_key(&id, |object| object.id).ok();
        let found = found.or_else(|| self.objects.iter().position(|object| object.id == id));
        found.map_or("", |place| &self.objects[place].name)
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

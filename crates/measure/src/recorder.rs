//! Recorder of a run: objects, points of series, drop log.

mod adopt;
mod gauges;
mod groups;
mod sampling;
mod summary;
mod table;

use std::borrow::Cow;

use jettison_core::{Duration, Gauge, Time};
use jettison_wire::FlowId;

pub use gauges::{GaugeChoice, GaugeSampler};
pub(crate) use summary::{of_distribution, part_of, plain};

use crate::{DropRecord, FlowMeter, Kind, Metric, ObjectId, QueueMeter, SummaryValue};
use table::SeriesTable;

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
    /// Groups of flows whose goodputs are compared.
    pub rate_ratios: Vec<[FlowGroup; 2]>,
}

/// A group of flows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowGroup {
    /// Name of the group, a part of metrics.
    pub name: String,
    /// Names of its flows.
    pub flows: Vec<String>,
}

impl Default for RecorderSettings {
    fn default() -> RecorderSettings {
        RecorderSettings {
            interval: Duration::from_millis(100),
            warm_up: Time::ZERO,
            drop_log_limit: 1_000_000,
            gauges: GaugeChoice::None,
            rate_ratios: Vec::new(),
        }
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
    series: SeriesTable,
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
            series: SeriesTable::default(),
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
            meter.carries_no_data();
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
            flow.dropped(record.time);
        }
        if self.drops.len() < self.settings.drop_log_limit {
            self.drops.push(record);
        } else {
            self.drops_not_logged += 1;
        }
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

    /// Ends the warm-up: resets counters and distributions; series continue.
    pub fn start_measuring(&mut self) {
        self.queues.iter_mut().for_each(QueueMeter::start_measuring);
        self.flows.iter_mut().for_each(FlowMeter::start_measuring);
    }
}

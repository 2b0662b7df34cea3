//! Recorder of a run: objects, points of series, drops and marks.

mod adopt;
mod decisions;
mod gauges;
mod groups;
mod live;
mod sampling;
mod summary;
mod table;

use std::borrow::Cow;

use jettison_core::{Duration, Gauge, Time};
use jettison_wire::FlowId;

pub use adopt::Renumbered;
pub use gauges::{GaugeChoice, GaugeSampler};
pub(crate) use summary::{of_distribution, part_of, plain};

use crate::{
    AccountLog, Accounts, Content, EventLimits, FlowMeter, Identities, Kind, Metric, ObjectId, Provenance,
    QueueMeter, SummaryValue,
};
use decisions::Decisions;
use table::SeriesTable;

/// Settings of the recorder.
#[derive(Debug, Clone)]
pub struct RecorderSettings {
    /// Sampling interval of the series.
    pub interval: Duration,
    /// End of the warm-up, where summary values begin.
    pub warm_up: Time,
    /// What of packets' identity to record with drops and marks.
    pub identities: Identities,
    /// Whether to record the delays of each unit; implies identities.
    pub accounts: bool,
    /// Gauges to sample with the series.
    pub gauges: GaugeChoice,
    /// Groups of flows whose goodputs are compared.
    pub rate_ratios: Vec<[FlowGroup; 2]>,
    /// Thresholds of viewers' events; `None` if events are not kept.
    pub events: Option<EventLimits>,
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
            identities: Identities::default(),
            accounts: false,
            gauges: GaugeChoice::None,
            rate_ratios: Vec::new(),
            events: None,
        }
    }
}

/// Collects the measurements of a world.
#[derive(Debug, Clone)]
pub struct Recorder {
    settings: RecorderSettings,
    queues: Vec<QueueMeter>,
    queue_names: Vec<String>,
    /// Nodes at both ends of each queue's link.
    ends: Vec<[String; 2]>,
    flows: Vec<FlowMeter>,
    flow_names: Vec<String>,
    series: SeriesTable,
    decisions: Decisions,
    provenance: Option<Box<Provenance>>,
    /// Accounts that were made elsewhere.
    joined: Option<AccountLog>,
    extra: Vec<SummaryValue>,
    // Gauges with at least one point.
    gauges: Vec<Gauge>,
    last_sample: Time,
}

impl Recorder {
    /// An empty recorder.
    pub fn new(mut settings: RecorderSettings) -> Recorder {
        if settings.accounts && settings.identities == Identities::Off {
            settings.identities = Identities::All;
        }
        let has_provenance = settings.identities != Identities::Off;
        let provenance = has_provenance.then(|| {
            let own = Provenance::new();
            Box::new(if settings.accounts { own.with_accounts() } else { own })
        });
        Recorder {
            settings,
            decisions: Decisions::default(),
            provenance,
            queues: Vec::new(),
            queue_names: Vec::new(),
            ends: Vec::new(),
            flows: Vec::new(),
            flow_names: Vec::new(),
            series: SeriesTable::default(),
            joined: None,
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

    /// Names the nodes at both ends of a queue's link: the one that sends, and the one at the far end.
    pub fn set_ends(&mut self, queue: ObjectId, sender: &str, receiver: &str) {
        let place = queue.index as usize;
        if self.ends.len() <= place {
            self.ends.resize(place + 1, [String::new(), String::new()]);
        }
        self.ends[place] = [sender.to_owned(), receiver.to_owned()];
    }

    /// Registers a flow. Its index is the [`FlowId`] that its packets carry.
    pub fn add_flow(&mut self, name: impl Into<String>) -> ObjectId {
        self.flow_names.push(name.into());
        let mut meter = FlowMeter::default();
        if let Some(limits) = self.settings.events {
            meter.watch_events(limits);
        }
        meter.endings = self.settings.accounts.then(Box::default);
        self.flows.push(meter);
        ObjectId { kind: Kind::Flow, index: (self.flows.len() - 1) as u32 }
    }

    /// Declares that a flow delivers nothing to an application (a ping), so it has no goodput.
    pub fn carries_no_data(&mut self, flow: FlowId) {
        if let Some(meter) = self.flow(flow) {
            meter.carries_no_data();
        }
    }

    /// Whether delays are accounted for.
    #[inline]
    pub fn has_accounts(&self) -> bool {
        self.settings.accounts
    }

    /// The accounts of delays, if they are recorded.
    #[inline]
    pub fn accounts(&mut self) -> Option<&mut Accounts> {
        self.provenance.as_deref_mut()?.accounts()
    }

    /// Takes the ends of units that a flow's applications have told by `now` into the accounts.
    pub fn end_units(&mut self, flow: FlowId, now: Time) {
        self.take_endings(flow, now, false);
    }

    fn take_endings(&mut self, flow: FlowId, now: Time, is_over: bool) {
        let Some(accounts) = self.provenance.as_deref_mut().and_then(Provenance::accounts) else { return };
        if let Some(meter) = self.flows.get_mut(flow.0 as usize)
            && let Some(endings) = meter.endings()
        {
            accounts.end_all(flow, &mut endings.0, now, is_over);
        }
    }

    /// Takes all ends of units into the accounts.
    pub(crate) fn end_all_units(&mut self, now: Time, is_over: bool) {
        if self.settings.accounts {
            (0..self.flows.len()).for_each(|flow| self.take_endings(FlowId(flow as u32), now, is_over));
        }
    }

    /// Ends the accounts of a run that ended at `end`.
    pub(crate) fn finish_accounts(&mut self, end: Time) -> AccountLog {
        if let Some(joined) = self.joined.take() {
            return joined;
        }
        self.end_all_units(end, true);
        let accounts = self.provenance.as_deref_mut().and_then(Provenance::take_accounts);
        accounts.map(|accounts| accounts.finish(end)).unwrap_or_default()
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

    /// The recorder of what packets carry; `None` if the run does not record it.
    #[inline]
    pub fn provenance(&mut self) -> Option<&mut Provenance> {
        self.provenance.as_deref_mut()
    }

    /// What a datagram in flight carries, or a TCP segment that was sent again ([`Provenance::content_of`]).
    pub fn content_of(&self, packet: u32) -> Option<Content> {
        self.provenance.as_deref()?.content_of(packet)
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

//! Metrics of a queue and its link.

use jettison_core::{DropReason, Duration, MarkReason, Time};

use crate::by_metric::ByMetric;
use crate::{Counts, Distribution, Metric};

/// Counters and distributions of a queue.
///
/// Measured counters start at the end of the warm-up; interval counters are reset at each sample.
#[derive(Debug, Clone, Default)]
pub struct QueueMeter {
    // Measured: after the warm-up.
    pub(crate) sojourn: Distribution,
    // Metrics without a field of their own.
    pub(crate) more: ByMetric,
    pub(crate) enqueued: u64,
    pub(crate) departed: u64,
    pub(crate) departed_bytes: u64,
    pub(crate) drops: Counts<u64, { DropReason::ALL.len() }>,
    pub(crate) marks: Counts<u64, { MarkReason::ALL.len() }>,
    // Interval: since the last sample.
    pub(crate) interval_sojourn_sum: u64,
    pub(crate) interval_sojourn_max: u64,
    pub(crate) interval_departed: u64,
    pub(crate) interval_bytes: u64,
    pub(crate) interval_drops: Counts<u32, { DropReason::ALL.len() }>,
    pub(crate) interval_marks: Counts<u32, { MarkReason::ALL.len() }>,
}

impl QueueMeter {
    /// Records a packet offered to the queue, which may still drop it.
    #[inline]
    pub fn offered(&mut self) {
        self.enqueued += 1;
    }

    /// Records a packet of `wire_bytes` that left the queue for the link after `sojourn`.
    #[inline]
    pub fn departed(&mut self, sojourn: Duration, wire_bytes: u32) {
        let nanos = sojourn.as_nanos();
        self.sojourn.record(sojourn);
        self.departed += 1;
        self.departed_bytes += u64::from(wire_bytes);
        self.interval_sojourn_sum += nanos;
        self.interval_sojourn_max = self.interval_sojourn_max.max(nanos);
        self.interval_departed += 1;
        self.interval_bytes += u64::from(wire_bytes);
    }

    /// Adds `by` to the count of a metric without a method of its own.
    #[inline]
    pub fn count(&mut self, metric: Metric, by: u64) {
        self.more.count(metric, by);
    }

    /// Adds a time to the distribution of a metric without a method of its own.
    #[inline]
    pub fn record(&mut self, metric: Metric, value: Duration) {
        self.more.record(metric, value);
    }

    /// Records a dropped packet.
    #[inline]
    pub fn dropped(&mut self, reason: DropReason) {
        self.drops[reason.index()] += 1;
        self.interval_drops[reason.index()] += 1;
    }

    /// Records a marked packet.
    #[inline]
    pub fn marked(&mut self, reason: MarkReason) {
        self.marks[reason.index()] += 1;
        self.interval_marks[reason.index()] += 1;
    }

    /// Resets all measured counters at the end of the warm-up.
    pub(crate) fn start_measuring(&mut self) {
        self.sojourn.clear();
        self.more = ByMetric::default();
        self.enqueued = 0;
        self.departed = 0;
        self.departed_bytes = 0;
        self.drops = Default::default();
        self.marks = Default::default();
    }

    pub(crate) fn end_interval(&mut self) {
        self.interval_sojourn_sum = 0;
        self.interval_sojourn_max = 0;
        self.interval_departed = 0;
        self.interval_bytes = 0;
        self.interval_drops = Default::default();
        self.interval_marks = Default::default();
    }

    /// Drops since the warm-up over all reasons, except clones, which belong to no flow.
    pub fn total_drops(&self) -> u64 {
        let losses = DropReason::ALL.iter().zip(*self.drops).filter(|(reason, _)| reason.is_loss());
        losses.map(|(_, count)| count).sum()
    }

    /// Marks of all reasons since the warm-up.
    pub fn total_marks(&self) -> u64 {
        self.marks.iter().sum()
    }

    /// Bytes that left for the link since the warm-up.
    pub fn departed_bytes(&self) -> u64 {
        self.departed_bytes
    }

    /// Packets that left for the link since the warm-up.
    pub fn departed_packets(&self) -> u64 {
        self.departed
    }

    /// Drops since the warm-up, in the order of [`DropReason::ALL`].
    pub fn drops(&self) -> &[u64; DropReason::ALL.len()] {
        &self.drops
    }

    /// Marks since the warm-up, in the order of [`MarkReason::ALL`].
    pub fn marks(&self) -> &[u64; MarkReason::ALL.len()] {
        &self.marks
    }

    /// The sojourn times since the warm-up.
    pub fn sojourn(&self) -> &Distribution {
        &self.sojourn
    }

    /// Sets a distribution that was recorded elsewhere.
    pub fn set_distribution(&mut self, metric: Metric, distribution: Distribution) {
        self.more.set_distribution(metric, distribution);
    }

    /// Mean throughput since `start`, in Mbit/s on the wire.
    pub(crate) fn throughput(&self, start: Time, end: Time) -> f64 {
        mbit(self.departed_bytes, end.since(start))
    }
}

/// `bytes` over `span` in Mbit/s; 0 for an empty span.
pub(crate) fn mbit(bytes: u64, span: Duration) -> f64 {
    if span.is_zero() { 0.0 } else { bytes as f64 * 8e3 / span.as_nanos() as f64 }
}

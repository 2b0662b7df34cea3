//! End-to-end metrics of a flow.

use jettison_core::{Duration, Time};
use jettison_wire::FlowId;

use crate::by_metric::ByMetric;
use crate::distribution::IntervalMean;
use crate::order::ArrivalOrder;
use crate::{
    Distribution, Endings, EventLimits, EventLog, FrameMeter, FramePart, Metric, StreamingMeter, Timeliness,
    UnitKind, VideoMeter, ViewerEvent,
};

/// Counters and distributions of one flow.
#[derive(Debug, Clone)]
pub struct FlowMeter {
    pub(crate) carries_data: bool,
    pub(crate) rtt: Distribution,
    pub(crate) owd: Distribution,
    interval_owd: IntervalMean,
    interval_loss: IntervalLoss,
    pub(crate) completion: Distribution,
    pub(crate) goodput_bytes: u64,
    pub(crate) interval_bytes: u64,
    pub(crate) sent: u64,
    pub(crate) received: u64,
    pub(crate) failed: u64,
    /// Retransmissions and timeouts of the flow's senders; `None` until a sender has reported.
    pub(crate) repairs: Option<(u64, u64)>,
    /// Lowest and highest sequence number received, which bound the expected packets (RFC 3550 appendix A.3).
    sequences: Option<(u64, u64)>,
    /// Arrivals out of order and copies.
    pub(crate) order: ArrivalOrder,
    /// Packets dropped since the last one received.
    dropped_since: u64,
    /// Arrivals of the first and of the last datagram.
    first_arrival: Option<Time>,
    last_arrival: Option<Time>,
    /// Time of the last drop.
    last_drop: Option<Time>,
    /// Sum of the squares of the datagrams' one-way delays in ms.
    owd_squares: f64,
    // RFC 3550 §6.4.1: the interarrival jitter, smoothed by 1/16, in nanoseconds.
    jitter: f64,
    last_transit: Option<i64>,
    pub(crate) jitter_sum: f64,
    pub(crate) jitter_count: u64,
    // Only of applications that report them.
    pub(crate) timeliness: Option<Box<Timeliness>>,
    pub(crate) frames: Option<Box<FrameMeter>>,
    pub(crate) streaming: Option<Box<StreamingMeter>>,
    pub(crate) video: Option<Box<VideoMeter>>,
    // Only if asked for.
    pub(crate) events: Option<Box<EventLog>>,
    /// Ends of units, for accounts of delays.
    pub(crate) endings: Option<Box<Endings>>,
    // Metrics without a field of their own.
    pub(crate) more: ByMetric,
}

impl Default for FlowMeter {
    fn default() -> FlowMeter {
        FlowMeter {
            carries_data: true,
            rtt: Distribution::default(),
            owd: Distribution::default(),
            interval_owd: IntervalMean::default(),
            interval_loss: IntervalLoss::default(),
            completion: Distribution::default(),
            goodput_bytes: 0,
            interval_bytes: 0,
            sent: 0,
            received: 0,
            failed: 0,
            repairs: None,
            sequences: None,
            order: ArrivalOrder::default(),
            dropped_since: 0,
            first_arrival: None,
            last_arrival: None,
            last_drop: None,
            owd_squares: 0.0,
            jitter: 0.0,
            last_transit: None,
            jitter_sum: 0.0,
            jitter_count: 0,
            timeliness: None,
            frames: None,
            streaming: None,
            video: None,
            events: None,
            endings: None,
            more: ByMetric::default(),
        }
    }
}

impl FlowMeter {
    /// Where to tell the ends of units; `None` without accounts of delays.
    #[inline]
    pub fn endings(&mut self) -> Option<&mut Endings> {
        self.endings.as_deref_mut()
    }

    /// Records `bytes` new bytes for the receiving application, when they arrive at its host: an interval's goodput is then no
    /// more than the path could carry in it, whatever waits behind a gap.
    #[inline]
    pub fn delivered(&mut self, bytes: u64) {
        self.goodput_bytes += bytes;
        self.interval_bytes += bytes;
    }

    /// Takes back `bytes` that arrived but were never delivered, because the gap before them was not filled until the
    /// connection or the run ended. Those that arrived before the warm-up ended did not count.
    pub fn undelivered(&mut self, bytes: u64) {
        self.goodput_bytes = self.goodput_bytes.saturating_sub(bytes);
        self.interval_bytes = self.interval_bytes.saturating_sub(bytes);
    }

    /// Declares that the flow delivers nothing to an application (a ping), so it has no goodput.
    pub fn carries_no_data(&mut self) {
        self.carries_data = false;
    }

    /// Records a round-trip time measured by the transport or by `ping`.
    #[inline]
    pub fn round_trip(&mut self, rtt: Duration) {
        self.rtt.record(rtt);
    }

    /// Records a datagram or echo request sent.
    #[inline]
    pub fn sent(&mut self) {
        self.sent += 1;
    }

    /// Records the arrival of datagram number `sequence`, sent at `sent_at`: its one-way delay, and the jitter
    /// (RFC 3550 §6.4.1, J += (|D| − J) / 16). Returns whether it is new; a copy of a datagram that has arrived is only
    /// counted.
    #[inline]
    pub fn received(&mut self, sequence: u64, sent_at: Time, now: Time) -> bool {
        if !self.count_received(sequence) {
            return false;
        }
        self.first_arrival.get_or_insert(now);
        self.last_arrival = Some(now);
        let owd = now.since(sent_at);
        self.owd_squares += owd.as_millis_f64() * owd.as_millis_f64();
        // Clocks of two machines may differ in either direction, so the difference wraps, as in RFC 3550.
        let transit = now.as_nanos().wrapping_sub(sent_at.as_nanos()) as i64;
        self.owd.record(owd);
        if let Some(last) = self.last_transit {
            let difference = transit.wrapping_sub(last).unsigned_abs() as f64;
            self.jitter += (difference - self.jitter) / 16.0;
            self.jitter_sum += self.jitter;
            self.jitter_count += 1;
        }
        self.last_transit = Some(transit);
        true
    }

    /// Records the reply to echo request number `sequence`. Returns whether it is new.
    #[inline]
    pub fn echo_received(&mut self, sequence: u64) -> bool {
        self.count_received(sequence)
    }

    #[inline]
    fn count_received(&mut self, sequence: u64) -> bool {
        self.received += 1;
        self.dropped_since = 0;
        let is_new = self.order.arrived(sequence, self.sequences);
        self.sequences = Some(match self.sequences {
            None => (sequence, sequence),
            Some((lowest, highest)) => (lowest.min(sequence), highest.max(sequence)),
        });
        is_new
    }

    /// Packets received, each counted once.
    fn distinct(&self) -> u64 {
        self.received - self.order.duplicates
    }

    /// Records the drop of a packet in the network.
    pub(crate) fn dropped(&mut self, at: Time) {
        self.dropped_since += 1;
        self.last_drop = Some(at);
    }

    /// Records a drop at `at` seen by another recorder. It counts if it is later than the last arrival.
    pub(crate) fn dropped_elsewhere(&mut self, at: Time) {
        if self.last_arrival.is_some_and(|last| last < at) {
            self.dropped(at);
        }
    }

    /// Enables deadlines for samples, which [`FlowMeter::sample_arrived`] reports.
    pub fn watch_deadlines(&mut self, deadlines: &[Duration]) {
        self.timeliness = Some(Box::new(Timeliness::new(deadlines)));
    }

    /// Records the arrival of a sample with its number, sent at `sent_at`, in addition to [`FlowMeter::received`].
    #[inline]
    pub fn sample_arrived(&mut self, sample: (UnitKind, u64), sent_at: Time, now: Time) {
        let Some(timeliness) = &mut self.timeliness else { return };
        timeliness.arrived(sent_at, now);
        if let Some((events, deadline)) = self.events.as_deref_mut().zip(timeliness.longest_deadline()) {
            events.sample(sample, sent_at, now, deadline);
        }
    }

    /// Keeps the viewer's events from now on.
    pub fn watch_events(&mut self, limits: EventLimits) {
        self.events = Some(Box::new(EventLog::new(limits)));
    }

    /// The viewer's events, if they are kept.
    #[inline]
    pub fn events(&mut self) -> Option<&mut EventLog> {
        self.events.as_deref_mut()
    }

    /// Missed deadlines and gaps, if enabled.
    pub fn timeliness(&self) -> Option<&Timeliness> {
        self.timeliness.as_deref()
    }

    /// The meter of frames, if the flow has any.
    pub fn frames(&self) -> Option<&FrameMeter> {
        self.frames.as_deref()
    }

    /// The meter of adaptive streaming; the first call enables it.
    pub fn streaming(&mut self) -> &mut StreamingMeter {
        self.streaming.get_or_insert_default()
    }

    /// The meter of real-time video; the first call enables it.
    #[inline]
    pub fn video(&mut self) -> &mut VideoMeter {
        self.video.get_or_insert_default()
    }

    /// Records a frame sent with all its packets, captured at `now`.
    pub fn frame_sent(&mut self, frame: u32, now: Time) {
        self.frames.get_or_insert_default().sent();
        if let Some(events) = &mut self.events {
            events.frame_captured(frame, now);
        }
    }

    /// Records the arrival of a packet of a frame sent at `sent_at`, in addition to [`FlowMeter::received`].
    #[inline]
    pub fn frame_part(&mut self, part: FramePart, sent_at: Time, now: Time) {
        let is_complete = self.frames.get_or_insert_default().arrived(part, sent_at, now);
        if is_complete && let Some(events) = &mut self.events {
            events.frame_decoded(part.frame, now);
        }
    }

    /// Takes the viewer's events at the end of the run, in their order; none if they are not kept.
    pub fn take_events(&mut self, flow: FlowId, end: Time) -> Vec<ViewerEvent> {
        self.events.take().map(|events| events.finish(flow, end)).unwrap_or_default()
    }

    /// Number of packets from the lowest to the highest sequence number received (RFC 3550 appendix A.3).
    pub(crate) fn expected(&self) -> Option<u64> {
        self.sequences.map(|(lowest, highest)| highest - lowest + 1)
    }

    /// Ends a sampling interval; returns its mean one-way delay, if anything arrived.
    pub(crate) fn take_interval_owd(&mut self) -> Option<Duration> {
        self.interval_owd.take(&self.owd)
    }

    /// Ends a sampling interval; returns its share of lost packets, 0 to 1 (RFC 3550 appendix A.3), if the highest sequence
    /// number has increased.
    pub(crate) fn take_interval_loss(&mut self) -> Option<f64> {
        self.interval_loss.take(self.distinct(), self.sequences)
    }

    /// Share of packets lost, 0 to 1: those missing between the lowest and the highest sequence number received (RFC 3550
    /// appendix A.3), so packets in flight are not counted as lost. Drops seen after the last arrival count too: a flow
    /// starved until the end does lose packets. 1 if packets were sent and none arrived; `None` if none was sent.
    pub fn loss(&self) -> Option<f64> {
        let Some(expected) = self.expected() else { return (self.sent > 0).then_some(1.0) };
        let missing = expected.saturating_sub(self.distinct()) + self.dropped_since;
        Some(missing as f64 / (expected + self.dropped_since) as f64)
    }

    /// Records the retransmissions and timeouts of a sender since the warm-up, at its end or that of the run.
    pub fn sender_ended(&mut self, retransmits: u64, timeouts: u64) {
        let (all_retransmits, all_timeouts) = self.repairs.unwrap_or_default();
        self.repairs = Some((all_retransmits + retransmits, all_timeouts + timeouts));
    }

    /// Records a failed transfer.
    #[inline]
    pub fn failed(&mut self) {
        self.failed += 1;
    }

    /// Records a one-way delay of something other than a datagram (a message, a frame).
    #[inline]
    pub fn one_way_delay(&mut self, owd: Duration) {
        self.owd.record(owd);
    }

    /// Records a completed transfer of duration `took`.
    #[inline]
    pub fn completed(&mut self, took: Duration) {
        self.completion.record(took);
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

    /// The distribution of a metric without a method of its own, since the warm-up.
    pub fn recorded(&self, metric: Metric) -> Option<&Distribution> {
        self.more.distributions().find(|(own, _)| *own == metric).map(|(_, distribution)| distribution)
    }

    /// The current smoothed interarrival jitter.
    pub fn jitter(&self) -> Duration {
        Duration::from_nanos(self.jitter as u64)
    }

    /// Time from the arrival of the first datagram to the arrival or drop of the last one, which is about when a mark sent behind
    /// it would arrive.
    pub(crate) fn receiving(&self) -> Option<Duration> {
        Some(self.last_arrival.max(self.last_drop)?.since(self.first_arrival?))
    }

    /// Standard deviation of the datagrams' one-way delays in ms, of which `mean` is the mean.
    pub(crate) fn owd_deviation(&self, mean: f64) -> Option<f64> {
        self.first_arrival?;
        Some((self.owd_squares / self.distinct().max(1) as f64 - mean * mean).max(0.0).sqrt())
    }

    /// Bytes delivered since the warm-up.
    pub fn goodput_bytes(&self) -> u64 {
        self.goodput_bytes
    }

    /// Adds round trips, retransmissions and timeouts of another meter of the same flow, unless this one has its own.
    pub(crate) fn complement(&mut self, other: FlowMeter) {
        if self.rtt.count() == 0 {
            self.rtt = other.rtt;
        }
        self.repairs = self.repairs.or(other.repairs);
    }

    pub(crate) fn start_measuring(&mut self) {
        self.rtt.clear();
        self.interval_owd.before_clear(&self.owd);
        self.owd.clear();
        self.completion.clear();
        self.goodput_bytes = 0;
        self.sent = 0;
        self.interval_loss.before_clear(self.distinct(), self.sequences);
        self.more = ByMetric::default();
        self.received = 0;
        self.failed = 0;
        self.sequences = None;
        self.order = ArrivalOrder::default();
        self.dropped_since = 0;
        self.first_arrival = None;
        self.last_arrival = None;
        self.last_drop = None;
        self.owd_squares = 0.0;
        self.jitter_sum = 0.0;
        self.jitter_count = 0;
        if let Some(timeliness) = &mut self.timeliness {
            timeliness.start_measuring();
        }
        if let Some(frames) = &mut self.frames {
            frames.start_measuring();
        }
        if let Some(streaming) = &mut self.streaming {
            streaming.start_measuring();
        }
        if let Some(video) = &mut self.video {
            video.start_measuring();
        }
    }
}

/// Loss per sampling interval, as a difference of the flow's counts, at no cost per packet.
#[derive(Debug, Clone, Default)]
struct IntervalLoss {
    /// Packets received before the interval, modulo 2^64: negative after a reset of the count within the interval.
    received: u64,
    /// Highest sequence number received before the interval.
    highest: Option<u64>,
    /// Lowest and highest sequence number received in this interval before a reset of the count.
    before: Option<(u64, u64)>,
}

impl IntervalLoss {
    /// Ends an interval. Losses after the highest sequence number received show once a higher one arrives.
    fn take(&mut self, received: u64, sequences: Option<(u64, u64)>) -> Option<f64> {
        let (lowest, highest) = span(self.before, sequences)?;
        let first = self.highest.map_or(lowest, |before| before + 1);
        let expected = (highest + 1).saturating_sub(first);
        if expected == 0 {
            return None;
        }
        let arrived = received.wrapping_sub(self.received);
        *self = IntervalLoss { received, highest: Some(highest), before: None };
        Some(expected.saturating_sub(arrived) as f64 / expected as f64)
    }

    /// Prepares for a reset of the count, so that arrivals earlier in the interval still count.
    fn before_clear(&mut self, received: u64, sequences: Option<(u64, u64)>) {
        self.received = self.received.wrapping_sub(received);
        self.before = span(self.before, sequences);
    }
}

/// The smallest span that contains both.
fn span(one: Option<(u64, u64)>, other: Option<(u64, u64)>) -> Option<(u64, u64)> {
    match (one, other) {
        (Some(one), Some(other)) => Some((one.0.min(other.0), one.1.max(other.1))),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loss_of_an_interval_is_what_is_missing_since_the_highest_number_of_the_one_before() {
        let mut meter = FlowMeter::default();
        assert_eq!(meter.take_interval_loss(), None);
        let arrive = |meter: &mut FlowMeter, sequences: &[u64]| {
            for sequence in sequences {
                meter.received(*sequence, Time::ZERO, Time::ZERO);
            }
        };
        arrive(&mut meter, &[5, 6, 8, 9]);
        assert_eq!(meter.take_interval_loss(), Some(0.2));
        assert_eq!(meter.take_interval_loss(), None, "nothing came");
        // 10 and 11 were lost; 9 and 12 are in two intervals.
        arrive(&mut meter, &[12, 13]);
        assert_eq!(meter.take_interval_loss(), Some(0.5));
        // One that was overtaken makes no interval's loss negative.
        arrive(&mut meter, &[14, 11]);
        assert_eq!(meter.take_interval_loss(), Some(0.0));
    }

    #[test]
    fn the_end_of_the_warm_up_within_an_interval_does_not_change_its_loss() {
        let mut meter = FlowMeter::default();
        let arrive = |meter: &mut FlowMeter, sequence| meter.received(sequence, Time::ZERO, Time::ZERO);
        arrive(&mut meter, 0);
        assert_eq!(meter.take_interval_loss(), Some(0.0));
        arrive(&mut meter, 1);
        arrive(&mut meter, 2);
        meter.start_measuring();
        arrive(&mut meter, 4);
        assert_eq!(meter.take_interval_loss(), Some(0.25));
        arrive(&mut meter, 6);
        meter.start_measuring();
        assert_eq!(meter.take_interval_loss(), Some(0.5), "it ended with the interval");
        assert_eq!(meter.take_interval_loss(), None);
    }

    #[test]
    fn jitter_follows_rfc_3550() {
        let mut meter = FlowMeter::default();
        meter.received(0, Time::from_millis(0), Time::from_millis(10));
        meter.received(1, Time::from_millis(20), Time::from_millis(46)); // transit grew by 16 ms
        assert_eq!(meter.jitter(), Duration::from_millis(1));
        meter.received(2, Time::from_millis(40), Time::from_millis(66));
        assert_eq!(meter.jitter(), Duration::from_nanos(937_500));
    }

    #[test]
    fn deviation_and_time_of_reception_are_those_of_the_datagrams() {
        let mut meter = FlowMeter::default();
        assert_eq!((meter.receiving(), meter.owd_deviation(0.0)), (None, None));
        for (sequence, delay) in [(0, 10), (1, 20), (2, 30), (3, 40)] {
            meter.received(sequence, Time::from_millis(100), Time::from_millis(100 + delay));
        }
        assert_eq!(meter.receiving(), Some(Duration::from_millis(30)));
        // (225 + 25 + 25 + 225) / 4 = 125
        let deviation = meter.owd_deviation(25.0).expect("something was received");
        assert!((deviation - 125f64.sqrt()).abs() < 1e-9, "{deviation}");
        meter.dropped(Time::from_millis(120));
        assert_eq!(meter.receiving(), Some(Duration::from_millis(30)), "the drop was earlier");
        meter.dropped(Time::from_millis(160));
        assert_eq!(meter.receiving(), Some(Duration::from_millis(50)));
    }

    #[test]
    fn loss_is_what_is_missing_between_the_first_and_the_last_received() {
        let mut meter = FlowMeter::default();
        assert_eq!(meter.loss(), None);
        meter.sent();
        assert_eq!(meter.loss(), Some(1.0));
        for sequence in [10, 11, 14, 13] {
            meter.received(sequence, Time::ZERO, Time::ZERO);
        }
        assert_eq!(meter.loss(), Some(0.2));
    }

    #[test]
    fn drops_after_the_last_packet_received_are_loss_and_drops_before_it_are_counted_once() {
        let mut meter = FlowMeter::default();
        meter.received(0, Time::ZERO, Time::ZERO);
        meter.dropped(Time::ZERO);
        meter.received(2, Time::ZERO, Time::ZERO);
        assert_eq!(meter.loss(), Some(1.0 / 3.0));
        meter.dropped(Time::ZERO);
        assert_eq!(meter.loss(), Some(0.5));
    }
}

//! What one flow of the scenario saw, end to end.

use jettison_core::{Duration, Time};

use crate::distribution::IntervalMean;
use crate::{Distribution, FrameMeter, FramePart, Timeliness};

/// Counters and distributions of one flow.
#[derive(Debug, Clone)]
pub struct FlowMeter {
    pub(crate) carries_data: bool,
    pub(crate) rtt: Distribution,
    pub(crate) owd: Distribution,
    interval_owd: IntervalMean,
    pub(crate) completion: Distribution,
    pub(crate) goodput_bytes: u64,
    pub(crate) interval_bytes: u64,
    pub(crate) sent: u64,
    pub(crate) received: u64,
    pub(crate) failed: u64,
    /// Lowest and highest sequence number received: what was expected lies between (RFC 3550 appendix A.3).
    sequences: Option<(u64, u64)>,
    /// Packets of the flow that were dropped since the last one that was received.
    dropped_since: u64,
    // RFC 3550 §6.4.1: the interarrival jitter, smoothed by 1/16, in nanoseconds.
    jitter: f64,
    last_transit: Option<i64>,
    pub(crate) jitter_sum: f64,
    pub(crate) jitter_count: u64,
    // Of applications that have them only.
    pub(crate) timeliness: Option<Box<Timeliness>>,
    pub(crate) frames: Option<Box<FrameMeter>>,
}

impl Default for FlowMeter {
    fn default() -> FlowMeter {
        FlowMeter {
            carries_data: true,
            rtt: Distribution::default(),
            owd: Distribution::default(),
            interval_owd: IntervalMean::default(),
            completion: Distribution::default(),
            goodput_bytes: 0,
            interval_bytes: 0,
            sent: 0,
            received: 0,
            failed: 0,
            sequences: None,
            dropped_since: 0,
            jitter: 0.0,
            last_transit: None,
            jitter_sum: 0.0,
            jitter_count: 0,
            timeliness: None,
            frames: None,
        }
    }
}

impl FlowMeter {
    /// The receiving application got `bytes` new bytes.
    #[inline]
    pub fn delivered(&mut self, bytes: u64) {
        self.goodput_bytes += bytes;
        self.interval_bytes += bytes;
    }

    /// The transport or `ping` measured a round trip.
    #[inline]
    pub fn round_trip(&mut self, rtt: Duration) {
        self.rtt.record(rtt);
    }

    /// The sender emitted a datagram (or an echo request).
    #[inline]
    pub fn sent(&mut self) {
        self.sent += 1;
    }

    /// The receiver got datagram number `sequence`, that was sent at `sent_at`: counts it, its one-way delay and the
    /// jitter (RFC 3550 §6.4.1, J += (|D| − J) / 16).
    #[inline]
    pub fn received(&mut self, sequence: u64, sent_at: Time, now: Time) {
        self.count(sequence);
        // Clocks of two machines may disagree either way: the difference wraps, as RFC 3550's does.
        let transit = now.as_nanos().wrapping_sub(sent_at.as_nanos()) as i64;
        self.owd.record(now.since(sent_at));
        if let Some(last) = self.last_transit {
            let difference = transit.wrapping_sub(last).unsigned_abs() as f64;
            self.jitter += (difference - self.jitter) / 16.0;
            self.jitter_sum += self.jitter;
            self.jitter_count += 1;
        }
        self.last_transit = Some(transit);
    }

    /// The reply to echo request number `sequence` came back: counts it.
    #[inline]
    pub fn echo_received(&mut self, sequence: u64) {
        self.count(sequence);
    }

    #[inline]
    fn count(&mut self, sequence: u64) {
        self.received += 1;
        self.dropped_since = 0;
        self.sequences = Some(match self.sequences {
            None => (sequence, sequence),
            Some((lowest, highest)) => (lowest.min(sequence), highest.max(sequence)),
        });
    }

    /// A packet of this flow was dropped on its way.
    pub(crate) fn dropped(&mut self) {
        self.dropped_since += 1;
    }

    /// This flow's samples are worth the less the later they come: [`FlowMeter::sample_arrived`] tells of each.
    pub fn watch_deadlines(&mut self, deadlines: &[Duration]) {
        self.timeliness = Some(Box::new(Timeliness::new(deadlines)));
    }

    /// A sample that was sent at `sent_at` arrived, beside [`FlowMeter::received`].
    #[inline]
    pub fn sample_arrived(&mut self, sent_at: Time, now: Time) {
        if let Some(timeliness) = &mut self.timeliness {
            timeliness.arrived(sent_at, now);
        }
    }

    /// Deadlines missed and gaps, if anything watches them.
    pub fn timeliness(&self) -> Option<&Timeliness> {
        self.timeliness.as_deref()
    }

    /// Frames, if the flow has any.
    pub fn frames(&self) -> Option<&FrameMeter> {
        self.frames.as_deref()
    }

    /// The sender emitted a frame, all its packets included.
    pub fn frame_sent(&mut self) {
        self.frames.get_or_insert_default().sent();
    }

    /// A packet of a frame that was sent at `sent_at` arrived, beside [`FlowMeter::received`].
    #[inline]
    pub fn frame_part(&mut self, part: FramePart, sent_at: Time, now: Time) {
        self.frames.get_or_insert_default().arrived(part, sent_at, now);
    }

    /// How many were sent from the lowest to the highest number received (RFC 3550 appendix A.3).
    pub(crate) fn expected(&self) -> Option<u64> {
        self.sequences.map(|(lowest, highest)| highest - lowest + 1)
    }

    /// Ends an interval: its mean one-way delay, if anything arrived in it.
    pub(crate) fn take_interval_owd(&mut self) -> Option<Duration> {
        self.interval_owd.take(&self.owd)
    }

    /// Share of packets lost, 0 to 1: of those between the lowest and the highest number received, how many are
    /// missing (RFC 3550 appendix A.3), so that what is still under way is not taken for lost. What was seen to be
    /// dropped after the last one received counts as well: a flow that is starved for good loses packets. All, if
    /// packets were sent and none came; `None` if none was sent.
    pub fn loss(&self) -> Option<f64> {
        let Some(expected) = self.expected() else { return (self.sent > 0).then_some(1.0) };
        let missing = expected.saturating_sub(self.received) + self.dropped_since;
        Some(missing as f64 / (expected + self.dropped_since) as f64)
    }

    /// A transfer of this flow failed.
    #[inline]
    pub fn failed(&mut self) {
        self.failed += 1;
    }

    /// A one-way delay that is not of a whole datagram (a message, a frame).
    #[inline]
    pub fn one_way_delay(&mut self, owd: Duration) {
        self.owd.record(owd);
    }

    /// A transfer of this flow ended, `took` after it began.
    #[inline]
    pub fn completed(&mut self, took: Duration) {
        self.completion.record(took);
    }

    /// The smoothed interarrival jitter now.
    pub fn jitter(&self) -> Duration {
        Duration::from_nanos(self.jitter as u64)
    }

    /// Bytes delivered since the warm-up.
    pub fn goodput_bytes(&self) -> u64 {
        self.goodput_bytes
    }

    pub(crate) fn start_measuring(&mut self) {
        self.rtt.clear();
        self.interval_owd.before_clear(&self.owd);
        self.owd.clear();
        self.completion.clear();
        self.goodput_bytes = 0;
        self.sent = 0;
        self.received = 0;
        self.failed = 0;
        self.sequences = None;
        self.dropped_since = 0;
        self.jitter_sum = 0.0;
        self.jitter_count = 0;
        if let Some(timeliness) = &mut self.timeliness {
            timeliness.start_measuring();
        }
        if let Some(frames) = &mut self.frames {
            frames.start_measuring();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        meter.dropped();
        meter.received(2, Time::ZERO, Time::ZERO);
        assert_eq!(meter.loss(), Some(1.0 / 3.0));
        meter.dropped();
        assert_eq!(meter.loss(), Some(0.5));
    }
}

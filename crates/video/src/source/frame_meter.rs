//! Throughput of complete frames, from the fates of their messages.
//!
//! The transfer of a frame starts when it could first be acknowledged on an empty path, or when the previous frame was
//! settled if that is later; it ends when all of its messages are settled. Frames that queue behind one another are
//! thus measured at the rate at which they leave the queue, and the round trip is excluded.

use std::collections::VecDeque;

use jettison_core::{Duration, Rate, Time};

/// Meter of the latest frames.
#[derive(Debug, Clone)]
pub(super) struct FrameMeter {
    window: usize,
    /// Unsettled frames, oldest first.
    pending: VecDeque<Pending>,
    /// Seconds per bit of the latest frames: their mean is the inverse of the throughputs' harmonic mean.
    latest: VecDeque<f64>,
    settled_at: Time,
}

#[derive(Debug, Clone, Copy)]
struct Pending {
    frame: u32,
    /// Earliest time at which it could be acknowledged.
    from: Time,
    /// Messages of unknown fate.
    messages: usize,
    /// Bytes delivered.
    arrived: u64,
}

impl FrameMeter {
    /// Minimum duration of a transfer: acknowledgements may arrive in bursts.
    const SHORTEST: Duration = Duration::from_millis(1);
    /// Maximum number of unsettled frames remembered.
    const MOST_PENDING: usize = 1024;

    /// Creates a meter with a window of frames.
    pub(super) fn new(window: usize) -> FrameMeter {
        FrameMeter { window, pending: VecDeque::new(), latest: VecDeque::new(), settled_at: Time::ZERO }
    }

    /// Records a sent frame with its number of messages.
    pub(super) fn sent(&mut self, frame: u32, messages: usize, now: Time, min_rtt: Option<Duration>) {
        if self.pending.len() == FrameMeter::MOST_PENDING {
            self.pending.pop_front();
        }
        let from = now.saturating_add(min_rtt.unwrap_or(Duration::ZERO));
        self.pending.push_back(Pending { frame, from, messages, arrived: 0 });
    }

    /// Records the fate of a message and the number of its delivered bytes.
    pub(super) fn settle(&mut self, frame: u32, arrived: u64, now: Time) {
        let Some(place) = self.pending.iter().position(|pending| pending.frame == frame) else { return };
        let pending = &mut self.pending[place];
        pending.messages = pending.messages.saturating_sub(1);
        pending.arrived += arrived;
        if pending.messages == 0
            && let Some(done) = self.pending.remove(place)
        {
            self.finish(done, now);
        }
    }

    fn finish(&mut self, frame: Pending, now: Time) {
        let took = now.since(frame.from.max(self.settled_at)).max(FrameMeter::SHORTEST);
        self.settled_at = now;
        if frame.arrived == 0 {
            return; // nothing delivered: no throughput sample
        }
        if self.latest.len() == self.window {
            self.latest.pop_front();
        }
        self.latest.push_back(took.as_secs_f64() / (frame.arrived as f64 * 8.0));
    }

    /// Returns the harmonic mean; `None` before the first frame is delivered.
    pub(super) fn harmonic_mean(&self) -> Option<Rate> {
        let sum: f64 = self.latest.iter().sum();
        (sum > 0.0).then(|| Rate::from_bits((self.latest.len() as f64 / sum) as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Duration = Duration::from_millis(60);

    fn kbit(meter: &FrameMeter) -> Option<u64> {
        meter.harmonic_mean().map(|rate| rate.as_bits().div_ceil(1000))
    }

    #[test]
    fn the_round_trip_is_excluded() {
        let mut meter = FrameMeter::new(20);
        meter.sent(0, 2, Time::from_millis(100), Some(RTT));
        meter.settle(0, 500, Time::from_millis(162));
        assert_eq!(kbit(&meter), None, "half of it");
        meter.settle(0, 500, Time::from_millis(170));
        assert_eq!(kbit(&meter), Some(800), "1,000 bytes in 10 ms");
    }

    #[test]
    fn frames_that_queue_are_measured_one_after_the_other() {
        let mut meter = FrameMeter::new(1);
        meter.sent(0, 1, Time::from_millis(100), Some(RTT));
        meter.sent(1, 1, Time::from_millis(133), Some(RTT));
        meter.settle(0, 10_000, Time::from_millis(260));
        assert_eq!(kbit(&meter), Some(800));
        meter.settle(1, 10_000, Time::from_millis(360));
        assert_eq!(kbit(&meter), Some(800), "100 ms after the one before, not 167 after its own");
    }

    #[test]
    fn it_is_the_harmonic_mean_of_the_window() {
        let mut meter = FrameMeter::new(2);
        for (frame, took) in [(0u32, 1u64), (1, 10), (2, 40)] {
            let now = Time::from_secs(1 + u64::from(frame));
            meter.sent(frame, 1, now, None);
            meter.settle(frame, 1_000, now + Duration::from_millis(took));
        }
        // 800 and 200 kbit/s; the earlier 8,000 are outside the window.
        assert_eq!(kbit(&meter), Some(320));
    }

    #[test]
    fn lost_bytes_are_not_counted() {
        let mut meter = FrameMeter::new(20);
        meter.sent(0, 2, Time::ZERO, None);
        meter.settle(0, 1_000, Time::from_millis(5));
        meter.settle(0, 0, Time::from_millis(10));
        assert_eq!(kbit(&meter), Some(800));
        meter.sent(1, 1, Time::from_millis(50), None);
        meter.settle(1, 0, Time::from_millis(60));
        meter.settle(7, 1, Time::from_millis(60));
        assert_eq!(kbit(&meter), Some(800));
    }

    #[test]
    fn frames_without_feedback_are_forgotten() {
        let mut meter = FrameMeter::new(20);
        for frame in 0..3_000 {
            meter.sent(frame, 1, Time::ZERO, None);
        }
        assert_eq!(meter.pending.len(), FrameMeter::MOST_PENDING);
    }
}

//! HyStart as Linux has it: the end of slow start by the length of an ACK train, or by a rise of the RTT.
//!
//! After S. Ha and I. Rhee, "Taming the elephants: new TCP slow start", with what Linux changed since, as its module
//! parameters and change notes describe and measurements confirm. A round is a window of data. It has filled the path
//! if its ACKs, arriving closely one after the other, span half of the lowest RTT: then the window has passed half of
//! the path's content. The RTT rises if even the lowest of a round exceeds the lowest of all by an eighth.

use jettison_core::{Duration, Time};

use super::AckSample;

/// Maximum time between two ACKs of a train (`hystart_ack_delta_us`).
const ACK_DELTA: Duration = Duration::from_millis(2);
/// Window in segments from which the rules apply (`hystart_low_window`).
const LOW_WINDOW: u64 = 16;
/// Number of RTT samples of a round before the delay rule applies.
const MIN_SAMPLES: u32 = 8;
/// Range of the rise that ends slow start; between these, an eighth of the lowest RTT.
const MIN_RISE: Duration = Duration::from_millis(4);
const MAX_RISE: Duration = Duration::from_millis(16);
const RISE_DIVISOR: u64 = 8;
/// Allowance for bursts in the length of a train: the time of so many bytes at the pacing rate, at most a millisecond.
const BURST: u64 = 4 << 16;
const MAX_BURST_TIME: Duration = Duration::from_millis(1);
/// Time after the start of a stage of congestion avoidance in which RTT samples do not count.
const SETTLING: Duration = Duration::from_secs(1);

/// The state of HyStart.
#[derive(Debug, Clone)]
pub(super) struct LinuxHyStart {
    paced: bool,
    /// Whether a rule has ended slow start; the rules then rest until a timeout.
    found: bool,
    /// Lowest RTT; `MAX` before the first sample.
    lowest: Duration,
    /// The round ends when more than this offset is acknowledged.
    round_end: u64,
    round_began: Time,
    /// Arrival of the last ACK of the train.
    last_ack: Time,
    /// Lowest RTT of the round, and its number of samples.
    round_lowest: Duration,
    samples: u32,
}

impl LinuxHyStart {
    /// HyStart at the start of a connection. `paced`: pacing spreads the ACKs of a round over the RTT.
    pub fn new(paced: bool) -> LinuxHyStart {
        LinuxHyStart {
            paced,
            found: false,
            lowest: Duration::MAX,
            round_end: 0,
            round_began: Time::ZERO,
            last_ack: Time::ZERO,
            round_lowest: Duration::MAX,
            samples: 0,
        }
    }

    /// Forgets everything, after a timeout.
    pub fn reset(&mut self) {
        *self = LinuxHyStart::new(self.paced);
    }

    /// Processes an ACK with an RTT sample; returns whether slow start ends. `epoch`: the start of the present stage of
    /// congestion avoidance, if the controller has one.
    #[inline]
    pub fn on_ack(
        &mut self,
        ack: &AckSample,
        in_slow_start: bool,
        window: u64,
        mss: u64,
        epoch: Option<Time>,
    ) -> bool {
        let Some(rtt) = ack.rtt else { return false };
        // Samples just after fast recovery are discarded: its queue is not that of slow start.
        if epoch.is_some_and(|began| ack.now.since(began) < SETTLING) {
            return false;
        }
        self.lowest = self.lowest.min(rtt);
        if self.found || !in_slow_start {
            return false;
        }
        self.found = self.is_path_full(ack, rtt, window) && window >= LOW_WINDOW * mss;
        self.found
    }

    fn is_path_full(&mut self, ack: &AckSample, rtt: Duration, window: u64) -> bool {
        if ack.acknowledged > self.round_end {
            self.round_end = ack.next_offset;
            self.round_began = ack.now;
            self.last_ack = ack.now;
            self.round_lowest = Duration::MAX;
            self.samples = 0;
        }
        if ack.now.since(self.last_ack) <= ACK_DELTA {
            self.last_ack = ack.now;
            let mut longest = self.lowest.saturating_add(burst_time(window, ack.smoothed_rtt));
            if !self.paced {
                longest = longest / 2;
            }
            if ack.now.since(self.round_began) > longest {
                return true;
            }
        }
        self.round_lowest = self.round_lowest.min(rtt);
        if self.samples < MIN_SAMPLES {
            self.samples += 1;
            return false;
        }
        let rise = (self.lowest / RISE_DIVISOR).clamp(MIN_RISE, MAX_RISE);
        self.round_lowest > self.lowest.saturating_add(rise)
    }
}

/// The time of a burst at the pacing rate of slow start, twice the window per RTT.
fn burst_time(window: u64, smoothed_rtt: Duration) -> Duration {
    (smoothed_rtt.saturating_mul(BURST) / (2 * window).max(1)).min(MAX_BURST_TIME)
}

#[cfg(test)]
mod tests;

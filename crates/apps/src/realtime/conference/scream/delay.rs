//! The estimate of the queue's delay (*Detecting Increased Queue Delay*; RFC 6817 for base delays).

use jettison_core::{Duration, Time};

use super::window::VIRTUAL_RTT;

/// QDELAY_AVG_G.
const WEIGHT: f64 = 1.0 / 4.0;
/// Minutes for which a lowest delay counts (RFC 6817 §2.4.2, BASE_HISTORY; from memory).
const MINUTES: usize = 10;

/// qdelay and qdelay_avg.
#[derive(Debug, Clone)]
pub(super) struct QueueDelay {
    /// The lowest one-way delay of each of the last minutes, in nanoseconds. Clocks of the two ends may differ.
    base: [i64; MINUTES],
    minute: u64,
    latest: Duration,
    average: Duration,
    averaged_at: Time,
}

impl Default for QueueDelay {
    fn default() -> QueueDelay {
        QueueDelay {
            base: [i64::MAX; MINUTES],
            minute: 0,
            latest: Duration::ZERO,
            average: Duration::ZERO,
            averaged_at: Time::ZERO,
        }
    }
}

impl QueueDelay {
    /// Takes a sample: the one-way delay above the lowest.
    pub(super) fn sample(&mut self, arrived_at: Time, sent_at: Time, now: Time) {
        let delay = arrived_at.as_nanos() as i64 - sent_at.as_nanos() as i64;
        let minute = now.as_nanos() / Duration::from_secs(60).as_nanos();
        if minute > self.minute {
            for passed in self.minute + 1..=minute.min(self.minute + MINUTES as u64) {
                self.base[passed as usize % MINUTES] = i64::MAX;
            }
            self.minute = minute;
        }
        let lowest = &mut self.base[minute as usize % MINUTES];
        *lowest = delay.min(*lowest);
        let base = self.base.iter().copied().min().unwrap_or(delay);
        self.latest = Duration::from_nanos(delay.abs_diff(base));
    }

    /// Averages it, with a slow attack and a fast decay, once per round trip or virtual RTT, whichever is shorter.
    pub(super) fn average(&mut self, rtt: Duration, now: Time) {
        if now.since(self.averaged_at) < rtt.min(VIRTUAL_RTT) {
            return;
        }
        self.averaged_at = now;
        self.average = if self.latest < self.average {
            self.latest
        } else {
            self.latest.mul_f64(WEIGHT).saturating_add(self.average.mul_f64(1.0 - WEIGHT))
        };
    }

    /// qdelay.
    pub(super) fn latest(&self) -> Duration {
        self.latest
    }

    /// qdelay_avg.
    pub(super) fn averaged(&self) -> Duration {
        self.average
    }
}

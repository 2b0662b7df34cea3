//! BLUE's part of COBALT: a drop probability that overflows raise and an empty queue lowers.

use jettison_core::{Duration, Time};

/// Increment of the probability at an overflow.
pub const RISE: f64 = 1.0 / 256.0;
/// Decrement of the probability while the queue is empty.
pub const FALL: f64 = 1.0 / 4096.0;

/// The drop probability of one queue. Between two changes lies at least a `pause`, COBALT's target.
#[derive(Debug, Clone, Copy, Default)]
pub struct Blue {
    /// Drop probability.
    pub probability: f64,
    /// Time of the last change of the probability.
    pub changed: Option<Time>,
    /// Time at which the queue became empty, while its empty period has not been accounted for.
    pub empty_since: Option<Time>,
}

impl Blue {
    /// Raises the probability because the buffer overflowed.
    pub fn overflowed(&mut self, pause: Duration, now: Time) {
        self.filled(pause, now);
        if self.changed.is_none_or(|at| at.saturating_add(pause) <= now) {
            (self.probability, self.changed) = ((self.probability + RISE).min(1.0), Some(now));
        }
    }

    /// Records that the last packet left. The scheduler may not poll an empty queue again, so its empty period starts here.
    #[inline]
    pub fn emptied(&mut self, now: Time) {
        self.empty_since = Some(now);
    }

    /// Ends an empty period at the arrival of a packet; returns its start.
    #[inline]
    pub fn filled(&mut self, pause: Duration, arrival: Time) -> Option<Time> {
        let since = self.empty_since.take()?;
        self.fall(pause, since, arrival);
        Some(since)
    }

    /// Accounts for the empty period up to now, if there is one.
    #[inline]
    pub fn polled(&mut self, pause: Duration, now: Time) {
        if let Some(since) = self.empty_since {
            self.fall(pause, since, now);
        }
    }

    /// Lowers the probability for an empty period: once per `pause`, as if the queue had been polled continuously.
    #[inline]
    fn fall(&mut self, pause: Duration, since: Time, until: Time) {
        if self.probability == 0.0 {
            return;
        }
        let first = self.changed.map_or(since, |at| since.max(at.saturating_add(pause)));
        if until < first {
            return;
        }
        let further = until.since(first).as_nanos() / pause.as_nanos().max(1);
        self.probability = (self.probability - FALL * (further + 1) as f64).max(0.0);
        self.changed = Some(first.saturating_add(pause.saturating_mul(further)));
    }
}

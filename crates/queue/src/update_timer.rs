//! Periodic update timer of delay controllers.

use jettison_core::{Duration, Time};

/// A periodic timer with a fixed interval (RFC 8033 §4.2: T_UPDATE; RFC 9332 appendix A: Tupdate).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UpdateTimer {
    interval: Duration,
    next: Time,
}

impl UpdateTimer {
    /// Creates a timer whose first update is one `interval` after time zero; `interval` must be > 0.
    pub fn new(interval: Duration) -> UpdateTimer {
        UpdateTimer { interval, next: Time::ZERO.saturating_add(interval) }
    }

    /// Time of the next update.
    #[inline]
    pub fn next(&self) -> Time {
        self.next
    }

    /// Whether an update is due; if so, schedules the next one an interval later. Missed updates are not made up for.
    #[inline]
    pub fn is_due(&mut self, now: Time) -> bool {
        if now < self.next {
            return false;
        }
        let next = self.next.saturating_add(self.interval);
        self.next = if next > now { next } else { now.saturating_add(self.interval) };
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_due_once_per_interval_and_skips_missed_updates() {
        let mut timer = UpdateTimer::new(Duration::from_millis(15));
        let due = |timer: &mut UpdateTimer, ms| (timer.is_due(Time::from_millis(ms)), timer.next());
        assert_eq!(due(&mut timer, 14), (false, Time::from_millis(15)));
        assert_eq!(due(&mut timer, 15), (true, Time::from_millis(30)));
        // If late by less than an interval, the schedule is kept; otherwise it restarts.
        assert_eq!(due(&mut timer, 32), (true, Time::from_millis(45)));
        assert_eq!(due(&mut timer, 100), (true, Time::from_millis(115)));
    }
}

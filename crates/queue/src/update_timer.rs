//! When a controller of delay updates itself.

use jettison_core::{Duration, Time};

/// Updates at a fixed interval (RFC 8033 §4.2: T_UPDATE; RFC 9332 appendix A: Tupdate).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UpdateTimer {
    interval: Duration,
    next: Time,
}

impl UpdateTimer {
    /// The first update is one `interval`, which is above zero, after time zero.
    pub fn new(interval: Duration) -> UpdateTimer {
        UpdateTimer { interval, next: Time::ZERO.saturating_add(interval) }
    }

    /// When the next update is due.
    #[inline]
    pub fn next(&self) -> Time {
        self.next
    }

    /// Whether an update is due; if so, the next is an interval later. Asked late, it does not make up for updates that
    /// were missed.
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
    fn is_due_once_an_interval_and_forgets_what_it_missed() {
        let mut timer = UpdateTimer::new(Duration::from_millis(15));
        let due = |timer: &mut UpdateTimer, ms| (timer.is_due(Time::from_millis(ms)), timer.next());
        assert_eq!(due(&mut timer, 14), (false, Time::from_millis(15)));
        assert_eq!(due(&mut timer, 15), (true, Time::from_millis(30)));
        // A little late, the beat is kept; later than an interval, it starts anew.
        assert_eq!(due(&mut timer, 32), (true, Time::from_millis(45)));
        assert_eq!(due(&mut timer, 100), (true, Time::from_millis(115)));
    }
}

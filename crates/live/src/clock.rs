//! The one clock of a live run.

use jettison_core::Time;
use rustix::time::{ClockId, Timespec, clock_gettime};

/// CLOCK_MONOTONIC, counted from the run's start. A copy goes to every thread, so that all of them mean the same instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LiveClock {
    /// Nanoseconds of CLOCK_MONOTONIC at the start.
    origin: u64,
}

impl LiveClock {
    /// A clock that starts now.
    pub fn start() -> LiveClock {
        LiveClock { origin: monotonic() }
    }

    /// A clock that starts, or started, when CLOCK_MONOTONIC stood at `origin` nanoseconds.
    pub fn starting_at(origin: u64) -> LiveClock {
        LiveClock { origin }
    }

    /// What CLOCK_MONOTONIC stood at when this one started, in nanoseconds.
    pub fn origin(self) -> u64 {
        self.origin
    }

    /// Now; the start itself if that is still to come.
    #[inline]
    pub fn now(self) -> Time {
        Time::from_nanos(monotonic().saturating_sub(self.origin))
    }
}

#[inline]
fn monotonic() -> u64 {
    nanos(clock_gettime(ClockId::Monotonic))
}

/// A clock's reading in nanoseconds. Neither part is negative in a reading.
pub(crate) fn nanos(time: Timespec) -> u64 {
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_agree_and_never_go_back() {
        let clock = LiveClock::start();
        let copy = LiveClock::starting_at(clock.origin());
        let readings = [clock.now(), copy.now(), clock.now(), copy.now()];
        assert!(readings.is_sorted(), "{readings:?}");
        assert_eq!(LiveClock::starting_at(u64::MAX).now(), Time::ZERO);
    }
}

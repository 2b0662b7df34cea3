//! Real clocks: the clock of a live run, and the machine's clock for process deadlines. `clippy.toml` forbids them elsewhere.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use jettison_core::Time;
use rustix::time::{ClockId, Timespec, clock_gettime};

/// CLOCK_MONOTONIC relative to the start of the run. Every thread gets a copy, so that all agree on the time.
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

    /// A clock whose zero is `origin` nanoseconds of CLOCK_MONOTONIC, in the past or in the future.
    pub fn starting_at(origin: u64) -> LiveClock {
        LiveClock { origin }
    }

    /// CLOCK_MONOTONIC at this clock's zero, in nanoseconds.
    pub fn origin(self) -> u64 {
        self.origin
    }

    /// Current time; zero before the start.
    #[inline]
    pub fn now(self) -> Time {
        Time::from_nanos(monotonic().saturating_sub(self.origin))
    }
}

/// Current time of the machine's monotonic clock.
#[expect(clippy::disallowed_methods, reason = "processes are waited for in real time")]
pub fn now() -> Instant {
    Instant::now()
}

/// Time since 1970 by the machine's real-time clock; zero if the clock is set before 1970.
#[expect(clippy::disallowed_methods, reason = "results say when a live run began")]
pub fn unix_time() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// Puts the calling thread to sleep.
#[expect(clippy::disallowed_methods, reason = "processes are waited for in real time")]
pub fn sleep(duration: Duration) {
    std::thread::sleep(duration);
}

#[inline]
fn monotonic() -> u64 {
    nanos(clock_gettime(ClockId::Monotonic))
}

/// A clock reading in nanoseconds. Clock readings are never negative.
pub(crate) fn nanos(time: Timespec) -> u64 {
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_agree_and_are_monotonic() {
        let clock = LiveClock::start();
        let copy = LiveClock::starting_at(clock.origin());
        let readings = [clock.now(), copy.now(), clock.now(), copy.now()];
        assert!(readings.is_sorted(), "{readings:?}");
        assert_eq!(LiveClock::starting_at(u64::MAX).now(), Time::ZERO);
    }
}

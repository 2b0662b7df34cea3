//! The real clocks: a live run's own, and the machine's for deadlines of processes. Elsewhere `clippy.toml` forbids them.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

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

/// The machine's monotonic clock.
#[expect(clippy::disallowed_methods, reason = "processes are waited for in real time")]
pub fn now() -> Instant {
    Instant::now()
}

/// Time since 1970 by the machine's real-time clock; zero if that stands before.
#[expect(clippy::disallowed_methods, reason = "results say when a live run began")]
pub fn unix_time() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// Makes the calling thread wait.
#[expect(clippy::disallowed_methods, reason = "processes are waited for in real time")]
pub fn sleep(duration: Duration) {
    std::thread::sleep(duration);
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

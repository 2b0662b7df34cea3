//! Wall clock and CPU clock, used only to measure the duration of runs.

use jettison_core::Duration;
use rustix::time::{ClockId, clock_gettime};

/// A duration on both clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Elapsed {
    /// On the wall clock.
    pub wall: Duration,
    /// On the calling thread's CPU clock.
    pub cpu: Duration,
}

/// A start time on both clocks.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch {
    wall: Duration,
    cpu: Duration,
}

impl Stopwatch {
    /// Starts the stopwatch.
    pub fn start() -> Stopwatch {
        Stopwatch { wall: read(ClockId::Monotonic), cpu: read(ClockId::ThreadCPUTime) }
    }

    /// Time since the start. Must be called on the thread that started it.
    pub fn elapsed(&self) -> Elapsed {
        Elapsed {
            wall: read(ClockId::Monotonic).saturating_sub(self.wall),
            cpu: read(ClockId::ThreadCPUTime).saturating_sub(self.cpu),
        }
    }
}

fn read(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    Duration::from_secs(time.tv_sec as u64) + Duration::from_nanos(time.tv_nsec as u64)
}

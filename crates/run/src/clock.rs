//! The wall and the CPU clock: only here, and only to say how long a run took.

use jettison_core::Duration;
use rustix::time::{ClockId, clock_gettime};

/// How long something took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Took {
    /// By the wall clock.
    pub wall: Duration,
    /// On the calling thread's CPU clock.
    pub cpu: Duration,
}

/// Both clocks at one instant.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch {
    wall: Duration,
    cpu: Duration,
}

impl Stopwatch {
    /// Starts it.
    pub fn start() -> Stopwatch {
        Stopwatch { wall: read(ClockId::Monotonic), cpu: read(ClockId::ThreadCPUTime) }
    }

    /// What has passed since the start, on the thread that started it.
    pub fn elapsed(&self) -> Took {
        Took {
            wall: read(ClockId::Monotonic).saturating_sub(self.wall),
            cpu: read(ClockId::ThreadCPUTime).saturating_sub(self.cpu),
        }
    }
}

fn read(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    Duration::from_secs(time.tv_sec as u64) + Duration::from_nanos(time.tv_nsec as u64)
}

//! CPU clock of the benchmarks, which reduces the influence of other processes.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// CPU time of the calling thread since the stopwatch's start.
#[derive(Debug, Clone, Copy)]
pub(super) struct CpuStopwatch(Duration);

impl CpuStopwatch {
    /// Starts a stopwatch.
    pub fn start() -> CpuStopwatch {
        CpuStopwatch(read())
    }

    /// CPU time since the start, on the starting thread.
    pub fn elapsed(&self) -> Duration {
        read().saturating_sub(self.0)
    }
}

fn read() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    // Clock readings are never negative, and the second part is below one second.
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

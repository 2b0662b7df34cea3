//! The CPU clock: the one clock of the benchmarks, so that other processes of the machine count for less.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// CPU time of the calling thread since an instant.
#[derive(Debug, Clone, Copy)]
pub(super) struct CpuStopwatch(Duration);

impl CpuStopwatch {
    /// A stopwatch that starts now.
    pub fn start() -> CpuStopwatch {
        CpuStopwatch(read())
    }

    /// CPU time since the start, on the thread that started it.
    pub fn elapsed(&self) -> Duration {
        read().saturating_sub(self.0)
    }
}

fn read() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    // Neither part of a reading is negative, and the second is less than a second.
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

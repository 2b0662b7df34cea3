//! Processor time of the router's thread.

use jettison_core::Duration;
use rustix::time::{ClockId, clock_gettime};

use crate::clock::nanos;

/// Processor time of the calling thread so far.
pub(super) fn cpu_time() -> Duration {
    Duration::from_nanos(nanos(clock_gettime(ClockId::ThreadCPUTime)))
}

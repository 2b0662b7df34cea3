//! Scheduling of the router's thread.

#![allow(unsafe_code, reason = "prctl")]

use std::io;

use jettison_core::Duration;
use rustix::time::{ClockId, clock_gettime};

use super::Scheduling;
use crate::clock::nanos;

/// Guard that changes the calling thread's scheduling and restores it when dropped: a run must not leave its caller's thread
/// with real-time priority.
#[derive(Debug)]
pub(super) struct RealTime {
    scheduling: Scheduling,
}

impl RealTime {
    /// Gives the calling thread real-time priority if one is requested and permitted. Also sets the minimum timer slack,
    /// since the default delays wakeups by up to 50 µs (PR_SET_TIMERSLACK of prctl(2)).
    pub fn enter(priority: Option<u8>) -> RealTime {
        // SAFETY: PR_SET_TIMERSLACK takes an integer and touches no memory. It accepts every value above zero.
        unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1 as libc::c_ulong) };
        let scheduling = match priority {
            None => Scheduling::Normal("real-time scheduling was not requested".to_owned()),
            Some(priority) => match schedule(libc::SCHED_FIFO, priority) {
                Ok(()) => Scheduling::Fifo(priority),
                Err(error) => {
                    Scheduling::Normal(format!("SCHED_FIFO with priority {priority} was rejected: {error}"))
                }
            },
        };
        RealTime { scheduling }
    }

    /// The resulting scheduling.
    pub fn scheduling(&self) -> &Scheduling {
        &self.scheduling
    }
}

impl Drop for RealTime {
    fn drop(&mut self) {
        if matches!(self.scheduling, Scheduling::Fifo(_)) {
            // Returning to the normal class is always permitted.
            let _ = schedule(libc::SCHED_OTHER, 0);
        }
        // SAFETY: as above; zero restores the thread's default.
        unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 0 as libc::c_ulong) };
    }
}

fn schedule(policy: libc::c_int, priority: u8) -> io::Result<()> {
    let parameters = libc::sched_param { sched_priority: priority.into() };
    // With SCHED_RESET_ON_FORK, processes started from this thread have normal scheduling.
    // SAFETY: the kernel reads one `sched_param`; 0 is the calling thread.
    let result = unsafe { libc::sched_setscheduler(0, policy | libc::SCHED_RESET_ON_FORK, &parameters) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Processor time of the calling thread so far.
pub(super) fn cpu_time() -> Duration {
    Duration::from_nanos(nanos(clock_gettime(ClockId::ThreadCPUTime)))
}

//! What the router's thread asks of the kernel's scheduler.

use std::io;

use jettison_core::Duration;
use rustix::time::{ClockId, clock_gettime};

use super::Scheduling;
use crate::clock::nanos;

/// The scheduling that the calling thread had, given back when this is dropped: a run must not leave its caller's thread in
/// front of everybody else's.
#[derive(Debug)]
pub(super) struct RealTime {
    scheduling: Scheduling,
}

impl RealTime {
    /// Puts the calling thread in front of all normal ones, if a priority is asked for and the kernel permits. Also wakes it
    /// as exactly as timers are: a thread's wake-ups are put off by up to 50 µs otherwise (PR_SET_TIMERSLACK of prctl(2)).
    pub fn enter(priority: Option<u8>) -> RealTime {
        // SAFETY: PR_SET_TIMERSLACK takes one number and touches no memory. It fails for no value above zero.
        unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1 as libc::c_ulong) };
        let scheduling = match priority {
            None => Scheduling::Normal("real-time scheduling was not asked for".to_owned()),
            Some(priority) => match schedule(libc::SCHED_FIFO, priority) {
                Ok(()) => Scheduling::Fifo(priority),
                Err(error) => {
                    Scheduling::Normal(format!("SCHED_FIFO with priority {priority} was refused: {error}"))
                }
            },
        };
        RealTime { scheduling }
    }

    /// What came of it.
    pub fn scheduling(&self) -> &Scheduling {
        &self.scheduling
    }
}

impl Drop for RealTime {
    fn drop(&mut self) {
        if matches!(self.scheduling, Scheduling::Fifo(_)) {
            // It was permitted to leave the normal class; going back always is.
            let _ = schedule(libc::SCHED_OTHER, 0);
        }
        // SAFETY: as above; zero gives the thread its default back.
        unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 0 as libc::c_ulong) };
    }
}

fn schedule(policy: libc::c_int, priority: u8) -> io::Result<()> {
    let parameters = libc::sched_param { sched_priority: priority.into() };
    // Processes started from this thread are normal ones.
    // SAFETY: the kernel reads one `sched_param`; 0 is the calling thread.
    let result = unsafe { libc::sched_setscheduler(0, policy | libc::SCHED_RESET_ON_FORK, &parameters) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Processor time of the calling thread so far.
pub(super) fn cpu_time() -> Duration {
    Duration::from_nanos(nanos(clock_gettime(ClockId::ThreadCPUTime)))
}

//! Scheduling of the threads of a run, and of its programs.
//!
//! The router has the highest priority, then the built-in hosts, then the supervising thread, then programs: a thread that waits
//! for packets never delays the thread that carries them. Our threads have SCHED_FIFO (sched(7)); they sleep until something is due, so that
//! nothing is gained by sharing time among them. Programs have SCHED_RR, since several may compute at once.

#![allow(unsafe_code, reason = "prctl and sched_setscheduler")]

use std::fs;
use std::io;

/// Priorities of SCHED_FIFO and SCHED_RR, 1 to 99. The kernel's own threads for interrupts have 50.
pub mod priority {
    /// The router.
    pub const ROUTER: u8 = 50;
    /// The built-in applications.
    pub const HOSTS: u8 = 40;
    /// The thread that starts and ends programs.
    pub const SUPERVISOR: u8 = 30;
    /// Programs.
    pub const PROGRAMS: u8 = 10;
}

/// Scheduling of a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scheduling {
    /// SCHED_FIFO with this priority: the thread runs as soon as it is runnable.
    Fifo(u8),
    /// Normal scheduling, with the reason.
    Normal(String),
}

/// Guard that changes the calling thread's scheduling and restores it when dropped: a run must not leave its caller's thread
/// with real-time priority.
#[derive(Debug)]
pub struct RealTime {
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
            // With SCHED_RESET_ON_FORK, processes started from this thread have normal scheduling.
            Some(priority) => match schedule(0, libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK, priority) {
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
            // Returning to the normal class is always permitted, removing SCHED_RESET_ON_FORK is not.
            let _ = schedule(0, libc::SCHED_OTHER | libc::SCHED_RESET_ON_FORK, 0);
        }
        // SAFETY: as above; zero restores the thread's default.
        unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 0 as libc::c_ulong) };
    }
}

/// Gives the calling thread SCHED_RR, which its children inherit. Makes one system call and touches neither locks nor the heap.
pub(crate) fn enter_round_robin(priority: u8) -> io::Result<()> {
    schedule(0, libc::SCHED_RR, priority)
}

/// Returns a thread of a program to normal scheduling.
pub(crate) fn make_normal(thread: libc::pid_t) -> io::Result<()> {
    schedule(thread, libc::SCHED_OTHER, 0)
}

fn schedule(thread: libc::pid_t, policy: libc::c_int, priority: u8) -> io::Result<()> {
    let parameters = libc::sched_param { sched_priority: priority.into() };
    // SAFETY: the kernel reads one `sched_param`, which outlives the call.
    let result = unsafe { libc::sched_setscheduler(thread, policy, &parameters) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// The priority for programs, or the reason why they must not have one: a program may compute without end, and if the kernel
/// keeps no time for others (`kernel.sched_rt_runtime_us`), it would take the machine.
///
/// # Errors
/// The reason.
pub fn programs_priority() -> Result<u8, String> {
    let read = |name: &str| -> Option<i64> {
        fs::read_to_string(format!("/proc/sys/kernel/sched_rt_{name}_us")).ok()?.trim().parse().ok()
    };
    reserves(read("runtime"), read("period")).map(|()| priority::PROGRAMS)
}

fn reserves(runtime: Option<i64>, period: Option<i64>) -> Result<(), String> {
    match (runtime, period) {
        (Some(runtime), Some(period)) if (0..period).contains(&runtime) => Ok(()),
        (Some(runtime), _) => Err(format!(
            "kernel.sched_rt_runtime_us is {runtime}, which keeps no processor time for other processes"
        )),
        (None, _) => Err("this kernel has no kernel.sched_rt_runtime_us".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_need_a_kernel_that_keeps_time_for_others() {
        assert_eq!(reserves(Some(950_000), Some(1_000_000)), Ok(()));
        for runtime in [-1, 1_000_000] {
            let why = reserves(Some(runtime), Some(1_000_000)).unwrap_err();
            assert!(why.contains(&format!("is {runtime},")), "{why}");
        }
        assert!(reserves(None, None).is_err());
    }

    #[test]
    fn a_thread_gets_its_scheduling_back() {
        let policy = || {
            // SAFETY: takes a thread id; 0 is the calling thread.
            unsafe { libc::sched_getscheduler(0) }
        };
        std::thread::spawn(move || {
            let before = policy();
            let real_time = RealTime::enter(Some(1));
            match real_time.scheduling() {
                Scheduling::Fifo(1) => {
                    assert_eq!(policy(), libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK);
                }
                other => assert!(matches!(other, Scheduling::Normal(why) if why.contains("rejected"))),
            }
            drop(real_time);
            assert_eq!(policy() & !libc::SCHED_RESET_ON_FORK, before);
            let normal = RealTime::enter(None);
            assert!(matches!(normal.scheduling(), Scheduling::Normal(_)));
        })
        .join()
        .unwrap();
    }
}

//! Time and readiness, as the kernel has them or as a test tells them.

use std::os::fd::{AsFd, AsRawFd};
use std::ptr;

use jettison_core::{Duration, Time};

use super::Control;
use crate::LiveClock;

/// What the loop knows of the world around it.
pub(super) trait Surroundings {
    /// Now.
    fn now(&mut self) -> Time;

    /// Waits until `until`, until a port can be read or until somebody says something; not at all if `until` has passed. Sets
    /// `readable` of the ports that can be read, and leaves it set where it is.
    ///
    /// # Errors
    /// The number of a port that is broken.
    fn wait(&mut self, until: Time, readable: &mut [bool]) -> Result<(), usize>;
}

/// The real ones.
pub(super) struct Kernel {
    clock: LiveClock,
    spin: Duration,
    /// The ports' descriptors, then the control's.
    descriptors: Vec<libc::pollfd>,
    pub sleeps: u64,
}

impl Kernel {
    /// Waits for these devices, which outlive it.
    pub fn new<'a, D: AsFd + 'a>(
        clock: LiveClock,
        spin: Duration,
        devices: impl Iterator<Item = &'a D>,
        control: &Control,
    ) -> Kernel {
        let descriptor = |fd: i32| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
        let mut descriptors: Vec<libc::pollfd> =
            devices.map(|device| descriptor(device.as_fd().as_raw_fd())).collect();
        descriptors.push(descriptor(control.fd().as_raw_fd()));
        Kernel { clock, spin, descriptors, sleeps: 0 }
    }

    /// Polls for at most `timeout`; gives whether anything is ready.
    fn poll(&mut self, timeout: Duration) -> bool {
        let nanos = timeout.as_nanos();
        let timeout = libc::timespec {
            tv_sec: (nanos / 1_000_000_000) as libc::time_t,
            tv_nsec: (nanos % 1_000_000_000) as libc::c_long,
        };
        let count = self.descriptors.len() as libc::nfds_t;
        // SAFETY: the kernel writes to the array of `count` descriptors and reads the timeout; both live across the call.
        let ready = unsafe { libc::ppoll(self.descriptors.as_mut_ptr(), count, &timeout, ptr::null()) };
        // A signal (EINTR) is a wake-up like any other: the caller looks at the clock and comes again.
        ready > 0
    }
}

impl Surroundings for Kernel {
    #[inline]
    fn now(&mut self) -> Time {
        self.clock.now()
    }

    fn wait(&mut self, until: Time, readable: &mut [bool]) -> Result<(), usize> {
        let left = until.since(self.clock.now());
        let sleep = left.saturating_sub(self.spin);
        self.sleeps += u64::from(!sleep.is_zero());
        if !self.poll(sleep) {
            while self.clock.now() < until && until.since(self.clock.now()) <= self.spin {
                std::hint::spin_loop();
            }
            return Ok(());
        }
        for (index, (descriptor, readable)) in self.descriptors.iter().zip(readable).enumerate() {
            *readable |= descriptor.revents != 0;
            if descriptor.revents & (libc::POLLERR | libc::POLLNVAL | libc::POLLHUP) != 0 {
                return Err(index);
            }
        }
        Ok(())
    }
}

//! Time and readiness, from the kernel or from a test script.

#![allow(unsafe_code, reason = "ppoll")]

use std::os::fd::{AsFd, AsRawFd};
use std::ptr;

use jettison_core::{Duration, Time};

use super::Control;
use crate::LiveClock;

/// Clock and devices of the event loop.
pub(super) trait Environment {
    /// Current time.
    fn now(&mut self) -> Time;

    /// Waits until `until`, until a port is readable or until a stop is requested; returns at once if `until` has passed. Sets
    /// `readable` for the readable ports and does not clear it for others.
    ///
    /// # Errors
    /// The index of a failed port.
    fn wait(&mut self, until: Time, readable: &mut [bool]) -> Result<(), usize>;
}

/// The kernel's clock and devices.
pub(super) struct Kernel {
    clock: LiveClock,
    spin: Duration,
    /// Descriptors of the ports, followed by the control's.
    descriptors: Vec<libc::pollfd>,
    pub sleeps: u64,
}

impl Kernel {
    /// Creates the environment for these devices, which must outlive it.
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

    /// Polls for at most `timeout`. Returns whether any descriptor is ready.
    fn poll(&mut self, timeout: Duration) -> bool {
        let nanos = timeout.as_nanos();
        let timeout = libc::timespec {
            tv_sec: (nanos / 1_000_000_000) as libc::time_t,
            tv_nsec: (nanos % 1_000_000_000) as libc::c_long,
        };
        let count = self.descriptors.len() as libc::nfds_t;
        // SAFETY: the kernel writes to the array of `count` descriptors and reads the timeout; both live across the call.
        let ready = unsafe { libc::ppoll(self.descriptors.as_mut_ptr(), count, &timeout, ptr::null()) };
        // A signal (EINTR) counts as a wakeup: the caller checks the clock and waits again.
        ready > 0
    }
}

impl Environment for Kernel {
    #[inline]
    fn now(&mut self) -> Time {
        self.clock.now()
    }

    fn wait(&mut self, until: Time, readable: &mut [bool]) -> Result<(), usize> {
        let left = until.since(self.clock.now());
        let sleep = left.saturating_sub(self.spin);
        self.sleeps += u64::from(!sleep.is_zero());
        if !self.poll(sleep) {
            // The poll ends early by the spin time: wait actively for the exact time.
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

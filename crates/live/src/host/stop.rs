//! A flag that wakes who sleeps.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, Ordering};

use nix::sys::eventfd::{EfdFlags, EventFd};

/// Tells a loop from outside that it is to end. The descriptor becomes readable when it does, and stays so.
#[derive(Debug)]
pub struct Stop {
    flag: AtomicBool,
    event: EventFd,
}

impl Stop {
    /// Not stopped yet.
    ///
    /// # Errors
    /// If there is no descriptor to be had.
    pub fn new() -> io::Result<Stop> {
        let event = EventFd::from_flags(EfdFlags::EFD_CLOEXEC | EfdFlags::EFD_NONBLOCK)?;
        Ok(Stop { flag: AtomicBool::new(false), event })
    }

    /// The loop is to end.
    pub fn stop(&self) {
        self.flag.store(true, Ordering::Release);
        // Full means that it is readable already.
        let _ = self.event.write(1);
    }

    /// Whether it is.
    pub fn is_stopped(&self) -> bool {
        self.flag.load(Ordering::Acquire)
    }
}

impl AsFd for Stop {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.event.as_fd()
    }
}

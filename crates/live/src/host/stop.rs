//! Stop request that wakes a sleeping loop.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, Ordering};

use nix::sys::eventfd::{EfdFlags, EventFd};

/// Stop request to a loop from another thread. Its descriptor becomes readable at the request, and stays so.
#[derive(Debug)]
pub struct Stop {
    flag: AtomicBool,
    event: EventFd,
}

impl Stop {
    /// Creates a request that was not made yet.
    ///
    /// # Errors
    /// If no descriptor is available.
    pub fn new() -> io::Result<Stop> {
        let event = EventFd::from_flags(EfdFlags::EFD_CLOEXEC | EfdFlags::EFD_NONBLOCK)?;
        Ok(Stop { flag: AtomicBool::new(false), event })
    }

    /// Requests the stop.
    pub fn stop(&self) {
        self.flag.store(true, Ordering::Release);
        // A full counter means that the descriptor is readable already.
        let _ = self.event.write(1);
    }

    /// Whether the stop was requested.
    pub fn is_stopped(&self) -> bool {
        self.flag.load(Ordering::Acquire)
    }
}

impl AsFd for Stop {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.event.as_fd()
    }
}

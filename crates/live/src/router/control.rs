//! Stopping a router from another thread.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::event::{EventfdFlags, eventfd};
use rustix::io;

/// Tells a running router to stop. Clones mean the same router.
#[derive(Debug, Clone)]
pub struct Control {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    stop: AtomicBool,
    /// Readable once something was said, so that a sleeper wakes.
    wake: OwnedFd,
}

impl Control {
    /// A control that has said nothing.
    ///
    /// # Errors
    /// If the process has no file descriptor left.
    pub fn new() -> std::io::Result<Control> {
        let wake = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Control { inner: Arc::new(Inner { stop: AtomicBool::new(false), wake }) })
    }

    /// The router stops at once; what is in its queues stays there.
    pub fn stop(&self) {
        self.inner.stop.store(true, Ordering::Release);
        // The counter is at most full of earlier calls: then it wakes the sleeper already.
        let _ = io::write(&self.inner.wake, &1u64.to_ne_bytes());
    }

    /// Whether [`Control::stop`] was called.
    pub fn is_stopped(&self) -> bool {
        self.inner.stop.load(Ordering::Acquire)
    }

    /// What to poll beside the devices.
    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.inner.wake.as_fd()
    }
}

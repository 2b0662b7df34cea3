//! Requests to a router from other threads.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::event::{EventfdFlags, eventfd};
use rustix::io;

/// Handle to stop a running router. Clones refer to the same router.
#[derive(Debug, Clone)]
pub struct Control {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    stop: AtomicBool,
    /// Whether the controller of switches has something to do.
    nudge: AtomicBool,
    /// Readable after a request, to wake a sleeping thread.
    wake: OwnedFd,
}

impl Control {
    /// Creates a control without a request.
    ///
    /// # Errors
    /// If no file descriptor is available.
    pub fn new() -> std::io::Result<Control> {
        let wake = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Control {
            inner: Arc::new(Inner { stop: AtomicBool::new(false), nudge: AtomicBool::new(false), wake }),
        })
    }

    /// Stops the router at once; packets stay in its queues.
    pub fn stop(&self) {
        self.inner.stop.store(true, Ordering::Release);
        // A full counter means that earlier calls have already made the descriptor readable.
        let _ = io::write(&self.inner.wake, &1u64.to_ne_bytes());
    }

    /// Has the router call its world's controller of switches as soon as it can.
    pub fn nudge(&self) {
        self.inner.nudge.store(true, Ordering::Release);
        let _ = io::write(&self.inner.wake, &1u64.to_ne_bytes());
    }

    /// Whether [`Control::nudge`] was called since the last call of this function.
    #[inline]
    pub(super) fn take_nudge(&self) -> bool {
        if !self.inner.nudge.load(Ordering::Relaxed) {
            return false;
        }
        // The descriptor first: a request in between is then seen here, or leaves the descriptor readable.
        let _ = io::read(&self.inner.wake, &mut [0; 8]);
        self.inner.nudge.swap(false, Ordering::AcqRel)
    }

    /// Whether [`Control::stop`] was called.
    pub fn is_stopped(&self) -> bool {
        self.inner.stop.load(Ordering::Acquire)
    }

    /// Descriptor to poll together with the devices.
    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.inner.wake.as_fd()
    }
}

//! `epoll` with nanosecond timeouts.

#![allow(unsafe_code, reason = "epoll")]

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use jettison_core::Duration;

/// Readiness of a socket, or the readiness to wait for: `EPOLLIN` and `EPOLLOUT`. Errors are always reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Readiness(u32);

impl Readiness {
    pub(super) const NONE: Readiness = Readiness(0);
    pub(super) const IN: Readiness = Readiness(libc::EPOLLIN as u32);
    pub(super) const OUT: Readiness = Readiness(libc::EPOLLOUT as u32);

    pub(super) fn with(self, other: Readiness, condition: bool) -> Readiness {
        if condition { Readiness(self.0 | other.0) } else { self }
    }
    pub(super) fn is_in(self) -> bool {
        self.0 & (libc::EPOLLIN | libc::EPOLLHUP | libc::EPOLLRDHUP) as u32 != 0
    }
    pub(super) fn is_out(self) -> bool {
        self.0 & libc::EPOLLOUT as u32 != 0
    }
    /// Whether the socket has an error or is shut down in both directions.
    pub(super) fn is_over(self) -> bool {
        self.0 & (libc::EPOLLERR | libc::EPOLLHUP) as u32 != 0
    }
}

/// Level-triggered `epoll` instance.
#[derive(Debug)]
pub(super) struct Poller {
    epoll: OwnedFd,
    events: Vec<libc::epoll_event>,
    ready: usize,
}

/// Maximum number of events per wait.
const BATCH: usize = 256;

impl Poller {
    pub(super) fn new() -> io::Result<Poller> {
        // SAFETY: no pointers are passed; a returned descriptor is new and owned by us.
        let epoll = unsafe {
            let fd = libc::epoll_create1(libc::EPOLL_CLOEXEC);
            if fd < 0 {
                return Err(io::Error::last_os_error());
            }
            OwnedFd::from_raw_fd(fd)
        };
        Ok(Poller { epoll, events: vec![libc::epoll_event { events: 0, u64: 0 }; BATCH], ready: 0 })
    }

    pub(super) fn add(&self, fd: BorrowedFd<'_>, token: u64, interest: Readiness) -> io::Result<()> {
        self.control(libc::EPOLL_CTL_ADD, fd, token, interest)
    }
    pub(super) fn change(&self, fd: BorrowedFd<'_>, token: u64, interest: Readiness) -> io::Result<()> {
        self.control(libc::EPOLL_CTL_MOD, fd, token, interest)
    }
    pub(super) fn remove(&self, fd: BorrowedFd<'_>) -> io::Result<()> {
        self.control(libc::EPOLL_CTL_DEL, fd, 0, Readiness::NONE)
    }

    fn control(&self, operation: i32, fd: BorrowedFd<'_>, token: u64, interest: Readiness) -> io::Result<()> {
        let mut event = libc::epoll_event { events: interest.0, u64: token };
        // SAFETY: both descriptors are open while borrowed, and `event` outlives the call, which only reads it.
        let result =
            unsafe { libc::epoll_ctl(self.epoll.as_raw_fd(), operation, fd.as_raw_fd(), &raw mut event) };
        if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    /// Sleeps until a socket is ready or the timeout expires. Returns the number of ready sockets.
    pub(super) fn wait(&mut self, timeout: Duration) -> io::Result<usize> {
        let nanos = timeout.as_nanos();
        let timeout = libc::timespec {
            tv_sec: (nanos / 1_000_000_000) as libc::time_t,
            tv_nsec: (nanos % 1_000_000_000) as libc::c_long,
        };
        self.ready = 0;
        // SAFETY: `events` has room for `BATCH` entries and `timeout` outlives the call; the signal mask is null, as the
        // manual page allows, which makes its size irrelevant.
        let count = unsafe {
            libc::syscall(
                libc::SYS_epoll_pwait2,
                self.epoll.as_raw_fd(),
                self.events.as_mut_ptr(),
                BATCH as libc::c_int,
                &raw const timeout,
                std::ptr::null::<libc::sigset_t>(),
                0_usize,
            )
        };
        if count < 0 {
            let error = io::Error::last_os_error();
            return if error.kind() == io::ErrorKind::Interrupted { Ok(0) } else { Err(error) };
        }
        self.ready = count as usize;
        Ok(self.ready)
    }

    /// Event number `at` of the last wait.
    pub(super) fn ready(&self, at: usize) -> Option<(u64, Readiness)> {
        let event = self.events[..self.ready].get(at)?;
        Some((event.u64, Readiness(event.events)))
    }
}

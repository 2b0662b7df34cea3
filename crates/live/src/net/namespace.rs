//! A network namespace with the lifetime of a file descriptor.

use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd};
use std::panic::resume_unwind;
use std::path::Path;
use std::thread;

use nix::errno::Errno;
use nix::sched::{CloneFlags, setns, unshare};

use super::{interface, sysctl};
use crate::LiveError;

/// Network namespace of the calling thread; `/proc/self` is that of the process's first thread.
const OWN: &str = "/proc/thread-self/ns/net";

/// A network namespace without a name or process. It ends with this value and with its last socket, device and thread
/// (network_namespaces(7)).
#[derive(Debug)]
pub struct Namespace {
    file: File,
}

impl Namespace {
    /// Creates a namespace in which loopback is up and nothing is sent by the kernel itself: devices created in it get no IPv6
    /// link-local address, solicit no routers and probe no addresses.
    pub fn new() -> Result<Self, LiveError> {
        in_temporary_thread(|| {
            unshare(CloneFlags::CLONE_NEWNET).map_err(|errno| {
                let hint = match errno {
                    Errno::ENOSPC => " (limited by sysctl user.max_net_namespaces)",
                    _ => "",
                };
                LiveError::system(format!("cannot create a network namespace{hint}"))(errno)
            })?;
            interface::bring_up("lo").map_err(LiveError::system("cannot bring up the loopback device"))?;
            if Path::new("/proc/sys/net/ipv6").exists() {
                for device in ["all", "default"] {
                    sysctl::silence(device)?;
                }
            }
            Self::current()
        })
    }

    /// The calling thread's namespace.
    pub fn current() -> Result<Self, LiveError> {
        let file = File::open(OWN).map_err(LiveError::system(format!("cannot open {OWN}")))?;
        Ok(Self { file })
    }

    /// Runs `work` in a separate thread in this namespace. The calling thread stays in its own.
    pub fn enter<R: Send>(&self, work: impl FnOnce() -> R + Send) -> Result<R, LiveError> {
        in_temporary_thread(|| {
            self.join()?;
            Ok(work())
        })
    }

    /// Moves the calling thread into this namespace until the returned value is dropped. For threads that open many sockets;
    /// for occasional work [`Namespace::enter`] is safer.
    pub fn within(&self) -> Result<Within, LiveError> {
        let home = Self::current()?;
        self.join()?;
        Ok(Within { home, not_send: std::marker::PhantomData })
    }

    /// Another handle of the same namespace.
    pub fn try_clone(&self) -> Result<Self, LiveError> {
        let file = self.file.try_clone().map_err(LiveError::system("cannot duplicate a descriptor"))?;
        Ok(Self { file })
    }

    /// The descriptor that keeps the namespace alive.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// Inode that identifies the namespace: the number in `net:[4026531833]`.
    pub fn inode(&self) -> Result<u64, LiveError> {
        use std::os::unix::fs::MetadataExt;
        Ok(self.file.metadata().map_err(LiveError::system("cannot read a network namespace"))?.ino())
    }

    fn join(&self) -> Result<(), LiveError> {
        setns(&self.file, CloneFlags::CLONE_NEWNET)
            .map_err(LiveError::system("cannot enter a network namespace"))
    }
}

/// Stay of the calling thread in another namespace; see [`Namespace::within`].
#[must_use = "the thread returns when this is dropped"]
#[derive(Debug)]
pub struct Within {
    home: Namespace,
    // A raw pointer keeps the value on its thread: it must not be dropped by another thread.
    not_send: std::marker::PhantomData<*const ()>,
}

impl Drop for Within {
    fn drop(&mut self) {
        // Continuing in the wrong namespace would affect another host's network, or the machine's.
        self.home.join().expect("a thread may return to its original namespace");
    }
}

/// Runs `work` in a temporary thread, which may end in any namespace.
fn in_temporary_thread<R: Send>(work: impl FnOnce() -> Result<R, LiveError> + Send) -> Result<R, LiveError> {
    thread::scope(|scope| {
        thread::Builder::new()
            .name("netns".into())
            .spawn_scoped(scope, work)
            .map_err(LiveError::system("cannot start a thread"))?
            .join()
            .unwrap_or_else(|panic| resume_unwind(panic))
    })
}

//! A network namespace that lives as long as a file descriptor.

use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd};
use std::panic::resume_unwind;
use std::path::Path;
use std::thread;

use nix::errno::Errno;
use nix::sched::{CloneFlags, setns, unshare};

use super::{interface, sysctl};
use crate::LiveError;

/// The calling thread's network namespace. Not `/proc/self`, which is the process's first thread.
const OWN: &str = "/proc/thread-self/ns/net";

/// A network namespace. It has no name and no process of its own: it ends with this value, and with the sockets, devices
/// and threads that are in it (network_namespaces(7)).
#[derive(Debug)]
pub struct Namespace {
    file: File,
}

impl Namespace {
    /// A fresh namespace in which loopback is up and nothing sends of its own accord: devices made in it later get no
    /// IPv6 link-local address, solicit no routers and probe no addresses.
    pub fn new() -> Result<Self, LiveError> {
        scratch(|| {
            unshare(CloneFlags::CLONE_NEWNET).map_err(|errno| {
                let hint = match errno {
                    Errno::ENOSPC => " (there are as many as sysctl user.max_net_namespaces allows)",
                    _ => "",
                };
                LiveError::system(format!("a network namespace could not be made{hint}"))(errno)
            })?;
            interface::turn_on("lo").map_err(LiveError::system("loopback could not be set up"))?;
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
        let file = File::open(OWN).map_err(LiveError::system(format!("{OWN} could not be opened")))?;
        Ok(Self { file })
    }

    /// Runs `work` in a thread that is in this namespace. The calling thread stays where it is.
    pub fn enter<R: Send>(&self, work: impl FnOnce() -> R + Send) -> Result<R, LiveError> {
        scratch(|| {
            self.join()?;
            Ok(work())
        })
    }

    /// Takes the calling thread into this namespace until the answer is dropped. For threads that open many sockets; work
    /// done now and then is safer with [`Namespace::enter`].
    pub fn within(&self) -> Result<Within, LiveError> {
        let home = Self::current()?;
        self.join()?;
        Ok(Within { home, stays: std::marker::PhantomData })
    }

    /// The same namespace, held once more.
    pub fn try_clone(&self) -> Result<Self, LiveError> {
        let file = self.file.try_clone().map_err(LiveError::system("a descriptor could not be copied"))?;
        Ok(Self { file })
    }

    /// The descriptor that keeps the namespace alive.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// The inode that the kernel knows the namespace by: the number in `net:[4026531833]`.
    pub fn inode(&self) -> Result<u64, LiveError> {
        use std::os::unix::fs::MetadataExt;
        Ok(self.file.metadata().map_err(LiveError::system("a network namespace could not be read"))?.ino())
    }

    fn join(&self) -> Result<(), LiveError> {
        setns(&self.file, CloneFlags::CLONE_NEWNET)
            .map_err(LiveError::system("a network namespace could not be entered"))
    }
}

/// A visit of the calling thread to another namespace; [`Namespace::within`].
#[must_use = "the thread goes back when this is dropped"]
#[derive(Debug)]
pub struct Within {
    home: Namespace,
    // A raw pointer keeps the value on its thread: another thread must not be taken home in its place.
    stays: std::marker::PhantomData<*const ()>,
}

impl Drop for Within {
    fn drop(&mut self) {
        // A thread that goes on in the wrong namespace would touch another host's network, or the machine's.
        self.home.join().expect("a thread may return to the namespace that it came from");
    }
}

/// Runs `work` in a thread of its own, whose namespace nobody misses.
fn scratch<R: Send>(work: impl FnOnce() -> Result<R, LiveError> + Send) -> Result<R, LiveError> {
    thread::scope(|scope| {
        thread::Builder::new()
            .name("netns".into())
            .spawn_scoped(scope, work)
            .map_err(LiveError::system("a thread could not be started"))?
            .join()
            .unwrap_or_else(|panic| resume_unwind(panic))
    })
}

//! Network namespace of the thread. A socket belongs for good to the namespace in which it was created.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;

use nix::sched::{CloneFlags, setns};

/// Moves its thread between namespaces. The thread stays in a namespace until another one is required.
#[derive(Debug)]
pub(super) struct Namespaces {
    hosts: Vec<Arc<OwnedFd>>,
    /// The thread's original namespace, opened at the first move.
    home: Option<File>,
    current: Option<usize>,
}

impl Namespaces {
    pub(super) fn new(hosts: Vec<Arc<OwnedFd>>) -> Namespaces {
        Namespaces { hosts, home: None, current: None }
    }

    /// Moves the calling thread into a host's namespace.
    pub(super) fn enter(&mut self, host: usize) -> io::Result<()> {
        if self.current == Some(host) {
            return Ok(());
        }
        if self.home.is_none() {
            self.home = Some(File::open("/proc/thread-self/ns/net")?);
        }
        let namespace = self.hosts.get(host).ok_or(io::ErrorKind::NotFound)?;
        setns(namespace.as_fd(), CloneFlags::CLONE_NEWNET)?;
        self.current = Some(host);
        Ok(())
    }

    /// Moves the thread back to its original namespace.
    pub(super) fn leave(&mut self) -> io::Result<()> {
        if self.current.take().is_some()
            && let Some(home) = &self.home
        {
            setns(home.as_fd(), CloneFlags::CLONE_NEWNET)?;
        }
        Ok(())
    }
}

//! The run's side of its line to the command.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use nix::errno::Errno;
use nix::sys::socket::{MsgFlags, recv};

use super::{frame, mounts};
use crate::LiveError;
use crate::net::Namespace;

/// What a run's work has of the world: a line to the command, and what its process was made with. Clones share the line,
/// so any thread may send.
#[derive(Debug, Clone)]
pub struct Link {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    stream: UnixStream,
    /// Held while a frame is written, so that frames of two threads don't mix.
    writing: Mutex<()>,
    stop: AtomicBool,
    machine: Option<Namespace>,
}

impl Link {
    pub(super) fn new(stream: UnixStream, machine: Option<Namespace>) -> Self {
        let shared = Shared { stream, writing: Mutex::new(()), stop: AtomicBool::new(false), machine };
        Self { shared: Arc::new(shared) }
    }

    /// Sends one message. It waits while the command is busy with earlier ones.
    ///
    /// # Errors
    /// The command is gone.
    pub fn send(&self, message: &[u8]) -> io::Result<()> {
        self.frame(frame::MESSAGE, message)
    }

    /// Whether the run is to end: the command asked for it, or is gone. Stays true.
    pub fn stop_requested(&self) -> bool {
        if !self.shared.stop.load(Ordering::Acquire) {
            let mut byte = [0];
            match recv(self.shared.stream.as_raw_fd(), &mut byte, MsgFlags::MSG_DONTWAIT) {
                Err(Errno::EAGAIN | Errno::EINTR) => return false,
                // A byte, the end of the stream, or its failure: all mean the same.
                Ok(_) | Err(_) => self.shared.stop.store(true, Ordering::Release),
            }
        }
        true
    }

    /// Readable when [`Link::stop_requested`] is worth asking.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.shared.stream.as_fd()
    }

    /// The network of the machine, for what needs a way out. Only root's runs have it.
    pub fn machine(&self) -> Option<&Namespace> {
        self.shared.machine.as_ref()
    }

    /// Makes `namespace` known as `name` to `ip netns exec` (ip-netns(8)), to this run's programs only.
    pub fn name_host(&self, namespace: &Namespace, name: &str) -> Result<(), LiveError> {
        mounts::name(namespace, name).map_err(LiveError::system(format!(
            "{} could not be made",
            Path::new(mounts::NAMES).join(name).display()
        )))
    }

    pub(super) fn frame(&self, tag: u8, payload: &[u8]) -> io::Result<()> {
        let _writing = self.shared.writing.lock().unwrap_or_else(PoisonError::into_inner);
        frame::write(&self.shared.stream, tag, payload)
    }
}

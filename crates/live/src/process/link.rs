//! The run's end of the connection to the command.

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

/// The environment of a run's work: the connection to the command, and the resources of its process. Clones share the
/// connection, so any thread may send.
#[derive(Debug, Clone)]
pub struct Link {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    stream: UnixStream,
    /// Held while a frame is written, so that frames of different threads do not interleave.
    writing: Mutex<()>,
    stop: AtomicBool,
    machine: Option<Namespace>,
}

impl Link {
    pub(super) fn new(stream: UnixStream, machine: Option<Namespace>) -> Self {
        let shared = Shared { stream, writing: Mutex::new(()), stop: AtomicBool::new(false), machine };
        Self { shared: Arc::new(shared) }
    }

    /// Sends one message. Blocks while the command handles earlier ones.
    ///
    /// # Errors
    /// If the command has ended.
    pub fn send(&self, message: &[u8]) -> io::Result<()> {
        self.frame(frame::MESSAGE, message)
    }

    /// Whether the run must end: the command requested it or has ended. Stays true.
    pub fn stop_requested(&self) -> bool {
        if !self.shared.stop.load(Ordering::Acquire) {
            let mut byte = [0];
            match recv(self.shared.stream.as_raw_fd(), &mut byte, MsgFlags::MSG_DONTWAIT) {
                Err(Errno::EAGAIN | Errno::EINTR) => return false,
                // A byte, the end of the stream and an error all mean stop.
                Ok(_) | Err(_) => self.shared.stop.store(true, Ordering::Release),
            }
        }
        true
    }

    /// Descriptor that is readable when [`Link::stop_requested`] may have changed.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.shared.stream.as_fd()
    }

    /// Network namespace of the machine, for programs that need external access. Only available to root.
    pub fn machine(&self) -> Option<&Namespace> {
        self.shared.machine.as_ref()
    }

    /// Names `namespace` for `ip netns exec` (ip-netns(8)), visible to this run's programs only.
    pub fn name_host(&self, namespace: &Namespace, name: &str) -> Result<(), LiveError> {
        mounts::bind_name(namespace, name).map_err(LiveError::system(format!(
            "cannot create {}",
            Path::new(mounts::NAMES).join(name).display()
        )))
    }

    pub(super) fn frame(&self, tag: u8, payload: &[u8]) -> io::Result<()> {
        let _writing = self.shared.writing.lock().unwrap_or_else(PoisonError::into_inner);
        frame::write(&self.shared.stream, tag, payload)
    }
}

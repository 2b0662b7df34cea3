//! Creation of a run's process.
//!
//! A PID namespace applies to the children of the process that creates it, and a process can create only one
//! (pid_namespaces(7), unshare(2)). Therefore an intermediate process creates the namespaces, forks the run's process and
//! exits. The nursery, a subreaper (prctl(2)), then becomes the parent.

#![allow(unsafe_code, reason = "fork")]

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;
use nix::sys::wait::waitpid;
use nix::unistd::{ForkResult, Pid, fork, getegid, geteuid, pipe2};

use super::{Job, Link, Work, frame, mounts, privileges};
use crate::LiveError;
use crate::net::Namespace;

/// A run's process from the nursery's view.
pub(super) struct Run {
    pub(super) pid: Pid,
    /// The command's end of the message stream.
    pub(super) line: UnixStream,
    /// Pipe end that is closed when the nursery ends for any reason.
    pub(super) alive: File,
}

/// Forks the run's process, which starts `work` before this function returns.
pub(super) fn start(job: Job, work: &Work, control: &OwnedFd) -> Result<Run, String> {
    let (line, far_line) = UnixStream::pair().map_err(|error| error.to_string())?;
    let (mut report, far_report) = UnixStream::pair().map_err(|error| error.to_string())?;
    let (far_alive, alive) = pipe2(nix::fcntl::OFlag::O_CLOEXEC).map_err(|error| error.to_string())?;
    let (far_alive, mut alive) = (File::from(far_alive), File::from(alive));
    // SAFETY: the nursery is single-threaded.
    match unsafe { fork() }.map_err(|error| error.to_string())? {
        ForkResult::Child => {
            drop((line, report, alive));
            // A run must not use the nursery's connection to the command.
            close(control);
            intermediate(job, work, far_line, far_report, far_alive)
        }
        ForkResult::Parent { child } => {
            drop((far_line, far_report, far_alive));
            let mut text = String::new();
            let read = report.read_to_string(&mut text);
            // The run's process is now the nursery's child, so that its parent-death signal refers to the nursery.
            let _ = waitpid(child, None);
            read.map_err(|error| error.to_string())?;
            let pid =
                text.strip_prefix("pid ").and_then(|pid| pid.parse().ok()).map(Pid::from_raw).ok_or_else(
                    || {
                        if text.is_empty() {
                            "the process was killed from outside".to_owned()
                        } else {
                            text.clone()
                        }
                    },
                )?;
            alive.write_all(b"g").map_err(|error| error.to_string())?;
            Ok(Run { pid, line, alive })
        }
    }
}

/// The process between the nursery and the run's process.
fn intermediate(job: Job, work: &Work, line: UnixStream, mut report: UnixStream, alive: File) -> ! {
    let code = match fork_into_namespaces() {
        Ok((machine, ForkResult::Child)) => {
            drop(report);
            run(job, work, line, alive, machine)
        }
        Ok((_, ForkResult::Parent { child })) => {
            report.write_all(format!("pid {child}").as_bytes()).is_err().into()
        }
        Err(error) => {
            let _ = report.write_all(error.to_string().as_bytes());
            1
        }
    };
    exit(code)
}

/// Creates the namespaces and forks. Also returns the machine's network namespace if the process may still enter it.
fn fork_into_namespaces() -> Result<(Option<Namespace>, ForkResult), LiveError> {
    let machine = if privileges::has_admin_caps() {
        Some(Namespace::current()?)
    } else {
        enter_user_namespace()?;
        None
    };
    // A separate network namespace keeps a run's sockets off the machine's network by default. It is also required because a
    // thread of an unprivileged run cannot return from a host's namespace to the machine's.
    unshare(CloneFlags::CLONE_NEWPID | CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWNET)
        .map_err(LiveError::system("cannot create PID, mount and network namespaces"))?;
    // SAFETY: this process is single-threaded.
    let forked = unsafe { fork() }.map_err(LiveError::system("cannot fork the run's process"))?;
    Ok((machine, forked))
}

/// Like `unshare --user --map-root-user`: maps this user to root, and no other users (user_namespaces(7)).
fn enter_user_namespace() -> Result<(), LiveError> {
    let (uid, gid) = (geteuid(), getegid());
    unshare(CloneFlags::CLONE_NEWUSER).map_err(LiveError::system("cannot create a user namespace"))?;
    let lines = [
        ("/proc/self/setgroups", "deny".to_owned()),
        ("/proc/self/uid_map", format!("0 {uid} 1")),
        ("/proc/self/gid_map", format!("0 {gid} 1")),
    ];
    for (path, line) in lines {
        fs::OpenOptions::new()
            .write(true)
            .open(path)
            .and_then(|mut file| file.write_all(line.as_bytes()))
            .map_err(LiveError::system(format!("cannot write {path}")))?;
    }
    Ok(())
}

/// The run's process, the first of its PID namespace.
fn run(job: Job, work: &Work, line: UnixStream, mut alive: File, machine: Option<Namespace>) -> i32 {
    // The byte arrives once the intermediate process has exited and the nursery is the parent. No byte: the nursery has ended.
    if alive.read_exact(&mut [0]).is_err() || !dies_with_parent(&alive) {
        return 1;
    }
    let _ = nix::sys::prctl::set_name(c"jettison-run");
    let link = Link::new(line, machine);
    let result = catch_unwind(AssertUnwindSafe(|| {
        mounts::set_up().map_err(|error| LiveError::Setup(error.to_string()).to_string())?;
        work(job, &link)
    }));
    let result = result.unwrap_or_else(|panic| Err(format!("panicked: {}", panic_message(panic.as_ref()))));
    let sent = match &result {
        Ok(()) => link.frame(frame::FINISHED, &[]),
        Err(message) => link.frame(frame::FAILED, message.as_bytes()),
    };
    (result.is_err() || sent.is_err()).into()
}

/// Requests SIGKILL at the parent's death. The first process of a PID namespace cannot see its parent, so a pipe held by the
/// parent shows whether it died before the request.
fn dies_with_parent(alive: &File) -> bool {
    let requested = set_pdeathsig(Signal::SIGKILL).is_ok();
    let mut watched = [PollFd::new(alive.as_fd(), PollFlags::POLLIN)];
    requested && poll(&mut watched, PollTimeout::ZERO).is_ok_and(|changed| changed == 0)
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> &str {
    panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or(panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message")
}

fn close(fd: &OwnedFd) {
    use std::os::fd::AsRawFd;
    // SAFETY: this process ends with `exit`, and never uses or drops `fd`.
    unsafe { libc::close(fd.as_raw_fd()) };
}

/// Ends a forked process without the exit handlers of its ancestor, which would flush buffers twice or remove temporary files.
pub(super) fn exit(code: i32) -> ! {
    // SAFETY: ends the process.
    unsafe { libc::_exit(code) }
}

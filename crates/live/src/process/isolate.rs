//! How a run's process comes to be.
//!
//! A PID namespace holds the children of the process that makes it, not that process, and one process can make only one
//! (pid_namespaces(7), unshare(2)). So a middle process makes the namespaces, forks the run's process and goes away; the
//! nursery, a subreaper (prctl(2)), then is the parent.

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

/// A run's process, as the nursery has it.
pub(super) struct Run {
    pub(super) pid: Pid,
    /// The command's end of the line.
    pub(super) line: UnixStream,
    /// Closes when the nursery dies, whichever way.
    pub(super) alive: File,
}

/// Forks the run's process. It starts on `work` before this returns.
pub(super) fn start(job: Job, work: &Work, control: &OwnedFd) -> Result<Run, String> {
    let (line, far_line) = UnixStream::pair().map_err(|error| error.to_string())?;
    let (mut report, far_report) = UnixStream::pair().map_err(|error| error.to_string())?;
    let (far_alive, alive) = pipe2(nix::fcntl::OFlag::O_CLOEXEC).map_err(|error| error.to_string())?;
    let (far_alive, mut alive) = (File::from(far_alive), File::from(alive));
    // SAFETY: the nursery has one thread.
    match unsafe { fork() }.map_err(|error| error.to_string())? {
        ForkResult::Child => {
            drop((line, report, alive));
            // The nursery's own line to the command is none of a run's.
            close(control);
            middle(job, work, far_line, far_report, far_alive)
        }
        ForkResult::Parent { child } => {
            drop((far_line, far_report, far_alive));
            let mut text = String::new();
            let read = report.read_to_string(&mut text);
            // From here on the run's process is the nursery's child, and the order to die with its parent means the nursery.
            let _ = waitpid(child, None);
            read.map_err(|error| error.to_string())?;
            let pid =
                text.strip_prefix("pid ").and_then(|pid| pid.parse().ok()).map(Pid::from_raw).ok_or_else(
                    || {
                        if text.is_empty() { "it was killed from outside".to_owned() } else { text.clone() }
                    },
                )?;
            alive.write_all(b"g").map_err(|error| error.to_string())?;
            Ok(Run { pid, line, alive })
        }
    }
}

/// The process between the nursery and the run's.
fn middle(job: Job, work: &Work, line: UnixStream, mut report: UnixStream, alive: File) -> ! {
    let code = match divide() {
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

/// Makes the namespaces and forks. Also the machine's network namespace, where the process may still enter it.
fn divide() -> Result<(Option<Namespace>, ForkResult), LiveError> {
    let machine = if privileges::administrates() {
        Some(Namespace::current()?)
    } else {
        own_user_namespace()?;
        None
    };
    // A network namespace of its own, so that no socket of a run is on the machine's network by mistake, and because a
    // thread of an unprivileged run could not return to the machine's from a host's.
    unshare(CloneFlags::CLONE_NEWPID | CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWNET)
        .map_err(LiveError::system("PID, mount and network namespaces could not be made"))?;
    // SAFETY: this process has one thread.
    let forked = unsafe { fork() }.map_err(LiveError::system("the run's process could not be forked"))?;
    Ok((machine, forked))
}

/// As `unshare --user --map-root-user`: this user is root inside, nobody else exists there (user_namespaces(7)).
fn own_user_namespace() -> Result<(), LiveError> {
    let (uid, gid) = (geteuid(), getegid());
    unshare(CloneFlags::CLONE_NEWUSER).map_err(LiveError::system("a user namespace could not be made"))?;
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
            .map_err(LiveError::system(format!("{path} could not be written")))?;
    }
    Ok(())
}

/// The run's process: the first of its PID namespace.
fn run(job: Job, work: &Work, line: UnixStream, mut alive: File, machine: Option<Namespace>) -> i32 {
    // The byte says that the middle process is gone and the nursery is the parent. No byte: so is the nursery.
    if alive.read_exact(&mut [0]).is_err() || !dies_with_parent(&alive) {
        return 1;
    }
    let _ = nix::sys::prctl::set_name(c"jettison-run");
    let link = Link::new(line, machine);
    let result = catch_unwind(AssertUnwindSafe(|| {
        mounts::set_up().map_err(|error| LiveError::Setup(error.to_string()).to_string())?;
        work(job, &link)
    }));
    let result = result.unwrap_or_else(|panic| Err(format!("panicked: {}", words(panic.as_ref()))));
    let sent = match &result {
        Ok(()) => link.frame(frame::FINISHED, &[]),
        Err(message) => link.frame(frame::FAILED, message.as_bytes()),
    };
    (result.is_err() || sent.is_err()).into()
}

/// The first process of a PID namespace can't see its parent, so a pipe that the parent holds tells whether it died before
/// the order was given.
fn dies_with_parent(alive: &File) -> bool {
    let ordered = set_pdeathsig(Signal::SIGKILL).is_ok();
    let mut watched = [PollFd::new(alive.as_fd(), PollFlags::POLLIN)];
    ordered && poll(&mut watched, PollTimeout::ZERO).is_ok_and(|changed| changed == 0)
}

fn words(panic: &(dyn std::any::Any + Send)) -> &str {
    panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or(panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message")
}

fn close(fd: &OwnedFd) {
    use std::os::fd::AsRawFd;
    // SAFETY: this process leaves through `exit`, and never uses or drops `fd`.
    unsafe { libc::close(fd.as_raw_fd()) };
}

/// Ends a forked process without what its ancestor arranged for its own end: buffers written twice, temporary files removed.
pub(super) fn exit(code: i32) -> ! {
    // SAFETY: ends the process.
    unsafe { libc::_exit(code) }
}

//! The nursery's process: forks runs on request, reports how they end, and kills them when the command ends.

#![allow(unsafe_code, reason = "signal handlers")]

use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::prctl::{set_child_subreaper, set_name, set_pdeathsig};
use nix::sys::signal::{SigHandler, SigSet, Signal, kill, signal};
use nix::sys::socket::{ControlMessage, MsgFlags, recv, send, sendmsg};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, getppid, setsid};
use rustix::process::{PidfdFlags, pidfd_open};

use super::{Work, isolate};

/// Request: start a run; the job's eight bytes follow.
pub(super) const RUN: u8 = b'R';
/// Request: kill the run.
pub(super) const KILL: u8 = b'K';
/// Answer: the run has started; the message stream's descriptor is attached.
pub(super) const STARTED: u8 = b'S';
/// Answer: the run could not be started; the message follows.
pub(super) const REFUSED: u8 = b'E';
/// Answer: the run has ended with the exit status or signal in the following four bytes.
pub(super) const EXITED: u8 = b'X';
pub(super) const SIGNALED: u8 = b'G';

/// Maximum length of a message on the control socket.
pub(super) const LONGEST: usize = 4096;

pub(super) fn main(control: OwnedFd, work: &Work, parent: Pid, terminal: bool) -> ! {
    if set_pdeathsig(Signal::SIGKILL).is_err() || getppid() != parent || set_child_subreaper(true).is_err() {
        isolate::exit(1);
    }
    let _ = set_name(c"jettison-nurse");
    if !terminal {
        // Leaves Ctrl-C to the command, which requests the end of the run.
        let _ = setsid();
    }
    ignore(&[
        Signal::SIGINT,
        Signal::SIGQUIT,
        Signal::SIGTERM,
        Signal::SIGHUP,
        Signal::SIGPIPE,
        Signal::SIGTTOU,
    ]);
    let _ = SigSet::empty().thread_set_mask();
    let mut message = [0; LONGEST];
    while let Some(request) = receive(&control, &mut message) {
        if let Some((&RUN, job)) = request.split_first()
            && let Ok(job) = job.try_into()
        {
            supervise(u64::from_le_bytes(job), work, &control);
        }
    }
    isolate::exit(0)
}

/// Ignores signals in this process and in forked ones. Programs get the default handlers back before they start.
pub(super) fn ignore(signals: &[Signal]) {
    for &ignored in signals {
        // SAFETY: no signal handler is installed.
        let _ = unsafe { signal(ignored, SigHandler::SigIgn) };
    }
}

/// Supervises one run from start to end.
fn supervise(job: u64, work: &Work, control: &OwnedFd) {
    let run = match isolate::start(job, work, control) {
        Ok(run) => run,
        Err(why) => {
            let mut answer = vec![REFUSED];
            answer.extend(why.bytes().take(LONGEST - 1));
            return send_answer(control, &answer, None);
        }
    };
    send_answer(control, &[STARTED], Some(run.line.as_raw_fd()));
    let isolate::Run { pid, line, alive: _alive } = run;
    drop(line);
    let pidfd = rustix::process::Pid::from_raw(pid.as_raw())
        .and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
    let mut message = [0; LONGEST];
    loop {
        let status = waitpid(pid, Some(WaitPidFlag::WNOHANG));
        if !matches!(status, Ok(WaitStatus::StillAlive)) {
            break send_answer(control, &ended(status), None);
        }
        let mut watched = vec![PollFd::new(control.as_fd(), PollFlags::POLLIN)];
        // Without pidfds the run's process is polled.
        let timeout: u16 = if pidfd.is_some() { 1000 } else { 20 };
        watched.extend(pidfd.as_ref().map(|fd| PollFd::new(fd.as_fd(), PollFlags::POLLIN)));
        let _ = poll(&mut watched, PollTimeout::from(timeout));
        if watched[0].any() != Some(true) {
            continue;
        }
        match receive(control, &mut message) {
            Some([KILL]) => drop(kill(pid, Signal::SIGKILL)),
            Some(_) => {}
            None => {
                // The command has closed its end or has ended.
                let _ = kill(pid, Signal::SIGKILL);
                let _ = waitpid(pid, None);
                isolate::exit(0);
            }
        }
    }
    // Reaps the other processes that the subreaper inherited.
    while matches!(waitpid(None, Some(WaitPidFlag::WNOHANG)), Ok(status) if status != WaitStatus::StillAlive)
    {
    }
}

fn ended(status: nix::Result<WaitStatus>) -> [u8; 5] {
    let (tag, number) = match status {
        Ok(WaitStatus::Exited(_, code)) => (EXITED, code),
        Ok(WaitStatus::Signaled(_, signal, _)) => (SIGNALED, signal as i32),
        // The process is gone with an unknown status.
        _ => (EXITED, -1),
    };
    let [a, b, c, d] = number.to_le_bytes();
    [tag, a, b, c, d]
}

fn send_answer(control: &OwnedFd, answer: &[u8], fd: Option<RawFd>) {
    let fds: Vec<RawFd> = fd.into_iter().collect();
    let rights = [ControlMessage::ScmRights(&fds)];
    let rights = if fds.is_empty() { &rights[..0] } else { &rights[..] };
    let data = [std::io::IoSlice::new(answer)];
    // If the command has ended, the next `receive` detects it.
    let _ = sendmsg::<()>(control.as_raw_fd(), &data, rights, MsgFlags::MSG_NOSIGNAL, None);
}

/// Receives one message; `None` if the other side has closed the socket.
pub(super) fn receive<'a>(control: &OwnedFd, message: &'a mut [u8; LONGEST]) -> Option<&'a [u8]> {
    loop {
        match recv(control.as_raw_fd(), message, MsgFlags::empty()) {
            Err(Errno::EINTR) => {}
            Ok(0) | Err(_) => return None,
            Ok(length) => return Some(&message[..length]),
        }
    }
}

/// Sends one message. Returns false if the other side has closed the socket.
pub(super) fn request(control: &OwnedFd, message: &[u8]) -> bool {
    loop {
        match send(control.as_raw_fd(), message, MsgFlags::MSG_NOSIGNAL) {
            Err(Errno::EINTR) => {}
            sent => return sent.is_ok(),
        }
    }
}

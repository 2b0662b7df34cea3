//! The nursery's own process: it forks runs on request, tells how they ended, and takes them with it when the command goes.

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

/// Request: a job's eight bytes follow.
pub(super) const RUN: u8 = b'R';
/// Request: kill the run.
pub(super) const KILL: u8 = b'K';
/// Answer: the run has started; its line comes along.
pub(super) const STARTED: u8 = b'S';
/// Answer: the run could not be started; the bytes say why.
pub(super) const REFUSED: u8 = b'E';
/// Answer: the run has ended, with the exit status or signal of the four bytes.
pub(super) const EXITED: u8 = b'X';
pub(super) const SIGNALED: u8 = b'G';

/// Messages on the control socket are this long at most.
pub(super) const LONGEST: usize = 4096;

pub(super) fn main(control: OwnedFd, work: &Work, parent: Pid, terminal: bool) -> ! {
    if set_pdeathsig(Signal::SIGKILL).is_err() || getppid() != parent || set_child_subreaper(true).is_err() {
        isolate::exit(1);
    }
    let _ = set_name(c"jettison-nurse");
    if !terminal {
        // A terminal's Ctrl-C is the command's affair: it asks the run to stop.
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
            keep(u64::from_le_bytes(job), work, &control);
        }
    }
    isolate::exit(0)
}

/// Lets these signals pass by, here and in what is forked from here; programs get them back before they start.
pub(super) fn ignore(signals: &[Signal]) {
    for &one in signals {
        // SAFETY: no handler is installed that could run.
        let _ = unsafe { signal(one, SigHandler::SigIgn) };
    }
}

/// One run from its start to its end.
fn keep(job: u64, work: &Work, control: &OwnedFd) {
    let run = match isolate::start(job, work, control) {
        Ok(run) => run,
        Err(why) => {
            let mut answer = vec![REFUSED];
            answer.extend(why.bytes().take(LONGEST - 1));
            return answer_with(control, &answer, None);
        }
    };
    answer_with(control, &[STARTED], Some(run.line.as_raw_fd()));
    let isolate::Run { pid, line, alive: _alive } = run;
    drop(line);
    let pidfd = rustix::process::Pid::from_raw(pid.as_raw())
        .and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
    let mut message = [0; LONGEST];
    loop {
        let status = waitpid(pid, Some(WaitPidFlag::WNOHANG));
        if !matches!(status, Ok(WaitStatus::StillAlive)) {
            break answer_with(control, &ended(status), None);
        }
        let mut watched = vec![PollFd::new(control.as_fd(), PollFlags::POLLIN)];
        // A kernel without pidfds is asked again and again.
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
                // The command has closed its end, or is dead.
                let _ = kill(pid, Signal::SIGKILL);
                let _ = waitpid(pid, None);
                isolate::exit(0);
            }
        }
    }
    // Whatever else was left to the subreaper.
    while matches!(waitpid(None, Some(WaitPidFlag::WNOHANG)), Ok(status) if status != WaitStatus::StillAlive)
    {
    }
}

fn ended(status: nix::Result<WaitStatus>) -> [u8; 5] {
    let (tag, number) = match status {
        Ok(WaitStatus::Exited(_, code)) => (EXITED, code),
        Ok(WaitStatus::Signaled(_, signal, _)) => (SIGNALED, signal as i32),
        // Reaped by nobody but us; if it is gone all the same, that is an end too.
        _ => (EXITED, -1),
    };
    let [a, b, c, d] = number.to_le_bytes();
    [tag, a, b, c, d]
}

fn answer_with(control: &OwnedFd, answer: &[u8], fd: Option<RawFd>) {
    let fds: Vec<RawFd> = fd.into_iter().collect();
    let rights = [ControlMessage::ScmRights(&fds)];
    let rights = if fds.is_empty() { &rights[..0] } else { &rights[..] };
    let data = [std::io::IoSlice::new(answer)];
    // If the command is gone, the next `receive` says so.
    let _ = sendmsg::<()>(control.as_raw_fd(), &data, rights, MsgFlags::MSG_NOSIGNAL, None);
}

/// One message; `None` when the other side is gone.
pub(super) fn receive<'a>(control: &OwnedFd, message: &'a mut [u8; LONGEST]) -> Option<&'a [u8]> {
    loop {
        match recv(control.as_raw_fd(), message, MsgFlags::empty()) {
            Err(Errno::EINTR) => {}
            Ok(0) | Err(_) => return None,
            Ok(length) => return Some(&message[..length]),
        }
    }
}

/// One message to the other side; false when it is gone.
pub(super) fn request(control: &OwnedFd, message: &[u8]) -> bool {
    loop {
        match send(control.as_raw_fd(), message, MsgFlags::MSG_NOSIGNAL) {
            Err(Errno::EINTR) => {}
            sent => return sent.is_ok(),
        }
    }
}

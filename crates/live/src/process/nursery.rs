//! The command's interface to the nursery: start, and execution of jobs.

#![allow(unsafe_code, reason = "fork")]

use std::fs;
use std::io::{self, IoSliceMut, Write};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, kill};
use nix::sys::socket::{
    AddressFamily, ControlMessageOwned, MsgFlags, SockFlag, SockType, recvmsg, socketpair,
};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, fork, getpgrp, getpid, tcsetpgrp};

use super::keeper::{self, EXITED, KILL, LONGEST, REFUSED, RUN, SIGNALED, STARTED};
use super::{Link, frame};
use crate::{LiveError, clock};

/// Number of a run, for the work.
pub type Job = u64;

/// Function executed in a run's process. An error's text is returned in [`Ended::Failed`].
pub type Work = Box<dyn Fn(Job, &Link) -> Result<(), String>>;

/// Options of the nursery.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Whether a program of the run uses this process's terminal. That program alone then receives Ctrl-C.
    pub terminal: bool,
    /// Time between the request to end a run and SIGKILL.
    pub grace: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self { terminal: false, grace: Duration::from_secs(10) }
    }
}

/// Result of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// The work returned successfully.
    Finished,
    /// The work returned this error, or panicked.
    Failed(String),
    /// The process ended during the work.
    Killed {
        /// The signal, unless the process exited.
        signal: Option<i32>,
        /// Description for the user.
        what: String,
    },
}

/// A process that forks runs. All runs end when this value is dropped or when this process ends for any reason.
#[derive(Debug)]
pub struct Nursery {
    control: OwnedFd,
    pid: Pid,
    options: Options,
}

impl Nursery {
    /// Forks the nursery. Every run sees the captured state of `work` as it is now. Install signal handlers after this call:
    /// the nursery and the runs ignore signals that a terminal or a supervisor sends to the whole process group, and leave
    /// it to this process to request their end.
    ///
    /// # Errors
    /// If this process has several threads: a fork would copy locked mutexes without the threads that unlock them.
    pub fn start(work: Work, options: Options) -> Result<Self, LiveError> {
        check_single_thread()?;
        let _ = io::stdout().flush();
        let (near, far) = socketpair(AddressFamily::Unix, SockType::SeqPacket, None, SockFlag::SOCK_CLOEXEC)
            .map_err(LiveError::system("cannot create the nursery's socket"))?;
        if options.terminal {
            // This process takes the terminal back afterwards. The foreground process group receives the keys' signals: the
            // program, or this process if the program did not get the terminal; this process then requests the end of the run.
            keeper::ignore(&[Signal::SIGTTOU]);
        }
        let parent = getpid();
        // SAFETY: this process is single-threaded, as checked above.
        match unsafe { fork() }.map_err(LiveError::system("cannot fork the nursery"))? {
            ForkResult::Child => {
                drop(near);
                keeper::main(far, &work, parent, options.terminal)
            }
            ForkResult::Parent { child } => Ok(Self { control: near, pid: child, options }),
        }
    }

    /// Executes one run and passes on its messages. `stop` is called at least every 100 ms and after a signal; once it returns
    /// true, the run is asked to end, and killed after the grace period.
    pub fn run(
        &mut self,
        job: Job,
        on_message: &mut dyn FnMut(&[u8]),
        stop: &dyn Fn() -> bool,
    ) -> Result<Ended, LiveError> {
        let line = self.begin(job)?;
        let mut reader = frame::Reader::default();
        let (mut last, mut status) = (None, None);
        let mut open = true;
        let mut asked: Option<Instant> = None;
        let mut killed = false;
        // Both ends matter: the last message may arrive after the exit status, and the status after the last message.
        while open || status.is_none() {
            match asked {
                None if stop() => {
                    // A failure means that the run is ending anyway.
                    let _ = (&line).write_all(b"s");
                    asked = Some(clock::now());
                }
                // Left to the nursery: it reaps the process, so it knows that the process id was not reused.
                Some(since) if !killed && since.elapsed() >= self.options.grace => {
                    keeper::request(&self.control, &[KILL]);
                    killed = true;
                }
                _ => {}
            }
            let (has_message, has_status) = self.wait(&line, open, status.is_none());
            if has_message {
                open = reader.fill(&line).map_err(LiveError::system("cannot read the run's messages"))?;
                while let Some((tag, payload)) = reader.next() {
                    match tag {
                        frame::MESSAGE => on_message(payload),
                        frame::FINISHED => last = Some(Ended::Finished),
                        _ => last = Some(Ended::Failed(String::from_utf8_lossy(payload).into_owned())),
                    }
                }
            }
            if has_status {
                let mut buffer = [0; LONGEST];
                let Some(answer) = keeper::receive(&self.control, &mut buffer) else {
                    wait_for_end(&line);
                    self.reclaim_terminal();
                    return Err(LiveError::NurseryGone);
                };
                status = Some(answer.to_vec());
            }
        }
        self.reclaim_terminal();
        // Without a last message the process died during its work, and only the exit status tells how.
        Ok(last.unwrap_or_else(|| self.killed(status.as_deref().unwrap_or(&[]), killed)))
    }

    fn begin(&self, job: Job) -> Result<UnixStream, LiveError> {
        let mut message = vec![RUN];
        message.extend(job.to_le_bytes());
        if !keeper::request(&self.control, &message) {
            return Err(LiveError::NurseryGone);
        }
        let mut buffer = [0; LONGEST];
        let mut rights = nix::cmsg_space!([RawFd; 1]);
        let (length, line) = loop {
            let mut data = [IoSliceMut::new(&mut buffer)];
            let flags = MsgFlags::MSG_CMSG_CLOEXEC;
            let received = recvmsg::<()>(self.control.as_raw_fd(), &mut data, Some(&mut rights), flags);
            let received = match received {
                Err(Errno::EINTR) => continue,
                Err(_) => return Err(LiveError::NurseryGone),
                Ok(received) => received,
            };
            let mut fds = received.cmsgs().into_iter().flatten().filter_map(|message| match message {
                ControlMessageOwned::ScmRights(fds) => fds.first().copied(),
                _ => None,
            });
            // SAFETY: the kernel has just created this descriptor for this process.
            break (received.bytes, fds.next().map(|fd| unsafe { OwnedFd::from_raw_fd(fd) }));
        };
        match (&buffer[..length], line) {
            ([STARTED], Some(line)) => Ok(UnixStream::from(line)),
            ([REFUSED, why @ ..], _) => Err(LiveError::Setup(String::from_utf8_lossy(why).into_owned())),
            _ => Err(LiveError::NurseryGone),
        }
    }

    /// Waits up to 50 ms. Returns whether the run's connection and the nursery's socket are readable.
    fn wait(&self, line: &UnixStream, open: bool, alive: bool) -> (bool, bool) {
        let interest = |wanted| if wanted { PollFlags::POLLIN } else { PollFlags::empty() };
        let mut watched =
            [PollFd::new(line.as_fd(), interest(open)), PollFd::new(self.control.as_fd(), interest(alive))];
        // Both stay readable after their end, so each is polled only while it is needed.
        let first = usize::from(!open);
        let end = if alive { 2 } else { 1 };
        // A signal interrupts the wait, so that the caller checks whether to stop.
        let changed = poll(&mut watched[first..end], PollTimeout::from(50u8)).unwrap_or(0);
        let ready = |fd: &PollFd<'_>, wanted: bool| changed > 0 && wanted && fd.any() == Some(true);
        (ready(&watched[0], open), ready(&watched[1], alive))
    }

    fn killed(&self, status: &[u8], killed: bool) -> Ended {
        let (tag, number) = match status {
            [tag, number @ ..] => (*tag, number.try_into().map_or(-1, i32::from_le_bytes)),
            [] => (EXITED, -1),
        };
        let signal = (tag == SIGNALED).then_some(number);
        let what = match signal {
            _ if killed => {
                format!(
                    "the run was killed: it did not end within {} s of the request",
                    self.options.grace.as_secs_f64()
                )
            }
            Some(number) => {
                let name = Signal::try_from(number).map_or("an unknown signal", Signal::as_str);
                format!("the run's process was killed by signal {number} ({name})")
            }
            None => format!("the run's process ended during the run with exit status {number}"),
        };
        Ended::Killed { signal, what }
    }

    fn reclaim_terminal(&self) {
        if self.options.terminal {
            let _ = tcsetpgrp(io::stdin(), getpgrp());
        }
    }
}

impl Drop for Nursery {
    fn drop(&mut self) {
        // The nursery kills its run and exits when this side of the socket closes.
        let _ = nix::sys::socket::shutdown(self.control.as_raw_fd(), nix::sys::socket::Shutdown::Both);
        let deadline = clock::now() + Duration::from_secs(5);
        while let Ok(WaitStatus::StillAlive) = waitpid(self.pid, Some(WaitPidFlag::WNOHANG)) {
            if clock::now() > deadline {
                let _ = kill(self.pid, Signal::SIGKILL);
                let _ = waitpid(self.pid, None);
                break;
            }
            clock::sleep(Duration::from_millis(1));
        }
        self.reclaim_terminal();
    }
}

/// Waits until the run's end of the connection is closed, which means that the kernel has killed the run.
fn wait_for_end(line: &UnixStream) {
    let deadline = clock::now() + Duration::from_secs(5);
    let mut reader = frame::Reader::default();
    while clock::now() < deadline {
        let mut watched = [PollFd::new(line.as_fd(), PollFlags::POLLIN)];
        if poll(&mut watched, PollTimeout::from(50u8)).is_ok_and(|changed| changed > 0)
            && !reader.fill(line).unwrap_or(false)
        {
            return;
        }
    }
}

/// Checks that this process has one thread. The kernel may list a joined thread for a moment.
fn check_single_thread() -> Result<(), LiveError> {
    let mut threads = 0;
    for _ in 0..50 {
        let list =
            fs::read_dir("/proc/self/task").map_err(LiveError::system("cannot read /proc/self/task"))?;
        threads = list.count();
        if threads == 1 {
            return Ok(());
        }
        clock::sleep(Duration::from_millis(1));
    }
    Err(LiveError::NotSingleThreaded { threads })
}

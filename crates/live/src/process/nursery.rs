//! The command's side: starting the nursery, having it run jobs.

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

/// Which of the runs that the work knows.
pub type Job = u64;

/// What a run's process does. An error's text comes back in [`Ended::Failed`].
pub type Work = Box<dyn Fn(Job, &Link) -> Result<(), String>>;

/// How runs are kept.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// A program of the run is to have this process's terminal. Then a Ctrl-C is that program's alone.
    pub terminal: bool,
    /// How long a run may take to end when asked to, before it is killed.
    pub grace: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self { terminal: false, grace: Duration::from_secs(10) }
    }
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// Its work returned.
    Finished,
    /// Its work returned this error, or panicked.
    Failed(String),
    /// Its process died in the middle of it.
    Killed {
        /// The signal, unless the process exited.
        signal: Option<i32>,
        /// A sentence for people.
        what: String,
    },
}

/// A process that forks runs. All of it ends when this is dropped, or when this process ends in whichever way.
#[derive(Debug)]
pub struct Nursery {
    control: OwnedFd,
    pid: Pid,
    options: Options,
}

impl Nursery {
    /// Forks the nursery. What `work` has captured is there in every run as it is now. Handlers of signals are best installed
    /// after this: the nursery and the runs ignore what a terminal or a supervisor sends to the whole group, and leave it to
    /// this process to ask them to stop.
    ///
    /// # Errors
    /// This process has threads: a fork would copy locks that they hold, and not the threads that would open them.
    pub fn start(work: Work, options: Options) -> Result<Self, LiveError> {
        alone()?;
        let _ = io::stdout().flush();
        let (near, far) = socketpair(AddressFamily::Unix, SockType::SeqPacket, None, SockFlag::SOCK_CLOEXEC)
            .map_err(LiveError::system("the nursery's socket could not be made"))?;
        if options.terminal {
            // This process takes the terminal back afterwards. What the keys send goes to the foreground: to the program, or,
            // if the terminal could not be given to it, to this process, which asks the run to stop.
            keeper::ignore(&[Signal::SIGTTOU]);
        }
        let parent = getpid();
        // SAFETY: this process has one thread, as `alone` has seen.
        match unsafe { fork() }.map_err(LiveError::system("the nursery could not be forked"))? {
            ForkResult::Child => {
                drop(near);
                keeper::main(far, &work, parent, options.terminal)
            }
            ForkResult::Parent { child } => Ok(Self { control: near, pid: child, options }),
        }
    }

    /// Has one run done, and hands on its messages as they come. `stop` is asked at least every 100 ms, and after a signal;
    /// once it is true the run is asked to stop, and killed if it has not ended within the grace.
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
        while open || status.is_none() {
            match asked {
                None if stop() => {
                    // A failure means that the run is ending already.
                    let _ = (&line).write_all(b"s");
                    asked = Some(clock::now());
                }
                Some(since) if !killed && since.elapsed() >= self.options.grace => {
                    keeper::request(&self.control, &[KILL]);
                    killed = true;
                }
                _ => {}
            }
            let (message, news) = self.wait(&line, open, status.is_none());
            if message {
                open =
                    reader.fill(&line).map_err(LiveError::system("the run's messages could not be read"))?;
                while let Some((tag, payload)) = reader.next() {
                    match tag {
                        frame::MESSAGE => on_message(payload),
                        frame::FINISHED => last = Some(Ended::Finished),
                        _ => last = Some(Ended::Failed(String::from_utf8_lossy(payload).into_owned())),
                    }
                }
            }
            if news {
                let mut buffer = [0; LONGEST];
                let Some(news) = keeper::receive(&self.control, &mut buffer) else {
                    outlast(&line);
                    self.reclaim_terminal();
                    return Err(LiveError::NurseryGone);
                };
                status = Some(news.to_vec());
            }
        }
        self.reclaim_terminal();
        Ok(last.unwrap_or_else(|| self.death(status.as_deref().unwrap_or(&[]), killed)))
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
            // SAFETY: the kernel has just made this descriptor for us; nobody else knows it.
            break (received.bytes, fds.next().map(|fd| unsafe { OwnedFd::from_raw_fd(fd) }));
        };
        match (&buffer[..length], line) {
            ([STARTED], Some(line)) => Ok(UnixStream::from(line)),
            ([REFUSED, why @ ..], _) => Err(LiveError::Setup(String::from_utf8_lossy(why).into_owned())),
            _ => Err(LiveError::NurseryGone),
        }
    }

    /// Waits a little; whether the run's line and the nursery have something to say.
    fn wait(&self, line: &UnixStream, open: bool, alive: bool) -> (bool, bool) {
        let interest = |wanted| if wanted { PollFlags::POLLIN } else { PollFlags::empty() };
        let mut watched =
            [PollFd::new(line.as_fd(), interest(open)), PollFd::new(self.control.as_fd(), interest(alive))];
        // Both stay readable at their ends, so each is looked at only while it matters.
        let first = usize::from(!open);
        let end = if alive { 2 } else { 1 };
        // An interruption by a signal is a reason to look whether to stop.
        let changed = poll(&mut watched[first..end], PollTimeout::from(50u8)).unwrap_or(0);
        let ready = |fd: &PollFd<'_>, wanted: bool| changed > 0 && wanted && fd.any() == Some(true);
        (ready(&watched[0], open), ready(&watched[1], alive))
    }

    fn death(&self, status: &[u8], killed: bool) -> Ended {
        let (tag, number) = match status {
            [tag, number @ ..] => (*tag, number.try_into().map_or(-1, i32::from_le_bytes)),
            [] => (EXITED, -1),
        };
        let signal = (tag == SIGNALED).then_some(number);
        let what = match signal {
            _ if killed => {
                format!(
                    "the run did not end within {} s of being asked to, and was killed",
                    self.options.grace.as_secs_f64()
                )
            }
            Some(number) => {
                let name = Signal::try_from(number).map_or("an unknown signal", Signal::as_str);
                format!("the run's process was killed by signal {number} ({name})")
            }
            None => format!("the run's process ended with exit status {number} in the middle of the run"),
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
        // The nursery kills its run and leaves when this side of the socket closes.
        let _ = nix::sys::socket::shutdown(self.control.as_raw_fd(), nix::sys::socket::Shutdown::Both);
        let patience = clock::now() + Duration::from_secs(5);
        while let Ok(WaitStatus::StillAlive) = waitpid(self.pid, Some(WaitPidFlag::WNOHANG)) {
            if clock::now() > patience {
                let _ = kill(self.pid, Signal::SIGKILL);
                let _ = waitpid(self.pid, None);
                break;
            }
            clock::sleep(Duration::from_millis(1));
        }
        self.reclaim_terminal();
    }
}

/// Waits until the run's end of the line is closed: until the kernel has killed it too.
fn outlast(line: &UnixStream) {
    let patience = clock::now() + Duration::from_secs(5);
    let mut reader = frame::Reader::default();
    while clock::now() < patience {
        let mut watched = [PollFd::new(line.as_fd(), PollFlags::POLLIN)];
        if poll(&mut watched, PollTimeout::from(50u8)).is_ok_and(|changed| changed > 0)
            && !reader.fill(line).unwrap_or(false)
        {
            return;
        }
    }
}

/// Whether this process has one thread. A thread that has been joined may take a moment to leave the kernel's list.
fn alone() -> Result<(), LiveError> {
    let mut threads = 0;
    for _ in 0..50 {
        let list = fs::read_dir("/proc/self/task").map_err(LiveError::system("/proc/self/task"))?;
        threads = list.count();
        if threads == 1 {
            return Ok(());
        }
        clock::sleep(Duration::from_millis(1));
    }
    Err(LiveError::NotSingleThreaded { threads })
}

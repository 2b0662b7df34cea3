//! Start, supervision and end of a scenario's programs.

#![allow(unsafe_code, reason = "code between fork and exec")]

use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use nix::errno::Errno;
pub use nix::sys::signal::Signal;
use nix::sys::signal::killpg;
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid, waitpid};
use nix::unistd::{Pid, getpid};

use super::environment::Inherited;
use super::ready::{Readiness, Watch};
use super::user::Identity;
use super::{environment, find, log, mounts};
use crate::net::Namespace;
use crate::{LiveError, clock, scheduling};

/// A program to run, with its environment.
#[derive(Debug, Clone)]
pub struct Program {
    /// Flow of the program, for messages.
    pub name: String,
    /// Network namespace in which it runs.
    pub host: Arc<Namespace>,
    /// Program and arguments, split by shell rules but not run by a shell.
    pub run: String,
    /// User to run as (requires root); the user of this process by default.
    pub user: Option<String>,
    /// What it receives of this process's environment.
    pub inherited: Inherited,
    /// Additional environment variables. `HOME`, `USER`, `LOGNAME` and `SHELL` follow `user` unless given here.
    pub environment: Vec<(String, String)>,
    /// Working directory; the directory of this process by default.
    pub directory: Option<PathBuf>,
    /// Base name of the logs: `.out` is appended for standard output, `.err` for standard error.
    pub log: PathBuf,
    /// Whether it uses the terminal: it has no log, and receives the terminal's signals.
    pub terminal: bool,
    /// Signal that requests its end.
    pub stop_signal: Signal,
    /// Time between the request and SIGKILL.
    pub grace: Duration,
    /// SCHED_RR priority of its processes, 1 to 99, if the kernel permits it; `None` for normal scheduling.
    pub real_time: Option<u8>,
}

/// Identifier of a started program. Identifiers are never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProgramId(u64);

/// A program that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exited {
    /// Its identifier.
    pub id: ProgramId,
    /// Its flow.
    pub name: String,
    /// Its exit status.
    pub status: ExitStatus,
    /// Time since its start.
    pub after: Duration,
    /// Whether this process requested its end or killed it.
    pub asked: bool,
    /// Whether it was killed after its grace period.
    pub killed: bool,
    /// Last lines of its standard error, or of its standard output if the former is empty.
    pub last_lines: String,
}

impl Exited {
    /// Description of its end: `exit status 3 after 0.012 s; its log ends: ...`.
    pub fn text(&self) -> String {
        let how = match (self.status.code(), self.status.signal()) {
            (Some(code), _) => format!("exit status {code}"),
            (None, Some(number)) => {
                let name = Signal::try_from(number).map_or("an unknown signal", Signal::as_str);
                format!("killed by signal {number} ({name})")
            }
            (None, None) => "unknown exit status".to_owned(),
        };
        format!("{how} after {:.3} s{}", self.after.as_secs_f64(), log::as_suffix(&self.last_lines))
    }
}

/// Result of [`Supervisor::wait_ready`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waited {
    /// The program is ready.
    Ready,
    /// The caller stopped waiting.
    Stopped,
}

/// Starts programs and records how they end. In the first process of a PID namespace it also reaps orphaned processes, so there
/// all processes must be started through it. Kills its programs when dropped.
#[derive(Debug, Default)]
pub struct Supervisor {
    running: Vec<Running>,
    ended: Vec<Exited>,
    started: u64,
}

#[derive(Debug)]
struct Running {
    id: ProgramId,
    program: Program,
    /// The program, and the process group that it leads.
    pid: Pid,
    start: Instant,
    /// Time at which to kill it, once its end was requested.
    deadline: Option<Instant>,
    killed: bool,
}

impl Supervisor {
    /// Creates a supervisor without programs.
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts `program`.
    ///
    /// # Errors
    /// If the program cannot run: an invalid command, or an unknown program, user, directory or log path.
    pub fn start(&mut self, program: Program) -> Result<ProgramId, LiveError> {
        let pid = spawn(&program)?;
        self.started += 1;
        let id = ProgramId(self.started);
        self.running.push(Running { id, program, pid, start: clock::now(), deadline: None, killed: false });
        Ok(id)
    }

    /// Returns the programs that ended since the last call. Kills programs whose grace period is over. Never waits.
    pub fn poll(&mut self) -> Vec<Exited> {
        self.reap();
        std::mem::take(&mut self.ended)
    }

    /// Whether a program still runs.
    pub fn is_running(&self, id: ProgramId) -> bool {
        self.find(id).is_some()
    }

    /// Whether any program still runs.
    pub fn is_idle(&self) -> bool {
        self.running.is_empty()
    }

    /// Requests the end of a program and its process group; [`Supervisor::poll`] kills it after its grace period. Does
    /// nothing if the program has ended or was asked before.
    pub fn stop(&mut self, id: ProgramId) {
        if let Some(running) = self.running.iter_mut().find(|running| running.id == id) {
            running.request_stop(running.program.grace);
        }
    }

    /// Ends all programs, each within its own grace period and all within `grace`. Returns the ended programs, including
    /// earlier ones that were not polled.
    pub fn stop_all(&mut self, grace: Duration) -> Vec<Exited> {
        for running in &mut self.running {
            running.request_stop(running.program.grace.min(grace));
        }
        // A process that SIGKILL does not end within a second waits for a device; the end of the PID namespace takes care of
        // it.
        let deadline = clock::now() + grace + Duration::from_secs(1);
        loop {
            self.reap();
            if self.is_idle() || clock::now() > deadline {
                return std::mem::take(&mut self.ended);
            }
            clock::sleep(Duration::from_millis(2));
        }
    }

    /// Creates a watch that tells without waiting whether a program is ready. `timeout` counts from now, a delay from the
    /// program's start.
    pub fn watch(&self, id: ProgramId, readiness: Readiness, timeout: Duration) -> Option<Watch> {
        self.find(id).map(|running| Watch::new(&running.program, running.start, readiness, timeout))
    }

    /// Waits until a program is ready or `stop` returns true.
    ///
    /// # Errors
    /// If the program ends, or is not ready within `timeout`. The message has the last lines of its log.
    pub fn wait_ready(
        &mut self,
        id: ProgramId,
        readiness: Readiness,
        timeout: Duration,
        stop: &dyn Fn() -> bool,
    ) -> Result<Waited, LiveError> {
        let mut watch = self.watch(id, readiness, timeout);
        loop {
            self.reap();
            if let Some(exited) = self.ended.iter().find(|exited| exited.id == id) {
                return Err(LiveError::EndedEarly { flow: exited.name.clone(), what: exited.text() });
            }
            match watch.as_mut().map(Watch::poll).transpose()? {
                Some(false) if !stop() => clock::sleep(Duration::from_millis(5)),
                Some(false) => return Ok(Waited::Stopped),
                Some(true) => return Ok(Waited::Ready),
                None => {
                    return Err(LiveError::EndedEarly {
                        flow: String::new(),
                        what: "it had already ended".into(),
                    });
                }
            }
        }
    }

    fn find(&self, id: ProgramId) -> Option<&Running> {
        self.running.iter().find(|running| running.id == id)
    }

    fn reap(&mut self) {
        let now = clock::now();
        let ended = &mut self.ended;
        self.running.retain_mut(|running| match running.check(now) {
            Some(exited) => {
                ended.push(exited);
                false
            }
            None => true,
        });
        if getpid() == Pid::from_raw(1) {
            self.reap_orphans();
        }
    }

    /// Reaps orphans: the kernel makes them children of the first process of the PID namespace.
    fn reap_orphans(&self) {
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
        while let Ok(status) = waitid(Id::All, flags) {
            match status.pid() {
                // A program's own exit status is read by `check`.
                Some(pid) if !self.running.iter().any(|running| running.pid == pid) => {
                    let _ = waitpid(pid, None);
                }
                _ => break,
            }
        }
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        for running in &self.running {
            let _ = killpg(running.pid, Signal::SIGKILL);
            let _ = waitpid(running.pid, None);
        }
    }
}

impl Running {
    fn request_stop(&mut self, grace: Duration) {
        let deadline = clock::now() + grace;
        match &mut self.deadline {
            // A repeated request can only shorten the grace period.
            Some(earlier) => *earlier = deadline.min(*earlier),
            None => {
                self.deadline = Some(deadline);
                let _ = killpg(self.pid, self.program.stop_signal);
                // A program stopped by job control could not react to the request.
                let _ = killpg(self.pid, Signal::SIGCONT);
            }
        }
    }

    fn check(&mut self, now: Instant) -> Option<Exited> {
        if self.program.terminal {
            self.resume_if_stopped();
        }
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
        match waitid(Id::Pid(self.pid), flags) {
            Ok(WaitStatus::StillAlive) | Err(Errno::EINTR) => {
                if !self.killed && self.deadline.is_some_and(|deadline| now >= deadline) {
                    self.killed = true;
                    let _ = killpg(self.pid, Signal::SIGKILL);
                }
                return None;
            }
            _ => {}
        }
        if self.deadline.is_some() {
            // Kills the rest of the process group. The program is still a zombie, so its process id cannot have been reused.
            let _ = killpg(self.pid, Signal::SIGKILL);
        }
        let status = match waitpid(self.pid, None) {
            Ok(WaitStatus::Exited(_, code)) => ExitStatus::from_raw(code << 8),
            Ok(WaitStatus::Signaled(_, signal, _)) => ExitStatus::from_raw(signal as i32),
            // The process was reaped elsewhere, so its status is unknown.
            _ => ExitStatus::from_raw(255 << 8),
        };
        Some(Exited {
            id: self.id,
            name: self.program.name.clone(),
            status,
            after: self.start.elapsed(),
            asked: self.deadline.is_some(),
            killed: self.killed,
            last_lines: if self.program.terminal {
                String::new()
            } else {
                log::last_lines(&self.program.log)
            },
        })
    }

    /// Resumes a program that was stopped in the terminal's foreground (Ctrl-Z): there is no shell to do it.
    fn resume_if_stopped(&self) {
        let flags = WaitPidFlag::WSTOPPED | WaitPidFlag::WNOHANG;
        if let Ok(WaitStatus::Stopped(..)) = waitid(Id::Pid(self.pid), flags) {
            let _ = killpg(self.pid, Signal::SIGCONT);
        }
    }
}

fn spawn(program: &Program) -> Result<Pid, LiveError> {
    let flow = &program.name;
    let invalid = |why: String| LiveError::BadCommand { flow: flow.clone(), run: program.run.clone(), why };
    let words = shell_words::split(&program.run).map_err(|error| invalid(error.to_string()))?;
    let (first, arguments) =
        words.split_first().ok_or_else(|| invalid("the program is missing".to_owned()))?;
    let user = program.user.as_deref().map(|user| Identity::of(flow, user)).transpose()?;
    if let Some(directory) = &program.directory {
        fs::read_dir(directory).map_err(LiveError::path(flow, directory))?;
    }
    let file = find::program(program, first)?;

    // Checks are done: from here on only the fork itself can fail.
    let mut command = Command::new(&file);
    command.arg0(first).args(arguments);
    command.env_clear().envs(environment::of(program, user.as_ref()));
    if let Some(directory) = &program.directory {
        command.current_dir(directory);
    }
    if !program.terminal {
        command.stdin(Stdio::null());
        command.stdout(create(flow, &log::output(&program.log), user.as_ref())?);
        command.stderr(create(flow, &log::errors(&program.log), user.as_ref())?);
    }
    let (host, terminal, real_time) = (program.host.clone(), program.terminal, program.real_time);
    // SAFETY: `prepare` makes system calls only, and touches neither locks nor the heap.
    unsafe { command.pre_exec(move || prepare(&host, user.as_ref(), terminal, real_time)) };
    match command.spawn() {
        // The supervisor waits for the child by its process id.
        Ok(child) => Ok(Pid::from_raw(child.id() as i32)),
        Err(error) => Err(LiveError::NotExecutable {
            flow: flow.clone(),
            why: find::describe_io_error(&error),
            program: file,
        }),
    }
}

/// Prepares the child between fork and exec.
fn prepare(
    host: &Namespace,
    user: Option<&Identity>,
    terminal: bool,
    real_time: Option<u8>,
) -> io::Result<()> {
    // SAFETY: these are system calls with plain values.
    unsafe {
        libc::setpgid(0, 0);
        if terminal {
            // Only the terminal's foreground group can read from it. SIGTTOU is ignored until below.
            libc::signal(libc::SIGTTOU, libc::SIG_IGN);
            libc::tcsetpgrp(0, libc::getpid());
        }
        if libc::setns(host.fd().as_raw_fd(), libc::CLONE_NEWNET) != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    mounts::mount_sys();
    // Before the change of the user, who may not be permitted to. Refused, the program runs normally, which its results tell.
    if let Some(priority) = real_time {
        let _ = scheduling::enter_round_robin(priority);
    }
    if let Some(user) = user {
        user.assume()?;
    }
    // The nursery ignores these signals, and ignored signals stay ignored across exec.
    for signal in [
        libc::SIGINT,
        libc::SIGQUIT,
        libc::SIGTERM,
        libc::SIGHUP,
        libc::SIGCHLD,
        libc::SIGTSTP,
        libc::SIGTTIN,
        libc::SIGTTOU,
    ] {
        // SAFETY: as above. The standard library restores SIGPIPE and the signal mask.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    Ok(())
}

fn create(flow: &str, path: &Path, user: Option<&Identity>) -> Result<File, LiveError> {
    File::create(path).map_err(LiveError::path(flow, path))?;
    // In append mode a program that opens /dev/stdout again does not overwrite its earlier output.
    let file = File::options().append(true).open(path).map_err(LiveError::path(flow, path))?;
    if let Some(user) = user {
        // Lets the program open /dev/stdout.
        std::os::unix::fs::fchown(&file, Some(user.uid), Some(user.gid))
            .map_err(LiveError::path(flow, path))?;
    }
    Ok(file)
}

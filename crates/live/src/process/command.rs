//! The programs of a scenario: started in their hosts, watched, ended.

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

use super::ready::{Readiness, Watch};
use super::user::Identity;
use super::{find, log, mounts};
use crate::net::Namespace;
use crate::{LiveError, clock};

/// A program and its circumstances.
#[derive(Debug, Clone)]
pub struct Program {
    /// The flow that it serves; messages name it.
    pub name: String,
    /// Where it runs.
    pub host: Arc<Namespace>,
    /// Program and arguments, split as a shell would, but run by none.
    pub run: String,
    /// Whom it runs as; the user of this process if none. Needs root.
    pub user: Option<String>,
    /// Variables beside those of this process. `HOME`, `USER`, `LOGNAME` and `SHELL` are `user`'s unless given here.
    pub environment: Vec<(String, String)>,
    /// Where it starts; the directory of this process if none.
    pub directory: Option<PathBuf>,
    /// Its output goes to the file of this name with `.out` added, its error output to the one with `.err`.
    pub log: PathBuf,
    /// It has the terminal instead: no log, and the signals of the terminal's keys are its own.
    pub terminal: bool,
    /// What asks it to end.
    pub stop_signal: Signal,
    /// How long it may take to end before it is killed.
    pub grace: Duration,
}

/// A program that was started. Numbers are not used twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProgramId(u64);

/// A program that ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exited {
    /// Which.
    pub id: ProgramId,
    /// Its flow.
    pub name: String,
    /// With what.
    pub status: ExitStatus,
    /// How long after its start.
    pub after: Duration,
    /// It was asked to end, or killed, by this process.
    pub asked: bool,
    /// Its grace was over, and it was killed.
    pub killed: bool,
    /// The last lines of its error output, or else of its output.
    pub last_lines: String,
}

impl Exited {
    /// How it ended, for people: `exit status 3 after 0.012 s; its log ends: ...`.
    pub fn text(&self) -> String {
        let how = match (self.status.code(), self.status.signal()) {
            (Some(code), _) => format!("exit status {code}"),
            (None, Some(number)) => {
                let name = Signal::try_from(number).map_or("an unknown signal", Signal::as_str);
                format!("killed by signal {number} ({name})")
            }
            (None, None) => "an unknown end".to_owned(),
        };
        format!("{how} after {:.3} s{}", self.after.as_secs_f64(), log::as_end_of_sentence(&self.last_lines))
    }
}

/// Why [`Supervisor::wait_ready`] came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waited {
    /// The program is ready.
    Ready,
    /// The caller wanted to stop.
    Stopped,
}

/// Starts programs and knows how they end. In the first process of a PID namespace it also reaps what programs leave
/// behind, so there all processes must be started through it. Dropped, it kills its programs.
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
    /// When to kill it, once it was asked to end.
    deadline: Option<Instant>,
    killed: bool,
}

impl Supervisor {
    /// No programs yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts `program`.
    ///
    /// # Errors
    /// All that can be told before it runs: words that are no command, no such program, user, directory or log.
    pub fn start(&mut self, program: Program) -> Result<ProgramId, LiveError> {
        let pid = spawn(&program)?;
        self.started += 1;
        let id = ProgramId(self.started);
        self.running.push(Running { id, program, pid, start: clock::now(), deadline: None, killed: false });
        Ok(id)
    }

    /// The programs that ended since the last call. Also kills those whose grace is over. Never waits.
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

    /// Asks a program and its process group to end; [`Supervisor::poll`] kills it when its grace is over. Nothing happens if
    /// it has ended, or was asked before.
    pub fn stop(&mut self, id: ProgramId) {
        if let Some(running) = self.running.iter_mut().find(|running| running.id == id) {
            running.ask(running.program.grace);
        }
    }

    /// Ends all programs, each within its own grace, and all within `grace`. The programs that ended, with those of earlier
    /// that nobody polled for.
    pub fn stop_all(&mut self, grace: Duration) -> Vec<Exited> {
        for running in &mut self.running {
            running.ask(running.program.grace.min(grace));
        }
        // What SIGKILL does not end within a second waits for a device, and is left to the end of the PID namespace.
        let patience = clock::now() + grace + Duration::from_secs(1);
        loop {
            self.reap();
            if self.is_idle() || clock::now() > patience {
                return std::mem::take(&mut self.ended);
            }
            clock::sleep(Duration::from_millis(2));
        }
    }

    /// Watches whether a program is ready, without waiting. The time runs from now; a delay, from the program's start.
    pub fn watch(&self, id: ProgramId, readiness: Readiness, timeout: Duration) -> Option<Watch> {
        self.find(id).map(|running| Watch::new(&running.program, running.start, readiness, timeout))
    }

    /// Waits until a program is ready, or `stop` says to wait no more.
    ///
    /// # Errors
    /// The program is not ready within `timeout`, or ended; the message holds the last lines of its log.
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
                        what: "it had ended before".into(),
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
        self.running.retain_mut(|running| match running.look(now) {
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

    /// What programs left behind comes to the first process of the PID namespace when it dies.
    fn reap_orphans(&self) {
        let look = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
        while let Ok(status) = waitid(Id::All, look) {
            match status.pid() {
                // A program's own end is for the next look at it.
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
    fn ask(&mut self, grace: Duration) {
        let deadline = clock::now() + grace;
        match &mut self.deadline {
            // Whoever asks again can only hasten it.
            Some(earlier) => *earlier = deadline.min(*earlier),
            None => {
                self.deadline = Some(deadline);
                let _ = killpg(self.pid, self.program.stop_signal);
                // One that was stopped by job control would sleep through the request.
                let _ = killpg(self.pid, Signal::SIGCONT);
            }
        }
    }

    fn look(&mut self, now: Instant) -> Option<Exited> {
        if self.program.terminal {
            self.keep_going();
        }
        let look = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
        match waitid(Id::Pid(self.pid), look) {
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
            // The rest of a group that was asked to end. The program is still a zombie, so its number is nobody else's.
            let _ = killpg(self.pid, Signal::SIGKILL);
        }
        let status = match waitpid(self.pid, None) {
            Ok(WaitStatus::Exited(_, code)) => ExitStatus::from_raw(code << 8),
            Ok(WaitStatus::Signaled(_, signal, _)) => ExitStatus::from_raw(signal as i32),
            // Somebody else has reaped it; it is gone, and nobody knows how.
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

    /// A program in the terminal's foreground that is stopped (Ctrl-Z) has no shell to wake it.
    fn keep_going(&self) {
        let look = WaitPidFlag::WSTOPPED | WaitPidFlag::WNOHANG;
        if let Ok(WaitStatus::Stopped(..)) = waitid(Id::Pid(self.pid), look) {
            let _ = killpg(self.pid, Signal::SIGCONT);
        }
    }
}

fn spawn(program: &Program) -> Result<Pid, LiveError> {
    let flow = &program.name;
    let bad = |why: String| LiveError::BadCommand { flow: flow.clone(), run: program.run.clone(), why };
    let words = shell_words::split(&program.run).map_err(|error| bad(error.to_string()))?;
    let (first, arguments) = words.split_first().ok_or_else(|| bad("no program named".to_owned()))?;
    let user = program.user.as_deref().map(|user| Identity::of(flow, user)).transpose()?;
    if let Some(directory) = &program.directory {
        fs::read_dir(directory).map_err(LiveError::path(flow, directory))?;
    }
    let file = find::program(program, first)?;

    let mut command = Command::new(&file);
    command.arg0(first).args(arguments);
    if let Some(user) = &user {
        command
            .env("HOME", &user.home)
            .env("USER", &user.name)
            .env("LOGNAME", &user.name)
            .env("SHELL", &user.shell);
    }
    command.envs(program.environment.iter().map(|(name, value)| (name, value)));
    if let Some(directory) = &program.directory {
        command.current_dir(directory);
    }
    if !program.terminal {
        command.stdin(Stdio::null());
        command.stdout(create(flow, &log::output(&program.log), user.as_ref())?);
        command.stderr(create(flow, &log::errors(&program.log), user.as_ref())?);
    }
    let (host, terminal) = (program.host.clone(), program.terminal);
    // SAFETY: `prepare` makes system calls only, and touches neither locks nor the heap.
    unsafe { command.pre_exec(move || prepare(&host, user.as_ref(), terminal)) };
    match command.spawn() {
        // The child is waited for by its number.
        Ok(child) => Ok(Pid::from_raw(child.id() as i32)),
        Err(error) => {
            Err(LiveError::NotExecutable { flow: flow.clone(), why: find::why_not(&error), program: file })
        }
    }
}

/// Between fork and exec.
fn prepare(host: &Namespace, user: Option<&Identity>, terminal: bool) -> io::Result<()> {
    // SAFETY: system calls with numbers and constants.
    unsafe {
        libc::setpgid(0, 0);
        if terminal {
            // The group must be the terminal's foreground to read from it. SIGTTOU is ignored until below.
            libc::signal(libc::SIGTTOU, libc::SIG_IGN);
            libc::tcsetpgrp(0, libc::getpid());
        }
        if libc::setns(host.fd().as_raw_fd(), libc::CLONE_NEWNET) != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    mounts::own_sys();
    if let Some(user) = user {
        user.assume()?;
    }
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
        // SAFETY: as above. SIGPIPE and the mask are restored by the standard library.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    Ok(())
}

fn create(flow: &str, path: &Path, user: Option<&Identity>) -> Result<File, LiveError> {
    File::create(path).map_err(LiveError::path(flow, path))?;
    // Appended to, so that a program which opens /dev/stdout again does not write over itself.
    let file = File::options().append(true).open(path).map_err(LiveError::path(flow, path))?;
    if let Some(user) = user {
        // So that a program may open /dev/stdout.
        std::os::unix::fs::fchown(&file, Some(user.uid), Some(user.gid))
            .map_err(LiveError::path(flow, path))?;
    }
    Ok(file)
}

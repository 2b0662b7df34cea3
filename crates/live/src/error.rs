//! What can go wrong outside the models: the machine, its kernel, its programs.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use thiserror::Error;

/// An error of the live world. Each message stands alone and says what would be right.
#[derive(Debug, Error)]
pub enum LiveError {
    /// A system call failed.
    #[error("{what}: {source}")]
    System {
        /// What was being done.
        what: String,
        /// The kernel's answer.
        source: io::Error,
    },

    /// Neither root nor able to make a user namespace.
    #[error("not root, and this kernel makes no user namespace for this user ({why}); {remedy}")]
    NoUserNamespaces {
        /// The kernel's answer.
        why: String,
        /// What to change, as far as the kernel shows it.
        remedy: String,
    },

    /// The TUN device is missing or not accessible.
    #[error("/dev/net/tun: {why}; {remedy}")]
    NoTun {
        /// The kernel's answer.
        why: io::Error,
        /// What to do about it.
        remedy: &'static str,
    },

    /// A process with threads can't fork safely.
    #[error("the nursery must be started before any thread; this process has {threads}")]
    NotSingleThreaded {
        /// The threads of this process.
        threads: usize,
    },

    /// The kernel refused a sysctl.
    #[error("sysctl {name} = {value:?}: {why}")]
    Sysctl {
        /// The sysctl, with dots.
        name: String,
        /// What was to be written.
        value: String,
        /// Why not.
        why: String,
    },

    /// The kernel has no such TCP congestion control.
    #[error("the kernel has no TCP congestion control {name:?}; it offers {offered}")]
    UnknownCongestionControl {
        /// What was asked for.
        name: String,
        /// `net.ipv4.tcp_available_congestion_control`.
        offered: String,
    },

    /// The words of a command can't be told apart, or there are none.
    #[error("flow {flow:?}: command {run:?}: {why}")]
    BadCommand {
        /// The flow that runs it.
        flow: String,
        /// The command line.
        run: String,
        /// What is wrong.
        why: String,
    },

    /// No such program.
    #[error("flow {flow:?}: no program {program:?} in PATH ({path})")]
    NoSuchProgram {
        /// The flow that runs it.
        flow: String,
        /// The first word of the command.
        program: String,
        /// Where it was looked for.
        path: String,
    },

    /// A file that is no program.
    #[error("flow {flow:?}: {} {why}", program.display())]
    NotExecutable {
        /// The flow that runs it.
        flow: String,
        /// The file.
        program: PathBuf,
        /// Why it can't be run.
        why: String,
    },

    /// The user is not known on this machine.
    #[error("flow {flow:?}: no user {user:?} on this machine")]
    NoSuchUser {
        /// The flow that names the user.
        flow: String,
        /// The user.
        user: String,
    },

    /// Only root can run programs as somebody else.
    #[error("flow {flow:?}: only root can run a program as user {user:?}; leave `user` out, or run as root")]
    UserNeedsRoot {
        /// The flow that names the user.
        flow: String,
        /// The user.
        user: String,
    },

    /// A program's directory or log can't be used.
    #[error("flow {flow:?}: {} cannot be used: {source}", path.display())]
    Path {
        /// The flow that names it.
        flow: String,
        /// The path.
        path: PathBuf,
        /// The kernel's answer.
        source: io::Error,
    },

    /// A program was not ready in time.
    #[error("flow {flow:?}: not ready after {} s: {what}{log}", timeout.as_secs_f64())]
    NotReady {
        /// The program's flow.
        flow: String,
        /// What was waited for.
        what: String,
        /// How long.
        timeout: Duration,
        /// The last lines of its log, as a sentence's end.
        log: String,
    },

    /// A program ended before it was ready.
    #[error("flow {flow:?}: ended before it was ready: {what}")]
    EndedEarly {
        /// The program's flow.
        flow: String,
        /// How it ended, and the last lines of its log.
        what: String,
    },

    /// The process that holds a run could not be made.
    #[error("{0}")]
    Setup(String),

    /// The nursery is gone: somebody killed it.
    #[error("the process that keeps the run was killed from outside; the run ended with it")]
    NurseryGone,
}

impl LiveError {
    /// For `map_err`: the kernel's answer, with what was being done.
    pub fn system<E: Into<io::Error>>(what: impl Into<String>) -> impl FnOnce(E) -> Self {
        let what = what.into();
        move |source| Self::System { what, source: source.into() }
    }

    /// For `map_err`: a file's name with the kernel's answer.
    pub(crate) fn path<E: Into<io::Error>>(flow: &str, path: &Path) -> impl FnOnce(E) -> Self {
        let (flow, path) = (flow.to_owned(), path.to_owned());
        move |source| Self::Path { flow, path, source: source.into() }
    }
}

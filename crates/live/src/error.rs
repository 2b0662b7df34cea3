//! Errors of the machine, its kernel and the programs of a live run.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use thiserror::Error;

/// An error of a live run. Each message is self-contained and names the remedy.
#[derive(Debug, Error)]
pub enum LiveError {
    /// A system call failed.
    #[error("{what}: {source}")]
    System {
        /// The attempted action.
        what: String,
        /// The kernel's error.
        source: io::Error,
    },

    /// The process is not root and cannot create a user namespace.
    #[error("requires root or a user namespace, but this user cannot create one ({why}); {remedy}")]
    NoUserNamespaces {
        /// The kernel's error.
        why: String,
        /// The setting to change, as far as the kernel shows it.
        remedy: String,
    },

    /// The TUN device is missing or not accessible.
    #[error("/dev/net/tun: {why}; {remedy}")]
    NoTun {
        /// The kernel's error.
        why: io::Error,
        /// The remedy.
        remedy: &'static str,
    },

    /// A process with threads cannot fork safely.
    #[error("the nursery must be started in a process with 1 thread, got {threads}")]
    NotSingleThreaded {
        /// Number of threads of this process.
        threads: usize,
    },

    /// The kernel rejected a sysctl.
    #[error("cannot set sysctl {name} to {value:?}: {why}")]
    Sysctl {
        /// Name of the sysctl, with dots.
        name: String,
        /// The new value.
        value: String,
        /// The reason.
        why: String,
    },

    /// The kernel does not provide this TCP congestion control.
    #[error("unknown TCP congestion control {name:?}; this kernel provides: {offered}")]
    UnknownCongestionControl {
        /// The requested name.
        name: String,
        /// `net.ipv4.tcp_available_congestion_control`.
        offered: String,
    },

    /// A command that is empty or cannot be split into words.
    #[error("flow {flow:?}: invalid command {run:?}: {why}")]
    BadCommand {
        /// The flow of the command.
        flow: String,
        /// The command line.
        run: String,
        /// The reason.
        why: String,
    },

    /// The program is not in PATH.
    #[error("flow {flow:?}: program {program:?} not found in PATH ({path})")]
    NoSuchProgram {
        /// The flow of the program.
        flow: String,
        /// The first word of the command.
        program: String,
        /// The searched directories.
        path: String,
    },

    /// A file that cannot be executed.
    #[error("flow {flow:?}: cannot execute {}: {why}", program.display())]
    NotExecutable {
        /// The flow of the program.
        flow: String,
        /// The file.
        program: PathBuf,
        /// The reason.
        why: String,
    },

    /// The user does not exist on this machine.
    #[error("flow {flow:?}: unknown user {user:?}")]
    NoSuchUser {
        /// The flow that names the user.
        flow: String,
        /// The user.
        user: String,
    },

    /// Only root can run programs as another user.
    #[error("flow {flow:?}: running a program as user {user:?} requires root; remove `user`, or run as root")]
    UserNeedsRoot {
        /// The flow that names the user.
        flow: String,
        /// The user.
        user: String,
    },

    /// A program's directory or log cannot be used.
    #[error("flow {flow:?}: cannot use {}: {source}", path.display())]
    Path {
        /// The flow that names it.
        flow: String,
        /// The path.
        path: PathBuf,
        /// The kernel's error.
        source: io::Error,
    },

    /// A program was not ready before the timeout.
    #[error("flow {flow:?}: not ready after {} s: {what}{log}", timeout.as_secs_f64())]
    NotReady {
        /// The program's flow.
        flow: String,
        /// The unmet condition.
        what: String,
        /// The timeout.
        timeout: Duration,
        /// The last lines of its log, as the end of the message.
        log: String,
    },

    /// A program ended before it was ready.
    #[error("flow {flow:?}: program ended before it was ready: {what}")]
    EndedEarly {
        /// The program's flow.
        flow: String,
        /// The exit status and the last lines of its log.
        what: String,
    },

    /// The process that holds a run could not be created.
    #[error("{0}")]
    Setup(String),

    /// The nursery was killed by another process.
    #[error("the run's parent process was killed from outside, which ended the run")]
    NurseryGone,
}

impl LiveError {
    /// For `map_err`: the kernel's error with the attempted action.
    pub fn system<E: Into<io::Error>>(what: impl Into<String>) -> impl FnOnce(E) -> Self {
        let what = what.into();
        move |source| Self::System { what, source: source.into() }
    }

    /// For `map_err`: the kernel's error with the path.
    pub(crate) fn path<E: Into<io::Error>>(flow: &str, path: &Path) -> impl FnOnce(E) -> Self {
        let (flow, path) = (flow.to_owned(), path.to_owned());
        move |source| Self::Path { flow, path, source: source.into() }
    }
}

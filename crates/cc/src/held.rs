//! Congestion controls that stay loaded as long as a value exists.

#![allow(unsafe_code, reason = "code between fork and exec")]

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::{AsRawFd, BorrowedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdout, Stdio};
use std::time::Duration;

use rustix::process::Signal;

use crate::CcError;
use crate::image::Image;

/// Keeps a control in the kernel until it is dropped.
///
/// Sockets that use it then keep it until they are closed.
#[derive(Debug)]
pub struct Held {
    loader: Child,
    answers: BufReader<ChildStdout>,
}

/// A control to load, with its parameters; `None` is the default. A loaded control has one set for the whole machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settings {
    /// `newcwv` and `newcwv_paced`.
    NewCwv(NewCwv),
    /// `dctcp`, which has no parameters.
    Dctcp,
    /// `prague`.
    Prague(Prague),
}

/// Parameters of newCWV.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NewCwv {
    /// The non-validated period of RFC 7661 §4.4; five minutes by default, and at most.
    pub validity: Option<Duration>,
    /// Packets that one ACK or write may release in the non-validated phase of `newcwv` (RFC 7661 §4.4.2); 10 by default, 0
    /// for no limit.
    pub burst: Option<u32>,
}

/// Parameters of Prague.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Prague {
    /// The ECN codepoint of data.
    pub codepoint: Codepoint,
}

/// An ECN-capable codepoint.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Codepoint {
    /// ECT(0), which the kernel sends.
    Ect0,
    /// ECT(1) (RFC 9331 §4.1), on the devices given to [`Held::set_codepoint_on`].
    #[default]
    Ect1,
}

impl From<NewCwv> for Settings {
    fn from(settings: NewCwv) -> Settings {
        Settings::NewCwv(settings)
    }
}

impl From<Prague> for Settings {
    fn from(settings: Prague) -> Settings {
        Settings::Prague(settings)
    }
}

impl Settings {
    fn arguments(self) -> Vec<String> {
        let mut all = Vec::new();
        match self {
            Settings::NewCwv(NewCwv { validity, burst }) => {
                all.push("newcwv".to_owned());
                if let Some(validity) = validity {
                    all.extend(["--validity".to_owned(), format!("{}ms", validity.as_millis())]);
                }
                if let Some(burst) = burst {
                    all.extend(["--burst".to_owned(), burst.to_string()]);
                }
            }
            Settings::Dctcp => all.push("dctcp".to_owned()),
            Settings::Prague(Prague { codepoint }) => {
                let codepoint = if codepoint == Codepoint::Ect0 { "ect0" } else { "ect1" };
                all.extend(["prague", "--codepoint", codepoint].map(str::to_owned));
            }
        }
        all
    }
}

/// Loads a control, or shares one that is already loaded, whose parameters must be the same.
///
/// The kernel kills the loader when the calling *thread* ends, so that nothing outlives a killed process.
pub fn hold(settings: impl Into<Settings>) -> Result<Held, CcError> {
    let own = || CcError::Refused("the kernel has another congestion control of that name".to_owned());
    hold_unless_own(settings)?.ok_or_else(own)
}

/// Loads or shares a control like [`hold`], unless the kernel has its own of that name: `None` then.
pub fn hold_unless_own(settings: impl Into<Settings>) -> Result<Option<Held>, CcError> {
    let image = Image::new()?;
    let mut command = image.command();
    command.arg("hold").args(settings.into().arguments());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // SAFETY: between fork and exec, prctl(2) is a single system call without allocation.
    unsafe {
        command.pre_exec(|| Ok(rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?));
    }
    let mut loader = command.spawn()?;
    let Some(answers) = loader.stdout.take() else {
        return Err(io::Error::other("the loader has no standard output").into());
    };
    // On failure this value is dropped, which ends the loader.
    let mut held = Held { loader, answers: BufReader::new(answers) };
    match held.answer()?.as_str() {
        "ready" => Ok(Some(held)),
        "own" => Ok(None),
        _ => {
            let mut message = String::new();
            if let Some(mut errors) = held.loader.stderr.take() {
                errors.read_to_string(&mut message)?;
            }
            Err(CcError::Refused(message.trim_end().to_owned()))
        }
    }
}

impl Held {
    /// Sets the codepoint of Prague's packets that leave through a device of `namespace`, a descriptor of a network namespace, for as
    /// long as this value exists.
    pub fn set_codepoint_on(&mut self, namespace: BorrowedFd<'_>, device: &str) -> Result<(), CcError> {
        let Some(input) = self.loader.stdin.as_mut() else {
            return Err(io::Error::other("the loader has no standard input").into());
        };
        writeln!(input, "/proc/{}/fd/{} {device}", std::process::id(), namespace.as_raw_fd())?;
        match self.answer()? {
            answer if answer == "ready" => Ok(()),
            answer if answer.is_empty() => Err(CcError::Refused("the loader has ended".to_owned())),
            answer => Err(CcError::Refused(answer)),
        }
    }

    fn answer(&mut self) -> io::Result<String> {
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        Ok(line.trim_end().to_owned())
    }
}

impl Drop for Held {
    /// Kills the loader: closing its input is not enough, since a forked process may have it open too. The kernel releases the
    /// controls before the wait returns.
    fn drop(&mut self) {
        // The loader may already have ended, in which case both calls fail harmlessly.
        let _ = self.loader.kill();
        let _ = self.loader.wait();
    }
}

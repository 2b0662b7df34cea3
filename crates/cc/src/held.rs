//! Congestion controls that stay loaded as long as a value exists.

#![allow(unsafe_code, reason = "code between fork and exec")]

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Stdio};
use std::time::Duration;

use rustix::process::Signal;

use crate::CcError;
use crate::image::Image;

/// Keeps `newcwv` and `newcwv_paced` in the kernel until it is dropped.
///
/// Sockets that use one of them then keep it until they are closed.
#[derive(Debug)]
pub struct Held {
    loader: Child,
}

/// Parameters of the controls; `None` is the default. Loaded controls have one set for the whole machine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Settings {
    /// The non-validated period of RFC 7661 §4.4; five minutes by default, and at most.
    pub validity: Option<Duration>,
    /// Packets that one ACK or write may release in the non-validated phase of `newcwv` (RFC 7661 §4.4.2); 10 by default, 0
    /// for no limit.
    pub burst: Option<u32>,
}

/// Loads both controls, or shares those that are already loaded, whose parameters must be the same.
///
/// The kernel kills the loader when the calling *thread* ends, so that nothing outlives a killed process.
pub fn hold(settings: Settings) -> Result<Held, CcError> {
    let image = Image::new()?;
    let mut command = image.command();
    command.arg("hold").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(validity) = settings.validity {
        command.arg("--validity").arg(format!("{}ms", validity.as_millis()));
    }
    if let Some(burst) = settings.burst {
        command.arg("--burst").arg(burst.to_string());
    }
    // SAFETY: between fork and exec, prctl(2) is a single system call without allocation.
    unsafe {
        command.pre_exec(|| Ok(rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?));
    }
    // On failure this value is dropped, which ends the loader.
    let mut held = Held { loader: command.spawn()? };
    let mut answer = String::new();
    if let Some(out) = held.loader.stdout.take() {
        BufReader::new(out).read_line(&mut answer)?;
    }
    if answer.trim_end() == "ready" {
        return Ok(held);
    }
    let mut message = String::new();
    if let Some(mut errors) = held.loader.stderr.take() {
        errors.read_to_string(&mut message)?;
    }
    Err(CcError::Refused(message.trim_end().to_owned()))
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

//! The controls for as long as a value lives.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Stdio};
use std::time::Duration;

use rustix::process::Signal;

use crate::CcError;
use crate::image::Image;

/// Keeps `newcwv` and `newcwv_paced` in the kernel until it is dropped.
///
/// Sockets that use one then keep it until they are closed.
#[derive(Debug)]
pub struct Held {
    loader: Child,
}

/// Puts both controls into the kernel, or shares those that are there. `validity` is the non-validated period of RFC 7661
/// §4.4, five minutes if `None`; it must be that of controls that are there.
///
/// The kernel ends the loader with the *thread* that called this, so that nothing outlives a process that is killed.
pub fn hold(validity: Option<Duration>) -> Result<Held, CcError> {
    let image = Image::new()?;
    let mut command = image.command();
    command.arg("hold").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(validity) = validity {
        command.arg("--validity").arg(format!("{}ms", validity.as_millis()));
    }
    // SAFETY: between fork and exec, prctl(2) is one system call that allocates nothing.
    unsafe {
        command.pre_exec(|| Ok(rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?));
    }
    // Dropped on failure, which ends the loader.
    let mut held = Held { loader: command.spawn()? };
    let mut said = String::new();
    if let Some(out) = held.loader.stdout.take() {
        BufReader::new(out).read_line(&mut said)?;
    }
    if said.trim_end() == "ready" {
        return Ok(held);
    }
    let mut why = String::new();
    if let Some(mut errors) = held.loader.stderr.take() {
        errors.read_to_string(&mut why)?;
    }
    Err(CcError::Refused(why.trim_end().to_owned()))
}

impl Drop for Held {
    /// Not only by closing its input, which a process forked from this one may have open too. What the loader held is
    /// given back before its end can be waited for.
    fn drop(&mut self) {
        // It has ended already, or it ends now: there is nothing else to do about either.
        let _ = self.loader.kill();
        let _ = self.loader.wait();
    }
}

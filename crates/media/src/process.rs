//! Programs that take pictures on standard input.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::Error;
use crate::picture::Origin;

/// Length of the end of a program's messages that is shown.
const LAST_WORDS: usize = 400;

/// A running program. It is killed if it is dropped before [`Running::finish`].
pub struct Running {
    child: Child,
    name: String,
    log: PathBuf,
}

impl Running {
    /// Starts a program with pipes for standard input and output. `folder` is where it runs and where its messages go.
    pub fn start(command: &mut Command, folder: &Path) -> Result<Running, Error> {
        let log = folder.join("messages.log");
        let file = File::create(&log).map_err(Error::io(format!("{}: cannot create", log.display())))?;
        Running::spawn(command.stderr(file).stdout(Stdio::piped()), folder, log)
    }

    /// As [`Running::start`], with a pipe for standard error, whose text is not kept, and no standard output.
    pub fn start_traced(command: &mut Command, folder: &Path) -> Result<Running, Error> {
        Running::spawn(
            command.stderr(Stdio::piped()).stdout(Stdio::null()),
            folder,
            folder.join("messages.log"),
        )
    }

    fn spawn(command: &mut Command, folder: &Path, log: PathBuf) -> Result<Running, Error> {
        let name =
            Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy().into_owned();
        let child = command.current_dir(folder).stdin(Stdio::piped()).spawn();
        Ok(Running { child: child.map_err(Error::io(format!("{name}: cannot run")))?, name, log })
    }

    /// Takes standard input.
    pub fn stdin(&mut self) -> Option<ChildStdin> {
        self.child.stdin.take()
    }

    /// Takes standard output.
    pub fn stdout(&mut self) -> Option<ChildStdout> {
        self.child.stdout.take()
    }

    /// Takes standard error.
    pub fn stderr(&mut self) -> Option<ChildStderr> {
        self.child.stderr.take()
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// With its last words, if it failed.
    pub fn finish(mut self) -> Result<(), Error> {
        let status = self.child.wait().map_err(Error::io(format!("{}: cannot wait for it", self.name)))?;
        if status.success() {
            return Ok(());
        }
        let text = fs::read(&self.log).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let mut last = text.trim().chars().rev().take(LAST_WORDS).collect::<Vec<_>>();
        last.reverse();
        let last: String = last.into_iter().collect();
        Err(Error::output(&self.name, if last.is_empty() { format!("{status}") } else { last }))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // After its end both do nothing.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Writes pictures to a program, each after what `before` returns for its number. Returns how many there were.
///
/// # Errors
/// If the pictures cannot be read, or on cancellation. If the program has closed its standard input there is no error:
/// its end says why.
pub fn feed(
    origin: &Origin,
    most: Option<u32>,
    to: Option<ChildStdin>,
    cancelled: &AtomicBool,
    mut before: impl FnMut(u32) -> Vec<u8>,
) -> Result<u32, Error> {
    let Some(to) = to else { return Ok(0) };
    let mut output = BufWriter::new(to);
    let mut pictures = origin.open()?;
    let mut picture = Vec::new();
    let mut count = 0;
    while most.is_none_or(|most| count < most) && pictures.next(&mut picture)? {
        if cancelled.load(Ordering::Relaxed) {
            return Err(Error::Cancelled);
        }
        let written = output.write_all(&before(count)).and_then(|()| output.write_all(&picture));
        match written {
            Ok(()) => count += 1,
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(count),
            Err(error) => return Err(Error::io("cannot write pictures to the encoder")(error)),
        }
    }
    match output.flush() {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::io("cannot write pictures to the encoder")(error))
        }
        _ => Ok(count),
    }
}

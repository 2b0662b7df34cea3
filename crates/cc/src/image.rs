//! The loader as a file without a name, to be run.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::fs::MemfdFlags;

use crate::{CcError, LOADER};

/// The loader in memory. It must live until its command is started.
pub struct Image(File);

impl Image {
    /// Fails with what is missing if there is no loader.
    pub fn new() -> Result<Image, CcError> {
        let bytes = LOADER.map_err(CcError::Missing)?;
        Ok(Image(in_memory(bytes)?))
    }

    /// A command that runs it.
    pub fn command(&self) -> Command {
        let mut command = Command::new(format!("/proc/self/fd/{}", self.0.as_raw_fd()));
        command.arg0("jettison-cc-loader");
        command
    }
}

fn in_memory(bytes: &[u8]) -> io::Result<File> {
    // Where files in memory are not to be run unless they say so (`vm.memfd_noexec`); kernels before 6.3 do not know that.
    let file = rustix::fs::memfd_create("jettison-cc-loader", MemfdFlags::CLOEXEC | MemfdFlags::EXEC)
        .or_else(|_| rustix::fs::memfd_create("jettison-cc-loader", MemfdFlags::CLOEXEC))?;
    let mut file = File::from(file);
    file.write_all(bytes)?;
    Ok(file)
}

//! The loader as an anonymous file that can be executed.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::fs::MemfdFlags;

use crate::{CcError, LOADER};

/// The loader in memory. It must exist until its command has started.
pub struct Image(File);

impl Image {
    /// Creates the image. Fails with the missing dependency if the loader was not built.
    pub fn new() -> Result<Image, CcError> {
        let bytes = LOADER.map_err(CcError::Missing)?;
        Ok(Image(in_memory(bytes)?))
    }

    /// Creates a command that runs the loader.
    pub fn command(&self) -> Command {
        let mut command = Command::new(format!("/proc/self/fd/{}", self.0.as_raw_fd()));
        command.arg0("jettison-cc-loader");
        command
    }
}

fn in_memory(bytes: &[u8]) -> io::Result<File> {
    // `vm.memfd_noexec` may require MFD_EXEC for executable files in memory; kernels before 6.3 do not know that flag.
    let file = rustix::fs::memfd_create("jettison-cc-loader", MemfdFlags::CLOEXEC | MemfdFlags::EXEC)
        .or_else(|_| rustix::fs::memfd_create("jettison-cc-loader", MemfdFlags::CLOEXEC))?;
    let mut file = File::from(file);
    file.write_all(bytes)?;
    Ok(file)
}

//! newCWV for the kernel's TCP, as the congestion controls `newcwv` and `newcwv_paced`.
//!
//! The controller is `bpf/newcwv.bpf.c`, and `bpf/loader` is a program that puts it into the kernel and takes it out. This
//! crate carries that program, if the machine that built it could build it too, and runs it from memory.

mod held;
mod image;

use std::fs;
use std::io;
use std::process::{ExitStatus, Output};

use thiserror::Error;

pub use held::{Held, hold};

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// The names that the kernel has the controls by.
pub const NAMES: [&str; 2] = ["newcwv", "newcwv_paced"];

/// Why it could not be done.
#[derive(Debug, Error)]
pub enum CcError {
    /// The loader was not built; what is missing.
    #[error("{0}")]
    Missing(&'static str),
    /// What the loader said.
    #[error("{0}")]
    Refused(String),
    /// The loader could not be run.
    #[error("cannot run the loader of newCWV: {0}")]
    Io(#[from] io::Error),
}

/// What the build lacked, and what to install; `None` if the loader is here.
pub fn missing() -> Option<&'static str> {
    LOADER.err()
}

/// Runs the loader: `load [--validity 300s]`, `unload` or `status`. It prints to this process's output and error output.
pub fn run(arguments: &[&str]) -> Result<ExitStatus, CcError> {
    let image = image::Image::new()?;
    Ok(image.command().args(arguments).status()?)
}

/// Runs the loader as [`run`] does, but keeps what it says.
pub fn output(arguments: &[&str]) -> Result<Output, CcError> {
    let image = image::Image::new()?;
    Ok(image.command().args(arguments).output()?)
}

/// The congestion controls that the kernel has now.
pub fn available() -> io::Result<Vec<String>> {
    let list = fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control")?;
    Ok(list.split_whitespace().map(str::to_owned).collect())
}

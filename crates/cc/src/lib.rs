#![deny(unsafe_code)]
//! Congestion controls in eBPF for the kernel's TCP: newCWV, DCTCP and Prague.
//!
//! The controls are `bpf/*.bpf.c`; the program `bpf/loader` loads them into the kernel and unloads them. This crate embeds that
//! program if the build machine could build it, and runs it from memory.

mod held;
mod image;
#[path = "../../../bpf/loader/src/list.rs"]
mod list;

use std::fs;
use std::io;
use std::process::{ExitStatus, Output};

use thiserror::Error;

pub use held::{Codepoint, Held, NewCwv, Prague, Settings, hold, hold_unless_own};
pub use list::{CONTROLS, Control};

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// Error of the loader.
#[derive(Debug, Error)]
pub enum CcError {
    /// The loader was not built; the text names the missing dependency.
    #[error("{0}")]
    Missing(&'static str),
    /// The loader's error message.
    #[error("{0}")]
    Refused(String),
    /// The loader could not be executed.
    #[error("cannot run the loader of congestion controls: {0}")]
    Io(#[from] io::Error),
}

/// The missing build dependency with the remedy; `None` if the loader was built.
pub fn missing() -> Option<&'static str> {
    LOADER.err()
}

/// Runs the loader: `load NAME …`, `unload [NAME]` or `status [NAME]`. It inherits standard output and standard error.
pub fn run(arguments: &[&str]) -> Result<ExitStatus, CcError> {
    let image = image::Image::new()?;
    Ok(image.command().args(arguments).status()?)
}

/// Runs the loader like [`run`], but captures its output.
pub fn output(arguments: &[&str]) -> Result<Output, CcError> {
    let image = image::Image::new()?;
    Ok(image.command().args(arguments).output()?)
}

/// Congestion controls that the kernel currently provides.
pub fn available() -> io::Result<Vec<String>> {
    let list = fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control")?;
    Ok(list.split_whitespace().map(str::to_owned).collect())
}

//! Reader of captures of Ethernet frames.

use std::path::Path;

use jettison_report::{CapturedFrame, read_capture};

use crate::output::Failure;

/// Maximum size of a capture in bytes, because it is held in memory.
const MAX_SIZE: u64 = 4 << 30;

/// Reads a capture.
pub fn read(file: &Path) -> Result<Vec<CapturedFrame>, Failure> {
    let bytes = super::read(file, MAX_SIZE, "a capture")?;
    read_capture(&bytes).map_err(|error| Failure::of(format!("{}: {error}", file.display())))
}

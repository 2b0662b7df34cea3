//! `jettison trace`.

use std::path::Path;

use jettison_link::trace::{Trace, TraceInfo};

use crate::output::{Failure, print, print_record};

/// Says what a Mahimahi trace offers.
pub fn info(file: &Path, json: bool) -> Result<(), Failure> {
    let name = file.display();
    let text = std::fs::read(file).map_err(|error| {
        Failure::of(format!("{name}: cannot be read: {error}; name a Mahimahi trace that is there"))
    })?;
    let trace = Trace::parse(&text).map_err(|error| {
        Failure::of(match error.line() {
            Some(line) => format!("{name}:{line}: {error}"),
            None => format!("{name}: {error}"),
        })
    })?;
    let info = TraceInfo::of(&trace);
    if json { print_record(&info) } else { print(format_args!("{name}\n{info}\n")) }
}

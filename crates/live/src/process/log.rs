//! Logs of a program, and the excerpts in messages.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Maximum number of quoted lines and bytes.
const LINES: usize = 5;
const BYTES: u64 = 2000;

/// Path of the standard output, which is separate because it may be data (`iperf3 --json`).
pub(super) fn output(log: &Path) -> PathBuf {
    with(log, ".out")
}

/// Path of the standard error.
pub(super) fn errors(log: &Path) -> PathBuf {
    with(log, ".err")
}

/// Last lines of standard error, or of standard output if the former is empty.
pub(super) fn last_lines(log: &Path) -> String {
    let errors = tail(&errors(log));
    if errors.is_empty() { tail(&output(log)) } else { errors }
}

/// Formats the last lines as the end of a message.
pub(super) fn as_suffix(lines: &str) -> String {
    if lines.is_empty() { "; its log is empty".to_owned() } else { format!("; its log ends:\n{lines}") }
}

fn with(log: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(log);
    name.push(suffix);
    PathBuf::from(name)
}

fn tail(path: &Path) -> String {
    let mut bytes = Vec::new();
    if let Ok(mut file) = File::open(path) {
        let length = file.metadata().map_or(0, |metadata| metadata.len());
        let _ = file.seek(SeekFrom::Start(length.saturating_sub(BYTES)));
        let _ = file.read_to_end(&mut bytes);
    }
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_come_from_stderr_or_else_from_stdout() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("one.2");
        assert_eq!(last_lines(&log), "");
        std::fs::write(folder.path().join("one.2.out"), "a\nb\n\nc\nd\ne\nf\n").unwrap();
        assert_eq!(last_lines(&log), "b\nc\nd\ne\nf");
        std::fs::write(folder.path().join("one.2.err"), "broken").unwrap();
        assert_eq!(last_lines(&log), "broken");
    }
}

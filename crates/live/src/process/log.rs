//! The logs of a program, and what messages quote of them.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Lines and bytes that a message quotes at most.
const LINES: usize = 5;
const BYTES: u64 = 2000;

/// Where a program's output goes. Apart from its errors, because output may be data (`iperf3 --json`).
pub(super) fn output(log: &Path) -> PathBuf {
    with(log, ".out")
}

/// Where its error output goes.
pub(super) fn errors(log: &Path) -> PathBuf {
    with(log, ".err")
}

/// The end of the error output, or else of the output.
pub(super) fn last_lines(log: &Path) -> String {
    let errors = tail(&errors(log));
    if errors.is_empty() { tail(&output(log)) } else { errors }
}

/// As the last part of a message.
pub(super) fn as_end_of_sentence(lines: &str) -> String {
    if lines.is_empty() { "; its log is empty".to_owned() } else { format!("; its log ends:\n{lines}") }
}

fn with(log: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(log);
    name.push(ending);
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
    fn quotes_the_last_lines_of_the_errors_or_else_of_the_output() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("one.2");
        assert_eq!(last_lines(&log), "");
        std::fs::write(folder.path().join("one.2.out"), "a\nb\n\nc\nd\ne\nf\n").unwrap();
        assert_eq!(last_lines(&log), "b\nc\nd\ne\nf");
        std::fs::write(folder.path().join("one.2.err"), "broken").unwrap();
        assert_eq!(last_lines(&log), "broken");
    }
}

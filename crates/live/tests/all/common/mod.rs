//! Helpers for tests with real processes.

#![expect(clippy::disallowed_methods, reason = "the tests wait for processes")]

use std::io::Write;
use std::time::{Duration, Instant};

/// Whether the test runs as root. Reports a skipped test.
pub fn root(test: &str) -> bool {
    let root =
        nix::unistd::geteuid().is_root() && jettison_live::process::check().is_ok_and(|found| found.root);
    if !root {
        skipped(test, "requires root");
    }
    root
}

/// Reports a skipped test past the test harness's capture.
pub fn skipped(test: &str, why: &str) {
    writeln!(std::io::stderr(), "left out: {test} ({why})").expect("standard error is open");
}

/// Waits for a condition, long enough for a machine that runs other tests with busy processes in real time.
pub fn soon(condition: &str, holds: impl Fn() -> bool) {
    const LIMIT: Duration = Duration::from_secs(60);
    let deadline = Instant::now() + LIMIT;
    while !holds() {
        assert!(Instant::now() < deadline, "not within {LIMIT:?}: {condition}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whether any process is in the network namespace or holds it open.
pub fn is_held(inode: &str) -> bool {
    let link = format!("net:[{inode}]");
    let Ok(processes) = std::fs::read_dir("/proc") else { return false };
    processes.filter_map(Result::ok).any(|process| {
        let path = process.path();
        let matches =
            |path: &std::path::Path| std::fs::read_link(path).is_ok_and(|to| to.to_string_lossy() == link);
        matches(&path.join("ns/net"))
            || ["fd", "task"].iter().any(|list| {
                let Ok(entries) = std::fs::read_dir(path.join(list)) else { return false };
                entries
                    .filter_map(Result::ok)
                    .any(|entry| matches(&entry.path()) || matches(&entry.path().join("ns/net")))
            })
    })
}

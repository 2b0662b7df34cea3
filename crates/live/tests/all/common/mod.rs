//! Helpers of the tests with real processes.

#![expect(clippy::disallowed_methods, reason = "the tests wait for processes")]

use std::io::Write;
use std::time::{Duration, Instant};

/// Whether the test can run as root; says so if not.
pub fn root(test: &str) -> bool {
    let root =
        nix::unistd::geteuid().is_root() && jettison_live::process::check().is_ok_and(|found| found.root);
    if !root {
        left_out(test, "needs root");
    }
    root
}

/// Past the test harness's capture.
pub fn left_out(test: &str, why: &str) {
    writeln!(std::io::stderr(), "left out: {test} ({why})").expect("standard error is open");
}

/// Waits for what happens soon.
pub fn soon(what: &str, happened: impl Fn() -> bool) {
    let patience = Instant::now() + Duration::from_secs(2);
    while !happened() {
        assert!(Instant::now() < patience, "not within 2 s: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whether any process is in the network namespace, or holds it open.
pub fn is_held(inode: &str) -> bool {
    let link = format!("net:[{inode}]");
    let Ok(processes) = std::fs::read_dir("/proc") else { return false };
    processes.filter_map(Result::ok).any(|process| {
        let path = process.path();
        let is_it =
            |path: &std::path::Path| std::fs::read_link(path).is_ok_and(|to| to.to_string_lossy() == link);
        is_it(&path.join("ns/net"))
            || ["fd", "task"].iter().any(|list| {
                let Ok(entries) = std::fs::read_dir(path.join(list)) else { return false };
                entries
                    .filter_map(Result::ok)
                    .any(|entry| is_it(&entry.path()) || is_it(&entry.path().join("ns/net")))
            })
    })
}

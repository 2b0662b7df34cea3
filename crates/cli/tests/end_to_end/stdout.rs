//! Standard output carries only the requested data, and may be closed at any time.

use std::process::Stdio;

use super::support::{Folder, Ran};

#[test]
fn logs_go_to_standard_error() {
    let folder = Folder::with_small();
    let mut command = folder.command(&["run", "small.toml", "--quick", "--json"]);
    let ran = Ran::of(command.env("RUST_LOG", "trace"));
    assert_eq!(ran.status, Some(0));
    for line in ran.stdout.lines() {
        assert!(serde_json::from_str::<serde_json::Value>(line).is_ok(), "not a record: {line}");
    }
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let folder = Folder::with_small();
    let commands: [&[&str]; 5] = [
        &["run", "small.toml", "--json"],
        &["run", "small.toml"],
        &["list", "queues"],
        &["schema"],
        &["completions", "bash"],
    ];
    for arguments in commands {
        let mut command = folder.command(arguments);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command was built and can be started");
        drop(child.stdout.take()); // as `head -0` does
        let ended = child.wait_with_output().expect("it is our own child");
        let stderr = String::from_utf8_lossy(&ended.stderr);
        assert_eq!((ended.status.code(), stderr.as_ref()), (Some(0), ""), "{arguments:?}");
    }
    // The results are complete nevertheless.
    assert!(folder.path("out/small/report.html").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_on_standard_output_is_an_error() {
    let folder = Folder::with_small();
    let ran = Ran::of(&mut folder.shell("exec \"$JETTISON\" list queues >/dev/full"));
    let said = ran.refused();
    assert!(said.starts_with("jettison: cannot write to standard output: "), "{said}");
}

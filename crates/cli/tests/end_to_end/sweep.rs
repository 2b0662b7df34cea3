//! `jettison sweep` up to the start of the Python package; `python/tests/sweeps` tests the rest.

use std::os::unix::fs::PermissionsExt;

use super::support::{Folder, Ran};

/// Runs the command with an interpreter that prints its arguments and exits with 7; `has` says whether it has the
/// package.
fn sweep(folder: &Folder, has: bool, arguments: &[&str]) -> Ran {
    let probe = i32::from(!has);
    let print = "for word in \"$@\"; do echo \"[$word]\"; done";
    folder
        .write("python", &format!("#!/bin/sh\nif [ \"$1\" = -c ]; then exit {probe}; fi\n{print}\nexit 7\n"));
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.path("python"), executable).expect("it is ours");
    Ran::of(folder.command(arguments).env("JETTISON_PYTHON", folder.path("python")))
}

#[test]
fn all_arguments_and_the_exit_status_are_passed_on() {
    let mut arguments = vec!["sweep", "mine.toml", "--axes", "a.b=1ms,5 ms", "c=-1..2:log", "--axes", "d=x"];
    arguments.extend(["--sample", "lhs:50", "--seeds", "1-20", "--jobs", "3", "--out", "there", "--json"]);
    arguments.extend([
        "--keep",
        "all",
        "--batch",
        "4",
        "--set",
        "duration=5 s",
        "--quick",
        "--data",
        "files",
    ]);
    let ran = sweep(&Folder::new(), true, &arguments);
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(7), ""));
    let words: Vec<&str> = ran.stdout.lines().collect();
    let version = format!("[{}]", env!("CARGO_PKG_VERSION"));
    let (begin, rest) = words.split_at(4);
    assert_eq!(begin, ["[-m]", "[jettison.sweeps]", "[--command-version]", &version]);
    let (options, end) = rest.split_at(rest.len() - 2);
    assert_eq!(end, ["[--]", "[mine.toml]"]);
    let mut options = options.to_vec();
    options.sort_unstable();
    assert_eq!(
        options,
        [
            "[--axis=a.b=1ms,5 ms]",
            "[--axis=c=-1..2:log]",
            "[--axis=d=x]",
            "[--batch=4]",
            "[--data=files]",
            "[--jobs=3]",
            "[--json]",
            "[--keep=all]",
            "[--out=there]",
            "[--quick]",
            "[--sample=lhs:50]",
            "[--seeds=1-20]",
            "[--set=duration=5 s]",
        ]
    );
}

#[test]
fn the_message_about_a_missing_package_says_what_to_install() {
    let folder = Folder::new();
    let message = sweep(&folder, false, &["sweep", "mine.toml", "--axes", "a=1"]).refused();
    assert!(
        message.contains("does not have the package `jettison`") && message.contains("pip install"),
        "{message}"
    );
    let mut command = folder.command(&["sweep", "mine.toml", "--axes", "a=1"]);
    let message = Ran::of(command.env("JETTISON_PYTHON", folder.path("none"))).refused();
    assert!(message.contains("cannot run") && message.contains("JETTISON_PYTHON"), "{message}");
}

#[test]
fn a_scheduler_and_processes_of_this_machine_exclude_each_other() {
    let arguments = ["sweep", "mine.toml", "--axes", "a=1", "--scheduler", "tcp://head:8786", "--jobs", "2"];
    let message = sweep(&Folder::new(), true, &arguments).refused();
    assert!(message.contains("cannot be used with"), "{message}");
}

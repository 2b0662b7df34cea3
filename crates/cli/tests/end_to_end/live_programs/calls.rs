//! Calls between browsers that go wrong: a browser that dies, none, options without sense. Each ends with its reason, and leaves
//! neither processes nor files.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use super::{project, start_file};

/// Runs the short form of the call with these changes, which must fail; returns what the programs said.
fn fails(test: &str, changes: &[&str], chromium: Option<&str>) -> Option<String> {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let scratch = folder.path().join("tmp");
    fs::create_dir(&scratch).expect("it is new");
    let mut more = vec!["--quick"];
    more.extend(changes);
    let scenario = project("scenarios/live/webrtc-networks.toml");
    let set = |command: &mut Command| {
        command.env("TMPDIR", &scratch);
        match chromium {
            Some(chromium) => command.env("JETTISON_CHROMIUM", chromium),
            None => command.env_remove("JETTISON_CHROMIUM"),
        };
    };
    let (output, _turn) = start_file(test, &scenario, &["chromium", "node"], &more, folder.path(), set)?;
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let left: Vec<_> = fs::read_dir(&scratch).expect("it is there").flatten().map(|file| file.path()).collect();
    assert!(left.is_empty(), "{left:?}");
    let alive = processes_that_name(&scratch);
    assert!(alive.is_empty(), "{alive:?}");
    let manifest = fs::read_to_string(folder.path().join("out/manifest.json")).unwrap_or_default();
    let logs = all_text(&folder.path().join("out/logs"));
    Some(format!("{}{}{manifest}{logs}", text(&output.stdout), text(&output.stderr)))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn all_text(folder: &Path) -> String {
    let mut all = String::new();
    for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|file| file.path()) {
        if path.is_dir() {
            all.push_str(&all_text(&path));
        } else {
            all.push_str(&text(&fs::read(&path).unwrap_or_default()));
        }
    }
    all
}

/// Command lines that contain a folder's path.
fn processes_that_name(folder: &Path) -> Vec<String> {
    let name = folder.display().to_string();
    let commands = fs::read_dir("/proc").into_iter().flatten().flatten().filter_map(|process| {
        let line = fs::read(process.path().join("cmdline")).ok()?;
        Some(text(&line).replace('\0', " "))
    });
    commands.filter(|line| line.contains(&name)).collect()
}

#[test]
fn a_browser_that_is_killed_ends_the_call_with_its_reason() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let program = folder.path().join("mortal-chromium");
    // The subshell lets go of the pipes, so that the browser's end is seen at once.
    let script = "#!/bin/sh\n(exec >/dev/null 2>&1 3>&- 4>&-; sleep 9; kill -KILL $$) &\nexec chromium \"$@\"\n";
    fs::write(&program, script).expect("it is new");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let program = program.display().to_string();
    let Some(said) = fails("a_browser_that_is_killed_ends_the_call_with_its_reason", &[], Some(&program)) else {
        return;
    };
    assert!(said.contains("the browser ended") && said.contains("SIGKILL"), "{said}");
}

#[test]
fn without_a_browser_the_call_says_which_program_is_missing() {
    let missing = "/nowhere/chromium";
    let Some(said) = fails("without_a_browser_the_call_says_which_program_is_missing", &[], Some(missing)) else {
        return;
    };
    assert!(said.contains("/nowhere/chromium could not be started"), "{said}");
}

#[test]
fn options_without_sense_are_named_with_what_they_may_be() {
    for (options, message) in [
        ("--width 10", "--width is 10; it must be from 160 to 3840"),
        ("--scalability L9T3", "--scalability is L9T3; it must be a mode"),
        ("--camera /nowhere/film.y4m", "--camera /nowhere/film.y4m cannot be read"),
        ("--field-trials Half/", "--field-trials is Half/; it must be pairs"),
    ] {
        let command = format!(
            "flows.call.app.at_from=\"node {{folder}}/programs/webrtc.mjs --role caller {options} --seconds {{seconds}}\""
        );
        let changes = ["--set", command.as_str()];
        let Some(said) = fails("options_without_sense_are_named_with_what_they_may_be", &changes, None) else {
            return;
        };
        assert!(said.contains(message), "{options}: {said}");
    }
}

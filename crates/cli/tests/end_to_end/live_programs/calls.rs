//! Calls between browsers that go wrong: a browser that dies, none, options without sense. Each ends with its reason, and leaves
//! neither processes nor files.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use super::{project, run, start_file};

/// Runs the short form of the call with this browser, which must fail; returns what was said and is in the results.
fn fails(test: &str, chromium: &str) -> Option<String> {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let scratch = folder.path().join("tmp");
    fs::create_dir(&scratch).expect("it is new");
    let scenario = project("scenarios/live/webrtc-networks.toml");
    let set = |command: &mut Command| {
        command.env("TMPDIR", &scratch).env("JETTISON_CHROMIUM", chromium);
    };
    let (output, _turn) =
        start_file(test, &scenario, &["chromium", "node"], &["--quick"], folder.path(), set)?;
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let left: Vec<_> =
        fs::read_dir(&scratch).expect("it is there").flatten().map(|file| file.path()).collect();
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
fn an_octopus_queue_drops_by_the_labels_of_a_stock_browser() {
    let test = "an_octopus_queue_drops_by_the_labels_of_a_stock_browser";
    let Some(done) = run(test, "webrtc-octopus", &["chromium", "node"], &[]) else { return };
    // The link dips once in the short form. Only packets with labels are dropped as stale.
    done.within("bottleneck.forward", "drops", 1.0..=1000.0);
    done.within("call", "frames_decoded", 50.0..=100.0);
    done.within("call", "key_frame_requests", 0.0..=1.0);
}

#[test]
fn a_browser_that_is_killed_ends_the_call_with_its_reason() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let program = folder.path().join("mortal-chromium");
    // The subshell lets go of the pipes, so that the browser's end is seen at once.
    let script =
        "#!/bin/sh\n(exec >/dev/null 2>&1 3>&- 4>&-; sleep 9; kill -KILL $$) &\nexec chromium \"$@\"\n";
    fs::write(&program, script).expect("it is new");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let program = program.display().to_string();
    let test = "a_browser_that_is_killed_ends_the_call_with_its_reason";
    let Some(said) = fails(test, &program) else { return };
    assert!(said.contains("the browser ended") && said.contains("SIGKILL"), "{said}");
}

#[test]
fn without_a_browser_the_call_says_which_program_is_missing() {
    let test = "without_a_browser_the_call_says_which_program_is_missing";
    let Some(said) = fails(test, "/nowhere/chromium") else { return };
    assert!(said.contains("/nowhere/chromium could not be started"), "{said}");
}

#[test]
fn options_without_sense_are_named_with_what_they_may_be() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let no_film = folder.path().join("no-film.y4m");
    fs::write(&no_film, "something else").expect("it is new");
    let no_film = no_film.display().to_string();
    for (options, message) in [
        (["--role", "guest"], "--role is guest; there are caller and callee"),
        (["--width", "10"], "--width is 10; it must be from 160 to 3840"),
        (["--max-rate", "much"], "--max-rate is much; it must be from 30"),
        (["--seconds", "0"], "--seconds is 0; it must be > 0"),
        (["--scalability", "L9T3"], "--scalability is L9T3; it must be a mode"),
        (["--field-trials", "Half/"], "--field-trials is Half/; it must be pairs"),
        (["--nack", "maybe"], "--nack is maybe; it must be yes or no"),
        (["--descriptor-id", "0"], "--descriptor-id is 0; it must be from 1 to 255"),
        (["--camera", "/nowhere/film.y4m"], "--camera /nowhere/film.y4m cannot be read"),
        (["--camera", no_film.as_str()], "is no YUV4MPEG2 file"),
        (["--colour", "red"], "unknown option --colour"),
    ] {
        let mut command = Command::new("node");
        command.arg(project("scenarios/live/programs/webrtc.mjs"));
        command.args(["--role", "caller", "--work"]).arg(folder.path()).args(options);
        let Ok(output) = command.output() else {
            return super::skipped("options_without_sense_are_named_with_what_they_may_be", "no `node`");
        };
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{options:?}: {said}");
        assert!(said.contains(message), "{options:?}: {said}");
    }
}

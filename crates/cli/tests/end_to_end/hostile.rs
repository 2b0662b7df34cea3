//! Files and names made by others: pseudo-files, control characters, names without end.

use std::fs;
use std::os::unix::ffi::OsStrExt;

use super::support::{Folder, SMALL, changed};

/// Clears the line, sets the title, reverses what follows, and a C1 control.
const HOSTILE: &str = "\u{1b}[2K\u{1b}]0;x\u{7}\u{202e}\u{9b}31m";

#[track_caller]
fn harmless(shown: &str) {
    let bad = shown.chars().find(|c| (c.is_control() && *c != '\n') || *c == '\u{202e}');
    assert_eq!(bad, None, "{shown:?}");
}

#[test]
fn what_is_not_a_regular_file_is_refused_at_once() {
    let folder = Folder::with_small();
    nix::unistd::mkfifo(&folder.path("fifo"), nix::sys::stat::Mode::S_IRWXU).expect("a FIFO can be made");
    let trace = changed("rate = \"5 Mbit/s\"", "trace = \"fifo\"");
    folder.write("trace.toml", &trace);
    folder.write("zero.toml", &trace.replace("\"fifo\"", "\"/dev/zero\""));
    folder.write("a.p4", "");
    for (arguments, found) in [
        (
            &["check", "/dev/zero"][..],
            "/dev/zero: cannot be read: must be a regular file, got a character device",
        ),
        (&["run", "fifo"], "fifo: cannot be read: must be a regular file, got a pipe (FIFO)"),
        (&["live", "."], ".: is no P4 project: it has no `topology.json`, `p4app.json` or scenario"),
        (&["check", "trace.toml"], "must be a regular file, got a pipe (FIFO)"),
        (&["check", "zero.toml"], "cannot read `/dev/zero`: must be a regular file, got a character device"),
        (&["trace", "info", "/dev/zero"], "/dev/zero: cannot read the trace: must be a regular file"),
        (
            &["trace", "convert", "fifo", "out", "--to", "srsran"],
            "fifo: cannot read the trace: must be a regular",
        ),
        (&["p4", "check", "/dev/zero"], "/dev/zero: cannot read a program: must be a regular file"),
        (&["p4", "check", "<ired.p4>", "--commands", "fifo"], "must be a regular file, got a pipe (FIFO)"),
        (
            &["p4", "run", "<ired.p4>", "--pcap", "/dev/zero"],
            "must be a regular file, got a character device",
        ),
        (&["report", "/dev/zero"], "/dev/zero"),
        (&["compare", "fifo", "."], "fifo"),
    ] {
        let message = folder.jettison(arguments).refused();
        assert!(message.contains(found), "{arguments:?}: {message}");
    }
}

#[test]
fn results_with_a_pipe_in_place_of_a_file_are_refused() {
    let folder = Folder::with_small();
    assert_eq!(folder.jettison(&["run", "small.toml", "--quick", "--out", "out"]).status, Some(0));
    for file in ["queues.parquet", "manifest.json"] {
        fs::remove_file(folder.path("out").join(file)).expect("it is there");
        nix::unistd::mkfifo(&folder.path("out").join(file), nix::sys::stat::Mode::S_IRWXU)
            .expect("a FIFO can be made");
        let message = folder.jettison(&["report", "out"]).refused();
        assert!(message.contains("out"), "{message}");
    }
}

#[test]
fn files_have_a_maximum_size() {
    let folder = Folder::with_small();
    let sparse = |name: &str, mebibytes: u64| {
        let file = fs::File::create(folder.path(name)).expect("it can be made");
        file.set_len(mebibytes << 20).expect("a hole takes no space");
    };
    sparse("large.toml", 17);
    let message = folder.jettison(&["check", "large.toml"]).refused();
    assert!(message.contains("large.toml: cannot be read: must be at most 16 MiB, got 17 MiB"), "{message}");
    sparse("large.trace", 1025);
    let message = folder.jettison(&["trace", "info", "large.trace"]).refused();
    assert!(message.contains("large.trace: cannot read the trace: must be at most 1 GiB, got 1025 MiB"));
}

#[test]
fn names_with_control_characters_are_refused_with_their_place() {
    let escaped = "\\u001b[2K\\u001b]0;x\\u0007\\u202e\\u009b31m";
    let refuse = |text: &str, place: &str, problem: &str| {
        let folder = Folder::new();
        folder.write("s.toml", text);
        let message = folder.jettison(&["check", "s.toml"]).refused();
        harmless(&message);
        let line = message.lines().find(|line| line.starts_with(place));
        assert!(line.is_some_and(|line| line.contains(problem)), "{place} {problem}: {message}");
    };
    let hidden = "must have no control or invisible characters, got U+001B";
    let axis = |old: &str, new: &str| changed(old, &new.replace("%", escaped));
    refuse(&axis("name = \"queue\"", "name = \"%\""), "s.toml:34:8", hidden);
    let table = "values = [\"tail-drop\", { kind = \"codel\", label = \"%\" }]";
    refuse(&axis("values = [\"tail-drop\", \"codel\"]", table), "s.toml:36:24", hidden);
    let variants = "variants = [{ name = \"%\", set = { \"links.bottleneck.queue\" = \"codel\" } }]";
    let text = axis("values = [\"tail-drop\", \"codel\"]", variants);
    refuse(&text.replace("path = \"links.bottleneck.queue\"\n", ""), "s.toml:35:22", hidden);
    refuse(&axis("name = \"small\"", "name = \"%\""), "s.toml:1:8", "must be a valid folder name");
    refuse(&axis("name = \"small\"", "name = \"s\"\ndescription = \"%\""), "s.toml:2:15", hidden);
    refuse(&axis("[links.access]", "[links.\"%\"]"), "s.toml:11:", "is not a valid name in [links]");
    refuse(&axis("rate = \"5 Mbit/s\"", "trace = \"%\""), "s.toml:18:9", hidden);
    refuse(&format!("{SMALL}\n\"{escaped}\" = 1\n"), "s.toml:", "unknown key");
    refuse(&axis("from = \"a\"", "from = \"%\""), "s.toml:23:8", "unknown node");
}

#[test]
fn names_have_a_maximum_length() {
    let refuse = |text: &str, wanted: &str| {
        let folder = Folder::new();
        folder.write("s.toml", text);
        let message = folder.jettison(&["check", "s.toml"]).refused();
        assert!(message.contains(wanted), "{wanted}: {message}");
    };
    let long = "n".repeat(101);
    refuse(
        &changed("[links.access]", &format!("[links.{long}]")),
        "s.toml:11:1: names in [links] must have at most 100 characters, got 101; write a shorter name",
    );
    refuse(
        &changed("name = \"small\"", &format!("name = \"a/{long}\"")),
        "each folder in `name` must have at most 100 characters, got 101",
    );
    let folders = vec!["n".repeat(90); 3].join("/");
    refuse(
        &changed("name = \"small\"", &format!("name = \"{folders}\"")),
        "`name` must have at most 250 characters, got 272",
    );
    let label = format!("[\"tail-drop\", {{ kind = \"codel\", label = \"{}\" }}]", "n".repeat(201));
    refuse(
        &changed("[\"tail-drop\", \"codel\"]", &label),
        "the label of a variant must have at most 200 characters, got 201",
    );
}

#[test]
fn each_variant_has_a_folder_of_its_own() {
    let folder = Folder::new();
    let long = "é".repeat(150);
    let labels = ["x/y", "x_y", "X_y", &long];
    let values: Vec<String> =
        labels.iter().map(|label| format!("{{ kind = \"codel\", label = \"{label}\" }}")).collect();
    let values = format!("[{}]", values.join(", "));
    folder.write("s.toml", &changed("[\"tail-drop\", \"codel\"]", &values));
    let ran = folder.jettison(&["run", "s.toml", "--quick", "--pcap", "--out", "out"]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let folders = folder.names("out/pcap");
    assert_eq!(folders.len(), labels.len(), "{folders:?}");
    assert!(folders.contains(&"queue=x_y".to_owned()), "{folders:?}");
    // The folders stay as they are when a variant is removed.
    folder.write(
        "t.toml",
        &changed("[\"tail-drop\", \"codel\"]", &values).replace("label = \"x_y\"", "label = \"z\""),
    );
    assert_eq!(folder.jettison(&["run", "t.toml", "--quick", "--pcap", "--out", "two"]).status, Some(0));
    let both = folder.names("two/pcap").into_iter().filter(|name| folders.contains(name)).count();
    assert_eq!(both, labels.len() - 1);
}

#[test]
fn names_of_files_do_not_control_the_terminal() {
    let folder = Folder::with_small();
    let name = format!("a{HOSTILE}.trace");
    folder.write(&name, "1\n2\n3\n");
    let shown = folder.jettison(&["trace", "info", &name]).ok();
    harmless(&shown);
    assert!(shown.starts_with("a\\u{1b}[2K\\u{1b}]0;x\\u{7}\\u{202e}\\u{9b}31m.trace\n"), "{shown}");
    for arguments in [&["check", &name][..], &["run", &name], &["p4", "check", &name], &["report", &name]] {
        let message = folder.jettison(arguments).refused();
        harmless(&message);
        assert!(message.contains("\\u{1b}[2K"), "{message}");
    }
    let out = format!("out{HOSTILE}");
    let shown = folder.jettison(&["run", "small.toml", "--quick", "--out", &out]);
    harmless(&shown.stdout);
    assert!(folder.path(&out).as_os_str().as_bytes().contains(&0x1b), "the folder itself keeps its name");
}

#[test]
fn results_of_others_do_not_control_the_terminal() {
    let folder = Folder::with_small();
    assert_eq!(folder.jettison(&["run", "small.toml", "--quick", "--out", "out"]).status, Some(0));
    let manifest = String::from_utf8(folder.read("out/manifest.json")).expect("JSON is UTF-8");
    let hostile = serde_json::to_string(HOSTILE).expect("it is a string");
    let failure = format!(
        "\"failures\": [{{\"variant\": \"queue=codel\", \"seed\": 1, \"at\": null, \"what\": {hostile}}}],"
    );
    let name = format!("\"name\": {hostile}");
    let changed = manifest.replace("\"name\": \"small\"", &name).replace("\"failures\": [],", &failure);
    assert_ne!(changed, manifest);
    folder.write("out/manifest.json", &changed);
    for arguments in [&["report", "out"][..], &["compare", "out", "out"], &["report", "out", "--json"]] {
        let ran = folder.jettison(arguments);
        harmless(&ran.stdout);
        harmless(&ran.stderr);
    }
    // JSON keeps the value.
    let ran = folder.jettison(&["report", "out", "--json"]);
    for line in ran.stdout.lines() {
        let record: serde_json::Value = serde_json::from_str(line).expect("each line is JSON");
        assert_eq!(record["scenario"], HOSTILE, "{line}");
    }
    harmless(&String::from_utf8(folder.read("out/report.html")).expect("a page is UTF-8"));
}

#[test]
fn programs_do_not_control_the_terminal() {
    let folder = Folder::new();
    folder.write("a.p4", &format!("// {HOSTILE}\ncontrol {HOSTILE}\n"));
    let message = folder.jettison(&["p4", "check", "a.p4"]).refused();
    harmless(&message);
    assert!(message.contains("a.p4"), "{message}");
}

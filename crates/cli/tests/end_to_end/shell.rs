//! `jettison completions` and `jettison man`, `--help` and `--version`.

use super::support::Folder;
#[cfg(unix)]
use super::support::{Ran, skipped};

const COMMANDS: [&str; 21] = [
    "cc",
    "check",
    "compare",
    "completions",
    "explain",
    "export",
    "list",
    "live",
    "man",
    "media",
    "new",
    "p4",
    "report",
    "reproduce",
    "run",
    "schema",
    "shell",
    "sweep",
    "trace",
    "verify",
    "whatif",
];

#[test]
fn completions_know_the_commands_and_options() {
    for shell in ["bash", "zsh", "fish"] {
        let script = Folder::new().jettison(&["completions", shell]).ok();
        for word in COMMANDS.iter().chain(&["quick", "pcap", "force"]) {
            assert!(script.contains(word), "{shell} does not know {word}");
        }
    }
}

#[cfg(unix)]
fn accepts_its_completions(test: &str, shell: &str) {
    let folder = Folder::new();
    if Ran::of(&mut folder.shell(&format!("command -v {shell}"))).status != Some(0) {
        skipped(test, &format!("{shell} is not installed"));
        return;
    }
    folder.write("script", &folder.jettison(&["completions", shell]).ok());
    Ran::of(&mut folder.shell(&format!("{shell} -n script"))).ok();
}

#[cfg(unix)]
#[test]
fn bash_accepts_its_completions() {
    accepts_its_completions("shell::bash_accepts_its_completions", "bash");
}

#[cfg(unix)]
#[test]
fn zsh_accepts_its_completions() {
    accepts_its_completions("shell::zsh_accepts_its_completions", "zsh");
}

#[cfg(unix)]
#[test]
fn fish_accepts_its_completions() {
    accepts_its_completions("shell::fish_accepts_its_completions", "fish");
}

#[test]
fn one_man_page_per_command_is_written() {
    let folder = Folder::new();
    assert_eq!(folder.jettison(&["man", "--out", "pages"]).ok(), "Man pages: pages\n");
    let mut expected: Vec<String> = COMMANDS.iter().map(|command| format!("jettison-{command}.1")).collect();
    let of_traces = ["convert", "info", "synthesize"].map(|command| format!("jettison-trace-{command}.1"));
    expected.extend(of_traces);
    expected.extend(
        ["check", "compile", "run", "serve", "test"].map(|command| format!("jettison-p4-{command}.1")),
    );
    let of_media =
        ["encode", "generate", "inspect", "quality"].map(|command| format!("jettison-media-{command}.1"));
    expected.extend(of_media);
    expected.extend(["sqm", "tc"].map(|command| format!("jettison-export-{command}.1")));
    expected.extend(["load", "status", "unload"].map(|command| format!("jettison-cc-{command}.1")));
    expected.push("jettison.1".to_owned());
    expected.sort();
    assert_eq!(folder.names("pages"), expected);
    for name in expected {
        let page = String::from_utf8(folder.read(&format!("pages/{name}"))).expect("a page is UTF-8");
        assert!(page.contains(".TH ") && page.contains(".SH SYNOPSIS"), "{name}:\n{page}");
    }
}

#[test]
fn help_and_version() {
    let help = Folder::new().jettison(&["--help"]).ok();
    for command in COMMANDS {
        assert!(
            help.lines().any(|line| line.trim_start().starts_with(command)),
            "{command} is not in:\n{help}"
        );
    }
    let version = Folder::new().jettison(&["--version"]).ok();
    assert_eq!(version, format!("jettison {}\n", jettison_build_info::LONG_VERSION));
    assert!(version.starts_with(concat!("jettison ", env!("CARGO_PKG_VERSION"))), "{version}");
    let commit = jettison_build_info::COMMIT.unwrap_or_default();
    assert!(version.contains(commit), "{version}");
}

//! Shared by the tests: a temporary folder to run the command in, and a small scenario.

use std::fmt::Debug;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// Two hosts behind a router, a bulk flow and a ping, tail drop against CoDel, two seeds: four short runs.
pub const SMALL: &str = r#"name = "small"
duration = "2 s"
warm_up = "500 ms"
seeds = 2

[nodes]
a = { kind = "host" }
r = { kind = "router" }
b = { kind = "host" }

[links.access]
between = ["a", "r"]
rate = "100 Mbit/s"
delay = "1 ms"

[links.bottleneck]
between = ["r", "b"]
rate = "5 Mbit/s"
delay = "4 ms"
queue = { kind = "tail-drop", limit = "20 packets" }

[flows.bulk]
from = "a"
to = "b"
app = "bulk"
start_jitter = "50 ms"

[flows.echo]
from = "a"
to = "b"
app = { kind = "ping", interval = "100 ms" }

[[vary]]
name = "queue"
path = "links.bottleneck.queue"
values = ["tail-drop", "codel"]

[quick]
duration = "1 s"
seeds = 1
"#;

/// The small scenario with one thing changed.
#[track_caller]
pub fn changed(from: &str, to: &str) -> String {
    assert!(SMALL.contains(from), "the small scenario has no {from:?}");
    SMALL.replacen(from, to, 1)
}

/// A temporary folder that commands run in.
pub struct Folder(TempDir);

/// Exit status and output of a command.
#[derive(Debug)]
pub struct Ran {
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Folder {
    pub fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a temporary folder can be made"))
    }

    /// A folder that holds the small scenario as `small.toml`.
    pub fn with_small() -> Folder {
        let folder = Folder::new();
        folder.write("small.toml", SMALL);
        folder
    }

    /// Path of a file without symbolic links, as the command prints it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().expect("the folder is there until it is dropped").join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        let parent = path.parent().expect("the path has the folder above it");
        fs::create_dir_all(parent).and_then(|()| fs::write(&path, text)).expect("the folder can be written");
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub fn json(&self, name: &str) -> Value {
        serde_json::from_slice(&self.read(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Sorted names in a subfolder, including hidden ones.
    pub fn names(&self, folder: &str) -> Vec<String> {
        let names = fs::read_dir(self.path(folder)).unwrap_or_else(|error| panic!("{folder}: {error}"));
        let mut names: Vec<String> = names
            .map(|entry| entry.expect("the folder can be read").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// Sorted paths of all files below a subfolder, relative to it.
    pub fn files(&self, folder: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut open = vec![String::new()];
        while let Some(below) = open.pop() {
            for name in self.names(&format!("{folder}/{below}")) {
                let path = if below.is_empty() { name } else { format!("{below}/{name}") };
                if self.path(&format!("{folder}/{path}")).is_dir() {
                    open.push(path);
                } else {
                    found.push(path);
                }
            }
        }
        found.sort();
        found
    }

    /// The command, in this folder, without the caller's settings.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("jettison"));
        self.prepare(&mut command);
        command.args(arguments);
        command
    }

    /// A shell in this folder, with the command as `$JETTISON`.
    #[cfg(unix)]
    pub fn shell(&self, script: &str) -> Command {
        let mut command = Command::new("sh");
        self.prepare(&mut command);
        command.args(["-c", script]).env("JETTISON", assert_cmd::cargo::cargo_bin!("jettison"));
        command
    }

    fn prepare(&self, command: &mut Command) {
        command
            .current_dir(self.path(""))
            .env_remove("RUST_LOG")
            .env_remove("COLUMNS")
            .env_remove("JETTISON_DATA")
            .stdin(Stdio::null());
    }

    /// Runs the command in this folder.
    pub fn jettison(&self, arguments: &[&str]) -> Ran {
        Ran::of(&mut self.command(arguments))
    }
}

impl Ran {
    pub fn of(command: &mut Command) -> Ran {
        let output = command.output().expect("the command was built and can be started");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("what is printed is UTF-8");
        let ran =
            Ran { status: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) };
        assert!(!ran.stderr.contains("panicked"), "a panic is a bug: {}", ran.stderr);
        ran
    }

    /// Checks for success without complaints; returns standard output.
    #[track_caller]
    pub fn ok(self) -> String {
        assert_eq!((self.status, without_remarks(&self.stderr).as_str()), (Some(0), ""));
        self.stdout
    }

    /// Checks for exit status 2 without output; returns the message, without its newline and the lines of the scenario that it
    /// shows.
    #[track_caller]
    pub fn refused(self) -> String {
        let said = self.refused_with_lines();
        let is_source = |line: &str| {
            let number = line.strip_prefix("  ").and_then(|rest| rest.split_once(" | "));
            number.is_some_and(|(number, _)| number.chars().all(|c| c.is_ascii_digit() || c == ' '))
        };
        said.lines().filter(|line| !is_source(line)).collect::<Vec<_>>().join("\n")
    }

    /// Checks for exit status 2 without output; returns all that is said, without its newline.
    #[track_caller]
    pub fn refused_with_lines(self) -> String {
        assert_eq!((self.status, self.stdout.as_str()), (Some(2), ""), "stderr: {}", self.stderr);
        without_remarks(&self.stderr).strip_suffix('\n').expect("a message ends its line").to_owned()
    }

    /// Checks for success; returns the NDJSON records on standard output.
    #[track_caller]
    pub fn records(self) -> Vec<Value> {
        let text = self.ok();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
            .collect()
    }
}

/// What is said but for what `--quick` changes, and for progress, which a slow machine shows.
fn without_remarks(said: &str) -> String {
    let is_remark = |line: &str| {
        line.starts_with("jettison: --quick applies the [quick] table of ")
            || line.contains(" runs), ") && line.trim_end().ends_with(" left")
    };
    said.split_inclusive('\n').filter(|line| !is_remark(line)).collect()
}

/// The keys of a JSON object, in order.
#[track_caller]
pub fn keys(record: &Value) -> Vec<&str> {
    record.as_object().expect("a record is an object").keys().map(String::as_str).collect()
}

/// The mean in the summary record of a variant, object and metric.
#[track_caller]
pub fn mean(records: &[Value], variant: &str, object: &str, metric: &str) -> f64 {
    let is = |record: &&Value| {
        record["type"] == "summary"
            && record["variant"] == variant
            && record["object"] == object
            && record["metric"] == metric
    };
    let found = records.iter().find(is);
    let found = found.unwrap_or_else(|| panic!("no record of {metric} of {object} under {variant}"));
    found["mean"].as_f64().expect("a mean is a number")
}

#[track_caller]
pub fn assert_near(quantity: impl Debug, value: f64, expected: f64, tolerance: f64) {
    assert!(
        (value - expected).abs() <= tolerance,
        "{quantity:?} is {value}, expected {expected} ± {tolerance}"
    );
}

/// Prints that a test was skipped, past the capture of the test's output.
pub fn skipped(test: &str, why: &str) {
    writeln!(std::io::stderr(), "left out: {test} ({why})").expect("standard error is open");
}

/// A folder of the project.
pub fn project(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

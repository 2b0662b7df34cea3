//! Ctrl-C: finished runs are kept, nothing half-written is left, exit status 130.

#![expect(clippy::disallowed_methods, reason = "the tests wait for processes")]

use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::support::{Folder, SMALL};

/// A scenario whose first run ends immediately and whose second run takes hours.
const ENDLESS: &str = r#"name = "endless"
duration = "1 s"
sample_interval = "1 s"

[nodes]
a = { kind = "host" }
b = { kind = "host" }

[links.wire]
between = ["a", "b"]
rate = "1 Mbit/s"

[flows.echo]
from = "a"
to = "b"
app = { kind = "ping", interval = "10 ms" }

[[vary]]
path = "duration"
values = ["1 s", "1000000 s"]
"#;

/// A child process, killed at the end of its test.
struct Guard(Child);

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.0.kill();
    }
}

/// Polls until there is an answer, for at most a minute.
fn wait_for<T>(event: &str, ask: &mut dyn FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(60) {
        if let Some(answer) = ask() {
            return answer;
        }
        sleep(Duration::from_millis(5));
    }
    panic!("{event} did not happen");
}

/// Starts the command, interrupts it when `ready`; returns its exit status, standard output and standard error.
fn interrupted(folder: &Folder, arguments: &[&str], ready: &dyn Fn() -> bool) -> (Option<i32>, [String; 2]) {
    let mut command = folder.command(arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = Guard(command.spawn().expect("the command was built and can be started"));
    wait_for("the moment to interrupt", &mut || ready().then_some(()));
    let interrupt = format!("kill -INT {}", child.0.id());
    assert!(folder.shell(&interrupt).status().expect("there is a shell").success());
    let status = wait_for("the end", &mut || child.0.try_wait().expect("it is our own child"));
    let read = |pipe: Option<&mut dyn std::io::Read>| {
        let mut text = String::new();
        pipe.expect("it is piped").read_to_string(&mut text).expect("what is printed is UTF-8");
        text
    };
    let stdout = read(child.0.stdout.as_mut().map(|pipe| pipe as _));
    let stderr = read(child.0.stderr.as_mut().map(|pipe| pipe as _));
    (status.code(), [stdout, stderr])
}

fn temporary(folder: &Folder, below: &str) -> Option<String> {
    let names = folder.path(below).exists().then(|| folder.names(below))?;
    names.into_iter().find(|name| name.starts_with(".jettison-")).map(|name| format!("{below}/{name}"))
}

#[test]
fn finished_runs_are_kept() {
    let folder = Folder::new();
    folder.write("endless.toml", ENDLESS);
    // The capture of the second run's first packet says that the first run has ended.
    let second_has_begun = || {
        let captures = "out/.endless.runs/captures";
        folder.path(captures).exists() && folder.names(captures).len() == 2
    };
    // `--force`: the captures of the endless run would not fit on a small disk.
    let arguments = ["run", "endless.toml", "--jobs", "1", "--pcap", "--force"];
    let (status, [stdout, stderr]) = interrupted(&folder, &arguments, &second_has_begun);
    assert_eq!(status, Some(130), "{stderr}");
    assert!(stderr.contains("finished runs are kept"), "{stderr}");
    assert!(stdout.contains("1 of 2 runs"), "{stdout}");

    assert_eq!(folder.names("out"), [".endless.runs", "endless"]);
    assert_eq!(folder.names("out/endless/pcap").len(), 1, "captures of the finished run alone");
    let manifest = folder.json("out/endless/manifest.json");
    assert_eq!(manifest["status"], "interrupted");
    assert_eq!(manifest["runs"].as_array().map(Vec::len), Some(1));
    assert_eq!(manifest["runs"][0]["variant"], "duration=1 s");
    assert!(folder.path("out/endless/report.html").exists());
    folder.jettison(&["report", "out/endless"]).ok();
}

/// Rows of the run that ends and of the one that does not, and of an experiment that never begins.
const ROWS: &str = r#"paper = "A paper"
experiment = "endless"

[[row]]
figure = "of the first run"
metric = "rtt"
unit = "ms"
value = 1.0
exact = "text"
ours = { variant = "duration=1 s", object = "echo", metric = "rtt" }

[[row]]
figure = "of the second run"
metric = "rtt"
unit = "ms"
value = 1.0
exact = "text"
ours = { variant = "duration=1000000 s", object = "echo", metric = "rtt" }
"#;

#[test]
fn rows_whose_variants_never_ran_are_not_run() {
    let folder = Folder::new();
    for name in ["endless", "later"] {
        folder.write(
            &format!("papers/p/{name}.toml"),
            &ENDLESS.replace("\"endless\"", &format!("\"p/{name}\"")),
        );
        folder.write(&format!("papers/p/{name}.paper.toml"), ROWS);
    }
    let records = "out/p/.endless.runs/records";
    let second_has_begun = || folder.path(records).exists() && !folder.names(records).is_empty();
    let arguments = ["reproduce", "p", "--scenarios", "papers", "--jobs", "1", "--json"];
    let (status, [stdout, stderr]) = interrupted(&folder, &arguments, &second_has_begun);
    assert_eq!(status, Some(130), "{stderr}");
    let records = stdout.lines().map(|line| serde_json::from_str(line).expect("a line is a record"));
    let (rows, others): (Vec<Value>, Vec<Value>) =
        records.partition(|record: &Value| record["type"] == "row");
    let judged: Vec<_> =
        rows.iter().map(|row| (row["experiment"].as_str(), row["verdict"].as_str())).collect();
    let is_judged = matches!(judged[0], (Some("endless"), Some(verdict)) if verdict != "not run");
    assert!(is_judged, "the first run has ended: {judged:?}");
    assert_eq!(judged[1], (Some("endless"), Some("not run")));
    assert_eq!(judged[2..], [(Some("later"), Some("not run")); 2]);
    let counts = others.last().expect("there are counts");
    assert_eq!((counts["type"].as_str(), counts["verdicts"]["not run"].as_u64()), (Some("counts"), Some(3)));
    assert_eq!(folder.json("out/p/endless/reproduction.json")[1]["verdict"], "not run");
}

#[test]
fn nothing_is_left_before_the_first_run_has_finished() {
    let folder = Folder::new();
    folder.write("endless.toml", &ENDLESS.replace("values = [\"1 s\", ", "values = ["));
    let begun = || temporary(&folder, "out").is_some();
    let (status, [stdout, stderr]) = interrupted(&folder, &["run", "endless.toml"], &begun);
    assert_eq!((status, stdout.as_str()), (Some(130), ""), "{stderr}");
    assert!(
        stderr.ends_with("interrupted before the first run had finished; nothing was written\n"),
        "{stderr}"
    );
    assert_eq!(folder.names(""), ["endless.toml"]);
}

#[test]
fn previous_results_stay_if_no_run_finished() {
    let folder = Folder::new();
    folder.write("small.toml", &SMALL.replace("name = \"small\"", "name = \"endless\""));
    folder.write("endless.toml", &ENDLESS.replace("values = [\"1 s\", ", "values = ["));
    folder.jettison(&["run", "small.toml", "--quick", "--out", "out/endless"]).ok();
    let before = folder.read("out/endless/manifest.json");
    let begun = || temporary(&folder, "out").is_some();
    let (status, _) = interrupted(&folder, &["run", "endless.toml"], &begun);
    assert_eq!(status, Some(130));
    assert_eq!(folder.names("out"), ["endless"]);
    assert_eq!(folder.read("out/endless/manifest.json"), before);
}

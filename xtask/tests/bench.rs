//! Tests of `xtask bench`. `make bench` checks the targets; here one short benchmark checks that measuring works.

use std::process::{Command, Stdio};

use serde_json::Value;

/// Result of a command.
#[derive(Debug)]
struct Ran {
    status: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Ran {
    fn bench(arguments: &[&str]) -> Ran {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("xtask"));
        let output = command.arg("bench").args(arguments).stdin(Stdio::null()).output();
        let output = output.expect("the program was built and can be started");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the output is UTF-8");
        let ran =
            Ran { status: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) };
        assert!(!ran.stderr.contains("panicked"), "a panic is a bug: {}", ran.stderr);
        ran
    }

    /// Checks for status 0 and no messages. Returns the output.
    #[track_caller]
    fn ok(self) -> String {
        assert_eq!((self.status, self.stderr.as_str()), (Some(0), ""));
        self.stdout
    }
}

#[test]
fn list_names_the_benchmarks_and_their_groups() {
    let printed = Ran::bench(&["--list"]).ok();
    let lines: Vec<Vec<&str>> = printed.lines().map(|line| line.split_whitespace().collect()).collect();
    for name in ["tcp-codel-A", "udp-F"] {
        assert!(lines.contains(&vec![name, "foundation"]), "{printed}");
    }
    let of_group = Ran::bench(&["--list", "foundation"]).ok();
    assert!(printed.contains(&of_group) && !of_group.is_empty());
}

#[test]
fn every_queue_discipline_has_a_benchmark_with_its_growth() {
    let benchmarks = Ran::bench(&["--list", "queues"]).ok();
    let named: Vec<&str> = benchmarks.lines().filter_map(|line| line.split_whitespace().next()).collect();
    for id in jettison_queue::disciplines().ids() {
        for suffix in ["", "/time-growth", "/instruction-growth"] {
            assert!(named.contains(&format!("queue-{id}{suffix}").as_str()), "{id}: {benchmarks}");
        }
    }
    assert!(named.contains(&"queue-dualpi2-l"), "{benchmarks}");
}

#[test]
fn a_queues_record_has_time_and_instructions_or_a_note() {
    let printed = Ran::bench(&["--json", "queue-tail-drop"]);
    // Status 1 means a missed target: the machine may be busy.
    assert!(matches!(printed.status, Some(0 | 1)), "{printed:?}");
    let records: Vec<Value> = printed
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}")))
        .collect();
    let [time, time_growth, instruction_growth] = &records[..] else { panic!("{printed:?}") };
    assert_eq!((&time["name"], &time["unit"]), (&"queue-tail-drop".into(), &"ns/packet".into()));
    assert!(time["value"].as_f64() > Some(0.0) && time["required"] == 150.0, "{time}");
    assert!(time["instructions"].as_f64() > Some(10.0) || time["note"].is_string(), "{time}");
    assert!(time_growth["value"].as_f64() > Some(0.0), "{time_growth}");
    let counted = instruction_growth["value"].as_f64();
    assert!(counted > Some(0.5) || instruction_growth["note"].is_string(), "{instruction_growth}");
}

#[test]
fn the_error_for_an_unknown_benchmark_lists_the_known_ones() {
    let Ran { status, stdout, stderr: message } = Ran::bench(&["nonsense"]);
    assert_eq!((status, stdout.as_str()), (Some(2), ""), "{message}");
    assert!(message.starts_with("xtask: unknown benchmark `nonsense`; known benchmarks: "), "{message}");
    assert!(message.contains("tcp-codel-A") && message.contains("udp-F"), "{message}");
}

//! Wrong traces, as a link of a scenario and under `trace info`: file, line and remedy, exit status 2, nothing written.

use super::support::{Folder, changed};

/// Both ways of reading a trace of that text refuse it; gives what each says after the place.
#[track_caller]
fn refused(trace: &str, line: Option<usize>) -> String {
    let folder = Folder::new();
    folder.write("wrong.down", trace);
    folder.write("s.toml", &changed("rate = \"5 Mbit/s\"", "trace = \"wrong.down\""));
    let of_run = folder.jettison(&["run", "s.toml"]).refused();
    let of_info = folder.jettison(&["trace", "info", "wrong.down"]).refused();
    let (place, place_of_info) = match line {
        Some(line) => (format!("wrong.down:{line}:1: "), format!("jettison: wrong.down:{line}: ")),
        None => ("wrong.down: ".to_owned(), "jettison: wrong.down: ".to_owned()),
    };
    let said = of_run.strip_prefix(&place).unwrap_or_else(|| panic!("{of_run} does not start with {place}"));
    assert_eq!(of_info.strip_prefix(&place_of_info), Some(said));
    assert_eq!(folder.names(""), ["s.toml", "wrong.down"]);
    said.to_owned()
}

#[test]
fn a_decreasing_line() {
    assert_eq!(
        refused("1\n5\n3\n", Some(3)),
        "3 ms comes after 5 ms: timestamps never decrease; put the lines in order"
    );
}

#[test]
fn a_line_that_is_no_number() {
    let remedy = "is not a whole number of milliseconds; write on each line the millisecond at which a packet may leave";
    assert_eq!(refused("1\ntwo\n3\n", Some(2)), format!("`two` {remedy}"));
    assert_eq!(refused("1\n1.5\n", Some(2)), format!("`1.5` {remedy}"));
    assert_eq!(refused("-1\n", Some(1)), format!("`-1` {remedy}"));
    assert_eq!(refused("1\n\n2\n", Some(2)), format!("`` {remedy}"));
}

#[test]
fn an_empty_trace() {
    let remedy = "write a line for each packet that may leave, with its millisecond from the start";
    assert_eq!(refused("", None), format!("the trace is empty: {remedy}"));
    assert_eq!(refused("\n\n", None), format!("the trace is empty: {remedy}"));
}

#[test]
fn a_trace_without_length() {
    assert_eq!(
        refused("0\n0\n", Some(2)),
        "the trace ends at 0 ms; its last timestamp is its period and must be above zero"
    );
}

#[test]
fn a_trace_that_is_not_there_is_named_where_it_is_asked_for() {
    let folder = Folder::new();
    folder.write("s.toml", &changed("rate = \"5 Mbit/s\"", "trace = \"none.down\""));
    let said = folder.jettison(&["run", "s.toml"]).refused();
    assert!(said.starts_with("s.toml:18:9: cannot read `none.down`: "), "{said}");
    let remedy =
        "; write the path from the scenario's folder, or say with `--data` in which other folder it is";
    assert!(said.ends_with(remedy), "{said}");
    let said = folder.jettison(&["trace", "info", "none.down"]).refused();
    assert!(said.starts_with("jettison: none.down: cannot be read: "), "{said}");
    assert!(said.ends_with("; name a Mahimahi trace that is there"), "{said}");
    assert_eq!(folder.names(""), ["s.toml"]);
}

//! Invalid traces, as a link of a scenario and under `trace`: file, line and remedy, exit status 2, nothing written.

use super::support::{Folder, changed};

/// Checks that all ways of reading a trace refuse this text; returns their common message, without the place.
#[track_caller]
fn refused(trace: &str, line: Option<usize>) -> String {
    let folder = Folder::new();
    folder.write("wrong.down", trace);
    folder.write("s.toml", &changed("rate = \"5 Mbit/s\"", "trace = \"wrong.down\""));
    let of_run = folder.jettison(&["run", "s.toml"]).refused();
    folder.write("s.toml", &changed("rate = \"5 Mbit/s\"", "cell = \"wrong.down\""));
    assert_eq!(folder.jettison(&["run", "s.toml"]).refused(), of_run);
    let of_info = folder.jettison(&["trace", "info", "wrong.down"]).refused();
    let (place, place_of_info) = match line {
        Some(line) => (format!("wrong.down:{line}:1: "), format!("jettison: wrong.down:{line}: ")),
        None => ("wrong.down: ".to_owned(), "jettison: wrong.down: ".to_owned()),
    };
    let said = of_run.strip_prefix(&place).unwrap_or_else(|| panic!("{of_run} does not start with {place}"));
    assert_eq!(of_info.strip_prefix(&place_of_info), Some(said));
    assert_eq!(
        folder.jettison(&["trace", "convert", "wrong.down", "out", "--to", "srsran"]).refused(),
        of_info
    );
    assert_eq!(folder.names(""), ["s.toml", "wrong.down"]);
    said.to_owned()
}

#[test]
fn a_decreasing_line() {
    assert_eq!(refused("1\n5\n3\n", Some(3)), "timestamps must not decrease: 3 ms follows 5 ms");
}

#[test]
fn a_line_that_is_no_number() {
    let remedy = "is not a whole number of milliseconds; write one line per delivery opportunity: its time in milliseconds";
    assert_eq!(refused("1\ntwo\n3\n", Some(2)), format!("`two` {remedy}"));
    assert_eq!(refused("1\n1.5\n", Some(2)), format!("`1.5` {remedy}"));
    assert_eq!(refused("-1\n", Some(1)), format!("`-1` {remedy}"));
    assert_eq!(refused("1\n\n2\n", Some(2)), format!("`` {remedy}"));
}

#[test]
fn an_empty_trace() {
    let remedy = "write one line per delivery opportunity: its time in milliseconds";
    assert_eq!(refused("", None), format!("the trace is empty; {remedy}"));
    assert_eq!(refused("\n\n", None), format!("the trace is empty; {remedy}"));
}

#[test]
fn a_trace_without_length() {
    assert_eq!(
        refused("0\n0\n", Some(2)),
        "the last timestamp is the period of the trace and must be > 0 ms, got 0 ms"
    );
}

#[test]
fn malformed_grants() {
    let grants = |line: usize, text: &str| refused(text, Some(line));
    assert_eq!(
        grants(4, "10\n3\n14500\n-5\n700\n"),
        "bytes granted must be a whole number from 0 to 4294967295, got `-5`"
    );
    assert_eq!(
        grants(5, "10\n3\n14500\n0\nmany\n"),
        "bytes granted must be a whole number from 0 to 4294967295, got `many`"
    );
    assert_eq!(
        grants(2, "10\n4\n14500\n0\n700\n"),
        "the second line must be the number of batches that follow, got 4, found 3 lines"
    );
    assert_eq!(
        grants(1, "0\n3\n14500\n0\n700\n"),
        "the batch length in the first line must be 1 to 60000 ms, got 0 ms"
    );
    assert_eq!(refused("10\n3\n0\n0\n0\n", None), "a trace must grant at least 1 byte, got 0");
}

#[test]
fn a_drive_test_with_wrong_columns_or_fields() {
    let rows = |line: usize, text: &str| refused(text, Some(line));
    assert_eq!(
        rows(1, "Timestamp,Speed,Bitrate\n2019.12.16_13.40.04,0,72\n"),
        "column `DL_bitrate` required, found: Timestamp,Speed,Bitrate"
    );
    assert_eq!(
        rows(2, "Timestamp,DL_bitrate\n2019.12.16_13.40.04\n"),
        "a row must have 2 fields, one per column, got 1"
    );
    assert_eq!(
        rows(2, "Timestamp,DL_bitrate\n2019.12.16_13.40.04,fast\n"),
        "rate must be 0 to 1000000000 kbit/s, got `fast`"
    );
    assert_eq!(
        rows(3, "Timestamp,DL_bitrate\n2019.12.16_13.40.04,72\n13:40:05,72\n"),
        "time must have the form 2019.12.16_13.40.04, got `13:40:05`"
    );
    assert_eq!(
        refused("Timestamp,DL_bitrate\n", None),
        "a drive test must have a header line and at least one row, found no row"
    );
}

#[test]
fn a_format_that_the_file_does_not_have() {
    let folder = Folder::new();
    folder.write("steps.down", "2\n4\n6\n");
    let said = folder.jettison(&["trace", "info", "steps.down", "--from", "csv"]).refused();
    assert_eq!(said, "jettison: steps.down:1: column `Timestamp` required, found: 2");
    let said = folder.jettison(&["trace", "info", "steps.down", "--up"]).refused();
    assert!(said.starts_with("jettison: --up: requires a drive test"), "{said}");
    let said = folder.jettison(&["trace", "info", "steps.down", "--from", "pcap"]).refused();
    assert!(said.contains("mahimahi, srsran, csv"), "{said}");
}

#[test]
fn grants_that_no_segment_fits_in() {
    let folder = Folder::new();
    folder.write("thin.trace", "10\n3\n15\n20\n0\n");
    folder.write("s.toml", &changed("rate = \"5 Mbit/s\"", "cell = \"thin.trace\""));
    let said = folder.jettison(&["run", "s.toml"]).refused();
    assert!(said.contains("the largest grant in a millisecond (2 bytes)"), "{said}");
    assert_eq!(folder.names(""), ["s.toml", "thin.trace"]);
}

#[test]
fn an_output_that_exists_or_cannot_be_written() {
    let folder = Folder::new();
    folder.write("in.down", "2\n4\n6\n");
    folder.write("out.trace", "theirs");
    let convert = |out: &str, more: &[&str]| {
        folder.jettison(&[&["trace", "convert", "in.down", out, "--to", "srsran"], more].concat())
    };
    let said = convert("out.trace", &[]).refused();
    assert_eq!(said, "jettison: out.trace already exists; choose another name, or replace it with --force");
    assert_eq!(folder.read("out.trace"), b"theirs");
    let synthesize = ["trace", "synthesize", "out.trace", "--seed", "1"];
    assert_eq!(folder.jettison(&synthesize).refused(), said);
    convert("out.trace", &["--force"]).ok();
    assert_eq!(folder.read("out.trace"), b"10\n1\n4512\n");
    let said = convert("none/out.trace", &[]).refused();
    assert!(said.starts_with("jettison: none/out.trace: cannot write: "), "{said}");
    assert_eq!(folder.names(""), ["in.down", "out.trace"]);
}

#[test]
fn invalid_options_of_trace_commands() {
    let folder = Folder::new();
    folder.write("in.down", "2\n4\n6000\n");
    let synthesize = |more: &[&str]| {
        folder.jettison(&[&["trace", "synthesize", "out", "--seed", "1"], more].concat()).refused()
    };
    assert_eq!(
        synthesize(&["--duration", "10 ms"]),
        "jettison: duration must be 1 s to 86400 s in whole milliseconds, got 10 ms"
    );
    assert!(synthesize(&["--mean", "20 Mbit/s"]).ends_with("got 20 Mbit/s"));
    assert!(synthesize(&["--mean", "fast"]).contains("invalid value 'fast' for '--mean"));
    assert!(synthesize(&["--max", "0 bit/s"]).contains("maximum rate must be > 0"));
    assert!(synthesize(&["--batch", "0"]).contains("0 is not in 1..=60000"));
    assert!(synthesize(&["--opportunity", "0 bytes"]).contains("must be 1 to 65535 bytes"));
    let convert = |more: &[&str]| {
        folder
            .jettison(&[&["trace", "convert", "in.down", "out", "--to", "mahimahi"], more].concat())
            .refused()
    };
    assert_eq!(
        convert(&["--from-time", "5 s", "--duration", "2 s"]),
        "jettison: in.down: the part of 2 s from 5 s on must lie within the trace, which lasts 6 s"
    );
    assert!(convert(&["--from-time", "6 s"]).contains("the part of 0 s from 6 s on must lie within"));
    assert!(convert(&["--from-time", "1 us"]).contains("--from-time 1 us: must be whole milliseconds"));
    assert!(
        convert(&["--duration", "1 s", "--from-time", "1 s"]).contains("in this part, a trace must grant")
    );
    assert_eq!(folder.names(""), ["in.down"]);
}

#[test]
fn a_missing_trace_is_named_where_it_is_requested() {
    let folder = Folder::new();
    folder.write("s.toml", &changed("rate = \"5 Mbit/s\"", "trace = \"none.down\""));
    let said = folder.jettison(&["run", "s.toml"]).refused();
    assert!(said.starts_with("s.toml:18:9: cannot read `none.down`: "), "{said}");
    let remedy = "; write the path relative to the scenario's folder, or name another folder with `--data`";
    assert!(said.ends_with(remedy), "{said}");
    let said = folder.jettison(&["trace", "info", "none.down"]).refused();
    assert!(said.starts_with("jettison: none.down: cannot read the trace: "), "{said}");
    assert!(said.ends_with("(os error 2)"), "{said}");
    assert_eq!(folder.names(""), ["s.toml"]);
}

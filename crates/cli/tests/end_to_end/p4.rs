//! `jettison p4`.

use super::support::Folder;

/// Sends to port 2, and adds one to the first byte; a packet that begins with 7 is dropped.
const PROGRAM: &str = r#"#include <core.p4>
#include <v1model.p4>
#ifndef STEP
#define STEP 1
#endif
header h_t { bit<8> a; }
struct Headers { h_t h; }
struct Meta { }
parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start { b.extract(h.h); transition accept; }
}
control none(inout Headers h, inout Meta m) { apply { } }
control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    action drop() { mark_to_drop(sm); }
    table t { key = { h.h.a: exact; } actions = { drop; NoAction; } default_action = NoAction(); }
    apply {
        sm.egress_spec = 2;
        t.apply();
        h.h.a = h.h.a + STEP;
        clone(CloneType.I2E, 32w5);
        log_msg("a is {}", { h.h.a });
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { apply { } }
control deparser(packet_out b, in Headers h) { apply { b.emit(h.h); } }
V1Switch(p(), none(), ingress(), egress(), none(), deparser()) main;
"#;

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("a.p4", PROGRAM);
    folder.write("a.stf", "packet 0 01 02\nexpect 2 02 02 $\n");
    folder
}

#[test]
fn check_summarises_a_program_and_warns() {
    let folder = folder();
    let ran = folder.jettison(&["p4", "check", "a.p4"]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert_eq!(ran.stdout, "a.p4: OK: 1 parser state, 1 table; 1 warning\n");
    assert!(ran.stderr.contains("clone session 5") && ran.stderr.contains("a.p4:20"), "{}", ran.stderr);
    folder.write("commands", "mirroring_add 5 3\ntable_add t drop 7 =>\n");
    let ran = folder.jettison(&["p4", "check", "a.p4", "--commands", "commands"]);
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""));
    folder.write("commands", "table_add nope drop 7 =>\n");
    let ran = folder.jettison(&["p4", "check", "a.p4", "--commands", "commands"]);
    assert_eq!(ran.status, Some(2));
    assert!(ran.stderr.contains("commands:1:11") && ran.stderr.contains("nope"), "{}", ran.stderr);
}

#[test]
fn check_refuses_commands_that_a_switch_refuses() {
    let folder = folder();
    folder.write("commands", "mirroring_add 5 3\ntable_add t drop 7 =>\ntable_add t drop 7 =>\n");
    let ran = folder.jettison(&["p4", "check", "a.p4", "--commands", "commands"]);
    assert_eq!(ran.status, Some(2), "{}", ran.stdout);
    assert!(
        ran.stderr.contains("commands:3:1") && ran.stderr.contains("table `ingress.t`"),
        "{}",
        ran.stderr
    );
    let many: String = (0..1025).map(|key| format!("table_add w drop {key} =>\n")).collect();
    folder.write("many", &many);
    let wide = "table w { key = { sm.packet_length: exact; } actions = { drop; } default_action = drop(); } apply { w.apply();";
    folder.write(
        "w.p4",
        &PROGRAM.replace("apply {\n        sm.egress_spec", &format!("{wide}\n        sm.egress_spec")),
    );
    let ran = folder.jettison(&["p4", "check", "w.p4", "--commands", "many"]);
    assert_eq!(ran.status, Some(2), "{}", ran.stdout);
    assert!(ran.stderr.contains("many:1025:1") && ran.stderr.contains("1024"), "{}", ran.stderr);
}

#[test]
fn a_failed_assert_fails_a_test() {
    let folder = folder();
    folder.write("b.p4", &PROGRAM.replace("t.apply();", "t.apply(); assert(h.h.a != 3);"));
    folder.write("b.stf", "packet 0 01 02\nexpect 2 02 02 $\npacket 0 03 02\nexpect 2 04 02 $\n");
    let ran = folder.jettison(&["p4", "test", "b.p4"]);
    assert_eq!(ran.status, Some(1), "{}", ran.stdout);
    assert!(ran.stdout.contains("b.stf:3: assert failed: `simple_switch` would end here"), "{}", ran.stdout);
}

#[test]
fn check_shows_errors_with_their_place_and_goes_on_with_the_next_program() {
    let folder = folder();
    folder.write("b.p4", &PROGRAM.replace("h.h.a + STEP", "h.h.nope + STEP"));
    let ran = folder.jettison(&["p4", "check", "b.p4", "a.p4"]);
    assert_eq!(ran.status, Some(2));
    assert!(ran.stderr.contains("b.p4:19") && ran.stderr.contains("nope"), "{}", ran.stderr);
    assert!(ran.stdout.contains("a.p4: OK"), "{}", ran.stdout);
    let ran = folder.jettison(&["p4", "check", "absent.p4"]);
    assert_eq!(ran.status, Some(2));
    assert!(ran.stderr.contains("absent.p4: cannot read"), "{}", ran.stderr);
}

#[test]
fn the_preprocessor_takes_definitions_and_folders() {
    let folder = folder();
    folder.write("a.stf", "packet 0 01 02\nexpect 2 06 02 $\n");
    assert!(folder.jettison(&["p4", "test", "a.p4", "a.stf", "-D", "STEP=5"]).ok().contains("1 passed"));
    assert_eq!(folder.jettison(&["p4", "test", "a.p4", "a.stf"]).status, Some(1));
    folder.write("parts/step.h", "#define STEP 5\n");
    folder.write("b.p4", &format!("#include \"step.h\"\n{PROGRAM}"));
    assert!(folder.jettison(&["p4", "test", "b.p4", "a.stf", "-Iparts"]).ok().contains("1 passed"));
    let ran = folder.jettison(&["p4", "test", "b.p4", "a.stf"]);
    assert_eq!(ran.status, Some(2));
    assert!(ran.stderr.contains("step.h"), "{}", ran.stderr);
    assert_eq!(folder.jettison(&["p4", "check", "a.p4", "-D", "=5"]).status, Some(2));
}

#[test]
fn test_shows_the_first_packet_that_differs_and_counts() {
    let folder = folder();
    assert_eq!(
        folder.jettison(&["p4", "test", "a.p4", "a.stf"]).ok(),
        "ok   a.stf\n1 test: 1 passed, 0 failed\n"
    );
    folder.write("wrong.stf", "packet 0 01 02\nexpect 2 02 *3\n");
    let ran = folder.jettison(&["p4", "test", "a.p4", "a.stf", "wrong.stf"]);
    assert_eq!(ran.status, Some(1), "{}", ran.stderr);
    let wanted = "\
ok   a.stf
FAIL wrong.stf
     wrong.stf:2: port 2: packet 1 differs in byte 1
     expected 02 *3
     got      02 02
                  ^
";
    assert!(ran.stdout.starts_with(wanted), "{}", ran.stdout);
    assert!(ran.stdout.ends_with("2 tests: 1 passed, 1 failed\n"), "{}", ran.stdout);
}

#[test]
fn test_runs_whole_folders_and_writes_junit() {
    let folder = Folder::new();
    folder.write("all/a.p4", PROGRAM);
    folder.write("all/a.stf", "packet 0 01\nexpect 2 02 $\n");
    folder.write("all/deep/b.p4", PROGRAM);
    folder.write("all/deep/b.stf", "packet 0 01\nexpect 2 ff\n");
    folder.write("all/deep/alone.p4", "no program");
    let ran = folder.jettison(&["p4", "test", "all", "--junit", "results.xml"]);
    assert_eq!(ran.status, Some(1), "{}", ran.stderr);
    assert!(ran.stdout.contains("ok   all/a.stf\nFAIL all/deep/b.stf\n"), "{}", ran.stdout);
    assert!(ran.stdout.ends_with("2 tests: 1 passed, 1 failed\n"), "{}", ran.stdout);
    let xml = String::from_utf8(folder.read("results.xml")).expect("XML is text");
    for wanted in [
        "<testsuites tests=\"2\" failures=\"1\">",
        "<testsuite name=\"all/a.p4\" tests=\"1\" failures=\"0\">",
        "<testcase name=\"all/deep/b.stf\" classname=\"all/deep/b.p4\">",
        "got      02",
    ] {
        assert!(xml.contains(wanted), "{wanted} is not in\n{xml}");
    }
    folder.write("empty/x.p4", PROGRAM);
    let ran = folder.jettison(&["p4", "test", "empty"]);
    assert_eq!(ran.status, Some(2));
    assert!(ran.stderr.contains("has no test"), "{}", ran.stderr);
}

#[test]
fn malformed_tests_are_shown_with_their_lines() {
    let folder = folder();
    folder.write("a.stf", "packet 0 0g\n\nadd nope a()\n");
    let ran = folder.jettison(&["p4", "test", "a.p4", "a.stf"]);
    assert_eq!(ran.status, Some(2));
    assert!(ran.stderr.contains("a.stf:1:11") && ran.stderr.contains("invalid hex digit"), "{}", ran.stderr);
    folder.write("a.stf", "add nope a()\n");
    let ran = folder.jettison(&["p4", "test", "a.p4"]);
    assert_eq!(ran.status, Some(2));
    assert!(ran.stderr.contains("a.stf:1:5") && ran.stderr.contains("`ingress.t`"), "{}", ran.stderr);
    assert!(ran.stdout.contains("FAIL a.stf") && ran.stdout.contains("1 failed"), "{}", ran.stdout);
    let ran = folder.jettison(&["p4", "test", "a.p4", "absent.stf"]);
    assert_eq!(ran.status, Some(2));
    assert!(ran.stderr.contains("absent.stf: cannot read"), "{}", ran.stderr);
}

/// A pcap of three frames, a second apart.
fn capture() -> Vec<u8> {
    let mut bytes = Vec::new();
    for word in [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 65_535, 1] {
        bytes.extend(word.to_le_bytes());
    }
    for (second, frame) in [(10u32, [1u8, 2]), (11, [7, 2]), (12, [9, 2])] {
        for word in [second, 0, 2, 2] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(frame);
    }
    bytes
}

#[test]
fn run_summarises_the_fate_of_the_packets() {
    let folder = folder();
    std::fs::write(folder.path("in.pcap"), capture()).expect("the folder can be written");
    folder.write("commands", "table_add t drop 7 =>\n");
    let arguments = ["p4", "run", "a.p4", "--pcap", "in.pcap", "--commands", "commands", "--out", "out"];
    let ran = folder.jettison(&arguments);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    for wanted in [
        "received",
        "3 packets  6 bytes",
        "port 2",
        "2 packets  4 bytes",
        "dropped",
        "clones not made",
        "log: a is 10",
    ] {
        assert!(ran.stdout.contains(wanted), "{wanted} is not in\n{}", ran.stdout);
    }
    assert_eq!(folder.names("out"), ["port-2.pcapng"]);
    // Output captures are valid input.
    let ran = folder.jettison(&["p4", "run", "a.p4", "--pcap", "out/port-2.pcapng", "--port", "3"]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("received") && ran.stdout.contains("2 packets"), "{}", ran.stdout);
}

#[test]
fn a_file_of_bytes_is_no_program() {
    let folder = Folder::new();
    folder.write("program", "\u{7f}ELF\0\u{1}");
    let said = folder.jettison(&["p4", "check", "program"]).refused();
    assert_eq!(said.trim_end(), "jettison: program: a program must be text, but has bytes of zero");
}

#[test]
fn run_refuses_files_that_are_not_captures() {
    let folder = folder();
    let run = |pcap: &str| folder.jettison(&["p4", "run", "a.p4", "--pcap", pcap]);
    assert!(run("absent.pcap").stderr.contains("absent.pcap: cannot read"));
    folder.write("text.pcap", "text\n");
    let ran = run("text.pcap");
    assert_eq!(ran.status, Some(2));
    assert!(ran.stderr.contains("neither a pcap nor a pcapng file"), "{}", ran.stderr);
    std::fs::write(folder.path("cut.pcap"), &capture()[..50]).expect("the folder can be written");
    assert!(run("cut.pcap").stderr.contains("malformed"));
    let mut other = capture();
    other[20] = 101; // raw IP
    std::fs::write(folder.path("raw.pcap"), other).expect("the folder can be written");
    assert!(run("raw.pcap").stderr.contains("Ethernet"));
    folder.write("commands", "register_write nope 1 2\n");
    std::fs::write(folder.path("in.pcap"), capture()).expect("the folder can be written");
    let ran = folder.jettison(&["p4", "run", "a.p4", "--pcap", "in.pcap", "--commands", "commands"]);
    assert_eq!(ran.status, Some(2));
    assert!(ran.stderr.contains("commands:1:16"), "{}", ran.stderr);
}

#[test]
fn compile_describes_a_program_to_controllers() {
    let folder = folder();
    let text = folder.jettison(&["p4", "compile", "a.p4"]).ok();
    assert!(text.contains("arch: \"v1model\"") && text.contains("name: \"ingress.t\""), "{text}");
    folder.jettison(&["p4", "compile", "a.p4", "--p4info", "a.txtpb", "--config", "a.json"]).ok();
    assert_eq!(String::from_utf8(folder.read("a.txtpb")).expect("the text format is UTF-8"), text);
    let config: serde_json::Value = serde_json::from_slice(&folder.read("a.json")).expect("valid JSON");
    assert_eq!((&config["format"], &config["main"]), (&"jettison-p4/1".into(), &"a.p4".into()));
    folder.jettison(&["p4", "compile", "a.p4", "--p4info", "a.bin"]).ok();
    let binary = folder.read("a.bin");
    assert!(!binary.is_empty() && binary.len() < text.len(), "{} bytes", binary.len());
    let ran = folder.jettison(&["p4", "compile", "a.p4", "--p4info", "absent/a.bin"]);
    assert!(ran.status == Some(2) && ran.stderr.contains("absent/a.bin: cannot write"), "{}", ran.stderr);
}

#[cfg(unix)]
#[test]
fn serve_listens_until_it_is_interrupted() {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;

    let folder = folder();
    let mut command = folder.command(&["p4", "serve", "a.p4", "--listen", "127.0.0.1:0", "--device-id", "7"]);
    let mut child = command.stdout(Stdio::piped()).spawn().expect("the command starts");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("a line");
    let address = line.strip_prefix("device 7, P4Runtime on ").and_then(|rest| rest.split(';').next());
    let address = address.expect("the address is printed").to_owned();
    let connected = std::net::TcpStream::connect(&address).is_ok();
    let taken = folder.jettison(&["p4", "serve", "a.p4", "--listen", &address]);
    child.kill().expect("it runs still");
    child.wait().expect("it ends");
    assert!(connected, "{address}");
    assert_eq!(taken.status, Some(2), "{}", taken.stderr);
    assert!(taken.stderr.contains(&format!("cannot listen on {address}")), "{}", taken.stderr);
}

use std::sync::Arc;

use super::*;
use crate::control::Command;
use jettison_p4_front::diagnostic::Diagnostic;
use jettison_p4_front::ir::{KeyMatch, Program};
use jettison_p4_front::source::Sources;
use jettison_p4_front::syntax::Options;
use jettison_p4_oracle::Reference;
use num_bigint::BigUint;

fn parsed(text: &str) -> Result<Test, Vec<String>> {
    let mut sources = Sources::default();
    let file = sources.add("t.stf", text);
    parse(&sources, file).map_err(|errors| errors.iter().map(|error| error.one_line(&sources)).collect())
}

fn statement(text: &str) -> StatementKind {
    let mut test = parsed(text).unwrap_or_else(|errors| panic!("{errors:?}"));
    assert_eq!(test.statements.len(), 1, "{text}");
    test.statements.remove(0).kind
}

fn error(text: &str) -> String {
    let mut errors = parsed(text).expect_err("the line is malformed");
    assert_eq!(errors.len(), 1, "{errors:?}");
    errors.remove(0)
}

#[test]
fn packets_are_hex_digits_in_groups_of_any_size() {
    let packet = |text| match statement(text) {
        StatementKind::Packet { port, bytes } => (port, bytes),
        other => panic!("{other:?}"),
    };
    assert_eq!(packet("packet 0 0aFf 1 2"), (0, vec![0x0a, 0xff, 0x12]));
    assert_eq!(packet("  packet\t510 00 # comment"), (510, vec![0]));
    assert_eq!(packet("packet 3 00// comment"), (3, vec![0]));
    for (text, wanted) in [
        ("packet 0 0a1", "odd number of hex digits"),
        ("packet 0 0x12", "invalid hex digit `x`"),
        ("packet 0 1*", "`*` is not allowed"),
        ("packet 0", "missing packet data"),
        ("packet", "missing port"),
        ("packet 511 00", "invalid port `511`"),
        ("packet p 00", "invalid port `p`"),
        ("packet 0 é", "invalid hex digit `é`"),
    ] {
        assert!(error(text).contains(wanted), "{text}: {}", error(text));
    }
}

#[test]
fn expectations_are_prefixes_by_nibbles_or_whole_packets() {
    let pattern = |text| match statement(text) {
        StatementKind::Expect { pattern: Some(pattern), .. } => pattern,
        other => panic!("{other:?}"),
    };
    let prefix = pattern("expect 1 0* 1");
    assert_eq!(prefix.difference(&[0x0f, 0x1f, 0x99]), None);
    assert_eq!(prefix.difference(&[0x0f, 0x2f]), Some(2));
    assert_eq!(prefix.difference(&[0x0f]), Some(2), "too short");
    let exact = pattern("expect 1 0a ** $");
    assert_eq!(exact.difference(&[0x0a, 1]), None);
    assert_eq!(exact.difference(&[0x0a, 1, 2]), Some(4), "too long");
    assert_eq!(pattern("expect 1 $").difference(&[]), None);
    assert_eq!(pattern("expect 1 0A$").to_string(), "0a$");
    assert_eq!(statement("expect 7"), StatementKind::Expect { port: 7, pattern: None });
    assert!(error("expect 1 0a $ 0b").contains("unexpected text after `$`"));
    assert!(error("expect 1 0g").contains("invalid hex digit `g`"));
}

#[test]
fn entries_have_priorities_keys_actions_and_names() {
    let text = "add ingress.t 10 h.s$0.f:0x1* h.h.isValid():true x[3:0]: 5 &&& 7 y :0/0 z:1->2 c.act( a : 1, b:0x2) = one";
    let StatementKind::Add { table, priority, keys, action, handle } = statement(text) else { panic!() };
    assert_eq!((table.text.as_str(), priority.map(|(priority, _)| priority)), ("ingress.t", Some(10)));
    let names: Vec<&str> = keys.iter().map(|key| key.name.text.as_str()).collect();
    assert_eq!(names, ["h.s$0.f", "h.h.isValid()", "x[3:0]", "y", "z"]);
    assert!(matches!(keys[2].value, Value::Mask(..)) && matches!(keys[3].value, Value::Slash(..)));
    assert!(matches!(keys[4].value, Value::Range(..)));
    let names: Vec<Option<&str>> = action
        .arguments
        .iter()
        .map(|argument| argument.name.as_ref().map(|name| name.text.as_str()))
        .collect();
    assert_eq!((action.name.text.as_str(), names), ("c.act", vec![Some("a"), Some("b")]));
    assert_eq!(handle.map(|handle| handle.text), Some("one".to_owned()));
    assert!(matches!(statement("setdefault t act()"), StatementKind::SetDefault { .. }));
    assert!(matches!(statement("setdefault t act"), StatementKind::SetDefault { .. }));
    for (text, wanted) in [
        ("add", "expected the name of a table, found the end of the line"),
        ("add t", "expected `key:value` or `action(...)`, found the end"),
        ("add t x:", "expected a number, found the end"),
        ("add t x:y a()", "invalid number `y`"),
        ("add t x:1 a(", "expected a number, found the end"),
        ("add t x:1 a(1", "expected `)`, found the end"),
        ("add t x:1 a(1) b", "expected the end of the line"),
        ("add t 99999999999 x:1 a()", "below 2^32"),
        ("add t x:12* a()", "`*` is allowed only in hex"),
        ("add t x:0x a()", "has no digits"),
        ("setdefault t", "expected an action, found the end"),
    ] {
        assert!(error(text).contains(wanted), "{text}: {}", error(text));
    }
}

#[test]
fn other_statements_are_parsed_or_rejected_with_a_position() {
    assert_eq!(statement("remove all"), StatementKind::RemoveAll);
    assert_eq!((statement("wait"), statement("no_packet")), (StatementKind::Wait, StatementKind::NoPacket));
    assert!(
        matches!(statement("mirroring_add 1 2"), StatementKind::Command(text) if text == "mirroring_add 1 2")
    );
    assert_eq!(statement("mirroring_get 1"), StatementKind::MirroringGet);
    let StatementKind::CheckCounter { index, unit, comparison, .. } =
        statement("check_counter c(3) bytes >= 5")
    else {
        panic!()
    };
    assert_eq!((index, unit), (Index::Number(3), Unit::Bytes));
    assert_eq!(comparison.map(|comparison| comparison.to_string()), Some(">= 5".to_owned()));
    assert!(matches!(
        statement("check_counter t(one)"),
        StatementKind::CheckCounter { index: Index::Entry(_), comparison: None, .. }
    ));
    assert!(matches!(
        statement("register_read r 2 == 0x10"),
        StatementKind::CheckRegister { index: Some(2), comparison: Some(_), .. }
    ));
    assert_eq!(error("\n\n  bogus 1"), "t.stf:3:3: error: unknown statement `bogus`");
    assert!(error("remove one").contains("remove all"));
    assert!(error("wait 5").contains("`wait` takes no arguments"));
    assert!(error("check_counter c").contains("found the end of the line"));
    assert_eq!(parsed("# only\n\n   # comments"), Ok(Test::default()));
    assert_eq!(
        parsed("bogus\npacket 0 00\npacket 0").map_err(|errors| errors.len()),
        Err(2),
        "all errors are reported"
    );
}

/// Tables with a key of each kind.
const PROGRAM: &str = "
#include <core.p4>
#include <v1model.p4>
header h_t { bit<8> a; bit<8> b; }
struct Headers { h_t h; h_t[2] s; }
struct Meta { }
parser p(packet_in b, out Headers h, inout Meta m, inout standard_metadata_t sm) {
    state start { b.extract(h.h); transition accept; }
}
control none(inout Headers h, inout Meta m) { apply { } }
control sub(inout Headers h) {
    action set(bit<8> v, bit<4> w) { h.h.b = v; }
    table t { key = { h.h.a: exact; } actions = { set; NoAction; } default_action = NoAction(); }
    table nested { key = { h.h.a: exact; } actions = { set; NoAction; } default_action = NoAction(); }
    apply { t.apply(); nested.apply(); }
}
control ingress(inout Headers h, inout Meta m, inout standard_metadata_t sm) {
    register<bit<8>>(4) r;
    counter(4, CounterType.packets) c;
    sub() one;
    action set(bit<8> v, bit<4> w) { h.h.b = v; }
    table t { key = { h.h.a: exact; h.s[1].b: exact; } actions = { set; NoAction; } default_action = NoAction(); }
    table tern { key = { h.h.a: ternary; } actions = { set; NoAction; } default_action = NoAction(); }
    table lpm { key = { h.h.a: lpm; } actions = { set; NoAction; } default_action = NoAction(); }
    table range { key = { h.h.a: range; h.h.b: optional; } actions = { set; NoAction; } default_action = NoAction(); }
    apply {
        sm.egress_spec = 1;
        t.apply(); tern.apply(); lpm.apply(); range.apply(); one.apply(h);
        c.count(0);
        r.write(1, h.h.a);
    }
}
control egress(inout Headers h, inout Meta m, inout standard_metadata_t sm) { 
    table other { key = { h.h.a: exact; } actions = { NoAction; } default_action = NoAction(); }
    table lpm { key = { h.h.a: exact; } actions = { NoAction; } default_action = NoAction(); }
    apply {
        if (h.h.a == 0xee) { recirculate_preserving_field_list(0); }
        other.apply();
        lpm.apply();
    }
}
control deparser(packet_out b, in Headers h) { apply { b.emit(h); } }
V1Switch(p(), none(), ingress(), egress(), none(), deparser()) main;
";

fn program() -> Arc<Program> {
    let mut sources = Sources::default();
    let main = sources.add("p.p4", PROGRAM);
    let shown = |errors: Vec<Diagnostic>| {
        errors.iter().map(|error| error.render(&sources, false)).collect::<String>()
    };
    match jettison_p4_front::compile(&mut sources.clone(), main, &Options::default()) {
        Ok((program, _)) => Arc::new(program),
        Err(errors) => panic!("{}", shown(errors)),
    }
}

fn resolved(text: &str) -> Result<Script, String> {
    let mut sources = Sources::default();
    let file = sources.add("t.stf", text);
    let test = parse(&sources, file).expect("the text is well-formed");
    resolve(&test, &program())
        .map_err(|errors| errors.iter().map(|error| error.render(&sources, false)).collect())
}

/// Match criteria of an entry.
fn keys(text: &str) -> Vec<KeyMatch> {
    let script = resolved(text).unwrap_or_else(|errors| panic!("{errors}"));
    match &script.steps[0].kind {
        StepKind::Command(Command::TableAdd { entry, .. }) => entry.keys.clone(),
        other => panic!("{other:?}"),
    }
}

fn number(value: u32) -> BigUint {
    BigUint::from(value)
}

#[test]
fn values_are_converted_to_the_match_kind() {
    let ternary = |value, mask| vec![KeyMatch::Ternary(number(value), number(mask))];
    assert_eq!(keys("add tern 1 a:0x1* NoAction()"), ternary(0x10, 0xf0));
    assert_eq!(keys("add tern 1 a:0b1**0_0*** NoAction()"), ternary(0x80, 0x98));
    assert_eq!(keys("add tern 1 a:0x1 NoAction()"), ternary(1, 0xf), "omitted digits are not compared");
    assert_eq!(keys("add tern 1 a:17 NoAction()"), ternary(17, 0xff));
    assert_eq!(keys("add tern 1 a:0x12&&&0x0f NoAction()"), ternary(2, 0xf));
    assert_eq!(keys("add tern 1 a:0x12/4 NoAction()"), ternary(0x10, 0xf0));
    assert_eq!(keys("add tern 1 NoAction()"), [KeyMatch::Any]);
    let prefix = |value, length| vec![KeyMatch::Lpm(number(value), length)];
    assert_eq!(keys("add ingress.lpm a:0x12/4 NoAction()"), prefix(0x10, 4));
    assert_eq!(keys("add ingress.lpm a:0x1* NoAction()"), prefix(0x10, 4));
    assert_eq!(keys("add ingress.lpm a:0x12 NoAction()"), prefix(0x12, 8));
    assert_eq!(keys("add ingress.lpm a:0x12/0xf0 NoAction()"), prefix(0x10, 4), "a mask that is a prefix");
    assert_eq!(keys("add ingress.lpm NoAction()"), prefix(0, 0));
    assert_eq!(
        keys("add range 1 a:1->0x10 b:7 NoAction()"),
        [KeyMatch::Range(number(1), number(16)), KeyMatch::Exact(number(7))]
    );
    assert_eq!(
        keys("add range 1 a:0x1* b:0x** NoAction()"),
        [KeyMatch::Range(number(0x10), number(0x1f)), KeyMatch::Any]
    );
    assert_eq!(
        keys("add ingress.t s$1.b:5 NoAction()"),
        [KeyMatch::Exact(number(0)), KeyMatch::Exact(number(5))],
        "an omitted exact key is 0"
    );
}

#[test]
fn mismatches_with_the_program_are_rejected_with_a_position() {
    for (text, wanted) in [
        ("add nope NoAction()", "unknown table `nope`"),
        ("add lpm NoAction()", "`ingress.lpm`, `egress.lpm`"),
        ("add t nope:1 NoAction()", "unknown key `nope`"),
        ("add t a:1 a:2 NoAction()", "duplicate value"),
        ("add t a:0x100 NoAction()", "must fit in 8 bits"),
        ("add t a:0x1* NoAction()", "`*` is allowed only"),
        ("add t a:1/2 NoAction()", "`/` is allowed only for lpm and ternary keys"),
        ("add tern a:1 NoAction()", "missing priority"),
        ("add ingress.lpm a:0x*1 NoAction()", "only at the end"),
        ("add ingress.lpm a:1/9 NoAction()", "must be from 0 to 8"),
        ("add t nope()", "unknown action `nope`"),
        ("add t set(1)", "missing value for the parameter `w`"),
        ("add t set(1, 2, 3)", "(maximum 2)"),
        ("add t set(v:1, v:2)", "duplicate value"),
        ("add t set(v:1, w:0x100)", "must fit in 4 bits"),
        ("add t set(x:1)", "unknown parameter `x`"),
        ("check_counter nope(1)", "unknown counter `nope`"),
        ("check_counter c(entry) == 1", "unknown entry `entry`"),
        ("register_read nope 1", "unknown register `nope`"),
        ("bogus_command 1", "unknown command `bogus_command`"),
        ("mirroring_add 1", "mirroring_add"),
    ] {
        let message = resolved(text).map(|_| ()).expect_err("it does not match the program");
        assert!(message.contains(wanted) && message.contains("t.stf:1:"), "{text}: {message}");
    }
    assert!(resolved("add t a:1 NoAction()").is_ok(), "the least nested of several");
    assert!(resolved("add one.t a:1 NoAction()\nadd nested a:1 set(1, w:2)").is_ok());
}

fn outcome(text: &str) -> Outcome {
    let program = program();
    let script = resolved(text).unwrap_or_else(|errors| panic!("{errors}"));
    run(&program, &script, Reference::new(program.clone()))
}

fn problem(text: &str) -> String {
    let mut sources = Sources::default();
    sources.add("t.stf", text);
    let outcome = outcome(text);
    assert!(!outcome.passed(), "{text} passes");
    outcome.problems[0].in_lines(&sources)
}

#[test]
fn order_and_number_of_packets_count_for_each_port() {
    assert!(outcome("packet 0 01 02\nexpect 1 01\npacket 0 02 02\nexpect 1 02 02 $").passed());
    assert!(outcome("expect 1 01 02 $\npacket 0 01 02").passed(), "compared at the end");
    assert_eq!(
        problem("packet 0 01 02\npacket 0 02 02\nexpect 1 02\nexpect 1 01").lines().next(),
        Some("t.stf:3: port 1: packet 1 differs in byte 0")
    );
    assert_eq!(
        problem("packet 0 01 02\nexpect 1 01\nexpect 1 05 **"),
        "t.stf:3: port 1: expected 2 packets, got 1 packet\nmissing 05 ** \n"
    );
    assert_eq!(
        problem("packet 0 01 02\nno_packet"),
        "port 1: expected no packet, got 1 packet\nsurplus 01 02 \n"
    );
    assert_eq!(
        problem("packet 0 01 02\nexpect 2 01").lines().next(),
        Some("t.stf:2: port 2: expected 1 packet, got no packet")
    );
    assert!(outcome("packet 0 01 02").passed(), "nothing is said of port 1");
    assert!(!outcome("packet 1 01 02").passed(), "port 1 is named");
    assert!(outcome("packet 0 01 02\npacket 0 02 02\nexpect 1").passed(), "any packets");
    assert!(!outcome("expect 1").passed());
}

#[test]
fn a_difference_is_marked() {
    assert_eq!(
        problem("packet 0 01 02 03\nexpect 1 0102 1*$"),
        "t.stf:2: port 1: packet 1 differs in byte 2\n\
         expected 01 02 1* $\n\
         got      01 02 03\n         \u{20}     ^\n"
    );
    assert!(problem("packet 0 01 02 03\nexpect 1 01 02 $").contains("is too long"));
    assert!(problem("packet 0 01 02\nexpect 1 01 02 03").contains("is too short"));
}

#[test]
fn registers_and_counters_are_checked_at_their_line() {
    assert!(
        outcome("register_read r 1 == 0\npacket 0 07 00\nregister_read r 1 == 7\ncheck_counter c(0) == 1")
            .passed()
    );
    assert_eq!(
        problem("packet 0 07 00\nregister_read r 1 == 8"),
        "t.stf:2: the register must be == 8, got 7 (0x7)\n"
    );
    assert_eq!(
        problem("packet 0 07 00\ncheck_counter c(0) packets > 1"),
        "t.stf:2: the counter must be > 1 packets, got 1\n"
    );
    assert!(problem("check_counter c(9) == 0").contains("t.stf:1"), "there is no element 9");
}

#[test]
fn an_endless_recirculation_is_a_failure_and_not_a_hang() {
    assert!(problem("packet 0 ee 00\nexpect 1").contains("endless loop"));
}

#[test]
fn a_command_that_the_switch_rejects_is_a_failure() {
    assert!(problem("add t a:1 NoAction()\nadd t a:1 NoAction()").starts_with("t.stf:2: "));
}

#[test]
fn junit_has_a_suite_for_each_program_and_escapes_texts() {
    let case = |program: &str, name: &str, failure: Option<&str>| Case {
        program: program.to_owned(),
        name: name.to_owned(),
        failure: failure.map(str::to_owned),
    };
    let text = junit(&[
        case("a.p4", "x", None),
        case("b.p4", "y", Some("1 < 2\n\u{1b}[m")),
        case("a.p4", "z", None),
    ]);
    for wanted in [
        "<testsuites tests=\"3\" failures=\"1\">",
        "<testsuite name=\"a.p4\" tests=\"2\" failures=\"0\">",
        "<testcase name=\"x\" classname=\"a.p4\"/>",
        "<failure message=\"1 &lt; 2\">1 &lt; 2\n?[m</failure>",
    ] {
        assert!(text.contains(wanted), "{wanted} is not in:\n{text}");
    }
}

#[test]
fn any_text_is_parsed_or_rejected() {
    for text in [
        "add t [",
        "add t ]:1 a()",
        "packet 0 \u{0}",
        "add \"t",
        "add t x:0x\u{ff11} a()",
        "expect 0 $$",
        "check_counter ((",
        "add t (",
        "=",
        "add t x:1->",
        "add t a(:)",
        "add t ():1 a",
    ] {
        let _ = parsed(text);
    }
}

proptest::proptest! {
    #[test]
    fn any_lines_are_parsed_or_rejected_with_valid_positions(
        lines in proptest::collection::vec("(packet|expect|add|setdefault|check_counter|register_read|remove|)[ -~é]{0,40}", 0..4)
    ) {
        let mut sources = Sources::default();
        let file = sources.add("t.stf", lines.join("\n"));
        match parse(&sources, file) {
            Ok(test) => {
                for statement in &test.statements {
                    assert!(!sources.text(statement.span).is_empty());
                }
                let _ = resolve(&test, &program_once());
            }
            Err(errors) => {
                for error in errors {
                    assert!(error.span.is_some_and(|span| sources.position(span).0 <= lines.len()));
                    error.render(&sources, false);
                }
            }
        }
    }

    #[test]
    fn a_written_pattern_matches_its_values(bits in 1u32..200, value: u128, free in 0u32..100) {
        // A binary number with `*` at its end, for a key with as many bits as digits.
        let value = BigUint::from(value) & number::ones(bits);
        let mut digits: Vec<u8> = format!("{value:0>width$b}", width = bits as usize).into_bytes();
        let free = free.min(bits);
        for digit in &mut digits[(bits - free) as usize..] {
            *digit = b'*';
        }
        let text = format!("0b{}", String::from_utf8(digits).expect("digits are ASCII"));
        let read = Number::parse(&text).expect("it is a number");
        assert_eq!((read.bits, &read.any), (Some(bits), &number::ones(free)));
        assert_eq!(read.value, (&value >> free) << free);
    }
}

fn program_once() -> Arc<Program> {
    static PROGRAM: std::sync::OnceLock<Arc<Program>> = std::sync::OnceLock::new();
    PROGRAM.get_or_init(program).clone()
}

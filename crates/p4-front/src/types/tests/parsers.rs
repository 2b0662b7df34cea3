//! Parsers (§12 of the specification).

use super::{elaborated, errors, program, warnings};
use crate::ir::{KeySet, Target, Transition};

fn error_of(parser: &str) -> String {
    let found = errors(&program("", parser, "", ""));
    assert_eq!(found.len(), 1, "{found:?}");
    found[0].clone()
}

#[test]
fn select_matches_values_masks_ranges_and_sets_12_6() {
    let program = elaborated(&program(
        "",
        "value_set<bit<8>>(4) vs;
         state start { transition select(h.h.a, m.k) { (1, Kind.One): accept; (2 &&& 6, 2): next; (3 .. 5, _): reject; default: next; } }
         state next { transition select(h.h.b) { vs: accept; 8w7: start; } }",
        "",
        "",
    ));
    let states = &program.parsers[program.pipeline.parser.index()].states;
    let Transition::Select { cases, .. } = &states[0].next else { panic!("it is a select") };
    assert!(matches!(cases[0].keys[..], [KeySet::Value(_), KeySet::Value(_)]));
    assert!(matches!(cases[1].keys[..], [KeySet::Mask(..), KeySet::Value(_)]));
    assert!(matches!(cases[2].keys[..], [KeySet::Range(..), KeySet::Any]));
    assert_eq!(cases[3].keys, [KeySet::Any]);
    let Transition::Select { cases, .. } = &states[1].next else { panic!("it is a select") };
    assert!(matches!(cases[0].keys[..], [KeySet::ValueSet(_)]));
    assert_eq!(program.value_sets.len(), 1);
}

#[test]
fn a_state_without_a_transition_rejects_12_5() {
    let program = elaborated(&program("", "state start { }", "", ""));
    let parser = &program.parsers[program.pipeline.parser.index()];
    assert_eq!(parser.states[0].next, Transition::To(Target::Reject));
}

#[test]
fn all_packet_in_methods_are_accepted() {
    elaborated(&program(
        "",
        "state start {
            bit<8> x = p.lookahead<bit<8>>();
            A a = p.lookahead<A>();
            p.advance(8); p.advance((bit<32>)x); p.extract(h.h); p.extract(h.s.next); p.extract(h.v, 32w16);
            p.extract<B>(_); p.extract(h.s[m.m]); p.extract(h.u.y);
            verify(h.h.a == 1, error.Odd); verify(p.length() > 3, error.NoMatch);
            m.m = h.s.last.a; m.w = (bit<16>)h.s.lastIndex;
            if (h.h.isValid()) { m.m = 3; }
            transition select(p.lookahead<B>().w) { 0: start; _: accept; }
         }",
        "",
        "",
    ));
}

#[test]
fn errors_in_parsers_are_reported() {
    assert_eq!(error_of("state begin { transition accept; }"), "missing state `start` in the parser `P`");
    assert_eq!(error_of("state start { transition nxt; }"), "unknown state `nxt`");
    assert_eq!(
        error_of("state start { p.extract(m.m); transition accept; }"),
        "expected a header to extract, found `bit<8>`"
    );
    assert_eq!(
        error_of("state start { transition select(m.m) { 1: accept; m.f: reject; } }"),
        "expected `bit<8>`, found `bool`"
    );
    assert_eq!(
        error_of("state start { transition select(m.m, m.w) { (1, 2, 3): accept; } }"),
        "expected 2 key sets, found 3"
    );
    assert_eq!(
        error_of("state start { transition accept; } state start { transition accept; }"),
        "duplicate state `start`"
    );
}

#[test]
fn a_case_after_the_default_is_unreachable() {
    let text = program("", "state start { transition select(m.m) { _: accept; 1: reject; } }", "", "");
    assert_eq!(warnings(&text), ["unreachable case"]);
}

#[test]
fn sub_parser_parameters_are_aliases_of_caller_places() {
    let top = "parser Sub(packet_in p, out A a, in bit<8> n) { state start { p.extract(a); transition select(n) { 1: accept; } } }";
    let program = elaborated(&program(
        top,
        "Sub() s; state start { s.apply(p, h.h, m.m); transition accept; }",
        "",
        "",
    ));
    let text = program.to_string();
    assert!(text.contains("reset headers#0.h\n") && text.contains("call P.s"), "{text}");
}

#[test]
fn controls_do_not_parse_and_parsers_do_not_apply_tables() {
    let found = errors(&program("control X(packet_in p) { apply { B b; p.extract(b); } }", "", "", ""));
    assert_eq!(found, ["reading the packet is allowed only in parsers"]);
    let found = errors(&program(
        "control S(inout Meta m) { apply { } }",
        "S() s; state start { s.apply(m); transition accept; }",
        "",
        "",
    ));
    let inside = "the control `S` cannot be instantiated in a parser";
    assert_eq!(found, [inside, "applying a control is allowed only in controls' apply blocks"]);
}

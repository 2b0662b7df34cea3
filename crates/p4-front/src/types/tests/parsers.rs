//! Parsers (§12 of the specification).

use super::{elaborated, errors, program, warnings};
use crate::ir::{KeySet, Target, Transition};

fn said_of(parser: &str) -> String {
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
fn packets_are_read_in_many_ways() {
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
fn what_is_wrong_with_a_parser() {
    assert_eq!(said_of("state begin { transition accept; }"), "the parser `P` has no state `start`");
    assert_eq!(said_of("state start { transition nxt; }"), "there is no state `nxt`");
    assert_eq!(
        said_of("state start { p.extract(m.m); transition accept; }"),
        "a header can be extracted, not bit<8>"
    );
    assert_eq!(
        said_of("state start { transition select(m.m) { 1: accept; m.f: reject; } }"),
        "expected bit<8>, found bool"
    );
    assert_eq!(
        said_of("state start { transition select(m.m, m.w) { (1, 2, 3): accept; } }"),
        "2 values are selected on, but 3 sets are given"
    );
    assert_eq!(
        said_of("state start { transition accept; } state start { transition accept; }"),
        "there are two states `start`"
    );
}

#[test]
fn a_case_behind_the_default_is_never_reached() {
    let text = program("", "state start { transition select(m.m) { _: accept; 1: reject; } }", "", "");
    assert_eq!(warnings(&text), ["this case is never reached"]);
}

#[test]
fn sub_parsers_stand_for_places_of_their_caller() {
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
    assert_eq!(found, ["what reads the packet can stand in parsers only"]);
    let found = errors(&program(
        "control S(inout Meta m) { apply { } }",
        "S() s; state start { s.apply(m); transition accept; }",
        "",
        "",
    ));
    assert_eq!(found, ["the application of a control can stand in controls' apply blocks only"]);
}
